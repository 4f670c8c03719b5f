"""The floors and the size of the rooms."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST = 250
LONGER = {
    "model.py": "one value per thing that travels; split by floor when it passes 300 lines",
}
"""Files that may be longer, with the reason."""


def test_imports_go_down_only() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-logo", "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def lengths() -> dict[str, int]:
    package = ROOT / "src" / "judgeloop"
    return {
        path.relative_to(package).as_posix(): len(path.read_text().splitlines())
        for path in sorted(package.rglob("*.py"))
        if path.parent.name != "messages"  # tables of sentences
    }


def test_no_room_grows_too_large() -> None:
    assert {name: n for name, n in lengths().items() if n > LONGEST and name not in LONGER} == {}


@pytest.mark.parametrize("name", sorted(LONGER))
def test_an_exception_that_is_no_longer_needed_goes(name: str) -> None:
    assert lengths()[name] > LONGEST


def test_no_name_says_nothing() -> None:
    empty = {"base", "common", "helper", "helpers", "manager", "misc", "util", "utils"}
    assert [name for name in lengths() if empty & set(name.removesuffix(".py").split("/"))] == []


def test_the_command_line_starts_without_the_heavy_libraries() -> None:
    heavy = ("pydantic", "rdflib", "pyoxigraph", "pyshacl", "owlrl", "jsonschema", "SPARQLWrapper")
    code = f"import sys, judgeloop.cli; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
