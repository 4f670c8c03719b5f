"""The labels on a server that knows no text search, indexed on this side.

They are read at the first search. After that what this store wrote is read again before the next search; what other
programs write there is not seen until `rebuild`, or by a store that is opened later.
"""

import contextlib
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from judgeloop.errors import StoreUnavailable
from judgeloop.rdf.rq import BoundQuery, bind
from judgeloop.rdf.terms import NamedNode, Quad
from judgeloop.rdf.updates import fill_names
from judgeloop.store import Store, steps
from judgeloop.store.labels import FIELDS, is_label
from judgeloop.store.own import own_query
from judgeloop.store.searching import Labels

if TYPE_CHECKING:
    from judgeloop.store.index import LabelIndex

_AT_ONCE: Final = 100
"""Graphs that one question asks about."""


class ServerLabels(Labels):
    """The labels of the store on one server; a search holds up no write."""

    def __init__(self, store: Store) -> None:
        """Remember whom to ask; nothing is asked yet."""
        super().__init__(store.url, lambda _, __: (), threading.RLock())
        self._store = store
        self._noting = threading.Lock()
        self._written: set[str] | None = None
        """Graphs that this store wrote since they were read; None before the first search."""

    @contextlib.contextmanager
    def writing(self, graphs: Iterable[str]) -> Iterator[None]:
        """Note which graphs a write is about, whether it succeeds or nobody can tell."""
        try:
            yield
        finally:
            with self._noting:
                if self._written is not None:
                    self._written.update(graphs)

    def rebuild(self) -> int:
        """Read all labels again and index them; return how many there are."""
        with self._writing:
            self._take()
            return super().rebuild()

    def _ready(self) -> "LabelIndex":
        if self._index is not None and self._written:
            with self._writing:
                index, self._index = self._index, None
                if index is not None:
                    written = self._take()
                    for graph in written:
                        index.drop(graph)
                    index.add(self._labels_in(written))
                    index.commit()
                    self._index = index
        return super()._ready()

    def _take(self) -> list[str]:
        """Return the graphs that were written and not read again, and begin to note anew."""
        with self._noting:
            written, self._written = self._written, set()
            return sorted(written or ())

    def _held(self, graph: str | None = None) -> Iterator[Quad]:
        if graph is not None:
            return self._labels_in([graph])
        return self._all()

    def _all(self) -> Iterator[Quad]:
        for prop in FIELDS:
            try:
                found = self._asked(bind(own_query("labels"), {"property": prop}), prop)
            except StoreUnavailable as error:
                if error.key != "http-too-large":
                    raise
                found = [quad for graph in self._store.graphs() for quad in self._of([graph], prop)]
            yield from found

    def _labels_in(self, graphs: Sequence[str]) -> Iterator[Quad]:
        parts = [graphs[at : at + _AT_ONCE] for at in range(0, len(graphs), _AT_ONCE)]
        return (quad for part in parts for prop in FIELDS for quad in self._of(part, prop))

    def _of(self, graphs: Sequence[str], prop: str) -> list[Quad]:
        return self._asked(fill_names(own_query("labels_of"), {"property": prop}, graphs), prop)

    def _asked(self, query: BoundQuery, prop: str) -> list[Quad]:
        rows = steps.table(self._store, query, "g", "s", "o")
        # the server's terms stand where its own statements had them
        quads = (Quad(s, NamedNode(prop), o, g) for g, s, o in rows)  # type: ignore[arg-type]
        return list(dict.fromkeys(filter(is_label, quads)))
