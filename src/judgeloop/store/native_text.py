"""Text search by the server itself, where it has jena-text; its answer is used only if it can be true.

What is found stands in a query as VALUES, as on every other store (`judgeloop.rdf.textquery`). In a query that was sent
as it is, hits could not be looked at before the answer rests on them, they would be cut anywhere among labels of one
score, and beside FROM they would be those of every graph (Jena 6.2.0).
"""

import http
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from judgeloop.errors import StoreUnavailable
from judgeloop.messages import both
from judgeloop.rdf import lucene
from judgeloop.rdf.rq import BoundQuery, Value, bind
from judgeloop.rdf.terms import Literal, NamedNode, Quad
from judgeloop.rdf.textquery import Hit, Search
from judgeloop.rdf.updates import fill_triples
from judgeloop.store import Rows, Store
from judgeloop.store.labels import FIELDS, is_label
from judgeloop.store.own import own_query
from judgeloop.store.server_labels import ServerLabels
from judgeloop.vocab import RDFS_LABEL, XSD

Ask = Callable[[BoundQuery], Rows]
"""Asks the server a query as it is."""
Tell = Callable[[Iterable[BoundQuery]], None]
"""Sends updates as one request."""

_EVERY: Final = "urn:x-arq:UnionGraph"
_DEFAULT: Final = NamedNode("urn:x-arq:DefaultGraphNode")
"""Where jena-text says that the labels of the default graph are; no other store indexes these."""
_FLOAT: Final = NamedNode(XSD + "float")
_TAG: Final = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
_DIGITS: Final = 6
"""Significant digits of a score: those that engines agree on."""
_BEYOND: Final = 16
"""Hits that are asked for beyond the limit, to see whether the last ones share their score with others."""
_AT_ONCE: Final = 1000
"""Labels of one update."""
_Ranked = tuple[float, Quad]


class NativeLabels(ServerLabels):
    """The labels on a server, searched by itself where it can, else on this side."""

    def __init__(self, store: Store, ask: Ask, tell: Tell, *, alone: bool) -> None:
        """Remember whom to ask; nothing is asked yet. ``alone``: only the server itself is to search, or nobody."""
        super().__init__(store)
        self._ask = ask
        self._tell = tell
        self._alone = alone

    @cached_property
    def unsearched(self) -> StoreUnavailable | None:
        """Return why the server's own text search can't be used, found out by searching; None where it can."""
        return probe(self._ask, self._place)

    def find(self, search: Search) -> list[Hit]:
        """Return what a search finds, by the server or on this side.

        Raises:
            StoreUnavailable: the server's text search is not what it should be, or gave what can't be true.
        """
        return find(self._ask, search, self._place) if self._native() else super().find(search)

    def rebuild(self) -> int:
        """Make the server's index equal to its labels, or read these again; return how many there are."""
        if not self._native():
            return super().rebuild()
        number, held = 0, list(self._held())
        for prop in sorted(FIELDS):
            labels = {quad for quad in held if quad.predicate.value == prop}
            number += len(labels)
            self._mend(prop, labels, _indexed(self._ask, prop))
        lacks, surplus = self.differences()
        if lacks or surplus:
            raise StoreUnavailable("text-server-differs", place=self._place, lacks=lacks, surplus=surplus)
        return number

    def indexed(self) -> list[Quad]:
        """Return every label that the index holds, the server's or that on this side; reads them all."""
        if not self._native():
            return super().indexed()
        return [quad for prop in sorted(FIELDS) for quad in _indexed(self._ask, prop).elements()]

    def _native(self) -> bool:
        """Say whether the server searches; one that should and does not is refused."""
        if self.unsearched is None:
            return True
        if self._alone or self.unsearched.key != "text-server-none":
            raise self.unsearched
        return False

    def _mend(self, prop: str, labels: set[Quad], there: Counter[Quad]) -> None:
        for graph, gone in _by_graph(quad for quad in there if quad not in labels).items():
            for at in range(0, len(gone), _AT_ONCE):
                part = [quad.triple for quad in gone[at : at + _AT_ONCE]]
                self._tell([fill_triples(own_query("unindex"), {"graph": NamedNode(graph)}, part)])
        for graph in sorted(_by_graph(quad for quad in labels if there[quad] != 1)):
            self._tell([bind(own_query("reindex"), {"graph": NamedNode(graph), "property": NamedNode(prop)})])


def probe(ask: Ask, place: str) -> StoreUnavailable | None:
    """Return why the text search of a server can't be used, or None where it can; this needs no label there.

    Raises:
        StoreUnavailable: the server does not answer.
    """
    if _takes(ask, bind(own_query("probe_text"), {})):
        return StoreUnavailable("text-server-unindexed", place=place)
    left_out = [prop for prop in sorted(FIELDS) if _takes(ask, _unsearchable(prop)) is not None]
    if len(left_out) == len(FIELDS):
        return StoreUnavailable("text-server-none", place=place)
    return StoreUnavailable("text-server-unmapped", place=place, property=left_out[0]) if left_out else None


def find(ask: Ask, search: Search, place: str) -> list[Hit]:
    """Return the labels that share pairs of characters with a text: best first, then by thing and label.

    Raises:
        StoreUnavailable: the server gave no answer, or one that can't be true; ``place`` stands in the message.
    """
    properties = [prop for prop in dict.fromkeys(search.properties or (RDFS_LABEL,)) if prop in FIELDS]
    if search.language is not None and not _TAG.fullmatch(search.language):  # to the server it would be a query
        return []
    ranked = [hit for prop in properties for hit in _best(ask, search, prop, place)]
    return [_hit(score, quad) for score, quad in sorted(ranked, key=_order)[: max(search.limit, 0)]]


def _unsearchable(prop: str) -> BoundQuery:
    return bind(own_query("probe_text_property"), {"property": NamedNode(prop)})


def _takes(ask: Ask, query: BoundQuery) -> bool | None:
    """Return whether there are rows, or None where the server refuses what is searched for."""
    try:
        return len(ask(query)) > 0
    except StoreUnavailable as error:
        if error.params.get("status") != http.HTTPStatus.BAD_REQUEST:
            raise
        return None


def _best(ask: Ask, search: Search, prop: str, place: str) -> list[_Ranked]:
    """Return the hits that may be among the first ``limit``: those and all that share the last one's score."""
    wanted = max(search.limit, 0) + _BEYOND
    while True:
        rows = ask(_question(search, prop, wanted))
        hits, ground = _read(rows, search, prop, place)
        if len(hits) > wanted:
            raise _untrue(place, "text-untrue-limit", rows=len(hits), limit=wanted)
        ranked = sorted([(score - ground, quad) for score, quad in hits if _is_label(quad)], key=_order)
        least = min([score - ground for score, _ in hits], default=0.0)
        if len(hits) < wanted or (len(ranked) >= search.limit and _short(least) < _short(ranked[search.limit - 1][0])):
            return ranked
        wanted *= 4


def _question(search: Search, prop: str, limit: int) -> BoundQuery:
    name, words = "search", " ".join(map(lucene.verbatim, search.pieces))
    values: dict[str, Value] = {"graph": NamedNode(search.graph or _EVERY), "property": NamedNode(prop), "limit": limit}
    if search.subject is not None:
        name += "_thing"
        values["thing"] = NamedNode(search.subject)
    if search.language is None:
        values["words"] = words
    else:
        name += "_language"
        values["words"] = Literal(words, language=search.language)
    return bind(own_query(name), values)


def _read(rows: Rows, search: Search, prop: str, place: str) -> tuple[list[_Ranked], float]:
    """Return the hits of an answer with their scores, and what each score holds for the graph."""
    hits: list[_Ranked] = []
    ground: float | None = None
    for row in rows:
        base, score, label, where = (row.get(name) for name in ("base", "score", "label", "where"))
        thing = NamedNode(search.subject) if search.subject is not None else row.get("thing")
        if isinstance(base, Literal):
            ground = float(base.value)
        elif isinstance(score, Literal) and isinstance(label, Literal) and isinstance(where, NamedNode) and thing:
            if search.graph is not None and where.value != search.graph:
                raise _untrue(place, "text-untrue-graph", graph=where.value)
            hits.append((float(score.value), Quad(thing, NamedNode(prop), label, where)))  # type: ignore[arg-type]
        else:
            raise _untrue(place, "text-untrue-unbound")
    if hits and ground is None and search.graph is not None:
        raise _untrue(place, "text-untrue-pairs")
    return hits, ground or 0.0


def _indexed(ask: Ask, prop: str) -> Counter[Quad]:
    """Return the labels by one property in the server's index, with how often it holds each."""
    rows = ask(bind(own_query("indexed"), {"property": NamedNode(prop)}))
    # the server's terms stand where its own statements had them
    quads = (Quad(row["s"], NamedNode(prop), row["o"], row["g"]) for row in rows)  # type: ignore[arg-type]
    return Counter(filter(_is_label, quads))


def _is_label(quad: Quad) -> bool:
    """Say whether every store finds this statement."""
    return is_label(quad) and quad.graph_name != _DEFAULT


def _by_graph(quads: Iterable[Quad]) -> Mapping[str, Sequence[Quad]]:
    found: dict[str, list[Quad]] = {}
    for quad in quads:
        found.setdefault(_name(quad), []).append(quad)
    return found


def _name(quad: Quad) -> str:
    assert isinstance(quad.graph_name, NamedNode)  # noqa: S101 - both queries name graphs
    return quad.graph_name.value


def _short(score: float) -> float:
    return float(f"{score:.{_DIGITS}g}")


def _order(ranked: _Ranked) -> tuple[float, Sequence[str]]:
    score, quad = ranked
    return -_short(score), [str(part) for part in (quad.subject, quad.object, quad.graph_name, quad.predicate)]


def _hit(score: float, quad: Quad) -> Hit:
    written = Literal(f"{score:.{_DIGITS}g}", datatype=_FLOAT)
    return Hit(quad.subject, written, quad.object, quad.graph_name, quad.predicate)  # type: ignore[arg-type] # a label


def _untrue(place: str, key: str, **params: object) -> StoreUnavailable:
    return StoreUnavailable("text-server-untrue", place=place, why=both(key, **params))
