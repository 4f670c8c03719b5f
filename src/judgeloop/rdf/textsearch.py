"""What one ``text:query`` of a query asks for, once the values of the parameters are known."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from pyoxigraph import Literal, NamedNode

from judgeloop.errors import BadInput
from judgeloop.rdf import lucene
from judgeloop.rdf.textterms import Node
from judgeloop.rdf.texttriples import Call
from judgeloop.vocab import RDFS_LABEL, SKOS, XSD_INTEGER, XSD_STRING

LABELS: Final = frozenset({RDFS_LABEL, SKOS + "prefLabel", SKOS + "altLabel", SKOS + "notation"})
"""The properties that are searched; all others find nothing."""
MOST: Final = 10_000
"""Hits of a search that names no limit, or none above 0."""
_WIDEST: Final = 5

Values = Mapping[str, NamedNode | Literal]
Place = Callable[[int], str]
"""Where in the file a character of the text stands."""


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


def search_of(call: Call, values: Values, place: Place) -> Search:
    """Return what the call asks for, in every graph.

    Raises:
        BadInput: jena-text would not run it either, or would answer with what can't be told before the query runs.
    """
    subject = subject_of(call, values, place)[0]
    nodes = [resolved(node, values) for node in call.arguments]
    width = next((at for at, node in enumerate(nodes) if node.kind != "iri"), len(nodes))
    properties = tuple(node.text for node in nodes[:width])
    if len(properties) > 1 and (foreign := next((p for p in properties if p not in LABELS), None)):
        raise BadInput("text-query-property", place=place(call.offset), found=foreign)
    if width == len(nodes):
        raise BadInput("text-query-no-text", place=place(call.offset))
    said, *options = nodes[width:]
    if said.kind == "variable":
        raise BadInput("text-query-unbound", place=place(said.offset), variable=f"?{said.text}", bare=said.text)
    if said.kind != "string":
        raise BadInput("text-query-literal", place=place(said.offset))
    limit = int(options.pop(0).text) if options and options[0].kind == "integer" else 0
    language = _language(options, place)
    return Search(
        properties=properties,
        pieces=lucene.pieces(said.text, place(said.offset)),
        limit=limit if limit > 0 else MOST,
        language=said.language or language or None,
        subject=subject.text if subject.kind == "iri" else None,
    )


def subject_of(call: Call, values: Values, place: Place) -> list[Node]:
    """Return what the search fills, in the order of `Hit`: a thing or its variable, then variables.

    Raises:
        BadInput: more than jena-text fills, one twice, or something that can't be filled.
    """
    nodes = [resolved(node, values) for node in call.subject]
    fits = 0 < len(nodes) <= _WIDEST and nodes[0].kind in {"iri", "variable"}
    names = [node.text for node in nodes if node.kind == "variable"]
    if not fits or any(node.kind != "variable" for node in nodes[1:]) or len(set(names)) < len(names):
        raise BadInput("text-query-subject", place=place(call.offset))
    return nodes


def resolved(node: Node, values: Values) -> Node:
    """Return the node that a parameter's value is; any other node is itself."""
    if node.kind != "parameter":
        return node
    term = values[node.text]
    if isinstance(term, NamedNode):
        return node._replace(kind="iri", text=term.value)
    datatype = term.datatype.value
    if term.language or datatype == XSD_STRING:
        return node._replace(kind="string", text=term.value, language=term.language or "")
    return node._replace(kind="integer" if datatype == XSD_INTEGER else "literal", text=term.value)


def _language(options: list[Node], place: Place) -> str:
    """Return the language that the last arguments name."""
    language = ""
    for option in options:
        name, _, value = option.text.partition(":")
        if option.kind == "string" and name == "highlight":
            raise BadInput("text-query-highlight", place=place(option.offset))
        if option.kind != "string" or name != "lang" or language:
            raise BadInput("text-query-option", place=place(option.offset), found=option.text)
        language = value
    return language
