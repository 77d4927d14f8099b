"""Ctrl-C ends a long operation with ``KeyboardInterrupt``; the arrays stay usable."""

import os
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT to a child")

#: A child that prepares operands, says that it is ready, and runs an operation of at least several seconds.
CHILD = """
import os, signal, threading, time
import belvedere as bv

signal.signal(signal.SIGINT, signal.default_int_handler)
{prepare}
x = bv.ones({n} + {repeats} - 1)
out = bv.zeros({n})
# Windows that overlap: the operation reads the elements again and again.
long = x.unfold(0, {n}, 1)

def interrupt():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)

sender = threading.Thread(target=interrupt)
sender.start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted")
else:
    print("completed")
sender.join()
{after}
x += 1
assert float(bv.sum(x)) == 2 * x.size, "the operand is borrowed no longer"
out[...] = 3
assert float(bv.sum(out)) == 3 * {n}
"""


def run(call, prepare="", after="", n=1 << 20, repeats=1 << 15):
    """Runs a child with an operation on 2³⁵ elements, and returns what it prints."""
    source = textwrap.dedent(CHILD).format(call=call, prepare=prepare, after=after, n=n, repeats=repeats)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=300, env=environment, check=False
    )
    assert child.returncode == 0, child.stderr
    return child.stdout.split()


@pytest.mark.parametrize("call", ["bv.sum(long)", "bv.max(long, axis=1)", "bv.std(long, axis=0)"])
def test_a_long_operation_is_interrupted(call):
    assert run(call) == ["interrupted"]


def test_an_operation_on_one_thread_is_interrupted():
    assert run("bv.sum(long)", prepare="bv.set_num_threads(1)") == ["interrupted"]


def test_an_existing_output_stays_valid():
    call = "bv.std(long, axis=0, out=out)"
    assert run(call) == ["interrupted"]


def test_another_handler_runs_after_the_operation():
    prepare = "seen = []\nsignal.signal(signal.SIGINT, lambda *_: seen.append(1))"
    # A second of work, which is not interrupted.
    after = "assert seen == [1]"
    assert run("bv.sum(long)", prepare=prepare, after=after, repeats=1 << 11) == ["completed"]


def test_a_deferred_signal_is_marked_once():
    prepare = """
import socket
reader, writer = socket.socketpair()
reader.setblocking(False), writer.setblocking(False)
seen = []
signal.signal(signal.SIGINT, lambda *_: seen.append(1))
signal.set_wakeup_fd(writer.fileno())
"""
    # One byte when it arrives, and one when the operation has ended, if it arrived before.
    after = "signal.set_wakeup_fd(-1)\nassert seen == [1] and len(reader.recv(100)) <= 2"
    assert run("bv.sum(long)", prepare=prepare, after=after, repeats=1 << 14) == ["completed"]
