"""Reads the comment lines at the top of a ``.rq`` file: what the query is for and which parameters it takes.

::

    # Problem: what is wrong when this query finds something
    # Why: why that matters
    #   (a line indented by three spaces or more goes on with the field above)
    # Remedy: what to do about it
    # @param event: iri
    # @param words: text
    # @message en: hop {?n} is no edge
    # @message ko: {?n} 번째 홉은 엣지가 아닙니다
    # @unknown en: why ?holds may be unbound
    # @unknown ko: ?holds 가 비는 까닭
    # @violation DISPUTED
    # @into inferred
    # @default-graph why triples stand outside of GRAPH
    # @unordered why LIMIT may cut between any rows
    # @jena why only one kind of server is asked it, so that it need not give the same rows on others

A ``text`` is what a text:query searches for.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from judgeloop.errors import BadInput
from judgeloop.messages import LANGS

ParamType = Literal["string", "text", "langString", "iri", "integer", "decimal", "boolean", "dateTime"]
Violation = Literal["VIOLATED", "DISPUTED"]

_TYPES: Final[tuple[ParamType, ...]] = get_args(ParamType)
_VIOLATIONS: Final[tuple[Violation, ...]] = ("VIOLATED", "DISPUTED")
_FIELD: Final = re.compile(r"(Problem|Why|Remedy):\s*(.*)|@([A-Za-z][\w-]*)\s*(.*)")
_NAMED: Final = re.compile(r"([A-Za-z_]\w*)\s*:\s*(.*)")
_PLACEHOLDER: Final = re.compile(r"\{\?(\w+)\}")
_GOES_ON: Final = "   "
_KEYED: Final = frozenset({"param", "message", "unknown"})


@dataclass(frozen=True, slots=True)
class Header:
    """What a query file says about itself."""

    problem: str
    why: str
    remedy: str
    params: Mapping[str, ParamType]
    messages: Mapping[str, str]
    unknown: Mapping[str, str]
    violation: Violation
    meta: Mapping[str, str]


def parse_header(text: str, place: str) -> Header:
    """Return the header of a query file; a query without one has an empty header.

    Raises:
        BadInput: a parameter without a known type, a field that stands twice, a message in one language only.
    """
    fields = _fields(text, place)
    messages, unknown = (_in_every_language(fields, name, place) for name in ("message", "unknown"))
    return Header(
        problem=fields.pop("Problem", ""),
        why=fields.pop("Why", ""),
        remedy=fields.pop("Remedy", ""),
        params={
            key.partition(" ")[2]: _type(key, value, place)
            for key, value in fields.items()
            if key.startswith("@param ")
        },
        messages=messages,
        unknown=unknown,
        violation=_violation(fields.pop("@violation", "VIOLATED"), place),
        meta={key[1:]: value for key, value in fields.items() if " " not in key},
    )


def _in_every_language(fields: Mapping[str, str], name: str, place: str) -> dict[str, str]:
    """Return language → sentence of one field; one language alone, or other variables in one of them, is a mistake."""
    found = {key.partition(" ")[2]: value for key, value in fields.items() if key.startswith(f"@{name} ")}
    if found and (set(found) != set(LANGS) or len({placeholders(m) for m in found.values()}) > 1):
        raise BadInput("rq-header-languages", place=place)
    return found


def placeholders(message: str) -> frozenset[str]:
    """Return the variables that a message template names as ``{?name}``."""
    return frozenset(_PLACEHOLDER.findall(message))


def _fields(text: str, place: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    current: str | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip() and not line.startswith("#"):
            break
        body = line[1:]
        if current is not None and body.startswith(_GOES_ON):
            fields[current] = f"{fields[current]} {body.strip()}".strip()
            continue
        found = _FIELD.fullmatch(body.strip())
        current = None
        if found is not None:
            current, value = _field(found, f"{place}:{number}")
            if current in fields:
                raise BadInput("rq-header-twice", place=f"{place}:{number}", field=current)
            fields[current] = value
    return fields


def _field(found: re.Match[str], place: str) -> tuple[str, str]:
    if found[1]:
        return found[1], found[2]
    if found[3] not in _KEYED:
        return f"@{found[3]}", found[4]
    named = _NAMED.fullmatch(found[4])
    if named is None:
        raise BadInput("rq-header-named", place=place, field=f"@{found[3]}", line=found[4])
    return f"@{found[3]} {named[1]}", named[2]


def _type(key: str, value: str, place: str) -> ParamType:
    if value not in _TYPES:
        raise BadInput("rq-header-type", place=place, name=key.partition(" ")[2], found=value, types=", ".join(_TYPES))
    return value


def _violation(value: str, place: str) -> Violation:
    if value not in _VIOLATIONS:
        raise BadInput("rq-header-violation", place=place, found=value)
    return value
