"""A store with labels in two languages and three graphs, and a search of them that is short enough to check by hand."""

from collections.abc import Mapping, Sequence
from typing import Final

import pytest
from pyoxigraph import (
    BlankNode,
    DefaultGraph,
    Literal,
    NamedNode,
    Quad,
    QueryBoolean,
    QuerySolutions,
    QueryTriples,
    Store,
)

from judgeloop.rdf.rq import Value, bind, parse
from judgeloop.rdf.textquery import Hit, Search, rewrite
from judgeloop.vocab import RDFS_LABEL, SKOS, XSD

E: Final = "http://e/"
NONE: Final[Mapping[str, Value]] = {}
ALT: Final = SKOS + "altLabel"
PREFIXES: Final = (
    "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX skos: <http://www.w3.org/2004/02/skos/core#> "
    "PREFIX ex: <http://e/> PREFIX text: <http://jena.apache.org/text#>\n"
)
# graph, thing, property, text, language
LABELS: Final = [
    ("g1", "hong", RDFS_LABEL, "홍길동", "ko"),
    ("g1", "hong", ALT, "Hong Gildong", "en"),
    ("g1", "acme", RDFS_LABEL, "에이크미", "ko"),
    ("g1", "acme", RDFS_LABEL, "Acme", "en"),
    ("g2", "line", RDFS_LABEL, "A1 생산라인", "ko"),
    ("g2", "seoul", RDFS_LABEL, "서울", "ko"),
    ("g2", "seoul", RDFS_LABEL, "서울시", ""),
    ("g3", "seoul", RDFS_LABEL, "서울", "ko"),
    ("g3", "other", RDFS_LABEL, "서울역", "ko"),
]
FACTS: Final = f"""INSERT DATA {{
  GRAPH <{E}g1> {{ <{E}hong> a <{E}Person> ; <{E}worksFor> <{E}acme> . <{E}acme> a <{E}Company> ; <{E}in> <{E}seoul> }}
  GRAPH <{E}g2> {{ <{E}seoul> a <{E}City> . <{E}line> a <{E}Line> }}
  GRAPH <{E}g3> {{ <{E}seoul> a <{E}Place> }}
}}"""


class Labelled:
    """Runs queries as a store does that has no text search of its own."""

    def __init__(self) -> None:
        self.store = Store()
        self.store.update(FACTS)
        self.asked: list[Search] = []
        for graph, thing, prop, text, language in LABELS:
            label = Literal(text, language=language) if language else Literal(text)
            self.store.add(Quad(NamedNode(E + thing), NamedNode(prop), label, NamedNode(E + graph)))

    def find(self, search: Search) -> Sequence[Hit]:
        """Return the labels that share pairs of characters with the text, most first."""
        self.asked.append(search)
        wanted = {piece[at : at + 2].lower() for piece in search.pieces for at in range(len(piece) - 1)}
        hits = []
        for prop in search.properties or (RDFS_LABEL,):
            for quad in self.store.quads_for_pattern(None, NamedNode(prop), None, None):
                assert isinstance(quad.object, Literal)
                assert isinstance(quad.subject, NamedNode)
                assert isinstance(quad.graph_name, NamedNode)
                text, tag = quad.object.value.lower(), quad.object.language or "none"
                shared = len(wanted & {text[at : at + 2] for at in range(len(text) - 1)}) / len(text)
                fits = search.graph in {None, quad.graph_name.value} and search.language in {None, tag}
                if shared and fits and search.subject in {None, quad.subject.value}:
                    score = Literal(f"{shared:.3f}", datatype=NamedNode(XSD + "float"))
                    hits.append(Hit(quad.subject, score, quad.object, quad.graph_name, quad.predicate))
        return sorted(hits, key=lambda hit: (-float(hit.score.value), hit.subject.value))[: search.limit]

    def rewritten(self, text: str, default: Sequence[str] | None = None, values: Mapping[str, Value] = NONE) -> str:
        query = parse(PREFIXES + text if "# @param" not in text else text, "q.rq", allow_update=True)
        return rewrite(bind(query, values), self.find, default).text

    def __call__(
        self, text: str, default: Sequence[str] | None = None, values: Mapping[str, Value] = NONE
    ) -> list[str]:
        """Return the answer, each row as words; ``http://e/`` left out, strings without quotes."""
        run = self.rewritten(text, default, values)
        graphs: list[NamedNode | BlankNode | DefaultGraph] = [NamedNode(name) for name in default or ()]
        answer = self.store.query(run, default_graph=None if default is None else graphs)
        if isinstance(answer, QueryBoolean):
            return [str(bool(answer)).lower()]
        if isinstance(answer, QueryTriples):
            return sorted(" ".join(map(_word, (t.subject, t.predicate, t.object))) for t in answer)
        assert isinstance(answer, QuerySolutions)
        return sorted(" ".join("-" if term is None else _word(term) for term in row) for row in answer)


def _word(term: object) -> str:
    return str(getattr(term, "value", term)).removeprefix(E)


@pytest.fixture
def labelled() -> Labelled:
    return Labelled()
