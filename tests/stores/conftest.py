"""One line per kind of store: every test of `test_store.py` runs on each."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from judgeloop.store import Store, open_store

KINDS: dict[str, Callable[[Path, pytest.FixtureRequest], Store]] = {
    "memory": lambda _, __: open_store("memory:"),
    "folder": lambda path, _: open_store(str(path / "store")),
    "http": lambda _, request: open_store(request.getfixturevalue("empty_server")),
    "fuseki": lambda _, request: open_store(request.getfixturevalue("empty_fuseki").write),
}


EVERY = [pytest.param(kind, marks=pytest.mark.needs(kind) if kind == "fuseki" else ()) for kind in KINDS]


@pytest.fixture(params=EVERY)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with KINDS[request.param](tmp_path, request) as opened:
        yield opened
