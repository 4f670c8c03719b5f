"""Ids of a user's JSON become IRIs here, before any JSON-LD is read."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, unquote

from pyoxigraph import NamedNode

from judgeloop.errors import BadInput
from judgeloop.vocab import URN

SCHEMES: Final = ("http", "https", "urn")
_FULL: Final = re.compile(r"(?:https?://[^/]|urn:[a-zA-Z0-9][a-zA-Z0-9-]{0,31}:.)", re.IGNORECASE)
_BIDI: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNSEEN: Final = frozenset({"Cf", "Zs", "Zl", "Zp"})
_UCSCHAR: Final = re.compile(
    "[\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
    + "".join(f"{chr(plane)}-{chr(plane + 0xFFFD)}" for plane in range(0x10000, 0xE0000, 0x10000))
    + "\U000e1000-\U000efffd]"
)
"""RFC 3987, section 2.2: a table of its own, so that one id gives one IRI whatever Unicode the interpreter knows."""
_IN_POINTER: Final = "/-._~!$&'()*+,;=:@"


@dataclass(frozen=True)
class Minting:
    """How ids become IRIs: under ``base``, or by a declared prefix."""

    base: str
    prefixes: Mapping[str, str] = field(default_factory=dict)


def mint(identifier: str, base: str, prefixes: Mapping[str, str], place: str = "") -> str:
    """Return the IRI of ``identifier``: itself if it is one, else its CURIE's, else percent-encoded under ``base``.

    Two different ids never give one IRI under the same ``base``; NFC and NFD spellings stay two ids.

    Raises:
        BadInput: the id holds control, bidirectional or unpaired surrogate characters.
    """
    refuse_hidden(identifier, place)
    if _FULL.match(identifier) and not identifier.startswith(URN) and _is_iri(identifier):
        return identifier
    prefix, colon, local = identifier.partition(":")
    if colon and prefix in prefixes:
        return prefixes[prefix] + encode(local)
    return base + encode(identifier)


def refuse_hidden(text: str, place: str = "") -> None:
    """Refuse characters that make an id look like another one or that no file can hold.

    Raises:
        BadInput: there is such a character.
    """
    if text.isascii() and text.isprintable():
        return
    if any(c in _BIDI or unicodedata.category(c) in {"Cc", "Cs"} for c in text):
        raise BadInput("id-characters", place=place, value=ascii(text))


def encode(text: str, safe: str = "-._~") -> str:
    """Return ``text`` as one IRI segment: letters of any script stay readable, all else is percent-encoded."""
    if text in {".", ".."}:  # a resolver would take these for "this folder" and "the folder above"
        return text.replace(".", "%2E")
    if text.isascii():
        return quote(text, safe=safe)
    return "".join(c if _stays(c) else quote(c, safe=safe) for c in text)


def fragment(pointer: str) -> str:
    """Return a JSON Pointer as an IRI fragment (RFC 6901, section 6)."""
    return encode(pointer, safe=_IN_POINTER)


def pointer_of(iri: str) -> str | None:
    """Return the JSON Pointer that an event's node was minted from, or None for the event itself."""
    _, mark, pointer = iri.partition("#")
    return unquote(pointer) if mark else None


def _stays(char: str) -> bool:
    return bool(_UCSCHAR.match(char)) and unicodedata.category(char) not in _UNSEEN


def _is_iri(text: str) -> bool:
    try:
        NamedNode(text)
    except ValueError:
        return False
    return True
