"""RDF files to triples: what can't be read is refused with file, line and column, and nothing is ever fetched."""

import json
import re
from pathlib import PurePath
from typing import Final

from pyoxigraph import NamedNode, Quad, RdfFormat, Triple, parse

from judgeloop.errors import BadInput
from judgeloop.messages import both
from judgeloop.sources import decode, line_column, parse_json

FORMATS: Final = {
    ".ttl": RdfFormat.TURTLE,
    ".trig": RdfFormat.TRIG,
    ".nt": RdfFormat.N_TRIPLES,
    ".nq": RdfFormat.N_QUADS,
    ".rdf": RdfFormat.RDF_XML,
    ".xml": RdfFormat.RDF_XML,
    ".owl": RdfFormat.RDF_XML,
    ".jsonld": RdfFormat.JSON_LD,
}
_STAND_IN: Final = "http://relative.invalid/"
"""The base of a JSON-LD file that was given none: without one, relative IRIs would be dropped without a word."""
_POSITION: Final = re.compile(r"^Parser error at line .*?: ")
_DOCTYPE: Final = re.compile(r"<!DOCTYPE", re.IGNORECASE)
"""XML wants capitals; readers take it in any."""
_MARKUP: Final = re.compile(r"\s*<(?:!doctype )?html\b", re.IGNORECASE)
_MERGE_MARKER: Final = re.compile(r"<<<<<<<|=======|>>>>>>>")
_QUOTED: Final = re.compile(r"['\"<]([^'\">]*)['\">]")
_NO_IRI: Final = re.compile(r'[\x00-\x20<>"{}|\\^`]')
_RELATIVE: Final = re.compile(r"No scheme found|relative IRI|without a base", re.IGNORECASE)


def read_rdf(content: bytes, name: str, base: str | None = None, *, like: str | None = None) -> list[Quad]:
    """Return the statements of one file; the format is told by its name, or by another name that it is ``like``.

    Raises:
        BadInput: unknown format, not UTF-8, a syntax error, a DOCTYPE, a remote context, a relative IRI without
            base, or a base that is no absolute IRI.
    """
    kind = FORMATS.get(PurePath(name if like is None else like).suffix.lower())
    if kind is None:
        raise BadInput("rdf-format-unknown", place=name)
    text = decode(content, name)
    if kind == RdfFormat.RDF_XML and (doctype := _DOCTYPE.search(text)):
        raise BadInput("rdf-doctype", place=f"{name}:{line_column(text, doctype.start())[0]}")
    if kind == RdfFormat.JSON_LD:
        _refuse_remote(parse_json(content, name), name)
    if base is None and kind == RdfFormat.JSON_LD:
        base = _STAND_IN
    try:
        # the label of a blank node means something in its own file only
        readers = parse(text, kind, base_iri=base, rename_blank_nodes=True)
    except ValueError:  # not of the text: nothing of it has been read yet
        raise BadInput("rdf-base", place=name, base=base or '""') from None
    try:
        quads = list(readers)
    except SyntaxError as error:
        raise _syntax(error, name, kind, text) from None
    if base == _STAND_IN:
        _refuse_relative(quads, name)
    return quads


def read_triples(content: bytes, name: str, base: str | None = None) -> list[Triple]:
    """Return the statements of one file without the names of their graphs; errors as for `read_rdf`."""
    return [Triple(q.subject, q.predicate, q.object) for q in read_rdf(content, name, base)]


def triples_of(text: str) -> list[Triple]:
    """Return the triples of N-Triples text that we wrote ourselves."""
    return [Triple(q.subject, q.predicate, q.object) for q in parse(text, RdfFormat.N_TRIPLES)]


def _syntax(error: SyntaxError, name: str, kind: RdfFormat, text: str) -> BadInput:
    place = name if error.lineno is None else f"{name}:{error.lineno}:{error.offset or 1}"
    line = text.split("\n")[error.lineno - 1] if error.lineno else ""
    why: object = _POSITION.sub("", str(error.msg))
    if _MARKUP.match(text) and kind != RdfFormat.RDF_XML:
        why = both("json-why-markup")
    elif _MERGE_MARKER.match(line):
        why = both("json-why-merge-marker")
    elif _RELATIVE.search(str(why)):
        found = _QUOTED.search(str(why)) or _QUOTED.match(line, (error.offset or 1) - 1)
        return BadInput("rdf-relative-iri", place=place, iri=found.group(1) if found else "")
    return BadInput("rdf-syntax", place=place, syntax=str(kind.name), why=why)


def _refuse_relative(quads: list[Quad], name: str) -> None:
    for quad in quads:
        for node in (quad.subject, quad.predicate, quad.object, quad.graph_name):
            if isinstance(node, NamedNode) and node.value.startswith(_STAND_IN):
                raise BadInput("rdf-relative-iri", place=name, iri=node.value.removeprefix(_STAND_IN))


def _refuse_remote(document: object, name: str) -> None:
    """Refuse contexts that would have to be fetched, and ids that a JSON-LD parser would drop without a word."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key == "@id" and isinstance(value, str) and _NO_IRI.search(value):
                raise BadInput("rdf-iri-characters", place=name, value=value)
            if key == "@import" or (key == "@context" and _names_a_file(value)):
                raise BadInput("rdf-remote-context", place=f"{name} {json.dumps(value, ensure_ascii=False)[:80]}")
            _refuse_remote(value, name)
    elif isinstance(document, list):
        for value in document:
            _refuse_remote(value, name)


def _names_a_file(context: object) -> bool:
    if isinstance(context, list):
        return any(_names_a_file(part) for part in context)
    return isinstance(context, str)
