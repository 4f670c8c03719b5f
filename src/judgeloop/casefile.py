"""Case files become cases: strict JSON, the case's own schema, and one readable refusal for everything else."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from judgeloop import assets
from judgeloop.errors import BadInput, JudgeloopError
from judgeloop.messages import both
from judgeloop.model import Case, Contract, Text
from judgeloop.rdf.mint import refuse_hidden
from judgeloop.schema import compiled, json_type
from judgeloop.sources import lines, parse_json

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


Document = Mapping[str, Any] | JudgeloopError


def read_cases(path: Path, content: bytes | None = None) -> Iterator[tuple[str, bytes, Document]]:
    """Return place, raw bytes and JSON of every case in a file (``.json`` one, ``.jsonl`` one a line).

    A file or a line that can't be read comes as its error, so that the others are still judged.
    """
    name = str(path)
    try:
        content = assets.read(path) if content is None else content
        if len(content) > LARGEST:
            raise BadInput("file-too-large", place=name, size=len(content), limit=LARGEST)  # noqa: TRY301
        if path.suffix != ".jsonl":
            yield _document(name, content, 1)
            return
        for number, line in lines(content, name):
            yield _document(name, line, number)
    except BadInput as error:
        yield name, b"", error


def _document(name: str, raw: bytes, line: int) -> tuple[str, bytes, Document]:
    place = name if line == 1 else f"{name}:{line}"
    try:
        document = parse_json(raw, name, first_line=line)
        if not isinstance(document, Mapping):
            raise BadInput("json-not-object", place=place, found=json_type(document))  # noqa: TRY301
    except BadInput as error:
        return place, raw, error
    return place, raw, document


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
