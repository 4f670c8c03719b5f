"""A load that is killed with SIGKILL: each graph is the old one or the new one, whatever was being written."""

import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from pyoxigraph import Literal, NamedNode, Quad
from pyoxigraph import Store as Engine

from judgeloop.store import open_store
from judgeloop.store.staging import FILLING, LARGE

if TYPE_CHECKING:
    from tests.integration.conftest import Cli

G: Final = "http://example.org/g"
KILLS: Final = 3


def lines(number: int) -> str:
    return "".join(f'<urn:x:{n}> <urn:x:p> "{n}" .\n' for n in range(number))


def killed(folder: Path, store: str, name: str, seconds: float) -> None:
    """Load a file, and kill that ``seconds`` after it began to write; a store in a folder changes then."""
    command = [str(Path(sys.executable).parent / "judgeloop"), "store", "load", name, "--store", store, "--graph", G]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        before = time.monotonic()
        while not (folder / store / "LOG").exists() and process.poll() is None and time.monotonic() < before + 60:
            time.sleep(0.01)
        time.sleep(seconds)
        process.kill()


@pytest.mark.parametrize(("there", "n"), [(False, LARGE), (True, LARGE // 5)])
def test_a_killed_load_leaves_the_old_graph_or_the_new_one(cli: "Cli", there: bool, n: int) -> None:
    cli.write("old.nt", '<urn:x:0> <urn:x:p> "0" .\n<urn:x:old> <urn:x:p> <urn:x:o> .\n')
    cli.write("new.nt", lines(n))
    found = set()
    for turn in range(KILLS):
        url = f"kept-{turn}"
        if there:
            assert cli("store", "load", "old.nt", "--store", url, "--graph", G).code == 0
            (cli.folder / url / "LOG").unlink()  # the next one to open the folder makes another
        killed(cli.folder, url, "new.nt", 0.3 + turn * 0.6)
        with open_store(url) as store:
            found.add(store.count(G))
            assert store.graphs() in ([], [G])
    assert found <= {2 if there else 0, n}
    assert cli("store", "load", "new.nt", "--store", "kept-0", "--graph", G).code == 0
    with open_store("kept-0") as store:
        assert store.count(G) == n


def test_what_was_filled_in_part_is_taken_away_when_the_folder_is_opened(tmp_path: Path) -> None:
    url = str(tmp_path / "kept")
    name, other, p = NamedNode(G), NamedNode("urn:x:other"), NamedNode("urn:x:p")
    with open_store(url):
        pass
    engine = Engine(url)
    engine.extend([Quad(p, p, Literal(str(n)), graph) for n in range(10) for graph in (name, other)])
    engine.add(Quad(name, name, name, NamedNode(FILLING)))
    del engine
    with open_store(url) as store:
        assert store.graphs() == ["urn:x:other"]
        assert store.count("urn:x:other") == 10
    assert list(Engine(url).quads_for_pattern(None, None, None, NamedNode(FILLING))) == []


def test_a_query_of_a_folder_sees_nothing_of_what_was_filled_in_part(cli: "Cli") -> None:
    with open_store("kept"):
        pass
    engine = Engine("kept")
    engine.add(Quad(NamedNode("urn:x:s"), NamedNode("urn:x:p"), Literal("1"), NamedNode(G)))
    engine.add(Quad(NamedNode(G), NamedNode(G), NamedNode(G), NamedNode(FILLING)))
    del engine
    assert cli("query", "SELECT ?s ?p ?o { ?s ?p ?o }", "--store", "kept", "--format", "csv").out == "s,p,o\r\n"
