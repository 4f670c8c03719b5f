"""Case files become cases: strict JSON, the case's own schema, and one readable refusal for everything else."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from judgeloop import assets
from judgeloop.errors import BadInput, JudgeloopError
from judgeloop.messages import both
from judgeloop.model import Case, Contract, Text
from judgeloop.rdf import literal
from judgeloop.rdf.mint import refuse_hidden
from judgeloop.schema import compiled, json_type
from judgeloop.sources import lines, parse_json, pointer

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

    ``content`` that was handed in holds one a line where its first line is an object of its own.

    A file or a line that can't be read comes as its error, so that the others are still judged.
    """
    name = str(path)
    try:
        by_line = path.suffix == ".jsonl" if content is None else _is_lines(content, name)
        content = assets.read(path) if content is None else content
        if len(content) > LARGEST:
            raise BadInput("file-too-large", place=name, size=len(content), limit=LARGEST)  # noqa: TRY301
        if not by_line:
            yield _document(name, content)
            return
        for number, line in lines(content, name):
            yield _document(name, line, number)
    except BadInput as error:
        yield name, b"", error


def _is_lines(content: bytes, name: str) -> bool:
    """Say whether the first of several lines is a JSON object: then each of them is."""
    try:
        first, *others = lines(content, name)
        return bool(others) and isinstance(parse_json(first[1], name), Mapping)
    except BadInput:
        return False


def _document(name: str, raw: bytes, line: int | None = None) -> tuple[str, bytes, Document]:
    place = name if line is None else f"{name}:{line}"
    try:
        document = parse_json(raw, name, first_line=line or 1)
        if not isinstance(document, Mapping):
            raise BadInput("json-not-object", place=place, found=json_type(document))  # noqa: TRY301
    except BadInput as error:
        return place, raw, error
    return place, raw, document


def case_files(folder: Path) -> tuple[list[Path], list[BadInput]]:
    """Return the files of a folder that may hold cases, sorted, and its parts that can't be read.

    JSON that is no world and no expectation may hold cases.
    """
    errors: list[BadInput] = []

    def note(error: OSError) -> None:
        errors.append(BadInput("file-unreadable", place=str(error.filename), why=error.strerror))

    apart = {"expect.json", "meta.json"}
    found = [Path(here, name) for here, _, names in os.walk(folder, onerror=note) for name in names]
    return sorted(
        p
        for p in found
        if p.suffix in {".json", ".jsonl"} and p.name not in apart and not p.name.startswith("world.") and p.is_file()
    ), errors


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
        raise BadInput("case-schema", place=place, pointer="/", why=both("case-no-decision", name=contract.id_key))
    whole: Mapping[str, Any] = {"decision": document} if bare else document
    _fits(whole, contract, place)
    identifier = whole.get("case_id", whole["decision"].get(contract.id_key))
    if not isinstance(identifier, str) or not identifier:
        raise BadInput("case-no-id", place=place, name=contract.id_key)
    own = "/case_id" if "case_id" in whole else f"{'' if bare else '/decision'}/{contract.id_key}"
    refuse_hidden(identifier, f"{place}#{own}")
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
        raise BadInput("case-schema", place=place, pointer=fault.pointer or "/", why=fault.message)


def _unknown(document: Mapping[str, Any]) -> Iterator[Text]:
    given = document.get("input")
    asked = given.get("asked_at") if isinstance(given, Mapping) else None
    if isinstance(asked, str) and literal.instant(asked) is None:
        yield both("case-time", pointer="/input/asked_at", value=asked)
    for key in document:
        if key not in _ENVELOPE and not {"@", ":"} & set(key):  # these are a finding, see `judgeloop.checks.integrity`
            yield both("case-unknown-field", pointer=pointer(key))
