"""The project speaks only of itself: no machine, no address of a package registry, no author's tools."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Written in pieces, so that this file doesn't hold what it looks for.
FOREIGN = {
    "registry": "py" + "pi" + r"\.org|python" + r"hosted\.org",
    "machine": r"(?<![\w.])/" + "work/|/opt/" + "wheels|/tmp/" + "design",
    "tools": "(?i:sub" + r"agent)|\bCl" + r"aude\b",
}


def files() -> list[Path]:
    """Return every file that is, or would be, committed."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return [path for name in done.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this copy is no git checkout: clone the repository")
@pytest.mark.parametrize("kind", sorted(FOREIGN))
def test_no_file_speaks_of_where_it_was_written(kind: str) -> None:
    pattern = re.compile(FOREIGN[kind])
    found = {
        f"{path.relative_to(ROOT)}:{number}": line.strip()[:80]
        for path in files()
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), start=1)
        if pattern.search(line)
    }
    assert found == {}


@pytest.mark.parametrize(
    ("kind", "text", "foreign"),
    [
        ("machine", "see /" + "work/main", True),
        ("machine", "https://example.org/" + "work/1", False),
        ("machine", "frame" + "work/x", False),
        ("registry", "https://py" + "pi.org/simple", True),
        ("tools", "Sub" + "agents", True),
        ("tools", "judgeloop", False),
    ],
)
def test_the_patterns_find_what_they_look_for(kind: str, text: str, foreign: bool) -> None:
    assert bool(re.search(FOREIGN[kind], text)) is foreign
