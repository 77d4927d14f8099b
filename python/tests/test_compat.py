"""The suites of `cargo xtask compat` are described completely: pinned, and with a reason for every exception."""

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
    assert all(len(reason) > 10 for reason in suite.get("deselected", {}).values())


def test_every_suite_has_a_baseline():
    assert BASELINE.keys() == SUITES.keys()
    assert all(0 < it["passed"] <= it["run"] for it in BASELINE.values())


def test_requirements_are_pinned():
    lines = (FOLDER / "requirements.txt").read_text().splitlines()
    names = [re.fullmatch(r"([\w.-]+)(\[\w+\])?==[\w.]+", line) for line in lines if not line.startswith("#")]
    assert names and all(names)
