"""A small read-only index over triples, for reading configuration graphs without a query."""

from collections.abc import Iterable
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad, Triple

from judgeloop.vocab import RDF_TYPE


class Graph:
    """Subject → property → values; texts come out as ``str``."""

    def __init__(self, triples: Iterable[Triple | Quad]) -> None:
        """Index ``triples`` once."""
        self._of: dict[str, dict[str, list[Any]]] = {}
        for t in triples:
            if isinstance(t.subject, NamedNode):
                held = self._of.setdefault(t.subject.value, {}).setdefault(t.predicate.value, [])
                if t.object not in held:
                    held.append(t.object)

    def values(self, subject: str, prop: str) -> list[str]:
        """Return the values as text, sorted."""
        return sorted(v.value for v in self._terms(subject, prop) if isinstance(v, NamedNode | Literal))

    def value(self, subject: str, prop: str) -> str | None:
        """Return the first value as text, or None."""
        return next(iter(self.values(subject, prop)), None)

    def texts(self, subject: str, prop: str) -> dict[str, str]:
        """Return the values by language tag."""
        return {v.language or "": v.value for v in self._terms(subject, prop) if isinstance(v, Literal)}

    def instances(self, cls: str) -> list[str]:
        """Return the subjects that are typed ``cls``, sorted."""
        return sorted(s for s, props in self._of.items() if NamedNode(cls) in props.get(RDF_TYPE, ()))

    def subjects(self, prop: str) -> list[str]:
        """Return the subjects that have ``prop``, sorted."""
        return sorted(s for s, props in self._of.items() if prop in props)

    def _terms(self, subject: str, prop: str) -> list[Any]:
        return self._of.get(subject, {}).get(prop, [])
