"""Case files: what is a case, where it stands, and every bad file as one readable refusal that stores nothing."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from judgeloop.casefile import case_files, is_case, read_cases, to_case
from judgeloop.errors import BadInput, JudgeloopError
from judgeloop.messages import LANGS
from judgeloop.model import Case, Contract, Risk
from judgeloop.opening import freeze
from judgeloop.sources import MAX_DEPTH, MAX_STRING, parse_json
from judgeloop.store import open_store
from judgeloop.suite import Suite


@cache
def contract() -> Contract:
    return freeze("multihop")


def case_of(content: str | bytes | Mapping[str, Any], place: str = "case.json") -> Case:
    raw = content if isinstance(content, bytes) else _text(content).encode()
    document = parse_json(raw, place)
    assert isinstance(document, Mapping)
    return to_case(place, raw, document, contract())


def _text(content: str | Mapping[str, Any]) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def refusal(content: str | bytes | Mapping[str, Any]) -> BadInput:
    with pytest.raises(BadInput) as refused:
        case_of(content)
    return refused.value


def places(path: Path, content: bytes | None = None) -> list[tuple[str, str]]:
    """Return place and either the case's id or the error's key and place of everything in a file."""
    found: list[tuple[str, str]] = []
    for place, _, document in read_cases(path, content):
        if isinstance(document, JudgeloopError):
            found.append((place, f"{document.key} {document.place}"))
        else:
            found.append((place, document["case_id"]))
    return found


# --- files that hold no case, whole or in part

BAD: dict[str, tuple[bytes, str, str]] = {
    "not JSON": (b'{"case_id": c1}', "json-syntax", ":1:13"),
    "cut off": (b'{"case_id": "c1",\n "decision": {', "json-syntax", ":2:15"),
    "an error page": (b"<html><body>502 Bad Gateway", "json-syntax", ":1:1"),
    "a merge marker": (b'{\n<<<<<<< HEAD\n"case_id": "c1"}', "json-syntax", ":2:1"),
    "two values": (b'{"case_id": "c1"}\n{"case_id": "c2"}', "json-syntax", ":2:1"),
    "a key twice": (b'{"case_id": "c1",\n"decision": {}, "decision": {}}', "json-duplicate-key", ":2:17"),
    "NaN": (b'{"case_id": "c1", "decision": {"score": NaN}}', "json-not-a-number", ":1:41"),
    "-Infinity": (b'{"decision": {"score": -Infinity}}', "json-not-a-number", ":1:24"),
    "a number beyond all": (b'{"decision": {"score": 1e999}}', "json-number-too-large", ":1:24"),
    "10 MB of one text": (b'{"case_id": "' + b"a" * 10_000_000 + b'"}', "json-string-too-long", ":1:13"),
    "10,000 levels": (b"[" * 10_000 + b"]" * 10_000, "json-too-deep", f":1:{MAX_DEPTH + 1}"),
    "10,000 levels of objects": (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "json-too-deep", f":1:{5 * MAX_DEPTH + 1}"),
    "nothing": (b"", "file-empty", ""),
    "nothing but a BOM": (b"\xef\xbb\xbf \n", "file-empty", ""),
    "another encoding": ('{"case_id": "가"}'.encode("cp949"), "not-utf8", ":1"),
    "UTF-16": ('{"case_id": "c1"}'.encode("utf-16"), "not-utf8", ":1"),
    "a list": (b"[]", "json-not-object", ""),
    "a text": (b'"case"', "json-not-object", ""),
    "null": (b"null", "json-not-object", ""),
}
NO_CASE: dict[str, tuple[str, str, str]] = {
    "no decision": ('{"case_id": "c1"}', "case-schema", ""),
    "no decision and no key of one": ('{"case_id": "c1", "decision": "answer"}', "case-schema", ""),
    "an empty id": ('{"case_id": "", "decision": {}}', "case-schema", ""),
    "a number for an id": ('{"case_id": 7, "decision": {}}', "case-schema", ""),
    "no id at all": ('{"decision": {"answer": "a"}}', "case-no-id", ""),
    "a bare decision without an id": ('{"query_id": null, "decision": "refuse"}', "case-no-id", ""),
    "an input that is a text": ('{"case_id": "c1", "decision": {}, "input": "who?"}', "case-schema", ""),
    "a trace that is an object": ('{"case_id": "c1", "decision": {}, "trace": {}}', "case-schema", ""),
    "a step of no kind": ('{"case_id": "c1", "decision": {}, "trace": [{"type": "guess"}]}', "case-schema", ""),
    "evidence without an id": ('{"case_id": "c1", "decision": {}, "evidence": [{}]}', "case-schema", ""),
    "an unknown risk": ('{"case_id": "c1", "decision": {}, "risk": "none"}', "case-schema", ""),
    "a control character": ('{"case_id": "c\\u0000", "decision": {}}', "id-characters", "#/case_id"),
    "a line break": ('{"case_id": "c1\\n", "decision": {}}', "id-characters", "#/case_id"),
    "a direction": ('{"case_id": "c1\\u202e", "decision": {}}', "id-characters", "#/case_id"),
    "half a character": ('{"case_id": "c\\ud800", "decision": {}}', "id-characters", "#/case_id"),
    "a direction in a decision's id": (
        '{"decision": {"query_id": "q\\u2066"}}',
        "id-characters",
        "#/decision/query_id",
    ),
    "a direction in a bare decision": ('{"query_id": "q\\u2066", "decision": "refuse"}', "id-characters", "#/query_id"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_file_that_can_not_be_read_comes_as_its_error(what: str, tmp_path: Path) -> None:
    content, key, place = BAD[what]
    path = tmp_path / "case.json"
    path.write_bytes(content)
    ((where, _, error),) = read_cases(path)
    assert isinstance(error, BadInput)
    assert (where, error.key, error.place) == (str(path), key, f"{path}{place}")


@pytest.mark.parametrize("what", NO_CASE)
def test_what_is_no_case_is_refused_with_its_place(what: str) -> None:
    content, key, place = NO_CASE[what]
    error = refusal(content)
    assert (error.key, error.place) == (key, f"case.json{place}")
    for lang in LANGS:
        error.text(lang).encode()


@pytest.mark.parametrize("what", [*BAD, *NO_CASE])
def test_a_bad_file_stores_nothing_and_reads_well(what: str, tmp_path: Path) -> None:
    content = BAD[what][0] if what in BAD else NO_CASE[what][0].encode()
    path = tmp_path / "case.json"
    path.write_bytes(content)
    with open_store() as store:
        (row,) = Suite(store, contract="multihop").rows([str(path)])
        assert row.judged is None
        assert isinstance(row.error, BadInput)
        assert store.graphs() == []
        for lang in LANGS:
            text = row.error.text(lang)
            assert text.startswith(str(path))
            assert len(text) < 2000
            text.encode()


@pytest.mark.parametrize(
    ("content", "pointer", "why"),
    [
        (
            '{"case_id": "c1", "decision": {}, "trace": [{"type": "plan"}, {"type": "guess"}]}',
            "/trace/1/type",
            '"guess"',
        ),
        ('{"case_id": "c1", "decision": {}, "evidence": [{"text": "a"}]}', "/evidence/0", "id"),
        ('{"case_id": "c1", "decision": {}, "privacy": {"retention_days": -1}}', "/privacy/retention_days", "-1"),
        ('{"case_id": "c1"}', "/", "query_id"),
    ],
)
def test_a_case_of_the_wrong_form_is_told_where_and_why(content: str, pointer: str, why: str) -> None:
    error = refusal(content)
    assert (error.key, error.params["pointer"]) == ("case-schema", pointer)
    assert why in error.text("en")
    assert why in error.text("ko")


# --- where cases stand


def test_a_missing_file_comes_as_its_error(tmp_path: Path) -> None:
    ((where, raw, error),) = read_cases(tmp_path / "none.json")
    assert isinstance(error, BadInput)
    assert (where, raw, error.key) == (str(tmp_path / "none.json"), b"", "file-missing")


def test_one_bad_line_does_not_stop_the_others(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"case_id": "c1"}\r\n\r\n{"case_id": \n[]\n{"case_id": "c5"}\n{"a": 1, "a": 1}')
    assert places(path) == [
        (f"{path}:1", "c1"),
        (f"{path}:3", f"json-syntax {path}:3:13"),
        (f"{path}:4", f"json-not-object {path}:4"),
        (f"{path}:5", "c5"),
        (f"{path}:6", f"json-duplicate-key {path}:6:10"),
    ]


def test_the_bytes_of_a_line_are_those_of_its_case(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b' {"case_id": "c1"} \r\n{"case_id":"c2"}')
    assert [raw for _, raw, _ in read_cases(path)] == [b' {"case_id": "c1"} ', b'{"case_id":"c2"}']


def test_an_empty_set_of_cases_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b"\n \n")
    ((_, _, error),) = read_cases(path)
    assert isinstance(error, BadInput)
    assert error.key == "file-empty"


def test_a_file_beyond_all_measure_is_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judgeloop.casefile.LARGEST", 10)
    path = tmp_path / "case.json"
    path.write_bytes(b"{" * 11)
    ((_, _, error),) = read_cases(path)
    assert isinstance(error, BadInput)
    assert (error.key, error.params) == ("file-too-large", {"size": 11, "limit": 10})


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b'{"case_id": "c1"}', [("-", "c1")]),
        (b'{\n"case_id": "c1"\n}', [("-", "c1")]),
        (b'{"case_id": "c1"}\n{"case_id": "c2"}\n', [("-:1", "c1"), ("-:2", "c2")]),
        (b'{"case_id": "c1"}\nnonsense\n', [("-:1", "c1"), ("-:2", "json-syntax -:2:1")]),
        (b"", [("-", "file-empty -")]),
    ],
)
def test_what_is_handed_in_is_one_case_or_one_a_line(content: bytes, found: list[tuple[str, str]]) -> None:
    assert places(Path("-"), content) == found


def test_a_folder_holds_cases_and_other_things(tmp_path: Path) -> None:
    for name in ("b/case.json", "a.jsonl", "b/expect.json", "b/meta.json", "b/world.json", "c.txt", "d/e/f.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "dir.json").mkdir()
    found, errors = case_files(tmp_path)
    assert [p.relative_to(tmp_path).as_posix() for p in found] == ["a.jsonl", "b/case.json", "d/e/f.json"]
    assert errors == []


@pytest.mark.parametrize(
    ("document", "is_one"),
    [({"case_id": 1}, True), ({"query_id": "q"}, True), ({"decision": {}}, False), ({}, False), ({"id": "x"}, False)],
)
def test_an_object_is_a_case_by_its_id(document: Mapping[str, Any], is_one: bool) -> None:
    assert is_case(document, frozenset({"query_id"})) is is_one


# --- a case


def test_a_case_keeps_its_bytes_and_how_numbers_were_written() -> None:
    raw = (
        '\ufeff{"case_id": "사례",\r\n "contract": "multihop", "decision": {"score": 1.50}, "risk": "high"}\n'.encode()
    )
    case = case_of(raw)
    assert (case.raw, case.case_id, case.contract, case.source) == (raw, "사례", "multihop", "case.json")
    assert case.decision["score"].text == "1.50"
    assert (case.risk, case.bare, case.warnings) == (Risk.HIGH, False, ())


def test_a_decision_alone_is_a_case() -> None:
    case = case_of('{"query_id": "q001", "decision": "refuse"}')
    assert (case.case_id, case.bare, case.contract) == ("q001", True, None)
    assert case.decision == {"query_id": "q001", "decision": "refuse"}


def test_the_id_of_a_case_comes_before_that_of_its_decision() -> None:
    assert case_of('{"case_id": "c1", "decision": {"query_id": "q1"}}').case_id == "c1"
    assert case_of('{"decision": {"query_id": "q1"}}').case_id == "q1"


def test_odd_but_readable_ids_are_kept() -> None:
    for identifier in ("p 홍(길동)", "..", "a/../b", "<evil>", "\u1112\u1161\u11ab", "👩\u200d👩"):
        assert case_of({"case_id": identifier, "decision": {}}).case_id == identifier


def test_unknown_fields_are_told_in_the_order_of_the_file() -> None:
    warnings = case_of('{"zeta": 1, "case_id": "c1", "a/b": 1, "decision": {"x": 1}, "m~n": 1, "jl:x": 1}').warnings
    assert [warning["en"] for warning in warnings] == [
        f"unknown field {place}: kept as it is" for place in ("/zeta", "/a~1b", "/m~0n")
    ]


def test_the_longest_text_that_is_read_is_read() -> None:
    case = case_of({"case_id": "c1", "decision": {}, "input": {"text": "가" * MAX_STRING}})
    assert len(case.document["input"]["text"]) == MAX_STRING
