"""Which shapes stand at the top, what they aim at, and how many constraints hang on each."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from rdflib import RDF, RDFS, BNode, Literal, URIRef
from rdflib.term import Node

from judgeloop.model import Severity
from judgeloop.shacl.graph import View
from judgeloop.shacl.terms import text_of
from judgeloop.shacl.vocabulary import LEAVES, LISTS_OF_SHAPES, NEVER_VIOLATED, PARAMETERS, REFERENCES, TARGETS
from judgeloop.vocab import SH

PARAMETER: Final = URIRef(SH + "parameter")
_DEACTIVATED: Final = URIRef(SH + "deactivated")
_PATH: Final = URIRef(SH + "path")
_SEVERITY: Final = URIRef(SH + "severity")
_SPARQL: Final = URIRef(SH + "sparql")
_OR: Final = URIRef(SH + "or")
_QUALIFIED: Final = URIRef(SH + "qualifiedValueShape")
_COUNTS: Final = (URIRef(SH + "qualifiedMinCount"), URIRef(SH + "qualifiedMaxCount"))
_TRUE: Final = frozenset({"true", "1"})
_SEVERITIES: Final = {URIRef(SH + severity.value): severity for severity in Severity}
_SHAPE_CLASSES: Final = (URIRef(SH + "NodeShape"), URIRef(SH + "PropertyShape"))
_TARGETS: Final = tuple(URIRef(term) for term in TARGETS)
_REFERENCES: Final = tuple(URIRef(term) for term in REFERENCES)
_LISTS: Final = tuple(URIRef(term) for term in LISTS_OF_SHAPES)

Constraint = tuple[Node, Node, Node]
"""The triple that states a constraint."""


@dataclass(frozen=True, slots=True, order=True)
class Target:
    """How a shape selects focus nodes: ``targetClass``, ``targetNode``, ``targetSubjectsOf``, ``targetObjectsOf``.

    A shape that is an rdfs:Class itself has the target ``implicit``.
    """

    kind: str
    term: str


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape that runs by itself, or would if it had a target."""

    iri: str
    """Its IRI; ``_:`` and a label where it has none."""
    constraints: int
    """Constraints that data can break, through nested shapes; each counts once."""
    severity: Severity | str
    deactivated: bool
    targets: tuple[Target, ...]


def severity_of(term: Node) -> Severity | str:
    """Return a severity of SHACL, or the IRI of a custom one."""
    return _SEVERITIES.get(term, str(term)) if isinstance(term, URIRef) else text_of(term)


def references(graph: View, node: Node) -> Iterator[tuple[Node, Node]]:
    """Yield (parameter, shape) for every shape that ``node`` refers to."""
    for parameter in _REFERENCES:
        for value in graph.objects(node, parameter):
            yield parameter, value
    for parameter in _LISTS:
        for head in graph.objects(node, parameter):
            for value in members(graph, head):
                yield parameter, value


def members(graph: View, head: Node) -> list[Node]:
    """Return the members of an RDF list; a list that is broken or runs into itself ends there."""
    found: list[Node] = []
    seen: set[Node] = set()
    while head not in seen and head != RDF.nil:
        seen.add(head)
        found += graph.objects(head, RDF.first)
        head = next(iter(graph.objects(head, RDF.rest)), RDF.nil)
    return found


class Catalogue:
    """The shapes of one graph."""

    def __init__(self, graph: View) -> None:
        """Look for shapes in ``graph``."""
        self._graph = graph
        self._own = {path for node in graph.objects(None, PARAMETER) for path in graph.objects(node, _PATH)}
        self._parameters = self._own | {URIRef(term) for term in PARAMETERS}
        self._counted: dict[Node, frozenset[Constraint]] = {}

    def shape_nodes(self) -> list[Node]:
        """Return every node that SHACL takes for a shape by what it says itself, in the order of the files."""
        graph = self._graph
        found: dict[Node, None] = {}
        for subject, predicate, value in graph.triples((None, None, None)):
            typed = predicate == RDF.type and value in _SHAPE_CLASSES
            if typed or predicate in _TARGETS or predicate in self._parameters:
                found[subject] = None
        parameters = set(graph.objects(None, PARAMETER))
        return [node for node in found if node not in parameters]

    def top(self) -> tuple[Shape, ...]:
        """Return the shapes that have a target, and the named ones that no other shape refers to, by name."""
        nodes = self.shape_nodes()
        referred = {value for node in nodes for _, value in references(self._graph, node)}
        return tuple(
            sorted(
                (
                    self._shape(node)
                    for node in nodes
                    if any(self.targets(node)) or (isinstance(node, URIRef) and node not in referred)
                ),
                key=lambda shape: shape.iri,
            )
        )

    def _shape(self, node: Node) -> Shape:
        severity = next(iter(self._graph.objects(node, _SEVERITY)), URIRef(SH + "Violation"))
        return Shape(
            iri=text_of(node),
            constraints=len(self.constraints(node)),
            severity=severity_of(severity),
            deactivated=self.deactivated(node),
            targets=tuple(sorted(self.targets(node))),
        )

    def targets(self, node: Node) -> Iterator[Target]:
        """Yield what a shape aims at."""
        for predicate in _TARGETS:
            for value in self._graph.objects(node, predicate):
                yield Target(str(predicate).removeprefix(SH), text_of(value))
        if (node, RDF.type, RDFS.Class) in self._graph:
            yield Target("implicit", text_of(node))

    def deactivated(self, node: Node) -> bool:
        """Say whether a shape or a constraint is switched off."""
        return any(isinstance(v, Literal) and str(v) in _TRUE for v in self._graph.objects(node, _DEACTIVATED))

    def constraints(self, node: Node) -> frozenset[Constraint]:
        """Return the triples below ``node`` that state something which data can break.

        Left out: what is deactivated, ``sh:minCount 0`` and its like, parameters that only modify another, and
        alternatives of a ``sh:or`` of which one can't be broken.
        """
        if node not in self._counted:
            self._counted[node] = frozenset()  # a shape that refers to itself adds nothing the second time
            if not self.deactivated(node):
                self._counted[node] = frozenset((*self._stated(node), *self._nested(node)))
        return self._counted[node]

    def _stated(self, node: Node) -> Iterator[Constraint]:
        for predicate, value in self._graph.predicate_objects(node):
            written = (str(predicate), str(value))
            if predicate in self._own or (written[0] in LEAVES and written not in NEVER_VIOLATED):
                counts = predicate in _COUNTS and not any(self._graph.objects(node, _QUALIFIED))
                if not counts and not (predicate == _SPARQL and self.deactivated(value)):
                    yield node, predicate, value

    def _nested(self, node: Node) -> Iterator[Constraint]:
        for parameter in _REFERENCES:
            for value in self._graph.objects(node, parameter):
                yield from self.constraints(value)
        for parameter in _LISTS:
            for head in self._graph.objects(node, parameter):
                parts = [self.constraints(member) for member in members(self._graph, head)]
                if parameter != _OR or all(parts):
                    yield from _flat(parts)


def _flat(parts: Iterable[frozenset[Constraint]]) -> Iterator[Constraint]:
    for part in parts:
        yield from part


def owner(graph: View, node: Node) -> str:
    """Return the nearest named node that leads to ``node`` (itself where it is named), for messages."""
    seen: set[Node] = set()
    while isinstance(node, BNode) and node not in seen:
        seen.add(node)
        node = next((s for s, _, _ in graph.triples((None, None, node))), node)
    return text_of(node)
