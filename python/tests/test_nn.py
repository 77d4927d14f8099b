"""Activations and layers compared with direct implementations of their formulas."""

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.special
import zoo
from hypothesis import given

import belvedere as bv


def sigmoid(x):
    return scipy.special.expit(x)


ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "gelu": lambda x: x * 0.5 * (1 + scipy.special.erf(x / np.sqrt(2))),
    "sigmoid": sigmoid,
    "hard_sigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hard_swish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "silu": lambda x: x * sigmoid(x),
    "swish": lambda x: x * sigmoid(x),
    "softplus": lambda x: np.logaddexp(x, 0),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
@given(pair=zoo.twins(zoo.STANDARD_REALS, kind="finite"))
def test_activations_match_their_formulas(name, pair):
    expected = ACTIVATIONS[name](pair.theirs.astype(np.float64)).astype(pair.theirs.dtype)
    atol = 1e-6 if pair.theirs.dtype == np.float32 else 1e-13
    zoo.assert_same(getattr(bv, name)(pair.ours), expected, ulps=16, atol=atol, context=name)


@given(zoo.twins(zoo.STANDARD_REALS, zoo.shapes(min_rank=1, min_len=1), kind="finite"), st.data())
def test_softmax_matches_scipy(pair, data):
    axis = data.draw(st.integers(-pair.theirs.ndim, pair.theirs.ndim - 1))
    wide = pair.theirs.astype(np.float64)
    for name in ("softmax", "log_softmax"):
        expected = getattr(scipy.special, name)(wide, axis).astype(pair.theirs.dtype)
        atol = 1e-4 if pair.theirs.dtype == np.float32 else 1e-12
        zoo.assert_same(getattr(bv, name)(pair.ours, axis=axis), expected, ulps=64, atol=atol, context=name)
    expected = scipy.special.logsumexp(wide, axis).astype(pair.theirs.dtype)
    zoo.assert_same(bv.logsumexp(pair.ours, axis=axis), expected, ulps=16, atol=1e-5)


def slow_conv2d(x, weight, stride, padding, dilation, groups):
    """Convolves with explicit loops over windows and channels."""
    x = np.pad(x, [(0, 0), (0, 0), (padding[0], padding[0]), (padding[1], padding[1])])
    n, c, h, w = x.shape
    o, inner, i, j = weight.shape
    rows = (h - dilation[0] * (i - 1) - 1) // stride[0] + 1
    cols = (w - dilation[1] * (j - 1) - 1) // stride[1] + 1
    out = np.zeros((n, o, rows, cols), x.dtype)
    for k in range(o):
        channels = slice(k // (o // groups) * inner, (k // (o // groups) + 1) * inner)
        for r in range(rows):
            for s in range(cols):
                down = r * stride[0] + dilation[0] * np.arange(i)
                along = s * stride[1] + dilation[1] * np.arange(j)
                window = x[:, channels][:, :, down[:, None], along]
                out[:, k, r, s] = np.sum(window * weight[k], axis=(1, 2, 3))
    return out


@given(st.data())
def test_convolutions_match_their_formula(data):
    groups = data.draw(st.integers(1, 2))
    inner, outer = data.draw(st.integers(1, 2)), groups * data.draw(st.integers(1, 2))
    stride, dilation = ((data.draw(st.integers(1, 2)), data.draw(st.integers(1, 2))) for _ in range(2))
    padding = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))
    dtype = data.draw(st.sampled_from(["int32", "float32", "float64"]))
    x = data.draw(zoo.twins((dtype,), (2, groups * inner, 5, 6), kind="small"))
    weight = data.draw(zoo.twins((dtype,), (outer, inner, 2, 3), kind="small"))
    expected = slow_conv2d(x.theirs, weight.theirs, stride, padding, dilation, groups)
    how = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    zoo.assert_same(bv.nn.conv2d(x.ours, weight.ours, **how), expected, signed_zeros=False)
    bias = np.arange(outer).astype(dtype)
    found = bv.nn.conv2d(x.ours, weight.ours, bv.asarray(bias), **how)
    zoo.assert_same(found, expected + bias[:, None, None], signed_zeros=False)


def test_conv1d_and_named_padding():
    x, weight = np.arange(12.0).reshape(2, 6), np.ones((1, 2, 3))
    ours = bv.asarray(x), bv.asarray(weight)
    full = np.convolve(x.sum(axis=0), np.ones(3), "full")
    zoo.assert_same(bv.nn.conv1d(*ours), full[2:-2][None])
    zoo.assert_same(bv.nn.conv1d(*ours, padding="valid"), full[2:-2][None])
    zoo.assert_same(bv.nn.conv1d(*ours, padding="same"), full[1:-1][None])
    zoo.assert_same(bv.nn.conv1d(*ours, padding=2), full[None])
    with pytest.raises(ValueError):
        bv.nn.conv1d(*ours, padding="other")
    with pytest.raises(ValueError):
        bv.nn.conv1d(*ours, stride=0)


@given(st.data())
def test_pooling_matches_its_formula(data):
    x = data.draw(zoo.twins(("float64", "float32"), (1, 2, 5, 6), kind="finite"))
    size, stride = ((data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))) for _ in range(2))
    windows = np.lib.stride_tricks.sliding_window_view(x.theirs, size, (2, 3))[:, :, :: stride[0], :: stride[1]]
    found = bv.nn.max_pool2d(x.ours, size, stride=stride)
    zoo.assert_same(found, windows.max(axis=(4, 5)), signed_zeros=False)
    expected = windows.astype(np.float64).mean(axis=(4, 5)).astype(x.theirs.dtype)
    zoo.assert_same(bv.nn.avg_pool2d(x.ours, size, stride=stride), expected, ulps=16, atol=1e-4)
    one = bv.nn.max_pool1d(x.ours[0, :, 0, :], 2)
    zoo.assert_same(one, x.theirs[0, :, 0, :].reshape(2, 3, 2).max(axis=-1), signed_zeros=False)


@given(zoo.twins(("float64",), zoo.shapes(min_rank=2, min_len=1), kind="finite"), st.data())
def test_norms_match_their_formulas(pair, data):
    axis = data.draw(st.sampled_from([-1, 0, (-2, -1)]))
    x = pair.theirs
    mean, spread = x.mean(axis=axis, keepdims=True), x.var(axis=axis, keepdims=True)
    how = {"axis": axis, "epsilon": 0.5}
    zoo.assert_same(bv.nn.layer_norm(pair.ours, **how), (x - mean) / np.sqrt(spread + 0.5), ulps=64, atol=1e-11)
    squares = np.mean(x * x, axis=axis, keepdims=True)
    zoo.assert_same(bv.nn.rms_norm(pair.ours, **how), x / np.sqrt(squares + 0.5), ulps=64, atol=1e-11)
    others = tuple(k for k in range(x.ndim) if k != 1)
    mean, spread = x.mean(axis=others), x.var(axis=others)
    weight, bias = np.arange(1.0, len(mean) + 1), -np.arange(1.0, len(mean) + 1)
    given = mean, spread, weight, bias
    mean, spread, weight, bias = (it.reshape([-1] + [1] * (x.ndim - 2)) for it in given)
    expected = (x - mean) / np.sqrt(spread + 0.5) * weight + bias
    found = bv.nn.batch_norm(pair.ours, *map(bv.asarray, given), epsilon=0.5)
    zoo.assert_same(found, expected, ulps=64, atol=1e-10)


@given(st.lists(st.integers(-4, 3), max_size=5))
def test_embedding_and_one_hot_match_numpy(indices):
    indices = np.array(indices, dtype=np.int64)
    table = np.arange(12).reshape(4, 3)
    zoo.assert_same(bv.nn.embedding(bv.asarray(table), bv.asarray(indices)), table[indices])
    zoo.assert_same(bv.nn.one_hot(bv.asarray(indices), 4), np.eye(4)[indices])
    zoo.assert_same(bv.nn.one_hot(bv.asarray(indices), 4, dtype=bv.bool), np.eye(4, dtype=bool)[indices])
    with pytest.raises(IndexError):
        bv.nn.one_hot(bv.asarray([4]), 4)
