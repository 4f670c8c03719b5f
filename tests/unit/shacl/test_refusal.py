"""Shapes graphs that engines run in silence although they check nothing, or not the same."""

import pickle
from collections.abc import Callable
from importlib import resources

import pytest
from rdflib import URIRef

from judgeloop.shacl import Failure, ShapesGraph, UnknownTerm
from judgeloop.shacl.vocabulary import ADVANCED, DEFINED
from judgeloop.vocab import SH

Parse = Callable[[str], ShapesGraph]


def kinds(shapes: ShapesGraph) -> list[str]:
    return [failure.kind for failure in shapes.refusals]


def only(shapes: ShapesGraph) -> Failure:
    (failure,) = shapes.refusals
    return failure


# --- terms


@pytest.mark.parametrize(
    "turtle",
    [
        ":S a sh:NodeShape ; sh:targetClass :T ; sh:property [ sh:path :p ; sh:mincount 1 ] .",
        ":S a sh:NodeShape ; sh:targetClas :T .",
        ":S a sh:Nodeshape ; sh:targetClass :T .",
        ":S a sh:NodeShape ; sh:targetClass :T ; sh:nodeKind sh:Iri .",
        ":S a sh:NodeShape ; sh:targetClass :T ; sh:property [ sh:path [ sh:zeroOrMorepath :p ] ; sh:minCount 1 ] .",
        ":S a sh:NodeShape ; sh:targetClass :T ; sh:someValue [ sh:class :C ] .",  # SHACL 1.2
    ],
)
def test_a_misspelt_term_checks_nothing(parse: Parse, turtle: str) -> None:
    shapes = parse(turtle)
    assert kinds(shapes)[0] == "unknown-term"
    (term,) = shapes.unknown_terms
    assert term.shape == "http://e/S"
    assert f"sh:{term.term.removeprefix(SH)} (http://e/S)" in shapes.refusals[0].text["ko"]


def test_a_misspelt_term_is_not_traced_to_its_shape(parse: Parse) -> None:
    shapes = parse(":S sh:targetClass :T ; sh:or ( [ sh:property [ sh:path :p ; sh:maxcount 1 ] ] ) .")
    assert shapes.unknown_terms == (UnknownTerm(SH + "maxcount", "http://e/S"),)


def test_the_namespace_itself_is_called_a_term(parse: Parse) -> None:
    assert (
        parse("<http://e/> rdfs:seeAlso <http://www.w3.org/ns/shacl#> . :S sh:targetClass :T ; sh:class :C .").refusals
        == ()
    )


def test_a_defined_term_is_called_unknown() -> None:
    """The vocabulary of the Recommendation and its Notes, as pyshacl ships it."""
    file = resources.files("pyshacl").joinpath("assets/shacl.pickle")
    store, identifier = pickle.loads(file.read_bytes())  # noqa: S301 - a file of the installed engine
    published = {
        str(term)
        for triple, _ in store.triples((None, None, None), context=None)
        for term in triple[:1]
        if isinstance(term, URIRef) and term.startswith(SH) and "-" not in term and str(term) != SH
    }
    assert identifier is not None
    assert len(published) > 150
    assert published - DEFINED - ADVANCED == set()
    assert (DEFINED | ADVANCED) - published == {SH + "Rules"}  # named by the Note on advanced features only
    assert not DEFINED & ADVANCED


@pytest.mark.parametrize(
    "turtle",
    [
        ':S sh:target [ a sh:SPARQLTarget ; sh:select "SELECT ?this { ?this a :T }" ] ; sh:nodeKind sh:IRI .',
        ":S sh:targetClass :T ; sh:rule [ a sh:TripleRule ; sh:subject sh:this ; sh:predicate :p ; sh:object :o ] .",
        ":S sh:targetClass :T ; sh:expression [ sh:path :p ] .",
        ':S sh:targetClass :T ; sh:js [ sh:jsFunctionName "f" ] .',
    ],
)
def test_an_advanced_feature_is_left_out_in_silence(parse: Parse, turtle: str) -> None:
    assert kinds(parse(turtle))[0] == "advanced"


def test_an_entailment_regime_is_ignored(parse: Parse) -> None:
    turtle = "<http://e/> sh:entailment <http://www.w3.org/ns/entailment/RDFS> . :S sh:targetClass :T ; sh:class :C ."
    assert only(parse(turtle)).kind == "entailment"


# --- references


@pytest.mark.parametrize(
    "body",
    [
        "sh:node :Nope",
        "sh:property :Nope",
        "sh:not :Nope",
        "sh:or ( :Nope :N )",
        "sh:property [ sh:path :p ; sh:qualifiedValueShape :Nope ; sh:qualifiedMinCount 1 ]",
    ],
)
def test_a_reference_to_no_shape_always_holds(parse: Parse, body: str) -> None:
    shapes = parse(f":S sh:targetClass :T ; {body} . :N sh:nodeKind sh:IRI . :Nope rdfs:label 'not a shape' .")
    failure = only(shapes)
    assert failure.kind == "dangling"
    assert "http://e/Nope (http://e/S)" in failure.text["en"]


@pytest.mark.parametrize(
    ("turtle", "way"),
    [
        (":S sh:targetClass :T ; sh:property [ sh:path :p ; sh:node :S ] .", "http://e/S"),
        (":S sh:targetClass :T ; sh:node :A . :A sh:not :B . :B sh:or ( :A ) .", "http://e/A → http://e/B"),
        (":S sh:targetClass :T ; sh:not :S .", "http://e/S"),
    ],
)
def test_a_shape_that_refers_to_itself_means_something(parse: Parse, turtle: str, way: str) -> None:
    failure = only(parse(turtle))
    assert failure.kind == "recursion"
    assert f": {way}; " in failure.text["en"]


def test_a_shape_reached_on_two_ways_is_called_recursive(parse: Parse) -> None:
    turtle = ":S sh:targetClass :T ; sh:node :A , :B . :A sh:node :C . :B sh:node :C . :C sh:nodeKind sh:IRI ."
    assert parse(turtle).refusals == ()


# --- targets


@pytest.mark.parametrize(
    ("turtle", "expected"),
    [
        (":T a owl:Class , sh:NodeShape ; sh:nodeKind sh:IRI .", ["implicit-target"]),
        (":T a :Meta , sh:NodeShape ; sh:nodeKind sh:IRI . :Meta rdfs:subClassOf rdfs:Class .", ["implicit-target"]),
        (":T a owl:Class , rdfs:Class , sh:NodeShape ; sh:nodeKind sh:IRI .", []),
        (":T a owl:Class , sh:NodeShape ; sh:targetClass :T ; sh:nodeKind sh:IRI .", []),
        (":T a owl:Class ; rdfs:subClassOf :U . :S sh:targetClass :T ; sh:nodeKind sh:IRI .", []),
    ],
)
def test_engines_differ_on_an_implicit_target(parse: Parse, turtle: str, expected: list[str]) -> None:
    assert kinds(parse(turtle)) == expected


def test_a_shape_that_the_engine_does_not_see_has_no_focus_nodes(parse: Parse) -> None:
    failure = only(parse(":T a rdfs:Class ; sh:nodeKind sh:IRI ."))  # a shape by its parameter, yet pyshacl skips it
    assert failure.kind == "not-a-shape"
    assert "http://e/T" in failure.text["en"]


# --- syntax rules


@pytest.mark.parametrize(
    "body",
    [
        "sh:in 1",
        "sh:in :a",
        "sh:or ()",
        "sh:and [ rdf:first [ sh:nodeKind sh:IRI ] ]",
        'sh:closed "true"',
        "sh:nodeKind :IRI",
        'sh:class "C"',
        "sh:severity sh:Info , sh:Warning",
        "sh:property [ sh:path :p ; sh:minCount 1 , 2 ]",
        'sh:property [ sh:path :p ; sh:uniqueLang "1"^^xsd:boolean ]',  # true for some engines, not for SHACL
        'sh:property [ sh:path :p ; sh:maxInclusive "NaN"^^xsd:double ]',
        'sh:property [ sh:path :p ; sh:datatype "xsd:string" ]',
        "sh:property [ sh:path :p ; sh:datatype ( xsd:string xsd:integer ) ]",  # SHACL 1.2
    ],
)
def test_an_ill_formed_parameter_is_read_in_some_way(parse: Parse, body: str) -> None:
    failure = only(parse(f":S a sh:NodeShape ; sh:targetClass :T ; {body} ."))
    assert failure.kind == "ill-formed"
    assert "http://e/S" in failure.text["en"]


def test_a_list_that_runs_into_itself_never_ends(parse: Parse) -> None:
    turtle = ":S sh:targetClass :T ; sh:in _:l . _:l rdf:first 1 ; rdf:rest _:l ."
    assert only(parse(turtle)).kind == "ill-formed"


def test_a_qualified_shape_on_a_node_shape_is_ignored(parse: Parse) -> None:
    turtle = ":S a sh:NodeShape ; sh:targetClass :T ; sh:qualifiedValueShape [ sh:class :C ] ; sh:qualifiedMinCount 1 ."
    assert only(parse(turtle)).kind == "ignored"


def test_many_mistakes_make_an_endless_message(parse: Parse) -> None:
    turtle = ":S sh:targetClass :T ; " + " ; ".join(f"sh:nope{n} 1" for n in range(9)) + " ."
    assert parse(turtle).refusals[0].text["en"].count("sh:nope") == 5
    assert "… +4" in parse(turtle).refusals[0].text["en"]
