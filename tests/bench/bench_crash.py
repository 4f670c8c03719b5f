"""Kills writers or servers with SIGKILL while decisions are kept, and counts what was acknowledged and is not there.

A decision is acknowledged when `keep` returned. Each is a sealed event of its own (one answer with another case id and
reason) and a verdict of that event, sealed too: what the checks gave to the first, whole in every 20th and without its
findings and reasons in the others, because judging all of them would take an hour and the store sees no difference.
A label of knowledge is written beside every fifth. Target: none lost, none torn, every chain of heads without a gap,
and a text index that holds the labels that the store holds.

    bench_crash.py [--kind folder|server|fuseki] [--kills N] [--decisions N] [--seed N]
"""

import argparse
import contextlib
import itertools
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from judgeloop import freeze, judge, open_store, open_world
from judgeloop.casefile import to_case
from judgeloop.errors import StoreError
from judgeloop.event import seal
from judgeloop.loop import keep
from judgeloop.model import Case, Contract
from judgeloop.rdf.canonical import name, rename, verify
from judgeloop.rdf.terms import Literal, NamedNode, Triple
from judgeloop.record import VerdictRecord
from judgeloop.sources import parse_json
from judgeloop.store import Store
from judgeloop.store.world import World
from judgeloop.vocab import JL, RDFS_LABEL, SELF

CASES = 40
"""Cases that the decisions are about; each has a chain of verdicts."""
KNOWLEDGE = "http://example.org/kg/"
LABEL = NamedNode(RDFS_LABEL)
LABELS = 5
"""One label for so many decisions."""
LAUNCHER = Path(__file__).parents[2] / "docker" / "fuseki"
LONG = {"folder": (15, 10_000), "server": (5, 2_000), "fuseki": (5, 2_000)}
"""Kills and acknowledged decisions of one run."""
ANSWER: dict[str, Any] = {
    "contract": "multihop",
    "input": {"text": "에이크미는 어느 도시에 있어?", "lang": "ko", "asked_at": "2026-01-01T00:00:00Z"},
    "decision": {
        "query_id": "q005",
        "decision": "answer",
        "answer": "pl_seoul",
        "path": [{"src": "c_acme", "rel": "locatedIn", "dst": "pl_seoul", "chunk_id": "ch_12"}],
        "factors": [],
        "evidence": "locatedIn:ch_12",
        "hedge": None,
    },
}


class Maker:
    """Makes decisions by number; the same number and secret give the same decision."""

    def __init__(self, secret: bytes) -> None:
        """Judge one decision; the others are like it."""
        self.contract: Contract = freeze("multihop")
        self.world: World = open_world(self.contract)
        self._secret = secret
        with open_store() as store:
            self._whole = judge(self._case(0), self.contract, world=self.world, store=store)
        kept = {self._whole.iri, *(f"{self._whole.iri}#/{part}" for part in ("provenance", "world", "privacy"))}
        held = [t for t in self._whole.triples if isinstance(t.subject, NamedNode) and t.subject.value in kept]
        self._short = replace(self._whole, triples=held)

    def record(self, number: int) -> VerdictRecord:
        """Return the verdict of decision ``number``."""
        case, first = self._case(number), self._short if number % 20 else self._whole
        event = seal(case, self.contract, self._secret)
        moved = rename(rename(first.triples, first.iri, SELF), first.event.iri, event.iri)
        was, now = Literal(first.record["case_id"]), Literal(case.case_id)
        iri, triples = name(
            [Triple(t.subject, t.predicate, now if t.object == was else t.object) for t in moved],
            f"{self.contract.id_base}verdict/",
        )
        told = {**first.record, "@id": iri, "case_id": case.case_id}
        envelope = rename(first.envelope, first.iri, iri)
        return replace(first, iri=iri, record=told, triples=triples, envelope=envelope, event=event)

    def _case(self, number: int) -> Case:
        decision = {**ANSWER["decision"], "reason": f"{number} 번째로 답합니다."}
        document = {**ANSWER, "case_id": f"사례 {number % CASES}", "decision": decision}
        raw = json.dumps(document, ensure_ascii=False).encode()
        return to_case("case.json", raw, parse_json(raw, "case.json"), self.contract)


def write(url: str, start: int) -> None:
    """Keep one decision after the other and acknowledge each on a line, until killed or the store fails."""
    with open_store(url) as store:
        maker = Maker(store.secret)
        with contextlib.suppress(StoreError):
            for number in itertools.count(start):
                record = maker.record(number)
                keep(store, maker.contract, record, maker.world)
                if number % LABELS == 0:
                    thing = f"{KNOWLEDGE}{number}"
                    store.put_once({thing: [Triple(NamedNode(thing), LABEL, Literal(f"{number}호기"))]})
                print(number, record.iri, record.event.iri, flush=True)  # noqa: T201 - the acknowledgement


class Target:
    """A store that is killed: in a folder with its writer, or a server."""

    def __init__(self, kind: str, place: Path) -> None:
        """Prepare; nothing runs yet."""
        self.kind = kind
        self._place = place
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        at = f"http://127.0.0.1:{self._port}"
        self.url = {"folder": str(place / "store"), "server": at, "fuseki": f"{at}/judge-rw"}[kind]
        self.server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server, where there is one."""
        if self.kind == "folder":
            return
        data, port = self._place / "data", str(self._port)
        oxigraph = [str(Path(sys.executable).parent / "oxigraph"), "serve", "--location", str(data)]
        fuseki = [str(LAUNCHER), "--data", str(data), "--memory", "1g", "--port", port]
        command = fuseki if self.kind == "fuseki" else [*oxigraph, "--bind", f"127.0.0.1:{port}"]
        with (self._place / "log").open("ab") as log:
            self.server = subprocess.Popen(command, stdout=log, stderr=log)
        for _ in range(600):
            with contextlib.suppress(StoreError, OSError):
                if self.kind == "fuseki":
                    secret = (data / "passwd").read_text().splitlines()[0].partition(": ")[2]
                    os.environ |= {"JUDGELOOP_STORE_USER": "writer", "JUDGELOOP_STORE_PASSWORD": secret}
                open_store(self.url).close()
                return
            time.sleep(0.1)
        sys.exit("the server did not start: " + (self._place / "log").read_text()[-2000:])

    def kill(self, writer: "subprocess.Popen[str]") -> None:
        """Kill the process that writes to disk."""
        victim: subprocess.Popen[Any] = self.server or writer
        victim.kill()
        victim.wait()


def rounds(target: Target, kills: int, decisions: int, chance: random.Random) -> dict[int, tuple[str, str]]:
    """Return the acknowledged decisions of ``kills`` rounds: number → verdict and event."""
    kept: dict[int, tuple[str, str]] = {}
    for turn in range(kills):
        target.start()
        wanted = (decisions * (turn + 1)) // kills
        command = [sys.executable, __file__, "write", target.url, str(max(kept, default=0) + 2)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            reading = threading.Thread(target=_note, args=(writer, kept))
            reading.start()
            while len(kept) < wanted and writer.poll() is None:
                time.sleep(0.005)
            time.sleep(chance.uniform(0, 0.05))
            target.kill(writer)
            reading.join()
    return kept


def _note(writer: "subprocess.Popen[str]", kept: dict[int, tuple[str, str]]) -> None:
    for line in writer.stdout or ():
        if line.endswith("\n"):  # the last one may be half
            number, verdict, event = line.split()
            kept[int(number)] = (verdict, event)


def check(store: Store, kept: dict[int, tuple[str, str]]) -> dict[str, int]:
    """Return how many acknowledged decisions are lost, how many stored ones are torn, and how many chains have gaps."""
    heads: dict[str, dict[str, str]] = defaultdict(dict)
    for t in store.heads():
        if isinstance(t.subject, NamedNode) and isinstance(t.object, NamedNode | Literal):
            heads[t.subject.value][t.predicate.value.removeprefix(JL)] = t.object.value
    current = {head["verdict"]: head for head in heads.values()}
    whole = {verdict: all(_whole(store, verdict, event) for event in _events(store, verdict)) for verdict in current}
    lost = sum(not whole.get(verdict) or not store.has_graph(event) for verdict, event in kept.values())
    graphs = store.graphs()
    torn = sum(1 for graph in graphs if "/verdict/" in graph and graph.removesuffix("/envelope") not in current)
    events = {e for verdict in current for e in _events(store, verdict)}
    torn += sum(1 for verdict in current if not whole[verdict])
    torn += sum(1 for graph in graphs if "/event/" in graph and graph not in events)
    chains: dict[str, list[int]] = defaultdict(list)
    for head in heads.values():
        chains[head["caseId"]].append(int(head["sequence"]))
    gaps = sum(sorted(chain) != list(range(1, len(chain) + 1)) for chain in chains.values())
    gaps += sum("supersedes" in h and h["supersedes"] not in heads for h in heads.values())
    return {"acknowledged": len(kept), "stored": len(current), "lost": lost, "torn": torn, "gaps": gaps}


def _whole(store: Store, verdict: str, event: str) -> bool:
    beside = (f"{verdict}/envelope", event.replace("/event/", "/payload/"))
    sealed = all(verify(store.graph(graph), graph) for graph in (verdict, event))
    return sealed and all(store.has_graph(graph) for graph in beside)


def _events(store: Store, verdict: str) -> list[str]:
    said = [t.object for t in store.graph(verdict) if t.predicate.value == JL + "event"]
    return [term.value for term in said if isinstance(term, NamedNode)] or ["urn:nothing"]


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """Give an empty folder, and the secret that all writers to one server share."""
    os.environ.setdefault("JUDGELOOP_STORE_SECRET", "5e" * 32)
    with tempfile.TemporaryDirectory() as place:
        yield Path(place)


def run(kind: str, kills: int, decisions: int, seed: int) -> dict[str, int]:
    """Return what was found after the last kill."""
    with folder() as place:
        target = Target(kind, place)
        began = time.monotonic()
        kept = rounds(target, kills, decisions, random.Random(seed))  # noqa: S311 - moments, no secrets
        spent = time.monotonic() - began
        target.start()
        with open_store(target.url) as store:
            found = check(store, kept) | {"index": sum(store.index_differences())}
            found["labels"] = sum(graph.startswith(KNOWLEDGE) for graph in store.graphs())
        if target.server is not None:
            target.server.kill()
            target.server.wait()
    return found | {"kills": kills, "seconds": round(spent)}


def main() -> None:
    """Run the kinds that are named, or all that can run here."""
    if sys.argv[1:2] == ["write"]:
        write(sys.argv[2], int(sys.argv[3]))
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", choices=LONG, action="append")
    parser.add_argument("--kills", type=int)
    parser.add_argument("--decisions", type=int)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for kind in args.kind or LONG:
        if kind == "fuseki" and subprocess.run([LAUNCHER, "--check"], capture_output=True, check=False).returncode:
            print("crash, fuseki: not run; docker/fuseki --fetch brings it")  # noqa: T201
            continue
        kills, decisions = LONG[kind]
        found = run(kind, args.kills or kills, args.decisions or decisions, args.seed)
        print(f"crash, {kind}: {json.dumps(found)}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
