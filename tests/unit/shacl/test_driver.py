"""What must never pass in silence, one test for each way that it could."""

import decimal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import pytest

from judgeloop.errors import BadInput
from judgeloop.model import Severity
from judgeloop.shacl import Background, Examined, Report, ShapesGraph, validate
from judgeloop.shacl.engine import Engine
from judgeloop.vocab import SH


class Check(Protocol):
    def __call__(self, shapes: str, data: str, background: str = "", only: set[str] | None = None) -> Report: ...


SHAPE = ":S a sh:NodeShape ; sh:targetClass :T ; sh:property [ sh:path :p ; sh:minCount 1 ] ."
QUERY = (
    ': a owl:Ontology ; sh:declare [ sh:prefix "" ; sh:namespace "http://e/"^^xsd:anyURI ] . '
    ":S a sh:NodeShape ; sh:targetClass :T ; sh:sparql [ sh:prefixes : ; %s ] ."
)


def kind(report: Report) -> str:
    assert report.failure is not None
    assert report.results == ()
    assert all(examined.focus_nodes == 0 for examined in report.account.values())
    assert report.failure.text["en"] != report.failure.text["ko"]
    return report.failure.kind


# --- what is found


def test_a_missing_value_is_not_reported(check: Check) -> None:
    (result,) = check(SHAPE, ":a a :T .").results
    assert (result.shape, result.focus, result.path, result.value) == ("http://e/S", "http://e/a", "<http://e/p>", "")
    assert result.component == SH + "MinCountConstraintComponent"
    assert result.severity is Severity.VIOLATION
    assert result.source.startswith("_:")


def test_a_warning_counts_as_conformance_and_is_dropped(check: Check) -> None:
    shapes = ":S sh:targetClass :T ; sh:property [ sh:path :p ; sh:minCount 1 ; sh:severity %s ] ."
    assert [r.severity for r in check(shapes % "sh:Warning", ":a a :T .").results] == [Severity.WARNING]
    assert [r.severity for r in check(shapes % ":Custom", ":a a :T .").results] == ["http://e/Custom"]


def test_the_owner_of_a_result_is_the_nested_shape(check: Check) -> None:
    shapes = ":S sh:targetClass :T ; sh:property :P . :P a sh:PropertyShape ; sh:path :p ; sh:minCount 1 ."
    (result,) = check(shapes, ":a a :T .").results
    assert (result.shape, result.source) == ("http://e/S", "http://e/P")


def test_two_runs_of_one_case_differ_in_order_or_labels(check: Check) -> None:
    shapes = "".join(
        f":S{n} sh:targetClass :T ; sh:property [ sh:path :p{n} ; sh:minCount 1 ; sh:in ( 1 2 ) ] . " for n in range(6)
    )
    first = check(shapes, ":a a :T . :b a :T ; :p1 3 , 4 .").results
    assert first == check(shapes + "# other bytes", ":b a :T ; :p1 4 , 3 . :a a :T .").results
    assert [r.shape[-2:] for r in first] == sorted(r.shape[-2:] for r in first)


# --- nothing was looked at


def test_an_empty_shapes_graph_passes(parse: Callable[[str], ShapesGraph]) -> None:
    shapes = parse("# no shape here")
    assert shapes.shapes == ()
    assert validate(shapes, "") == Report((), {}, None)


def test_a_target_that_matches_nothing_passes(check: Check) -> None:
    assert check(SHAPE, ":a a :Other .").account == {"http://e/S": Examined(0, 1)}


def test_a_node_that_sh_target_node_names_needs_data(check: Check) -> None:
    report = check(":S sh:targetNode :n ; sh:property [ sh:path :p ; sh:minCount 1 ] .", "")
    assert report.account == {"http://e/S": Examined(1, 1)}
    assert [r.focus for r in report.results] == ["http://e/n"]


def test_a_deactivated_shape_looks_like_a_checked_one(check: Check, parse: Callable[[str], ShapesGraph]) -> None:
    turtle = SHAPE[:-1] + "; sh:deactivated true ."
    assert check(turtle, ":a a :T .").account == {"http://e/S": Examined(0, 0, deactivated=True)}
    assert parse(turtle).shapes[0].deactivated


def test_a_deactivated_part_is_run(check: Check) -> None:
    shapes = ":S sh:targetClass :T ; sh:node :N . :N a sh:NodeShape ; sh:nodeKind sh:Literal ; sh:deactivated true ."
    assert check(shapes, ":a a :T .") == Report((), {"http://e/S": Examined(1, 0)}, None)


def test_a_shape_without_a_constraint_looks_like_a_checked_one(check: Check) -> None:
    assert check(":S a sh:NodeShape ; sh:targetClass :T .", ":a a :T .").account == {"http://e/S": Examined(1, 0)}


def test_a_shape_that_was_asked_for_is_not_there(check: Check) -> None:
    report = check(SHAPE, ":a a :T .", only={"http://e/Nope"})
    assert report == Report((), {"http://e/Nope": Examined(0, 0)}, None)


def test_shapes_that_were_not_asked_for_are_run(check: Check) -> None:
    shapes = SHAPE + " :R sh:targetClass :T ; sh:property [ sh:path :q ; sh:minCount 1 ] ."
    report = check(shapes, ":a a :T .", only={"http://e/R"})
    assert [r.shape for r in report.results] == ["http://e/R"]
    assert list(report.account) == ["http://e/R"]


def test_a_shape_without_a_name_is_skipped(check: Check) -> None:
    report = check("[] a sh:NodeShape ; sh:targetClass :T ; sh:nodeKind sh:Literal .", ":a a :T .")
    assert report.account == {"_:1-1": Examined(1, 1)}
    assert [r.shape for r in report.results] == ["_:1-1"]


def test_a_focus_node_is_counted_twice(check: Check) -> None:
    shapes = ":S sh:targetClass :T , :U ; sh:targetSubjectsOf :p ; sh:targetNode :a ; sh:nodeKind sh:IRI ."
    assert (
        check(shapes, ":a a :T , :U ; :p :b . :c a :V . :V rdfs:subClassOf :U .").account["http://e/S"].focus_nodes == 2
    )


# --- the engine could not do its work


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        ('sh:pattern "^[a"', "engine"),  # re.error
        (r'sh:pattern "^\\p{L}$"', "engine"),  # legal in XPath, unknown to Python: no answer is better than a wrong one
        ('sh:minCount "a"', "engine"),  # ConstraintLoadError
        ("sh:minCount 1 ; sh:path :q", "ill-formed"),
        ("sh:nodeKind sh:IRI ; sh:node :Nope", "dangling"),
    ],
)
def test_a_constraint_that_cannot_be_loaded_passes(check: Check, constraint: str, expected: str) -> None:
    shapes = f":S a sh:NodeShape ; sh:targetClass :T ; sh:property [ sh:path :p ; {constraint} ] ."
    assert kind(check(shapes, ":a a :T ; :p 1 .")) == expected
    assert kind(check(shapes, ":a a :Other .")) == expected  # whatever the data


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('sh:select "SELECT $this WHERE { $this :p "', "query-syntax"),
        ('sh:select "SELECT $this WHERE { $this :p ?x MINUS { $this :q ?x } }"', "query-keyword"),
        ('sh:select "SELECT $this WHERE { $this :p ?x } VALUES ?x { 1 }"', "query-keyword"),
        ('sh:select "SELECT $this WHERE { SERVICE <http://e/> { $this :p ?x } }"', "query-keyword"),
        ('sh:select "SELECT $this FROM <http://e/> WHERE { $this :p ?x }"', "query-keyword"),
        ('sh:select "SELECT $this WHERE { $this a foaf:Person }"', "query-prefix"),
        ('sh:select "SELECT ?x WHERE { $this :p ?x }"', "query-this"),
        ('sh:select "SELECT $this ?failure WHERE { $this :p ?x BIND (true AS ?failure) }"', "query-failure"),
        ('sh:select "SELECT $this WHERE { $this :p ?x . $shapesGraph :q ?x }"', "engine"),
        ("sh:message 'no query'", "engine"),
    ],
)
def test_a_query_that_cannot_be_used_passes(check: Check, query: str, expected: str) -> None:
    assert kind(check(QUERY % query, ":a a :T ; :p 1 .")) == expected


@pytest.mark.parametrize(
    "error",
    [decimal.InvalidOperation(), RecursionError("too deep"), MemoryError(), ValueError("two\nlines"), AssertionError()],
)
def test_a_crash_of_the_engine_passes_or_escapes(
    check: Check, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def crash(*_: object) -> None:
        raise error

    monkeypatch.setattr(Engine, "run", crash)
    report = check(SHAPE, ":a a :T ; :p 1 .")
    assert kind(report) == "engine"
    assert report.failure is not None
    assert type(error).__name__ in report.failure.text["ko"]


def test_a_blank_node_that_pyshacl_will_not_compare_passes(check: Check) -> None:
    shapes = ":S sh:targetClass :T ; sh:property [ sh:path :p ; sh:lessThan :q ] ."
    assert kind(check(shapes, ":a a :T ; :p [] ; :q 1 .")) == "engine"


def test_a_failure_in_one_shape_leaves_half_a_report(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Engine.run

    def crash_on_the_second(self: Engine, node: object, *rest: object) -> object:
        if str(node).endswith("S2"):
            raise ZeroDivisionError
        return run(self, node, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Engine, "run", crash_on_the_second)
    shapes = SHAPE + " :S2 sh:targetClass :T ; sh:property [ sh:path :p ; sh:minCount 1 ] ."
    assert kind(check(shapes, ":a a :T .")) == "engine"


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ('"NaN"^^xsd:double', "not-finite"),  # pyshacl lets NaN pass every sh:maxInclusive
        ('""^^xsd:decimal', "lexical"),  # InvalidOperation in a query
        ('"2026-01-01T00:00:00"^^xsd:dateTime', "no-time-zone"),
    ],
)
def test_a_value_that_cannot_be_compared_passes(check: Check, value: str, why: str) -> None:
    shapes = ":S sh:targetClass :T ; sh:property [ sh:path :p ; sh:maxInclusive 1.0 ] ."
    report = check(shapes, f":a a :T ; :p {value} .")
    assert kind(report) == "literals"
    assert report.failure is not None
    assert why in report.failure.text["en"]
    assert "http://e/a" in report.failure.text["ko"]


def test_a_bad_value_hides_in_the_background(check: Check) -> None:
    assert kind(check(SHAPE, ":a a :T ; :p 1 .", background=':b :p "abc"^^xsd:integer .')) == "literals"


def test_data_that_cannot_be_read_looks_like_no_data(parse: Callable[[str], ShapesGraph]) -> None:
    with pytest.raises(BadInput) as caught:
        validate(parse(SHAPE), "<http://e/a> <http://e/p> .")
    assert caught.value.place == "data:1:27"


def test_broken_turtle_looks_like_no_shapes() -> None:
    with pytest.raises(BadInput) as caught:
        ShapesGraph.parse(
            [("good.ttl", b"<http://e/a> <http://e/b> 1 ."), ("bad.ttl", b"<http://e/a>\n  <http://e/b> ;; .")]
        )
    assert caught.value.key == "rdf-syntax"
    assert caught.value.place.startswith("bad.ttl:2:")


def test_shapes_nested_below_any_limit_of_the_engine_pass(check: Check) -> None:
    chain = ":S sh:targetClass :T ; sh:node :N1 . " + "".join(
        f":N{n} a sh:NodeShape ; sh:node :N{n + 1} . " for n in range(1, 30)
    )
    deep = chain + ":N30 a sh:NodeShape ; sh:property [ sh:path :p ; sh:minCount 1 ] ."
    assert len(check(deep, ":a a :T .").results) == 1  # pyshacl alone stops at 15
    endless = chain + "".join(f":N{n} a sh:NodeShape ; sh:node :N{n + 1} . " for n in range(30, 120))
    assert kind(check(endless + ":N120 a sh:NodeShape ; sh:nodeKind sh:IRI .", ":a a :T .")) == "depth"


# --- the graphs


def test_the_background_is_not_part_of_the_data(check: Check) -> None:
    shapes = ":S sh:targetClass :T ; sh:property [ sh:path :p ; sh:class :Good ] ."
    background = ":x a :Better . :Better rdfs:subClassOf :Good ."
    assert check(shapes, ":a a :T ; :p :x .", background).results == ()
    assert len(check(shapes, ":a a :T ; :p :x .").results) == 1


def test_one_decision_leaks_into_the_next(parse: Callable[[str], ShapesGraph]) -> None:
    shapes = parse(":S sh:targetClass :T ; sh:property [ sh:path :p ; sh:maxCount 1 ] .")
    background = Background.parse("<http://e/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/T> .")
    for value in "xyz":
        report = validate(shapes, f'<http://e/a> <http://e/p> "{value}" .', background)
        assert report.results == ()
        assert report.account["http://e/S"].focus_nodes == 1
    assert background.index.size == 1


def test_a_triple_in_both_graphs_counts_twice(check: Check) -> None:
    shapes = ':S sh:targetClass :T ; sh:property [ sh:path :p ; sh:maxCount 1 ; sh:in ( "x" ) ] .'
    assert check(shapes, ':a a :T ; :p "y" .', ':a :p "y" .').results == check(shapes, ':a a :T ; :p "y" .').results


def test_blank_nodes_of_two_graphs_become_one(check: Check) -> None:
    shapes = ":S sh:targetClass :T ; sh:property [ sh:path :p ; sh:maxCount 1 ] ."
    assert check(shapes, "_:b a :T ; :p 1 .", "_:b :p 2 .").results == ()


def test_owl_imports_are_followed(check: Check) -> None:
    shapes = SHAPE + " <http://localhost:9/nothing> a owl:Ontology ; owl:imports <http://localhost:9/other> ."
    assert check(shapes, ":a a :T ; :p 1 ; owl:imports <http://localhost:9/data> .").failure is None


def test_shapes_of_two_files_do_not_meet() -> None:
    head = b"@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> . "
    files = [("a.ttl", head + b":S sh:targetClass :T ; sh:node :N ."), ("b.ttl", head + b":N sh:nodeKind sh:Literal .")]
    shapes = ShapesGraph.parse(files)
    assert [(s.iri, s.constraints) for s in shapes.shapes] == [("http://e/S", 1)]
    data = "<http://e/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/T> ."
    assert len(validate(shapes, data).results) == 1
    assert ShapesGraph.parse(files) is shapes
    assert ShapesGraph.parse(files[:1]) is not shapes


def test_two_files_split_elsewhere_are_taken_for_the_same() -> None:
    one = ShapesGraph.parse([("a.ttl", b"<http://e/a> <http://e/b> 1 ."), ("b.ttl", b"#")])
    other = ShapesGraph.parse([("a.ttl", b"<http://e/a> <http://e/b> 1 .#"), ("b.ttl", b"#")])
    assert one is not other


def test_threads_disturb_each_other(parse: Callable[[str], ShapesGraph]) -> None:
    shapes = parse(SHAPE)
    typed = "<http://e/a{n}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/T> ."
    with ThreadPoolExecutor(8) as pool:
        reports = list(pool.map(lambda n: validate(shapes, typed.format(n=n)), range(64)))
    assert [[r.focus for r in report.results] for report in reports] == [[f"http://e/a{n}"] for n in range(64)]
