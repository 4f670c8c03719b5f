"""The text index of every store holds the labels of the store, whatever was written in whatever order."""

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from judgeloop import freeze, judge, open_store, open_world, read_case
from judgeloop.errors import BadInput, StoreUnavailable
from judgeloop.rdf.rq import BoundQuery, Value, bind, parse
from judgeloop.rdf.terms import quads
from judgeloop.store import Store
from judgeloop.store.http import at
from judgeloop.store.searching import Searching
from judgeloop.store.worker import Worker
from judgeloop.vocab import RDFS, RDFS_LABEL, SKOS, XSD

E = "http://example.org/"
ROOT = Path(__file__).parents[2]
PROPERTIES = [RDFS_LABEL, RDFS_LABEL, SKOS + "prefLabel", SKOS + "altLabel", SKOS + "notation", RDFS + "comment"]
OBJECTS: list[NamedNode | Literal] = [
    Literal("9호기", language="ko"),
    Literal("9호기"),
    Literal("9호기", language="en"),
    Literal("9호기", datatype=NamedNode(XSD + "token")),
    Literal("1", datatype=NamedNode(XSD + "integer")),
    Literal("펌프"),
    Literal("\u1111\u1165\u11b7\u1111\u1173"),  # 펌프 decomposed
    Literal("가"),
    Literal(""),
    Literal('A1 "생산"\n라인\\', language="ko-kr"),
    NamedNode(E + "서울"),
]
SUBJECTS: list[NamedNode | BlankNode] = [
    NamedNode(E + "a"),
    NamedNode(E + "b"),
    NamedNode(E + "9호기(예비)"),
    BlankNode("x"),
]
GRAPHS = [E + "g1", E + "g2", E + "g3"]


def query(text: str, **values: Value) -> BoundQuery:
    head = "".join(f"# @param {name}: text\n" for name in values)
    names = f"PREFIX rdfs: <{RDFS}> PREFIX skos: <{SKOS}> PREFIX text: <http://jena.apache.org/text#> PREFIX : <{E}>\n"
    return bind(parse(head + names + text, "t.rq"), values)


def label(thing: str, text: str, tag: str = "", prop: str = RDFS_LABEL) -> Triple:
    return Triple(NamedNode(E + thing), NamedNode(prop), Literal(text, language=tag or None))


def expected(store: Store) -> Counter[Quad]:
    """Return the labels that the graphs of the store hold, found without its index."""
    found: Counter[Quad] = Counter()
    for graph in store.graphs():
        for t in store.graph(graph):
            text, prop = t.object, t.predicate.value
            if (
                prop in PROPERTIES[:-1]
                and isinstance(t.subject, NamedNode)
                and isinstance(text, Literal)
                and text.datatype.value.rsplit("#")[1] in {"string", "langString"}
                and len(text.value) >= (1 if prop.endswith("notation") else 2)
            ):
                found[Quad(t.subject, t.predicate, t.object, NamedNode(graph))] += 1
    return found


def held(store: Store) -> Counter[Quad]:
    assert isinstance(store, Searching)
    return Counter(store._labels.indexed())


def some(chance: random.Random, most: int = 8) -> list[Triple]:
    return [
        Triple(chance.choice(SUBJECTS), NamedNode(chance.choice(PROPERTIES)), chance.choice(OBJECTS))
        for _ in range(chance.randrange(most))
    ]


def edit(store: Store, chance: random.Random) -> None:
    graph = chance.choice(GRAPHS)
    match chance.randrange(8):
        case 0:
            store.put_once({g: some(chance) for g in GRAPHS}, quads(graph, some(chance, 3)))
        case 1:
            store.put_once({}, [q for g in GRAPHS for q in quads(g, some(chance, 3))])
        case 2:
            store.put_once({}, [Quad(t.subject, t.predicate, t.object) for t in some(chance)])
        case 3:
            store.put_once({graph: some(chance)}, quads(chance.choice(GRAPHS), some(chance)))
        case 4:
            store.replace(graph, some(chance))
        case 5:
            held = list(store.graph(graph))
            store.replace(graph, chance.sample(held, len(held) // 2) + some(chance, 3))
        case 6:
            store.drop(graph)
        case _:
            with pytest.raises((BadInput, EOFError)):
                store.put_once({graph: some(chance), "no iri": some(chance)})


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("before", ["search", "write"])
def test_random_edits_leave_the_index_equal(store: Store, seed: int, before: str) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test, not a key
    if before == "search":
        store.ask(query('ASK { GRAPH :g1 { ?s text:query "9호기" } }'))
    for _ in range(25):
        edit(store, chance)
        if chance.random() < 0.7:
            assert held(store) == expected(store)
        if chance.random() < 0.2:
            store.flush()
    assert store.index_differences() == (0, 0)
    assert store.reindex() == expected(store).total() == held(store).total()


def test_edits_survive_closing(tmp_path: Path) -> None:
    chance = random.Random(7)  # noqa: S311 - as above
    wanted: Counter[Quad] = Counter()
    for _ in range(12):
        with open_store(str(tmp_path / "s")) as store:
            assert held(store) == expected(store) == wanted
            for _ in range(4):
                edit(store, chance)
            wanted = expected(store)


# --- searching


NEAR = query(
    "SELECT ?s ?score ?l ?g ?p { GRAPH :g1 { (?s ?score ?l ?g ?p) text:query (rdfs:label $words 10) } }"
    " ORDER BY DESC(?score) ?s",
    words="9호기가",
)


def found(store: Store, text: str, **values: Value) -> list[str]:
    return sorted(row["s"].removeprefix(E) for row in store.select(query(text, **values)).texts())


def test_a_search_sees_every_write_before_it(store: Store) -> None:
    assert list(store.select(NEAR)) == []
    store.put_once({E + "g1": [label("a", "9호기", "ko"), label("b", "F0 설비호기")]})
    first, second = store.select(NEAR)
    assert (first["s"], first["l"]) == (NamedNode(E + "a"), Literal("9호기", language="ko"))
    assert (first["g"], first["p"]) == (NamedNode(E + "g1"), NamedNode(RDFS_LABEL))
    assert second["s"] == NamedNode(E + "b")
    store.replace(E + "g1", [label("b", "F0 설비호기"), label("c", "9호기")])
    assert [row["s"] for row in store.select(NEAR)] == [NamedNode(E + "c"), NamedNode(E + "b")]
    store.drop(E + "g1")
    assert list(store.select(NEAR)) == []


def test_the_place_of_a_search_says_which_graphs(store: Store) -> None:
    store.put_once({E + "g1": [label("a", "9호기")], E + "g2": [label("a", "9호기"), label("b", "9호기")]})
    bare = "SELECT ?s { ?s text:query $words }"
    assert found(store, "SELECT ?s { GRAPH :g1 { ?s text:query $words } }", words="9호기") == ["a"]
    assert found(store, "SELECT ?s { GRAPH ?g { ?s text:query $words } }", words="9호기") == ["a", "a", "b"]
    assert found(store, bare, words="9호기") == []
    rows = store.select(query(bare, words="9호기"), default_graphs=[E + "g1", E + "g2"])
    assert sorted(row["s"] for row in rows.texts()) == [E + "a", E + "b"]
    assert found(store, "SELECT ?s FROM :g2 { ?s text:query $words }", words="9호기") == ["a", "b"]


def test_a_search_joins_what_stands_beside_it(store: Store) -> None:
    near = [Triple(NamedNode(E + "a"), NamedNode(E + "in"), NamedNode(E + "seoul"))]
    store.put_once({E + "g1": [label("a", "9호기"), label("b", "9호기"), *near]})
    text = "SELECT ?s { GRAPH :g1 { ?s text:query (rdfs:label $words 10) . ?s :in :seoul } }"
    assert found(store, text, words="9호기") == ["a"]
    assert store.ask(query(text.replace("SELECT ?s", "ASK"), words="9호기")) is True
    assert store.ask(query(text.replace("SELECT ?s", "ASK"), words="없는말")) is False
    made = store.construct(query(text.replace("SELECT ?s", "CONSTRUCT { ?s :found true } WHERE"), words="9호기"))
    assert [t.subject for t in made] == [NamedNode(E + "a")]


def test_a_hit_of_no_iri_of_ascii_comes_back_as_it_is(store: Store) -> None:
    odd = [label("9호기(예비)%20x", "밸브 (주)", "ko"), label("b", 'say "밸브"\n\u2028')]
    store.put_once({E + "g1": odd})
    rows = store.select(query("SELECT ?s ?l { GRAPH :g1 { (?s ?score ?l) text:query $words } }", words="밸브"))
    assert {(row["s"], row["l"]) for row in rows} == {(t.subject, t.object) for t in odd}


def test_a_worker_searches_too(store: Store) -> None:
    store.put_once({E + "g1": [label("a", "9호기", "ko")]})
    with Worker(store) as worker:
        assert [row["s"] for row in worker.select(NEAR)] == [NamedNode(E + "a")]
        store.replace(E + "g1", [label("b", "9호기")])
        assert [row["s"] for row in worker.select(NEAR)] == [NamedNode(E + "b")]


def test_files_are_searched_by_their_worker(tmp_path: Path) -> None:
    (tmp_path / "w.ttl").write_text(f'<{E}a> <{RDFS_LABEL}> "9호기"@ko .', encoding="utf-8")
    near = tmp_path / "near.rq"
    near.write_text(
        "PREFIX text: <http://jena.apache.org/text#> SELECT ?s { ?s text:query '9호기가' }", encoding="utf-8"
    )
    command = [
        sys.executable,
        "-m",
        "judgeloop",
        "query",
        str(near),
        "--data",
        str(tmp_path / "w.ttl"),
        "--format",
        "csv",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["s", E + "a"]), done.stderr


# --- a server


def test_what_other_programs_write_is_seen_after_reindex_only(empty_server: str) -> None:
    with at(empty_server) as store, at(empty_server) as other:
        store.put_once({E + "g1": [label("a", "9호기")]})
        assert len(store.select(NEAR)) == 1
        other.replace(E + "g1", [label("b", "9호기 새것"), label("c", "9호기 것")])
        assert len(store.select(NEAR)) == 1
        assert store.index_differences() == (2, 1)
        assert store.reindex() == 2
        assert store.index_differences() == (0, 0)
        assert len(store.select(NEAR)) == 2


def test_only_graphs_that_were_written_are_read_again(empty_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with at(empty_server) as store:
        store.put_once({E + "g1": [label("a", "9호기")]})
        store.select(NEAR)
        read: list[str] = []
        asked = store._labels._labels_in

        def noted(graphs: Sequence[str]) -> Iterator[Quad]:
            read.extend(graphs)
            return asked(graphs)

        monkeypatch.setattr(store._labels, "_labels_in", noted)
        store.put_once({E + "g1": [label("a", "9호기")], E + "g2": [label("b", "9호기")]})
        store.select(NEAR)
        store.select(NEAR)
        assert read == [E + "g2"]


def test_labels_beyond_one_answer_are_read_graph_by_graph(empty_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with at(empty_server) as store:
        for number in range(5):
            store.put_once({f"{E}g{number}": [label(f"s{at}", f"펌프 {number} {at} {'긴 ' * 99}") for at in range(50)]})
        monkeypatch.setattr(store._client, "_largest", 80_000)
        assert store.reindex() == 250


def test_a_server_that_does_not_answer_is_no_empty_result(empty_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with at(empty_server) as store:
        store.put_once({E + "g1": [label("a", "9호기")]})
        monkeypatch.setattr(store._client, "_largest", 10)
        with pytest.raises(StoreUnavailable):
            store.select(NEAR)


# --- what must not be indexed


def test_no_graph_of_a_verdict_holds_a_label(store: Store) -> None:
    """House law 13: only domain graphs, the contract and its ontology do."""
    contract = freeze("multihop")
    case = read_case(ROOT / "worlds/multihop/cases/all-that-acme-makes/case.json", contract)
    judge(case, contract, world=open_world(contract), store=store)
    graphs = {graph.rpartition("sha256-")[0].removesuffix("/").rpartition("/")[2] or graph for graph in store.graphs()}
    assert {"event", "verdict", "kg"} <= graphs
    indexed = {str(quad.graph_name) for quad in held(store)}
    assert indexed
    assert [graph for graph in indexed if "/event/" in graph or "/payload/" in graph or "/verdict/" in graph] == []
