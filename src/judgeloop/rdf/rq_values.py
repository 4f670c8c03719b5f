"""Values of query parameters: from Python, text or RDF to one RDF term of the declared type.

Typed values take the lexical forms of `judgeloop.rdf.literal`, which every store compares alike.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Final, NoReturn

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from judgeloop.errors import BadInput
from judgeloop.rdf import literal, lucene
from judgeloop.rdf.mint import SCHEMES
from judgeloop.rdf.rq_header import ParamType
from judgeloop.vocab import XSD_BOOLEAN, XSD_DATETIME, XSD_DECIMAL, XSD_INTEGER, XSD_STRING

Value = str | int | Decimal | bool | datetime | tuple[str, str] | NamedNode | Literal | BlankNode | Triple

_SHOWN: Final = 80
_SCALARS: Final[Mapping[ParamType, tuple[tuple[type, ...], Callable[[str], str | None], str]]] = {
    "integer": ((int,), literal.integer, XSD_INTEGER),
    "decimal": ((int, Decimal), literal.decimal, XSD_DECIMAL),
    "boolean": ((bool,), literal.boolean, XSD_BOOLEAN),
    "dateTime": ((datetime,), literal.instant, XSD_DATETIME),
}


def to_term(value: Value, kind: ParamType, name: str, place: str) -> NamedNode | Literal:
    """Return ``value`` as the term that a parameter of type ``kind`` takes; text is read as the type's lexical form.

    A ``text`` is what a text search looks for, written so that none of it is an operator.

    Raises:
        BadInput: the value is not of that type, not in a form that every store keeps (a time needs a zone), or too
            short or too long to be searched for.
    """
    if kind == "iri":
        return _iri(value, name, place)
    if kind == "string":
        return _string(value, kind, name, place)
    if kind == "text":
        return Literal(lucene.escape(_string(value, kind, name, place).value, f"{place} {name}"))
    if kind == "langString":
        return _tagged(value, name, place)
    types, profile, datatype = _SCALARS[kind]
    written = _written(value, types, datatype)
    form = profile(written) if written is not None else None
    if form is None:
        _refuse(value, kind, name, place)
    return Literal(form, datatype=NamedNode(datatype))


def serialise(term: NamedNode | Literal, kind: ParamType) -> str:
    """Return the SPARQL text of one term; an integer is bare digits, which is all that LIMIT takes."""
    return term.value if kind == "integer" else str(term)


def _iri(value: Value, name: str, place: str) -> NamedNode:
    text = value.value if isinstance(value, NamedNode) else value
    if not isinstance(text, str):
        _refuse(value, "iri", name, place)
    if text.partition(":")[0].lower() in SCHEMES:
        _refuse_surrogates(text, name, place)
        try:
            return NamedNode(text)
        except ValueError:
            pass
    raise BadInput("iri-unsafe", place=place, value=_shown(text), allowed=", ".join(SCHEMES))


def _string(value: Value, kind: ParamType, name: str, place: str) -> Literal:
    if isinstance(value, Literal) and value.datatype.value == XSD_STRING:
        return value
    if not isinstance(value, str):
        _refuse(value, kind, name, place)
    _refuse_surrogates(value, name, place)
    return Literal(value)


def _tagged(value: Value, name: str, place: str) -> Literal:
    if isinstance(value, Literal) and value.language and value.direction is None:
        return value
    if not isinstance(value, tuple):
        _refuse(value, "langString", name, place)
    text, language = value
    _refuse_surrogates(text, name, place)
    try:
        return Literal(text, language=language)
    except ValueError:
        _refuse(value, "langString", name, place)


def _written(value: Value, types: tuple[type, ...], datatype: str) -> str | None:
    """Return the lexical form of a scalar, or None when it is of another type."""
    if isinstance(value, str):
        return value
    if isinstance(value, Literal):
        return value.value if value.datatype.value == datatype else None
    if not isinstance(value, types) or isinstance(value, bool) is not (bool in types):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _refuse_surrogates(text: str, name: str, place: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadInput("rq-parameter-surrogate", place=place, name=name, position=error.start + 1) from None


def _refuse(value: Value, kind: ParamType, name: str, place: str) -> NoReturn:
    raise BadInput("rq-parameter-type", place=place, name=name, type=kind, value=_shown(value))


def _shown(value: object) -> str:
    """Return a value as messages may print it: no control characters, no half surrogates, not too long."""
    text = repr(value) if isinstance(value, str | tuple) else str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
