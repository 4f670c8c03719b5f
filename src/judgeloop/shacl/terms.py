"""N-Triples in, term texts out: literals as written, blank nodes kept apart by where they came from."""

import re
from collections.abc import Iterator
from typing import Final

from rdflib import BNode, Literal, URIRef
from rdflib.term import Node

from judgeloop.errors import BadInput
from judgeloop.shacl.datatype import flaw
from judgeloop.shacl.graph import Triple
from judgeloop.vocab import RDF, XSD_STRING

_IRI: Final = r'<([^\x00-\x20<>"{}|^`\\]*(?:\\[uU][0-9A-Fa-f]{4,8}[^\x00-\x20<>"{}|^`\\]*)*)>'
_BLANK: Final = r'_:([^\s<>".](?:[^\s<>"]*[^\s<>".])?)'
_STRING: Final = r'"([^"\\\n\r]*(?:\\.[^"\\\n\r]*)*)"'
_SUBJECT: Final = rf"[ \t]*(?:{_IRI}|{_BLANK})[ \t]*"
_PREDICATE: Final = rf"{_IRI}[ \t]*"
_OBJECT: Final = rf"(?:{_IRI}|{_BLANK}|{_STRING}(?:@([a-zA-Z]+(?:-[a-zA-Z0-9]+)*)|\^\^{_IRI})?)[ \t]*"
_END: Final = r"\.[ \t]*(?:#.*)?\r?"
_STATEMENT: Final = re.compile(_SUBJECT + _PREDICATE + _OBJECT + _END)
_STEPS: Final = tuple(re.compile(step) for step in (_SUBJECT, _PREDICATE, _OBJECT, _END))
_NO_STATEMENT: Final = re.compile(r"[ \t]*(?:#.*)?\r?")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.?))")
_SHORT: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_UNSAFE: Final = re.compile(r'["\\\x00-\x1f\x7f]')
_WRITTEN: Final = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}

_OPAQUE: Final = frozenset({RDF + "XMLLiteral", RDF + "HTML"})
_KNOWN_LIMIT: Final = 50_000
_known: Final[dict[str, URIRef]] = {}
"""IRIs of shapes, backgrounds and the engine: one object each, so that a look-up hits by identity."""


def kept(iri: URIRef) -> URIRef:
    """Return the one object for an IRI that will come back (a cache: beyond its bound, the IRI that was given)."""
    return _known.setdefault(str(iri), iri) if len(_known) < _KNOWN_LIMIT else _known.get(str(iri), iri)


def read(text: str, place: str, *, blanks: str = "", keep: bool = False) -> list[Triple]:
    """Return the statements of an N-Triples text in its order, every literal as written.

    Args:
        text: N-Triples; only LF ends a line, so a string may hold any other separator.
        place: what messages call this text.
        blanks: stands before every blank node's label, so that two texts never share one.
        keep: whether the IRIs will come back in other texts.

    Raises:
        BadInput: a line that is no statement, with line and column.
    """
    return list(_Reader(place, blanks, keep=keep).statements(text))


class _Reader:
    def __init__(self, place: str, blanks: str, *, keep: bool) -> None:
        self._place = place
        self._blanks = blanks
        self._keep = keep
        self._here: dict[str, URIRef] = {}

    def statements(self, text: str) -> Iterator[Triple]:
        for number, line in enumerate(text.split("\n"), start=1):
            found = _STATEMENT.fullmatch(line)
            if found is None:
                if _NO_STATEMENT.fullmatch(line):
                    continue
                raise self._refused(line, number)
            subject, blank, predicate, *value = found.groups()
            try:
                yield (
                    BNode(self._blanks + blank) if subject is None else self._iri(subject),
                    self._iri(predicate),
                    self._object(*value),
                )
            except (ValueError, OverflowError) as error:
                raise BadInput(
                    "rdf-syntax", place=f"{self._place}:{number}:1", syntax="N-Triples", why=str(error)
                ) from None

    def _refused(self, line: str, number: int) -> BadInput:
        at = 0
        for step in _STEPS:
            found = step.match(line, at)
            if found is None:
                break
            at = found.end()
        rest = line[at : at + 20]
        place = f"{self._place}:{number}:{at + 1}"
        return BadInput("rdf-syntax", place=place, syntax="N-Triples", why=f"at {rest!r}" if rest else "end of line")

    def _iri(self, written: str) -> URIRef:
        found = _known.get(written) or self._here.get(written)
        if found is None:
            found = URIRef(_unescaped(written))
            self._here[written] = found = kept(found) if self._keep else found
        return found

    def _object(
        self, iri: str | None, blank: str | None, string: str | None, lang: str | None, datatype: str | None
    ) -> Node:
        if iri is not None:
            return self._iri(iri)
        if string is None:
            return BNode(f"{self._blanks}{blank}")
        value = _unescaped(string)
        if datatype is None or datatype == XSD_STRING:
            return Literal(value, lang=lang, normalize=False)
        return _typed(value, self._iri(datatype))


def _typed(value: str, datatype: URIRef) -> Literal:
    """Return a typed literal; one that is flawed, or that rdflib would parse as markup, keeps its text and no value."""
    if str(datatype) not in _OPAQUE and not flaw(value, str(datatype)):
        return Literal(value, datatype=datatype, normalize=False)
    made = Literal(value)
    made._datatype = datatype  # noqa: SLF001 - rdflib's own way in converts, complains on stderr, and rewrites a token
    made._value = None  # noqa: SLF001
    return made


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if code is None:
        if found[3] not in _SHORT:
            why = f"no such escape: {found[0]}"
            raise ValueError(why)
        return _SHORT[found[3]]
    character = chr(int(code, 16))
    if "\ud800" <= character <= "\udfff":
        why = f"half a character: {found[0]}"
        raise ValueError(why)
    return character


def text_of(term: Node) -> str:
    """Return an IRI as it is, a blank node as ``_:label``, a literal as N-Triples writes it (the three never clash)."""
    if isinstance(term, BNode):
        return f"_:{term}"
    if not isinstance(term, Literal):
        return str(term)
    written = f'"{_UNSAFE.sub(_escaped, str(term))}"'
    if term.language:
        return f"{written}@{term.language}"
    return written if term.datatype is None else f"{written}^^<{term.datatype}>"


def _escaped(found: re.Match[str]) -> str:
    return _WRITTEN.get(found[0]) or f"\\u{ord(found[0]):04X}"
