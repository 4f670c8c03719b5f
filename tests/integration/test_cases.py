"""Every case folder gets the verdict that it expects, and all of them together leave no rule untried.

A folder holds `case.json`, `expect.json` and, where the pack's own world is not the one to judge by, `world.*`.
`expect.json` names the verdict, every finding that is neither HOLDS nor NOT_APPLICABLE, those of the others that the
case is about, and the places that must be pointed at.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from pyoxigraph import Literal, NamedNode

from judgeloop.casefile import read_cases, to_case
from judgeloop.cli import run
from judgeloop.errors import JudgeloopError
from judgeloop.loop import judge
from judgeloop.model import Case, Contract
from judgeloop.opening import freeze, open_world
from judgeloop.record import VerdictRecord
from judgeloop.schema import compiled
from judgeloop.store import Store, open_store
from judgeloop.store.world import World
from judgeloop.vocab import HEADS, JL, PROV, RDF

ROOT: Final = Path(__file__).parents[2]
TRIED: Final = ROOT / "tests" / "cases" / "multihop"
GIVEN: Final = ROOT / "tests" / "cases" / "multihop-given"
"""Cases that name another contract: they are judged only because one is given on the command line."""
SHIPPED: Final = ROOT / "worlds" / "multihop" / "cases"
MH: Final = "https://w3id.org/judgeloop/multihop#"
FOLDERS: Final = [p.parent for root in (TRIED, GIVEN, SHIPPED) for p in sorted(root.glob("*/case.json"))]
WORST_FIRST: Final = (("VIOLATED", "FAIL"), ("NOT_RUN", "ABSTAIN"), ("DISPUTED", "UNCERTAIN"))
QUIET: Final = frozenset({"HOLDS", "NOT_APPLICABLE"})
UNBREAKABLE: Final[Mapping[str, tuple[str | None, str]]] = {
    "EventShape": (None, "what can't be read as one event is refused before it is judged"),
    "integrity_contract": ("NOT_RUN", "a case names another contract; the pinned bytes can't change within a run"),
    "answer_class": ("DISPUTED", "a word may mean something else; the query says DISPUTED"),
    "relations_asked": ("DISPUTED", "a word may mean something else; the query says DISPUTED"),
    "answer_alone": ("DISPUTED", "another word may say which end is meant; the query says DISPUTED"),
    "hops_asked": ("DISPUTED", "a word may mean the relation and be no alias of it; the query says DISPUTED"),
    "names_asked": ("DISPUTED", "a name may only say which node is meant; the query says DISPUTED"),
    "question_readable": ("NOT_RUN", "a question without a word can't be checked; nobody broke a rule"),
    "question_same": ("DISPUTED", "either text may be the right one; the query says DISPUTED"),
    "start_unambiguous": (
        "DISPUTED",
        "another word of the question may say which one is meant; the query says DISPUTED",
    ),
    "world_consistent": ("DISPUTED", "a world that contradicts itself proves nothing; the query says DISPUTED"),
}
"""Rules that no case can make VIOLATED, the status that stands in for it, and why."""
Expected = Mapping[str, Any]
LOADED: Final[dict[tuple[bytes, ...], World]] = {}


@cache
def contract() -> Contract:
    return freeze("multihop")


@cache
def store() -> Store:
    return open_store()


def world_beside(folder: Path) -> World:
    """Return the world of the files beside a case, else the pack's own; loaded once for each content."""
    files = sorted(folder.glob("world.*"))
    content = tuple(file.read_bytes() for file in files)
    if content not in LOADED:
        LOADED[content] = open_world(contract(), files)
    return LOADED[content]


def case_in(folder: Path) -> Case:
    ((place, raw, document),) = read_cases(folder / "case.json")
    assert not isinstance(document, JudgeloopError), document
    return to_case(place, raw, document, contract())


def judged_in(folder: Path, kept: Store | None = None) -> VerdictRecord:
    return judge(case_in(folder), contract(), world=world_beside(folder), store=kept or store())


def expectation(folder: Path) -> Expected:
    found: dict[str, Any] = json.loads((folder / "expect.json").read_text("utf-8"))
    return found


def findings(record: VerdictRecord) -> dict[str, dict[str, Any]]:
    """Return the findings by the local name of their rule."""
    return {found["rule"].rpartition("#")[2]: found for found in record.record["deterministic_checks"]}


def rules() -> Iterator[str]:
    return (r.rule.rpartition("#")[2] for r in contract().requirements)


def named(folder: Path) -> str:
    return f"shipped-{folder.name}" if folder.is_relative_to(SHIPPED) else folder.name


# --- each case


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_a_case_gets_what_it_expects(folder: Path) -> None:
    expected = expectation(folder)
    judged = judged_in(folder)
    found = findings(judged)
    assert {rule: found[rule]["status"] for rule in expected["findings"]} == expected["findings"]
    loud = {rule: one["status"] for rule, one in found.items() if one["status"] not in QUIET}
    assert loud == {rule: status for rule, status in expected["findings"].items() if status not in QUIET}
    places = {place for one in found.values() for place in one.get("where", ())}
    assert set(expected.get("where", ())) <= places
    assert judged.verdict.outcome == expected["verdict"]
    assert judged.verdict.enforcement == expected.get("enforcement", judged.verdict.enforcement)
    warnings = [warning["message"]["en"] for warning in judged.record["warnings"]]
    assert all(any(word in warning for warning in warnings) for word in expected.get("warnings", ()))


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_an_expectation_has_no_slip(folder: Path) -> None:
    expected = expectation(folder)
    assert expected.keys() <= {"verdict", "findings", "where", "enforcement", "warnings"}
    assert set(expected["findings"]) <= set(rules())
    loud = {status for status in expected["findings"].values() if status not in QUIET}
    by_status = next((verdict for status, verdict in WORST_FIRST if status in loud), "PASS")
    high_risk = json.loads((folder / "case.json").read_text("utf-8")).get("risk") == "high"
    assert expected["verdict"] == ("UNCERTAIN" if by_status == "PASS" and high_risk else by_status)


# --- all of them together


def statuses() -> dict[str, set[str]]:
    """Return what the case folders of the suite make each rule say; the test above proves that it does."""
    found: dict[str, set[str]] = {rule: set() for rule in rules()}
    for folder in FOLDERS:
        if not folder.is_relative_to(SHIPPED):
            for rule, status in expectation(folder)["findings"].items():
                found[rule].add(status)
    return found


@pytest.mark.parametrize("rule", sorted(rules()))
def test_a_rule_is_broken_by_some_case_and_kept_by_another(rule: str) -> None:
    broken, _why = UNBREAKABLE.get(rule, ("VIOLATED", ""))
    said = statuses()[rule]
    assert "HOLDS" in said
    assert broken is None or broken in said
    assert rule not in UNBREAKABLE or "VIOLATED" not in said, "no longer unbreakable"


@pytest.mark.parametrize("rule", sorted(r.rule.rpartition("#")[2] for r in contract().requirements if r.condition))
def test_a_rule_with_a_condition_is_not_applied_to_some_case(rule: str) -> None:
    assert "NOT_APPLICABLE" in statuses()[rule]


def test_every_requirement_is_found_in_every_record() -> None:
    judged = judged_in(TRIED / "seed-q001-two-hops")
    assert sorted(findings(judged)) == sorted(rules())


def test_all_four_verdicts_are_shipped_for_the_demo() -> None:
    shipped = [expectation(folder)["verdict"] for folder in FOLDERS if folder.is_relative_to(SHIPPED)]
    assert {v: shipped.count(v) for v in set(shipped)} == {"PASS": 6, "FAIL": 3, "ABSTAIN": 1, "UNCERTAIN": 1}


# --- what is kept of a case

TWICE: Final = [
    "seed-q001-two-hops",
    "q001-wrong-chunk",
    "hashes-are-right",
    "half-of-the-question-answered",
    "empty-graph-is-no-evidence",
    "ids-with-every-kind-of-sign",
]


def counts(kept: Store) -> dict[str, int]:
    return {graph: kept.count(graph) for graph in [*kept.graphs(), HEADS]}


@pytest.mark.parametrize("name", TWICE)
def test_the_same_case_twice_writes_nothing_the_second_time(name: str) -> None:
    kept = open_store()
    first = judged_in(TRIED / name, kept)
    before = counts(kept)
    second = judged_in(TRIED / name, kept)
    assert counts(kept) == before
    assert second.iri == first.iri
    text = [json.dumps(judged.json(envelope=False), ensure_ascii=False) for judged in (first, second)]
    assert text[0] == text[1]


@pytest.mark.parametrize("name", TWICE)
def test_a_record_fits_its_schema_with_and_without_its_envelope(name: str) -> None:
    schema = compiled((ROOT / "shapes" / "verdict.schema.json").read_bytes(), "verdict.schema.json")
    judged = judged_in(TRIED / name)
    for record in (judged.json(), judged.json(envelope=False)):
        assert schema.violations(json.loads(json.dumps(record))) == []


def test_the_minimal_record_fits_the_schema() -> None:
    schema = compiled((ROOT / "shapes" / "verdict.schema.json").read_bytes(), "verdict.schema.json")
    record = {
        "case_id": "case-2026-0001",
        "contract_version": "judge-contract/1.0",
        "ontology_version": "domain-ontology/3.2",
        "policy_version": "agent-policy/2.1",
        "evidence": [{"id": "ev-01", "sha256": "...", "trust_root": "..."}],
        "deterministic_checks": [{"rule": "RequiredCitation", "status": "pass"}],
        "judgments": [
            {
                "criterion": "factuality",
                "judge": "judge-factuality-v4",
                "evidence_ids": ["ev-01"],
                "finding": "명시된 근거 범위에서 지지됨",
                "confidence": 0.82,
                "counterevidence": [],
            }
        ],
        "verdict": "UNCERTAIN",
        "enforcement_point": "pep-agent-tools-v2",
        "partial_failure_policy": "manual_escalation",
        "privacy": {"classification": "internal", "retention_days": 30},
        "provenance": {"activity": "eval-run-778", "signature": "..."},
    }
    assert schema.violations(record) == []
    for member in record:
        assert schema.violations({k: v for k, v in record.items() if k != member}) != []


# --- hostile keys and ids

HOSTILE: Final = sorted(p.name for p in TRIED.glob("hostile-*"))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_key_becomes_no_statement(name: str) -> None:
    judged = judged_in(TRIED / name)
    triples = [*judged.event.triples, *judged.event.payload]
    terms = [term.value for t in triples for term in t if isinstance(term, NamedNode)]
    assert not [term for term in terms if "evil.example" in term]
    properties = {t.predicate.value for t in triples}
    assert {p for p in properties if not p.startswith((JL, MH, PROV, RDF))} == set()
    assert not properties & {f"{JL}verdict", f"{JL}outcome", f"{JL}grounded"}


def test_keys_of_tool_arguments_are_kept_as_text() -> None:
    event = judged_in(TRIED / "odd-keys-in-tool-arguments").event
    names = {t.object.value for t in event.triples if t.predicate.value == f"{JL}name" if isinstance(t.object, Literal)}
    assert names >= {"@context", "jl:verdict", "http://evil.example/p", "@graph", "@id", ""}
    assert not [t for t in event.triples if "evil.example" in t.predicate.value]


@pytest.mark.parametrize(
    "name", ["ids-with-every-kind-of-sign", "id-in-the-composed-form", "id-in-the-decomposed-form-is-another-node"]
)
def test_ids_survive_unchanged(name: str) -> None:
    case = case_in(TRIED / name)
    event = judged_in(TRIED / name).event
    kept: dict[str, set[str]] = {}
    for t in event.triples:
        if isinstance(t.object, Literal):
            kept.setdefault(t.predicate.value.removeprefix(MH), set()).add(t.object.value)
    for key, prop in (("src", "srcText"), ("rel", "relText"), ("dst", "dstText"), ("chunk_id", "chunkText")):
        assert kept[prop] == {hop[key] for hop in case.decision["path"]}
    assert kept["answerText"] == {case.decision["answer"]}
    assert kept["queryId"] == {case.decision["query_id"]}


def test_two_ids_that_differ_by_composition_are_two_nodes() -> None:
    names = ("id-in-the-composed-form", "id-in-the-decomposed-form-is-another-node")
    events = [judged_in(TRIED / n).event for n in names]
    ends = [{t.object for t in event.triples if t.predicate.value == f"{MH}dst"} for event in events]
    assert ends[0].isdisjoint(ends[1])


def test_one_command_gives_every_case_of_the_folder_its_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["judge", str(TRIED), "--format", "json", "--fail-on", "none"]) == 0
    summary = json.loads(capsys.readouterr().out)["summary"]
    n = len(list(TRIED.glob("*/case.json")))
    assert (summary["n_total"], summary["n_error"], summary["as_expected"], summary["n_expected"]) == (n, 0, n, n)
