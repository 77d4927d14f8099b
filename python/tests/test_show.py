"""Arrays as text (repr, str) and as pictures."""

import html.parser

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import belvedere as bv
import zoo


@given(zoo.twins(shape=zoo.shapes(max_rank=3, max_len=9)))
def test_repr_and_str_match_numpy(pair):
    x, y = pair
    assert repr(x) == repr(y)
    assert str(x) == str(y)


@given(zoo.twins(shape=st.sampled_from([(999,), (1000,), (1001,), (40, 40), (3, 400), (400, 3), (2, 5, 101), (7, 8, 9, 10)])))
def test_large_arrays_are_summarised_as_in_numpy(pair):
    x, y = pair
    assert repr(x) == repr(y)
    assert str(x) == str(y)


@pytest.mark.parametrize("name", zoo.ALL)
def test_0d_and_empty_arrays_are_printed_as_in_numpy(name):
    for shape in [(), (0,), (2, 0), (0, 3), (1,), (1, 1)]:
        y = np.ones(shape, name)
        assert repr(bv.asarray(y, copy=True)) == repr(y)
        assert str(bv.asarray(y, copy=True)) == str(y)


def test_the_dtype_is_printed_unless_it_is_the_default():
    assert repr(bv.asarray([1, 2])) == "array([1, 2])"
    assert repr(bv.asarray([[1.0, 2.0], [3.0, 4.0]], dtype=bv.float32)) == (
        "array([[1., 2.],\n       [3., 4.]], dtype=float32)"
    )
    assert repr(bv.asarray([1.5], dtype=bv.bfloat16)) == "array([1.5], dtype=bfloat16)"


def test_huge_broadcast_arrays_are_printed_immediately():
    x = bv.broadcast_to(bv.asarray(1.0), (2**30, 2**30))
    assert "..." in str(x) and len(str(x)) < 1000
    assert "shape=(1073741824, 1073741824)" in repr(x)
    deep = bv.broadcast_to(bv.asarray(True), (2,) * 60)
    assert len(str(deep)) < 4_000_000


class Tags(html.parser.HTMLParser):
    """Checks that all SVG elements are closed, and counts them."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("x", [
    bv.zeros(()), bv.zeros((0, 3)), bv.arange(12).reshape(3, 4).T, bv.arange(9).unfold(0, 3, 1),
    bv.broadcast_to(bv.asarray(1), (2**30, 2**30)), bv.broadcast_to(bv.asarray(1), (2,) * 60),
    bv.zeros((3000, 1000)), bv.zeros((2, 3, 4, 5))[::-1, ..., ::2],
], ids=lambda it: str(it.shape)[:40])  # fmt: skip
def test_the_notebook_picture_is_small_and_complete(x):
    text = x._repr_html_()
    assert len(text) < 400_000
    tags = Tags()
    tags.feed(text)
    tags.close()
    assert tags.open == []
    assert "svg" in tags.seen
    assert "script" not in tags.seen
