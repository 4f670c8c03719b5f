"""Text to search for, as Apache Lucene's classic query parser reads it: written for it, and read like it.

The parser joins words by one space and hands them to the analyser together; an escaped text reaches it as it is.
"""

import re
from typing import Final

from judgeloop.errors import BadInput
from judgeloop.text import nfc

SHORTEST: Final = 2
"""Characters of a text; one has no pair of neighbours, and a server then returns every label of the graph."""
LONGEST: Final = 200
"""Characters of a text; a server refuses some 1,000 and more."""

_SPACE: Final = r" \t\n\r\u3000"
_SPECIAL: Final = r"+\-!():^\[\]\"{}~*?\\/"
_ESCAPED: Final = re.compile(rf"[{_SPECIAL}&|{_SPACE}]")
_OPERATORS: Final = re.compile(r"\b(?:AND|OR|NOT|TO)\b")
_TERM: Final = re.compile(
    rf"(?:[^{_SPECIAL}{_SPACE}]|\\.)(?:[^{_SPECIAL}{_SPACE}]|\\.|[+\-])*+",
    re.DOTALL,
)
_SPACES: Final = re.compile(rf"[{_SPACE}]*")
_ALONE: Final = frozenset({"AND", "OR", "NOT", "&&", "||"})
_BACKSLASH: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_NO_TEXT: Final = re.compile("[\x00\ud800-\udfff]")


def escape(text: str, place: str) -> str:
    """Return ``text`` in NFC, so written that the parser finds no operator, no field and one piece in it.

    Raises:
        BadInput: fewer characters than `SHORTEST` or more than `LONGEST`, NUL, or half of a surrogate pair.
    """
    text = nfc(text)
    _refuse(text, place)
    return verbatim(text)


def verbatim(text: str) -> str:
    """Return ``text`` so written that the parser finds no operator, no field and one piece in it."""
    return _ESCAPED.sub(r"\\\g<0>", _OPERATORS.sub(lambda word: word[0].lower(), text))


def pieces(text: str, place: str) -> tuple[str, ...]:
    """Return the texts that the parser hands to the analyser: of words without an operator, one.

    Raises:
        BadInput: an operator of any kind, fewer characters than `SHORTEST` or more than `LONGEST`.
    """
    words: list[str] = []
    at = _end(_SPACES, text, 0)
    while at < len(text):
        found = _TERM.match(text, at)
        if found is None or found[0] in _ALONE:
            raise BadInput("text-query-operator", place=place, found=found[0] if found else text[at], text=text)
        words.append(_BACKSLASH.sub(lambda pair: _plain(pair, place), found[0]))
        at = _end(_SPACES, text, found.end())
    whole = " ".join(words)
    _refuse(whole, place)
    return (whole,)


def _refuse(text: str, place: str) -> None:
    if found := _NO_TEXT.search(text):
        raise BadInput("text-query-characters", place=place, position=found.start() + 1, text=text)
    if len(text) < SHORTEST:
        raise BadInput("text-query-short", place=place, text=text or '""', shortest=SHORTEST)
    if len(text) > LONGEST:
        raise BadInput("text-query-long", place=place, size=len(text), longest=LONGEST)


def _plain(pair: re.Match[str], place: str) -> str:
    r"""Return the character that a backslash stands before; ``\u`` and four digits are one, too."""
    if pair[2] == "u":
        raise BadInput("text-query-operator", place=place, found=r"\u", text=pair.string)
    return chr(int(pair[1], 16)) if pair[1] else pair[2]


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
