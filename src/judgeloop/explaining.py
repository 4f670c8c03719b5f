"""Finds the verdict to explain: in a store by case or IRI, or in a record file, which is read back as a graph."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from judgeloop import assets
from judgeloop.errors import BadInput
from judgeloop.rdf.rq import bind
from judgeloop.record import CONTEXT, read
from judgeloop.sources import parse_json, read_jsonl
from judgeloop.store import Store, open_store
from judgeloop.store.world import shipped

Found = tuple[Store, list[str]]


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
        if not verdicts and name in store.graphs():
            verdicts = [name]
        if not verdicts:
            raise BadInput("why-unknown", place=url, value=name)
        yield store, verdicts


@contextmanager
def from_record(path: Path) -> Iterator[Found]:
    """Give a store in memory that holds the verdicts of a record file, as JSON-LD says them.

    Raises:
        BadInput: the file can't be read or holds no verdict record.
    """
    context = assets.read(assets.root() / CONTEXT).decode()
    with open_store() as store:
        verdicts = []
        for record in _records(path):
            triples = read(record, context)
            store.put_once({record["@id"]: triples})
            verdicts.append(record["@id"])
        yield store, verdicts


def _records(path: Path) -> list[Mapping[str, Any]]:
    content = assets.read(path)
    if path.suffix == ".jsonl":
        found: list[Any] = [document for _, _, document in read_jsonl(content, str(path))]
    else:
        document = parse_json(content, str(path))
        found = document.get("verdicts", [document]) if isinstance(document, dict) else [document]
    for record in found:
        if not isinstance(record, dict) or "verdict" not in record or not isinstance(record.get("@id"), str):
            raise BadInput("why-no-record", place=str(path))
    return found
