"""The suite says what it did without, and REQUIRE turns an absence into a failure."""

import re
from pathlib import Path

import pytest

CONFTEST = (Path(__file__).parents[1] / "conftest.py").read_text()
OWN = re.compile(r"NEEDS: Final\[.*?\n}\n", re.DOTALL)
"""What this suite itself needs, up to the closing brace."""
KNOWN = '{"moon": Need(lambda: False, "run: make moon"), "sun": Need(lambda: True, "wait")}'
TESTS = """
import pytest

@pytest.mark.needs("moon")
def test_night(): ...

@pytest.mark.needs("moon")
@pytest.mark.needs("sun")
def test_eclipse(): ...

@pytest.mark.needs("sun")
def test_day(): ...
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.delenv("REQUIRE", raising=False)  # what the suite around this one may not lack
    conftest = OWN.sub(f"NEEDS: Final = {KNOWN}\n", CONFTEST)
    assert KNOWN in conftest
    pytester.makeconftest(conftest)
    pytester.makeini("[pytest]\nmarkers = needs(name): as in the house")
    pytester.makepyfile(TESTS)
    return pytester


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_what_was_not_run_is_the_last_line(suite: pytest.Pytester, workers: tuple[str, ...]) -> None:
    done = suite.runpytest_subprocess(*workers)
    done.assert_outcomes(passed=1, skipped=2)
    assert done.outlines[-1] == "Not run: moon is absent: run: make moon (2 tests)"


def test_nothing_left_out_is_said_too(suite: pytest.Pytester) -> None:
    assert suite.runpytest_subprocess("-k", "day").outlines[-1] == "Nothing was left out."


@pytest.mark.parametrize(
    ("required", "said"),
    [
        ("sun,moon", "REQUIRE=moon: absent; run: make moon"),
        ("mars", "REQUIRE=mars: no test needs it; known: moon, sun"),
    ],
)
def test_a_required_absence_is_a_failure(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, required: str, said: str
) -> None:
    monkeypatch.setenv("REQUIRE", required)
    done = suite.runpytest_subprocess()
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines([f"*{said}"])


def test_a_requirement_that_is_met_changes_nothing(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUIRE", "sun")
    suite.runpytest_subprocess().assert_outcomes(passed=1, skipped=2)
