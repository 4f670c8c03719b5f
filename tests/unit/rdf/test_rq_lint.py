"""What makes a query give other rows on another store or another day, and where it is said."""

import pytest

from judgeloop.messages import LANGS, render
from judgeloop.rdf.rq import parse
from judgeloop.rdf.rq_lint import Remark, lint

PORTABLE = """# @param graph: iri
# @param words: text
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX text: <http://jena.apache.org/text#>
SELECT ?thing ?score ?label WHERE {
  GRAPH $graph { (?thing ?score ?label) text:query (rdfs:label $words 20) . ?thing a ?kind }
} ORDER BY DESC(?score) ?thing ?label
"""
CALL = "(?thing ?score ?label) text:query (rdfs:label $words 20)"


def found(text: str) -> list[str]:
    """Return the remarks as ``line:column severity key``; each has its sentence in both languages."""
    remarks = lint(parse(text, "q.rq", allow_update=True))
    assert all(render(remark.key, lang, **remark.params) for remark in remarks for lang in LANGS)
    return [f"{r.place.removeprefix('q.rq:')} {r.severity} {r.key.removeprefix('rq-lint-')}" for r in remarks]


def test_the_portable_form_has_nothing_to_change() -> None:
    assert found(PORTABLE) == []


@pytest.mark.parametrize(
    ("old", "new", "remarks"),
    [
        (CALL, f"?other a ?kind . {CALL}", ["6:58 error search-first"]),
        (CALL, f"BIND(1 AS ?one) {CALL}", ["6:57 error search-first"]),
        (CALL, f"FILTER(?kind != rdfs:Class) {CALL}", []),
        (CALL, f"(?a ?b) text:query (rdfs:label $words 5) . {CALL}", ["6:26 error score-order"]),
        (CALL, f"?thing a ?kind . {CALL}", ["6:58 error search-first", "6:58 error search-subject"]),
        (CALL, f"VALUES ?thing {{ rdfs:label }} {CALL}", ["6:70 error search-first", "6:70 error search-subject"]),
        (
            f"GRAPH $graph {{ {CALL}",
            f"GRAPH $graph {{ ?thing a ?k }} GRAPH $graph {{ {CALL}",
            ["6:70 error search-subject"],
        ),
        (CALL, f"{{ {CALL} }} UNION {{ {CALL} }}", []),
        ("(?thing ?score ?label)", "($graph ?score ?label)", ["6:41 error search-subject"]),
        ("(rdfs:label $words", "(rdfs:label rdfs:label $words", ["6:41 error search-properties"]),
        ("(rdfs:label $words 20)", "($words 20)", ["6:41 error search-properties"]),
        ("(rdfs:label $words", "(rdfs:comment $words", ["6:53 error search-property"]),
        ("words: text", "words: string", ["6:64 error search-text"]),
        ("words: text", "words: langString", ["6:64 error search-text"]),
        ("# @param words: text\n", "", ["5:64 error text-query-unbound"]),
        ("$words 20", "$words", ["6:41 error search-limit"]),
        ("$words 20", "$words 'lang:ko'", ["6:41 error search-limit"]),
        ("$words 20", "$words 100", []),
        ("$words 20", "$words 101", ["6:71 error search-limit"]),
        ("$words 20", "$words 0", ["6:71 error search-limit"]),
        ("$words 20", "$words -1", ["6:71 error search-limit"]),
        ("(?thing ?score ?label)", "(?thing)", ["6:27 error score-missing"]),
        ("(?thing ?score ?label)", "?thing", ["6:25 error score-missing"]),
        ("DESC(?score)", "?score", ["6:41 error score-order"]),
        ("DESC(?score)", "DESC(?score + 1)", ["6:41 error score-order"]),
        ("ORDER BY DESC(?score) ?thing ?label", "", ["6:41 error score-order"]),
        ("?kind }", "?kind FILTER(?score > 0.5) }", ["6:99 error score-threshold"]),
        ("?kind }", "?kind FILTER(0.5 <= ?score) }", ["6:106 error score-threshold"]),
        ("?kind }", "?kind FILTER(?thing = ?kind) }", []),
        ("?label\n", "?label LIMIT 3", []),
        ("?thing ?label\n", "?thing LIMIT 3", ["7:32 warning limit-without-total-order"]),
        ("text:query", "text:query/rdfs:label", ["6:41 error text-query-path"]),
        ("$words 20", "$words 20 'highlight:'", ["6:74 error text-query-highlight"]),
    ],
)
def test_what_another_store_would_do_differently_is_found(old: str, new: str, remarks: list[str]) -> None:
    changed = PORTABLE.replace(old, new, 1)
    assert changed != PORTABLE
    assert found(changed) == remarks


@pytest.mark.parametrize(
    ("words", "remarks"),
    [
        ("'생산'", ["5:64 warning search-fixed"]),
        ("'생산*'", ["5:64 error text-query-operator"]),
        ("'산'", ["5:64 error text-query-short"]),
    ],
)
def test_a_fixed_text_is_told(words: str, remarks: list[str]) -> None:
    text = PORTABLE.replace("# @param words: text\n", "").replace("$words", words)
    assert found(text) == remarks


def test_a_limit_that_is_a_parameter_is_not_known() -> None:
    text = PORTABLE.replace("# @param words", "# @param most: integer\n# @param words").replace(" 20)", " $most)")
    assert found(text) == ["7:71 warning search-limit-open"]


@pytest.mark.parametrize("head", ["ASK", "CONSTRUCT { ?thing a ?label } WHERE", "INSERT { ?thing a ?label } WHERE"])
def test_without_rows_there_is_no_order_to_ask_for(head: str) -> None:
    text = PORTABLE.replace("SELECT ?thing ?score ?label WHERE", head).replace(
        "ORDER BY DESC(?score) ?thing ?label", ""
    )
    assert found(text.replace("(?thing ?score ?label)", "(?thing ?any ?label)")) == []


# --- LIMIT and its order


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("SELECT ?k { GRAPH ?g { ?k ?p ?s } } ORDER BY DESC(?s) LIMIT 2", "?k"),  # shared case 72
        ("SELECT ?k { GRAPH ?g { ?k ?p ?s } } LIMIT 2", "?k"),
        ("SELECT ?k { GRAPH ?g { ?k ?p ?s } } OFFSET 2", "?k"),
        ("SELECT ?k { GRAPH ?g { ?k ?p ?s } } ORDER BY ?k LIMIT 2 OFFSET 2", ""),
        ("SELECT ?k { GRAPH ?g { ?k ?p ?s } } ORDER BY ?s ?k LIMIT 2", ""),
        ("SELECT ?k ?s { GRAPH ?g { ?k ?p ?s } } ORDER BY ASC(?s) DESC(?k) LIMIT 2", ""),
        ("SELECT ?k { GRAPH ?g { ?k ?p ?s } } ORDER BY STR(?k) LIMIT 2", "?k"),
        ("SELECT ?k { GRAPH ?g { ?k ?p ?s } } ORDER BY DESC(STR(?k)) LIMIT 2", "?k"),
        ("SELECT ?k { GRAPH ?g { ?k ?p ?s } } ORDER BY (?k) LIMIT 2", "?k"),
        ("SELECT * { GRAPH ?g { ?k ?p ?s } } ORDER BY ?k ?p LIMIT 2", "?g ?s"),
        ("SELECT * { GRAPH ?g { ?k ?p ?s } } ORDER BY ?k ?p ?s ?g LIMIT 2", ""),
        ("SELECT ?k (COUNT(*) AS ?n) { GRAPH ?g { ?k ?p ?s } } GROUP BY ?k ORDER BY DESC(?n) LIMIT 2", "?k"),
        ("SELECT ?k (COUNT(*) AS ?n) { GRAPH ?g { ?k ?p ?s } } GROUP BY ?k ORDER BY ?k LIMIT 2", ""),
        (
            "SELECT ?l (COUNT(*) AS ?n) { GRAPH ?g { ?k ?p ?s } } GROUP BY ?k (STR(?s) AS ?l) ORDER BY ?k LIMIT 2",
            "?l ?n",
        ),
        ("SELECT ?k { { SELECT ?k { GRAPH ?g { ?k ?p ?s } } LIMIT 2 } } ORDER BY ?k LIMIT 1", "?k"),
        ("SELECT ?k { { SELECT ?k { GRAPH ?g { ?k ?p ?s } } ORDER BY ?k LIMIT 2 } }", ""),
        ("CONSTRUCT { ?k a ?s } WHERE { GRAPH ?g { ?k ?p ?s } } ORDER BY ?k LIMIT 2", "?s"),
        ("CONSTRUCT { ?k a ?s } WHERE { GRAPH ?g { ?k ?p ?s } } ORDER BY ?k ?s LIMIT 2", ""),
        ("CONSTRUCT WHERE { GRAPH ?g { ?k ?p ?s } } ORDER BY ?k LIMIT 2", "?g ?p ?s"),
        (
            "SELECT (EXISTS { GRAPH ?g { ?k ?p 1 } } AS ?is) ?k { GRAPH ?g { ?k ?p 2 } } ORDER BY ?k ?is LIMIT 1",
            "",
        ),
        ("SELECT ?limit { GRAPH ?g { ?limit ?p ?s } } ORDER BY ?s", ""),
    ],
)
def test_a_limit_needs_an_order_without_ties(text: str, missing: str) -> None:
    remarks = lint(parse(text, "q.rq"))
    assert [r.params["missing"] for r in remarks if r.key.endswith("order")] == ([missing] if missing else [])
    assert [r for r in remarks if not r.key.endswith("order")] == []


# --- GRAPH


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("ASK { ?s ?p ?o }", 7),
        ("ASK { GRAPH ?g { ?s ?p ?o } OPTIONAL { ?s ?p ?o } }", 40),
        ("ASK { FILTER NOT EXISTS { ?s ?p ?o } }", 27),
        ("SELECT ?s { { SELECT ?s { ?s ?p ?o } } }", 27),
        ("INSERT { GRAPH <urn:x:g> { ?s ?p ?o } } WHERE { ?s ?p ?o }", 49),
        ("ASK { GRAPH ?g { ?s ?p ?o FILTER EXISTS { { ?s ?p ?o } } } }", 0),
        ("ASK FROM <urn:x:g> { ?s ?p ?o }", 0),
        ("WITH <urn:x:g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }", 0),
        ("ASK {}", 0),
        ("ASK { VALUES ?s { 1 } }", 0),
        ("# @default-graph it is asked about\nASK { ?s ?p ?o }", 0),
    ],
)
def test_triples_outside_of_graph_are_a_warning(text: str, column: int) -> None:
    assert found(text) == ([f"1:{column} warning graph"] if column else [])


def test_any_rows_may_do_when_the_header_says_so() -> None:
    assert found("# @unordered any ten will do\nSELECT ?s { GRAPH ?g { ?s ?p ?o } } LIMIT 10") == []


def test_a_query_for_one_kind_of_server_may_say_so() -> None:
    text = "PREFIX text: <http://jena.apache.org/text#>\nSELECT ?s { ?a ?b ?c . ?s text:query 'some words' }"
    assert found(text) != []
    assert found(f"# @jena it is how that server is tried\n{text}") == []


def test_remarks_come_in_the_order_of_the_text() -> None:
    text = "SELECT ?s { ?s ?p ?o { SELECT ?s { GRAPH ?g { ?s a ?c } } LIMIT 1 } } LIMIT 2"
    assert [r.partition(" ")[0] for r in found(text)] == ["1:13", "1:59", "1:71"]


def test_a_remark_says_what_and_where() -> None:
    (remark,) = lint(parse("SELECT ?k { GRAPH ?g { ?k ?p ?s } } LIMIT 2", "a/q.rq"))
    assert remark == Remark(
        "a/q.rq:1:37", "warning", "rq-lint-limit-without-total-order", {"word": "LIMIT", "missing": "?k"}
    )
