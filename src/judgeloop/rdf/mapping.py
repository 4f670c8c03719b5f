"""One pass over one JSON document: safe JSON-LD comes out, and a count of what it must say."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from pyoxigraph import Literal, NamedNode, Triple

from judgeloop.rdf import literal
from judgeloop.rdf.context import Scope
from judgeloop.rdf.literal import written
from judgeloop.rdf.mint import Minting, fragment, mint, refuse_hidden
from judgeloop.sources import pointer
from judgeloop.vocab import RDF_TYPE

Json = Any
LONG_TEXT: Final = 4096
"""Bytes of UTF-8 from which a text stands in the payload graph."""
_TYPED: Final[Mapping[str, Callable[[str], str | None]]] = {
    "integer": literal.integer,
    "decimal": literal.decimal,
    "boolean": literal.boolean,
    "dateTime": literal.instant,
}


class Walk:
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
        """Begin a document about the IRI ``own``; ``ids`` are local ids and the pointers that they stand for."""
        self.own, self.minting, self.seal_text = own, minting, seal_text
        self.personal, self.ids, self.place = frozenset(personal), ids, place
        self.ours = Scope({}, {})
        self.expected: set[tuple[str, str, str, str]] = set()
        self.loose: list[dict[str, Json]] = []
        self.payload: list[Triple] = []
        self.opaque: list[str] = []
        self.unfit: list[str] = []
        self.hostile: list[str] = []

    def iri(self, at: str) -> str:
        """Return the IRI of a place in the document."""
        return f"{self.own}#{fragment(at)}" if at else self.own

    def is_personal(self, here: str) -> bool:
        """Say whether a place, or what it stands in, is marked personal."""
        return any(here == place or here.startswith(f"{place}/") for place in self.personal)

    def object(self, obj: Mapping[str, Json], at: str, scope: Scope) -> dict[str, Json]:
        """Return the node of one object, with all that its context speaks of."""
        identity = obj.get(scope.id) if scope.id else None
        named = _names(identity)
        node: dict[str, Json] = {"@id": self.mint(identity, at) if named else self.iri(at)}
        if scope.type:
            self.say(node, "@type", scope.iri(scope.type), scope)
        for key, value in obj.items():
            here = at + pointer(self.clean(key, at))
            if not scope.opaque and _poses(key):
                self.hostile.append(here)
            elif scope.opaque:
                self.member(node["@id"], value, here, {"name": key})
            elif not scope.knows(key):
                self.unknown(node, key, value, here)
            elif key == scope.id and not named:
                self.misfit(node, key, value, here)
            elif key != scope.id:
                self.property(node, key, value, here, scope)
        return node

    def say(self, node: dict[str, Json], key: str, value: Json, scope: Scope) -> None:
        """Add one value to a node and remember that it must come out as one statement."""
        held = node.setdefault(key, [])
        if isinstance(value, dict) or value not in held:
            held.append(value)
        self.note(node["@id"], key, value, scope)

    def note(self, subject: str, key: str, value: Json, scope: Scope | None = None) -> None:
        """Remember one statement. Two keys may stand for one property: then they make one statement, not two."""
        prop, kind = (RDF_TYPE, "@id") if key == "@type" else (scope or self.ours).meaning(key)
        if isinstance(value, dict):
            self.expected.add((subject, prop, "@id", value["@id"]))
        else:
            self.expected.add((subject, prop, kind, str(value)))

    def beside(self, subject: str, key: str, value: Json) -> None:
        """Say something in our own terms, at the top: further in, a pack's context may give them another meaning."""
        node: dict[str, Json] = {"@id": subject}
        self.say(node, key, value, self.ours)
        self.loose.append(node)

    def property(self, node: dict[str, Json], key: str, value: Json, here: str, scope: Scope) -> None:
        """Say the value of a key that the context knows."""
        if isinstance(value, Mapping | list) and scope.typed(key):
            self.misfit(node, key, value, here)
        elif isinstance(value, Mapping):
            self.say(node, key, self.object(value, here, scope.inner(key)), scope)
        elif isinstance(value, list):
            for i, item in enumerate(value):
                self.item(node, key, item, here, i, scope)
        else:
            self.scalar(node, key, value, here, scope)

    def item(self, node: dict[str, Json], key: str, item: Json, here: str, i: int, scope: Scope) -> None:  # noqa: PLR0913
        """Say one item of an array: a node with its position, or a plain value where the context wants a set."""
        at = here + pointer(i)
        if scope.definition(key).get("@container") == "@set" and not isinstance(item, Mapping | list):
            self.scalar(node, key, item, at, scope)
            return
        inner = scope.inner(key)
        child: dict[str, Json] = {"@id": self.iri(at)}
        if isinstance(item, Mapping):
            child = self.object(item, at, inner)
        elif isinstance(item, list):
            for j, deeper in enumerate(item):
                self.member(child["@id"], deeper, at + pointer(j), {"index": j})
        elif "value" in inner.terms:
            self.scalar(child, "value", item, at, inner)
        else:
            self.value(child["@id"], item, at)
        if inner.id is None:
            self.beside(child["@id"], "index", i)
        self.say(node, key, child, scope)

    def unknown(self, node: dict[str, Json], key: str, value: Json, here: str) -> None:
        """Keep what the context doesn't know, and list it."""
        self.opaque.append(here)
        self.member(node["@id"], value, here, {"name": key}, strict=True)

    def misfit(self, node: dict[str, Json], key: str, value: Json, here: str) -> None:
        """Keep what is not of the type that the context wants, and list it as such."""
        self.unfit.append(here)
        self.unknown(node, key, value, here)

    def member(self, owner: str, value: Json, here: str, names: dict[str, Json], *, strict: bool = False) -> None:
        """Keep a value that no context speaks of, as name and written text.

        Below an unknown field (``strict``) no key may pose as JSON-LD; in opaque objects any key is allowed.
        """
        own = self.iri(here)
        for key, name in names.items():
            self.beside(own, key, name)
        if isinstance(value, Mapping):
            for key, deeper in value.items():
                at = here + pointer(self.clean(key, here))
                if strict and _poses(key):
                    self.hostile.append(at)
                else:
                    self.member(own, deeper, at, {"name": key}, strict=strict)
        elif isinstance(value, list):
            for i, deeper in enumerate(value):
                self.member(own, deeper, here + pointer(i), {"index": i}, strict=strict)
        else:
            self.value(own, value, here)
        self.beside(owner, "member", {"@id": own})

    def value(self, owner: str, value: Json, here: str) -> None:
        """Keep a scalar that no context speaks of."""
        node: dict[str, Json] = {"@id": owner}
        self.scalar(node, "value", value, here, self.ours)
        self.loose.append(node)

    def scalar(self, node: dict[str, Json], key: str, value: Json, here: str, scope: Scope) -> None:
        """Say a scalar as it was written, with its JSON type and the twins that the context asks for."""
        text, kind = written(value)
        if scope.meaning(key)[1] and value is not None and not self.is_personal(here):
            self.typed(node, key, value, here, scope)
            return
        if kind != "string":
            self.beside(self.iri(here), "jsonType", kind)
        if value is None:
            return
        text = self.clean(text, here)
        if self.seal_text and (self.is_personal(here) or len(text.encode()) > LONG_TEXT):
            prop, _ = scope.meaning(key)
            self.payload.append(Triple(NamedNode(node["@id"]), NamedNode(prop), Literal(text)))
            self.beside(self.iri(here), "digest", self.seal_text(text))
            return
        self.say(node, key, text, scope)
        for twin in [t for t in scope.terms if t.startswith(f"{key}.")]:
            self.twin(node, twin, text, here, scope)

    def typed(self, node: dict[str, Json], key: str, value: Json, here: str, scope: Scope) -> None:
        """Say a value that the context wants typed and nothing else; what doesn't fit stays opaque."""
        text, _ = written(value)
        _, wanted = scope.meaning(key)
        form = self.mint(text, here) if wanted == "@id" and text else _form(wanted.rpartition("#")[2], text)
        if form is None:
            self.misfit(node, key, value, here)
        else:
            self.say(node, key, form, scope)

    def twin(self, node: dict[str, Json], twin: str, text: str, here: str, scope: Scope) -> None:
        """Say what the text means beside what it is; a text that has no such meaning gets no twin."""
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
            values = [_form(kind, text)]
        for value in values:
            if value is not None:
                self.say(node, twin, value, scope)

    def mint(self, identifier: Json, here: str) -> str:
        """Return the IRI of an id."""
        text, _ = written(identifier)
        return mint(text, self.minting.base, self.minting.prefixes, f"{self.place}#{here}")

    def clean(self, text: str, here: str) -> str:
        """Return ``text``; half a surrogate pair can't be written to any file and is refused."""
        if any("\ud800" <= c <= "\udfff" for c in text):
            refuse_hidden(text, f"{self.place}#{here}")
        return text


def _poses(key: str) -> bool:
    """Say whether a key poses as a keyword, a compact IRI or an IRI of JSON-LD."""
    return "@" in key or ":" in key


def _names(identity: Json) -> bool:
    return not isinstance(identity, Mapping | list) and written(identity)[0] != ""


def _form(kind: str, text: str) -> str | None:
    """Return the profile form of ``text``, or None where it has none or the profile knows no such kind."""
    profile = _TYPED.get(kind)
    return profile(text) if profile else None
