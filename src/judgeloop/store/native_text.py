"""Text search by the index of the server itself: jena-text in Apache Jena Fuseki.

What kind of index a server has is found out by what it does: it says nothing about it, and without one a search is no
error there. A query is sent as it is where the server then gives the rows that every store gives; else the server is
asked for the hits first, and they stand in the query as VALUES.
"""

import http
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from judgeloop.errors import StoreUnavailable
from judgeloop.rdf import lucene
from judgeloop.rdf.rq import BoundQuery, Value, bind
from judgeloop.rdf.terms import Literal, NamedNode, Term, Triple
from judgeloop.rdf.textquery import LABELS, Hit, Search, is_native, rewrite, searches
from judgeloop.rdf.updates import fill_triples
from judgeloop.store import Rows
from judgeloop.store.own import own_query
from judgeloop.vocab import RDF, RDFS_LABEL, XSD_STRING

_UNION: Final = "urn:x-arq:UnionGraph"
"""Every named graph, by Jena's name."""
_OWN: Final = "urn:x-arq:"
"""How Jena's own names of graphs begin; its default graph has one in the index."""
_NOBODYS: Final = "\ue000\ue001"
"""A text of characters that mean nothing to anybody, so no label has it."""
_NO_TEXT: Final = "("
_ALL: Final = 1_000_000_000
_TEXTS: Final = frozenset({XSD_STRING, RDF + "langString"})


class _Label(NamedTuple):
    """One label of one graph, however its language tag is spelt."""

    graph: str
    thing: str
    text: str
    language: str


class NativeText:
    """The text index of one server."""

    def __init__(
        self, url: str, rows: Callable[[BoundQuery], Rows], update: Callable[[Iterable[BoundQuery]], None]
    ) -> None:
        """Remember how the server is asked and written; nothing is sent yet."""
        self._url = url
        self._rows = rows
        self._update = update

    @cached_property
    def properties(self) -> frozenset[str]:
        """Return the properties of labels that the server searches; none where it has no text index."""
        if self._rows(_probe(RDFS_LABEL, _NOBODYS)).rows:  # it took the search for nothing to do
            return frozenset()
        return frozenset(name for name in LABELS if self._searches(name))

    def prepared(self, query: BoundQuery, graphs: Sequence[str] | None) -> tuple[BoundQuery, Sequence[str] | None]:
        """Return the query to send for one with searches, and the graphs that it is asked over.

        Raises:
            BadInput: a search can't be asked for; the message says why.
            StoreUnavailable: the server has no text index, or not of a property that is searched.
        """
        wanted = searches(query)
        if not self.properties:
            raise StoreUnavailable("text-no-index", place=self._url)
        for search in wanted:
            self._require(search)
        return (query, None) if is_native(query) else (rewrite(query, self.find, graphs), graphs)

    def find(self, search: Search) -> list[Hit]:
        """Return the labels that a search finds, best first.

        Raises:
            StoreUnavailable: no index of the property, or an answer that no index gives.
        """
        self._require(search)
        names = [name for name in dict.fromkeys(search.properties or (RDFS_LABEL,)) if name in LABELS]
        hits = [hit for name in names for hit in self._hits(name, search)]
        hits.sort(key=lambda hit: -float(hit.score.value))
        return hits[: search.limit]

    def index_differences(self) -> tuple[int, int]:
        """Return how many labels the index lacks, and how many it holds that no graph holds; reads them all."""
        found = [self._differences(name) for name in sorted(self._all())]
        return sum(len(missing) for missing, _, _ in found), sum(len(stale) for _, stale, _ in found)

    def reindex(self) -> int:
        """Make the index equal to the labels in the graphs, graph by graph; return how many labels there are.

        Raises:
            StoreUnavailable: the server has no index, can't be written, or its index differs all the same.
        """
        stale: dict[str, list[Triple]] = defaultdict(list)
        graphs: set[str] = set()
        for name in sorted(self._all()):
            _, surplus, held = self._differences(name)
            graphs.update(label.graph for label in held)
            for label in surplus:
                literal = Literal(label.text, language=label.language) if label.language else Literal(label.text)
                stale[label.graph].append(Triple(NamedNode(label.thing), NamedNode(name), literal))
        for graph, triples in stale.items():
            self._update([fill_triples(own_query("unindex"), {"graph": graph}, triples)])
        for graph in sorted(graphs):
            self._update([bind(own_query("reindex"), {"graph": graph})])
        after = [self._differences(name) for name in sorted(self._all())]
        missing, surplus_now = sum(len(one[0]) for one in after), sum(len(one[1]) for one in after)
        if missing or surplus_now:
            raise StoreUnavailable("text-index-differs", place=self._url, missing=missing, surplus=surplus_now)
        return sum(len(held) for _, _, held in after)

    def _all(self) -> frozenset[str]:
        if not self.properties:
            raise StoreUnavailable("text-no-index", place=self._url)
        return self.properties

    def _require(self, search: Search) -> None:
        lacking = (set(search.properties or (RDFS_LABEL,)) & LABELS) - self._all()
        if lacking:
            raise StoreUnavailable("text-unmapped", place=self._url, property=min(lacking))

    def _searches(self, name: str) -> bool:
        try:
            self._rows(_probe(name, _NO_TEXT))
        except StoreUnavailable as refused:
            if refused.params.get("status") != http.HTTPStatus.BAD_REQUEST:
                raise
            return True
        return False

    def _hits(self, name: str, search: Search) -> list[Hit]:
        asked = _question(name, search)
        if asked is None:
            return []
        file, values = asked
        limit = _ALL if search.subject else search.limit
        while True:
            rows = self._rows(bind(own_query(file), {**values, "limit": limit})).rows
            if len(rows) > limit or any(term is None for row in rows for term in row):
                raise StoreUnavailable("text-impossible", place=self._url, rows=len(rows), limit=limit)
            hits = [Hit(*row) for row in rows if _is_label(row)]  # type: ignore[arg-type] # _is_label told their kinds
            if len(hits) == len(rows) or len(hits) >= search.limit or len(rows) < limit:
                return [hit for hit in hits if search.subject in {None, hit.subject.value}][: search.limit]
            limit *= 4  # what is no label of ours took the place of some

    def _differences(self, name: str) -> tuple[list[_Label], list[_Label], list[_Label]]:
        """Return what the index of one property lacks, what it holds too much, and the labels that it should hold."""
        there = Counter(label for label, _ in self._labels("indexed", name))
        held = self._labels("labelled", name)
        labels = [label for label, is_text in held if is_text]
        return (
            [label for label in labels if label not in there],
            list((there - Counter(label for label, _ in held)).elements()),
            labels,
        )

    def _labels(self, file: str, name: str) -> list[tuple[_Label, bool]]:
        """Return labels that a search can find at all, and for each whether it is text without another type."""
        return [
            (
                _Label(graph.value, thing.value, label.value, (label.language or "").lower()),
                label.datatype.value in _TEXTS,
            )
            for graph, thing, label in self._rows(bind(own_query(file), {"property": name})).rows
            if isinstance(graph, NamedNode) and isinstance(thing, NamedNode) and isinstance(label, Literal)
            if len(label.value) >= lucene.SHORTEST and not graph.value.startswith(_OWN)
        ]


def _probe(name: str, words: str) -> BoundQuery:
    return bind(own_query("probe_text"), {"property": name, "words": words})


def _question(name: str, search: Search) -> tuple[str, dict[str, Value]] | None:
    """Return the file and the values by which a server is asked, or None for a language that no label can have."""
    words = " ".join(map(lucene.verbatim, search.pieces))
    values: dict[str, Value] = {"graph": search.graph or _UNION, "property": name, "words": words}
    if search.language is None:
        return "find", values
    if search.language == "none":
        return "find_untagged", values
    try:
        return "find_tagged", {**values, "words": Literal(words, language=search.language)}
    except ValueError:
        return None


def _is_label(row: Sequence[Term | None]) -> bool:
    """Say whether a hit is one that every store gives: text of a thing that has a name, in a graph that has one."""
    thing, _, label, graph, _ = row
    text = isinstance(label, Literal) and label.datatype.value in _TEXTS
    return text and isinstance(thing, NamedNode) and isinstance(graph, NamedNode) and not graph.value.startswith(_OWN)
