"""One query of a user's, over a store or over files; nothing is ever changed or fetched by it."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Final

from judgeloop import assets
from judgeloop.errors import BadInput
from judgeloop.rdf.canonical import ntriples
from judgeloop.rdf.mint import encode
from judgeloop.rdf.parse import read_rdf
from judgeloop.rdf.results import FORMATS
from judgeloop.rdf.rq import BoundQuery, ParamType, Value, bind, parse
from judgeloop.rdf.skolem import skolemise
from judgeloop.rdf.terms import NamedNode, Triple
from judgeloop.store import Store, open_store
from judgeloop.vocab import URN

DOMAIN: Final = ("/kg/", ":kg/", f"{URN}file/")
"""Parts of a name by which a graph of domain knowledge is told from events, verdicts and inferences."""


def read_query(text: str, values: Mapping[str, str]) -> BoundQuery:
    """Return the query of a ``.rq`` file, or of the text itself, with its values.

    Raises:
        BadInput: no such file, an update, a parameter that is missing or of the wrong type.
    """
    path = Path(text)
    if path.suffix == ".rq" and "{" not in text:
        shipped = assets.root() / "sparql" / text
        content = assets.read(path if path.is_file() or not shipped.is_file() else shipped)
        query = parse(content.decode("utf-8-sig"), text)
    else:
        query = parse(text, "query")
    return bind(query, {name: _typed(value, query.params.get(name), name) for name, value in values.items()})


def answer(query: BoundQuery, url: str | None, data: Sequence[str], form: str, base: str | None = None) -> str:
    """Return the answer as text; without GRAPH, a query sees the union of the domain graphs.

    Raises:
        BadInput: the query can't run, a file can't be read, or the form doesn't fit the kind of query.
        StoreError: the store can't be opened.
    """
    with open_store(url, create=False) if url else open_store() as store:
        for name in data:
            _fill(store, name, base)
        domain = [g for g in store.graphs() if any(part in g for part in DOMAIN)]
        if query.query.kind == "ask":
            return f"{str(store.ask(query, default_graphs=domain)).lower()}\n"
        if query.query.kind == "construct":
            return ntriples(store.construct(query, default_graphs=domain))
        if form not in FORMATS:
            raise BadInput("query-form", place=query.query.name, form=form)
        rows = store.select(query, default_graphs=domain)
        return FORMATS[form](rows.variables, rows.rows)


def _fill(store: Store, name: str, base: str | None) -> None:
    """Load a file: its named graphs under their own names, the rest under one that is minted from the file's name."""
    graphs: dict[str, list[Triple]] = {}
    for q in read_rdf(assets.read(Path(name)), name, base):
        own = q.graph_name.value if isinstance(q.graph_name, NamedNode) else encode(name, safe="-._~/")
        graphs.setdefault(f"{URN}file/{own}", []).append(Triple(q.subject, q.predicate, q.object))
    store.put_once({graph: skolemise(triples) for graph, triples in graphs.items()})


def _typed(value: str, kind: ParamType | None, name: str) -> Value:
    try:
        if kind == "integer":
            return int(value)
        if kind == "decimal":
            return Decimal(value)
    except (ValueError, InvalidOperation):
        raise BadInput("rq-parameter-type", name=name, type=str(kind), value=value) from None
    if kind == "boolean" and value in {"true", "false"}:
        return value == "true"
    return value
