"""The contract's graph becomes the frozen value."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from judgeloop.model import Asset, Contract, Decider, Limit, Requirement, Risk, Severity
from judgeloop.rdf.graph import Graph
from judgeloop.rdf.parse import read_triples
from judgeloop.vocab import JL, OWL, RDFS_LABEL


def to_contract(graph: Graph, iri: str, pinned: Mapping[str, Asset], own: Asset) -> Contract:
    """Return the contract that `graph` states, with its pinned assets; the shapes have found it valid."""

    def one(prop: str) -> str | None:
        return graph.value(iri, JL + prop)

    def local(values: Iterable[str]) -> list[str]:
        return [v.rpartition("#")[2] for v in values]

    retention = one("retentionDays")
    digests = json.dumps({name: a.sha256 for name, a in sorted(pinned.items())}, sort_keys=True)
    prefixes = graph.values(iri, JL + "declaresPrefix")
    return Contract(
        iri=iri,
        name=str(one("name")),
        version=str(graph.value(iri, OWL + "versionInfo")),
        digest=hashlib.sha256(digests.encode()).hexdigest(),
        ontology_version=_versions(pinned, graph.values(iri, JL + "ontology")),
        policy_version=f"sha256:{own.sha256}",
        shapes_version="sha256:" + _joint(pinned, graph.values(iri, JL + "shapes")),
        id_base=str(one("idBase")),
        prefixes={str(graph.value(p, JL + "prefixName")): str(graph.value(p, JL + "prefixIri")) for p in prefixes},
        id_key=str(one("idKey")),
        context=str(one("context")),
        world_context=one("worldContext"),
        world_schema=one("worldSchema"),
        decision_schema=str(one("decisionSchema")),
        world=one("world"),
        ontology=tuple(graph.values(iri, JL + "ontology")),
        shapes=tuple(graph.values(iri, JL + "shapes")),
        derive=tuple(graph.values(iri, JL + "derive")),
        queries={r: str(graph.value(r, JL + "query")) for r in graph.subjects(JL + "query")},
        requirements=tuple(_requirement(graph, r) for r in graph.values(iri, JL + "requirement")),
        measures=tuple(graph.values(iri, JL + "measure")),
        limits=tuple(_limit(graph, n) for n in graph.values(iri, JL + "limit")),
        risk=Risk(local(graph.values(iri, JL + "risk"))[0]),
        blocking=frozenset(Severity(s) for s in local(graph.values(iri, JL + "blockingSeverity"))),
        quorum=int(one("quorum") or 1),
        calibrator=one("calibrator"),
        partial_failure_policy=str(one("partialFailurePolicy")),
        enforcement_point=one("enforcementPoint") or "",
        classification=str(one("classification")),
        retention_days=int(retention) if retention else None,
        personal=tuple(graph.values(iri, JL + "personal")),
        assets=pinned,
    )


def _requirement(graph: Graph, iri: str) -> Requirement:
    def local(prop: str) -> str:
        return str(graph.value(iri, JL + prop)).rpartition("#")[2]

    return Requirement(
        iri=iri,
        label=graph.texts(iri, RDFS_LABEL),
        mandatory=local("mandatory") == "true",
        prohibition=local("prohibition") == "true",
        decided_by=Decider(local("decidedBy")),
        severity=Severity(local("severity")),
        rule=str(graph.value(iri, JL + "rule")),
        condition=graph.value(iri, JL + "condition"),
        evidence_types=tuple(graph.values(iri, JL + "evidenceType")),
    )


def _limit(graph: Graph, iri: str) -> Limit:
    return Limit(
        name=str(graph.value(iri, JL + "name")),
        value=int(str(graph.value(iri, JL + "limitValue"))),
        property=str(graph.value(iri, JL + "limitProperty")),
    )


def _versions(pinned: Mapping[str, Asset], names: Sequence[str]) -> str:
    """Return ``name/version`` of each ontology file, as its owl:versionInfo says."""
    found: set[str] = set()
    for name in names:
        graph = Graph(read_triples(pinned[name].content, name))
        versions = (graph.value(o, OWL + "versionInfo") for o in graph.instances(OWL + "Ontology"))
        found |= {f"{Path(name).stem}/{version or '?'}" for version in versions}
    return " ".join(sorted(found))


def _joint(pinned: Mapping[str, Asset], names: Sequence[str]) -> str:
    return hashlib.sha256("".join(pinned[n].sha256 for n in names).encode()).hexdigest()
