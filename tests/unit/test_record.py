"""The verdict record: one document, read as JSON, as JSON-LD and as a graph, and refused where it would mislead."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
import rdflib
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, parse

from judgeloop.casefile import to_case
from judgeloop.errors import EngineFailure
from judgeloop.loop import judge
from judgeloop.model import Case, Contract, Finding, Outcome, Status, Verdict
from judgeloop.opening import freeze, open_world
from judgeloop.rdf.canonical import content, verify
from judgeloop.rdf.mint import pointer_of
from judgeloop.record import CONTEXT, CONTEXT_URL, VerdictRecord, make, read
from judgeloop.schema import compiled
from judgeloop.sources import leaves, parse_json, pointer, resolve
from judgeloop.store import open_store
from judgeloop.store.world import World
from judgeloop.vocab import JL, RDF_TYPE, XSD

PATH = [{"src": "c_acme", "rel": "locatedIn", "dst": "pl_seoul", "chunk_id": "ch_12"}]
DECISION: Mapping[str, Any] = {
    "query_id": "q005",
    "decision": "answer",
    "answer": "pl_seoul",
    "path": PATH,
    "factors": [],
    "reason": "에이크미가 locatedIn 으로 서울에 닿고, 그 홉에 원문 근거 청크가 있어 답합니다.",
    "evidence": "locatedIn:ch_12",
    "hedge": None,
}
GOOD = {
    "case_id": "사례 1",
    "contract": "multihop",
    "input": {"text": "에이크미는 어느 도시에 있어?", "lang": "ko", "asked_at": "2026-01-01T00:00:00Z"},
    "decision": DECISION,
}
ODD = GOOD | {
    "case_id": "q 5/<다섯>",
    "decision": {**DECISION, "answer": "a/../b", "@graph": [], "mood": "good", "path": [*PATH, {"src": "<x>"}]},
    "evidence": [{"id": "e1", "text": "가", "sha256": "0" * 64, "trust": "world"}, {"id": "e 2", "trust_root": "가"}],
    **{f"field_{letter}": letter for letter in "zyxwvuts"},
    "a/b": 1,
}


@cache
def contract() -> Contract:
    return freeze("multihop")


@cache
def world() -> World:
    return open_world(contract())


def case_of(document: Mapping[str, Any]) -> Case:
    raw = json.dumps(document, ensure_ascii=False).encode()
    return to_case("case.json", raw, parse_json(raw, "case.json"), contract())


def judged(document: Mapping[str, Any]) -> VerdictRecord:
    return judge(case_of(document), contract(), world=world(), store=open_store())


@cache
def good() -> VerdictRecord:
    return judged(GOOD)


@cache
def odd() -> VerdictRecord:
    return judged(ODD)


@pytest.fixture(params=[good, odd], ids=["good", "odd"])
def record(request: pytest.FixtureRequest) -> VerdictRecord:
    found = request.param()
    assert isinstance(found, VerdictRecord)
    return found


def inlined(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record with the terms in it, for readers that fetch nothing."""
    url, own = record["@context"]
    assert url == CONTEXT_URL
    return {**record, "@context": [json.loads(contract().text(CONTEXT))["@context"], own]}


def test_the_two_records_are_of_two_kinds() -> None:
    assert good().verdict.outcome is Outcome.PASS
    assert odd().verdict.outcome is Outcome.FAIL


# --- one document, three readings


def test_the_record_read_as_json_ld_is_the_verdict_and_its_envelope(record: VerdictRecord) -> None:
    found = read(json.loads(json.dumps(record.json())), contract().text(CONTEXT))
    assert set(found) == {*record.triples, *record.envelope}
    assert not set(record.triples) & set(record.envelope)


def test_a_plain_reader_sees_the_same_graph(record: VerdictRecord) -> None:
    text = json.dumps(inlined(record.json()), ensure_ascii=False)
    found = {q.triple for q in parse(text, RdfFormat.JSON_LD)}
    assert found == {*record.triples, *record.envelope}


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")
def test_a_second_parser_sees_the_same_graph(record: VerdictRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)
    graph = rdflib.Graph().parse(data=json.dumps(inlined(record.json())), format="json-ld")
    theirs = {tuple(_plain(node) for node in triple) for triple in graph}
    assert theirs == {tuple(_plain(n) for n in (t.subject, t.predicate, t.object)) for t in _all(record)}


def _all(record: VerdictRecord) -> list[Triple]:
    return [*record.triples, *record.envelope]


def _plain(node: object) -> tuple[str, str | None, str | None]:
    if isinstance(node, NamedNode):
        return (node.value, None, None)
    if isinstance(node, Literal):
        return (node.value, node.datatype.value if not node.language else None, node.language)
    assert isinstance(node, rdflib.URIRef | rdflib.Literal), f"{node!r} has no name"
    if isinstance(node, rdflib.URIRef):
        return (str(node), None, None)
    kind = None if node.language else str(node.datatype or f"{XSD}string")
    return (str(node), kind, node.language)


def test_every_leaf_of_the_record_is_in_the_graph(record: VerdictRecord) -> None:
    document = {k: v for k, v in record.json().items() if k != "@context"}
    texts: dict[str, set[str]] = {}
    for triple in _all(record):
        assert isinstance(triple.subject, NamedNode)
        values = texts.setdefault(pointer_of(triple.subject.value) or "", set())
        if isinstance(triple.object, NamedNode | Literal):
            values |= {triple.object.value, triple.object.value.rpartition("#")[2]}
    for place, value in leaves(document):
        if value is None or place.endswith("/@id"):
            continue
        form = str(value).lower() if isinstance(value, bool) else str(value)
        above = place.rpartition("/")[0]
        assert form in texts.get(above, set()) | texts.get(above.rpartition("/")[0], set()), place


def test_every_node_of_the_graph_is_a_place_in_the_record(record: VerdictRecord) -> None:
    for triple in _all(record):
        assert isinstance(triple.subject, NamedNode)
        assert triple.subject.value.partition("#")[0] == record.iri
        resolve(record.json(), pointer_of(triple.subject.value) or "")


# --- the seal


def test_the_verdict_is_named_by_its_hash(record: VerdictRecord) -> None:
    assert verify(record.triples, record.iri)
    assert record.json()["@id"] == record.iri
    assert record.json()["provenance"]["hash"] == record.iri.rpartition("/")[2]
    assert record.json()["provenance"]["event"] == record.event.iri
    assert record.json()["provenance"]["signature"] is None
    assert b"urn:judgeloop:self" in content(record.triples, record.iri)


def test_the_envelope_holds_what_changes_from_run_to_run(record: VerdictRecord) -> None:
    assert {t.predicate.value.rpartition("#")[2] for t in record.envelope} == {
        *("wasGeneratedBy", "hash", "timings", "startedAtTime", "milliseconds"),
    }
    sealed = record.json(envelope=False)
    assert "timings" not in sealed
    assert sealed["provenance"] == {"@id": "#/provenance", "event": record.event.iri}


def test_without_its_envelope_a_record_reads_as_the_sealed_graph(record: VerdictRecord) -> None:
    assert set(read(record.json(envelope=False), contract().text(CONTEXT))) == set(record.triples)


def test_the_same_case_gives_the_same_record_but_for_its_envelope() -> None:
    one, other = odd(), judged(ODD)
    assert one.iri == other.iri
    assert set(one.triples) == set(other.triples)
    assert json.dumps(one.json(envelope=False)) == json.dumps(other.json(envelope=False))


def test_another_process_gives_the_same_bytes() -> None:
    code = (
        "import json, sys\n"
        "from judgeloop import freeze, judge, open_store, open_world\n"
        "from judgeloop.casefile import to_case\n"
        "from judgeloop.sources import parse_json\n"
        "raw = sys.stdin.buffer.read()\n"
        "contract = freeze('multihop')\n"
        "case = to_case('case.json', raw, parse_json(raw, 'case.json'), contract)\n"
        "record = judge(case, contract, world=open_world(contract), store=open_store())\n"
        "print(json.dumps(record.json(envelope=False)))\n"
    )
    raw = json.dumps(ODD, ensure_ascii=False).encode()
    given = {
        subprocess.run(
            [sys.executable, "-c", code],
            input=raw,
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone},
        ).stdout.decode()
        for seed, zone in (("1", "Asia/Seoul"), ("2", "America/New_York"))
    }
    assert given == {json.dumps(odd().json(envelope=False)) + "\n"}


def test_warnings_stand_in_the_order_of_the_file() -> None:
    warned = [warning["message"]["en"] for warning in odd().json()["warnings"]]
    fields = [*(f"/field_{letter}" for letter in "zyxwvuts"), "/a~1b", "/decision/mood"]
    assert warned == [f"unknown field {field}: kept as it is" for field in fields]


# --- fit to be read


def test_a_record_fits_its_schema(record: VerdictRecord) -> None:
    schema = compiled(contract().assets["shapes/verdict.schema.json"].content, "verdict.schema.json")
    assert schema.violations(json.loads(json.dumps(record.json()))) == []
    assert schema.violations(json.loads(json.dumps(record.json(envelope=False)))) == []


def test_a_record_names_its_places_in_the_case() -> None:
    (found,) = [f for f in odd().json()["deterministic_checks"] if f["rule"] == f"{JL}integrity_keys"]
    assert (found["status"], found["where"]) == ("VIOLATED", [pointer("decision", "@graph")])


def made(findings: list[Finding], contract_: Contract | None = None, **verdict: Any) -> VerdictRecord:
    sound = good()
    return make(
        contract_ or contract(),
        case_of(GOOD),
        sound.event,
        world(),
        findings,
        sound.verdict.model_copy(update=verdict),
    )


MESSAGE = {"en": "fine", "ko": "맞음"}
HOLDS = Finding(rule=f"{JL}schema", status=Status.HOLDS, examined=1, message=MESSAGE)


def test_a_sound_record_is_made() -> None:
    assert made([HOLDS]).verdict.outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("finding", "why"),
    [
        ({"examined": 0}, "a rule holds only where something was examined"),
        ({"rule": "no IRI"}, "a finding names one rule"),
        ({"rule": ""}, "/deterministic_checks/0/rule"),
        ({"message": {"en": "fine"}}, "/deterministic_checks/0/message"),
    ],
)
def test_a_finding_that_would_mislead_is_refused(finding: Mapping[str, Any], why: str) -> None:
    with pytest.raises(EngineFailure) as refused:
        made([HOLDS, HOLDS.model_copy(update=finding)][1:])
    assert refused.value.key == "verdict-not-valid"
    assert why in refused.value.text()


@pytest.mark.parametrize(
    ("status", "examined"),
    [(Status.VIOLATED, 0), (Status.NOT_RUN, 0), (Status.NOT_APPLICABLE, 0), (Status.DISPUTED, 0)],
)
def test_only_what_holds_must_have_been_examined(status: Status, examined: int) -> None:
    record = made([HOLDS.model_copy(update={"status": status, "examined": examined})])
    assert record.json()["deterministic_checks"][0]["status"] == status.value


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ({"reasons": ()}, "a verdict gives its reasons"),
        ({"scope": ()}, "a verdict gives its scope"),
        ({"enforcement": "ignore"}, "/enforcement"),
    ],
)
def test_a_verdict_that_leaves_something_open_is_refused(part: Mapping[str, Any], why: str) -> None:
    with pytest.raises(EngineFailure) as refused:
        made([HOLDS], **part)
    assert why in refused.value.text()


def test_a_verdict_without_findings_is_refused() -> None:
    with pytest.raises(EngineFailure, match="a verdict rests on findings"):
        made([])


def test_a_reason_without_a_subject_is_refused() -> None:
    verdict: Verdict = good().verdict
    with pytest.raises(EngineFailure) as refused:
        made([HOLDS], reasons=(verdict.reasons[0].model_copy(update={"subject": "no IRI"}),))
    assert "a reason has one subject" in refused.value.text()


def test_a_contract_without_a_plan_for_failure_is_refused() -> None:
    with pytest.raises(EngineFailure) as refused:
        made([HOLDS], contract().model_copy(update={"partial_failure_policy": ""}))
    assert "/partial_failure_policy" in refused.value.text()


def test_a_record_says_what_kind_of_thing_it_is(record: VerdictRecord) -> None:
    types = [t.object for t in record.triples if t.predicate.value == RDF_TYPE]
    assert types == [NamedNode(f"{JL}Verdict")]
