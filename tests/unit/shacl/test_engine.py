"""The engine is contained: the names that we lean on are there, and a run leaves nothing behind."""

import importlib
from typing import Any, Protocol

import pyshacl
import pytest
import rdflib
from pyshacl.constraints.sparql.sparql_based_constraint_components import SPARQLConstraintComponentValidator
from pyshacl.shape import Shape as PyshaclShape
from rdflib import URIRef
from rdflib.plugins.sparql.processor import SPARQLProcessor
from rdflib.term import _toPythonMapping

from judgeloop.shacl import ENGINE, Report
from judgeloop.shacl.engine import Engine
from judgeloop.shacl.graph import Index, View
from judgeloop.shacl.sparql import Plans
from judgeloop.shacl.terms import read
from judgeloop.vocab import RDF, SH


class Check(Protocol):
    def __call__(self, shapes: str, data: str) -> Report: ...


def test_another_engine_than_the_pinned_one_is_used() -> None:
    assert pyshacl.__version__.startswith("0.40.")
    assert f"pyshacl {pyshacl.__version__}" == ENGINE


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("pyshacl.constraints", "ALL_CONSTRAINT_PARAMETERS CONSTRAINT_PARAMETERS_MAP"),
        (
            "pyshacl.constraints.sparql.sparql_based_constraint_components",
            "BoundShapeValidatorComponent SPARQLConstraintComponentValidator.validator_cache",
        ),
        ("pyshacl.constraints.sparql.sparql_based_constraints", "SPARQLBasedConstraint"),
        ("pyshacl.constraints.constraint_component", "ConstraintComponent.make_v_result"),
        ("pyshacl.consts", "SH_prefixes SH_prefix SH_namespace"),
        ("pyshacl.errors", "ConstraintLoadWarning"),
        (
            "pyshacl.helper.sparql_query_helper",
            """SPARQLQueryHelper.pre_bind_variables SPARQLQueryHelper.apply_prefixes SPARQLQueryHelper.bind_messages
            SPARQLQueryHelper.collect_prefixes SPARQLQueryHelper.check_invalid_sparql""",
        ),
        ("pyshacl.pytypes", "SHACLExecutor.max_validation_depth SHACLExecutor.sparql_mode"),
        (
            "pyshacl.shape",
            """Shape.focus_nodes Shape.value_nodes Shape.target Shape.validate Shape.find_custom_constraints
            Shape.deactivated Shape.severity Shape.message Shape.path Shape.is_property_shape""",
        ),
        ("pyshacl.shapes_graph", "ShapesGraph.lookup_shape_from_node ShapesGraph.is_filtered_out_shape"),
        ("rdflib.plugins.sparql.algebra", "translateQuery traverse"),
        ("rdflib.plugins.sparql.evaluate", "evalQuery"),
        ("rdflib.plugins.sparql.parser", "parseQuery"),
        ("rdflib.plugins.sparql.parserutils", "CompValue"),
        ("rdflib.plugins.sparql.processor", "SPARQLResult"),
        ("rdflib.term", "Literal._datatype Literal._value"),
    ],
)
def test_a_name_of_the_engine_is_gone(module: str, names: str) -> None:
    for name in names.split():
        found = importlib.import_module(module)
        for part in name.split("."):
            assert hasattr(found, part), f"{module}: {name}"
            found = getattr(found, part)


def state() -> tuple[object, ...]:
    shape = importlib.import_module("pyshacl.shape")
    return (
        rdflib.NORMALIZE_LITERALS,
        dict(_toPythonMapping),
        SPARQLProcessor.query,
        rdflib.Graph.query,
        PyshaclShape.validate,
        PyshaclShape.__str__,
        getattr(shape, "CONSTRAINT_PARAMS", None),
        dict(SPARQLConstraintComponentValidator.validator_cache),
    )


def test_a_run_changes_rdflib_or_pyshacl_for_everybody(check: Check) -> None:
    before = state()
    own = (
        ": a owl:Ontology . :Own a sh:ConstraintComponent ; sh:parameter [ sh:path :own ] ; "
        'sh:validator :V . :V a sh:SPARQLAskValidator ; sh:ask "ASK { FILTER ($value = $own) }" . '
        ":S a sh:NodeShape ; sh:targetClass :T ; sh:property [ sh:path :p ; :own 1 ; sh:minCount 1 ] ."
    )
    assert len(check(own, ":a a :T ; :p 1 , 2 .").results) == 1
    assert check(':S sh:targetClass :T ; sh:pattern "[" .', ":a a :T .").failure is not None
    assert state() == before


def test_a_validator_of_a_forgotten_graph_answers_for_a_new_one() -> None:
    """pyshacl remembers validators by the address of their graph, and addresses are used again."""
    text = f"""
        <http://e/Own> <{RDF}type> <{SH}ConstraintComponent> .
        <http://e/Own> <{SH}parameter> _:p .
        _:p <{SH}path> <http://e/own> .
        <http://e/Own> <{SH}validator> <http://e/V> .
        <http://e/V> <{RDF}type> <{SH}SPARQLAskValidator> .
        <http://e/V> <{SH}ask> "ASK {{ FILTER (isIRI($value)) }}" .
        <http://e/S> <{SH}targetNode> <http://e/n> .
        <http://e/S> <http://e/own> "1" ."""
    plans = Plans()
    graph = View(Index(read(text, "shapes")), plan=plans)
    cache = SPARQLConstraintComponentValidator.validator_cache
    stale: Any = object()
    cache[id(graph), "http://e/V"] = stale
    engine = Engine(graph, plans)
    assert stale not in cache.values()
    shape, focus = URIRef("http://e/S"), [URIRef("http://e/n")]
    assert engine.run(shape, focus, View(Index(), plan=plans)) == []


def test_a_query_with_a_typed_string_finds_nothing(check: Check) -> None:
    shapes = (
        ': a owl:Ontology ; sh:declare [ sh:prefix "" ; sh:namespace "http://e/"^^xsd:anyURI ] , '
        '[ sh:prefix "xsd" ; sh:namespace "http://www.w3.org/2001/XMLSchema#"^^xsd:anyURI ] . '
        ":S sh:targetClass :T ; sh:sparql [ sh:prefixes : ; "
        "sh:select '''SELECT $this WHERE { $this :p \"x\"^^xsd:string }''' ] ."
    )
    assert len(check(shapes, ':a a :T ; :p "x" .').results) == 1


def test_a_prefix_that_an_imported_ontology_declares_is_unknown(check: Check) -> None:
    shapes = (
        ':Other sh:declare [ sh:prefix "o" ; sh:namespace "http://e/"^^xsd:anyURI ] . : owl:imports :Other . '
        ': a owl:Ontology ; sh:declare [ sh:prefix "" ; sh:namespace "http://e/"^^xsd:anyURI ] . '
        ':S sh:targetClass :T ; sh:sparql [ sh:prefixes : ; sh:select "SELECT $this WHERE { $this o:p 1 }" ] .'
    )
    assert len(check(shapes, ":a a :T ; :p 1 .").results) == 1


def test_this_is_not_bound_where_it_follows_an_operator(check: Check) -> None:
    shapes = (
        ': a owl:Ontology ; sh:declare [ sh:prefix "" ; sh:namespace "http://e/"^^xsd:anyURI ] . '
        ":S sh:targetNode :a ; sh:sparql [ sh:prefixes : ; "
        'sh:select "SELECT $this WHERE {?x :p ?y.FILTER(?x=$this)}" ] .'
    )
    assert [r.focus for r in check(shapes, ":a :p 1 . :b :p 2 .").results] == ["http://e/a"]
