"""A suite of cases: counts that say what they are of, and files that are read once and stop no other file."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from judgeloop import suite as room
from judgeloop.errors import BadInput, ContractError
from judgeloop.model import Measure, Outcome
from judgeloop.store import Store, open_store
from judgeloop.suite import Row, Suite, Summary

DECISION = {"query_id": "q005", "decision": "refuse"}
CASE = {"case_id": "a", "contract": "multihop", "decision": DECISION}


def row(outcome: Outcome, expected: Outcome | None = None, **measures: tuple[int, int]) -> Row:
    found = tuple(Measure(name=name, held=held, examined=examined) for name, (held, examined) in measures.items())
    judged: Any = SimpleNamespace(verdict=SimpleNamespace(outcome=outcome), measures=found)
    return Row("x", judged, expected=expected)


UNREAD = Row("y", error=BadInput("file-missing", place="y"))


# --- the summary


def test_every_input_is_counted_once() -> None:
    found = Summary([row(Outcome.PASS), row(Outcome.FAIL), row(Outcome.ABSTAIN), row(Outcome.ABSTAIN), UNREAD])
    assert found.counts == {"n_total": 5, "n_scored": 2, "n_abstain": 2, "n_error": 1}
    assert list(found.verdicts.items()) == [
        (Outcome.FAIL, 1),
        (Outcome.ABSTAIN, 2),
        (Outcome.UNCERTAIN, 0),
        (Outcome.PASS, 1),
    ]


def test_nothing_is_zero_of_zero() -> None:
    found = Summary([])
    assert set(found.counts.values()) == {0}
    assert (found.measures, found.expected) == ({}, None)


def test_a_measure_counts_the_cases_that_have_it_and_agree_in_everything() -> None:
    found = Summary([row(Outcome.PASS, a=(2, 2)), row(Outcome.PASS, a=(1, 2)), row(Outcome.FAIL, a=(1, 1)), UNREAD])
    assert found.measures == {"a": {"agree": 2, "n": 3, "share": 0.6667}}


def test_an_expectation_is_counted_where_there_is_one() -> None:
    found = Summary([row(Outcome.PASS), row(Outcome.FAIL, Outcome.FAIL), row(Outcome.PASS, Outcome.FAIL), UNREAD])
    assert found.expected == (1, 2)


# --- reading


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store() as opened:
        yield opened


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count what is read; nothing is judged."""
    counted: Counter[str] = Counter()

    def count(name: str) -> Callable[..., Any]:
        really = getattr(room, name)

        def counting(*args: Any, **settings: Any) -> Any:
            counted[name] += 1
            return really(*args, **settings)

        return counting

    def judge(*_: Any, **__: Any) -> Any:
        return SimpleNamespace(verdict=SimpleNamespace(outcome=Outcome.PASS), measures=())

    for name in ("freeze", "open_world"):
        monkeypatch.setattr(room, name, count(name))
    monkeypatch.setattr(room, "judge", judge)
    return counted


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def test_contract_and_world_are_read_once_for_all_cases(tmp_path: Path, store: Store, calls: Counter[str]) -> None:
    write(tmp_path / "cases.jsonl", "\n".join([json.dumps(CASE)] * 3))
    assert [r.outcome for r in Suite(store).rows([str(tmp_path)])] == [Outcome.PASS] * 3
    assert calls == {"freeze": 1, "open_world": 1}


def test_a_fault_is_met_once_for_all_cases(tmp_path: Path, store: Store, calls: Counter[str]) -> None:
    write(tmp_path / "cases.jsonl", "\n".join([json.dumps(CASE)] * 3))
    found = list(Suite(store, kg=[tmp_path / "missing.ttl"]).rows([str(tmp_path)]))
    assert {r.error.text() for r in found if r.error} == {f"{tmp_path}/missing.ttl: no such file; check the path"}
    assert calls == {"freeze": 1, "open_world": 1}


def test_a_world_that_no_file_can_be_blamed_for_names_them_all(
    tmp_path: Path, store: Store, calls: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise BadInput("rdf-too-many-blank-nodes", seconds=10)

    monkeypatch.setattr(room, "open_world", refuse)
    case = write(tmp_path / "case.json", CASE)
    (found,) = Suite(store, kg=[Path("a.ttl"), Path("b.ttl")]).rows([str(case)])
    assert found.error is not None
    assert found.error.place == "a.ttl b.ttl"
    assert calls["freeze"] == 1


@pytest.mark.usefixtures("calls")
def test_a_contract_that_was_given_is_refused_before_any_file_is_read(store: Store) -> None:
    with pytest.raises(ContractError) as caught:
        next(Suite(store, contract="nosuch").rows(["missing.json"]))
    assert caught.value.key == "contract-unknown"


@pytest.mark.parametrize(
    ("document", "given", "key"),
    [
        (CASE, None, None),
        (CASE | {"contract": "multihop@1.0.0"}, None, None),
        (DECISION, None, None),
        ({"case_id": "a", "decision": DECISION}, "multihop", None),
        ({"case_id": "a", "decision": DECISION}, None, "contract-not-named"),
        (CASE | {"contract": "policies/multihop.ttl"}, None, "contract-path"),
        (CASE | {"contract": "../multihop"}, None, "contract-unknown"),
        (CASE | {"contract": "multihop@2.0.0"}, None, "contract-unknown"),
        (CASE | {"contract": "multihop@2.0.0"}, "multihop", None),
        ({"colour": "blue"}, None, "contract-not-named"),
    ],
)
@pytest.mark.usefixtures("calls")
def test_which_contract_judges(
    tmp_path: Path, store: Store, document: object, given: str | None, key: str | None
) -> None:
    case = write(tmp_path / "x.json", document)
    (found,) = Suite(store, contract=given).rows([str(case)])
    assert (found.error.key if found.error else None) == key
    assert found.error is None or found.error.place == str(case)


@pytest.mark.usefixtures("calls")
def test_the_rows_come_in_one_order(tmp_path: Path, store: Store) -> None:
    for name in ("b/case.json", "a/z.json", "a/case.json", "c.json", "a/b/case.json"):
        write(tmp_path / name, CASE)
    places = [r.place.removeprefix(f"{tmp_path}/") for r in Suite(store).rows([str(tmp_path)])]
    assert places == ["a/b/case.json", "a/case.json", "a/z.json", "b/case.json", "c.json"]


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("x.json", [1], []),
        ("x.json", "null", []),
        ("x.json", {"colour": "blue"}, []),
        ("x.json", DECISION, [None]),
        ("x.json", {"case_id": 3}, ["contract-not-named"]),
        ("x.json", "{", ["json-syntax"]),
        ("case.json", [1], ["json-not-object"]),
        ("case.json", {"colour": "blue"}, ["contract-not-named"]),
        ("x.jsonl", "[1]\n", ["json-not-object"]),
        ("x.jsonl", "", ["file-empty"]),
        ("expect.json", CASE, []),
        ("meta.json", CASE, []),
        ("world.json", CASE, []),
        ("world.case.json", CASE, []),
        ("x.JSON", CASE, []),
        ("x.json5", CASE, []),
    ],
)
@pytest.mark.usefixtures("calls")
def test_what_of_a_folder_is_a_case(
    tmp_path: Path, store: Store, name: str, content: object, found: list[str | None]
) -> None:
    write(tmp_path / "set" / name, content)
    rows = list(Suite(store).rows([str(tmp_path / "set")]))
    assert [r.error.key if r.error else None for r in rows] == (found or ["cli-no-cases"])
