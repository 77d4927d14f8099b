"""Explanations of arrays and expressions."""

import sys
import threading
import time

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


def test_programs_have_several_lines_and_writes_in_place():
    text = bv.explain("import numpy as np\nx = np.arange(6).reshape(2, 3)\nx[1:] += x[:-1]\nx *= 2\nnp.sum(x, axis=0)")
    assert "error" not in text
    assert text.count("in place") == 2
    assert "x[1:] += x[:-1]" in text
    assert "in place" in bv.explain("x = np.zeros(3); x[0] = 5; x.add_(1)")


def test_an_expression_is_not_part_of_the_program():
    copying = "zeros(2, 3).T.reshape(6)"
    expected = bv.explain(copying)
    assert "copy          48 bytes" in expected
    with bv.trace() as own, bv.trace(all_threads=True) as everything, bv.copies() as log, bv.no_copies():
        assert bv.explain(copying) == expected
        assert "error" not in bv.explain(copying)
        with pytest.raises(bv.exceptions.CopyError):
            bv.zeros((2, 3)).T.reshape(6)
    for recording in (own, everything):
        assert {event.op for event in recording} <= {"zeros", "T"}
    assert len(log) == 0


def test_an_expression_has_its_own_rules_for_copies():
    text = bv.explain("x = zeros(2, 3).T\nwith no_copies():\n    x.reshape(6)")
    assert "error" in text
    # The rule ends with the expression, also after an error.
    assert bv.zeros((2, 3)).T.reshape(6).shape == (6,)


def test_other_threads_run_during_an_evaluation():
    source = "x = ones(64, 64)\n" + "x = x @ x / 64\n" * 60
    expected = bv.explain(source)
    n_turns, results = 0, []
    thread = threading.Thread(target=lambda: results.append(bv.explain(source)))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(10.0)
    try:
        thread.start()
        while thread.is_alive():
            # With so long an interval, the other thread has the GIL only while this one sleeps, or until it releases it.
            time.sleep(0)
            n_turns += 1
    finally:
        sys.setswitchinterval(interval)
    assert results == [expected]
    assert n_turns > 10
