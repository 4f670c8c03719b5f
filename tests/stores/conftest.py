"""One line per kind of store: every test of `test_store.py` runs on each."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from judgeloop.store import Store, open_store

KINDS: dict[str, Callable[[Path], Store]] = {
    "memory": lambda _: open_store("memory:"),
    "folder": lambda path: open_store(str(path / "store")),
}


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with KINDS[request.param](tmp_path) as opened:
        yield opened
