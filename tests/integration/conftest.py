"""The command line as tests call it, and one case that is right in every detail."""

import contextlib
import copy
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from judgeloop.cli import run

BIN: Final = Path(sys.executable).parent
GOOD: Final[dict[str, Any]] = {
    "case_id": "acme-city",
    "contract": "multihop@1.0.0",
    "input": {"text": "Which city is Acme located in?", "asked_at": "2026-03-02T09:00:00Z"},
    "decision": {
        "query_id": "acme-city",
        "decision": "answer",
        "answer": "pl_seoul",
        "path": [{"src": "c_acme", "rel": "locatedIn", "dst": "pl_seoul", "chunk_id": "ch_12"}],
        "factors": [],
        "reason": "The chunk ch_12 says that Acme is located in Seoul.",
        "evidence": "locatedIn:ch_12",
        "hedge": None,
    },
}
"""What worlds/multihop/world.ttl says of Acme: edge locatedIn to Seoul, supported by chunk ch_12."""


@dataclass(frozen=True)
class Ran:
    """What one command did."""

    code: int
    out: str
    err: str


class Cli:
    """Runs commands in one folder: in this process, or as the installed command."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.monkeypatch, self.capsys = folder, monkeypatch, capsys

    def __call__(self, *words: str | Path, stdin: bytes = b"") -> Ran:
        self.capsys.readouterr()
        self.monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(stdin)))
        code = run([str(word) for word in words])
        printed = self.capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    def process(self, *words: str | Path, stdin: bytes = b"", **environment: str) -> Ran:
        """Run the installed command, as a shell does."""
        done = subprocess.run(
            [BIN / "judgeloop", *words],
            cwd=self.folder,
            env=os.environ | environment,
            input=stdin,
            capture_output=True,
            check=False,
            timeout=60,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def write(self, name: str, content: object) -> Path:
        """Write a file: bytes and text as they are, anything else as JSON."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    def good(self, decision: Mapping[str, object] | None = None, **envelope: object) -> dict[str, Any]:
        """Return the right case with other members of its decision and its envelope; None takes one of these away."""
        return good(decision, **envelope)

    def judged(self, *words: str | Path) -> list[dict[str, Any]]:
        """Return the records of a ``judge``, without what differs from run to run."""
        done = self("judge", *words, "--format", "json", "--no-envelope", "--quiet")
        found: Sequence[dict[str, Any]] = json.loads(done.out)["verdicts"]
        return list(found)


def good(decision: Mapping[str, object] | None = None, **envelope: object) -> dict[str, Any]:
    case = copy.deepcopy(GOOD)
    case["decision"] |= decision or {}
    return {name: value for name, value in {**case, **envelope}.items() if value is not None}


@pytest.fixture(scope="session")
def judged_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store: a case that passes, one that fails and one that waits for a person."""
    folder = tmp_path_factory.mktemp("judged")
    cases = [good(), good({"answer": "pl_busan"}, case_id="틀린 도시"), good(risk="high", case_id="risky")]
    (folder / "cases.jsonl").write_text("\n".join(map(json.dumps, cases)))
    with contextlib.redirect_stdout(io.StringIO()):
        run(["judge", str(folder / "cases.jsonl"), "--store", str(folder / "kept")])
    return folder


@pytest.fixture
def kept(cli: "Cli", judged_once: Path) -> str:
    """Return a copy of that store, and its cases beside it."""
    shutil.copytree(judged_once, cli.folder, dirs_exist_ok=True)
    return "kept"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    monkeypatch.chdir(tmp_path)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return Cli(tmp_path, monkeypatch, capsys)
