"""What every store promises; see conftest.py for the kinds that are held to it."""

import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from judgeloop.errors import BadInput, StoreError
from judgeloop.rdf import literal
from judgeloop.rdf.rq import BoundQuery, Value, bind, parse
from judgeloop.store import Rows, Store, open_store
from judgeloop.vocab import HEADS, XSD

E = "http://example.org/"
P = NamedNode(E + "p")


def triple(subject: str, value: str) -> Triple:
    return Triple(NamedNode(E + subject), P, Literal(value))


def query(text: str, **values: Value) -> BoundQuery:
    header = "".join(f"# @param {name}: string\n" for name in values)
    return bind(parse(header + text, "t.rq"), values)


SEOUL, BUSAN, TOKYO = triple("a", "서울"), triple("b", "부산"), triple("c", "東京")
ALL = query("SELECT ?s ?o { ?s ?p ?o }")
NUMBER = query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")


def values(rows: Rows, column: str) -> list[str]:
    return sorted(term.value for row in rows if isinstance(term := row[column], Literal | NamedNode))


# --- writing


def test_graphs_and_extra_quads_are_written_together(store: Store) -> None:
    head = Quad(NamedNode(E + "g1"), P, Literal("PASS"), NamedNode(HEADS))
    assert store.put_once({E + "g1": [SEOUL, BUSAN], E + "g2": [TOKYO]}, [head]) is True
    assert set(store.graph(E + "g1")) == {SEOUL, BUSAN}
    assert store.graphs() == [E + "g1", E + "g2", HEADS]
    assert list(store.heads()) == [head.triple]


def test_a_graph_that_is_there_is_left_alone(store: Store) -> None:
    store.put_once({E + "g": [SEOUL]})
    assert store.put_once({E + "g": [BUSAN]}) is False
    assert list(store.graph(E + "g")) == [SEOUL]


def test_writing_the_same_again_writes_nothing_and_succeeds(store: Store) -> None:
    head = Quad(NamedNode(E + "g"), P, Literal("1"), NamedNode(HEADS))
    assert store.put_once({E + "g": [SEOUL]}, [head]) is True
    assert store.put_once({E + "g": [SEOUL]}, [head]) is False
    assert store.put_once({}) is False


def test_a_new_graph_is_written_beside_one_that_is_there(store: Store) -> None:
    store.put_once({E + "g1": [SEOUL]})
    assert store.put_once({E + "g1": [BUSAN], E + "g2": [BUSAN]}) is True
    assert list(store.graph(E + "g1")) == [SEOUL]
    assert list(store.graph(E + "g2")) == [BUSAN]


def test_extra_quads_alone_count_as_written(store: Store) -> None:
    assert store.put_once({}, [Quad(SEOUL.subject, P, SEOUL.object, DefaultGraph())]) is True
    assert values(store.select(ALL), "o") == ["서울"]


@pytest.mark.parametrize("name", ["no iri", "", "javascript:1", "http://e/<", "http://e/\ud800"])
def test_a_bad_graph_name_leaves_nothing_behind(store: Store, name: str) -> None:
    with pytest.raises(BadInput) as refused:
        store.put_once({E + "g": [SEOUL], name: [BUSAN]})
    assert refused.value.key == "iri-unsafe"
    assert store.graphs() == []


def test_triples_that_stop_half_way_leave_nothing_behind(store: Store) -> None:
    def broken() -> "list[Triple]":
        raise EOFError

    with pytest.raises(EOFError):
        store.put_once({E + "g1": [SEOUL], E + "g2": (t for _ in "a" for t in broken())})
    with pytest.raises(EOFError):
        store.replace(E + "g1", (t for _ in "a" for t in broken()))
    assert store.graphs() == []


def test_replacing_says_whether_anything_changed(store: Store) -> None:
    assert store.replace(E + "g", [SEOUL, BUSAN]) is True
    assert store.replace(E + "g", [BUSAN, SEOUL, SEOUL]) is False
    assert store.replace(E + "g", [BUSAN, TOKYO]) is True
    assert set(store.graph(E + "g")) == {BUSAN, TOKYO}
    assert store.graphs() == [E + "g"]
    assert store.replace(E + "g", []) is True
    assert store.replace(E + "g", []) is False
    assert store.graphs() == []


def test_replacing_touches_no_other_graph(store: Store) -> None:
    store.put_once({E + "other": [SEOUL], E + "g": [SEOUL]})
    store.replace(E + "g", [BUSAN])
    assert list(store.graph(E + "other")) == [SEOUL]


def test_a_literal_that_the_store_rewrites_is_no_change_the_second_time(store: Store) -> None:
    written = Triple(SEOUL.subject, P, Literal("007", datatype=NamedNode(XSD + "integer")))
    store.replace(E + "g", [written])
    assert store.replace(E + "g", [written]) is False


def test_blank_nodes_keep_their_joints_when_a_graph_is_replaced(store: Store) -> None:
    node = BlankNode("n")
    store.replace(E + "g", [SEOUL])
    store.replace(E + "g", [Triple(SEOUL.subject, P, node), Triple(node, P, Literal("x"))])
    joined = query("SELECT ?o { GRAPH ?g { ?s ?p ?node . ?node ?q ?o } }")
    assert values(store.select(joined), "o") == ["x"]


def test_dropping_removes_one_graph_and_no_other(store: Store) -> None:
    store.put_once({E + "g1": [SEOUL], E + "g2": [SEOUL]})
    store.drop(E + "g1")
    store.drop(E + "g1")
    assert (store.has_graph(E + "g1"), store.has_graph(E + "g2")) == (False, True)
    assert store.graphs() == [E + "g2"]


# --- reading


def test_a_graph_without_triples_is_not_there(store: Store) -> None:
    assert store.put_once({E + "g": []}) is False
    assert (store.has_graph(E + "g"), store.count(E + "g"), list(store.graph(E + "g"))) == (False, 0, [])


def test_counting_counts_one_graph(store: Store) -> None:
    store.put_once({E + "g1": [SEOUL, BUSAN], E + "g2": [SEOUL]})
    assert store.count(E + "g1") == 2


def test_a_graph_is_read_as_it_was_when_reading_began(store: Store) -> None:
    store.put_once({E + "g": [SEOUL]})
    reading = store.graph(E + "g")
    store.replace(E + "g", [BUSAN])
    assert list(reading) == [SEOUL]


def test_rows_keep_columns_order_and_gaps(store: Store) -> None:
    store.put_once({E + "g": [SEOUL, BUSAN]})
    rows = store.select(
        query(
            "SELECT ?o ?gap ?s WHERE { GRAPH ?g { ?s ?p ?o } OPTIONAL { ?s ?p ?gap } FILTER(?o != $not) } ORDER BY ?o",
            **{"not": "부산"},
        )
    )
    assert rows.variables == ("o", "gap", "s")
    assert rows.rows == [(SEOUL.object, None, SEOUL.subject)]
    assert [dict(row) for row in rows] == [{"o": SEOUL.object, "gap": None, "s": SEOUL.subject}]
    assert (len(rows), rows.complete) == (1, True)


def test_rows_as_text_leave_gaps_out(store: Store) -> None:
    store.put_once({E + "g": [SEOUL]})
    rows = store.select(query("SELECT ?o ?gap ?s WHERE { GRAPH ?g { ?s ?p ?o } OPTIONAL { ?o ?p ?gap } }"))
    assert list(rows.texts()) == [{"o": "서울", "s": E + "a"}]


def test_asking_and_constructing(store: Store) -> None:
    store.put_once({E + "g1": [SEOUL], E + "g2": [SEOUL]})
    assert store.ask(query("ASK { GRAPH ?g { ?s ?p $o } }", o="서울")) is True
    assert store.ask(query("ASK { GRAPH ?g { ?s ?p $o } }", o="없음")) is False
    assert store.construct(query("CONSTRUCT WHERE { ?s ?p ?o }")) == []
    assert store.construct(query("CONSTRUCT { ?s ?p ?o } { GRAPH ?g { ?s ?p ?o } }")) == [SEOUL]


def test_outside_of_graph_stands_the_own_default_graph_unless_told(store: Store) -> None:
    store.put_once({E + "g": [SEOUL]}, [Quad(BUSAN.subject, P, BUSAN.object, DefaultGraph())])
    assert values(store.select(ALL), "o") == ["부산"]
    assert values(store.select(ALL, default_graphs=[E + "g"]), "o") == ["서울"]
    assert values(store.select(ALL, default_graphs=[]), "o") == []
    assert values(store.select(ALL, default_graphs=[E + "none"]), "o") == []
    assert store.ask(query("ASK { ?s ?p $o }", o="서울"), default_graphs=[E + "g"]) is True
    assert store.construct(query("CONSTRUCT WHERE { ?s ?p ?o }"), default_graphs=[E + "g"]) == [SEOUL]


def test_a_triple_of_two_default_graphs_is_one_triple(store: Store) -> None:
    """SPARQL 1.1, section 13.2.1: the default graph is the RDF merge of the graphs."""
    store.put_once({E + "g1": [SEOUL, BUSAN], E + "g2": [SEOUL, TOKYO], E + "g3": [TOKYO]})
    both = [E + "g1", E + "g2"]
    assert values(store.select(ALL, default_graphs=both), "o") == ["東京", "부산", "서울"]
    assert values(store.select(NUMBER, default_graphs=[E + "g1", E + "g1", E + "g3"]), "n") == ["3"]
    assert values(store.select(NUMBER, default_graphs=both), "n") == ["3"]
    store.drop(E + "g2")
    assert values(store.select(NUMBER, default_graphs=both), "n") == ["2"]


def test_named_graphs_stay_in_reach_beside_default_graphs(store: Store) -> None:
    store.put_once({E + "g1": [SEOUL], E + "g2": [SEOUL], E + "g3": [TOKYO]})
    named = query("SELECT ?g { ?s ?p ?o GRAPH ?g { ?s2 ?p ?o2 } }")
    for defaults in ([E + "g1"], [E + "g1", E + "g2"], [E + "g1", E + "g3"]):
        found = values(store.select(named, default_graphs=defaults), "g")
        assert sorted(set(found)) == [E + "g1", E + "g2", E + "g3"], defaults


def test_a_query_that_names_its_dataset_gets_that(store: Store) -> None:
    store.put_once({E + "g1": [SEOUL], E + "g2": [BUSAN]})
    named = query("SELECT ?o FROM <http://example.org/g2> { ?s ?p ?o }")
    assert values(store.select(named, default_graphs=[E + "g1"]), "o") == ["부산"]


# --- what is refused


def test_no_sparql_is_refused_with_its_place(store: Store) -> None:
    with pytest.raises(BadInput) as refused:
        store.select(query("SELECT ?s {\n ?s ?p }"))
    assert refused.value.key == "rq-syntax"
    assert refused.value.place.startswith("t.rq:2:")
    assert len(refused.value.text("ko")) < 300


def test_a_query_of_another_kind_is_refused(store: Store) -> None:
    with pytest.raises(BadInput) as refused:
        store.select(query("ASK {}"))
    assert refused.value.text() == "t.rq: this is a query of kind ASK; SELECT is needed here"
    with pytest.raises(BadInput):
        store.ask(ALL)
    with pytest.raises(BadInput):
        store.construct(ALL)


def test_a_query_that_calls_an_unknown_function_is_refused(store: Store) -> None:
    with pytest.raises(BadInput) as refused:
        store.select(query("SELECT ?s { ?s ?p ?o FILTER(<http://example.org/f>(?o)) }"))
    assert refused.value.key == "rq-unrunnable"


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    store.close()
    for use in (
        lambda: store.select(ALL),
        lambda: store.put_once({E + "g": [SEOUL]}),
        lambda: store.has_graph(E + "g"),
        store.graphs,
    ):
        with pytest.raises(StoreError) as refused:
            use()
        assert refused.value.key == "store-closed"


# --- what holds beside


def test_the_secret_is_key_material_and_no_part_of_any_text(store: Store) -> None:
    assert len(store.secret) == 32
    assert store.secret.hex() not in repr(store)


def test_flushing_is_allowed_at_any_time(store: Store) -> None:
    store.flush()
    store.put_once({E + "g": [SEOUL]})
    store.flush()


def test_threads_that_write_the_same_graph_write_it_once(store: Store) -> None:
    written: list[bool] = []
    start = threading.Barrier(8)

    def write(number: int) -> None:
        start.wait()
        written.append(store.put_once({E + "g": [triple("a", str(number)), triple("b", str(number))]}))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(written) == [False] * 7 + [True]
    assert store.count(E + "g") == 2


MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2999, 1, 1)).map(  # noqa: DTZ001 - zoned just below
    lambda moment: moment.replace(tzinfo=UTC) - timedelta(microseconds=moment.microsecond % 1000)
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
TYPED = st.one_of(
    st.integers(-(10**17) + 1, 10**17 - 1).map(lambda n: (literal.integer(str(n)), "integer")),
    st.decimals(allow_nan=False, allow_infinity=False, places=6).map(lambda d: (literal.decimal(str(d)), "decimal")),
    MOMENTS.map(lambda moment: (literal.instant(moment.isoformat()), "dateTime")),
    st.sampled_from([("true", "boolean"), ("false", "boolean")]),
)
LITERALS = st.one_of(
    TEXT.map(Literal),
    st.tuples(TEXT, st.sampled_from(["ko", "en", "ko-kr", "zh-hant-tw"])).map(lambda x: Literal(x[0], language=x[1])),
    TYPED.filter(lambda x: x[0] is not None).map(lambda x: Literal(str(x[0]), datatype=NamedNode(XSD + x[1]))),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(LITERALS, min_size=1, max_size=20))
def test_literals_of_the_profile_come_back_character_for_character(store: Store, written: list[Literal]) -> None:
    triples = {Triple(NamedNode(f"{E}{at}"), P, term) for at, term in enumerate(written)}
    store.drop(E + "g")
    store.put_once({E + "g": triples})
    assert set(store.graph(E + "g")) == triples
    rows = store.select(query("SELECT ?s ?o { GRAPH ?g { ?s ?p ?o } }"))
    assert sorted(map(str, (row["o"] for row in rows))) == sorted(map(str, written))


# --- opening


@pytest.mark.parametrize("url", ["file:///tmp/x", "memory:x", "ftp://x", "httpx://x", ""])
def test_an_unknown_kind_of_store_is_refused(url: str) -> None:
    with pytest.raises(StoreError) as refused:
        open_store(url)
    assert (refused.value.key, refused.value.exit_code) == ("store-kind", 2)


def test_two_stores_in_memory_share_a_secret_and_nothing_else() -> None:
    with open_store() as one, open_store() as two:
        one.put_once({E + "g": [SEOUL]})
        assert one.secret == two.secret
        assert two.graphs() == []


def test_naming_the_store_loads_no_engine() -> None:
    check = "import sys, judgeloop.store; sys.exit(any(m in sys.modules for m in ('pyoxigraph', 'pydantic', 'rdflib')))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
