"""Terms of a query's text as values: what a prefixed name or a relative IRI stands for, what a string says."""

import re
from collections.abc import Collection, Sequence
from typing import Final, Literal, NamedTuple

from pyoxigraph import NamedNode, RdfFormat, parse

from judgeloop.rdf.lexer import Token, decode_points
from judgeloop.vocab import XSD_INTEGER, XSD_STRING

Kind = Literal["iri", "variable", "parameter", "string", "integer", "literal", "blank", "nested"]

_ABSOLUTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_LOCAL: Final = re.compile(r"\\(.)")
_STRING: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_CONTROLS: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}
_WHOLE: Final = re.compile(r"[+-]?[0-9]+")
_LONG: Final = ('"""', "'''")
_OPENS: Final = frozenset({"(", "[", "<<", "<<("})
_END: Final = Token("op", "", -1)


class Node(NamedTuple):
    """One term where it stands; a list or a blank node with properties is one of kind ``nested`` or ``blank``."""

    kind: Kind
    text: str
    """The IRI, the name of a variable or parameter, what a string says, or the token."""
    offset: int
    language: str = ""


class Names:
    """What BASE and PREFIX have declared so far."""

    def __init__(self) -> None:
        """Know of no declaration."""
        self._base: str | None = None
        self._prefixes: dict[str, str] = {}

    def declare(self, seen: Sequence[Token], at: int) -> int:
        """Take the declaration that begins at ``at`` into account; return where the next token is."""
        if seen[at].text.upper() == "BASE":
            self._base = self.iri(seen[at + 1]) if at + 1 < len(seen) else None
            return at + 2
        if at + 2 < len(seen) and (iri := self.iri(seen[at + 2])) is not None:
            self._prefixes[seen[at + 1].text[:-1]] = iri
        return at + 3

    def iri(self, token: Token) -> str | None:
        """Return the IRI that the token stands for, or None when it stands for none."""
        if token.kind == "pname":
            prefix, _, local = token.text.partition(":")
            space = self._prefixes.get(prefix)
            return None if space is None else space + _LOCAL.sub(r"\1", local)
        if token.kind != "iri":
            return None
        written = decode_points(token.text)[1:-1]
        return written if self._base is None or _ABSOLUTE.match(written) else _resolved(token.text, self._base)


def read_nodes(seen: Sequence[Token], names: Names, parameters: Collection[str]) -> tuple[Node, ...]:
    """Return the terms that the tokens are, which are one term or the members of a list."""
    nodes: list[Node] = []
    at = 0
    while at < len(seen):
        node, at = _node(seen, at, names, parameters)
        nodes.append(node)
    return tuple(nodes)


def after_term(seen: Sequence[Token], at: int) -> int:
    """Return where the term that begins at ``at`` has ended; a bracket ends with its partner."""
    if seen[at].text in _OPENS:
        depth = 0
        for index in range(at, len(seen)):
            depth += (seen[index].text in _OPENS) - (seen[index].text in {")", "]", ">>", ")>>"})
            if depth == 0:
                return index + 1
        return len(seen)
    tail = seen[at + 1] if seen[at].kind == "string" and at + 1 < len(seen) else _END
    return at + (2 if tail.kind == "lang" else 3 if tail.text == "^^" else 1)


def _node(seen: Sequence[Token], at: int, names: Names, parameters: Collection[str]) -> tuple[Node, int]:
    token, end = seen[at], after_term(seen, at)
    kind: Kind = "literal"
    text, language = token.text, ""
    if token.text in _OPENS:
        kind = "nested" if token.text == "(" else "blank"
    elif token.kind == "bnode":
        kind = "blank"
    elif token.kind == "var":
        text = token.text[1:]
        kind = "parameter" if text in parameters else "variable"
    elif token.kind == "number":
        kind = "integer" if _WHOLE.fullmatch(text) else "literal"
    elif token.kind == "string":
        text, kind = _said(token.text), "string"
        if end - at == 2:  # noqa: PLR2004 - a language tag follows
            language = seen[at + 1].text[1:]
        elif end - at > 2 and (datatype := names.iri(seen[min(end, len(seen)) - 1])) != XSD_STRING:  # noqa: PLR2004
            kind = "integer" if datatype == XSD_INTEGER and _WHOLE.fullmatch(text) else "literal"
    elif (iri := names.iri(token)) is not None:
        text, kind = iri, "iri"
    return Node(kind, text, token.offset, language), end


def _said(quoted: str) -> str:
    """Return what a string literal says."""
    marks = 3 if quoted.startswith(_LONG) and len(quoted) > 5 else 1  # noqa: PLR2004 - two times three marks
    return _STRING.sub(_character, quoted[marks:-marks])


def _character(found: re.Match[str]) -> str:
    if digits := found[1] or found[2]:
        return chr(int(digits, 16)) if int(digits, 16) <= 0x10FFFF else found[0]  # noqa: PLR2004 - Unicode ends here
    return _CONTROLS.get(found[3], found[3])


def _resolved(relative: str, base: str) -> str | None:
    """Return a relative IRI as the engine resolves it, or None when it can't."""
    try:
        found = next(iter(parse(f"{relative} <urn:judgeloop:of> 1 .", RdfFormat.TURTLE, base_iri=base)))
    except (SyntaxError, ValueError):
        return None
    return found.subject.value if isinstance(found.subject, NamedNode) else None
