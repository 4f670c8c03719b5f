"""What it costs to keep one decision, in every kind of store; and what a flush adds, once a decision or once a batch.

Whole verdicts of the shipped kind (some 900 triples each) are judged beforehand, so only keeping them is timed. Ratios
are to the store in memory. Fuseki is measured where docker/fuseki can start it.
"""

import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench_crash import ANSWER, LAUNCHER, Target  # type: ignore[import-not-found]  # it stands beside this script

from judgeloop import freeze, judge, open_store, open_world
from judgeloop.casefile import to_case
from judgeloop.loop import keep
from judgeloop.record import VerdictRecord
from judgeloop.sources import parse_json
from judgeloop.store import Store

DECISIONS = 60
"""In all; the first of each store brings contract and world with it and is not counted."""


def records() -> list[VerdictRecord]:
    """Return verdicts of cases that differ."""
    contract = freeze("multihop")
    world = open_world(contract)
    found: list[VerdictRecord] = []
    with open_store() as store:
        for number in range(DECISIONS):
            raw = json.dumps({**ANSWER, "case_id": f"사례 {number}", "decision": _decision(number)}).encode()
            case = to_case("case.json", raw, parse_json(raw, "case.json"), contract)
            found.append(judge(case, contract, world=world, store=store))
    return found


def _decision(number: int) -> dict[str, object]:
    return {**ANSWER["decision"], "reason": f"{number} 번째로 답합니다."}


def main() -> None:
    """Keep the same decisions in each kind of store."""
    contract = freeze("multihop")
    world = open_world(contract)
    made = records()
    kinds = ["memory", "folder", "server"]
    if not subprocess.run([LAUNCHER, "--check"], capture_output=True, check=False).returncode:
        kinds.append("fuseki")
    os.environ.setdefault("JUDGELOOP_STORE_SECRET", "5e" * 32)
    base = 0.0

    def timed(store: Store, after: Callable[[], None] = lambda: None) -> float:
        times = []
        for record in made:
            start = time.perf_counter()
            keep(store, contract, record, world)
            after()
            times.append((time.perf_counter() - start) * 1000)
        return statistics.median(times[1:])

    for kind in kinds:
        with tempfile.TemporaryDirectory() as place:
            target = Target(kind, Path(place)) if kind != "memory" else None
            if target is not None:
                target.start()
            with open_store(target.url if target else "memory:") as store:
                spent = timed(store)
                start = time.perf_counter()
                store.flush()
                flush = (time.perf_counter() - start) * 1000
            base = base or spent
            line = f"store, {kind}: {spent:.1f} ms a decision, {spent / base:.1f} of memory"
            if kind == "folder":
                with open_store(f"{place}/flushed") as store:
                    each = timed(store, store.flush)
                line += f"; flushed after each {each:.1f} ms, after {DECISIONS} {spent + flush / DECISIONS:.1f} ms"
            print(line, flush=True)  # noqa: T201
            if target is not None and target.server is not None:
                target.server.terminate()
                target.server.wait()


if __name__ == "__main__":
    main()
