"""Tracing: every operation reports what it does to memory."""

import ast
import doctest
import inspect
import json
import linecache
import pathlib
import subprocess
import sys
import threading
import tomllib

import pytest

import belvedere as bv

OPERATIONS = pathlib.Path(__file__).parents[2] / "operations"


def kinds(trace):
    return [(event.op, event.kind) for event in trace]


def test_events_are_those_of_the_program():
    x = bv.zeros((2, 3))
    with bv.trace() as t:
        y = x.T.reshape(6)
        y += 1
        z = bv.sum(y)
        float(z)
    assert kinds(t) == [
        ("T", "view"),
        ("reshape", "copy"),
        ("add", "in place"),
        ("sum", "new"),
        ("item", "read"),
    ]
    assert t.bytes_copied == 48
    assert [event.op for event in t.copies] == ["reshape"]
    assert t.copies[0].reason == "the new shape has no strided view"
    assert t.copies[0].advice.startswith("cannot view [3, 2] (strides [1, 3]) as [6]")


def test_an_event_knows_its_line():
    with bv.trace() as t:
        bv.zeros(3)
    line = test_an_event_knows_its_line.__code__.co_firstlineno + 2
    assert [(event.file, event.line) for event in t] == [(__file__, line)]


def test_the_table_has_the_text_and_the_variables_of_the_program():
    x = bv.zeros((2, 3))
    with bv.trace() as t:
        flat = x.T.reshape(6)
    text = str(t)
    assert "x.T" in text and ".reshape(6)" in text and "flat" in text
    assert "48 bytes" in text
    assert repr(t) == "<Trace: 2 operations, 48 bytes copied>"
    assert "<svg" in t.draw() and "<pre>" in t._repr_html_()


def rows(trace):
    """The rows of the table, without the heading."""
    return str(trace).splitlines()[1 : len(trace) + 1]


def test_the_table_has_the_lines_of_the_program():
    x = bv.zeros((2, 3))
    with bv.trace() as t:
        y = x + 1

        y.sum()
    first = test_the_table_has_the_lines_of_the_program.__code__.co_firstlineno + 3
    assert str(t).splitlines()[0].split()[:2] == ["#", "line"]
    assert [row.split()[:2] for row in rows(t)] == [["0", str(first)], ["1", str(first + 2)]]


def test_the_lines_of_several_files_have_their_names(tmp_path):
    helper = tmp_path / "helper.py"
    helper.write_text("def double(x):\n    return x * 2\n")
    scope = {}
    exec(compile(helper.read_text(), str(helper), "exec"), scope)
    with bv.trace() as t:
        x = bv.zeros(3)
        scope["double"](x)
    assert "helper.py:2" in rows(t)[1] and "x * 2" in rows(t)[1]
    assert "test_trace.py:" in rows(t)[0]


def test_expressions_on_several_lines_are_joined():
    a = bv.zeros(3)
    with bv.trace() as t:
        b = bv.concat([
            a,  # a comment
            a,
        ])
        c = (
            b[1:]
            .reshape(1, -1)
            .sum(
                axis=0,
            )
        )
    text = str(t)
    assert "b " in text and "bv.concat([a, a])" in text
    assert "  .reshape(1, -1)" in text and "  .sum(axis=0)" in text
    assert "comment" not in text
    assert rows(t)[-1].split()[2] == "c"
    assert c.shape == (5,)


def test_writes_are_shown_with_what_is_written():
    x = bv.zeros((2, 3))
    with bv.trace() as t:
        x[0] = 5
        x[1, 1:] = (
            x[0, 1:]
        )
    assert "  x[0] = 5  " in rows(t)[0]
    assert "  x[1, 1:] = x[0, 1:]  " in rows(t)[2]


def test_a_statement_without_columns_has_its_first_line():
    from belvedere import _source

    lines = "y = f(\n    x,\n)\nz = y\n"
    name = "<several lines>"
    linecache.cache[name] = (len(lines), None, lines.splitlines(True), name)
    assert _source.describe(name, 2, None, 2, None) == (None, "y = f( …")
    assert _source.describe(name, 4, None, 4, None) == (None, "z = y")
    assert _source.describe(name, 9, None, 9, None) is None


def names(trace):
    """The variable in each row of the table."""
    header = str(trace).splitlines()[0]
    start, end = header.index("line") + 4, header.index("step")
    return [row[start:end].strip() for row in rows(trace)]


def test_names_are_those_of_the_results():
    x, y = bv.zeros((2, 3)), bv.zeros((2, 3))
    with bv.trace() as t:
        a = x + 1
        b: bv.Array = x.T
        if (c := x[0]) is not None:
            d = -c
        e = abs(x)
    assert names(t) == ["a", "b", "c", "d", "e"]
    with bv.trace() as t:
        named = x + 1
        a = b = x + 1
        for a in x:
            pass
        a, b = x
        a = list(x)
        a = max(x[0, 0], y[0, 0])
        a = x[0, 0] == x[0, 1] == x[0, 2]
        a = not x[0, 0]
        a = x[0, 0] and y[0, 0]
        a = (x + 1, y + 1)
        a = [x + 1 for _ in range(2)]
        a.append(x + 2)
    assert names(t)[0] == "named"
    assert set(names(t)[1:]) == {""}
    assert "for a in x" in str(t)


def test_pictures_are_bounded_and_have_offsets():
    x = bv.zeros((2, 3))
    with bv.trace() as t:
        y = x.T
    assert ">5<" in t.draw() and ">?<" not in t.draw()
    with bv.trace() as t:
        for _ in range(500):
            x.T
    picture = t.draw()
    assert "440 more are not drawn" in picture
    assert len(picture) < 1_000_000
    assert "440 more are not drawn" in t._repr_html_()


def test_lines_are_summed_up():
    x = bv.zeros((2, 3))
    with bv.trace() as t:
        for _ in range(5):
            x.T.reshape(6)
    (line,) = t.by_line()
    assert (line["calls"], line["bytes_copied"], line["peak_bytes"]) == (10, 240, 48)
    assert line["copies"] == [("reshape", "the new shape has no strided view", 240)]


def test_json_has_all_events():
    with bv.trace() as t:
        bv.zeros((2, 3), dtype=bv.float32).T
    made, view = json.loads(t.to_json())
    assert (made["op"], made["kind"], made["bytes_allocated"]) == ("zeros", "new", 24)
    assert view["outputs"][0]["strides"] == [1, 3]
    assert view["inputs"][0]["storage"] == made["outputs"][0]["storage"]


def test_assignment_is_one_event():
    x = bv.zeros((2, 3))
    with bv.trace() as t:
        x[1, 1:] = 5
        x[bv.asarray([0])] = 2
    assert [op for op, kind in kinds(t) if kind == "in place"] == ["assign", "index_assign"]
    assert len(t) == 3


def test_views_and_creation_functions_have_parameters():
    with bv.trace() as t:
        x = bv.zeros((2, 3), dtype=bv.float32)
        x.reshape(3, -1)
        x[1:, ..., None, ::-2]
        bv.permute_dims(x, (1, 0))
    assert [event.params for event in t] == [
        {"shape": "(2, 3)", "dtype": "float32"},
        {"shape": "(3, -1)"},
        {"index": "1:, ..., None, ::-2"},
        {"order": "(1, 0)"},
    ]


def test_gathers_count_the_elements_that_they_select():
    x, rows = bv.zeros((1000, 4)), bv.asarray([7, 0, 7])
    with bv.trace() as t:
        x[rows]
        x[rows] = 1.0
    (gather, scatter) = t
    assert (gather.bytes_read, gather.bytes_written) == (96 + 24, 96)
    assert scatter.bytes_written == 96


def test_the_parts_of_an_array_are_the_outputs_of_one_event():
    x = bv.zeros((5, 3))
    with bv.trace() as t:
        x.split(2)
        bv.split(x, (1, 1))
        bv.chunk(x, 3)
        bv.unstack(x)
    assert kinds(t) == [("split", "view"), ("split", "view"), ("chunk", "view"), ("unstack", "view")]
    assert [len(event.outputs) for event in t] == [3, 3, 3, 5]
    assert t[1].params == {"axis": "0", "sizes": "(1, 0, 4)"}
    assert [it["shape"] for it in t[1].outputs] == [(1, 3), (0, 3), (4, 3)]


def test_a_trace_belongs_to_its_thread_unless_it_is_for_all():
    def work():
        bv.ones(3)

    with bv.trace() as own, bv.trace(all_threads=True) as all_threads:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert kinds(own) == []
    assert kinds(all_threads) == [("ones", "new")]


def test_a_trace_works_with_exceptions_and_generators():
    def rows(x):
        for row in x:
            yield row + 1

    x = bv.zeros((2, 3))
    t = bv.trace()
    with pytest.raises(ValueError), t:
        for _ in rows(x):
            pass
        x.reshape(7)
    assert [event.op for event in t] == ["select", "add", "select", "add"]
    bv.ones(3)
    assert len(t) == 4


def test_a_trace_is_entered_once_at_a_time():
    t = bv.trace()
    with t, pytest.raises(RuntimeError, match="already recording"):
        t.__enter__()


def test_the_same_program_has_the_same_events():
    def program():
        x = bv.reshape(bv.arange(12.0), (3, 4))
        y = bv.softmax(x, axis=1) @ x.T
        y[1:] += y[:-1]
        return bv.sort(bv.einsum("ij,jk->ki", y, x), axis=0)

    found = []
    for _ in range(2):
        with bv.trace() as t:
            program()
        found.append([(it.op, it.kind, it.depth, it.bytes_read, it.bytes_written) for it in t.events])
    assert found[0] == found[1]


def examples():
    """Each function of the table that has an example: its name, and the statements of the example."""
    for path in sorted(OPERATIONS.glob("*.toml")):
        for name, record in tomllib.loads(path.read_text()).items():
            space = {"linalg": bv.linalg, "fft": bv.fft, "nn": bv.nn}.get(path.stem, bv)
            function = getattr(space, name, None)
            is_function = "form" in record or "signature" in record
            if not is_function or "method" in record or path.stem in ("trace", "copies"):
                continue
            # A composed function announces the operations that it consists of.
            if inspect.isfunction(function) or inspect.isclass(function):
                continue
            found = doctest.DocTestParser().get_examples(function.__doc__ or "")
            if found:
                yield pytest.param(name, [it.source for it in found], id=f"{path.stem}.{name}")


def calls_of(node, name):
    """Whether an expression is a call of a function with this name."""
    match node:
        case ast.Call(func=ast.Attribute(attr=attribute)):
            return attribute == name
    return False


# Functions whose operation has another name in the Rust crate.
OTHER_NAMES = {
    "allclose": "isclose",
    "asarray": "from_vec",
    "cumprod": "cumulative_prod",
    "cumsum": "cumulative_sum",
    "divide": "div",
    "empty": "zeros",
    "empty_like": "zeros_like",
    "expand_dims": "unsqueeze",
    "fliplr": "flip",
    "flipud": "flip",
    "identity": "eye",
    "load": "npy::read",
    "matrix_transpose": "mt",
    "multiply": "mul",
    "ravel": "view",
    "rint": "round",
    "save": "npy::write",
    "silu": "swish",
    "sliding_window_view": "sliding_window",
    "subtract": "sub",
    "swapaxes": "swap_axes",
    "transpose": "reverse_dims",
    "vector_norm": "norm",
}

# Functions that read and make no elements.
SILENT = {
    "__array_namespace_info__", "broadcast_shapes", "can_cast", "dtype", "einsum_path", "explain", "finfo",
    "get_num_threads", "iinfo", "isdtype", "may_share_memory", "memory_stats", "result_type",
    "set_num_threads", "shares_memory", "trim_memory",
}


@pytest.mark.parametrize(("name", "sources"), list(examples()))
def test_every_function_of_the_table_announces_itself(name, sources):
    scope = {"bv": bv}
    for source in sources:
        is_called = any(calls_of(it, name) for it in ast.walk(ast.parse(source)))
        with bv.trace() as t:
            try:
                exec(source, scope)
            except Exception:
                is_called = False  # An example of an error.
        if is_called and name not in SILENT:
            assert OTHER_NAMES.get(name, name) in [event.op for event in t]
        if is_called:
            return


def test_a_program_is_traced_from_the_command_line(tmp_path):
    helper = tmp_path / "helper.py"
    helper.write_text("ROWS = 2\n")
    script = tmp_path / "program.py"
    script.write_text(
        "import sys, threading\nimport belvedere as bv\nfrom helper import ROWS\n"
        "x = bv.zeros((ROWS, 3))\n"
        "def work():\n    x.T.reshape(6)\n"
        "thread = threading.Thread(target=work); thread.start(); thread.join()\n"
        "print(sys.argv[1:])\n"
    )
    command = [sys.executable, "-m", "belvedere.trace", str(script), "--flag", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "['--flag', '1']\n"
    assert "48 bytes copied" in done.stderr
    assert f"{script}:6: 48 bytes copied in 2 calls" in done.stderr
    assert "x.T.reshape(6)" in done.stderr
    assert "cannot view [3, 2] (strides [1, 3]) as [6] without a copy" in done.stderr


def run(tmp_path, source, *options):
    """Runs a program by the interpreter and traced; returns both."""
    script = tmp_path / "program.py"
    script.write_text(source)
    plain = [sys.executable, str(script)]
    traced = [sys.executable, "-m", "belvedere.trace", *options, str(script)]
    return [subprocess.run(it, capture_output=True, text=True, check=False) for it in (plain, traced)]


@pytest.mark.parametrize(
    "last",
    [
        "fail()",
        "sys.exit()",
        "sys.exit(3)",
        "sys.exit('a message')",
        "raise KeyboardInterrupt",
        "sys.excepthook = lambda kind, error, traceback: print(kind, traceback.tb_lineno)\nfail()",
        "fail(",
        "try:\n    fail()\nexcept ValueError as error:\n    raise TypeError('x') from error",
        "import atexit\natexit.register(print, 'at exit')\nfail()",
    ],
)
def test_a_traced_program_ends_as_it_does_alone(tmp_path, last):
    source = f"import sys\ndef fail():\n    raise ValueError('wrong')\n{last}\n"
    plain, traced = run(tmp_path, source)
    assert traced.returncode == plain.returncode
    assert traced.stdout == plain.stdout
    assert traced.stderr == plain.stderr + "0 bytes copied, 0 bytes allocated at most at once\n"


def test_threads_that_outlive_the_main_thread_are_traced(tmp_path):
    source = (
        "import threading, time\nimport belvedere as bv\n"
        "def work(n):\n"
        "    time.sleep(0.2)\n"
        "    bv.zeros((2, 3)).T.reshape(6)\n"
        "    if n:\n"
        "        threading.Thread(target=work, args=(n - 1,)).start()\n"
        "threading.Thread(target=work, args=(1,)).start()\n"
        "print(__name__, __file__, work.__module__)\n"
    )
    plain, traced = run(tmp_path, source, "--table")
    assert (traced.returncode, traced.stdout) == (0, plain.stdout)
    assert "96 bytes copied" in traced.stderr
    assert "program.py:5: 96 bytes copied in 6 calls" in traced.stderr


def test_the_module_can_be_imported_and_called():
    code = (
        "import belvedere as bv, belvedere.trace\n"
        "with bv.trace() as t:\n    bv.zeros(3)\nprint(len(t))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
