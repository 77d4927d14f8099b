"""Linear algebra: products compared with NumPy, factorizations checked by their product."""

import hypothesis.strategies as st
import numpy as np
import pytest
import zoo
from hypothesis import given

import belvedere as bv

LINALG = bv.linalg
FACTORED = ("float32", "float64", "complex64", "complex128")
#: Dtypes in which sums of products of small integers are exact.
EXACT = ("int32", "int64", "uint64", "float32", "float64", "complex64", "complex128")


def close(dtype):
    return 2e-3 if np.dtype(dtype).name in ("float32", "complex64") else 1e-9


def assert_close(ours, theirs, context=""):
    """Checks shape, dtype and values, within the precision of the dtype."""
    theirs = np.asarray(theirs)
    atol = close(theirs.dtype) * max(1.0, np.max(np.abs(theirs), initial=0.0))
    zoo.assert_same(ours, theirs, ulps=64, atol=atol, context=context)


@st.composite
def stacks(draw, n=None, m=None, dtypes=FACTORED):
    """Draws stacks of matrices in any layout, with small integers as elements."""
    front = draw(zoo.shapes(max_rank=2, max_len=2))
    n = draw(st.integers(0, 4)) if n is None else n
    m = n if m is None else draw(st.integers(0, 4))
    return draw(zoo.twins(dtypes, (*front, n, m), kind="small"))


@st.composite
def regular(draw, dtypes=FACTORED):
    """Draws invertible (diagonally dominant) square matrices."""
    pair = draw(stacks(dtypes=dtypes))
    n = pair.theirs.shape[-1]
    shift = (20 * np.eye(n)).astype(pair.theirs.dtype)
    return pair.ours + bv.asarray(shift), pair.theirs + shift


@given(st.data())
def test_matmul_matches_numpy(data):
    dtype = data.draw(st.sampled_from(EXACT))
    front = data.draw(zoo.broadcastable(2, max_rank=2, max_len=3))
    n, k, m = (data.draw(st.integers(0, 4)) for _ in range(3))
    x = data.draw(zoo.twins((dtype,), (*front[0], n, k), kind="small"))
    y = data.draw(zoo.twins((dtype,), (*front[1], k, m), kind="small"))
    expected = np.matmul(x.theirs, y.theirs)
    ways = bv.matmul, LINALG.matmul, lambda x, y: bv.einsum("...ij,...jk->...ik", x, y)
    for found in (way(x.ours, y.ours) for way in ways):
        zoo.assert_same(found, expected, signed_zeros=False)


@given(st.data())
def test_vector_products_match_numpy(data):
    dtype, n = data.draw(st.sampled_from(EXACT)), data.draw(st.integers(0, 5))
    x, y = (data.draw(zoo.twins((dtype,), (n,), kind="small")) for _ in range(2))
    zoo.assert_same(bv.matmul(x.ours, y.ours), np.matmul(x.theirs, y.theirs), signed_zeros=False)
    zoo.assert_same(bv.vecdot(x.ours, y.ours), np.vecdot(x.theirs, y.theirs), signed_zeros=False)
    zoo.assert_same(LINALG.outer(x.ours, y.ours), np.outer(x.theirs, y.theirs), signed_zeros=False)
    zoo.assert_same(bv.kron(x.ours, y.ours), np.kron(x.theirs, y.theirs), signed_zeros=False)


@given(st.data())
def test_dot_and_inner_match_numpy(data):
    dtype, n = data.draw(st.sampled_from(EXACT)), data.draw(st.integers(0, 4))
    shapes = [(*data.draw(zoo.shapes(max_rank=2, max_len=3)), n) for _ in range(2)]
    x, y = (data.draw(zoo.twins((dtype,), shape, kind="small")) for shape in shapes)
    zoo.assert_same(bv.inner(x.ours, y.ours), np.inner(x.theirs, y.theirs), signed_zeros=False)
    turned = bv.moveaxis(y.ours, -1, -2) if y.theirs.ndim > 1 else y.ours
    expected = np.dot(x.theirs, np.moveaxis(y.theirs, -1, -2) if y.theirs.ndim > 1 else y.theirs)
    zoo.assert_same(bv.dot(x.ours, turned), expected, signed_zeros=False)


@given(st.data())
def test_vecdot_takes_an_axis(data):
    x, y = data.draw(zoo.broadcastable_twins(EXACT, same=True, kind="small"))
    if min(x.theirs.ndim, y.theirs.ndim) == 0 or x.theirs.shape[-1] != y.theirs.shape[-1]:
        return
    zoo.assert_same(bv.vecdot(x.ours, y.ours, axis=-1), np.vecdot(x.theirs, y.theirs, axis=-1), signed_zeros=False)


@given(zoo.twins(EXACT, zoo.shapes(max_len=3), kind="small"), st.data())
def test_tensordot_matches_numpy(x, data):
    rank = x.theirs.ndim
    n = data.draw(st.integers(0, rank))
    left = data.draw(st.permutations(range(rank)))[:n]
    lengths = [x.theirs.shape[axis] for axis in left]
    y = data.draw(zoo.twins((x.theirs.dtype.name,), (*lengths, 2), kind="small"))
    right = list(range(n))
    expected = np.tensordot(x.theirs, y.theirs, (left, right))
    zoo.assert_same(bv.tensordot(x.ours, y.ours, axes=(left, right)), expected, signed_zeros=False)
    moved = np.transpose(x.theirs, [k for k in range(rank) if k not in left] + left)
    ours = bv.permute_dims(x.ours, [k for k in range(rank) if k not in left] + left)
    zoo.assert_same(LINALG.tensordot(ours, y.ours, axes=n), np.tensordot(moved, y.theirs, n), signed_zeros=False)


@given(zoo.twins(shape=zoo.shapes(min_rank=2)), st.integers(-4, 4))
def test_diagonals_are_views_and_traces_their_sums(pair, offset):
    diagonal = LINALG.diagonal(pair.ours, offset=offset)
    zoo.assert_same(diagonal, np.linalg.diagonal(pair.theirs, offset=offset))
    assert diagonal.size == 0 or bv.shares_memory(diagonal, pair.our_base)
    transposed = bv.matrix_transpose(pair.ours)
    zoo.assert_same(transposed, np.matrix_transpose(pair.theirs))
    assert transposed.size == 0 or bv.shares_memory(transposed, pair.our_base)


@given(zoo.twins(EXACT, zoo.shapes(min_rank=2), kind="small"), st.integers(-4, 4))
def test_trace_matches_numpy(pair, offset):
    expected = np.linalg.trace(pair.theirs, offset=offset)
    if pair.theirs.dtype.name in ("int32",):
        expected = expected.astype(np.int64)
    zoo.assert_same(LINALG.trace(pair.ours, offset=offset), expected, signed_zeros=False)
    found = LINALG.trace(pair.ours, offset=offset, dtype=bv.complex128)
    zoo.assert_same(found, np.linalg.trace(pair.theirs, offset=offset, dtype=np.complex128), signed_zeros=False)


@given(st.data())
def test_cross_matches_numpy(data):
    shape = data.draw(zoo.shapes(max_rank=2))
    x, y = (data.draw(zoo.twins(("int64", "float64"), (*shape, 3), kind="small")) for _ in range(2))
    zoo.assert_same(LINALG.cross(x.ours, y.ours), np.linalg.cross(x.theirs, y.theirs), signed_zeros=False)


@given(stacks())
def test_cholesky_matches_numpy(pair):
    shift = (2 * np.eye(pair.theirs.shape[-1])).astype(pair.theirs.dtype)
    ours = bv.matmul(pair.ours, bv.conj(bv.matrix_transpose(pair.ours))) + bv.asarray(shift)
    theirs = np.matmul(pair.theirs, np.conj(np.matrix_transpose(pair.theirs))) + shift
    for upper in (False, True):
        assert_close(LINALG.cholesky(ours, upper=upper), np.linalg.cholesky(theirs, upper=upper), upper)


@given(regular())
def test_inv_and_det_match_numpy(pair):
    ours, theirs = pair
    assert_close(LINALG.inv(ours), np.linalg.inv(theirs))
    assert_close(LINALG.det(ours), np.linalg.det(theirs))
    found, expected = LINALG.slogdet(ours), np.linalg.slogdet(theirs)
    assert found._fields == ("sign", "logabsdet")
    assert_close(found.sign, expected.sign)
    assert_close(found.logabsdet, expected.logabsdet)
    if theirs.shape[-1] > 0:
        assert_close(LINALG.matrix_power(ours, -2), np.linalg.matrix_power(theirs, -2))
    assert_close(LINALG.matrix_power(ours, 3), np.linalg.matrix_power(theirs, 3))


@given(regular(), st.integers(0, 3))
def test_solve_satisfies_the_equations(pair, m):
    ours, theirs = pair
    right = zoo.values(m, theirs.dtype.name, theirs.shape[-1] * m, "small").reshape(theirs.shape[-1], m)
    assert_close(LINALG.solve(ours, bv.asarray(right)), np.linalg.solve(theirs, right))
    if m == 1:
        assert_close(LINALG.solve(ours, bv.asarray(right[:, 0])), np.linalg.solve(theirs, right[:, 0]))


@given(stacks(m=0))
def test_qr_and_svd_factors_multiply_to_the_matrix(pair):
    ours, theirs = pair
    n_both = min(theirs.shape[-2:])
    for mode in ("reduced", "complete"):
        found = LINALG.qr(ours, mode=mode)
        assert found._fields == ("Q", "R")
        assert_close(bv.matmul(found.Q, found.R), theirs, mode)
        assert [found.Q.shape, found.R.shape] == [it.shape for it in np.linalg.qr(theirs, mode=mode)]
    for full in (False, True):
        found = LINALG.svd(ours, full_matrices=full)
        assert found._fields == ("U", "S", "Vh")
        assert [it.shape for it in found] == [it.shape for it in np.linalg.svd(theirs, full_matrices=full)]
        scaled = found.U[..., :n_both] * bv.astype(found.S[..., None, :], ours.dtype)
        product = bv.matmul(scaled, found.Vh[..., :n_both, :])
        assert_close(product, theirs, full)
    assert_close(LINALG.svdvals(ours), np.linalg.svdvals(theirs))


@given(stacks())
def test_eigvalsh_matches_numpy(pair):
    ours = pair.ours + bv.conj(bv.matrix_transpose(pair.ours))
    theirs = pair.theirs + np.conj(np.matrix_transpose(pair.theirs))
    found = LINALG.eigh(ours)
    assert found._fields == ("eigenvalues", "eigenvectors")
    assert_close(found.eigenvalues, np.linalg.eigvalsh(theirs))
    assert_close(LINALG.eigvalsh(ours), np.linalg.eigvalsh(theirs))
    scaled = found.eigenvectors * bv.astype(found.eigenvalues[..., None, :], ours.dtype)
    assert_close(bv.matmul(ours, found.eigenvectors), zoo.to_numpy(scaled))


@given(stacks())
def test_eigenvectors_satisfy_the_eigenvalue_equation(pair):
    found = LINALG.eig(pair.ours)
    assert found._fields == ("eigenvalues", "eigenvectors")
    complex_type = np.result_type(pair.theirs.dtype, np.complex64)
    assert found.eigenvalues.dtype.name == found.eigenvectors.dtype.name == complex_type.name
    left = bv.matmul(bv.astype(pair.ours, found.eigenvectors.dtype), found.eigenvectors)
    assert_close(left, zoo.to_numpy(found.eigenvectors * found.eigenvalues[..., None, :]))
    # The sum of the eigenvalues is the trace.
    total = bv.sum(LINALG.eigvals(pair.ours), axis=-1)
    assert_close(total, np.linalg.trace(pair.theirs).astype(complex_type))


@given(zoo.twins(FACTORED, (2, 3), kind="small"))
def test_matrix_rank_and_pinv_match_numpy(pair):
    product = bv.matmul(bv.matrix_transpose(pair.ours), pair.ours)
    expected = np.matmul(np.matrix_transpose(pair.theirs), pair.theirs)
    for rtol in (None, 1e-3):
        zoo.assert_same(LINALG.matrix_rank(product, rtol=rtol), np.linalg.matrix_rank(expected, rtol=rtol))
    ranks = LINALG.matrix_rank(bv.stack([product, product]), rtol=bv.asarray([1e-3, 2.0]))
    zoo.assert_same(ranks, np.array([np.linalg.matrix_rank(expected, rtol=1e-3), 0]))
    assert_close(LINALG.pinv(pair.ours, rtol=1e-3), np.linalg.pinv(pair.theirs, rtol=1e-3))
    found = LINALG.lstsq(pair.ours, bv.ones((2, 1), dtype=pair.ours.dtype), rtol=1e-3)
    expected = np.linalg.lstsq(pair.theirs, np.ones((2, 1), pair.theirs.dtype), rcond=1e-3)
    assert_close(found.x, expected[0])
    assert int(found.rank) == expected[2]


@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
@given(data=st.data())
def test_matrix_norms_match_numpy(ord, data):
    pair = data.draw(zoo.twins(FACTORED, zoo.shapes(min_rank=2, max_rank=3, min_len=1), kind="small"))
    keepdims = data.draw(st.booleans())
    expected = np.linalg.matrix_norm(pair.theirs, ord=ord, keepdims=keepdims)
    assert_close(LINALG.matrix_norm(pair.ours, ord=ord, keepdims=keepdims), expected, ord)


@pytest.mark.parametrize("ord", [0, 1, 2, 3, 0.5, -1, np.inf, -np.inf])
@given(data=st.data())
def test_vector_norms_match_numpy(ord, data):
    pair = data.draw(zoo.twins(FACTORED, zoo.shapes(min_rank=1, min_len=1), kind="small"))
    axis = data.draw(st.sampled_from([None, *range(pair.theirs.ndim)]))
    keepdims = data.draw(st.booleans())
    how = {"axis": axis, "keepdims": keepdims, "ord": ord}
    expected = np.linalg.vector_norm(pair.theirs, **how).astype(pair.theirs.real.dtype)
    for found in (LINALG.vector_norm(pair.ours, **how), bv.norm(pair.ours, **how)):
        assert_close(found, expected, how)


def test_einsum_matches_numpy():
    ways = ["ij->ji", "ij->", "ij->i", "ii", "ii->i", "ij,jk", "ij,kj->ik", "ij,ij->ij"]
    ways += ["ij,kl->ijkl", "...j->...", "ij,jk,kl->il"]
    matrix = np.arange(9.0).reshape(3, 3)
    for way in ways:
        n = way.split("->")[0].count(",") + 1
        zoo.assert_same(bv.einsum(way, *[bv.asarray(matrix)] * n), np.einsum(way, *[matrix] * n), context=way)


WRONG = {
    "a matrix without an inverse": (lambda x: LINALG.inv(x * 0), bv.exceptions.LinAlgError),
    "a matrix that is not positive": (lambda x: LINALG.cholesky(-x), bv.exceptions.LinAlgError),
    "a matrix that is not square": (lambda x: LINALG.det(x[:1]), ValueError),
    "a vector for a matrix": (lambda x: LINALG.det(x[0]), ValueError),
    "matrices that do not fit": (lambda x: bv.matmul(x, bv.ones((3, 3))), ValueError),
    "a number for a matrix": (lambda x: bv.matmul(x, 2), ValueError),
    "a norm that does not exist": (lambda x: LINALG.matrix_norm(x, ord="other"), ValueError),
    "a mode that does not exist": (lambda x: LINALG.qr(x, mode="other"), ValueError),
    "vectors of length 2": (lambda x: LINALG.cross(x, x), ValueError),
    "axes that are not there": (lambda x: bv.tensordot(x, x, axes=3), ValueError),
    "axes of another number": (lambda x: bv.tensordot(x, x, axes=([0], [0, 1])), ValueError),
    "subscripts of another number": (lambda x: bv.einsum("ij,jk", x), ValueError),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_invalid_arguments_are_refused(wrong):
    call, error = WRONG[wrong]
    with pytest.raises(error):
        call(bv.asarray([[2.0, 0.0], [0.0, 3.0]]))
