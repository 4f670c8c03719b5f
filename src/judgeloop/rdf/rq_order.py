"""Tells where a query cuts its rows without an order that leaves no ties, so that others may come another time."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from judgeloop.rdf.lexer import Token
from judgeloop.rdf.rq_rules import columns

_OPENING: Final = frozenset({"(", "{"})
_CLOSING: Final = frozenset({")", "}"})
_CLAUSES: Final = frozenset({"GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "VALUES"})


def untied(seen: Sequence[Token], parameters: Collection[str]) -> Iterator[tuple[Token, frozenset[str]]]:
    """Give each LIMIT or OFFSET that may cut between equal rows, with the variables that its ORDER BY leaves out.

    Rows that are equal in every column are one row, so an order by all columns leaves no ties; nor does one by all keys
    of GROUP BY.
    """
    for at, token in enumerate(seen):
        word = token.text.upper() if token.kind == "keyword" else ""
        if word not in {"SELECT", "CONSTRUCT"}:
            continue
        start, end = _braces(seen, at)
        shown = columns(seen, at) if word == "SELECT" else None
        shown = _variables(seen[start:end]) if shown is None else shown
        if word == "CONSTRUCT" and _braces(seen, end)[0] < len(seen):
            end = _braces(seen, end)[1]  # what stood before was the template
        clauses = _clauses(seen, end)
        cut = clauses.get("LIMIT") or clauses.get("OFFSET")
        order, keys = _sorts_by(clauses.get("ORDER", [])), clauses.get("GROUP", [])[2:]
        missing = shown - order - set(parameters)
        by_keys = bool(keys) and all(key.kind == "var" and key.text[1:] in order for key in keys)
        if cut and missing and not by_keys:
            yield cut[0], missing


def descending(seen: Sequence[Token]) -> frozenset[str]:
    """Return the variables by which some ORDER BY sorts, greatest first."""
    words = [token.text.upper() for token in seen]
    return frozenset(
        seen[at + 2].text[1:]
        for at in range(len(seen) - 3)
        if words[at : at + 2] == ["DESC", "("] and seen[at + 2].kind == "var" and words[at + 3] == ")"
    )


def _braces(seen: Sequence[Token], at: int) -> tuple[int, int]:
    """Return the next braces outside of parentheses: where they open, and where they have closed."""
    depth, start = 0, len(seen)
    for index in range(at, len(seen)):
        if depth == 0 and seen[index].text == "{":
            start = index
        depth += (seen[index].text in _OPENING) - (seen[index].text in _CLOSING)
        if depth < 0:
            break
        if start < index and depth == 0:
            return start, index + 1
    return start, len(seen)


def _clauses(seen: Sequence[Token], at: int) -> dict[str, list[Token]]:
    """Return what follows the braces of a pattern, by the words that its parts begin with."""
    found: dict[str, list[Token]] = {}
    depth, word = 0, ""
    for token in seen[at:]:
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if depth < 0:
            break
        if depth == 0 and token.kind == "keyword" and token.text.upper() in _CLAUSES:
            word = token.text.upper()
        found.setdefault(word, []).append(token)
    return found


def _sorts_by(clause: Sequence[Token]) -> frozenset[str]:
    """Return the variables by whose own values an ORDER BY sorts; an expression may give many values one."""
    texts = [token.text.upper() for token in clause]
    plain: set[str] = set()
    depth = 0
    for at, token in enumerate(clause):
        depth += (token.text == "(") - (token.text == ")")
        if token.kind == "var" and (depth == 0 or (depth == 1 and _is_whole(texts, at))):
            plain.add(token.text[1:])
    return frozenset(plain)


def _is_whole(texts: Sequence[str], at: int) -> bool:
    """Say whether ASC or DESC holds this token alone."""
    return at > 1 and texts[at - 2] in {"ASC", "DESC"} and texts[at - 1] == "(" and texts[at + 1 : at + 2] == [")"]


def _variables(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(token.text[1:] for token in tokens if token.kind == "var")
