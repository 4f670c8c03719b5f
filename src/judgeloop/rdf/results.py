"""SELECT results as text: SPARQL 1.1 JSON, XML, CSV and TSV, and a table for people."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from judgeloop.errors import BadInput
from judgeloop.rdf.answers import written
from judgeloop.rdf.terms import BlankNode, Literal, NamedNode, Term, Triple
from judgeloop.vocab import XSD_STRING

Row = Sequence[Term | None]
Json = dict[str, Any]
_RESULTS: Final = "http://www.w3.org/2005/sparql-results#"
_ITS: Final = "http://www.w3.org/2005/11/its"
_NO_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""What no XML document can hold, not even escaped (XML 1.0, section 2.2)."""
_KEPT: Final = {"\r": "&#13;"}
"""A reader of XML takes a bare CR for a line end (XML 1.0, section 2.11)."""


def to_json(variables: Sequence[str], rows: Sequence[Row]) -> str:
    """Return SPARQL 1.1 Query Results JSON."""
    bindings = [{v: _json(t) for v, t in zip(variables, row, strict=True) if t is not None} for row in rows]
    document = {"head": {"vars": list(variables)}, "results": {"bindings": bindings}}
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def to_xml(variables: Sequence[str], rows: Sequence[Row]) -> str:
    """Return SPARQL Query Results XML.

    Raises:
        BadInput: a value holds a character that XML can't.
    """
    head = "".join(f"<variable name={quoteattr(v)}/>" for v in variables)
    lines = [f'<?xml version="1.0" encoding="UTF-8"?>\n<sparql xmlns="{_RESULTS}"><head>{head}</head><results>']
    for row in rows:
        bound = ((v, t) for v, t in zip(variables, row, strict=True) if t is not None)
        lines.append(
            "<result>" + "".join(f"<binding name={quoteattr(v)}>{_xml(t)}</binding>" for v, t in bound) + "</result>"
        )
    return "\n".join([*lines, "</results></sparql>\n"])


def to_csv(variables: Sequence[str], rows: Sequence[Row]) -> str:
    """Return SPARQL 1.1 CSV: plain values, CRLF line ends, an unbound value is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(variables)
    writer.writerows([_plain(t) for t in row] for row in rows)
    return out.getvalue()


def to_tsv(variables: Sequence[str], rows: Sequence[Row]) -> str:
    """Return SPARQL 1.1 TSV: terms in N-Triples form, an unbound value is empty."""
    lines = ["\t".join(f"?{v}" for v in variables)]
    lines += ["\t".join("" if t is None else written(t) for t in row) for row in rows]
    return "\n".join(lines) + "\n"


def to_table(variables: Sequence[str], rows: Sequence[Row]) -> str:
    """Return a table for people; wide (Hangul) characters count as two columns."""
    cells = [list(variables), *([_shown(t) for t in row] for row in rows)]
    widths = [max(_width(row[i]) for row in cells) for i in range(len(variables))]
    lines = ["  ".join(c + " " * (w - _width(c)) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "\n".join([lines[0], "  ".join("-" * w for w in widths), *lines[1:]]) + "\n"


FORMATS: Final[Mapping[str, Callable[[Sequence[str], Sequence[Row]], str]]] = {
    "json": to_json,
    "xml": to_xml,
    "csv": to_csv,
    "tsv": to_tsv,
    "table": to_table,
}


def _json(term: Term) -> Json:
    if isinstance(term, NamedNode):
        return {"type": "uri", "value": term.value}
    if isinstance(term, BlankNode):
        return {"type": "bnode", "value": term.value}
    if isinstance(term, Triple):
        parts = {"subject": term.subject, "predicate": term.predicate, "object": term.object}
        return {"type": "triple", "value": {name: _json(part) for name, part in parts.items()}}
    found = {"type": "literal", "value": term.value}
    if term.language:
        return found | {"xml:lang": term.language} | ({"its:dir": term.direction} if term.direction else {})
    return found if term.datatype.value == XSD_STRING else found | {"datatype": term.datatype.value}


def _xml(term: Term) -> str:
    if isinstance(term, Triple):
        parts = (("subject", term.subject), ("predicate", term.predicate), ("object", term.object))
        return f"<triple>{''.join(f'<{name}>{_xml(part)}</{name}>' for name, part in parts)}</triple>"
    told = _json(term)
    if _NO_XML.search(told["value"]):
        raise BadInput("query-xml", value=told["value"])
    if told["type"] != "literal":
        return f"<{told['type']}>{escape(told['value'])}</{told['type']}>"
    kind = "".join(f" {name}={quoteattr(told[name])}" for name in ("xml:lang", "datatype", "its:dir") if name in told)
    its = f' xmlns:its="{_ITS}" its:version="2.0"' if "its:dir" in told else ""
    return f"<literal{kind}{its}>{escape(told['value'], _KEPT)}</literal>"


def _plain(term: Term | None) -> str:
    if isinstance(term, NamedNode | Literal):
        return term.value
    return "" if term is None else written(term)


def _shown(term: Term | None) -> str:
    """Return one line of text; what could steer a terminal is shown as its escape."""
    text = _plain(term).replace("\n", "⏎").replace("\t", " ")
    unseen = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return "".join(c.encode("unicode_escape").decode() if unicodedata.category(c) in unseen else c for c in text)


def _width(text: str) -> int:
    """Return the columns that a text takes on a terminal; marks and the inner letters of a syllable take none."""
    return sum(_columns(c) for c in text)


def _columns(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me"} or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
