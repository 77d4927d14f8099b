"""The entry in PyTorch's table that lets a ``DataLoader`` collate our arrays: a batch of them is one tensor."""

from __future__ import annotations

from types import ModuleType

from .. import _native as bv


def register(module: ModuleType) -> None:
    """Adds the entry, given ``torch.utils.data._utils.collate``."""

    def collate(batch, *, collate_fn_map=None):
        tensors = [module.torch.from_dlpack(x) for x in batch]
        return module.collate(tensors, collate_fn_map=collate_fn_map)

    module.default_collate_fn_map[bv.Array] = collate
