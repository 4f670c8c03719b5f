"""One query of a user's, over a store or over files; nothing is ever changed or fetched by it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Final

from judgeloop import assets
from judgeloop.errors import BadInput
from judgeloop.rdf.answers import BOOLEANS, GRAPHS, relabelled
from judgeloop.rdf.mint import encode
from judgeloop.rdf.parse import read_rdf
from judgeloop.rdf.results import FORMATS
from judgeloop.rdf.rq import BoundQuery, ParamType, Value, bind, parse
from judgeloop.rdf.rq_lint import Remark, lint
from judgeloop.rdf.skolem import shown, skolemise_all
from judgeloop.rdf.terms import DefaultGraph, NamedNode, Quad, Triple
from judgeloop.sources import decode
from judgeloop.store import Store, open_store
from judgeloop.vocab import URN

DOMAIN: Final = ("/kg/", ":kg/")
"""Parts of a name by which a graph of domain knowledge is told from events, verdicts and inferences."""


def read_query(text: str, values: Mapping[str, str]) -> BoundQuery:
    """Return the query of a ``.rq`` file, or of the text itself, with its values.

    Raises:
        BadInput: no such file, an update, a parameter that is missing or of the wrong type.
    """
    query = parse(*_text(text))
    return bind(query, {name: _typed(value, query.params.get(name)) for name, value in values.items()})


def check(names: Sequence[str]) -> tuple[list[Remark], int]:
    """Return what is to be changed in query files, and how many there are; a folder stands for those within it.

    A file that is no query has one error; an update is a query here, since nothing is run.

    Raises:
        BadInput: there is no such file, or no query file at all.
    """
    found: list[Remark] = []
    files = [file for name in names for file in _query_files(name)]
    if not files:
        raise BadInput("query-lint-none", place=", ".join(names))
    for file in files:
        text, place = _text(file)
        try:
            found += lint(parse(text, place, allow_update=True))
        except BadInput as error:
            found.append(Remark(error.place, "error", error.key, error.params))
    return found, len(files)


def answer(query: BoundQuery, url: str | None, data: Sequence[str], form: str, base: str | None = None) -> str:
    """Return the answer as text; without GRAPH, a query sees the union of the domain graphs (of files: all of them).

    Raises:
        BadInput: the query can't run, a file can't be read, or the form doesn't fit the kind of query.
        StoreError: the store can't be opened.
    """
    kind = query.query.kind
    forms: Mapping[str, object] = {"ask": BOOLEANS, "construct": GRAPHS}.get(kind, FORMATS)
    if form not in forms:
        raise BadInput("query-form", place=query.query.name, form=form, kind=kind.upper(), known=", ".join(forms))
    with _opened(url, data, base) as (store, domain):
        if kind == "ask":
            return BOOLEANS[form](store.ask(query, default_graphs=domain))
        if kind == "construct":
            return GRAPHS[form](map(shown, store.construct(query, default_graphs=domain)))
        rows = store.select(query, default_graphs=domain)
        return FORMATS[form](rows.variables, relabelled([[shown(term) for term in row] for row in rows.rows]))


@contextmanager
def _opened(url: str | None, data: Sequence[str], base: str | None) -> Iterator[tuple[Store, list[str]]]:
    """Give the store and its domain graphs: those of the files, or of the store at ``url``, which is only read."""
    if data or url is None:
        with open_store() as store:
            store.put_once(_graphs(data, base))
            yield store, store.graphs()
    else:
        with open_store(url, create=False) as store:
            yield store, [graph for graph in store.graphs() if any(part in graph for part in DOMAIN)]


def _graphs(data: Sequence[str], base: str | None) -> dict[str, list[Triple]]:
    """Return the graphs of all files: named graphs under their own names, the rest under one that the file gives."""
    found: list[Quad] = []
    for name in data:
        if PurePath(name).suffix.lower() == ".json":
            raise BadInput("query-tables", place=name)
        written = name.encode("utf-8", "backslashreplace").decode()  # a name of no encoding
        rest = NamedNode(f"{URN}file/{encode(written, safe='-._~/')}")
        for q in read_rdf(assets.read(Path(name)), name, base):
            own = rest if isinstance(q.graph_name, DefaultGraph) else q.graph_name
            found.append(Quad(q.subject, q.predicate, q.object, own))
    graphs: dict[str, list[Triple]] = {}
    for q in skolemise_all(found):
        assert isinstance(q.graph_name, NamedNode)  # noqa: S101 - there is no other graph left
        graphs.setdefault(q.graph_name.value, []).append(q.triple)
    return graphs


def _text(name: str) -> tuple[str, str]:
    """Return the text of a query file, of one that ships, or of the query that the name is; and how to call it."""
    path = Path(name)
    if path.suffix != ".rq" or "{" in name:
        return name, "query"
    shipped = assets.root() / "sparql" / name
    return decode(assets.read(path if path.is_file() or not shipped.is_file() else shipped), name), name


def _query_files(name: str) -> list[str]:
    folder = Path(name)
    if "{" in name or not folder.is_dir():
        return [name]
    return sorted(str(path) for path in folder.rglob("*.rq"))


def _typed(value: str, kind: ParamType | None) -> Value:
    """Return a value as its parameter takes it: text with a language is written ``text@tag``, all else as it is."""
    text, at, tag = value.rpartition("@")
    return (text, tag) if kind == "langString" and at else value
