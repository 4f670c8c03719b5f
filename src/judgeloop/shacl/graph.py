"""Triples for one validation: a read-only background below, one decision above, nothing copied and nothing to undo."""
# ruff: noqa: ANN401 - the signatures are rdflib's

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from rdflib import BNode, Graph, Literal, URIRef
from rdflib.paths import Path
from rdflib.plugins.sparql.evaluate import evalQuery
from rdflib.plugins.sparql.processor import SPARQLResult
from rdflib.plugins.sparql.sparql import Query
from rdflib.query import Result
from rdflib.term import Node

Triple = tuple[Node, Node, Node]
Plan = Callable[[str], Query]
"""From the text of a query to its compiled form."""

TERMS: Final = frozenset({URIRef, BNode, Literal})
"""The classes of terms in data."""
_NOTHING: Final[Mapping[Node, Any]] = {}


class Index:
    """Triples by subject and by predicate, in the order in which they came."""

    __slots__ = ("by_predicate", "by_subject", "size")

    def __init__(self, triples: Iterable[Triple] = ()) -> None:
        """Index ``triples``; doubles count once."""
        self.by_subject: dict[Node, dict[Node, dict[Node, None]]] = {}
        self.by_predicate: dict[Node, dict[Node, dict[Node, None]]] = {}
        self.size = 0
        for triple in triples:
            self.add(triple)

    def add(self, triple: Triple) -> None:
        """Index one triple more."""
        subject, predicate, value = triple
        objects = self.by_subject.setdefault(subject, {}).setdefault(predicate, {})
        if value not in objects:
            objects[value] = None
            self.by_predicate.setdefault(predicate, {}).setdefault(value, {})[subject] = None
            self.size += 1

    def __contains__(self, triple: Triple) -> bool:
        """Say whether the triple is here."""
        subject, predicate, value = triple
        return value in self.by_subject.get(subject, _NOTHING).get(predicate, _NOTHING)

    def match(self, subject: Node | None, predicate: Node | None, value: Node | None) -> Iterator[Triple]:
        """Yield the triples that fit; None fits anything."""
        if subject is not None:
            found = self.by_subject.get(subject, _NOTHING)
            for p in (predicate,) if predicate is not None else found:
                objects = found.get(p, _NOTHING)
                for o in objects if value is None else ((value,) if value in objects else ()):
                    yield subject, p, o
            return
        for p in (predicate,) if predicate is not None else self.by_predicate:
            by_value = self.by_predicate.get(p, _NOTHING)
            for o in (value,) if value is not None else by_value:
                for s in by_value.get(o, _NOTHING):
                    yield s, p, o


class View(Graph):
    """An rdflib graph over layers of triples that share none; what is added goes to the top layer.

    Queries are compiled by ``plan`` and know no prefix but those that they declare.
    """

    def __init__(self, top: Index, *below: Index, plan: Plan) -> None:
        """Look at ``top`` and ``below`` as one graph."""
        super().__init__(bind_namespaces="none")
        self._top = top
        self._layers = (top, *below)
        self._plan = plan

    def add(self, triple: Any) -> "View":
        """Add one triple to the top layer."""
        if triple not in self:
            self._top.add(triple)
        return self

    def remove(self, triple: Any) -> "View":
        """Refuse: a view only grows."""
        raise NotImplementedError(triple)

    def __len__(self) -> int:
        """Count the triples of all layers."""
        return sum(layer.size for layer in self._layers)

    def __contains__(self, triple: Any) -> bool:
        """Say whether a triple or a pattern is in any layer."""
        return next(iter(self.triples(triple)), None) is not None

    def triples(self, triple: Any) -> Iterator[Any]:  # type: ignore[override]
        """Yield what fits, layer by layer; the predicate may be a path."""
        subject, predicate, value = triple
        if isinstance(predicate, Path):
            return ((s, predicate, o) for s, o in predicate.eval(self, subject, value))
        return chain.from_iterable(layer.match(subject, predicate, value) for layer in self._layers)

    def objects(self, subject: Any = None, predicate: Any = None, unique: bool = False) -> Iterator[Any]:  # type: ignore[override]  # noqa: FBT001, FBT002 - rdflib's signature
        """Yield the values of one property."""
        if type(predicate) is not URIRef or type(subject) not in TERMS:
            return super().objects(subject, predicate, unique)
        return chain.from_iterable(
            layer.by_subject[subject].get(predicate, _NOTHING) for layer in self._layers if subject in layer.by_subject
        )

    def subjects(self, predicate: Any = None, object: Any = None, unique: bool = False) -> Iterator[Any]:  # type: ignore[override]  # noqa: A002, FBT001, FBT002 - rdflib's signature
        """Yield the subjects that have one value."""
        if type(predicate) is not URIRef or type(object) not in TERMS:
            return super().subjects(predicate, object, unique)
        return chain.from_iterable(
            layer.by_predicate[predicate].get(object, _NOTHING)
            for layer in self._layers
            if predicate in layer.by_predicate
        )

    def query(self, query_object: Any, *_: Any, **named: Any) -> Result:
        """Return the answer of a query text under prebound variables (``initBindings``; nothing else is looked at)."""
        return SPARQLResult(evalQuery(self, self._plan(query_object), named.get("initBindings") or {}))
