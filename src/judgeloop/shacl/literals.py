"""Literals that an engine may take for something else, or stumble over: found before it sees them."""

from collections.abc import Iterable
from typing import NamedTuple

from rdflib import Literal

from judgeloop.shacl.datatype import flaw
from judgeloop.shacl.graph import Triple
from judgeloop.shacl.terms import read, text_of


class LiteralProblem(NamedTuple):
    """One literal that can't be compared safely; ``why`` as `judgeloop.shacl.datatype.flaw` names it."""

    subject: str
    predicate: str
    lexical: str
    datatype: str
    why: str


def literal_problems(data_nt: str) -> list[LiteralProblem]:
    """Return the literals of an N-Triples text that can't be compared safely, in its order.

    Covered: xsd:boolean, decimal, integer and what derives from it, float, double, date, time, dateTime, the durations,
    base64Binary, hexBinary, token and normalizedString. Does not establish: that others are well formed.

    Raises:
        BadInput: not N-Triples.
    """
    return problems_of(read(data_nt, "data"))


def problems_of(triples: Iterable[Triple]) -> list[LiteralProblem]:
    """Return the literals among ``triples`` that can't be compared safely."""
    found = []
    for subject, predicate, value in triples:
        if isinstance(value, Literal) and value.datatype is not None:
            why = flaw(str(value), str(value.datatype))
            if why:
                found.append(LiteralProblem(text_of(subject), text_of(predicate), str(value), str(value.datatype), why))
    return found
