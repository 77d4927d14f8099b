"""Runs a program and prints the lines that copy most: ``python -m belvedere.trace script.py [args]``."""

import argparse
import atexit
import builtins
import functools
import importlib.machinery
import linecache
import os
import runpy
import sys
import types
import zipfile

import belvedere


class _Module(types.ModuleType):
    """Keeps ``belvedere.trace()`` a function after ``import belvedere.trace``."""

    def __call__(self, *arguments, **options):
        return belvedere._native.trace(*arguments, **options)


def report(trace, limit=10):
    """Returns the lines of a trace that copied most, with the reasons and how to avoid them.

    >>> x = belvedere.zeros((2, 3))
    >>> with belvedere.trace() as t:
    ...     y = x.T.reshape(6)
    >>> print(report(t))  # doctest: +ELLIPSIS
    48 bytes copied, 48 bytes allocated at most at once
    ...
    """
    lines = trace.by_line()
    copying = sorted((it for it in lines if it["bytes_copied"]), key=lambda it: -it["bytes_copied"])
    advice = {}
    for event in trace.copies:
        if event.advice:
            advice.setdefault((event.file, event.line, event.op), event.advice)
    total = sum(it["bytes_copied"] for it in lines)
    peak = max((it["peak_bytes"] for it in lines), default=0)
    text = [f"{_bytes(total)} copied, {_bytes(peak)} allocated at most at once"]
    for it in copying[:limit]:
        calls = "1 call" if it["calls"] == 1 else f"{it['calls']} calls"
        text.append("")
        text.append(f"{it['file']}:{it['line']}: {_bytes(it['bytes_copied'])} copied in {calls}")
        source = linecache.getline(it["file"], it["line"]).strip()
        if source:
            text.append(f"    {source}")
        for op, reason, size in it["copies"]:
            text.append(f"  {op} copied {_bytes(size)}: {reason}")
            way_out = advice.get((it["file"], it["line"], op))
            if way_out:
                text.extend(f"    {line}" for line in way_out.splitlines())
    if len(copying) > limit:
        text.append("")
        text.append(f"{len(copying) - limit} more lines copy")
    return "\n".join(text)


def _bytes(n):
    """Formats a number of bytes: exactly below 1 MB, with one decimal above."""
    for unit, size in [("GB", 10**9), ("MB", 10**6)]:
        if n >= size:
            return f"{n / size:.1f} {unit}"
    return "1 byte" if n == 1 else f"{n} bytes"


def main(arguments=None):
    """Runs a program and prints what it copied."""
    parser = argparse.ArgumentParser(
        prog="python -m belvedere.trace",
        description="Runs a program and prints the lines that copy most, with the reasons.",
    )
    parser.add_argument("--lines", type=int, default=10, help="the number of lines to print (10)")
    parser.add_argument("--table", action="store_true", help="print every operation as well")
    parser.add_argument("script", help="the program")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(arguments)
    if options.lines < 0:
        parser.error("--lines takes a number from 0 on")
    if not os.path.exists(options.script):
        parser.error(f"there is no {options.script}")
    sys.argv = [options.script, *options.args]
    # Absolute, so that the source is found if the program changes its folder.
    script = os.path.abspath(options.script)
    if not sys.flags.safe_path:
        # As for ``python script.py``: modules beside it can be imported.
        sys.path[0] = os.path.dirname(os.path.realpath(script))
    trace = belvedere._native.trace(all_threads=True)
    # The interpreter waits for the threads of the program, then calls its exit functions, and this one at last.
    atexit.register(_finish, trace, options)
    trace.__enter__()
    try:
        _run(script)
    except SystemExit:
        raise
    except BaseException:
        # The interpreter prints it, and exits with the status of the program.
        sys.excepthook = functools.partial(_print_exception, sys.excepthook)
        raise


def _finish(trace, options):
    """Ends a trace and prints it."""
    trace.__exit__(None, None, None)
    if options.table:
        print(trace, file=sys.stderr)
    print(report(trace, options.lines), file=sys.stderr)


def _run(script):
    """Runs a program as the interpreter does: as the module ``__main__``."""
    if os.path.isdir(script) or zipfile.is_zipfile(script):
        runpy.run_path(script, run_name="__main__")
        return
    with open(script, "rb") as file:
        code = compile(file.read(), script, "exec", dont_inherit=True)
    module = types.ModuleType("__main__")
    module.__file__ = script
    module.__loader__ = importlib.machinery.SourceFileLoader("__main__", script)
    module.__builtins__ = builtins
    sys.modules["__main__"] = module
    exec(code, module.__dict__)


def _print_exception(hook, kind, error, traceback):
    """Prints an exception without the frames of this module and of those that run it."""
    while traceback is not None and _is_runner(traceback.tb_frame):
        traceback = traceback.tb_next
    hook(kind, error.with_traceback(traceback), traceback)


def _is_runner(frame):
    return frame.f_globals is globals() or frame.f_globals.get("__name__") == "runpy"


if __name__ == "__main__":
    main()
else:
    sys.modules[__name__].__class__ = _Module
