"""Runs the test suites of other projects on the arrays of this package, and compares the counts with a baseline.

``cargo xtask compat`` calls this program in an environment of its own. ``suites.toml`` names the suites: where their
tests come from (a pinned package or commit), which modules run, which tests are deselected and which are expected to
fail, each with the reason.
``baseline.toml`` has the counts of the last recorded run; ``--record`` writes it.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import sysconfig
import time
import tomllib
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).parent
SUITES = HERE / "suites.toml"
BASELINE = HERE / "baseline.toml"

#: The variable with the folder of the clones, if there is no access to GitHub.
MIRROR = "BELVEDERE_MIRROR"

#: A suite that takes longer is stopped; what ran until then is not counted.
SUITE_SECONDS = 3 * 3600

BASELINE_HEADER = """\
# The counts of the last recorded run; `cargo xtask compat --record` writes this file.
"""


class Result:
    """The outcome of a suite: how many tests passed, ran and were skipped, and the messages of the failures.

    ``expected`` has the names of the tests that fail, with the reasons: others that fail are ``unexpected``, those of
    them that pass are ``fixed``.
    """

    def __init__(self, report: pathlib.Path, expected: dict[str, str], counts_expected: bool = False):
        self.passed = self.skipped = 0
        self.failures: list[str] = []
        self.unexpected: list[str] = []
        self.fixed: list[str] = []
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
            name = f"{case.get('classname')}::{case.get('name')}"
            found = {child.tag: child for child in case}
            if "failure" in found or "error" in found:
                message = (found.get("failure", found.get("error"))).get("message", "")
                self.add_failure(name, message, expected.get(name))
            elif "skipped" in found and counts_expected and found["skipped"].get("type") == "pytest.xfail":
                self.add_failure(name, "", found["skipped"].get("message", ""))
            elif "skipped" in found:
                self.skipped += 1
            else:
                self.passed += 1
                if name in expected:
                    self.fixed.append(name)

    def add_failure(self, name: str, message: str, reason: str | None) -> None:
        """Adds a failure; without a reason it is not expected."""
        if reason is None:
            self.unexpected.append(name)
        lines = [] if reason is None else [f"expected: {first_lines(reason)}"]
        lines += [first_lines(message)] if message else []
        self.failures.append("".join([name, *(f"\n    {line}" for line in lines)]))

    @property
    def run(self) -> int:
        return self.passed + len(self.failures)


def first_lines(text: str) -> str:
    """Returns the start of a message on one line."""
    return " ".join(text.split())[:300]


def check_out(source: dict, folder: pathlib.Path, mirror: pathlib.Path | None) -> None:
    """Checks out a repository at its pinned commit, unless the folder is at that commit already."""
    place = folder / source.get("path", ".")
    commit = source["commit"]
    current = subprocess.run(["git", "-C", place, "rev-parse", "HEAD"], capture_output=True, text=True)
    if (place / ".git").exists() and current.stdout.strip() == commit:
        return
    if not (place / ".git").exists():
        place.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "--quiet", "--no-checkout", origin(source, mirror), place], check=True)
    subprocess.run(["git", "-C", place, "checkout", "--quiet", "--force", commit], check=True)


def origin(source: dict, mirror: pathlib.Path | None) -> str:
    """Returns the address of a repository: its clone in the folder of the clones, or GitHub."""
    repository = source["repository"]
    owner, _, name = repository.partition("/")
    if mirror is not None:
        for place in (f"{owner}/{name}", f"{owner}+{name}", name):
            for end in ("", "/repo", ".git", "/.git"):
                if (mirror / f"{place}{end}" / "HEAD").exists() or (mirror / f"{place}{end}" / ".git").exists():
                    return str(mirror / f"{place}{end}")
        print(f"{repository} is not in {mirror}; cloning it from GitHub", file=sys.stderr)
    return f"https://github.com/{repository}"


def command(suite: dict, report: pathlib.Path) -> list[str]:
    """Returns the command line of a suite: its own program, or pytest."""
    if "program" in suite:
        return [sys.executable, str(HERE.parent / suite["program"]), f"--junitxml={report}"]
    words = [sys.executable, "-m", "pytest", "--quiet", "--tb=short", "-p", "no:cacheprovider", "--timeout=300"]
    words += [
        f"--junitxml={report}",
        "--continue-on-collection-errors",
        "-W",
        "ignore::pytest.PytestUnknownMarkWarning",
    ]
    if not suite.get("has_settings", False):
        # Names of tests are relative to the packages, or to this folder.
        is_ours = any("{compat}" in test for test in suite["tests"])
        root = HERE if is_ours else sysconfig.get_path("purelib")
        words += ["-c", str(HERE / "pytest.ini"), f"--rootdir={root}"]
    for plugin in suite.get("plugins", []):
        words += ["-p", plugin]
    for test in suite.get("deselected", {}):
        words += [f"--deselect={test}"]
    tests = [test.replace("{compat}", str(HERE)) for test in suite["tests"]]
    return words + suite.get("options", []) + tests


def variables(suite: dict, folder: pathlib.Path) -> dict[str, str]:
    """Returns the environment of a suite: the package and the plugins are importable, and its variables are set."""
    own_paths = (folder / path.replace("{compat}", str(HERE)) for path in suite.get("paths", []))
    paths = [HERE / "plugins", *own_paths]
    inherited = os.environ.get("PYTHONPATH")
    joined = os.pathsep.join([*map(str, paths), *([inherited] if inherited else [])])
    own = {"PYTHONPATH": joined, "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
    return os.environ | own | suite.get("variables", {})


def run(name: str, suite: dict, work: pathlib.Path, mirror: pathlib.Path | None) -> Result | None:
    """Runs a suite; ``None`` if it could not be run."""
    folder = work / suite.get("folder", name)
    folder.mkdir(parents=True, exist_ok=True)
    report, log = work / f"{name}.xml", work / f"{name}.log"
    report.unlink(missing_ok=True)
    for source in suite.get("sources", []):
        check_out(source, folder, mirror)
    with log.open("w") as output:
        try:
            subprocess.run(
                command(suite, report),
                cwd=folder,
                env=variables(suite, folder),
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=SUITE_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return None
    if not report.exists():
        print(f"{name} did not finish; its output is in {log}", file=sys.stderr)
        return None
    result = Result(report, suite.get("expected", {}), suite.get("counts_expected", False))
    (work / f"{name}.failures.txt").write_text("\n".join(result.failures) + "\n" * bool(result.failures))
    return result


def print_row(name: str, result: Result | None, recorded: dict | None, seconds: float) -> None:
    """Prints the counts of a suite beside the recorded ones, and the tests whose outcome is not the expected one."""
    counts = "did not run" if result is None else f"{result.passed}/{result.run}"
    baseline = "none" if recorded is None else f"{recorded['passed']}/{recorded['run']}"
    skipped = 0 if result is None else result.skipped
    print(f"{name:24} {counts:>14} {baseline:>14} {skipped:>8} {seconds:>8.0f}", flush=True)
    if result is not None:
        for test in result.unexpected:
            print(f"  fails, and is not expected to: {test}", flush=True)
        for test in result.fixed:
            print(f"  passes, and is expected to fail: {test}", flush=True)


def record(found: dict[str, Result], baseline: dict) -> None:
    """Writes the counts, keeping those of suites that did not run."""
    for name, result in found.items():
        baseline[name] = {"passed": result.passed, "run": result.run, "skipped": result.skipped}
    rows = [
        f"{name} = {{ passed = {row['passed']}, run = {row['run']}, skipped = {row['skipped']} }}\n"
        for name, row in sorted(baseline.items())
    ]
    BASELINE.write_text(BASELINE_HEADER + "".join(rows))


def main() -> int:
    suites = tomllib.loads(SUITES.read_text())
    baseline = tomllib.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    parser = argparse.ArgumentParser(prog="cargo xtask compat", description=__doc__.split("\n")[0])
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"one of: {', '.join(suites)}; all by default")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="the folder of checkouts and logs")
    parser.add_argument("--mirror", type=pathlib.Path, default=os.environ.get(MIRROR), help="a folder with clones")
    parser.add_argument("--record", action="store_true", help="write the counts into baseline.toml")
    parser.add_argument("--check", action="store_true", help="check the arguments only")
    given = parser.parse_args()
    unknown = [name for name in given.suites if name not in suites]
    if unknown:
        parser.error(f"there is no suite `{unknown[0]}`; there are {', '.join(suites)}")
    if given.check:
        return 0
    mirror = pathlib.Path(given.mirror).resolve() if given.mirror else None
    print(f"{'suite':24} {'passed/run':>14} {'baseline':>14} {'skipped':>8} {'seconds':>8}", flush=True)
    found, is_worse = {}, False
    for name in given.suites or suites:
        begin = time.monotonic()
        result = run(name, suites[name], given.work.resolve(), mirror)
        recorded = baseline.get(name)
        print_row(name, result, recorded, time.monotonic() - begin)
        is_worse |= result is None or (recorded is not None and result.passed < recorded["passed"])
        is_worse |= result is not None and bool(result.unexpected or result.fixed)
        if result is not None:
            found[name] = result
    print(f"\nThe failures of each suite are in {given.work}/*.failures.txt, the whole output in *.log.")
    if given.record:
        record(found, dict(baseline))
        return 0
    return int(is_worse)


if __name__ == "__main__":
    sys.exit(main())
