"""One query of a user's, over a store or over files; nothing is ever changed or fetched by it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Final

from judgeloop import assets
from judgeloop.errors import BadInput
from judgeloop.rdf.answers import BOOLEANS, GRAPHS, relabelled
from judgeloop.rdf.lexer import significant
from judgeloop.rdf.results import FORMATS
from judgeloop.rdf.rq import BoundQuery, ParamType, Value, bind, parse
from judgeloop.rdf.rq_lint import Remark, lint
from judgeloop.rdf.skolem import shown
from judgeloop.rdf.textquery import uses_text
from judgeloop.sources import decode
from judgeloop.store import MEMORY, Store, kind_of, open_store
from judgeloop.store.files import graphs as graphs_of
from judgeloop.store.health import gate
from judgeloop.store.limits import Limits
from judgeloop.store.local import Local, Read
from judgeloop.store.naming import domain
from judgeloop.store.process import Process
from judgeloop.store.worker import Worker

SECONDS: Final = 60.0
"""Time for one query where none is said."""


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


def answer(  # noqa: PLR0913 - the options of one verb
    query: BoundQuery,
    url: str | None,
    data: Sequence[str],
    form: str,
    base: str | None = None,
    *,
    seconds: float | None = None,
    process: Process | None = None,
) -> str:
    """Return the answer as text; without GRAPH, a query sees the union of the domain graphs (of files: all of them).

    Files and folders are read and asked in a process of their own (``process``, or one that is started), which is
    killed after ``seconds`` (default 60). A server has its own deadline unless ``seconds`` are given.

    Raises:
        BadInput: the query can't run, a file can't be read, or the form doesn't fit the kind of query.
        StoreError: the store can't be opened.
        StoreUnavailable: the query took too long, or a server gave no whole answer; a query that searches texts is
            not asked where the store's search can't be rested on.
    """
    kind = query.query.kind
    forms: Mapping[str, object] = {"ask": BOOLEANS, "construct": GRAPHS}.get(kind, FORMATS)
    if form not in forms:
        raise BadInput("query-form", place=query.query.name, form=form, kind=kind.upper(), known=", ".join(forms))
    with _opened(query, url, data, base, seconds=seconds, process=process) as (asked, seen):
        if kind == "ask":
            return BOOLEANS[form](asked.ask(query, default_graphs=seen))
        if kind == "construct":
            return GRAPHS[form](map(shown, asked.construct(query, default_graphs=seen)))
        rows = asked.select(query, default_graphs=seen)
        return FORMATS[form](rows.variables, relabelled([[shown(term) for term in row] for row in rows.rows]))


@contextmanager
def _opened(  # noqa: PLR0913 - as above
    query: BoundQuery,
    url: str | None,
    data: Sequence[str],
    base: str | None,
    *,
    seconds: float | None,
    process: Process | None,
) -> Iterator[tuple[Store | Worker, list[str]]]:
    """Give what to ask and its domain graphs: those of the files, or of the store at ``url``, which is only read."""
    limits = Limits(seconds or SECONDS, rows=None, bytes=None, memory=None)
    kind = "files" if data or url is None else kind_of(url)
    if uses_text(query.query) or kind == "server":  # a search needs the index, which is the store's
        with open_store(MEMORY if data or url is None else url, create=False) as store:
            if data:
                store.put_once(graphs_of(data, base))
            elif uses_text(query.query):
                for graph in _searched(query) or (None,):
                    gate(store, graph)
            with Worker(store, limits) as worker:
                waits = kind == "server" and not seconds
                yield (store if waits else worker), store.graphs() if data else domain(store.graphs())
        return
    source = Read.folder(url) if url is not None and kind == "folder" else Read.files(data, base)
    with Local(source, limits, process) as held:
        yield Worker(held, limits), held.graphs() if kind == "files" else domain(held.graphs())


def _searched(query: BoundQuery) -> list[str]:
    """Return the graphs that a query names by its parameters."""
    pairs = pairwise(significant(query.query.tokens))
    names = {token.text[1:] for before, token in pairs if before.kind == "keyword" and before.text.upper() == "GRAPH"}
    return sorted({query.values[name].value for name in names & query.values.keys()})


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
