"""Strict JSON with places: what was written where, as ``file:line:column`` and as JSON Pointer (RFC 6901).

Python's reader accepts more than RFC 8259 (``NaN``, keys that stand twice, any depth until it crashes) and forgets how
a number was written. Here each of these is refused with its place, and numbers keep their text.
"""

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Final, Self, TypeAlias

from judgeloop.errors import BadInput
from judgeloop.messages import both

Json: TypeAlias = Any
"""A dict, list, str, `WrittenInt`, `WrittenFloat`, bool or None; whoever reads one narrows it."""
Scalar: TypeAlias = str | int | float | bool | None

MAX_DEPTH: Final = 200
MAX_STRING: Final = 1_048_576
MAX_DIGITS: Final = 4000
"""Digits of one number; Python itself refuses to print integers of more than 4300."""

# A string that never ends is a token too, so that no character is looked at twice; the reader refuses it later.
_TOKEN: Final = re.compile(
    r'(?P<quoted>"(?:[^"\\]++|\\.)*+"?)(?P<colon>[ \t\r\n]*+:)?|[{}\[\]]|-?[0-9][0-9.eE+-]*+|-?Infinity|NaN',
    re.DOTALL,
)
_SPACE: Final = " \t\r\n"
_INDEX: Final = re.compile(r"0|[1-9][0-9]*", re.ASCII)
_BAD_ESCAPE: Final = re.compile(r"~(?![01])")
_MERGE_MARKER: Final = re.compile(r"<<<<<<<|=======|>>>>>>>")
_REASONS: Final = {
    "Expecting value": "json-why-value",
    "Expecting property name enclosed in double quotes": "json-why-key",
    "Illegal trailing comma before end of object": "json-why-key",
    "Illegal trailing comma before end of array": "json-why-value",
    "Expecting ':' delimiter": "json-why-colon",
    "Expecting ',' delimiter": "json-why-comma",
    "Extra data": "json-why-extra",
    "Unterminated string starting at": "json-why-open-string",
    "Invalid control character at": "json-why-control",
    "Invalid \\escape": "json-why-escape",
    "Invalid \\uXXXX escape": "json-why-escape",
}
"""What Python's reader calls a fault, and our sentence for it."""


class WrittenInt(int):
    """An integer that remembers how it was written (``-0``)."""

    text: str

    def __new__(cls, text: str) -> Self:
        """Read the digits of ``text``."""
        made = super().__new__(cls, text)
        made.text = str(text)
        return made


class WrittenFloat(float):
    """A number with a fraction or an exponent that remembers how it was written (``1.50``, ``1e3``)."""

    text: str

    def __new__(cls, text: str) -> Self:
        """Read the number in ``text``; its value is the nearest binary double."""
        made = super().__new__(cls, text)
        made.text = str(text)
        return made


def decode(content: bytes, name: str, *, first_line: int = 1) -> str:
    """Return UTF-8 ``content``, which starts at ``first_line`` of the file ``name``, as text without its BOM.

    Raises:
        BadInput: not UTF-8 (with line and offset of the first wrong byte), or nothing but white space.
    """
    try:
        text = content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + first_line
        raise BadInput("not-utf8", place=f"{name}:{line}", offset=error.start) from None
    if not text.strip(_SPACE):
        raise BadInput("file-empty", place=name)
    return text


def parse_json(content: bytes, name: str, *, first_line: int = 1) -> Json:
    """Return the one JSON value in ``content`` (see `decode`).

    Lone surrogates are kept: whether they matter depends on where they stand.

    Raises:
        BadInput: not UTF-8, empty, not JSON (RFC 8259), a key twice in one object, ``NaN`` and its kin, deeper than
            `MAX_DEPTH`, or a string or number longer than `MAX_STRING` and `MAX_DIGITS`.
    """
    text = decode(content, name, first_line=first_line)
    source = _Source(text, name, first_line)
    source.inspect()
    try:
        return json.loads(text, parse_int=WrittenInt, parse_float=WrittenFloat)
    except json.JSONDecodeError as error:
        raise source.refuse("json-syntax", error.pos, why=both(source.reason(error))) from None


def lines(content: bytes, name: str) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of every line that isn't blank, without its line end and the file's BOM.

    Only LF and CRLF end a line: JSON strings may hold the other characters that Unicode calls line ends.

    Raises:
        BadInput: no line holds anything.
    """
    empty = True
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            empty = False
            yield number, line.removesuffix(b"\r")
    if empty:
        raise BadInput("file-empty", place=name)


def read_jsonl(content: bytes, name: str) -> Iterator[tuple[str, bytes, Json]]:
    """Yield ``(file:line, bytes, value)`` of each line; a bad line ends it (to go on: `lines` and `parse_json`).

    Raises:
        BadInput: as `parse_json`, with the line in the file.
    """
    for number, line in lines(content, name):
        yield f"{name}:{number}", line, parse_json(line, name, first_line=number)


def line_column(text: str, offset: int) -> tuple[int, int]:
    """Return line and column, both from 1 and in characters, of the character at ``offset``."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def pointer(*tokens: str | int) -> str:
    """Return the JSON Pointer of a place (RFC 6901, section 3); no token at all is the whole document."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)


def resolve(document: Json, place: str) -> Json:
    """Return the value at a JSON Pointer (RFC 6901, section 4).

    Raises:
        KeyError: nothing stands there.
        ValueError: not a JSON Pointer.
    """
    if _BAD_ESCAPE.search(place) or place[:1] not in {"", "/"}:
        raise ValueError(place)
    found = document
    for written in place.split("/")[1:]:
        token = written.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and token in found:
            found = found[token]
        elif isinstance(found, list) and _INDEX.fullmatch(token) and int(token) < len(found):
            found = found[int(token)]
        else:
            raise KeyError(place)
    return found


def leaves(document: Json) -> Iterator[tuple[str, Scalar]]:
    """Yield JSON Pointer and value of every scalar, in the order of the document. Empty containers have none."""
    waiting: list[tuple[str, Json]] = [("", document)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend((place + pointer(key), value[key]) for key in reversed(value))
        elif isinstance(value, list):
            waiting.extend((place + pointer(i), value[i]) for i in reversed(range(len(value))))
        else:
            yield place, value


class _Source:
    """One JSON text while it is read: knows where things stand, and refuses what Python's reader lets pass."""

    def __init__(self, text: str, name: str, first_line: int) -> None:
        self.text, self.name, self.first_line = text, name, first_line

    def refuse(self, key: str, offset: int, **params: object) -> BadInput:
        """Return the error about the character at ``offset``."""
        line, column = line_column(self.text, offset)
        return BadInput(key, place=f"{self.name}:{line + self.first_line - 1}:{column}", **params)

    def inspect(self) -> None:
        """Refuse, before anything is built, what is too deep, too long, twice there or no number."""
        open_objects: list[set[str] | None] = []  # one entry per open bracket: the keys so far, None for an array
        for token in _TOKEN.finditer(self.text):
            first = self.text[token.start()]
            if first in "{[":
                if len(open_objects) == MAX_DEPTH:
                    raise self.refuse("json-too-deep", token.start(), limit=MAX_DEPTH)
                open_objects.append(set() if first == "{" else None)
            elif first in "}]":
                del open_objects[-1:]
            elif first == '"':
                self._string(token, open_objects[-1] if open_objects else None)
            else:
                self._number(token)

    def _string(self, token: re.Match[str], keys: set[str] | None) -> None:
        start, end = token.span("quoted")
        if end - start - 2 > MAX_STRING and (size := len(_unescaped(token["quoted"]))) > MAX_STRING:
            raise self.refuse("json-string-too-long", start, size=size, limit=MAX_STRING)
        if keys is not None and token["colon"]:
            key = _unescaped(token["quoted"])
            if key in keys:
                raise self.refuse("json-duplicate-key", start, name=token["quoted"])
            keys.add(key)

    def _number(self, token: re.Match[str]) -> None:
        written = token[0]
        if written[-1] in "yN":
            raise self.refuse("json-not-a-number", token.start(), value=written)
        if len(written) > MAX_DIGITS:
            raise self.refuse("json-number-too-long", token.start(), size=len(written), limit=MAX_DIGITS)
        if not written.removeprefix("-").isdigit() and _overflows(written):
            raise self.refuse("json-number-too-large", token.start(), value=written)

    def reason(self, error: json.JSONDecodeError) -> str:
        """Return the key of our sentence for a syntax error: the likely cause where the text gives it away."""
        if _MERGE_MARKER.match(self.text, self.text.rfind("\n", 0, error.pos) + 1):
            return "json-why-merge-marker"
        if self.text.lstrip().startswith("<"):
            return "json-why-markup"
        if error.pos >= len(self.text.rstrip(_SPACE)):
            return "json-why-cut-off"
        return _REASONS.get(error.msg, "json-why-unknown")


def _unescaped(quoted: str) -> str:
    if "\\" not in quoted:
        return quoted[1:-1]
    try:
        return str(json.loads(quoted, strict=False))
    except json.JSONDecodeError:
        return quoted[1:-1]  # the reader will refuse it


def _overflows(written: str) -> bool:
    try:
        return math.isinf(float(written))
    except ValueError:
        return False  # not a number at all: the reader will say so
