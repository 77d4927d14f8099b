"""The results of functions that give several arrays: tuples whose parts have names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from . import Array


class UniqueAllResult(NamedTuple):
    """What ``unique_all`` gives."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """What ``unique_counts`` gives."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """What ``unique_inverse`` gives."""

    values: Array
    inverse_indices: Array


class EigResult(NamedTuple):
    """What ``linalg.eig`` gives."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """What ``linalg.eigh`` gives."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """What ``linalg.qr`` gives."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """What ``linalg.slogdet`` gives."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """What ``linalg.svd`` gives."""

    U: Array
    S: Array
    Vh: Array


class LstsqResult(NamedTuple):
    """What ``linalg.lstsq`` gives."""

    x: Array
    rank: Array
    singular_values: Array


class HistogramResult(NamedTuple):
    """What ``histogram`` gives."""

    counts: Array
    edges: Array


class TopKResult(NamedTuple):
    """What ``topk`` gives."""

    values: Array
    indices: Array


__all__ = [
    "EigResult",
    "EighResult",
    "HistogramResult",
    "LstsqResult",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "TopKResult",
    "UniqueAllResult",
    "UniqueCountsResult",
    "UniqueInverseResult",
]
