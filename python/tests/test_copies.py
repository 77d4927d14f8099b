"""Copy events: `copies()` logs them, `no_copies()` refuses them."""

import inspect
import threading

import pytest

import belvedere as bv
from belvedere.exceptions import CopyError


def transposed():
    return bv.reshape(bv.arange(6), (2, 3)).T


def test_copies_are_logged_with_their_line():
    x = transposed()
    with bv.copies() as log:
        assert len(log) == 0
        line = inspect.currentframe().f_lineno + 1
        x.reshape(6)
    assert len(log) == 1
    (event,) = log
    assert (event.op, event.bytes) == ("reshape", 48)
    assert event.reason == "the new shape has no strided view"
    assert event.file == __file__
    assert event.line == line
    assert str(event) == f"{__file__}:{line}: reshape copied 48 bytes: {event.reason}"
    assert log.bytes == 48
    assert "1 copy, 48 bytes" in repr(log)
    assert str(log) == str(event)


def test_views_are_not_logged():
    x = bv.arange(24).reshape(2, 3, 4)
    with bv.copies() as log:
        x.T if x.ndim == 2 else x.mT
        x.reshape(6, 4)
        x[:, ::-1, None]
        x.permute(2, 0, 1).flip()
        bv.permute_dims(x, (1, 0, 2))
        bv.broadcast_to(x, (5, 2, 3, 4))
        x.view(24).unfold(0, 3, 1)
        x.contiguous()
        x + 1
        x.sum()
    assert list(log) == []


def test_a_broadcast_operand_that_needs_a_cast_is_copied_once():
    x, row = bv.ones((300, 100), dtype=bv.float32), bv.ones(100, dtype=bv.float16)
    with bv.copies() as log:
        line = inspect.currentframe().f_lineno + 1
        total = x + row
    (event,) = log
    assert (event.op, event.bytes, event.file, event.line) == ("add", 400, __file__, line)
    assert event.reason == "the operand is read repeatedly and would be packed or cast each time"
    with bv.no_copies():
        walked = x + row
    assert bv.all(total == walked)


def test_a_log_is_a_sequence():
    x = transposed()
    with bv.copies() as log:
        x.reshape(6)
        x.copy()
    assert [it.op for it in log] == ["reshape", "copy"]
    assert log[-1].op == "copy"
    assert [it.op for it in log[:1]] == ["reshape"]
    assert log
    with pytest.raises(IndexError):
        log[2]


def test_logs_nest():
    x = transposed()
    with bv.copies() as outer:
        x.reshape(6)
        with bv.copies() as inner:
            x.reshape(6)
        x.reshape(6)
    x.reshape(6)
    assert (len(outer), len(inner)) == (3, 1)


def test_a_log_ends_with_an_exception():
    x = transposed()
    with pytest.raises(ZeroDivisionError):
        with bv.copies() as log:
            x.reshape(6)
            1 / 0
    x.reshape(6)
    assert len(log) == 1


def test_a_log_can_be_reentered_after_its_end_only():
    x = transposed()
    log = bv.copies()
    for _ in range(2):
        with log:
            x.reshape(6)
            with pytest.raises(RuntimeError):
                log.__enter__()
        x.reshape(6)
    assert len(log) == 2
    log.__exit__(None, None, None)
    assert len(log) == 2


def test_copies_of_long_operations_have_the_line_of_the_caller():
    x = bv.zeros((300, 200)).T
    with bv.copies() as log:
        line = inspect.currentframe().f_lineno + 1
        x.reshape(-1)
    assert (log[0].line, log[0].bytes) == (line, 300 * 200 * 8)


def test_implicit_copies_are_refused_inside_no_copies():
    x = transposed()
    with bv.no_copies():
        line = inspect.currentframe().f_lineno + 2
        with pytest.raises(CopyError, match="reshape") as caught:
            x.reshape(6)
        assert "48 bytes" in str(caught.value)
        assert f"{__file__}:{line}" in str(caught.value)
        assert x.copy().tolist() == x.tolist()
        assert x.astype(bv.float32).dtype == bv.float32
        assert x.reshape(3, 2).shape == (3, 2)
    assert x.reshape(6).shape == (6,)


def test_a_refused_copy_is_a_value_error():
    assert issubclass(CopyError, ValueError)
    with bv.no_copies(), pytest.raises(ValueError):
        transposed().reshape(6)


def test_copies_can_be_allowed_again():
    x = transposed()
    with bv.no_copies():
        with bv.allow_copies():
            x.reshape(6)
        with pytest.raises(CopyError):
            x.reshape(6)


def test_scopes_may_end_in_any_order():
    x = transposed()
    logs = [bv.copies() for _ in range(3)]
    rule = bv.no_copies()
    for log in logs:
        log.__enter__()
    rule.__enter__()
    logs[0].__exit__(None, None, None)
    rule.__exit__(None, None, None)
    x.reshape(6)
    logs[2].__exit__(None, None, None)
    x.reshape(6)
    logs[1].__exit__(None, None, None)
    assert [len(log) for log in logs] == [0, 2, 1]
    rule.__exit__(None, None, None)
    x.reshape(6)


def test_a_scope_in_an_unfinished_generator_ends_with_it():
    def held():
        with bv.no_copies():
            yield

    generator = held()
    next(generator)
    with pytest.raises(CopyError):
        transposed().reshape(6)
    generator.close()
    transposed().reshape(6)
    other = held()
    next(other)
    del other
    transposed().reshape(6)


def test_scopes_belong_to_the_thread_that_enters_them():
    x = transposed()
    failures = []

    def work():
        try:
            x.reshape(6)
        except CopyError as error:
            failures.append(error)

    with bv.no_copies(), bv.copies() as log:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert failures == []
    assert len(log) == 0


def test_a_scope_may_be_left_on_another_thread():
    rule = bv.no_copies()
    rule.__enter__()
    thread = threading.Thread(target=rule.__exit__, args=(None, None, None))
    thread.start()
    thread.join()
    transposed().reshape(6)


@pytest.mark.parametrize("reshape", [bv.reshape, bv.Array.reshape], ids=["function", "method"])
def test_reshape_with_a_requested_copy_is_allowed_where_copies_are_forbidden(reshape):
    x = bv.asarray([[1, 2, 3], [4, 5, 6]]).T
    with bv.no_copies(), bv.copies() as log:
        y = reshape(x, (6,), copy=True)
        with pytest.raises(bv.exceptions.CopyError):
            reshape(x, (6,))
    assert y.tolist() == [1, 4, 2, 5, 3, 6]
    assert not bv.shares_memory(x, y)
    assert [event.reason for event in log] == ["it was requested"]


def test_a_log_is_a_trace_of_copies():
    x = transposed()
    with bv.copies() as log, bv.trace() as t:
        x + 1
        x.reshape(6)
        x.T
    assert type(log) is type(t)
    assert [event.op for event in log.events] == [event.op for event in t.copies] == ["reshape"]
    assert (log.bytes, t.bytes, t.bytes_copied) == (48, 48, 48)
    assert log[0].bytes == log[0].bytes_copied == 48
    assert [(line["calls"], line["bytes_copied"]) for line in log.by_line()] == [(1, 48)]
    assert repr(bv.copies()) == "<Trace: 0 copies, 0 bytes>"
