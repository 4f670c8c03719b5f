"""Query files (``.rq``): reads one, and binds typed values into it so that no value can become syntax.

A parameter is spelt ``$name`` or ``?name``. Its value becomes an RDF term first and takes the place of whole tokens;
inside of strings, IRIs and comments nothing is ever replaced.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from pyoxigraph import Literal, NamedNode

from judgeloop.errors import BadInput
from judgeloop.rdf.lexer import Token, decode_points, lex, significant, weight, where
from judgeloop.rdf.rq_header import Header, ParamType, Violation, parse_header, placeholders
from judgeloop.rdf.rq_rules import (
    UPDATE_WORDS,
    QueryKind,
    projected,
    refuse_assigned,
    refuse_words,
    statement_kind,
)
from judgeloop.rdf.rq_values import Value, serialise, to_term

__all__ = [
    "BoundQuery",
    "ParamType",
    "Query",
    "QueryKind",
    "Value",
    "Violation",
    "bind",
    "parse",
    "read_once",
    "refuse_unsafe",
]

Part = str | tuple[str, str]
_OPENS_OR_CLOSES: Final = frozenset("(){}[],;")
_OPENING, _CLOSING = frozenset("({["), frozenset(")}]")
DEEPEST: Final = 100
LONGEST: Final = 10_000
"""Levels and tokens of one query: thousands of levels, or some ten thousand operators, overflow the engine's stack."""


@dataclass(frozen=True, slots=True)
class Query:
    """One query file: its text with parameters, and what its header says."""

    name: str
    text: str
    """The template: LF line ends, no byte order mark."""
    kind: QueryKind
    params: Mapping[str, ParamType]
    problem: str
    why: str
    remedy: str
    messages: Mapping[str, str]
    """Language → message template with ``{?variable}`` places."""
    unknown: Mapping[str, str]
    """Language → why a row may leave ``?holds`` unbound, as a template of the same form."""
    violation: Violation
    """What a finding of this query amounts to."""
    meta: Mapping[str, str]
    """Every other ``@key value`` of the header."""
    sha256: str
    """Digest of the template, without any value."""
    words: frozenset[str] = field(repr=False, compare=False)
    """The keywords of the query, in capitals."""
    tokens: tuple[Token, ...] = field(repr=False, compare=False)
    parts: tuple[Part, ...] = field(repr=False, compare=False)
    """The text cut at its parameters: fixed text, or ``("?", name)``."""


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """A query with its values in place, ready to run; template and values stay apart for the record."""

    text: str
    query: Query
    values: Mapping[str, NamedNode | Literal]


def parse(text: str, name: str, *, allow_update: bool = False) -> Query:
    """Return the query that ``text`` holds; ``name`` stands in messages.

    Does not establish: that the text is valid SPARQL; the store says so when it runs.

    Raises:
        BadInput: a bad header, an unused or selected parameter, SERVICE or LOAD, or an update that is not allowed.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    header = parse_header(text, name)
    tokens = tuple(lex(text, name))
    seen = significant(tokens)
    _refuse_overgrown(seen, text, name)
    kind = statement_kind(seen, text, name)
    if kind == "update" and not allow_update:
        first = next(token for token in seen if token.text.upper() in UPDATE_WORDS)
        raise BadInput("rq-forbidden", place=name, keyword=first.text.upper())
    _refuse_in_every_reading(text, name, update=kind == "update")
    refuse_assigned(seen, header.params, text, name)
    _check_names(header, seen, name)
    return Query(
        name=name,
        text=text,
        kind=kind,
        params=header.params,
        problem=header.problem,
        why=header.why,
        remedy=header.remedy,
        messages=header.messages,
        unknown=header.unknown,
        violation=header.violation,
        meta=header.meta,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        words=frozenset(token.text.upper() for token in seen if token.kind == "keyword"),
        tokens=tokens,
        parts=_parts(tokens, header.params),
    )


@lru_cache(maxsize=512)
def read_once(text: str, name: str) -> Query:
    """Return the query that ``text`` holds, as `parse` does, cut into tokens once per text."""
    return parse(text, name)


def _refuse_overgrown(seen: list[Token], text: str, name: str) -> None:
    """Refuse a query that is nested or long beyond reason: the engine's parser would end the whole process."""
    depth = 0
    for token in seen:
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if depth > DEEPEST:
            raise BadInput("rq-too-deep", place=where(text, token.offset, name), limit=DEEPEST)
    if len(seen) > LONGEST:
        raise BadInput("rq-too-long", place=name, tokens=len(seen), limit=LONGEST)


def bind(query: Query, values: Mapping[str, Value]) -> BoundQuery:
    """Return the query with every parameter replaced by its value, as one RDF term each.

    Raises:
        BadInput: a value is missing, has no parameter, or is not of its parameter's type.
    """
    for name in values:
        if name not in query.params:
            known = ", ".join(query.params) or "-"
            raise BadInput("rq-parameter-undeclared", place=query.name, name=name, declared=known)
    for name, kind in query.params.items():
        if name not in values:
            raise BadInput("rq-parameter-missing", place=query.name, name=name, type=kind)
    terms = {name: to_term(values[name], kind, name, query.name) for name, kind in query.params.items()}
    written = {name: serialise(term, query.params[name]) for name, term in terms.items()}
    for name, text in written.items():
        _refuse_more_than_one(text, name, query)
    return BoundQuery(
        "".join(written[part[1]] if isinstance(part, tuple) else part for part in query.parts), query, terms
    )


def refuse_unsafe(text: str, name: str = "query") -> None:
    """Refuse a query that an agent wrote when it would leave the store or change it.

    Does not establish: that the query ends in time; it still belongs into a worker that can be stopped.

    Raises:
        BadInput: SERVICE, LOAD or a word of SPARQL Update is one of its tokens, or it can't be cut into tokens.
    """
    _refuse_in_every_reading(text, name, update=False)


def _refuse_in_every_reading(text: str, name: str, *, update: bool) -> None:
    """Check the text as written, and as an engine reads it that resolves code point escapes first."""
    for reading in dict.fromkeys((text, decode_points(text))):
        refuse_words(significant(lex(reading, name)), reading, name, update=update)


def _check_names(header: Header, seen: list[Token], name: str) -> None:
    variables = {token.text[1:] for token in seen if token.kind == "var"}
    for parameter in header.params:
        if parameter not in variables:
            raise BadInput("rq-parameter-unused", place=name, name=parameter)
    columns = projected(seen)
    known = variables if columns is None else columns | set(header.params)
    for message in (*header.messages.values(), *header.unknown.values()):
        if unknown := placeholders(message) - known:
            raise BadInput("rq-header-variable", place=name, variable=f"?{min(unknown)}")


def _parts(tokens: tuple[Token, ...], params: Mapping[str, ParamType]) -> tuple[Part, ...]:
    """Return the text as fixed parts and parameters, each parameter set apart from its neighbours."""
    parts: list[Part] = []
    fixed = ""
    for at, token in enumerate(tokens):
        if token.kind != "var" or token.text[1:] not in params:
            fixed += token.text
            continue
        # "LIMIT?n" and "5-?n" must not become one token
        before = "" if at == 0 or _keeps_apart(tokens[at - 1]) else " "
        after = "" if at + 1 == len(tokens) or _keeps_apart(tokens[at + 1]) else " "
        parts += [fixed + before, ("?", token.text[1:])]
        fixed = after
    return (*parts, fixed)


def _keeps_apart(token: Token) -> bool:
    return token.kind == "ws" or token.text in _OPENS_OR_CLOSES


def _refuse_more_than_one(text: str, name: str, query: Query) -> None:
    """Refuse a value that would be more than one term: as each stands apart, the tokens of the whole stay as many."""
    if weight(lex(text, query.name)) != 1:
        raise BadInput("rq-parameter-shape", place=f"{query.name} {name}")
