"""The verdict record: one document that is read as JSON, as JSON-LD, and as the verdict graph with its envelope."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any, Final

from judgeloop.errors import EngineFailure
from judgeloop.event import Event
from judgeloop.messages import both
from judgeloop.model import Case, Contract, Counterexample, Finding, Frozen, Judgment, Measure, Text, Verdict
from judgeloop.rdf.canonical import name, ntriples
from judgeloop.rdf.jsonld import expand
from judgeloop.rdf.terms import Triple
from judgeloop.schema import compiled
from judgeloop.shacl import ShapesGraph, validate
from judgeloop.store.world import World
from judgeloop.vocab import SELF, VERDICT_PROFILE

CONTEXT_URL: Final = "https://w3id.org/judgeloop/contexts/verdict.context.jsonld"
CONTEXT: Final = "ontology/contexts/verdict.context.jsonld"
ENVELOPE: Final = ("activity", "hash", "signature")
"""What of ``provenance`` is no part of the sealed verdict; ``timings`` is none either."""
Json = dict[str, Any]


@dataclass(frozen=True)
class VerdictRecord:
    """A validated verdict: its record, its sealed graph, and its envelope."""

    iri: str
    record: Json
    triples: list[Triple]
    envelope: list[Triple]
    verdict: Verdict
    event: Event
    measures: tuple[Measure, ...]
    """Agreement with gold, measured beside the verdict."""

    def json(self, *, envelope: bool = True) -> Json:
        """Return the record; without the envelope the same inputs give the same bytes."""
        return self.record if envelope else sealed_part(self.record)


def make(  # noqa: PLR0913 - everything that a verdict rests on
    contract: Contract,
    case: Case,
    event: Event,
    world: World,
    findings: Sequence[Finding],
    verdict: Verdict,
    judgments: Sequence[Judgment] = (),
    counterexamples: Sequence[Counterexample] = (),
    measures: Sequence[Measure] = (),
    timings: Mapping[str, Any] | None = None,
) -> VerdictRecord:
    """Return the record of a verdict, checked against its own schema and shapes.

    Raises:
        EngineFailure: the record does not fit; it must not be stored.
    """
    sealed = _placed(
        {
            "@type": "Verdict",
            "profile": VERDICT_PROFILE,
            "case_id": case.case_id,
            "contract_version": f"{contract.name}@{contract.version}",
            "contract_digest": contract.digest,
            "ontology_version": contract.ontology_version,
            "policy_version": contract.policy_version,
            "shapes_version": contract.shapes_version,
            "evidence": [_evidence(e) for e in case.document.get("evidence", ())],
            "deterministic_checks": [_plain(f) for f in findings],
            "judgments": [_plain(j) for j in judgments],
            "counterexamples": [_plain(c) for c in counterexamples],
            "verdict": verdict.outcome.value,
            "reasons": [_plain(r) for r in verdict.reasons],
            "scope": [_plain(s) for s in verdict.scope],
            "judges_asked": verdict.judges_asked,
            "enforcement": verdict.enforcement,
            "enforcement_point": contract.enforcement_point,
            "partial_failure_policy": contract.partial_failure_policy,
            "privacy": _privacy(contract),
            "world": {"graph": world.graph, "sha256": world.sha256, "triples": world.triples},
            "engines": [{"name": name, "version": number} for name, number in engines()],
            "warnings": [{"message": dict(w)} for w in _warnings(case, event, world)],
            "provenance": {"event": event.iri},
        }
    )
    context = contract.text(CONTEXT)
    iri, triples = name(
        read({"@context": {"@base": SELF}, "@id": SELF, **sealed}, context), f"{contract.id_base}verdict/"
    )
    digest = iri.rpartition("/")[2]
    whole = {
        "@context": [CONTEXT_URL, {"@base": iri}],
        "@id": iri,
        **sealed,
        "provenance": sealed["provenance"]
        | {"activity": f"{contract.id_base}activity/{digest}", "hash": digest, "signature": None},
        "timings": {"@id": "#/timings", **(timings or {})},
    }
    _refuse(whole, triples, contract)
    outside = {"@context": whole["@context"], "@id": iri, "timings": whole["timings"]}
    outside["provenance"] = {k: v for k, v in whole["provenance"].items() if k in {"@id", *ENVELOPE}}
    known = set(triples)
    envelope = [t for t in read(outside, context) if t not in known]
    return VerdictRecord(iri, whole, triples, envelope, verdict, event, tuple(measures))


@cache
def engines() -> tuple[tuple[str, str], ...]:
    """Return the engines that checks run on, with their versions."""
    return tuple((name, version(name)) for name in ("jsonschema", "pyoxigraph", "pyshacl"))


@lru_cache(maxsize=8)
def _terms(context: str) -> Json:
    found: Json = json.loads(context)["@context"]
    return found


def read(record: Mapping[str, Any], context: str) -> list[Triple]:
    """Return the statements of a record, its context taken from the pinned file and never fetched."""
    given = record["@context"]
    own = [c for c in (given if isinstance(given, list) else [given]) if isinstance(c, dict)]
    document = {**record, "@context": [_terms(context), *own]}
    return expand(document)


def sealed_part(record: Mapping[str, Any]) -> Json:
    """Return the record without its envelope: what its own IRI is the hash of."""
    provenance = {k: v for k, v in record["provenance"].items() if k not in ENVELOPE}
    return {k: v for k, v in record.items() if k != "timings"} | {"provenance": provenance}


def _placed(value: Any, at: str = "") -> Any:  # noqa: ANN401 - any JSON
    """Give every object below the root its JSON Pointer as ``@id``, and every item of a list its position."""
    if isinstance(value, dict):
        identity = {"@id": f"#{at}"} if at and not at.endswith(("/message", "/label")) else {}
        return identity | {k: _placed(v, f"{at}/{k}") for k, v in value.items()}
    if isinstance(value, list):
        items = [_placed(v, f"{at}/{i}") for i, v in enumerate(value)]
        return [item | {"index": i} if isinstance(item, dict) else item for i, item in enumerate(items)]
    return value


def _plain(value: Frozen) -> Json:
    return value.model_dump(mode="json", exclude_none=True)


def _evidence(item: Mapping[str, Any]) -> Json:
    named = {
        "id": item.get("id"),
        "sha256": item.get("sha256"),
        "trust_root": item.get("trust_root", item.get("trust")),
    }
    return {k: v for k, v in named.items() if isinstance(v, str)}


def _privacy(contract: Contract) -> Json:
    retention = {} if contract.retention_days is None else {"retention_days": contract.retention_days}
    return {"classification": contract.classification, **retention}


def _warnings(case: Case, event: Event, world: World) -> list[Text]:
    """Return what the reader should know, each once; a bare decision is the file's root."""
    places = [p.removeprefix("/decision") if case.bare else p for p in event.opaque]
    kept = [both("case-unknown-field", pointer=place) for place in places]
    return list({w["en"]: w for w in [*case.warnings, *kept, *world.warnings]}.values())


def _refuse(record: Json, triples: list[Triple], contract: Contract) -> None:
    """Refuse a record that does not fit its own schema and shapes: such a verdict would mislead whoever reads it."""
    faults = compiled(contract.assets["shapes/verdict.schema.json"].content, "verdict.schema.json").violations(record)
    if faults:
        raise EngineFailure("verdict-not-valid", why=f"{faults[0].pointer}: {faults[0].message['en']}")
    asset = contract.assets["shapes/verdict.ttl"]
    report = validate(ShapesGraph.parse([(asset.path, asset.content)]), ntriples(triples))
    if report.failure or report.results:
        why = report.failure.text if report.failure else f"{report.results[0].focus}: {report.results[0].message['en']}"
        raise EngineFailure("verdict-not-valid", why=why)
