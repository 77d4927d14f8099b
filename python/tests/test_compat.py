"""The suites of `cargo xtask compat` are described completely: pinned, and with a reason for every exception."""

import importlib.util
import pathlib
import re
import tomllib

import pytest

FOLDER = pathlib.Path(__file__).parents[1] / "compat"
SUITES = tomllib.loads((FOLDER / "suites.toml").read_text())
BASELINE = tomllib.loads((FOLDER / "baseline.toml").read_text())


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_is_pinned_and_complete(name):
    suite = SUITES[name]
    assert ("tests" in suite) != ("program" in suite)
    for source in suite.get("sources", []):
        assert re.fullmatch("[0-9a-f]{40}", source["commit"])
    for plugin in suite.get("plugins", []):
        assert (FOLDER / "plugins" / f"{plugin}.py").exists() or plugin == "pytest_timeout"
    for test in suite.get("tests", []):
        assert not test.startswith("{compat}") or pathlib.Path(test.replace("{compat}", str(FOLDER))).exists()
    for exceptions in ("deselected", "expected"):
        assert all(len(reason) > 10 for reason in suite.get(exceptions, {}).values())


def test_every_suite_has_a_baseline():
    assert BASELINE.keys() == SUITES.keys()
    assert all(0 < it["passed"] <= it["run"] for it in BASELINE.values())


@pytest.mark.parametrize("name", [name for name, suite in SUITES.items() if "program" not in suite])
def test_tests_that_are_expected_to_fail_are_failures_of_the_baseline(name):
    assert BASELINE[name]["run"] - BASELINE[name]["passed"] == len(SUITES[name].get("expected", {}))


REPORT = """<testsuites><testsuite>
<testcase classname="a" name="passes"/>
<testcase classname="a" name="is_fixed"/>
<testcase classname="a" name="fails"><failure message="one&#10;two"/></testcase>
<testcase classname="a" name="breaks"><error message="three"/></testcase>
<testcase classname="a" name="is_expected"><failure message="four"/></testcase>
<testcase classname="a" name="is_skipped"><skipped type="pytest.skip" message="five"/></testcase>
<testcase classname="a" name="is_marked"><skipped type="pytest.xfail" message="six"/></testcase>
</testsuite></testsuites>"""


def test_outcomes_are_counted_and_compared_with_the_expected_ones(tmp_path):
    spec = importlib.util.spec_from_file_location("compat_run", FOLDER / "run.py")
    runner = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(runner)
    report = tmp_path / "report.xml"
    report.write_text(REPORT)
    expected = {"a::is_fixed": "old reason", "a::is_expected": "good reason", "a::is_not_run": "another reason"}
    result = runner.Result(report, expected)
    assert (result.passed, result.run, result.skipped) == (2, 5, 2)
    assert result.unexpected == ["a::fails", "a::breaks"]
    assert result.fixed == ["a::is_fixed"]
    assert result.failures[0] == "a::fails\n    one two"
    assert result.failures[2] == "a::is_expected\n    expected: good reason\n    four"
    counted = runner.Result(report, expected, counts_expected=True)
    assert (counted.passed, counted.run, counted.skipped) == (2, 6, 1)
    assert counted.unexpected == result.unexpected


def test_requirements_are_pinned():
    lines = (FOLDER / "requirements.txt").read_text().splitlines()
    names = [re.fullmatch(r"([\w.-]+)(\[\w+\])?==[\w.]+", line) for line in lines if not line.startswith("#")]
    assert names and all(names)
