"""One query of a user's, over a store or over files; nothing is ever changed or fetched by it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from judgeloop import assets
from judgeloop.errors import BadInput
from judgeloop.rdf.answers import BOOLEANS, GRAPHS, relabelled
from judgeloop.rdf.results import FORMATS
from judgeloop.rdf.rq import BoundQuery, ParamType, Value, bind, parse
from judgeloop.sources import decode
from judgeloop.store import Store, kind_of, open_store
from judgeloop.store.limits import Limits
from judgeloop.store.local import Local, Read
from judgeloop.store.process import Process
from judgeloop.store.worker import Worker

DOMAIN: Final = ("/kg/", ":kg/")
"""Parts of a name by which a graph of domain knowledge is told from events, verdicts and inferences."""
SECONDS: Final = 60.0
"""Time for one query where none is said."""


def read_query(text: str, values: Mapping[str, str]) -> BoundQuery:
    """Return the query of a ``.rq`` file, or of the text itself, with its values.

    Raises:
        BadInput: no such file, an update, a parameter that is missing or of the wrong type.
    """
    path = Path(text)
    if path.suffix == ".rq" and "{" not in text:
        shipped = assets.root() / "sparql" / text
        content = assets.read(path if path.is_file() or not shipped.is_file() else shipped)
        query = parse(decode(content, text), text)
    else:
        query = parse(text, "query")
    return bind(query, {name: _typed(value, query.params.get(name)) for name, value in values.items()})


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
        StoreUnavailable: the query took too long, or a server gave no whole answer.
    """
    kind = query.query.kind
    forms: Mapping[str, object] = {"ask": BOOLEANS, "construct": GRAPHS}.get(kind, FORMATS)
    if form not in forms:
        raise BadInput("query-form", place=query.query.name, form=form, kind=kind.upper(), known=", ".join(forms))
    with _opened(url, data, base, seconds, process) as (asked, domain):
        if kind == "ask":
            return BOOLEANS[form](asked.ask(query, default_graphs=domain))
        if kind == "construct":
            return GRAPHS[form](asked.construct(query, default_graphs=domain))
        rows = asked.select(query, default_graphs=domain)
        return FORMATS[form](rows.variables, relabelled(rows.rows))


@contextmanager
def _opened(
    url: str | None, data: Sequence[str], base: str | None, seconds: float | None, process: Process | None
) -> Iterator[tuple[Store | Worker, list[str]]]:
    """Give what to ask and its domain graphs: those of the files, or of the store at ``url``, which is only read."""
    limits = Limits(seconds or SECONDS, rows=None, bytes=None, memory=None)
    if data or url is None:
        with Local(Read.files(data, base), limits, process) as files:
            yield Worker(files, limits), files.graphs()
    elif kind_of(url) == "folder":
        with Local(Read.folder(url), limits, process) as kept:
            yield Worker(kept, limits), _domain(kept.graphs())
    else:
        with open_store(url, create=False) as store, Worker(store, limits) as hurried:
            yield (hurried if seconds else store), _domain(store.graphs())


def _domain(graphs: Sequence[str]) -> list[str]:
    return [graph for graph in graphs if any(part in graph for part in DOMAIN)]


def _typed(value: str, kind: ParamType | None) -> Value:
    """Return a value as its parameter takes it: text with a language is written ``text@tag``, all else as it is."""
    text, at, tag = value.rpartition("@")
    return (text, tag) if kind == "langString" and at else value
