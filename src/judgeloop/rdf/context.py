"""One object's JSON-LD terms, read from a pack's own context; see `judgeloop.rdf.jsonld` for the naming conventions."""

from collections.abc import Iterable, Iterator, Mapping
from types import NoneType
from typing import Any

from judgeloop.sources import pointer

Json = Any


class Scope:
    """The terms that one object may use: those of its own context only, never inherited ones."""

    def __init__(self, context: Mapping[str, Json], prefixes: Mapping[str, str], *, ours: Iterable[str] = ()) -> None:
        """Read one ``@context`` object; prefixes of the outer contexts stay known.

        ``ours`` are terms in which the mapping itself speaks: no key of a user's JSON means them.
        """
        own = {k: v for k, v in context.items() if isinstance(v, str) and v[-1:] in "#/" and v}
        self.prefixes = {**prefixes, **own}
        self.terms = {k: v for k, v in context.items() if not k.startswith("@") and k not in {*own, *ours}}
        self._inner: dict[str, Scope] = {}
        self.opaque = "*" in self.terms and self.terms["*"] is None
        self.type: str | None = self.terms.get("*type")
        self.id: str | None = next((k for k, v in self.terms.items() if v == "@id"), None)
        """The key whose value is the object's own id; without one the JSON Pointer is."""

    def knows(self, key: str) -> bool:
        """Say whether ``key`` is a term that a user's JSON may use."""
        return key in self.terms and "." not in key and not key.startswith("*")

    def definition(self, key: str) -> Mapping[str, Json]:
        """Return the expanded term definition of ``key`` (``{}`` where there is none)."""
        found = self.terms.get(key)
        return {"@id": found} if isinstance(found, str) else found or {}

    def inner(self, key: str) -> "Scope":
        """Return the scope of what stands under ``key``; without a context of its own that is opaque."""
        if key not in self._inner:
            self._inner[key] = Scope(self.definition(key).get("@context", {"*": None}), self.prefixes)
        return self._inner[key]

    def typed(self, key: str) -> bool:
        """Say whether the context wants ``key`` to hold one typed value."""
        definition = self.definition(key)
        return "@type" in definition and definition.get("@container") != "@set"

    def meaning(self, key: str) -> tuple[str, str]:
        """Return the property that ``key`` stands for and what its values are: ``@id``, a datatype, or plain text."""
        definition = self.definition(key)
        kind = self.iri(str(definition.get("@type", "")))
        return self.iri(str(definition.get("@id", key))), "@id" if kind == "@vocab" else kind

    def iri(self, compact: str) -> str:
        """Return a compact IRI of the context in full."""
        prefix, _, local = compact.partition(":")
        return self.prefixes[prefix] + local if prefix in self.prefixes else compact


def faults(context: Json, at: str) -> Iterator[str]:
    """Give the JSON Pointers of what is no context here: one object of terms, with objects inside, nothing fetched."""
    if not isinstance(context, Mapping):
        yield at
        return
    for key, value in context.items():
        here = at + pointer(key)
        if isinstance(value, Mapping):
            if "@context" in value:
                yield from faults(value["@context"], here + pointer("@context"))
        elif key == "@import" or not (key.startswith("@") or isinstance(value, NoneType if key == "*" else str)):
            yield here
