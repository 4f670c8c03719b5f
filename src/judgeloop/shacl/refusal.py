"""Shapes graphs that no engine should be asked to run: each of these passes in silence, or differs between engines."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from rdflib import OWL, RDF, RDFS, BNode, Literal, URIRef
from rdflib.term import Node

from judgeloop.shacl.account import PARAMETER, Catalogue, owner, references
from judgeloop.shacl.datatype import flaw
from judgeloop.shacl.graph import View
from judgeloop.shacl.report import Failure
from judgeloop.shacl.terms import text_of
from judgeloop.shacl.vocabulary import (
    ADVANCED,
    BOOLEANS,
    DEFINED,
    IRIS,
    LISTS,
    LISTS_OF_SHAPES,
    NODE_KINDS,
    RANGES,
    REFERENCES,
    SINGLE,
)
from judgeloop.vocab import SH, XSD_BOOLEAN

_SHOWN: Final = 5
_ENTAILMENT: Final = URIRef(SH + "entailment")
_NODE_KIND: Final = URIRef(SH + "nodeKind")
_PATH: Final = URIRef(SH + "path")
_TRUE_OR_FALSE: Final = frozenset(f'"{value}"^^<{XSD_BOOLEAN}>' for value in ("true", "false"))
_TARGET_CLASS: Final = URIRef(SH + "targetClass")


@dataclass(frozen=True, slots=True, order=True)
class UnknownTerm:
    """A term in SHACL's namespace that SHACL 1.0 does not define, and the named node nearest to it."""

    term: str
    shape: str


def unknown_terms(graph: View) -> tuple[UnknownTerm, ...]:
    """Return the misspelt terms (and those of later or other versions) in any position."""
    return tuple(sorted(_foreign(graph, lambda term: term not in DEFINED and term not in ADVANCED)))


def _foreign(graph: View, fits: Callable[[str], bool]) -> set[UnknownTerm]:
    return {
        UnknownTerm(str(term), owner(graph, triple[0]))
        for triple in graph.triples((None, None, None))
        for term in triple
        if isinstance(term, URIRef) and term.startswith(SH) and len(term) > len(SH) and fits(str(term))
    }


def refusals(graph: View, catalogue: Catalogue) -> tuple[Failure, ...]:
    """Return every reason why this graph may not judge anything."""
    unknown = unknown_terms(graph)
    found = [
        ("unknown-term", sorted(f"{_short(item.term)} ({item.shape})" for item in unknown)),
        (
            "advanced",
            sorted(f"{_short(item.term)} ({item.shape})" for item in _foreign(graph, lambda term: term in ADVANCED)),
        ),
        ("entailment", sorted(text_of(value) for value in graph.objects(None, _ENTAILMENT))),
        ("dangling", sorted(_dangling(graph, catalogue))),
        ("implicit-target", sorted(_implicit(graph, catalogue))),
        ("recursion", _recursion(graph, catalogue)),
    ]
    listed = [Failure.because(kind, what=_list(what)) for kind, what in found if what]
    ill = sorted(set(_ill_formed(graph)))
    return (*listed, Failure.because("ill-formed", what=_list(ill))) if ill else tuple(listed)


def _short(term: str) -> str:
    return "sh:" + term.removeprefix(SH)


def _list(what: list[str]) -> str:
    more = f" … +{len(what) - _SHOWN}" if len(what) > _SHOWN else ""
    return ", ".join(what[:_SHOWN]) + more


def _dangling(graph: View, catalogue: Catalogue) -> Iterator[str]:
    """Name the references to something that says nothing about itself as a shape."""
    shapes = set(catalogue.shape_nodes())
    for node in shapes:
        for parameter, value in references(graph, node):
            if value not in shapes and not any(graph.objects(value, _PATH)):
                yield f"{_short(str(parameter))} {text_of(value)} ({owner(graph, node)})"


def _implicit(graph: View, catalogue: Catalogue) -> Iterator[str]:
    """Name the shapes that some engines take for a class target and others do not: not an rdfs:Class by their own word.

    SHACL asks for an instance of rdfs:Class; whether an owl:Class is one depends on a triple that few files hold.
    """
    classes = {OWL.Class, *graph.transitive_subjects(RDFS.subClassOf, RDFS.Class)} - {RDFS.Class}
    for node in catalogue.shape_nodes():
        types = set(graph.objects(node, RDF.type))
        if types & classes and RDFS.Class not in types and (node, _TARGET_CLASS, node) not in graph:
            yield text_of(node)


def _recursion(graph: View, catalogue: Catalogue) -> list[str]:
    """Return the first way found from a shape back to itself; SHACL leaves the meaning of such shapes open."""
    done: set[Node] = set()
    for start in catalogue.shape_nodes():
        way: list[Node] = []
        todo = [iter([start])]
        while todo:
            node = next(todo[-1], None)
            if node is None:
                todo.pop()
                if way:
                    done.add(way.pop())
            elif node in way:
                circle = [*way[way.index(node) :], node]
                return [" → ".join(dict.fromkeys(owner(graph, shape) for shape in circle))]
            elif node not in done:
                way.append(node)
                todo.append(iter([value for _, value in references(graph, node)]))
    return []


def _ill_formed(graph: View) -> Iterator[str]:
    """Name values that SHACL's syntax rules forbid and that engines treat each in its own way."""
    for parameter in REFERENCES:
        yield from _objects(graph, parameter, lambda value: isinstance(value, Literal))
    for parameter in BOOLEANS:
        yield from _objects(graph, parameter, lambda value: text_of(value) not in _TRUE_OR_FALSE)
    for parameter in IRIS:
        yield from _objects(graph, parameter, lambda value: not isinstance(value, URIRef))
    for parameter in LISTS:
        yield from _objects(graph, parameter, partial(_is_no_list, graph, 1 if parameter in LISTS_OF_SHAPES else 0))
    for parameter in RANGES:
        yield from _objects(graph, parameter, lambda v: not isinstance(v, Literal) or bool(flaw(v, str(v.datatype))))
    yield from _objects(graph, str(_NODE_KIND), lambda value: str(value) not in NODE_KINDS)
    parameters = set(graph.objects(None, PARAMETER))
    for parameter in SINGLE:
        for node in dict.fromkeys(graph.subjects(URIRef(parameter), None)):
            if node not in parameters and len(list(graph.objects(node, URIRef(parameter)))) > 1:
                yield f"{_short(parameter)} twice ({owner(graph, node)})"


def _objects(graph: View, parameter: str, wrong: Callable[[Node], bool]) -> Iterator[str]:
    for node, _, value in graph.triples((None, URIRef(parameter), None)):
        if wrong(value):
            shown = "[…]" if isinstance(value, BNode) else text_of(value)
            yield f"{_short(parameter)} {shown} ({owner(graph, node)})"


def _is_no_list(graph: View, least: int, head: Node) -> bool:
    """Say whether ``head`` fails to begin a well-formed list of at least that many members."""
    seen: set[Node] = set()
    while head != RDF.nil:
        firsts, rests = list(graph.objects(head, RDF.first)), list(graph.objects(head, RDF.rest))
        if head in seen or len(firsts) != 1 or len(rests) != 1:
            return True
        seen.add(head)
        head = rests[0]
    return len(seen) < least
