"""Text search inside of SPARQL: what a ``text:query`` of Apache Jena asks for, and what is found.

Follows jena-text: ``( ?s ?score ?literal ?g ?prop ) text:query ( property* "text" limit "lang:xx" )``.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from pyoxigraph import Literal, NamedNode

TEXT_QUERY: Final = "http://jena.apache.org/text#query"


@dataclass(frozen=True, slots=True)
class Search:
    """One search for labels."""

    properties: tuple[str, ...]
    """IRIs of label properties; none stands for rdfs:label."""
    pieces: tuple[str, ...]
    """The text as `judgeloop.rdf.lucene.pieces` gives it: at least one has two characters."""
    limit: int
    language: str | None = None
    """A language tag, ``none`` for labels without one, or None for all."""
    graph: str | None = None
    """The only graph that is searched; None: every named graph."""
    subject: str | None = None
    """The only thing whose labels are searched; None: every thing."""


class Hit(NamedTuple):
    """One label that was found, in the order of the variables that jena-text fills."""

    subject: NamedNode
    score: Literal
    """An xsd:float; comparable within one search only."""
    literal: Literal
    graph: NamedNode
    property: NamedNode
