"""How many constraints a shape carries: what can't be broken does not count, what is shared counts once."""

from collections.abc import Callable

import pytest

from judgeloop.model import Severity
from judgeloop.shacl import Examined, ShapesGraph, Target, validate

Parse = Callable[[str], ShapesGraph]


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("", 0),
        ("sh:property [ sh:path :p ]", 0),
        ("sh:property [ sh:path :p ; sh:minCount 0 ; sh:minLength 0 ]", 0),
        ("sh:closed false", 0),
        ("sh:property [ sh:path :p ; sh:uniqueLang false ]", 0),
        ('sh:property [ sh:path :p ; sh:flags "i" ]', 0),
        ("sh:property [ sh:path :p ; sh:minCount 1 ; sh:maxCount 2 ]", 2),
        ("sh:property [ sh:path :p ; sh:minCount 1 ; sh:deactivated true ]", 0),
        ("sh:nodeKind sh:IRI ; sh:property [ sh:path :p ; sh:property [ sh:path :q ; sh:minCount 1 ] ]", 2),
        ("sh:node :N", 2),
        ("sh:node :N ; sh:property [ sh:path :p ; sh:node :N ]", 2),  # one shape, reached twice
        ("sh:and ( :N [ sh:nodeKind sh:IRI ] )", 3),
        ("sh:or ( :N [ sh:nodeKind sh:IRI ] )", 3),
        ("sh:or ( :N [ a sh:NodeShape ] )", 0),  # the second alternative always holds
        ("sh:xone ( :N [ sh:nodeKind sh:IRI ] )", 4),
        ("sh:not [ a sh:NodeShape ]", 1),  # always broken, so it counts
        ("sh:property [ sh:path :p ; sh:qualifiedValueShape :N ; sh:qualifiedMinCount 1 ; sh:qualifiedMaxCount 2 ]", 4),
        ("sh:property [ sh:path :p ; sh:qualifiedValueShape :N ; sh:qualifiedMinCount 0 ]", 2),
        ('sh:sparql [ sh:select "SELECT $this { $this ?p 1 }" ]', 1),
        ('sh:sparql [ sh:deactivated true ; sh:select "SELECT $this { $this ?p 1 }" ]', 0),
        (":own 1", 1),
    ],
)
def test_a_constraint_is_missed_or_made_up(parse: Parse, body: str, count: int) -> None:
    shapes = parse(
        f":S a sh:NodeShape ; sh:targetClass :T ; {body} . :N sh:nodeKind sh:IRI ; sh:class :C . "
        ":Own a sh:ConstraintComponent ; sh:parameter [ sh:path :own ] ; "
        'sh:validator [ a sh:SPARQLAskValidator ; sh:ask "ASK { $value ?p $own }" ] .'
    )
    assert shapes.refusals == ()
    assert {shape.iri: shape.constraints for shape in shapes.shapes}["http://e/S"] == count


def test_a_shape_that_nobody_runs_is_not_listed(parse: Parse) -> None:
    shapes = parse(
        ":Alone a sh:NodeShape ; sh:nodeKind sh:IRI . "  # its target was forgotten
        ":S sh:targetClass :T ; sh:property :Part . :Part a sh:PropertyShape ; sh:path :p ; sh:minCount 1 . "
        ":Both sh:targetNode :n ; sh:nodeKind sh:IRI . :R sh:targetClass :T ; sh:or ( :Both :Member ) . "
        ":Member a sh:NodeShape ; sh:class :C ."
    )
    assert [(shape.iri.removeprefix("http://e/"), len(shape.targets)) for shape in shapes.shapes] == [
        ("Alone", 0),
        ("Both", 1),
        ("R", 1),
        ("S", 1),
    ]


def test_a_target_is_not_told(parse: Parse) -> None:
    (shape,) = parse(
        ":S a sh:NodeShape , rdfs:Class ; sh:severity sh:Info ; sh:nodeKind sh:IRI ; sh:targetClass :T ; "
        'sh:targetNode "가"@ko ; sh:targetSubjectsOf :p ; sh:targetObjectsOf :q .'
    ).shapes
    assert shape.severity is Severity.INFO
    assert shape.targets == (
        Target("implicit", "http://e/S"),
        Target("targetClass", "http://e/T"),
        Target("targetNode", '"가"@ko'),
        Target("targetObjectsOf", "http://e/q"),
        Target("targetSubjectsOf", "http://e/p"),
    )


def test_a_class_that_is_a_shape_selects_nothing(parse: Parse) -> None:
    shapes = parse(":T a sh:NodeShape , rdfs:Class ; sh:property [ sh:path :p ; sh:minCount 1 ] .")
    typed = "<http://e/{}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/{}> ."
    below = "<http://e/Sub> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/T> ."
    report = validate(shapes, "\n".join((typed.format("a", "T"), typed.format("b", "Sub"), below)))
    assert report.account == {"http://e/T": Examined(2, 1)}
