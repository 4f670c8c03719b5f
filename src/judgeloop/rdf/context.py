"""One object's JSON-LD terms, read from a pack's own context; see `judgeloop.rdf.jsonld` for the naming conventions."""

from collections.abc import Mapping
from typing import Any

Json = Any


class Scope:
    """The terms that one object may use: those of its own context only, never inherited ones."""

    def __init__(self, context: Mapping[str, Json], prefixes: Mapping[str, str]) -> None:
        """Read one ``@context`` object; prefixes of the outer contexts stay known."""
        own = {k: v for k, v in context.items() if isinstance(v, str) and v[-1:] in "#/" and v}
        self.prefixes = {**prefixes, **own}
        self.terms = {k: v for k, v in context.items() if not k.startswith("@") and k not in own}
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
        return Scope(self.definition(key).get("@context", {"*": None}), self.prefixes)

    def iri(self, compact: str) -> str:
        """Return a compact IRI of the context in full."""
        prefix, _, local = compact.partition(":")
        return self.prefixes[prefix] + local if prefix in self.prefixes else compact
