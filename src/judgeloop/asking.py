"""Runs a pack's agent on one question and gives its decision as a case file that is ready to be judged."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from judgeloop.agents import agents
from judgeloop.errors import BadInput, EngineFailure
from judgeloop.rdf.literal import instant
from judgeloop.schema import compiled
from judgeloop.store import open_store
from judgeloop.suite import Suite
from judgeloop.text import nfc


def ask(
    pack: str, text: str, kg: Sequence[Path], base: str | None = None, asked_at: str | None = None
) -> dict[str, Any]:
    """Return the case: the question as asked (now, unless ``asked_at`` says when) and the agent's decision.

    Raises:
        BadInput: the question is empty or no text, the time has no zone, or a world file can't be read.
        EngineFailure: the agent's decision does not fit its own schema.
    """
    if not text.strip():
        raise BadInput("ask-empty")
    if any("\ud800" <= c <= "\udfff" for c in text):  # bytes of the command line that are no text
        raise BadInput("ask-surrogate", value=text)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    moment = instant(now if asked_at is None else asked_at)
    if moment is None:
        raise BadInput("ask-time", value=asked_at)
    with open_store() as store:
        suite = Suite(store, contract=pack, kg=kg, base=base)
        contract = suite.of(pack)
        world = suite.world(contract, kg)
        query_id = f"q-{hashlib.sha256(nfc(text).encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
        decision = agents()[pack]()(text, contract, world, query_id=query_id, asked_at=moment)
    faults = compiled(contract.assets[contract.decision_schema].content, contract.decision_schema).violations(decision)
    if faults:
        raise EngineFailure("verdict-not-valid", why=f"{faults[0].pointer}: {faults[0].message['en']}")
    return {
        "case_id": query_id,
        "contract": f"{contract.name}@{contract.version}",
        "input": {"text": text, "asked_at": asked_at or moment},
        "decision": decision,
        "model": {"name": f"judgeloop-{pack}", "version": version("judgeloop")},
    }
