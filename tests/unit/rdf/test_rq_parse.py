"""Query files: what a header says, and which files are refused before anything runs."""

import hashlib
import pickle

import pytest

from judgeloop.errors import BadInput
from judgeloop.rdf.rq import parse, read_once

FILE = """\
# Problem: a hop is no edge.
# Why: an invented link
#   reaches any answer.
# Remedy: cite an edge.
# any other remark
#   is not part of the field above
# @param event: iri
# @param max_hops: integer
# @message en: hop {?n} of {?event} is no edge
# @message ko: {?event} 의 {?n} 번째 홉은
#    엣지가 아닙니다
# @violation DISPUTED
# @into inferred

PREFIX jl: <https://w3id.org/judgeloop#>
SELECT ?n WHERE { GRAPH $event { ?event jl:hop ?n FILTER(?n <= $max_hops) } }
"""


def refusal(text: str, *, allow_update: bool = False) -> BadInput:
    with pytest.raises(BadInput) as refused:
        parse(text, "t.rq", allow_update=allow_update)
    assert refused.value.text("ko")
    return refused.value


def test_a_header_is_read_field_by_field() -> None:
    query = parse(FILE, "hop.rq")
    assert (query.name, query.kind, query.violation) == ("hop.rq", "select", "DISPUTED")
    assert (query.problem, query.remedy) == ("a hop is no edge.", "cite an edge.")
    assert query.why == "an invented link reaches any answer."
    assert query.params == {"event": "iri", "max_hops": "integer"}
    assert query.messages["ko"] == "{?event} 의 {?n} 번째 홉은 엣지가 아닙니다"
    assert query.meta == {"into": "inferred"}
    assert query.sha256 == hashlib.sha256(FILE.encode()).hexdigest()


def test_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    assert parse("\ufeff" + FILE.replace("\n", "\r\n"), "hop.rq") == parse(FILE, "hop.rq")


def test_a_query_without_a_header_is_a_query() -> None:
    query = parse("ASK { ?s ?p ?o }", "text")
    assert (query.problem, query.params, query.messages, query.violation) == ("", {}, {}, "VIOLATED")


def test_the_same_text_is_cut_into_tokens_once() -> None:
    assert read_once(FILE, "hop.rq") is read_once(FILE, "hop.rq")
    assert read_once(FILE, "hop.rq") == parse(FILE, "hop.rq")


def test_a_query_travels_to_another_process() -> None:
    query = parse(FILE, "hop.rq")
    assert pickle.loads(pickle.dumps(query)) == query  # noqa: S301 - our own bytes


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("BASE <http://e/> PREFIX a: <http://e/> PREFIX : <http://e/> select*{}", "select"),
        ("# c\n ASK {}", "ask"),
        ("CONSTRUCT WHERE { ?s ?p ?o }", "construct"),
    ],
)
def test_the_kind_is_the_first_word_after_the_prologue(text: str, kind: str) -> None:
    assert parse(text, "t.rq").kind == kind


@pytest.mark.parametrize(
    ("header", "key"),
    [
        ("# @param a: number", "rq-header-type"),
        ("# @param a", "rq-header-named"),
        ("# @param a: iri\n# @param a: string", "rq-header-twice"),
        ("# Why: x\n# Why: y", "rq-header-twice"),
        ("# @message en: only one language", "rq-header-languages"),
        ("# @message en: {?s}\n# @message ko: 없음", "rq-header-languages"),
        ("# @message en: {?o}\n# @message ko: {?o}", "rq-header-variable"),
        ("# @violation MAYBE", "rq-header-violation"),
        ("# @param b: iri", "rq-parameter-unused"),
    ],
)
def test_a_header_that_promises_what_the_query_does_not_keep_is_refused(header: str, key: str) -> None:
    assert refusal(f"{header}\nSELECT ?s WHERE {{ ?s ?a ?o }}").key == key


def test_a_message_may_name_any_variable_of_select_star_and_aliases() -> None:
    header = "# @message en: {?o}\n# @message ko: {?o}\n"
    parse(header + "SELECT * { ?s ?p ?o }", "t.rq")
    parse(header + "SELECT (COUNT(?s) AS ?o) { ?s ?p ?x }", "t.rq")


@pytest.mark.parametrize(
    "body",
    [
        "SELECT ?a WHERE { ?s ?p ?a }",
        "SELECT $a { ?s ?p ?a }",
        "SELECT DISTINCT ?s ?a FROM <http://e/g> { ?s ?p ?a }",
        "SELECT (1 AS ?a) { ?s ?p ?a }",
        "SELECT ?s { ?s ?p ?o BIND(?o AS $a) }",
        "SELECT ?s { { SELECT ?a { ?s ?p ?a } } }",
        "SELECT ?s { VALUES ?a { 1 } ?s ?p ?o }",
        "SELECT ?s { VALUES (?o ?a) { (1 2) } ?s ?p ?o }",
        "SELECT ?s { ?s ?p ?a } VALUES (?a) { (1) }",
    ],
)
def test_a_value_can_not_stand_where_only_a_variable_may(body: str) -> None:
    refused = refusal(f"# @param a: string\n{body}")
    assert (refused.key, refused.params["name"]) == ("rq-parameter-projected", "a")
    assert refused.place.startswith("t.rq:2:")


def test_a_parameter_may_stand_inside_of_a_projected_expression_and_in_rows() -> None:
    parse("# @param a: string\nSELECT (STR(?a) AS ?b) ?s { VALUES (?x ?y) { (?a 2) } ?s ?p ?x }", "t.rq")


@pytest.mark.parametrize(
    ("text", "keyword"),
    [
        ("SELECT * { SERVICE <http://e/> { ?s ?p ?o } }", "SERVICE"),
        ("LOAD <http://e/>", "LOAD"),
        ("DROP ALL", "DROP"),
        ("PREFIX a: <http://e/> INSERT DATA { a:a a:b a:c }", "INSERT"),
        ("DESCRIBE <http://e/>", "DESCRIBE"),
    ],
)
def test_what_reaches_out_or_writes_is_refused_in_every_file(text: str, keyword: str) -> None:
    refused = refusal(text)
    assert (refused.key, refused.params["keyword"]) == ("rq-forbidden", keyword)


@pytest.mark.parametrize("text", ["LOAD <http://e/>", "DROP ALL ; LOAD SILENT:x", "DELETE {} WHERE { SERVICE ?s {} }"])
def test_an_allowed_update_still_may_not_reach_out(text: str) -> None:
    assert refusal(text, allow_update=True).key == "rq-forbidden"


def test_an_update_is_read_where_it_is_allowed() -> None:
    assert parse("DROP ALL", "t.rq", allow_update=True).kind == "update"


@pytest.mark.parametrize("text", ["", "# nothing", "PREFIX a: <http://e/>", "hello", "{ }", "SELECTDISTINCT?x{}"])
def test_text_that_begins_like_no_query_is_refused(text: str) -> None:
    assert refusal(text).key == "rq-start"
