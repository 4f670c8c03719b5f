"""Finds the verdict to explain: in a store by case or IRI, or in a record file, which is read back as a graph."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from judgeloop import assets
from judgeloop.errors import BadInput
from judgeloop.messages import LANGS, both
from judgeloop.rdf.canonical import verify
from judgeloop.rdf.rq import bind
from judgeloop.record import CONTEXT, read, sealed_part
from judgeloop.schema import compiled
from judgeloop.sources import parse_json, read_jsonl
from judgeloop.store import Store, open_store
from judgeloop.store.world import shipped

SCHEMA: Final = "shapes/verdict.schema.json"
Found = tuple[Store, list[str]]
_OUTCOME: Final = "6"
"""The line of the loop that says what was decided."""


@contextmanager
def from_store(name: str, url: str) -> Iterator[Found]:
    """Give the store and the verdicts of a case id, or the one verdict of an IRI.

    Raises:
        BadInput: the store knows no such case or verdict.
        StoreError: the store can't be opened.
    """
    with open_store(url, create=False) as store:
        rows = store.select(bind(shipped("retrieve/heads_of_case.rq"), {"case": name}))
        verdicts = [row["verdict"] for row in rows.texts()]
        if not verdicts and name in store.graphs() and _explained(store, name):
            verdicts = [name]
        if not verdicts:
            raise BadInput("why-unknown", place=url, value=name)
        yield store, verdicts


@contextmanager
def from_record(path: Path) -> Iterator[Found]:
    """Give a store in memory that holds the verdicts of a record file, as JSON-LD says them.

    Raises:
        BadInput: the file can't be read, holds no verdict record, or one that was changed after it was sealed.
    """
    context = assets.read(assets.root() / CONTEXT).decode()
    with open_store() as store:
        verdicts = []
        for place, record in _records(path):
            try:
                # only the pinned context says what a record means, whatever the file brings along
                own = {"@context": [{"@base": record["@id"]}]}
                triples = read({**record, **own}, context)
                if not verify(read({**sealed_part(record), **own}, context), record["@id"]):
                    raise BadInput("why-altered", place=place, value=record["@id"])
                store.put_once({record["@id"]: triples})
            except SyntaxError as error:
                raise BadInput("why-no-record", place=place, pointer="/", why=str(error)) from None
            verdicts.append(record["@id"])
        yield store, verdicts


def _explained(store: Store, graph: str) -> bool:
    """Say whether a graph is a verdict: the query that explains one finds an outcome in it."""
    rows = store.select(bind(shipped("report/why.rq"), {"verdict": graph, "lang": LANGS[0]}))
    return any(row["step"] == _OUTCOME for row in rows.texts())


def _records(path: Path) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the records of a file with their places: a report, one record, or one a line.

    Raises:
        BadInput: the file can't be read, or holds something else.
    """
    content, name = assets.read(path), str(path)
    if path.suffix == ".jsonl":
        found: list[tuple[str, Any]] = [(place, document) for place, _, document in read_jsonl(content, name)]
    else:
        document = parse_json(content, name)
        report = document.get("verdicts") if isinstance(document, dict) else None
        found = [(name, record) for record in (report if isinstance(report, list) else [document])]
    schema = compiled(assets.read(assets.root() / SCHEMA), SCHEMA)
    for place, record in found:
        faults = schema.violations(record)
        if faults:
            raise BadInput("why-no-record", place=place, pointer=faults[0].pointer or "/", why=faults[0].message)
        if not isinstance(record.get("@id"), str):
            raise BadInput("why-no-record", place=place, pointer="/", why=both("schema-required", member='"@id"'))
    return found
