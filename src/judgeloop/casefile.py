"""Case files become cases: strict JSON, the case's own schema, and one readable refusal for everything else."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from judgeloop import assets
from judgeloop.errors import BadInput
from judgeloop.messages import both
from judgeloop.model import Case, Contract, Text
from judgeloop.rdf.mint import refuse_hidden
from judgeloop.schema import compiled
from judgeloop.sources import parse_json, read_jsonl

SCHEMA: Final = "shapes/case.schema.json"
LARGEST: Final = 64 * 1024 * 1024
"""Bytes of one file; a set of cases may be large, one case may not (see `judgeloop.sources`)."""
_ENVELOPE: Final = frozenset(
    [
        "case_id",
        "contract",
        "input",
        "decision",
        "trace",
        "evidence",
        "model",
        "prompt",
        "risk",
        "privacy",
        "budget",
        "limits",
        "gold",
    ]
)


def read_cases(path: Path) -> Iterator[tuple[str, bytes, Mapping[str, Any]]]:
    """Return place, raw bytes and JSON of every case in a file (``.json`` one, ``.jsonl`` one a line).

    Raises:
        BadInput: it can't be read; of a ``.jsonl`` file the cases before the bad line are given first.
    """
    content = assets.read(path)
    if len(content) > LARGEST:
        raise BadInput("file-too-large", place=str(path), size=len(content), limit=LARGEST)
    yield from documents(content, str(path), lines=path.suffix == ".jsonl")


def documents(content: bytes, name: str, *, lines: bool) -> Iterator[tuple[str, bytes, Mapping[str, Any]]]:
    """Return place, raw bytes and JSON of every case in ``content``."""
    found = read_jsonl(content, name) if lines else iter([(name, content, parse_json(content, name))])
    for place, raw, document in found:
        if not isinstance(document, Mapping):
            raise BadInput("json-not-object", place=place, found=type(document).__name__)
        yield place, raw, document


def case_files(folder: Path) -> list[Path]:
    """Return the files of a folder that may hold cases, sorted: JSON that is no world and no expectation."""
    apart = {"expect.json", "meta.json"}
    return sorted(
        p
        for p in folder.rglob("*")
        if p.suffix in {".json", ".jsonl"} and p.name not in apart and not p.name.startswith("world.") and p.is_file()
    )


def is_case(document: Mapping[str, Any], id_keys: frozenset[str]) -> bool:
    """Say whether an object of a folder is a case: it has ``case_id``, or the id key of a pack's decision."""
    return "case_id" in document or bool(id_keys & document.keys())


def to_case(place: str, raw: bytes, document: Mapping[str, Any], contract: Contract) -> Case:
    """Return one case under the contract that will judge it.

    Raises:
        BadInput: it is no case, has no id, or holds ids with hidden characters.
    """
    bare = "decision" not in document or not isinstance(document["decision"], Mapping)
    if bare and contract.id_key not in document:
        raise BadInput("case-schema", place=place, pointer="/", why=f"no decision, and no {contract.id_key}")
    whole: Mapping[str, Any] = {"decision": document} if bare else document
    _fits(whole, contract, place)
    identifier = whole.get("case_id", whole["decision"].get(contract.id_key))
    if not isinstance(identifier, str) or not identifier:
        raise BadInput("case-no-id", place=place, name=contract.id_key)
    refuse_hidden(identifier, f"{place}#/case_id")
    return Case(
        case_id=identifier,
        contract=whole.get("contract"),
        source=place,
        raw=raw,
        document=whole,
        bare=bare,
        warnings=tuple(_unknown(whole)),
    )


def _fits(document: Mapping[str, Any], contract: Contract, place: str) -> None:
    schema = compiled(contract.assets[SCHEMA].content, SCHEMA)
    for fault in schema.violations(document):
        raise BadInput("case-schema", place=place, pointer=fault.pointer or "/", why=fault.message["en"])


def _unknown(document: Mapping[str, Any]) -> Iterator[Text]:
    for key in document.keys() - _ENVELOPE:
        yield both("case-unknown-field", pointer=f"/{key}")
