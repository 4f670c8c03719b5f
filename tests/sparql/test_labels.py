"""Things by their labels: near ones by a text search, whole ones by comparing, and what neither may find."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from judgeloop.rdf.rq import Query, bind, parse
from judgeloop.rdf.terms import Literal, NamedNode, Triple
from judgeloop.rdf.textquery import Hit, Search, rewrite, searches, uses_text
from judgeloop.store import Store, open_store
from judgeloop.vocab import RDFS_LABEL, SKOS, XSD

ROOT: Final = Path(__file__).parents[2] / "sparql" / "retrieve"
KG, OTHER = "https://kg.example/kg/1", "https://kg.example/kg/2"
# thing, property, text, language
LABELS: Final = [
    ("press9", RDFS_LABEL, "9호기", "ko"),
    ("press0", RDFS_LABEL, "F0 설비호기", "ko"),
    ("ga", RDFS_LABEL, "가", "ko"),
    ("ga", SKOS + "altLabel", "GA", "en"),
    ("line", SKOS + "prefLabel", "A1 생산라인", "ko"),
    ("line", SKOS + "notation", "A1-LN", ""),
    ("pump", RDFS_LABEL, "Pump", "en"),
    ("pump", RDFS_LABEL, "펌프", "ko"),
]


def query(name: str) -> Query:
    return parse((ROOT / name).read_text("utf-8"), name)


def triples(rows: Sequence[tuple[str, str, str, str]]) -> list[Triple]:
    return [
        Triple(NamedNode(f"https://kg.example/{thing}"), NamedNode(prop), Literal(text, language=tag or None))
        for thing, prop, text, tag in rows
    ]


@pytest.fixture
def store() -> Store:
    kept = open_store()
    kept.put_once({KG: triples(LABELS), OTHER: triples([("elsewhere", RDFS_LABEL, "9호기", "ko")])})
    return kept


def exact(store: Store, name: str) -> list[str]:
    rows = store.select(bind(query("label_exact.rq"), {"graph": KG, "name": name})).texts()
    return [f"{row['thing'].rpartition('/')[2]} {row['label']}" for row in rows]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("가", ["ga 가"]),
        ("ga", ["ga GA"]),
        ("9호기", ["press9 9호기"]),
        ("9호기가", []),
        ("호기", []),
        ("a1 생산라인", ["line A1 생산라인"]),
        ("a1-ln", ["line A1-LN"]),
        ("PUMP", ["pump Pump"]),
        ("펌프", ["pump 펌프"]),
        ("", []),
        ('") || true || ("', []),
    ],
)
def test_a_whole_label_is_found_in_any_language_and_case(store: Store, name: str, found: list[str]) -> None:
    assert exact(store, name) == found


def near(store: Store, words: str) -> list[str]:
    """Run the search as a store without a text index of its own does, over what the store holds."""

    def find(search: Search) -> list[Hit]:
        hits = []
        pairs = {search.pieces[0][at : at + 2].lower() for at in range(len(search.pieces[0]) - 1)}
        for t in store.graph(search.graph or ""):
            if t.predicate.value in search.properties and isinstance(t.object, Literal):
                text = t.object.value.lower()
                shared = len(pairs & {text[at : at + 2] for at in range(len(text) - 1)})
                score = Literal(str(shared), datatype=NamedNode(XSD + "float"))
                assert isinstance(t.subject, NamedNode)
                hits += [Hit(t.subject, score, t.object, NamedNode(KG), t.predicate)] if shared else []
        return sorted(hits, key=lambda hit: -float(hit.score.value))[: search.limit]

    bound = bind(query("label_search.rq"), {"graph": KG, "words": words})
    rows = store.select(rewrite(bound, find, None))
    assert rows.variables == ("thing", "score", "label")
    return [f"{row['thing'].rpartition('/')[2]} {row['score']} {row['label']}" for row in rows.texts()]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("9호기가 고장", ["press9 2 9호기", "press0 1 F0 설비호기"]),
        ("the PUMP is hot", ["pump 3 Pump"]),
        ("펌프", ["pump 1 펌프"]),
        ("라인", []),
        ("없는 말", []),
        ("9호기) OR prefLabel:(A1", ["press9 2 9호기", "press0 1 F0 설비호기"]),
    ],
)
def test_near_labels_come_best_first(store: Store, words: str, found: list[str]) -> None:
    assert near(store, words) == found


def test_the_search_asks_one_property_of_one_graph_for_twenty() -> None:
    searched = query("label_search.rq")
    assert uses_text(searched)
    assert searches(bind(searched, {"graph": KG, "words": "9호기"})) == [
        Search((RDFS_LABEL,), ("9호기",), 20, graph=KG)
    ]
    assert not uses_text(query("label_exact.rq"))
