"""What the fuzzers in this folder share: the command line, the loop over cases, and the report.

A case is drawn from a generator of random numbers that depends on the seed and the number of the case only, so that
``--seed S --case N`` repeats one. The last line of the output is read by ``cargo xtask soak``.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import sys
import time
from collections.abc import Callable

#: A case that takes longer is a failure: no input of a few kilobytes may cause that much work.
MAX_SECONDS = 20.0


class Counts:
    """How many cases ran, how many operations they executed, and how many of these were invalid on purpose."""

    def __init__(self) -> None:
        self.cases = 0
        self.executions = 0
        self.faults = 0


def run(description: str, case: Callable[[random.Random, Counts], None]) -> None:
    """Runs cases for some time, or one of them; exits with 1 after the first that fails."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--case", type=int, help="run this case only")
    arguments = parser.parse_args()
    faulthandler.enable()
    counts = Counts()
    deadline = time.monotonic() + arguments.seconds
    numbers = iter([arguments.case]) if arguments.case is not None else iter(range(sys.maxsize))
    failures = 0
    for number in numbers:
        if time.monotonic() > deadline:
            break
        # Before the case, so that a crash of the interpreter says which one it was.
        print(f"case {number}", end="\r", file=sys.stderr, flush=True)
        faulthandler.dump_traceback_later(MAX_SECONDS, exit=True)
        try:
            case(random.Random(f"{arguments.seed} {number}"), counts)
        except BaseException as error:
            print(
                f"\nfailed: --seed {arguments.seed} --case {number}: {type(error).__name__}: {error}", file=sys.stderr
            )
            if arguments.case is not None or isinstance(error, KeyboardInterrupt):
                raise
            failures = 1
            break
        finally:
            faulthandler.cancel_dump_traceback_later()
        counts.cases += 1
    print(f"\ncases={counts.cases} executions={counts.executions} faults={counts.faults} failures={failures}")
    sys.exit(failures)
