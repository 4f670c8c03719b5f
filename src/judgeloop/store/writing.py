"""Writes to a server: each one request, sent once, and read back, because a status proves nothing.

A server answers a guarded update in the same way whether its condition held or not, and a connection may break after it
wrote and before it said so. So what is there decides, and a request without an answer is never sent again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from judgeloop.errors import StoreUnavailable
from judgeloop.rdf.rq import BoundQuery
from judgeloop.rdf.stored import alike, has_blank
from judgeloop.rdf.terms import NamedNode, Quad, Triple
from judgeloop.store import Store, steps
from judgeloop.store.claims import announced
from judgeloop.store.heads import Head, claimed, compare

Send = Callable[[Iterable[BoundQuery]], None]
_TOGETHER: Final = 2_000
"""Triples of one graph up to which it is read back in one question with others."""
_BROKEN: Final = range(500, 600)
"""What a server, or one between, answers that may have written all the same."""


class Writer:
    """Writes to the server of one store; other programs may write there at the same time."""

    def __init__(self, store: Store, send: Send, *, serial: bool) -> None:
        """Write by ``send``, which runs updates as one request; what is there is asked of ``store``.

        ``serial`` says that the server runs one update after the other.
        """
        self._store = store
        self._update = send
        self._serial = serial

    def put_once(self, graphs: Mapping[str, Iterable[Triple]], extra: Iterable[Quad], head: Head | None) -> bool:
        """Do what `Store.put_once` promises."""
        there = self.existing(graphs)
        for graph in there:
            compare(self._store, graph, graphs[graph])
        new = {graph: held for graph in graphs if graph not in there and (held := list(graphs[graph]))}
        stated = steps.by_graph(extra)
        added = {graph: stated[graph] for graph in stated if not self._holds(graph, stated[graph])}
        if not new and not added and (head is None or claimed(self._store, head)):
            return False
        requests = steps.write(new, added, head)
        if head is None or self._serial:
            return self._surely(requests, lambda: self._written(new, added, head))
        with announced(self._store, self._update, head) as retract:
            return self._surely([*requests, retract], lambda: self._written(new, added, head))

    def replace(self, graph: str, triples: Iterable[Triple]) -> bool:
        """Do what `Store.replace` promises."""
        wanted, held = list(dict.fromkeys(triples)), list(self._store.graph(graph))
        if alike(held, wanted) and not has_blank(wanted):
            return False
        step = steps.renew(graph, wanted) if wanted else steps.about("drop", graph)
        self._surely([step], lambda: alike(self._store.graph(graph), wanted) or None)
        return True

    def drop(self, graph: str) -> None:
        """Do what `Store.drop` promises."""
        self._surely([steps.about("drop", graph)], lambda: not self._store.has_graph(graph) or None)

    def existing(self, graphs: Iterable[str]) -> set[str]:
        """Return which of the graphs are there."""
        rows = steps.table(self._store, steps.existing(graphs), "graph")
        return {name.value for (name,) in rows if isinstance(name, NamedNode)}

    def _surely(self, requests: Iterable[BoundQuery], look: Callable[[], bool | None]) -> bool:
        """Send the requests once and return what ``look`` finds then: None where they are not done.

        Raises:
            StoreUnavailable: they are not done, or nobody can tell.
        """
        unsure: StoreUnavailable | None = None
        try:
            self._update(requests)
        except StoreUnavailable as error:
            if error.key != "http-unsure" and error.params.get("status") not in _BROKEN:
                raise
            unsure = error
        try:
            found = look()
        except StoreUnavailable as blind:
            raise unsure or blind from None
        if found is not None:
            return found
        if unsure is None:
            raise StoreUnavailable("http-not-written", place=self._store.url)
        if unsure.key == "http-unsure":
            raise StoreUnavailable("http-lost", place=unsure.place, why=unsure.params["why"])
        raise unsure

    def _written(
        self, new: Mapping[str, Sequence[Triple]], added: Mapping[str | None, Sequence[Triple]], head: Head | None
    ) -> bool | None:
        """Return whether anything of this step was written by it, or None where it is not there."""
        if head is not None and not claimed(self._store, head):
            return None
        found = self._read_back(new)
        if not all(found.values()) or not all(self._holds(graph, added[graph]) for graph in added):
            return None
        ours = {graph: alike(found[graph], held) for graph, held in new.items()}
        for graph, held in new.items():
            if not ours[graph]:
                compare(self._store, graph, held)
        return any(ours.values()) or bool(added) or head is not None

    def _holds(self, graph: str | None, stated: Sequence[Triple]) -> bool:
        return all(self._store.ask(question) for question in steps.holds(graph, stated))

    def _read_back(self, new: Mapping[str, Sequence[Triple]]) -> dict[str, list[Triple]]:
        """Return what the graphs hold now; small ones are asked for together."""
        small = [graph for graph, held in new.items() if len(held) <= _TOGETHER]
        found = {graph: [] if graph in small else list(self._store.graph(graph)) for graph in new}
        for name, *triple in steps.table(self._store, steps.several(small), "graph", "s", "p", "o") if small else ():
            if isinstance(name, NamedNode):
                found[name.value].append(Triple(*triple))  # type: ignore[arg-type]
        return found
