"""What a SPARQL server sent, as the terms that the embedded store gives; anything incomplete is refused whole.

Follows SPARQL 1.1 Query Results JSON and N-Triples.
"""

import json
from collections.abc import Iterable
from typing import Any, TypeVar

from pyoxigraph import Literal, QueryBoolean, QueryResultsFormat, RdfFormat, Triple, parse
from pyoxigraph import parse_query_results as parse_results

from judgeloop.errors import StoreUnavailable
from judgeloop.rdf.terms import Term
from judgeloop.vocab import RDF, XSD_DECIMAL

_Table = tuple[tuple[str, ...], list[tuple[Term | None, ...]]]
_LANG_STRING = RDF + "langString"
_TAGLESS = "rdf:langString without a language"


def read_rows(content: bytes, place: str) -> _Table:
    """Return the columns and the rows of a SELECT's answer.

    Raises:
        StoreUnavailable: the answer is cut, holds what is no RDF term, or answers another kind of query.
    """
    found = _parsed(content)
    if found is None:
        raise StoreUnavailable("http-kind", place=place)
    if isinstance(found, str):
        raise _refusal(content, place, found)
    columns, rows = found
    suspects = rows if b"langString" in content or b"\\u" in content else ()  # JSON may write any letter as \uXXXX
    for number, row in enumerate(suspects, start=1):
        for column, term in zip(columns, row, strict=True):
            if term is not None and _tagless(term):
                raise StoreUnavailable("http-term", place=place, row=number, variable=f"?{column}", why=_TAGLESS)
    if b"#decimal" in content or b"\\u" in content or b"\\/" in content:
        rows = [tuple([_plain(term) for term in row]) for row in rows]
    return columns, rows


def read_truth(content: bytes, place: str) -> bool:
    """Return the answer of an ASK; errors as for `read_rows`."""
    try:
        document = json.loads(content)  # the parser of results takes a boolean whose object never ends
    except ValueError as error:
        raise StoreUnavailable("http-cut", place=place, why=error) from None
    truth = document.get("boolean") if isinstance(document, dict) else None
    if not isinstance(truth, bool):
        read_rows(content, place)  # whatever is wrong with these rows is told first
        raise StoreUnavailable("http-kind", place=place)
    return truth


def read_triples(content: bytes, place: str) -> list[Triple]:
    """Return the triples of an N-Triples answer, each once; errors as for `read_rows`."""
    found = _parsed_triples(content)
    if isinstance(found, str):
        raise StoreUnavailable("http-cut", place=place, why=found)
    return found


def _parsed(content: bytes) -> _Table | str | None:
    """Return columns and rows, why the parser stopped, or None for an answer that is no table.

    What stopped is told and not raised: an error would keep the parser alive, which may end in its own thread only.
    """
    try:
        found = parse_results(content, format=QueryResultsFormat.JSON)
        if isinstance(found, QueryBoolean):
            return None
        return tuple([column.value for column in found.variables]), [tuple(row) for row in found]
    except SyntaxError as error:
        return str(error.msg)


def _parsed_triples(content: bytes) -> list[Triple] | str:
    try:
        found = [Triple(q.subject, q.predicate, _plain(q.object)) for q in parse(content, RdfFormat.N_TRIPLES)]
    except SyntaxError as error:
        return str(error.msg)
    return list(dict.fromkeys(found))


_AnyTerm = TypeVar("_AnyTerm", bound=Term | None)


def _plain(term: _AnyTerm) -> _AnyTerm:
    """Return the term as the embedded store gives it: a server of Jena's writes the decimal 1 as ``1.0``."""
    if isinstance(term, Literal) and term.datatype.value == XSD_DECIMAL and term.value.endswith(".0"):
        return Literal(term.value[:-2], datatype=term.datatype)  # type: ignore[return-value] # a literal stays one
    return term


def _tagless(term: Term) -> bool:
    if isinstance(term, Triple):
        return any(map(_tagless, (term.subject, term.object)))
    return isinstance(term, Literal) and term.datatype.value == _LANG_STRING and not term.language


def _refusal(content: bytes, place: str, why: str) -> StoreUnavailable:
    """Return why the parser stopped: the first binding that is no term, or an answer that is no JSON to its end."""
    try:
        document = json.loads(content)
        for number, row in enumerate(document["results"]["bindings"], start=1):
            for column, value in row.items():
                if reason := _no_term(value):
                    return StoreUnavailable("http-term", place=place, row=number, variable=f"?{column}", why=reason)
    except (ValueError, LookupError, TypeError, AttributeError):
        pass
    return StoreUnavailable("http-cut", place=place, why=why)


def _no_term(value: Any) -> str:  # noqa: ANN401 - whatever stands in the JSON
    """Return why the parser takes this binding for no term, or nothing."""
    alone = {"head": {"vars": ["x"]}, "results": {"bindings": [{"x": value}]}}
    try:
        found = parse_results(json.dumps(alone), format=QueryResultsFormat.JSON)
        terms: Iterable[object] = () if isinstance(found, QueryBoolean) else [row["x"] for row in found]
    except SyntaxError as error:
        return str(error.msg)
    return _TAGLESS if any(isinstance(t, Literal | Triple) and _tagless(t) for t in terms) else ""
