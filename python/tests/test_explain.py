"""Explanations of arrays and expressions."""

import numpy as np
import pytest

import belvedere as bv


def test_an_array_is_explained_with_its_layout():
    text = bv.explain(bv.zeros((2, 3)).T)
    assert "float64, shape [3, 2], strides [1, 3], offset 0: 6 elements, 48 bytes" in text
    assert "not contiguous: axis 1 has stride 3 where 1 is needed" in text


def test_a_view_that_exists_is_explained():
    text = bv.explain(bv.arange(12).reshape(3, 4).T, view=(2, 2, 3))
    assert "axis 0: 2 elements with stride 2, from run 0" in text
    assert "copies" not in text


def test_a_view_that_does_not_exist_is_explained_with_the_cost_of_a_copy():
    x = bv.arange(12).reshape(3, 4).T
    text = bv.explain(x, view=(6, -1))
    assert "seam" in text
    assert "copies 96 bytes" in text
    with pytest.raises(ValueError, match="copies 96 bytes"):
        x.view(6, -1)


def test_a_shape_with_another_number_of_elements_is_an_error():
    with pytest.raises(ValueError):
        bv.explain(bv.zeros(6), view=(4,))


def test_an_expression_is_explained_step_by_step():
    text = bv.explain("x = zeros(4, 6); x.T.view(24)")
    assert "view" in text and "error" in text
    assert "axis 0 has stride 1; to merge with axis 1 it would need stride 24 (4 · 6)" in text
    assert "\x1b" not in text


def test_expressions_may_use_tensors_of_any_size():
    text = bv.explain("zeros(1000000, 1000000).T.reshape(-1)")
    assert "copies" in text


def test_an_error_is_marked_in_the_expression():
    text = bv.explain("zeros(3).transpos()")
    assert "^" in text
    assert "error" in text


def test_pictures_are_optional():
    x = bv.arange(6).reshape(2, 3).T
    drawn = bv.explain(x, draw=True)
    assert " 0  3\n 1  4\n 2  5\n" in drawn
    assert drawn.startswith(bv.explain(x))
    assert "memory" in bv.explain("arange(3)[::-1]", draw=True)


def test_a_dialect_adds_remarks():
    assert bv.explain("zeros(3)[::-1]", dialect="torch") != bv.explain("zeros(3)[::-1]")
    with pytest.raises(ValueError, match="julia"):
        bv.explain("zeros(3)", dialect="julia")


def test_a_lens_is_explained_with_its_source():
    text = bv.explain(bv.zeros((2, 3)).T.lens().reshape(6))
    assert "lens of shape [6]" in text
    assert "shape [3, 2]" in text


def test_other_objects_are_refused():
    for subject in [3, None, np.zeros]:
        with pytest.raises(TypeError):
            bv.explain(subject)
