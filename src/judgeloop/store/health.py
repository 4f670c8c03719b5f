"""Whether a store is what a run needs: it answers, its graph holds something, and its text search finds what is there.

An answer of a store proves little: an empty graph, a server without an index and a misspelt name all give no rows. So
each check asks for something that must be there, and one that could not ask is no pass.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from judgeloop import assets
from judgeloop.errors import JudgeloopError, StoreUnavailable
from judgeloop.messages import both, each
from judgeloop.model import Status, Text
from judgeloop.rdf.rq import BoundQuery, bind, parse
from judgeloop.store import Store
from judgeloop.store.http import HttpStore
from judgeloop.store.naming import domain
from judgeloop.store.own import own_query

MOST: Final = 20
"""Rows that retrieve/label_search.rq may give."""
NONSENSE: Final = "쀍뾂쀍뾂뷁퀡"
"""A text whose pairs of characters stand in no label."""
_ELSEWHERE: Final = "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }"
_FINE: Final = frozenset({Status.HOLDS, Status.NOT_APPLICABLE})
_Found = tuple[Status, Text]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    status: Status
    why: Text

    @property
    def fine(self) -> bool:
        """Say whether a run may go on."""
        return self.status in _FINE


def gate(store: Store, graph: str | None) -> None:
    """Refuse a store that a run over ``graph`` can't rest on; without one, over its graphs of knowledge.

    Raises:
        StoreUnavailable: a check failed or could not run; the message says which and why.
    """
    for check in examine(store, graph):
        if not check.fine:
            raise StoreUnavailable("health-gate", place=store.url, check=check.name, why=check.why)


def examine(store: Store, graph: str | None = None, *, deep: bool = False) -> Iterator[Check]:
    """Give the checks of a store one after the other; without ``graph``, its graphs of knowledge are looked at.

    ``deep`` compares every label with the text index.
    """
    graphs: list[str] = []

    def reachable() -> _Found:
        graphs.extend(domain(store.graphs()) if graph is None else [graph] if store.has_graph(graph) else [])
        return Status.HOLDS, both("health-reachable")

    def filled() -> _Found:
        if not graphs:
            return Status.VIOLATED, both("health-no-graph", graph=graph) if graph else both("health-no-domain")
        return Status.HOLDS, both("health-filled", n=len(graphs))

    yield _check("reachable", reachable)
    yield _check("graph", filled)
    known = _known(store, graphs)
    yield _check("text-known", lambda: _finds(store, known))
    yield _check("text-nonsense", lambda: _finds_nothing(store, graphs))
    yield _check("text-limit", lambda: _keeps_limit(store, known))
    yield from _settings(store)
    if deep:
        yield _check("index", lambda: _equal(*store.index_differences()))


def _check(name: str, look: Callable[[], _Found]) -> Check:
    try:
        return Check(name, *look())
    except JudgeloopError as error:
        return Check(name, Status.NOT_RUN, each(error.text))


def _known(store: Store, graphs: list[str]) -> Callable[[], tuple[str, dict[str, str]] | None]:
    """Return what finds a label of one of the graphs, with its graph; None where they hold none."""

    def look() -> tuple[str, dict[str, str]] | None:
        for graph in graphs:
            for row in store.select(bind(own_query("known_label"), {"graph": graph})).texts():
                return graph, row
        return None

    return look


def _finds(store: Store, known: Callable[[], tuple[str, dict[str, str]] | None]) -> _Found:
    found = known()
    if found is None:
        return Status.NOT_APPLICABLE, both("health-no-labels")
    graph, row = found
    things = {hit["thing"] for hit in store.select(_search(graph, row["label"])).texts()}
    if row["thing"] in things:
        return Status.HOLDS, both("health-found", label=row["label"])
    return Status.VIOLATED, both("health-not-found", label=row["label"], thing=row["thing"])


def _finds_nothing(store: Store, graphs: list[str]) -> _Found:
    if not graphs:
        return Status.NOT_RUN, both("health-nowhere")
    rows = len(store.select(_search(graphs[0], NONSENSE)))
    return (Status.VIOLATED, both("health-nonsense", n=rows)) if rows else (Status.HOLDS, both("health-nothing"))


def _keeps_limit(store: Store, known: Callable[[], tuple[str, dict[str, str]] | None]) -> _Found:
    found = known()
    if found is None:
        return Status.NOT_APPLICABLE, both("health-no-labels")
    rows = len(store.select(_search(found[0], found[1]["label"][:2])))
    status = Status.HOLDS if 0 < rows <= MOST else Status.VIOLATED
    return status, both("health-rows", n=rows, most=MOST)


def _settings(store: Store) -> Iterator[Check]:
    """Give what only a server can have wrong."""
    if not isinstance(store, HttpStore):
        return
    yield _check("updates-refused", lambda: _refused(store.status_of("INSERT DATA { }", update=True), "health-updates"))
    if store.capabilities.fuseki:
        yield _check("service-refused", lambda: _refused(store.status_of(_ELSEWHERE), "health-service"))
    else:
        yield Check("tracking", Status.HOLDS, both("health-tracking"))


def _refused(status: int, key: str) -> _Found:
    refused = status in range(400, 500)
    return (Status.HOLDS if refused else Status.VIOLATED), both(key if refused else f"{key}-taken", status=status)


def _equal(missing: int, surplus: int) -> _Found:
    status = Status.VIOLATED if missing or surplus else Status.HOLDS
    return status, both("health-index", missing=missing, surplus=surplus)


def _search(graph: str, words: str) -> BoundQuery:
    path = assets.find("sparql/retrieve/label_search.rq", [assets.root()])
    return bind(parse(assets.read(path).decode(), path.name), {"graph": graph, "words": words})
