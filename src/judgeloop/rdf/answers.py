"""Answers that are no rows, as text: the truth of an ASK and the triples of a CONSTRUCT."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from judgeloop.rdf.canonical import term as ntriples_term
from judgeloop.rdf.terms import BlankNode, Term, Triple

_RESULTS: Final = "http://www.w3.org/2005/sparql-results#"


def to_word(truth: bool) -> str:  # noqa: FBT001 - the answer itself
    """Return ``true`` or ``false`` on a line."""
    return f"{str(truth).lower()}\n"


def to_json(truth: bool) -> str:  # noqa: FBT001
    """Return SPARQL 1.1 Query Results JSON."""
    return json.dumps({"head": {}, "boolean": truth}) + "\n"


def to_xml(truth: bool) -> str:  # noqa: FBT001
    """Return SPARQL Query Results XML."""
    body = f"<head/><boolean>{str(truth).lower()}</boolean>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<sparql xmlns="{_RESULTS}">{body}</sparql>\n'


def to_ntriples(triples: Iterable[Triple]) -> str:
    """Return sorted N-Triples (which are Turtle); blank nodes are numbered, so that one graph has one text.

    Does not establish: one text for every graph; where blank nodes differ by each other only, their numbers may.
    """
    rows = [(t.subject, t.predicate, t.object) for t in triples]
    rows.sort(key=lambda row: [written(term, blank="_:") for term in row])
    return "".join(dict.fromkeys(" ".join(map(written, row)) + " .\n" for row in relabelled(rows)))


def relabelled(rows: Iterable[Sequence[Term | None]]) -> list[tuple[Term | None, ...]]:
    """Return the rows with their blank nodes numbered as they come; an engine makes new labels every time."""
    labels: dict[str, BlankNode] = {}

    def own(term: Term | None) -> Term | None:
        if not isinstance(term, BlankNode):
            return term
        return labels.setdefault(term.value, BlankNode(f"b{len(labels)}"))

    return [tuple(map(own, row)) for row in rows]


def written(term: Term | None, blank: str | None = None) -> str:
    """Return a term in N-Triples, as sealed graphs write it; other than these it may be a blank node or a triple."""
    if isinstance(term, BlankNode):
        return blank or str(term)
    if isinstance(term, Triple):  # a triple term of RDF 1.2
        return f"<<( {' '.join(written(t, blank) for t in (term.subject, term.predicate, term.object))} )>>"
    return ntriples_term(term)


BOOLEANS: Final[Mapping[str, Callable[[bool], str]]] = {"table": to_word, "json": to_json, "xml": to_xml}
"""By form; CSV and TSV have none for a truth value."""
GRAPHS: Final[Mapping[str, Callable[[Iterable[Triple]], str]]] = {"table": to_ntriples, "turtle": to_ntriples}
