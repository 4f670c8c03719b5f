"""What no query file may contain, decided on its tokens.

One of the engines reads without word boundaries: ``SERVICE:x{}``, ``SERVICESILENT<x>{}`` and ``trueSERVICE<x>{}`` all
call another server there. So a forbidden word counts where it is any part of a bare word, too.
"""

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Final, Literal

from judgeloop.errors import BadInput
from judgeloop.rdf.lexer import Token, where

QueryKind = Literal["select", "ask", "construct", "update"]

UPDATE_WORDS: Final = frozenset(
    {"INSERT", "DELETE", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD", "WITH", "USING"}
)
_REACHES_OUT: Final = ("SERVICE", "LOAD")
_QUERIES: Final[dict[str, QueryKind]] = {"SELECT": "select", "ASK": "ask", "CONSTRUCT": "construct"}
_PROLOGUE: Final = {"BASE": 2, "PREFIX": 3, "VERSION": 2}
_GLUED_SERVICE: Final = re.compile(r"(?:TRUE|FALSE)*SERVICE", re.IGNORECASE)
_GLUED_LOAD: Final = re.compile(r"LOAD", re.IGNORECASE)


def statement_kind(seen: Sequence[Token], text: str, place: str) -> QueryKind:
    """Return what the first word after the prologue makes of the text; ``seen`` are its significant tokens.

    Raises:
        BadInput: it is neither a query whose answer is defined (DESCRIBE has none) nor an update.
    """
    at = 0
    while at < len(seen) and seen[at].kind == "keyword" and (step := _PROLOGUE.get(seen[at].text.upper())):
        at += step
    if at >= len(seen):
        raise BadInput("rq-start", place=place, found="-")
    first = seen[at]
    word = first.text.upper() if first.kind == "keyword" else ""
    if word in UPDATE_WORDS:
        return "update"
    if word == "DESCRIBE":
        raise BadInput("rq-forbidden", place=where(text, first.offset, place), keyword=word)
    if word not in _QUERIES:
        raise BadInput("rq-start", place=where(text, first.offset, place), found=first.text)
    return _QUERIES[word]


def refuse_words(seen: Sequence[Token], text: str, place: str, *, update: bool) -> None:
    """Refuse what reaches another server or file, and unless ``update`` what changes the store.

    Raises:
        BadInput: SERVICE, LOAD or, in a query, a word of SPARQL Update stands outside of strings, IRIs and comments.
    """
    for token, after in zip(seen, [*seen[1:], None], strict=True):
        word = token.text.upper()
        found = None
        if token.kind == "keyword":
            found = next((w for w in _REACHES_OUT if w in word), None)
            found = found or (word if word in UPDATE_WORDS and not update else None)
        elif token.kind == "pname":
            if after is not None and after.text == "{" and _GLUED_SERVICE.match(word):
                found = "SERVICE"
            elif update and _GLUED_LOAD.match(word):
                found = "LOAD"
        if found is not None:
            raise BadInput("rq-forbidden", place=where(text, token.offset, place), keyword=found)


def refuse_assigned(seen: Sequence[Token], params: Collection[str], text: str, place: str) -> None:
    """Refuse a parameter where SPARQL allows a variable only, since a value can't stand there.

    Raises:
        BadInput: a parameter is selected, a target of AS, or a column of VALUES.
    """
    for at, token in enumerate(seen):
        if token.kind != "keyword":
            continue
        for target in _targets(seen, at, token.text.upper()):
            if target.text[1:] in params:
                raise BadInput("rq-parameter-projected", place=where(text, target.offset, place), name=target.text[1:])


def projected(seen: Sequence[Token]) -> frozenset[str] | None:
    """Return the columns of the outermost SELECT, or None where the query names none (``*``, ASK, CONSTRUCT)."""
    start = next((at for at, token in enumerate(seen) if token.text.upper() in _QUERIES), None)
    return None if start is None or seen[start].text.upper() != "SELECT" else columns(seen, start)


def columns(seen: Sequence[Token], start: int) -> frozenset[str] | None:
    """Return the columns of the SELECT at ``start``, or None where it names none."""
    head = _projection(seen, start)
    if any(token.text == "*" for token, depth in head if depth == 0):
        return None
    named = [token.text[1:] for token, depth in head if depth == 0 and token.kind == "var"]
    assigned = [after.text[1:] for (token, _), (after, _) in pairwise(head) if token.text.upper() == "AS"]
    return frozenset(named + assigned)


def _targets(seen: Sequence[Token], at: int, word: str) -> list[Token]:
    """Return the variables that the keyword at ``at`` binds."""
    if word == "AS":
        return [token for token in seen[at + 1 : at + 2] if token.kind == "var"]
    if word == "SELECT":
        return [token for token, depth in _projection(seen, at) if depth == 0 and token.kind == "var"]
    if word == "VALUES":
        rows = next((i for i in range(at, len(seen)) if seen[i].text == "{"), len(seen))
        return [token for token in seen[at:rows] if token.kind == "var"]
    return []


def _projection(seen: Sequence[Token], at: int) -> list[tuple[Token, int]]:
    """Return the tokens between SELECT and its body, each with the depth of its parentheses."""
    head: list[tuple[Token, int]] = []
    depth = 0
    for token in seen[at + 1 :]:
        if depth == 0 and (token.text == "{" or token.text.upper() in {"WHERE", "FROM"}):
            break
        depth -= token.text == ")"
        head.append((token, depth))
        depth += token.text == "("
    return head
