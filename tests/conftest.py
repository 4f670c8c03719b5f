"""What the suite needs from outside of Python, and one closing line about what it did without.

A test that needs something is marked ``@pytest.mark.needs("name")``. Where that is absent the test is skipped and named
in the closing line with the command that brings it; ``REQUIRE=name,name`` makes the absence an error.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest


@dataclass(frozen=True)
class Need:
    """Something from outside: whether it is here, and how it is brought."""

    present: Callable[[], bool]
    bring: str


def data_folder() -> Path:
    """Return where published data sets lie: ``JUDGELOOP_DATA``, else ``shared/data`` beside the repository."""
    named = os.environ.get("JUDGELOOP_DATA", "")
    return Path(named) if named else Path(__file__).parents[2] / "shared" / "data"


NEEDS: Final[Mapping[str, Need]] = {
    "data": Need(
        (data_folder() / "kgqa-nordic44").is_dir,
        "set JUDGELOOP_DATA to a folder with kgqa-nordic44 in it (demo1/* of github.com/statnett/Talk2PowerSystem)",
    ),
}
"""By name, as tests and REQUIRE say it."""

_left_out: Final = pytest.StashKey[Counter[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_left_out] = Counter()
    for name in filter(None, (part.strip() for part in os.environ.get("REQUIRE", "").split(","))):
        if name not in NEEDS:
            message = f"REQUIRE={name}: no test needs it; known: {', '.join(sorted(NEEDS)) or 'nothing yet'}"
            raise pytest.UsageError(message)
        if not NEEDS[name].present():
            message = f"REQUIRE={name}: absent; {NEEDS[name].bring}"
            raise pytest.UsageError(message)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        (name,) = mark.args
        if not NEEDS[name].present():
            pytest.skip(f"{name} is absent: {NEEDS[name].bring}")


@pytest.fixture(scope="session")
def data() -> Path:
    return data_folder()


@pytest.hookimpl(wrapper=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> Iterator[None]:
    for report in terminalreporter.stats.get("skipped", ()):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        config.stash[_left_out][reason.removeprefix("Skipped: ")] += 1
    return (yield)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Print the closing line; under pytest-xdist only once, in the process that the user sees."""
    if hasattr(config, "workerinput") or config.option.collectonly or _left_out not in config.stash:
        return
    left_out = config.stash[_left_out]
    parts = [f"{reason} ({count} test{'s' * (count > 1)})" for reason, count in sorted(left_out.items())]
    print("Not run: " + "; ".join(parts) if parts else "Nothing was left out.")  # noqa: T201 - the last line of make test
