"""Where the graphs of a query stand in its text (SPARQL 1.1, rules 7 to 16: before WHERE, after a template)."""

import pytest
from pyoxigraph import Literal, NamedNode, Quad, QuerySolutions, Store, Variable

from judgeloop.errors import BadInput
from judgeloop.rdf.dataset import NOWHERE, over
from judgeloop.rdf.rq import bind, parse


def asked(text: str, default: tuple[str, ...] = ("urn:xx:a",), beside: tuple[str, ...] = ()) -> str:
    return over(bind(parse(text, "t.rq"), {}), default, beside)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("SELECT * WHERE { ?s ?p ?o }", "SELECT * |WHERE { ?s ?p ?o }"),
        ("SELECT*{ ?s ?p ?o }", "SELECT*|{ ?s ?p ?o }"),
        ("select ?s where{ ?s ?p ?o }", "select ?s |where{ ?s ?p ?o }"),
        ("ASK{ ?s ?p ?o }", "ASK|{ ?s ?p ?o }"),
        ("ASK WHERE { ?s ?p ?o }", "ASK |WHERE { ?s ?p ?o }"),
        (
            "SELECT (EXISTS { ?s ?p ?o } AS ?is) ?s { ?s ?p ?o FILTER EXISTS { SELECT * WHERE { ?s ?p ?o } } }",
            "SELECT (EXISTS { ?s ?p ?o } AS ?is) ?s |{ ?s ?p ?o FILTER EXISTS { SELECT * WHERE { ?s ?p ?o } } }",
        ),
        ("PREFIX select: <urn:xx:> ASK { ?s select:p ?o }", "PREFIX select: <urn:xx:> ASK |{ ?s select:p ?o }"),
        ("# WHERE {\nSELECT * # WHERE {\n{ ?where ?p '{' }", "# WHERE {\nSELECT * # WHERE {\n|{ ?where ?p '{' }"),
        ("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", "CONSTRUCT { ?s ?p ?o } |WHERE { ?s ?p ?o }"),
        ("CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }", "CONSTRUCT { ?s ?p ?o } |{ ?s ?p ?o }"),
        ("CONSTRUCT WHERE { ?s ?p ?o }", "CONSTRUCT |WHERE { ?s ?p ?o }"),
        ("CONSTRUCT {} { ?s ?p ?o }", "CONSTRUCT {} |{ ?s ?p ?o }"),
    ],
)
def test_the_dataset_stands_where_the_grammar_wants_it(text: str, place: str) -> None:
    written = asked(text)
    assert written == place.replace("|", " FROM <urn:xx:a> ")
    Store().query(written)  # the grammar of an engine agrees


def test_the_query_is_asked_over_those_graphs_only() -> None:
    store = Store()
    store.extend(
        Quad(NamedNode("urn:xx:s"), NamedNode("urn:xx:p"), Literal(n), NamedNode(f"urn:xx:{n}")) for n in "abc"
    )
    found = store.query(asked("SELECT ?o ?g { ?s ?p ?o GRAPH ?g { ?s2 ?p2 ?o2 } }", beside=("urn:xx:b",)))
    assert isinstance(found, QuerySolutions)
    rows = [(row[Variable("o")], row[Variable("g")]) for row in found]
    assert rows == [(Literal("a"), NamedNode("urn:xx:b"))]


def test_no_graph_is_an_empty_default_graph() -> None:
    assert f"FROM <{NOWHERE}> " in asked("ASK { ?s ?p ?o }", ())


def test_what_is_no_name_is_refused() -> None:
    with pytest.raises(BadInput):
        asked("ASK {}", ("urn:xx:a> {} #",))
