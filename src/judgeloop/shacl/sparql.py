"""Compiled queries of SPARQL constraints: what the standard forbids is refused before anything runs."""

from typing import Final

from pyparsing import ParseException, ParseResults
from rdflib import Literal, URIRef, Variable
from rdflib.plugins.sparql.algebra import translateQuery, traverse
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Query

from judgeloop.errors import EngineFailure
from judgeloop.shacl.terms import kept
from judgeloop.vocab import XSD_STRING

_FORBIDDEN: Final = {
    "ServiceGraphPattern": "SERVICE",
    "MinusGraphPattern": "MINUS",
    "InlineData": "VALUES",
    "ValuesClause": "VALUES",
    "DatasetClause": "FROM",
    "GraphGraphPattern": "GRAPH",
    "ConstructQuery": "CONSTRUCT",
    "DescribeQuery": "DESCRIBE",
}
"""SERVICE and FROM could reach the network, MINUS and VALUES are forbidden by SHACL, GRAPH finds one graph only."""
_STRING: Final = URIRef(XSD_STRING)


class Plans:
    """Queries of one shapes graph, each compiled once."""

    def __init__(self) -> None:
        """Start without any."""
        self._compiled: dict[str, Query] = {}

    def __call__(self, text: str) -> Query:
        """Return the compiled form of ``text``.

        Raises:
            EngineFailure: not SPARQL, a keyword that a constraint may not use, an undeclared prefix, or a SELECT
                without ``$this``.
        """
        found = self._compiled.get(text)
        if found is None:
            found = self._compiled[text] = _compiled(text)
        return found


def _compiled(text: str) -> Query:
    try:
        prologue, query = parsed = parseQuery(text)
    except ParseException as error:
        why = f"line {error.lineno}, column {error.column}: {error.line.strip()[:80]}"
        raise EngineFailure("shacl-query-syntax", why=why) from None
    declared = {part.prefix or "" for part in prologue if getattr(part, "name", "") == "PrefixDecl"}
    for part in _parts(query):
        keyword = _FORBIDDEN.get(part.name)
        if keyword:
            raise EngineFailure("shacl-query-keyword", keyword=keyword)
        if part.name == "pname" and (part.prefix or "") not in declared:
            raise EngineFailure("shacl-query-prefix", prefix=f"{part.prefix or ''}:")
    plan = translateQuery(parsed)
    if query.name == "SelectQuery" and Variable("this") not in plan.algebra.PV:
        raise EngineFailure("shacl-query-this")
    plan.algebra = traverse(plan.algebra, visitPost=_as_in_data)
    return plan


def _parts(node: object) -> list[CompValue]:
    found: list[CompValue] = []
    if isinstance(node, CompValue):
        found.append(node)
        for value in node.values():
            found += _parts(value)
    elif isinstance(node, list | tuple | ParseResults):
        for value in node:
            found += _parts(value)
    return found


def _as_in_data(node: object) -> Literal | URIRef | None:
    """Make ``"x"^^xsd:string`` the plain literal that it is, and an IRI the object that stands for it elsewhere."""
    if isinstance(node, Literal):
        return Literal(str(node)) if node.datatype == _STRING else None
    return kept(node) if type(node) is URIRef else None
