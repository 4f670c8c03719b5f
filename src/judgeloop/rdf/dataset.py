"""The graphs that a query is asked over, written into its text (SPARQL 1.1, section 13.2).

They stand in the text, because a request's address is too short for the names of many graphs.
"""

from collections.abc import Sequence
from typing import Final

from judgeloop.rdf.answers import written
from judgeloop.rdf.lexer import Token, lex, significant
from judgeloop.rdf.rq import BoundQuery
from judgeloop.rdf.terms import named
from judgeloop.vocab import URN

NOWHERE: Final = URN + "no-graph"
"""A graph that nobody fills: the default graph of a query whose default graph is empty."""


def over(query: BoundQuery, default: Sequence[str], beside: Sequence[str]) -> str:
    """Return the text of ``query`` with ``default`` as the graphs of its default graph and ``beside`` as named graphs.

    Raises:
        BadInput: a name is none of a graph.
    """
    clauses = [f"FROM {written(named(graph))}" for graph in default or (NOWHERE,)]
    clauses += [f"FROM NAMED {written(named(graph))}" for graph in beside]
    at = _place(significant(lex(query.text, query.query.name)), len(query.text))
    return f"{query.text[:at]} {' '.join(clauses)} {query.text[at:]}"


def _place(seen: Sequence[Token], end: int) -> int:
    """Return where the dataset of a query stands: before its WHERE or the braces of its pattern."""
    words = ("SELECT", "ASK", "CONSTRUCT")
    start = next((at for at, token in enumerate(seen) if token.text.upper() in words), len(seen))
    depth, template = 0, False
    for at in range(start + 1, len(seen)):
        text = seen[at].text.upper()
        if depth == 0 and not template and text in {"WHERE", "{"}:
            if text == "WHERE" or seen[start].text.upper() != "CONSTRUCT" or seen[at - 1].text == "}":
                return seen[at].offset
            template = True
        depth += (text in {"(", "{"}) - (text in {")", "}"})
        template = template and depth > 0
    return end
