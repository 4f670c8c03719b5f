"""Text search on a Fuseki: the same hits as elsewhere, an index that is held to the graphs, and servers without one."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

import pytest
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from judgeloop import assets
from judgeloop.errors import BadInput, StoreUnavailable
from judgeloop.rdf.rq import BoundQuery, Value, bind, parse
from judgeloop.rdf.textquery import Search
from judgeloop.store import Rows, http
from judgeloop.store.http import HttpStore
from judgeloop.store.own import own_query
from judgeloop.vocab import RDFS_LABEL, SKOS, XSD

if TYPE_CHECKING:
    from tests.conftest import Fuseki

E: Final = "http://example.org/"
G, H = E + "g", E + "h"
PREFIXES: Final = """
PREFIX text: <http://jena.apache.org/text#> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
"""
NAMES: Final = (
    *("홍길동", "에이크미", "9호기", "설비호기", "A1 생산라인", "A2라인"),
    *("서울", "Pump", "(주) 한빛", '"인용"', "12:30 회의"),
)

pytestmark = pytest.mark.needs("fuseki")


def label(thing: str, text: str, language: str | None = None, prop: str = RDFS_LABEL) -> Triple:
    return Triple(NamedNode(E + thing), NamedNode(prop), Literal(text, language=language))


def query(text: str, **values: Value) -> BoundQuery:
    header = "".join(f"# @param {name}: text\n" for name in values)
    return bind(parse(header + PREFIXES + text, "t.rq"), values)


@pytest.fixture
def store(empty_fuseki: "Fuseki") -> Iterator[HttpStore]:
    with http.at(empty_fuseki.write) as opened:
        yield opened


@pytest.fixture
def named(store: HttpStore) -> HttpStore:
    store.put_once(
        {G: [label(str(at), name, "ko") for at, name in enumerate(NAMES)], H: [label("other", "9호기", "ko")]}
    )
    return store


@pytest.fixture
def sent(store: HttpStore, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts of the queries that go to the server from now on."""
    texts: list[str] = []
    assert store.text.properties  # by now it is known what the server can search
    ask = store._client.query

    def note(path: str, text: str, *accept: str) -> object:
        texts.append(text)
        return ask(path, text, *accept)

    monkeypatch.setattr(store._client, "query", note)
    return texts


def search(store: HttpStore, words: str, graph: str = G, defaults: list[str] | None = None) -> list[str]:
    """Return the labels that the shipped search finds."""
    file = assets.find("sparql/retrieve/label_search.rq", [assets.root()])
    rows = store.select(
        bind(parse(assets.read(file).decode(), file.name), {"graph": graph, "words": words}), default_graphs=defaults
    )
    return column(rows, "label")


def column(rows: Rows, name: str) -> list[str]:
    return [row[name] for row in rows.texts()]


# --- what is found


@pytest.mark.parametrize(
    ("words", "best"),
    [
        ("홍길동이", "홍길동"),
        ("홍길동은", "홍길동"),
        ("에이크미가", "에이크미"),
        ("9호기가", "9호기"),
        ("A1 생산라인의", "A1 생산라인"),
        ("a2라인에", "A2라인"),
        ("서울에", "서울"),
        ("길동", "홍길동"),
        ("PUMP", "Pump"),
        ("(주)", "(주) 한빛"),
        ('"인용"', '"인용"'),
        ("12:30", "12:30 회의"),
    ],
)
@pytest.mark.parametrize("defaults", [None, [G], [G, H]])
def test_a_name_with_its_particle_finds_the_label(
    named: HttpStore, words: str, best: str, defaults: list[str] | None
) -> None:
    """The table of Korean quality in 2-grams; see also label_search.rq."""
    assert search(named, words, defaults=defaults)[0] == best


@pytest.mark.parametrize(
    "words", ["없는이름", "AND OR NOT", ") OR prefLabel:(길동", "*:*", "g* OR graph", "~~", "\\\\"]
)
def test_what_no_label_is_like_finds_nothing(store: HttpStore, words: str) -> None:
    store.put_once({G: [label("a", "서울"), label("b", "길동", prop=SKOS + "prefLabel")]})
    assert search(store, words) == []


@pytest.mark.parametrize("words", ["가", "", "x" * 201, "("])
def test_a_text_of_the_wrong_length_is_refused_and_not_sent(named: HttpStore, sent: list[str], words: str) -> None:
    """One character would return every document of the graph, and some thousand are refused by the server."""
    with pytest.raises(BadInput) as refused:
        search(named, words)
    assert refused.value.key in {"text-query-short", "text-query-long"}
    assert sent == []


@pytest.mark.parametrize("words", ["밸브 OR", "(밸브", "밸브*", "prefLabel:길동", "가"])
def test_a_text_in_the_file_that_is_an_operator_is_refused_and_not_sent(
    named: HttpStore, sent: list[str], words: str
) -> None:
    with pytest.raises(BadInput):
        named.select(query(f'SELECT ?s {{ GRAPH <{G}> {{ (?s ?score) text:query (rdfs:label "{words}" 10) }} }}'))
    assert sent == []


def test_a_decomposed_text_is_searched_for_composed(named: HttpStore) -> None:
    assert search(named, "\u1109\u1165\u110b\u116e\u11af\u110b\u1166")[0] == "서울"


def test_a_search_in_one_graph_is_the_servers_own(named: HttpStore, sent: list[str]) -> None:
    search(named, "9호기", defaults=[H])
    assert "text:query" in sent[-1]
    assert "FROM" not in sent[-1]


def test_a_search_that_the_server_takes_otherwise_is_answered_by_values(named: HttpStore, sent: list[str]) -> None:
    """With FROM jena-text searches the default graphs, too, though GRAPH names another one."""
    dataset = f"FROM <{H}> FROM NAMED <{G}>"
    within = query(f'SELECT ?g ?l {dataset} {{ GRAPH <{G}> {{ (?s ?x ?l ?g) text:query "9호기" }} }}')
    assert set(column(named.select(within), "g")) == {G}
    assert "VALUES" in sent[-1]
    assert set(column(named._rows(within), "g")) == {G, H}  # the server by itself


def test_outside_of_graph_the_default_graphs_are_searched_as_one(store: HttpStore) -> None:
    store.put_once(
        {G: [label("a", "9호기"), label("b", "8호기")], H: [label("a", "9호기")], E + "i": [label("c", "9호기")]}
    )
    bare = query('SELECT ?s ?l { (?s ?x ?l) text:query ("9호기" 2) } ORDER BY DESC(?x) ?s')
    assert column(store.select(bare, default_graphs=[G, H]), "s") == [E + "a", E + "b"]
    assert column(store.select(bare, default_graphs=[H]), "s") == [E + "a"]
    assert column(store.select(bare, default_graphs=[]), "s") == []
    assert column(store.select(bare), "s") == []


def test_each_graph_of_a_variable_has_a_limit_of_its_own(named: HttpStore, sent: list[str]) -> None:
    each = query("SELECT ?g ?l { GRAPH ?g { (?s ?x ?l) text:query (rdfs:label $words 1) } } ORDER BY ?g", words="9호기")
    assert [(row["g"], row["l"]) for row in named.select(each).texts()] == [(G, "9호기"), (H, "9호기")]
    assert "VALUES" in sent[-1]


def test_asking_and_constructing_search_too(named: HttpStore) -> None:
    pattern = f'{{ GRAPH <{G}> {{ (?s ?x ?l) text:query (rdfs:label "9호기" 1) }} }}'
    assert named.ask(query(f"ASK {pattern}")) is True
    assert named.ask(query(f"ASK {pattern}".replace("9호기", "없는이름"))) is False
    found = named.construct(query(f"CONSTRUCT {{ ?s rdfs:label ?l }} WHERE {pattern}"), default_graphs=[H])
    assert [triple.object for triple in found] == [Literal("9호기", language="ko")]


@pytest.mark.parametrize(
    ("tag", "found"), [("en-us", ["Pump A"]), ("EN-US", ["Pump A"]), ("ko", ["Pump 가"]), ("none", ["Pump"])]
)
def test_a_language_is_one_whatever_its_capitals(store: HttpStore, tag: str, found: list[str]) -> None:
    """The option of jena-text counts capitals, and finds nothing for the tag as the query writes it."""
    store.put_once({G: [label("a", "Pump A", "en-us"), label("b", "Pump 가", "ko"), label("c", "Pump")]})
    rows = store.select(
        query(f'SELECT ?l {{ GRAPH <{G}> {{ (?s ?x ?l) text:query (rdfs:label "pump" 9 "lang:{tag}") }} }}')
    )
    assert column(rows, "l") == found


@pytest.mark.parametrize("tag", ["e*", "ko) OR (lang:en", "none) OR (lang:ko"])
def test_a_language_is_no_query(named: HttpStore, tag: str) -> None:
    text = f'SELECT ?l {{ GRAPH <{G}> {{ (?s ?x ?l) text:query (rdfs:label "9호기" 9 "lang:{tag}") }} }}'
    assert column(named.select(query(text)), "l") == []


def test_a_thing_that_is_named_is_found_beyond_the_limit(store: HttpStore) -> None:
    store.put_once({G: [label(f"n{at}", "호기") for at in range(30)] + [label("far", "멀리 있는 다른 호기")]})
    text = f'SELECT ?l {{ GRAPH <{G}> {{ (<{E}far> ?x ?l) text:query (rdfs:label "호기" 1) }} }}'
    assert column(store.select(query(text)), "l") == ["멀리 있는 다른 호기"]


def test_a_code_is_found_whole(store: HttpStore) -> None:
    store.put_once({G: [label("a", "A1-LN", prop=SKOS + "notation"), label("b", "A1-LN-2", prop=SKOS + "notation")]})
    text = f"SELECT ?l {{ GRAPH <{G}> {{ (?s ?x ?l) text:query (skos:notation $words 9) }} }}"
    assert column(store.select(query(text, words="a1-ln")), "l") == ["A1-LN"]
    assert column(store.select(query(text, words="a1")), "l") == []


def test_several_properties_share_one_limit(store: HttpStore) -> None:
    store.put_once(
        {G: [label("a", "9호기"), label("b", "9호기", prop=SKOS + "prefLabel"), label("c", "9호기 옆 설비")]}
    )
    found = store.text.find(Search((RDFS_LABEL, SKOS + "prefLabel"), ("9호기",), 2, graph=G))
    assert len(found) == 2
    assert [store.text.find(Search((E + "other",), ("9호기",), 2, graph=G))] == [[]]


def test_what_is_no_label_takes_no_place_of_one(store: HttpStore) -> None:
    """A Fuseki indexes blank nodes and typed values, too; other stores do not."""
    strange = [Triple(BlankNode(f"b{at}"), NamedNode(RDFS_LABEL), Literal("9호기")) for at in range(9)]
    typed = Triple(NamedNode(E + "t"), NamedNode(RDFS_LABEL), Literal("9호기", datatype=NamedNode(XSD + "token")))
    store.put_once({G: [*strange, typed, label("a", "9호기 옆 설비")]})
    assert [hit.subject.value for hit in store.text.find(Search((), ("9호기",), 1, graph=G))] == [E + "a"]


# --- answers that no index gives


@pytest.mark.parametrize(
    "rows",
    [
        [(NamedNode(E + str(at)), Literal("1"), None, NamedNode(G), None) for at in range(3)],
        [
            (NamedNode(E + str(at)), Literal("1"), Literal("9호기"), NamedNode(G), NamedNode(RDFS_LABEL))
            for at in range(9)
        ],
        [(None, None, None, None, None)],
    ],
)
def test_hits_that_can_not_be_true_are_refused(named: HttpStore, rows: list[tuple[object, ...]]) -> None:
    """Every document with one score and no label; more hits than were asked for; the one row of no index at all."""
    assert named.text.properties
    named.text._rows = lambda _: Rows(("thing", "score", "label", "holder", "by"), rows)  # type: ignore[arg-type]
    with pytest.raises(StoreUnavailable) as refused:
        named.text.find(Search((), ("9호기",), 5, graph=G))
    assert refused.value.key == "text-impossible"


def test_an_error_whose_words_are_hangul_breaks_no_later_query(named: HttpStore) -> None:
    """The server counts the characters of its refusal and sends bytes, which breaks a kept connection."""
    wrong = bind(own_query("find"), {"graph": G, "property": RDFS_LABEL, "words": "밸브 OR", "limit": 3})
    for _ in range(3):
        with pytest.raises(StoreUnavailable) as refused:
            named._rows(wrong)
        assert refused.value.params["status"] in {400, 500}
        assert search(named, "9호기가")[0] == "9호기"


@pytest.mark.parametrize("cross", ["?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l"])
def test_an_answer_that_the_server_gave_up_on_is_no_answer(
    broken_fuseki: "Callable[[str], Fuseki]", monkeypatch: pytest.MonkeyPatch, cross: str
) -> None:
    """Rows that had begun are cut and come with 200; rows that had not are 503."""
    server = broken_fuseki("hurried")
    server.be_writer(monkeypatch)
    with http.at(server.write) as store:
        store.put_once({G: [label(str(at), f"이름 {at}") for at in range(300)]})
        for text in (
            f"SELECT * {{ GRAPH <{G}> {{ {cross} }} }}",
            f"SELECT (COUNT(*) AS ?n) {{ GRAPH <{G}> {{ {cross} }} }}",
        ):
            with pytest.raises(StoreUnavailable) as refused:
                store.select(query(text))
            assert refused.value.key in {"http-cut", "http-status", "http-dropped", "http-busy"}
        assert store.count(G) == 300


# --- the index and the graphs


def test_the_index_follows_every_write_of_the_store(store: HttpStore) -> None:
    store.put_once({G: [label("a", "9호기"), label("b", "서울", "ko-kr")], H: [label("a", "9호기")]})
    assert store.text.index_differences() == (0, 0)
    store.replace(G, [label("a", "9호기"), label("c", "부산")])
    store.put_once({}, [Quad(NamedNode(E + "d"), NamedNode(SKOS + "altLabel"), Literal("대전"), NamedNode(G))])
    store.drop(H)
    assert store.text.index_differences() == (0, 0)
    assert search(store, "서울") == []
    assert search(store, "부산") == ["부산"]


def test_an_index_that_was_left_behind_is_seen_and_made_again(store: HttpStore, empty_fuseki: "Fuseki") -> None:
    """When a label with a type goes, jena-text takes the one without a type out of its index, too."""
    store.put_once({G: [label("a", "9호기"), label("b", "서울")]})
    empty_fuseki.update(f"INSERT DATA {{ GRAPH <{G}> {{ <{E}a> <{RDFS_LABEL}> '9호기'^^<{XSD}token> }} }}")
    empty_fuseki.update(f"DELETE DATA {{ GRAPH <{G}> {{ <{E}a> <{RDFS_LABEL}> '9호기'^^<{XSD}token> }} }}")
    assert search(store, "9호기") == []
    assert store.text.index_differences() == (1, 0)
    assert store.text.reindex() == 2
    assert store.text.index_differences() == (0, 0)
    assert search(store, "9호기") == ["9호기"]
    assert set(store.graph(G)) == {label("a", "9호기"), label("b", "서울")}


def test_labels_that_are_no_longer_there_leave_the_index(store: HttpStore, empty_fuseki: "Fuseki") -> None:
    """A PUT of the whole data set takes triples away and leaves their documents in jena-text's index."""
    store.put_once({G: [label("a", "9호기", "ko-kr"), label("b", "서울")], H: [label("a", "8호기")]})
    quad = f'<{E}b> <{RDFS_LABEL}> "서울" <{G}> .\n'
    empty_fuseki.write_as("PUT", "/judge-rw/data", "application/n-quads", quad)
    assert search(store, "9호기") == ["9호기"]
    missing, surplus = store.text.index_differences()
    assert (missing, surplus) != (0, 0)
    assert surplus >= 2
    assert store.text.reindex() == 1
    assert store.text.index_differences() == (0, 0)
    assert search(store, "9호기") == []
    assert search(store, "서울") == ["서울"]
    assert [list(store.graph(name)) for name in store.graphs()] == [[label("b", "서울")]]


def in_default(triple: Triple) -> Quad:
    return Quad(triple.subject, triple.predicate, triple.object, DefaultGraph())


def test_labels_of_the_default_graph_are_neither_found_nor_counted(store: HttpStore, empty_fuseki: "Fuseki") -> None:
    """jena-text keeps documents of a default graph that was cleared, so nothing is ever searched there."""
    store.put_once({G: [label("a", "9호기")]}, [in_default(label("d", "서울"))])
    empty_fuseki.update("CLEAR DEFAULT")
    assert store.text.index_differences() == (0, 0)
    assert column(store.select(query('SELECT ?s { (?s ?x ?l) text:query "서울" }')), "s") == []
    assert column(store.select(query('SELECT ?s { GRAPH ?g { (?s ?x ?l) text:query "서울" } }')), "s") == []


def test_an_index_can_not_be_made_by_who_may_only_read(empty_fuseki: "Fuseki", monkeypatch: pytest.MonkeyPatch) -> None:
    empty_fuseki.update(f"INSERT DATA {{ GRAPH <{G}> {{ <{E}a> <{RDFS_LABEL}> '9호기' }} }}")
    monkeypatch.delenv("JUDGELOOP_STORE_USER")
    monkeypatch.delenv("JUDGELOOP_STORE_PASSWORD")
    with http.at(empty_fuseki.read) as store:
        assert search(store, "9호기") == ["9호기"]
        assert store.text.index_differences() == (0, 0)
        with pytest.raises(StoreUnavailable) as refused:
            store.text.reindex()
        assert refused.value.key == "http-read-only"


def test_a_write_that_lost_its_guard_is_told_by_reading_back(store: HttpStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compare-and-set that lost is answered by 204, as one that won is."""
    store.put_once({G: [label("a", "9호기")]})
    monkeypatch.setattr(store._writer, "existing", lambda _: set())  # as it was when we looked
    assert store.put_once({G: [label("b", "서울")]}) is False
    assert list(store.graph(G)) == [label("a", "9호기")]
    assert store.text.index_differences() == (0, 0)


# --- servers that something is wrong with


@pytest.mark.parametrize("kind", ["no-index", "no-text"])
def test_on_a_server_without_an_index_labels_are_found_all_the_same(
    broken_fuseki: "Callable[[str], Fuseki]", monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Left to itself it gives every label, or none, and says 200."""
    server = broken_fuseki(kind)
    server.be_writer(monkeypatch)
    server.update("DROP ALL")
    with http.at(server.write) as store:
        store.put_once({G: [label("a", "9호기"), label("b", "서울")]})
        assert store.text.properties == frozenset()
        assert search(store, "9호기가") == ["9호기"]
        assert search(store, "없는이름", defaults=[G]) == []
        assert column(everywhere(store), "s") == [E + "a"]
        assert store.index_differences() == (0, 0)
        with pytest.raises(StoreUnavailable) as refused:
            store.text.find(Search((), ("9호기",), 5, graph=G))
        assert refused.value.key == "text-no-index"
        raw = query(f'SELECT ?s {{ GRAPH <{G}> {{ (?s ?x) text:query "없는이름" . ?s rdfs:label ?l }} }}')
        assert sorted(column(store._rows(raw), "s")) == ([E + "a", E + "b"] if kind == "no-index" else [])


def test_a_label_that_the_index_does_not_hold_is_never_not_found(
    broken_fuseki: "Callable[[str], Fuseki]", monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a property that is not in its map jena-text finds nothing, and says 200."""
    server = broken_fuseki("unmapped")
    server.be_writer(monkeypatch)
    server.update("DROP ALL")
    with http.at(server.write) as store:
        store.put_once({G: [label("a", "9호기")]})
        for use in (
            lambda: search(store, "9호기"),
            lambda: search(store, "9호기", defaults=[G]),
            lambda: everywhere(store),
        ):
            with pytest.raises(StoreUnavailable) as refused:
                use()
            assert (refused.value.key, refused.value.place, refused.value.exit_code) == ("text-unmapped", store.url, 5)


def everywhere(store: HttpStore) -> Rows:
    return store.select(query('SELECT ?s { GRAPH ?g { (?s ?x) text:query "9호기" } }'))


def test_an_empty_graph_is_searched_and_is_not_there(
    broken_fuseki: "Callable[[str], Fuseki]", monkeypatch: pytest.MonkeyPatch
) -> None:
    server = broken_fuseki("empty-graph")
    server.be_writer(monkeypatch)
    with http.at(server.write) as store:
        assert store.text.properties == {RDFS_LABEL, *(SKOS + name for name in ("prefLabel", "altLabel", "notation"))}
        assert search(store, "9호기") == []
        assert not store.has_graph(G)


def test_a_server_of_another_make_has_no_index(empty_server: str) -> None:
    with http.at(empty_server) as store:
        assert store.text.properties == frozenset()
