"""How the values of a datatype are written, and which of them engines agree on (XML Schema 1.1, part 2)."""

import re
from calendar import monthrange
from collections.abc import Callable
from typing import Final

from judgeloop.vocab import XSD, XSD_BASE64, XSD_BOOLEAN, XSD_DATETIME, XSD_DECIMAL, XSD_INTEGER

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DOUBLE: Final = re.compile(_DECIMAL.pattern + r"(?:[eE][+-]?[0-9]+)?")
_NOT_FINITE: Final = frozenset({"NaN", "INF", "+INF", "-INF"})
_DIGITS: Final = 4000
"""Python converts no longer text to an int (its own limit is 4300 digits)."""
_ZONE: Final = r"(?P<zone>Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?"
_DAY: Final = r"(?P<year>-?(?:[1-9][0-9]{3,}|0[0-9]{3}))-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
_CLOCK: Final = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]+))?"
_DATE: Final = re.compile(_DAY + _ZONE)
_TIME: Final = re.compile(_CLOCK + _ZONE)
_DATETIME: Final = re.compile(f"{_DAY}T{_CLOCK}{_ZONE}")
_YEARS: Final = r"(?:[0-9]+Y)?(?:[0-9]+M)?"
_DAYS: Final = r"(?:[0-9]+D)?(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?"
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def flaw(lexical: str, datatype: str) -> str | None:
    """Return what is wrong with a literal, or None: right, or of a datatype that is not looked at.

    ``lexical`` (not written as its datatype asks), ``value`` (well written, but no such value: 30 February, 300 as
    xsd:byte), ``range`` (legal, but outside of what engines agree on: years 0001 to 9999, hours 00 to 23, integers of
    4000 digits), ``not-finite`` (NaN, INF) or ``no-time-zone``.
    """
    check = _CHECKS.get(datatype)
    return check(lexical) if check else None


def _matching(pattern: str) -> Callable[[str], str | None]:
    compiled = re.compile(pattern)
    return lambda lexical: None if compiled.fullmatch(lexical) else "lexical"


def _double(lexical: str) -> str | None:
    if lexical in _NOT_FINITE:
        return "not-finite"
    if not _DOUBLE.fullmatch(lexical):
        return "lexical"
    return "not-finite" if float(lexical) in {float("inf"), float("-inf")} else None


def _integer(low: int | None = None, high: int | None = None) -> Callable[[str], str | None]:
    def check(lexical: str) -> str | None:
        if not _INTEGER.fullmatch(lexical):
            return "lexical"
        if len(lexical) > _DIGITS:
            return "range"
        value = int(lexical)
        return "value" if (low is not None and value < low) or (high is not None and value > high) else None

    return check


def _date(lexical: str) -> str | None:
    found = _DATE.fullmatch(lexical)
    return _day(found) if found else "lexical"


def _time(lexical: str) -> str | None:
    found = _TIME.fullmatch(lexical)
    return _clock(found) if found else "lexical"


def _datetime(lexical: str) -> str | None:
    found = _DATETIME.fullmatch(lexical)
    if not found:
        return "lexical"
    flaws = (_clock(found), _day(found))
    return next((f for f in ("value", "range") if f in flaws), None if found["zone"] else "no-time-zone")


def _clock(found: re.Match[str]) -> str | None:
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"])
    if hour == 24 and minute == second == int(found["fraction"] or 0) == 0:  # noqa: PLR2004 - XML Schema's end of day
        return "range"
    return None if hour < 24 and minute < 60 and second < 60 else "value"  # noqa: PLR2004 - a clock


def _day(found: re.Match[str]) -> str | None:
    year, month, day = int(found["year"]), int(found["month"]), int(found["day"])
    inside = 1 <= year <= 9999  # noqa: PLR2004 - four digits
    if not 1 <= month <= 12:  # noqa: PLR2004 - a calendar
        return "value"
    if not 1 <= day <= monthrange(year if inside else year % 400 + 2000, month)[1]:
        return "value"
    return None if inside else "range"


def _base64(lexical: str) -> str | None:
    return None if _BASE64.fullmatch(lexical.replace(" ", "")) else "lexical"


_SIGNED: Final = {"byte": 7, "short": 15, "int": 31, "long": 63}
_UNSIGNED: Final = {"unsignedByte": 8, "unsignedShort": 16, "unsignedInt": 32, "unsignedLong": 64}
_CHECKS: Final[dict[str, Callable[[str], str | None]]] = {
    XSD_BOOLEAN: _matching("true|false|1|0"),
    XSD_DECIMAL: _matching(_DECIMAL.pattern),
    XSD_INTEGER: _integer(),
    XSD + "nonNegativeInteger": _integer(0),
    XSD + "positiveInteger": _integer(1),
    XSD + "nonPositiveInteger": _integer(None, 0),
    XSD + "negativeInteger": _integer(None, -1),
    **{XSD + name: _integer(-(2**bits), 2**bits - 1) for name, bits in _SIGNED.items()},
    **{XSD + name: _integer(0, 2**bits - 1) for name, bits in _UNSIGNED.items()},
    XSD + "float": _double,
    XSD + "double": _double,
    XSD + "date": _date,
    XSD + "time": _time,
    XSD_DATETIME: _datetime,
    XSD + "dateTimeStamp": _datetime,
    XSD + "duration": _matching(f"-?P(?=[0-9T]){_YEARS}{_DAYS}"),
    XSD + "yearMonthDuration": _matching(f"-?P(?=[0-9]){_YEARS}"),
    XSD + "dayTimeDuration": _matching(f"-?P(?=[0-9T]){_DAYS}"),
    XSD_BASE64: _base64,
    XSD + "hexBinary": _matching("(?:[0-9a-fA-F]{2})*"),
    XSD + "normalizedString": _matching(r"[^\t\n\r]*"),
    XSD + "token": _matching(r"(?! )(?!.*  )(?!.* $)[^\t\n\r]*"),
}
