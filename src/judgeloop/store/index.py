"""An index of labels: finds them by the pairs of characters that they share with a text, best first.

Each property has an index of its own: the engine counts the labels of a whole index where Lucene counts those of one
field, and the ranking rests on that count. Scores are those of Lucene's BM25, which leaves out a factor of k1 + 1.
"""

import contextlib
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import tantivy
from tantivy import Occur, Query

from judgeloop.errors import StoreUnavailable
from judgeloop.rdf.terms import Literal, NamedNode, Quad
from judgeloop.rdf.textquery import Hit, Search
from judgeloop.store.labels import FIELDS, NOTATION
from judgeloop.vocab import RDFS_LABEL, XSD

_LUCENE: Final = 2.2
"""k1 + 1."""
_DIGITS: Final = 6
"""Significant digits of a score: the rest depends on the order in which an engine adds its parts."""
_BEYOND: Final = 16
"""Hits that are read beyond the limit, to see whether the last ones share their score with others."""
_KEPT: Final = 0.9
"""The part of the labels in an index that must not be gone already; else it is written again."""
_RENEWED: Final = 100_000
"""Labels up to which that is done: it takes less than a second."""
_HEAP: Final = 32_000_000
_FLOAT: Final = NamedNode(XSD + "float")
_UNTAGGED: Final = "@"
_PAIRS: Final = "pairs"
_WHOLE: Final = "whole"
_Ranked = tuple[float, Quad]


class LabelIndex:
    """The labels of one store, in memory or in a folder; what is written counts for a search after `commit`.

    One thread writes at a time; any number may search. Every method raises `StoreUnavailable` when the engine fails.
    """

    def __init__(self, place: str, folder: Path | None = None) -> None:
        """Open the index in ``folder``, or make an empty one; ``place`` stands in messages."""
        self._place = place
        with self._told():
            self._shelves = {p: _Shelf(p, None if folder is None else folder / f) for p, f in FIELDS.items()}

    def add(self, labels: Iterable[Quad]) -> int:
        """Write labels that are not there yet, each once; return how many."""
        written = 0
        with self._told():
            for written, quad in enumerate(labels, 1):  # noqa: B007 - the last one is their number
                self._shelves[quad.predicate.value].add(quad)
        return written

    def remove(self, labels: Iterable[Quad]) -> None:
        """Take labels out; one that is not there stays away."""
        with self._told():
            for quad in labels:
                self._shelves[quad.predicate.value].remove("key", _key(quad))

    def drop(self, graph: str) -> None:
        """Take all labels of a graph out."""
        with self._told():
            for shelf in self._shelves.values():
                shelf.remove("graph", graph)

    def commit(self) -> None:
        """Make what was written count, and write it to the disk; costs some 10 ms for each property that changed."""
        with self._told():
            for shelf in self._shelves.values():
                shelf.commit()

    def find(self, search: Search) -> list[Hit]:
        """Return the labels that share pairs of characters with a text: best first, then by subject and label.

        A notation is found by its whole value. A property without an index has no hits.
        """
        shelves = [self._shelves[p] for p in dict.fromkeys(search.properties or (RDFS_LABEL,)) if p in self._shelves]
        with self._told():
            ranked = [hit for shelf in shelves for hit in shelf.find(search)]
        return [_hit(score, quad) for score, quad in sorted(ranked, key=_order)[: max(search.limit, 0)]]

    def labels(self) -> Iterator[Quad]:
        """Give every label that the index holds, in no order; one that was written twice comes twice."""
        with self._told():
            for shelf in self._shelves.values():
                yield from shelf.labels()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, RuntimeError) as error:
            raise StoreUnavailable("text-index-behind", place=self._place, why=_words(error)) from error


class _Shelf:
    """The labels by one property."""

    def __init__(self, prop: str, folder: Path | None) -> None:
        self._property = NamedNode(prop)
        pieces = tantivy.Tokenizer.raw() if prop == NOTATION else tantivy.Tokenizer.ngram(2, 2, prefix_only=False)
        lower = tantivy.Filter.lowercase()
        self._analyzer = tantivy.TextAnalyzerBuilder(pieces).filter(lower).build()
        self._schema = _schema(_WHOLE if prop == NOTATION else _PAIRS)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        self._index = tantivy.Index(self._schema, path=None if folder is None else str(folder))
        self._index.register_tokenizer(_WHOLE if prop == NOTATION else _PAIRS, self._analyzer)
        self._open: tantivy.IndexWriter | None = None
        self._now = self._seen()

    @property
    def _writer(self) -> tantivy.IndexWriter:
        if self._open is None:
            self._open = self._index.writer(_HEAP, 1)
        return self._open

    def add(self, quad: Quad) -> None:
        text, graph = quad.object, quad.graph_name
        assert isinstance(text, Literal)  # noqa: S101 - labels.is_label says so
        assert isinstance(graph, NamedNode)  # noqa: S101 - as above
        fields = {
            "key": _key(quad),
            "subject": quad.subject.value,  # type: ignore[union-attr] # as above
            "graph": graph.value,
            "text": text.value,
            "language": _UNTAGGED + (text.language or ""),
        }
        self._writer.add_document(tantivy.Document(**fields))

    def remove(self, field: str, value: str) -> None:
        self._writer.delete_documents_by_term(field, value)

    def commit(self) -> None:
        if self._open is not None:
            self._finish()
            if self._worn():
                live = list(self.labels())
                self._writer.delete_all_documents()
                for quad in live:
                    self.add(quad)
                self._finish()

    def _finish(self) -> None:
        self._writer.commit()
        self._writer.wait_merging_threads()  # nothing changes in a folder after a commit has returned
        self._open = None
        self._index.reload()
        self._now = self._seen()

    def _seen(self) -> tuple[tantivy.Searcher, str | None]:
        """Return what sees the labels as they are now, and their graph where they are all of one."""
        searcher = self._index.searcher()
        graphs = [graph for graph, _ in searcher.terms_with_prefix("graph", "", limit=2)]
        return searcher, graphs[0] if len(graphs) == 1 else None

    def _worn(self) -> bool:
        """Say whether so many labels are gone that those which still count for the ranking change it."""
        searcher, _ = self._now
        there = searcher.num_docs
        counted = sum(number for _, number in searcher.terms_with_prefix("language", "")) if there <= _RENEWED else 0
        return counted * _KEPT > there

    def find(self, search: Search) -> list[_Ranked]:
        words = Counter(word for piece in search.pieces for word in self._analyzer.analyze(piece))
        if not words or search.limit < 1:
            return []
        parts = [(Occur.Should, self._word(word, often)) for word, often in words.items()]
        tag = None if search.language is None else search.language.lower()
        language = None if tag is None else _UNTAGGED + ("" if tag == "none" else tag)
        searcher, alone = self._now
        graph = None if search.graph == alone else search.graph  # to ask each label for its graph takes as long again
        asked = (("graph", graph), ("subject", search.subject), ("language", language))
        kept = [(Occur.Must, self._filter(field, value)) for field, value in asked if value is not None]
        query = Query.boolean_query(parts)
        whole = Query.boolean_query([(Occur.Must, query), *kept]) if kept else query
        return self._best(searcher, whole, search.limit)

    def labels(self) -> Iterator[Quad]:
        searcher, _ = self._now
        found = searcher.search(Query.all_query(), max(searcher.num_docs, 1), count=False).hits
        return (self._quad(searcher.doc(address)) for _, address in found)

    def _word(self, word: str, often: int) -> Query:
        query = Query.term_query(self._schema, "text", word, "freq")
        return query if often == 1 else Query.boost_query(query, float(often))

    def _filter(self, field: str, value: str) -> Query:
        return Query.const_score_query(Query.term_query(self._schema, field, value, "basic"), 0.0)

    def _best(self, searcher: tantivy.Searcher, query: Query, limit: int) -> list[_Ranked]:
        """Return the hits that may be among the first ``limit``: those and all that share the last one's score."""
        wanted = limit + _BEYOND
        while True:
            hits = [(_score(raw), address) for raw, address in searcher.search(query, wanted, count=False).hits]
            if len(hits) < wanted or hits[-1][0] < hits[limit - 1][0]:
                break
            wanted *= 4
        least = hits[min(limit, len(hits)) - 1][0] if hits else 0.0
        return [(score, self._quad(searcher.doc(address))) for score, address in hits if score >= least]

    def _quad(self, document: tantivy.Document) -> Quad:
        subject, graph, text, language = (
            str(document.get_first(name)) for name in ("subject", "graph", "text", "language")
        )
        tag = language.removeprefix(_UNTAGGED)
        literal = Literal(text, language=tag) if tag else Literal(text)
        return Quad(NamedNode(subject), self._property, literal, NamedNode(graph))


def _schema(tokenizer: str) -> tantivy.Schema:
    building = tantivy.SchemaBuilder()
    building.add_text_field("text", stored=True, tokenizer_name=tokenizer, index_option="freq")
    for name in ("subject", "graph", "language"):
        building.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    building.add_text_field("key", tokenizer_name="raw", index_option="basic")
    return building.build()


def _key(quad: Quad) -> str:
    """Return what tells the labels of one property apart."""
    return hashlib.blake2b(f"{quad.graph_name} {quad.subject} {quad.object}".encode(), digest_size=16).hexdigest()


def _score(raw: float) -> float:
    return float(f"{raw / _LUCENE:.{_DIGITS}g}")


def _order(ranked: _Ranked) -> tuple[float, Sequence[str]]:
    score, quad = ranked
    return -score, [str(part) for part in (quad.subject, quad.object, quad.graph_name, quad.predicate)]


def _hit(score: float, quad: Quad) -> Hit:
    written = Literal(f"{score:.{_DIGITS}g}", datatype=_FLOAT)
    return Hit(quad.subject, written, quad.object, quad.graph_name, quad.predicate)  # type: ignore[arg-type] # is_label


def _words(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
