"""The literal profile: lexical forms that every store gives back unchanged.

Integers without sign or leading zeros, decimals without trailing zeros, times in UTC with ``Z`` and at most three
fraction digits. A value outside of the profile gets no typed literal; its written form stands as text all the same.
"""

import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Final

_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]{0,16}")
_DECIMAL_DIGITS: Final = 14
"""TDB2 keeps 48 bits of a decimal's digits inline; more would come back changed."""
_NUMBER: Final = re.compile(r"[+-]?(?:\d+[.]?\d*|[.]\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_INSTANT: Final = re.compile(
    r"\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:[.]\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)", re.ASCII
)
"""RFC 3339 without leap seconds; 24:00 is left out, because not every reader of times knows it."""


def written(value: object) -> tuple[str, str]:
    """Return a JSON scalar as it was written, and its JSON type."""
    if value is None:
        return "", "null"
    if isinstance(value, bool):
        return ("true" if value else "false"), "boolean"
    if isinstance(value, str):
        return value, "string"
    return str(getattr(value, "text", value)), "number"


def integer(text: str) -> str | None:
    """Return the profile form of an xsd:integer, or None."""
    return text if _INTEGER.fullmatch(text) else None


def decimal(text: str) -> str | None:
    """Return the profile form of an xsd:decimal, or None."""
    if not _NUMBER.fullmatch(text):
        return None
    try:
        sign, figures, exponent = Decimal(text).as_tuple()
    except InvalidOperation:  # an exponent beyond what can be counted
        return None
    # Not by Decimal.normalize: that rounds to the digits of the context, which changes the value.
    digits = "".join(map(str, figures)).rstrip("0")
    if not digits:
        return "0"
    last = int(exponent) + len(figures) - len(digits)
    digits = digits.lstrip("0")
    if len(digits) > _DECIMAL_DIGITS or not -_DECIMAL_DIGITS <= last <= _DECIMAL_DIGITS:
        return None
    return format(Decimal((sign, tuple(map(int, digits)), last)), "f")


def boolean(text: str) -> str | None:
    """Return the profile form of an xsd:boolean, or None."""
    return text if text in {"true", "false"} else None


def instant(text: str) -> str | None:
    """Return the profile form of an xsd:dateTime (UTC, ``Z``), or None: no zone, no such time, or finer than 1 ms."""
    if not _INSTANT.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    fraction = text.partition(".")[2].rstrip("Zz").partition("+")[0].partition("-")[0].rstrip("0")
    if len(fraction) > 3:  # noqa: PLR2004 - milliseconds are what every store keeps
        return None
    return moment.strftime(f"{moment.year:04d}-%m-%dT%H:%M:%S") + (f".{fraction}" if fraction else "") + "Z"
