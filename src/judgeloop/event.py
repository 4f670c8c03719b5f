"""A case becomes one sealed graph, named by the hash of its own bytes, with its raw bytes and long texts beside it."""

import base64
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgeloop.model import Case, Contract
from judgeloop.rdf.canonical import name, rename
from judgeloop.rdf.jsonld import to_rdf
from judgeloop.rdf.mint import Minting
from judgeloop.rdf.terms import Literal, NamedNode, Triple
from judgeloop.vocab import EVENT_PROFILE, JL, SELF, XSD_BASE64

CASE_CONTEXT = "ontology/contexts/case.context.jsonld"


@dataclass(frozen=True)
class Event:
    """One sealed case. The event's triples verify without the payload, which can be erased."""

    iri: str
    triples: list[Triple]
    payload_iri: str
    payload: list[Triple]
    opaque: tuple[str, ...]
    """JSON Pointers of fields that the contexts don't know."""
    hostile: tuple[str, ...]
    """JSON Pointers of keys that pose as JSON-LD; they are in the raw bytes only."""

    @property
    def whole(self) -> list[Triple]:
        """Return the event with the texts that stand outside of it, as checks read it."""
        return self.triples + [t for t in self.payload if t.predicate.value != JL + "rawBytes"]


def seal(case: Case, contract: Contract, secret: bytes) -> Event:
    """Return the sealed event of ``case``; the same case, contract and secret give the same event.

    Does not establish: that what the case says is true. The IRI proves which bytes were judged, no more.

    Raises:
        BadInput: an id with hidden characters, or the contract's context loses values of the decision.
    """
    key = hmac.digest(secret, case.case_id.encode("utf-8", "surrogatepass"), "sha256")

    def keyed(data: bytes) -> str:
        return f"hmac-sha256:{hmac.digest(key, data, 'sha256').hex()}"

    mapped = to_rdf(
        case.document,
        context_of(contract),
        own=SELF,
        minting=Minting(contract.id_base, contract.prefixes),
        seal_text=lambda text: keyed(text.encode()),
        personal=contract.personal,
        extra={"profile": EVENT_PROFILE, "rawDigest": keyed(case.raw)},
        place=case.source,
    )
    iri, triples = name(mapped.triples, f"{contract.id_base}event/")
    raw = Literal(base64.b64encode(case.raw).decode(), datatype=NamedNode(XSD_BASE64))
    payload = [*rename(mapped.payload, SELF, iri), Triple(NamedNode(iri), NamedNode(JL + "rawBytes"), raw)]
    payload_iri = f"{contract.id_base}payload/{iri.rpartition('/')[2]}"
    return Event(iri, triples, payload_iri, payload, tuple(mapped.opaque), tuple(mapped.hostile))


def context_of(contract: Contract) -> dict[str, Any]:
    """Return the case context with the pack's own context inside ``decision`` and, without its classes, ``gold``.

    Gold is no decision: nothing that looks for decisions by class may find it.
    """
    case: dict[str, Any] = json.loads(contract.text(CASE_CONTEXT))["@context"]
    pack: Mapping[str, Any] = json.loads(contract.text(contract.context))["@context"]
    unclassed = {k: v for k, v in pack.items() if not k.endswith(".type") and k != "*type"}
    return case | {
        "decision": case["decision"] | {"@context": pack},
        "gold": case["gold"] | {"@context": unclassed},
    }
