"""The text index of a Fuseki is made again offline, from the labels in its database."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from pyoxigraph import Literal, NamedNode, Triple

from judgeloop.store import http
from judgeloop.vocab import RDFS_LABEL, XSD

if TYPE_CHECKING:
    from tests.conftest import Fuseki

LAUNCHER: Final = Path(__file__).parents[2] / "docker" / "fuseki"
E: Final = "http://example.org/"
G: Final = E + "g"


def rebuild(*options: str | Path) -> tuple[int, str]:
    command = [LAUNCHER, "--rebuild-index", *options]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.needs("fuseki")
def test_an_index_is_made_again_where_no_server_runs(
    run_fuseki: "Callable[[Path], AbstractContextManager[Fuseki]]", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One label is lost to the index as a label with a type is taken out; see test_native_text.py."""
    labels = [Triple(NamedNode(E + name), NamedNode(RDFS_LABEL), Literal(f"{name} 9호기")) for name in "abc"]
    twin = f"DATA {{ GRAPH <{G}> {{ <{E}a> <{RDFS_LABEL}> 'a 9호기'^^<{XSD}token> }} }}"
    data = tmp_path / "data"
    with run_fuseki(tmp_path) as server:
        server.be_writer(monkeypatch)
        with http.at(server.write) as store:
            store.put_once({G: labels})
            server.update(f"INSERT {twin}")
            server.update(f"DELETE {twin}")
            code, said = rebuild("--data", data)
            assert (code, "the old one is as it was; does a server run in" in said) == (1, True)
            assert store.index_differences() == (1, 0)
    code, said = rebuild("--data", data)
    assert (code, re.sub(r"\(.*\)", "()", said)) == (0, "docker/fuseki: 3 () properties indexed\n")
    assert sorted(path.name for path in (data / "db").iterdir()) == ["judge", "judge-lucene"]
    with run_fuseki(tmp_path) as server, http.at(server.write) as store:
        assert store.index_differences() == (0, 0)
        assert set(store.graph(G)) == set(labels)


@pytest.mark.needs("fuseki")
@pytest.mark.parametrize("left", ["pending", "none"])
def test_a_start_after_a_stop_between_database_and_index_makes_the_index_again(
    run_fuseki: "Callable[[Path], AbstractContextManager[Fuseki]]",
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    left: str,
) -> None:
    """Of 28 kills under load, 5 left such a file of Lucene's, and after no other one did the index lack a label."""
    labels = [Triple(NamedNode(E + name), NamedNode(RDFS_LABEL), Literal(f"{name} 9호기")) for name in "abc"]
    lucene = tmp_path / "data" / "db" / "judge-lucene"
    with run_fuseki(tmp_path) as server:
        server.be_writer(monkeypatch)
        before = {path.name: path.read_bytes() for path in lucene.iterdir()}
        with http.at(server.write) as store:
            store.put_once({G: labels})
    shutil.rmtree(lucene)
    if left == "pending":
        lucene.mkdir()
        for name, content in {**before, "pending_segments_2": b"half"}.items():
            (lucene / name).write_bytes(content)
    with run_fuseki(tmp_path) as server, http.at(server.write) as store:
        assert store.index_differences() == (0, 0)
        assert set(store.graph(G)) == set(labels)
    assert "the text index is behind the database" in (tmp_path / "log").read_text("utf-8")
    assert sorted(path.name for path in (tmp_path / "data" / "db").iterdir()) == ["judge", "judge-lucene"]
    assert not (tmp_path / "data" / "rebuild.ttl").exists()


@pytest.mark.needs("fuseki")
def test_a_folder_without_a_database_gets_no_index(tmp_path: Path) -> None:
    assert rebuild("--data", tmp_path) == (
        2,
        f"docker/fuseki: no database in {tmp_path}; name its folder with --data\n",
    )
    assert list(tmp_path.iterdir()) == []
