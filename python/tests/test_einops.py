"""einops' functions on our arrays: same values as on NumPy's, and views wherever the pattern allows one."""

import subprocess
import sys

import numpy as np
import pytest

import belvedere as bv

einops = pytest.importorskip("einops")

IMAGES = np.arange(2 * 4 * 6 * 8.0).reshape(2, 4, 6, 8)

#: Patterns without a copy: axes are reordered, split, or merged where they are contiguous.
VIEWS = [
    ("b c h w -> w h c b", {}),
    ("b (c d) h w -> b h w d c", {"d": 2}),
    ("b c h w -> b (c h w)", {}),
    ("b c h w -> (b c) w h", {}),
    ("b c (h p) (w q) -> b h w p q c", {"p": 2, "q": 4}),
    ("b c h w -> b 1 c h w 1", {}),
    ("... w -> w ...", {}),
]

COPIES = [
    ("b c h w -> (h w) (c b)", {}),
    ("b c (h p) (w q) -> b (h w) (p q c)", {"p": 2, "q": 2}),
]


def ours():
    return bv.asarray(IMAGES, copy=True)


def same(found, expected):
    assert type(found) is bv.Array
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-14)
    assert found.shape == expected.shape


@pytest.mark.parametrize(("pattern", "sizes"), VIEWS + COPIES)
def test_rearrange_agrees_with_numpy(pattern, sizes):
    same(einops.rearrange(ours(), pattern, **sizes), einops.rearrange(IMAGES, pattern, **sizes))


@pytest.mark.parametrize(("pattern", "sizes"), VIEWS)
def test_rearrange_returns_views(pattern, sizes):
    x = ours()
    einops.rearrange(x, pattern, **sizes)[...] = 0
    assert not bv.any(x)


@pytest.mark.parametrize("reduction", ["min", "max", "sum", "mean", "prod"])
def test_reduce_agrees_with_numpy(reduction):
    pattern = "b c (h 2) (w 2) -> b h w c"
    same(einops.reduce(ours() / 100, pattern, reduction), einops.reduce(IMAGES / 100, pattern, reduction))


def test_reduce_takes_booleans_and_functions():
    x = ours() > 3
    same(einops.reduce(x, "b c h w -> c", "all"), einops.reduce(IMAGES > 3, "b c h w -> c", "all"))
    same(einops.reduce(x, "b c h w -> c", "any"), einops.reduce(IMAGES > 3, "b c h w -> c", "any"))
    same(einops.reduce(ours(), "b c h w -> c", lambda x, axes: x.sum(axis=axes)), IMAGES.sum(axis=(0, 2, 3)))


def test_repeat_broadcasts_without_a_copy():
    x = ours()
    wide = einops.repeat(x, "b c h w -> b c n h w", n=3)
    same(wide, einops.repeat(IMAGES, "b c h w -> b c n h w", n=3))
    assert wide.strides[2] == 0
    x[0, 0, 0, 0] = 9
    assert bv.all(wide[0, 0, :, 0, 0] == 9)
    same(einops.repeat(x, "b c h w -> b c (h 2) w"), einops.repeat(np.asarray(x), "b c h w -> b c (h 2) w"))


def test_lists_are_stacked():
    parts = [bv.asarray(it) for it in IMAGES]
    same(einops.rearrange(parts, "b c h w -> c b h w"), IMAGES.transpose(1, 0, 2, 3))


def test_einsum_agrees_with_numpy():
    pattern = "b c h w, b d h w -> c d"
    same(einops.einsum(ours(), ours(), pattern), einops.einsum(IMAGES, IMAGES, pattern))


def test_pack_and_unpack_agree_with_numpy():
    images, vectors = ours(), ours()[:, 0, 0]
    packed, shapes = einops.pack([images, vectors], "b *")
    expected, _ = einops.pack([IMAGES, IMAGES[:, 0, 0]], "b *")
    same(packed, expected)
    for part, original in zip(einops.unpack(packed, shapes, "b *"), [images, vectors]):
        same(part, np.asarray(original))
        part[...] = 1
    assert bv.all(packed == 1), "the parts are views of the packed array"


def test_shapes_are_parsed():
    assert einops.parse_shape(ours(), "b _ h w") == {"b": 2, "h": 6, "w": 8}
    assert isinstance(einops.asnumpy(ours()), np.ndarray)


@pytest.mark.parametrize("imports", ["belvedere as bv, einops", "einops, belvedere as bv"])
def test_the_order_of_imports_does_not_matter(imports):
    program = f"""
import {imports}, sys
x = bv.reshape(bv.arange(6), (2, 3))
assert einops.rearrange(x, "a b -> b a").shape == (3, 2)
assert "dask" not in sys.modules
import inspect
assert "class AbstractBackend" in inspect.getsource(sys.modules["einops._backends"])
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_no_library_is_imported_by_the_package():
    program = "import sys, belvedere; assert not {'einops', 'dask', 'zarr', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_library_with_other_tables_stays_importable(tmp_path):
    package = tmp_path / "einops"
    package.mkdir()
    (package / "__init__.py").write_text("from . import _backends\n")
    (package / "_backends.py").write_text("VALUE = 3\n")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import belvedere, einops; assert einops._backends.VALUE == 3"
    subprocess.run([sys.executable, "-c", program], check=True)
