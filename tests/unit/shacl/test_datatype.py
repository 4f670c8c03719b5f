"""Lexical forms by XML Schema 1.1 part 2 (the sections are named), and what engines are known to take otherwise."""

import logging
from datetime import datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeloop.shacl import LiteralProblem, literal_problems
from judgeloop.shacl.datatype import flaw
from judgeloop.vocab import XSD


@pytest.mark.parametrize(
    ("datatype", "lexical", "expected"),
    [
        ("boolean", "1", None),  # 3.3.2
        ("boolean", "TRUE", "lexical"),
        ("integer", "+007", None),  # 3.4.13
        ("integer", "", "lexical"),
        ("integer", "1.0", "lexical"),
        ("integer", "٣", "lexical"),  # an Arabic digit is no digit here
        ("integer", " 1", "lexical"),
        ("integer", "9" * 5000, "range"),
        ("byte", "127", None),
        ("byte", "300", "value"),
        ("unsignedLong", "18446744073709551616", "value"),
        ("nonNegativeInteger", "-1", "value"),
        ("negativeInteger", "0", "value"),
        ("decimal", "1.50", None),  # 3.3.3
        ("decimal", ".5", None),
        ("decimal", ".", "lexical"),
        ("decimal", "1e3", "lexical"),
        ("double", "1.5E-3", None),  # 3.3.5
        ("double", "NaN", "not-finite"),
        ("double", "-INF", "not-finite"),
        ("double", "1e999", "not-finite"),
        ("double", "nan", "lexical"),
        ("float", "INF", "not-finite"),
        ("date", "2026-02-28", None),  # 3.3.9
        ("date", "2026-02-30", "value"),
        ("date", "2026-13-01", "value"),
        ("date", "2024-02-29+09:00", None),
        ("date", "26-02-28", "lexical"),
        ("date", "-0044-03-15", "range"),
        ("date", "12026-01-01", "range"),
        ("dateTime", "2026-03-01T09:00:00+09:00", None),  # 3.3.7
        ("dateTime", "2026-03-01T09:00:00.123456789Z", None),
        ("dateTime", "2026-03-01T09:00:00", "no-time-zone"),
        ("dateTime", "2026-03-01T24:00:00Z", "range"),
        ("dateTime", "2026-03-01T24:00:01Z", "value"),
        ("dateTime", "2026-03-01T09:60:00Z", "value"),
        ("dateTime", "2026-03-01 09:00:00Z", "lexical"),
        ("dateTime", "2026-03-01T09:00:00+15:00", "lexical"),
        ("time", "23:59:59", None),
        ("time", "25:00:00", "value"),
        ("duration", "P1Y2M3DT4H5M6.7S", None),  # 3.3.6
        ("duration", "P1S", "lexical"),
        ("duration", "P", "lexical"),
        ("duration", "P1DT", "lexical"),
        ("dayTimeDuration", "P1Y", "lexical"),
        ("yearMonthDuration", "-P1Y2M", None),
        ("base64Binary", "YQ==", None),
        ("base64Binary", "YQ=", "lexical"),
        ("hexBinary", "0aF", "lexical"),
        ("token", "a b", None),
        ("token", "a  b", "lexical"),
        ("normalizedString", "a\tb", "lexical"),
        ("anyURI", "http://예/한글", None),  # not looked at
    ],
)
def test_a_literal_is_taken_for_another_one(datatype: str, lexical: str, expected: str | None) -> None:
    assert flaw(lexical, XSD + datatype) == expected


OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(timezones=OFFSETS))
def test_a_time_that_exists_is_refused(moment: datetime) -> None:
    assert flaw(moment.isoformat(), XSD + "dateTime") is None


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6))
def test_a_decimal_that_exists_is_refused(value: Decimal) -> None:
    assert flaw(f"{value:f}", XSD + "decimal") is None


def test_a_problem_is_not_located() -> None:
    assert literal_problems('<http://e/s> <http://e/p> "1e3"^^<http://www.w3.org/2001/XMLSchema#decimal> .') == [
        LiteralProblem("http://e/s", "http://e/p", "1e3", XSD + "decimal", "lexical")
    ]


@pytest.mark.parametrize(
    ("lexical", "datatype"),
    [
        ("abc", XSD + "integer"),
        ("2026-02-30", XSD + "date"),
        ("P1S", XSD + "duration"),
        ("<a>", "http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral"),
    ],
)
def test_a_bad_literal_prints_a_traceback(lexical: str, datatype: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        literal_problems(f'<http://e/s> <http://e/p> "{lexical}"^^<{datatype}> .')
    assert caplog.records == []
