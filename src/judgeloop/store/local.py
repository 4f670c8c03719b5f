"""Queries about the data of this machine: a process holds it, and is brought up to date before it is asked."""

import os
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Protocol, Self

from judgeloop.errors import StoreError, StoreUnavailable
from judgeloop.rdf.replies import read_rows, read_triples
from judgeloop.rdf.rq import BoundQuery, QueryKind
from judgeloop.rdf.terms import Triple
from judgeloop.store import MEMORY, Rows, folder, frames
from judgeloop.store.limits import Limits, over
from judgeloop.store.process import Died, Late, Process
from judgeloop.store.searching import of_kind

if TYPE_CHECKING:
    from judgeloop.store.embedded import EmbeddedStore

VIEWS: Final = "judgeloop.views"
"""The folder, in that of a store, where its views stand."""
LOADING_SECONDS: Final = 600.0
"""Time for what the owner of the data asks for itself: that it is read."""
_ENVELOPE: Final = 2**16
"""Bytes of a reply beside its answer."""
_HANDED_ON: Final = ("FROM", "GRAPH")
"""The words of a query that decide about what it is run over."""
_numbers: Final = count()


class Source(Protocol):
    """Where a process has its data from."""

    place: str
    """What messages call it."""

    graphs: list[str]
    """The names of the graphs that were there when the process was filled."""

    def prepared(self, query: BoundQuery, wanted: QueryKind, graphs: Sequence[str] | None) -> BoundQuery:
        """Return a query of the kind that is wanted, as it goes to the process."""

    def fill(self, process: Process) -> None:
        """Bring what the process holds up to date."""

    def close(self) -> None:
        """Let go of what was made for the process."""


class Local:
    """Asks a process that holds what ``source`` gives it."""

    def __init__(self, source: Source, limits: Limits, process: Process | None = None) -> None:
        """Use ``process``, or start one."""
        self._source, self._limits = source, limits
        self._turn = threading.Lock()
        self._process = process or Process()
        self._closed = False

    def select(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> Rows:
        """Return all rows."""
        return Rows(*read_rows(self._answer(query, "select", default_graphs)[1], self._source.place))

    def ask(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> bool:
        """Return the truth."""
        return bool(self._answer(query, "ask", default_graphs)[0]["truth"])

    def construct(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> list[Triple]:
        """Return all triples."""
        return read_triples(self._answer(query, "construct", default_graphs)[1], self._source.place)

    def graphs(self) -> list[str]:
        """Return the names of the graphs that the process holds, sorted."""
        with self._turn:
            self._fill()
            return self._source.graphs

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._closed = True
        self._process.kill()
        self._source.close()

    def __enter__(self) -> Self:
        """Return what asks."""
        return self

    def __exit__(self, *failure: object) -> None:
        """End the process."""
        self.close()

    def _answer(self, query: BoundQuery, wanted: QueryKind, graphs: Sequence[str] | None) -> tuple[Any, bytes]:
        query, limits = self._source.prepared(query, wanted, graphs), self._limits
        request = {
            "do": "query",
            "name": query.query.name,
            "kind": wanted,
            "text": query.text,
            "words": [word for word in _HANDED_ON if word in query.query.words],
            "graphs": None if graphs is None else list(graphs),
            "rows": limits.rows,
            "bytes": limits.bytes,
            "memory": limits.memory,
        }
        with self._turn:
            self._fill()
            largest = None if limits.bytes is None else limits.bytes + _ENVELOPE
            try:
                head, answer = self._process.exchange(request, limits.seconds, largest=largest)
            except Late:
                raise over("seconds", query, limits) from None
            except Died as end:
                if end.of_memory:
                    raise over("memory", query, limits) from None
                raise self._died(end) from None
            if head.get("over") == "memory":  # what is left of such a process may be short of more
                self._process.kill()
        if "error" in head:
            raise frames.error_of(head)
        if "over" in head:
            raise over(head["over"], query, limits)
        return head, answer

    def _fill(self) -> None:
        if self._closed:
            raise StoreError("store-closed", place=self._source.place)
        try:
            self._source.fill(self._process)
        except Late:
            raise StoreUnavailable("query-worker-load", place=self._source.place, seconds=LOADING_SECONDS) from None
        except Died as end:
            raise self._died(end) from None

    def _died(self, end: Died) -> StoreError:
        if self._closed:
            return StoreError("store-closed", place=self._source.place)
        return StoreUnavailable("query-worker-died", place=self._source.place, why=end.why)


class Live:
    """The data of a store of this process, as it is when a query is asked."""

    def __init__(self, store: "EmbeddedStore") -> None:
        """Follow ``store``."""
        self.place = store.url
        self.graphs: list[str] = []
        self._store = store
        self._view: Path | None = None

    def prepared(self, query: BoundQuery, wanted: QueryKind, graphs: Sequence[str] | None) -> BoundQuery:
        """Return the query after the store has searched for what it searches for."""
        return self._store.prepared(query, wanted, graphs)

    def fill(self, process: Process) -> None:
        """Give the process what the store holds, where something was written since it got that."""
        process.start()
        revision = self._store.revision
        if process.holds == revision:
            return
        if self._store.url == MEMORY:
            self.graphs = _load(process, {"do": "quads"}, self._store.copy_to)
        else:
            before, self._view = self._view, _place_for_view(Path(self._store.url))
            try:
                self._store.copy_to(str(self._view))
                self.graphs = _load(process, {"do": "view", "path": str(self._view), "place": self.place})
            finally:
                _remove(before)
        process.holds = revision  # what was written meanwhile may be there already, and is sent again

    def close(self) -> None:
        """Remove the view."""
        _remove(self._view)
        self._view = None


class Read:
    """What a process reads by itself, once: files, or a folder that nobody else has open."""

    @classmethod
    def files(cls, names: Sequence[str], base: str | None) -> Self:
        """Let the process read files; errors as for `judgeloop.store.files.graphs`, when it does."""
        return cls(MEMORY, {"do": "files", "names": list(names), "base": base})

    @classmethod
    def folder(cls, path: str) -> Self:
        """Let the process open a folder, as its only user.

        Raises:
            StoreError: there is no store; when the process opens it: another process has it open, or it is broken.
        """
        folder.prepare(Path(path), create=False)
        return cls(path, {"do": "folder", "path": path})

    def __init__(self, place: str, request: Mapping[str, Any]) -> None:
        """Let the process do ``request``."""
        self.place = place
        self.graphs: list[str] = []
        self._request = request

    def prepared(self, query: BoundQuery, wanted: QueryKind, _: Sequence[str] | None) -> BoundQuery:
        """Return the query as it is: the process searches."""
        return of_kind(query, wanted)

    def fill(self, process: Process) -> None:
        """Let the process read."""
        process.start()
        if process.holds is None:
            self.graphs = _load(process, self._request)
            process.holds = self.place

    def close(self) -> None:
        """Do nothing: nothing was made."""


def _load(process: Process, request: Mapping[str, Any], fill: Callable[[IO[bytes]], object] | None = None) -> list[str]:
    head = process.exchange(request, LOADING_SECONDS, fill=fill).head
    if "error" in head:
        raise frames.error_of(head)
    found: list[str] = head["graphs"]
    return found


def _place_for_view(store: Path) -> Path:
    """Return where the next view goes; those of processes that were killed go away: a store has one process."""
    views = store / VIEWS
    own = f"{os.getpid()}-"
    views.mkdir(exist_ok=True)
    for entry in views.iterdir():
        if not entry.name.startswith(own):
            _remove(entry)
    return views / f"{own}{next(_numbers)}"


def _remove(view: Path | None) -> None:
    if view is not None:
        shutil.rmtree(view, ignore_errors=True)
