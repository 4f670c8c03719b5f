"""JSON becomes RDF here: JSON-LD by a local context, after the JSON was made safe to be read as JSON-LD.

Every object gets an IRI (the document's IRI + ``#`` + its JSON Pointer) and every array item its position, so there is
no blank node and no list, and each statement's subject leads back to a place in the JSON. The JSON is hostile until
mapped: only keys of the context at hand become properties; other keys are kept as opaque name/value nodes; keys with
``@`` or ``:`` become nothing and are reported.

A context says what it wants by ordinary JSON-LD 1.1, plus three naming conventions of this module:

- ``"at.dateTime": {"@id": …, "@type": "xsd:dateTime"}`` asks for a typed twin beside the written text of ``at``
  (kinds: integer, decimal, boolean, dateTime, iri, iris, ref, type);
- ``"*": null`` in a scoped context says that the object below is opaque;
- ``"*type": "jl:Task"`` gives the object below a class.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pyoxigraph import RdfFormat, Triple, parse

from judgeloop.errors import BadInput
from judgeloop.rdf import literal
from judgeloop.rdf.context import Scope
from judgeloop.rdf.literal import written
from judgeloop.rdf.mint import encode, fragment, mint, refuse_hidden
from judgeloop.sources import pointer

Json = Any
LONG_TEXT: Final = 4096
"""Bytes of UTF-8 from which a text stands in the payload graph."""
_TYPED: Final[Mapping[str, Callable[[str], str | None]]] = {
    "integer": literal.integer,
    "decimal": literal.decimal,
    "boolean": literal.boolean,
    "dateTime": literal.instant,
}


@dataclass(frozen=True)
class Mapped:
    """What came out of one JSON document."""

    triples: list[Triple]
    payload: list[Triple]
    """Texts that stand outside of the sealed graph (long or personal), as ``subject property text``."""
    opaque: list[str]
    """JSON Pointers of keys that the context doesn't know."""
    hostile: list[str]
    """JSON Pointers of keys that pose as JSON-LD; nothing below them was mapped."""


@dataclass(frozen=True)
class Minting:
    """How ids become IRIs: under ``base``, or by a declared prefix."""

    base: str
    prefixes: Mapping[str, str] = field(default_factory=dict)


def to_rdf(  # noqa: PLR0913 - one call per document, all of it named
    document: Mapping[str, Json],
    context: Mapping[str, Json],
    *,
    own: str,
    minting: Minting,
    seal_text: Callable[[str], str] | None = None,
    personal: tuple[str, ...] = (),
    extra: Mapping[str, Json] | None = None,
    place: str = "",
) -> Mapped:
    """Return the triples of ``document`` about the IRI ``own``.

    ``seal_text`` gives the keyed digest of texts that must stay outside (longer than `LONG_TEXT`, or at a pointer in
    ``personal``); without it every text is kept inside. ``extra`` are trusted root members (already terms).

    Raises:
        BadInput: an id with hidden characters, or the context loses values.
    """
    walk = _Walk(own, minting, seal_text, personal, _ids(document), place)
    root = walk.object(document, "", Scope(context, {}))
    root.update(extra or {})
    walk.expected.update((own, key, str(value)) for key, value in (extra or {}).items())
    triples = expand({"@context": context, "@graph": [root, *walk.loose]})
    if len(triples) != len(walk.expected):
        raise BadInput("leaves-lost", place=place, expected=len(walk.expected), found=len(triples))
    payload = expand({"@context": context, "@graph": walk.payload})
    return Mapped(triples, payload, walk.opaque, walk.hostile)


def expand(document: Mapping[str, Json]) -> list[Triple]:
    """Return the triples of a JSON-LD document that holds its own context, each once; nothing is ever fetched."""
    text = json.dumps(document, ensure_ascii=False)
    return list(dict.fromkeys(Triple(q.subject, q.predicate, q.object) for q in parse(text, RdfFormat.JSON_LD)))


def _ids(document: Mapping[str, Json]) -> dict[str, str]:
    """Return local id → pointer of the objects that other places of a case may refer to."""
    found: dict[str, str] = {}
    for key, items in document.items():
        for i, item in enumerate(items if isinstance(items, list) else ()):
            if isinstance(item, dict) and isinstance(item.get("id"), str):
                found.setdefault(item["id"], pointer(key, i))
    return found


class _Walk:
    """One pass over one document; counts what must come out."""

    def __init__(  # noqa: PLR0913 - private; made in one place
        self,
        own: str,
        minting: Minting,
        seal_text: Callable[[str], str] | None,
        personal: tuple[str, ...],
        ids: Mapping[str, str],
        place: str,
    ) -> None:
        self.own, self.minting, self.seal_text = own, minting, seal_text
        self.personal, self.ids, self.place = frozenset(personal), ids, place
        self.expected: set[tuple[str, str, str]] = set()
        self.loose: list[dict[str, Json]] = []
        self.payload: list[dict[str, Json]] = []
        self.opaque: list[str] = []
        self.hostile: list[str] = []

    def iri(self, at: str) -> str:
        return f"{self.own}#{fragment(at)}" if at else self.own

    def object(self, obj: Mapping[str, Json], at: str, scope: Scope) -> dict[str, Json]:
        node: dict[str, Json] = {"@id": self.mint(obj[scope.id], at) if scope.id and scope.id in obj else self.iri(at)}
        if scope.type:
            self.say(node, "@type", scope.iri(scope.type))
        for key, value in obj.items():
            here = at + pointer(key)
            if not scope.opaque and ("@" in key or ":" in key):
                self.hostile.append(here)
            elif not scope.knows(key):
                if not scope.opaque:
                    self.opaque.append(here)
                self.member(node, value, here, {"name": self.clean(key, here)})
            elif key != scope.id:
                self.property(node, key, value, here, scope)
        return node

    def say(self, node: dict[str, Json], key: str, value: Json) -> None:
        """Add one value to a node and remember that it must come out as one statement."""
        if value not in (held := node.setdefault(key, [])):
            held.append(value)
        self.expected.add((node["@id"], key, value["@id"] if isinstance(value, dict) else str(value)))

    def property(self, node: dict[str, Json], key: str, value: Json, here: str, scope: Scope) -> None:
        if isinstance(value, Mapping):
            self.say(node, key, self.object(value, here, scope.inner(key)))
        elif isinstance(value, list):
            for i, item in enumerate(value):
                self.item(node, key, item, here, i, scope)
        else:
            self.scalar(node, key, value, here, scope)

    def item(self, node: dict[str, Json], key: str, item: Json, here: str, i: int, scope: Scope) -> None:  # noqa: PLR0913
        at = here + pointer(i)
        if scope.definition(key).get("@container") == "@set" and not isinstance(item, Mapping | list):
            self.scalar(node, key, item, at, scope)
            return
        inner = scope.inner(key)
        if isinstance(item, Mapping):
            child = self.object(item, at, inner)
        elif isinstance(item, list):
            child = {"@id": self.iri(at)}
            for j, deeper in enumerate(item):
                self.member(child, deeper, at + pointer(j), {"index": j})
        else:
            child = {"@id": self.iri(at)}
            self.scalar(child, "value", item, at, inner)
        if inner.id is None:
            self.say(child, "index", i)
        self.say(node, key, child)

    def member(self, node: dict[str, Json], value: Json, here: str, names: dict[str, Json]) -> None:
        """Keep a value that no context speaks of, as name and written text."""
        child: dict[str, Json] = {"@id": self.iri(here)}
        for key, name in names.items():
            self.say(child, key, name)
        if isinstance(value, Mapping):
            for key, deeper in value.items():
                at = here + pointer(key)
                self.member(child, deeper, at, {"name": self.clean(key, at)})
        elif isinstance(value, list):
            for i, deeper in enumerate(value):
                self.member(child, deeper, here + pointer(i), {"index": i})
        else:
            self.scalar(child, "value", value, here, Scope({}, {}))
        self.say(node, "member", child)

    def scalar(self, node: dict[str, Json], key: str, value: Json, here: str, scope: Scope) -> None:
        text, kind = written(value)
        definition = scope.definition(key)
        wanted = definition.get("@type")
        if wanted and value is not None:
            self.typed(node, key, self.converted(wanted, text, here), text, here)
            return
        if kind != "string":
            self.beside(here, "jsonType", kind)
        if value is None:
            return
        text = self.clean(text, here)
        if self.seal_text and (here in self.personal or len(text.encode()) > LONG_TEXT):
            self.payload.append({"@id": node["@id"], key: text})
            self.beside(here, "digest", self.seal_text(text))
            return
        self.say(node, key, text)
        for twin in [t for t in scope.terms if t.startswith(f"{key}.")]:
            self.twin(node, twin, text, here, scope)

    def beside(self, here: str, key: str, value: str) -> None:
        """Say something about the place of a scalar, which is a node of its own then."""
        node: dict[str, Json] = {"@id": self.iri(here)}
        self.say(node, key, value)
        self.loose.append(node)

    def typed(self, node: dict[str, Json], key: str, value: str | None, text: str, here: str) -> None:
        """Keep a value that the context wants typed and nothing else; what doesn't fit stays opaque."""
        if value is None:
            self.opaque.append(here)
            self.member(node, text, here, {"name": key})
        else:
            self.say(node, key, value)

    def twin(self, node: dict[str, Json], twin: str, text: str, here: str, scope: Scope) -> None:
        kind = twin.partition(".")[2]
        if kind == "iris":
            values: list[str | None] = [self.mint(part.strip(), here) for part in text.split(",") if part.strip()]
        elif kind == "iri":
            values = [self.mint(text, here)]
        elif kind == "ref":
            values = [self.iri(self.ids[text])] if text in self.ids else []
        elif kind == "type":
            inner = scope.inner(twin)
            values = [inner.iri(inner.definition(text)["@id"])] if inner.knows(text) else []
        else:
            values = [_TYPED[kind](text)]
        for value in values:
            if value is not None:
                self.say(node, twin, value)

    def converted(self, wanted: str, text: str, here: str) -> str | None:
        if wanted == "@id":
            return self.mint(text, here)
        return _TYPED[wanted.rpartition(":")[2]](text)

    def mint(self, identifier: Json, here: str) -> str:
        text, _ = written(identifier)
        return mint(text, self.minting.base, self.minting.prefixes, f"{self.place}#{here}")

    def clean(self, text: str, here: str) -> str:
        """Return ``text``; half a surrogate pair can't be written to any file and is refused."""
        if any("\ud800" <= c <= "\udfff" for c in text):
            refuse_hidden(text, f"{self.place}#{here}")
        return text


def graph_name(kind: str, name: str, base: str) -> str:
    """Return the IRI of a named graph of ours, e.g. ``…/contract/multihop@1.0.0``."""
    return f"{base}{kind}/{encode(name, safe='-._~@')}"
