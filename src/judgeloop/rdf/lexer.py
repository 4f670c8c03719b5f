"""Cuts SPARQL text into tokens, so that words are told apart from strings, IRIs and comments.

Follows the terminals of SPARQL 1.1 (section 19.8) with the operators of RDF 1.2. Syntax is the store's business.
"""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final, Literal, NamedTuple, cast

from judgeloop.errors import BadInput

Kind = Literal["ws", "comment", "iri", "string", "lang", "var", "number", "bnode", "pname", "keyword", "op"]

_BASE: Final = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_MARKS: Final = "0-9\u00b7\u0300-\u036f\u203f\u2040"
_NAME: Final = rf"[{_BASE}_{_MARKS}\-]"
_CODE_POINT: Final = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
_ESCAPE: Final = rf"\\[tbnrf\"'\\]|{_CODE_POINT}"
_LOCAL_ESCAPE: Final = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?\#@%]"
# Repeats are possessive and prefixes bounded, so that hostile text is read in linear time.
_TOKEN: Final = re.compile(
    rf"""
      (?P<ws>[ \t\r\n]++)
    | (?P<comment>\#[^\r\n]*+)
    | (?P<iri><(?:[^<>"{{}}|^`\\\x00-\x20]|{_CODE_POINT})*+>)
    | (?P<string>"{{3}}(?:[^"\\]|{_ESCAPE}|"(?!""))*+"{{3}}
        | '{{3}}(?:[^'\\]|{_ESCAPE}|'(?!''))*+'{{3}}
        | "(?:[^"\\\r\n]|{_ESCAPE})*+"
        | '(?:[^'\\\r\n]|{_ESCAPE})*+')
    | (?P<lang>@[A-Za-z]++(?:-[A-Za-z0-9]++)*+(?:--[A-Za-z]++)?)
    | (?P<var>[?$][{_BASE}_0-9][{_BASE}_{_MARKS}]*+)
    | (?P<number>[+-]?(?:[0-9]++(?:\.[0-9]*+)?+[eE][+-]?[0-9]++
        | \.[0-9]++[eE][+-]?[0-9]++ | [0-9]*+\.[0-9]++ | [0-9]++))
    | (?P<bnode>_:[{_BASE}_0-9](?:(?:{_NAME}|\.)*{_NAME})?)
    | (?P<pname>(?:[{_BASE}](?:(?:{_NAME}|\.){{0,126}}{_NAME})?)?:
        (?:(?:[{_BASE}_0-9:]|{_LOCAL_ESCAPE})(?:(?:{_NAME}|[.:]|{_LOCAL_ESCAPE})*(?:{_NAME}|:|{_LOCAL_ESCAPE}))?)?)
    | (?P<keyword>[A-Za-z][A-Za-z0-9_]*+)
    | (?P<op>\^\^|&&|\|\||!=|<=|>=|<<\(|\)>>|<<|>>|\{{\||\|\}}|[{{}}()\[\].;,=<>!+\-*/|^?~])
    """,
    re.VERBOSE,
)
_CODE_POINTS: Final = re.compile(r"(\\\\)|\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_BLANK: Final = frozenset({"ws", "comment"})
_BRACKETS: Final = frozenset("(){}[]")
_CLOSES: Final = frozenset({")", ")>>"})
_SURE_IRI: Final = re.compile(r"<[A-Za-z][A-Za-z0-9+.\-]*:(?://.*|[^#'()]*)>")


class Token(NamedTuple):
    """One piece of the text: ``"".join`` over the pieces gives the text back."""

    kind: Kind
    text: str
    offset: int


def lex(text: str, place: str) -> list[Token]:
    """Return every token of ``text``, white space and comments included; ``place`` names the text in messages.

    Does not establish: that the text is SPARQL.

    Raises:
        BadInput: a piece is no token, or engines may disagree on whether it is an IRI or "less than".
    """
    _refuse_surrogates(text, place)
    tokens: list[Token] = []
    context = _Context()
    at, end = 0, len(text)
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None:
            raise BadInput("rq-lex", place=where(text, at, place), text=repr(text[at : at + 20]))
        kind, piece = cast("Kind", found.lastgroup), found[0]
        if kind == "iri" and context.may_compare and not _SURE_IRI.fullmatch(piece):
            raise BadInput("rq-lex-angle", place=where(text, at, place), text=piece)
        if kind not in _BLANK:
            context.see(kind, piece)
        tokens.append(Token(kind, piece, at))
        at += len(piece)
    return tokens


def significant(tokens: Iterable[Token]) -> list[Token]:
    """Return the tokens that an engine acts on."""
    return [token for token in tokens if token.kind not in _BLANK]


def weight(tokens: Iterable[Token]) -> int:
    """Return how many tokens an engine acts on, a literal with its language or datatype counted as one."""
    seen = significant(tokens)
    count = len(seen)
    for literal, tail in pairwise(seen):
        if literal.kind == "string":
            count -= 1 if tail.kind == "lang" else 2 if tail.text == "^^" else 0
    return count


def where(text: str, offset: int, place: str) -> str:
    """Return ``place:line:column``, both counted from 1."""
    line = text.count("\n", 0, offset) + 1
    return f"{place}:{line}:{offset - text.rfind(chr(10), 0, offset)}"


def decode_points(text: str) -> str:
    r"""Return ``text`` as an engine reads it that resolves ``\uXXXX`` before it looks for tokens (section 19.2)."""
    return _CODE_POINTS.sub(_point, text)


def _point(found: re.Match[str]) -> str:
    digits = found[2] or found[3]
    if not digits or int(digits, 16) > 0x10FFFF:  # noqa: PLR2004 - the last code point of Unicode
        return found[0]
    return chr(int(digits, 16))


def _refuse_surrogates(text: str, place: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadInput(
            "rq-lex", place=where(text, error.start, place), text=repr(text[error.start : error.end])
        ) from None


class _Context:
    """Knows where ``<`` may be "less than": after an operand, inside of an expression's parentheses.

    Some engines read by rules, others by longest token: ``FILTER(?a<2)SERVICE?x#>`` holds an IRI for one of them and
    a call to another server for the other. Rows of VALUES hold no expressions.
    """

    def __init__(self) -> None:
        self._open: list[str] = []
        self._rows_follow = False
        self._after_operand = False

    @property
    def may_compare(self) -> bool:
        """Say whether a ``<`` here could be an operator."""
        return self._after_operand and self._open[-1:] == ["("]

    def see(self, kind: Kind, text: str) -> None:
        """Take one significant token into account."""
        if kind == "keyword":
            self._rows_follow = self._rows_follow or text.upper() == "VALUES"
            self._after_operand = text.lower().endswith(("true", "false"))
        elif kind == "op":
            self._after_operand = text in _CLOSES
            if text in _BRACKETS:
                self._bracket(text)
        else:
            self._after_operand = True

    def _bracket(self, text: str) -> None:
        if text == "{":
            self._open.append("rows" if self._rows_follow else "{")
            self._rows_follow = False
        elif text in {"(", "["}:
            self._open.append("rows" if self._open[-1:] == ["rows"] else text)
        elif text in {")", "]", "}"} and self._open:
            self._open.pop()
