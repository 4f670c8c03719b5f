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
from dataclasses import dataclass
from typing import Any, Final

from pyoxigraph import RdfFormat, Triple, parse

from judgeloop.errors import BadInput
from judgeloop.rdf.context import Scope
from judgeloop.rdf.mapping import Walk
from judgeloop.rdf.mint import Minting
from judgeloop.sources import pointer

Json = Any
_OURS: Final = ("index", "member", "name", "value", "jsonType", "digest")
"""Terms of a document's outermost context in which positions and opaque values are told."""


@dataclass(frozen=True)
class Mapped:
    """What came out of one JSON document."""

    triples: list[Triple]
    payload: list[Triple]
    """Texts that stand outside of the sealed graph (long or personal), as ``subject property text``."""
    opaque: list[str]
    """JSON Pointers of keys that the context doesn't know, and of ``unfit`` values."""
    unfit: list[str]
    """JSON Pointers of values that are not of the type that the context wants."""
    hostile: list[str]
    """JSON Pointers of keys that pose as JSON-LD; nothing below them was mapped."""


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

    ``seal_text`` gives the keyed digest of texts that must stay outside (longer than `judgeloop.rdf.mapping.LONG_TEXT`,
    or at a pointer in ``personal``); without it every text is kept inside. ``extra`` are trusted root members (already
    terms).

    Raises:
        BadInput: an id with hidden characters, or a context that loses values or is no JSON-LD.
    """
    walk = Walk(own, minting, seal_text, personal, _ids(document), place)
    walk.ours = Scope(context, {})
    root = walk.object(document, "", Scope(context, {}, ours=(*_OURS, *(extra or {}))))
    root.update(extra or {})
    for key, value in (extra or {}).items():
        walk.note(own, key, value)
    try:
        triples = expand({"@context": context, "@graph": [root, *walk.loose]})
    except SyntaxError as error:  # the context breaks JSON-LD's own rules
        raise BadInput("rdf-syntax", place=place, syntax="JSON-LD", why=str(error.msg)) from None
    if len(triples) != len(walk.expected):
        raise BadInput("leaves-lost", place=place, expected=len(walk.expected), found=len(triples))
    return Mapped(triples, list(dict.fromkeys(walk.payload)), walk.opaque, walk.unfit, walk.hostile)


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
