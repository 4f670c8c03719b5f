"""The driver finds what bare pyshacl finds, on decisions with random faults, and leaves its background as it was."""

import random
from collections import Counter
from collections.abc import Callable, Iterator

import pyshacl
import pytest
from rdflib import RDF, Graph, Literal, Namespace, URIRef
from rdflib.term import Node

from judgeloop.model import Severity
from judgeloop.shacl import Background, Report, ShapesGraph, validate
from judgeloop.shacl.graph import Index, View
from judgeloop.shacl.sparql import Plans
from judgeloop.shacl.terms import text_of
from judgeloop.shacl.wording import path_text
from judgeloop.vocab import SH, XSD_DATETIME, XSD_DECIMAL

EX = Namespace("https://example.org/repair#")
SHN = Namespace(SH)
DECISIONS = 80
Key = tuple[str, str, str, str, str]


def edited(triples: list[tuple[Node, Node, Node]], rng: random.Random) -> list[tuple[Node, Node, Node]]:
    """One decision with one to three faults; every literal stays well formed, so that no engine stumbles."""
    triples = list(triples)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(triples))
        subject, predicate, _ = triples[at]
        replaced: list[Node] = [
            Literal("wrong"),
            Literal("틀림", lang="ko"),
            Literal(99),
            Literal(-3),
            Literal("1.5", datatype=URIRef(XSD_DECIMAL)),
            Literal("2026-03-02T00:00:00+00:00", datatype=URIRef(XSD_DATETIME)),
            Literal(False),
            URIRef("urn:case:1#nowhere"),
            EX["team-night"],
            EX["open-valve"],
            EX.Call,
        ]
        fault = rng.randrange(6)
        if fault == 0 and len(triples) > 1:
            triples.pop(at)
        elif fault == 1:
            triples[at] = (subject, predicate, rng.choice(replaced))
        elif fault == 2:
            triples.append((subject, predicate, rng.choice(replaced)))
        elif fault == 3:
            triples.append((subject, EX.extra, rng.choice(replaced)))
        elif fault == 4:
            triples.append((subject, predicate, rng.choice(triples)[2]))
        else:
            triples[at] = (subject, RDF.type, rng.choice([EX.Step, EX.Evidence, EX.Refusal, EX.Call]))
    return list(dict.fromkeys(triples))


def bare_keys(data: Graph, shapes: Graph) -> Counter[Key]:
    _, report, text = pyshacl.validate(data, shacl_graph=shapes)
    assert isinstance(report, Graph), text
    view = View(Index(report), plan=Plans())

    def keys() -> Iterator[Key]:
        for result in report.objects(None, SHN.result):
            path, value = report.value(result, SHN.resultPath), report.value(result, SHN.value)
            focus, component, severity = (
                report.value(result, SHN[name]) for name in ("focusNode", "sourceConstraintComponent", "resultSeverity")
            )
            assert focus is not None
            shown = "" if value is None else text_of(value)
            yield text_of(focus), path_text(path, view) if path else "", shown, str(component), str(severity)

    return Counter(keys())


def own_keys(report: Report) -> Counter[Key]:
    assert report.failure is None, report.failure
    return Counter(
        (r.focus, r.path, r.value, r.component, SH + r.severity if isinstance(r.severity, Severity) else r.severity)
        for r in report.results
    )


@pytest.fixture(scope="module")
def parsed(repair: dict[str, str]) -> Callable[[], tuple[ShapesGraph, Graph, Graph, list[tuple[Node, Node, Node]]]]:
    shapes = ShapesGraph.parse([("shapes.ttl", repair["shapes"].encode())])
    bare_shapes = Graph().parse(data=repair["shapes"])
    ontology = Graph().parse(data=repair["ontology"])
    decision = sorted(Graph().parse(data=repair["decision"]))
    return lambda: (shapes, bare_shapes, ontology, decision)


def test_a_fault_that_bare_pyshacl_finds_gets_lost_or_one_is_invented(
    parsed: Callable[[], tuple[ShapesGraph, Graph, Graph, list[tuple[Node, Node, Node]]]],
) -> None:
    shapes, bare_shapes, ontology, decision = parsed()
    background = Background.parse(ontology.serialize(format="nt"))
    before = background.index.size
    rng = random.Random(20260301)  # noqa: S311 - not a secret
    found: Counter[str] = Counter()
    for number in range(DECISIONS):
        triples = edited(decision, rng)
        union = Graph()
        for triple in (*ontology, *triples):
            union.add(triple)
        data = Graph()
        for triple in triples:
            data.add(triple)
        ours = own_keys(validate(shapes, data.serialize(format="nt"), background))
        assert ours == bare_keys(union, bare_shapes), number
        found.update(key[3].removeprefix(SH) for key in ours)
    assert background.index.size == before == len(ontology)
    assert len(found) >= 15, found  # the faults reach most components, so the comparison means something


def test_a_whole_decision_is_called_faulty(
    parsed: Callable[[], tuple[ShapesGraph, Graph, Graph, list[tuple[Node, Node, Node]]]], repair: dict[str, str]
) -> None:
    shapes, _, ontology, _ = parsed()
    data = Graph().parse(data=repair["decision"]).serialize(format="nt")
    report = validate(shapes, data, Background.parse(ontology.serialize(format="nt")))
    assert report.results == ()
    assert report.failure is None
    assert {shape.removeprefix(str(EX)): (e.focus_nodes, e.constraints) for shape, e in report.account.items()} == {
        "AssignmentShape": (1, 17),
        "DecisionShape": (1, 26),  # 3+3+4+2+2+2+3 in the properties, 3 in CallShape, 3 in xone, 1 query
        "EvidenceShape": (2, 10),  # 2 + 3 + 3 + 1 in the properties, 1 query
        "SourcesShape": (1, 3),
        "StepShape": (2, 9),  # closed, 4 + 1 + 3 in the properties
        "ToolShape": (1, 1),
    }
