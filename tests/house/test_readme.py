"""Every block of the README is run: commands against their output, Python as a program, data through its parser."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from tests.conftest import Fuseki

ROOT = Path(__file__).resolve().parents[2]
SERVER = "http://localhost:7878"
FUSEKI = "http://localhost:3030"
"""Stand for the addresses of the servers that these tests start."""
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    kind: str
    text: str


def blocks() -> list[Block]:
    return [Block(m[1], m[2]) for m in FENCE.finditer((ROOT / "README.md").read_text(encoding="utf-8"))]


def steps(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block with what it must print (``…`` stands for anything)."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def matches(pattern: str, printed: str) -> bool:
    """Say whether ``printed`` is ``pattern``; ``…`` is any text, and trailing spaces don't count."""
    lines = "\n".join(line.rstrip() for line in printed.strip().splitlines())
    wanted = "\n".join(line.rstrip() for line in pattern.strip().splitlines())
    return re.fullmatch(".*?".join(re.escape(part) for part in wanted.split("…")), lines, re.DOTALL) is not None


def test_every_kind_of_block_is_known() -> None:
    assert {block.kind for block in blocks()} == {"", "console", "json", "python", "sh"}
    assert sum(block.kind == "console" for block in blocks()) >= 6


def test_the_console_and_python_blocks_run_as_printed(tmp_path: Path, empty_server: str) -> None:
    run([block for block in blocks() if FUSEKI not in block.text], tmp_path, {SERVER: empty_server})


@pytest.mark.needs("fuseki")
def test_the_blocks_about_a_fuseki_run_on_one(tmp_path: Path, empty_fuseki: "Fuseki") -> None:
    about = [block for block in blocks() if FUSEKI in block.text]
    assert about
    run(about, tmp_path, {FUSEKI: empty_fuseki.url})


def run(shown: Sequence[Block], tmp_path: Path, addresses: Mapping[str, str]) -> None:
    bin_folder = Path(sys.executable).parent
    env = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    for kind, written in shown:
        text = written
        for address, real in addresses.items():
            text = text.replace(address, real)
        block = Block(kind, text)
        if block.kind == "json":
            (tmp_path / "world.json").write_text(json.dumps(json.loads(block.text)), encoding="utf-8")
        elif block.kind == "python":
            command = [sys.executable, "-c", block.text]
            ran = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
            assert ran.returncode == 0, ran.stderr
            assert ran.stdout.startswith("PASS")
        elif block.kind == "console":
            for line, wanted in steps(block.text):
                ran = subprocess.run(  # noqa: S602 - the README's own lines, pipes and all
                    line, shell=True, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
                )
                code = f"[exit {ran.returncode}]\n" if ran.returncode else ""
                printed = ran.stdout + ran.stderr + code
                assert matches(wanted, printed), f"$ {line}\n--- wanted\n{wanted}\n--- printed\n{printed}"


@pytest.mark.parametrize("line", [line for b in blocks() if b.kind == "sh" for line in b.text.splitlines()])
def test_every_make_command_exists(line: str) -> None:
    program, *targets = line.split()
    assert program == "make"
    ran = subprocess.run(["make", "-n", *targets], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607
    assert ran.returncode == 0, ran.stderr


def test_matching_is_strict_but_for_the_dots() -> None:
    assert matches("a … c\n", "a b\nb c  \n")
    assert not matches("a … c\n", "a b\n")
    assert not matches("a\n", "a\nb\n")
