"""Whole verdicts kept at the same time, by threads and by processes: no chain has a gap, and nothing is lost."""

import json
import subprocess
import sys
import threading
from collections import defaultdict
from pathlib import Path
from typing import Any

from judgeloop.casefile import to_case
from judgeloop.loop import judge
from judgeloop.opening import freeze, open_world
from judgeloop.rdf.canonical import verify
from judgeloop.sources import parse_json
from judgeloop.store import Store, open_store
from judgeloop.vocab import JL

WRITERS, TURNS = 4, 3
CASES = ("사례 1", "c2")


def document(case_id: str, answer: str) -> dict[str, Any]:
    decision = {
        "query_id": "q005",
        "decision": "answer",
        "answer": answer,
        "path": [{"src": "c_acme", "rel": "locatedIn", "dst": "pl_seoul", "chunk_id": "ch_12"}],
        "factors": [],
        "reason": "에이크미는 서울에 있습니다.",
        "evidence": "locatedIn:ch_12",
        "hedge": None,
    }
    return {
        "case_id": case_id,
        "contract": "multihop",
        "input": {"text": "에이크미는 어느 도시에 있어?", "lang": "ko", "asked_at": "2026-01-01T00:00:00Z"},
        "decision": decision,
    }


def chains(store: Store) -> dict[str, list[int]]:
    """Return the numbers of each case's heads, after every verdict was found whole under one head."""
    heads: dict[str, dict[str, str]] = defaultdict(dict)
    said = 0
    for t in store.heads():
        heads[str(t.subject)][t.predicate.value.removeprefix(JL)] = str(getattr(t.object, "value", ""))
        said += t.predicate.value == JL + "verdict"
    assert said == len(heads)
    for head in heads.values():
        assert verify(store.graph(head["verdict"]), head["verdict"])
        assert store.has_graph(head["verdict"] + "/envelope")
    found: dict[str, list[int]] = defaultdict(list)
    for head in heads.values():
        found[head["caseId"]].append(int(head["sequence"]))
    return {case: sorted(numbers) for case, numbers in found.items()}


def test_threads_that_judge_the_same_cases_leave_whole_chains(store: Store) -> None:
    contract = freeze("multihop")
    world = open_world(contract)
    kept = list[str]()

    def work(writer: int) -> None:
        for turn in range(TURNS):
            for case_id in CASES:
                raw = json.dumps(document(case_id, f"answer {writer} {turn}")).encode()
                case = to_case("case.json", raw, parse_json(raw, "case.json"), contract)
                kept.append(judge(case, contract, world=world, store=store).iri)

    threads = [threading.Thread(target=work, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(kept)) == WRITERS * TURNS * len(CASES)
    assert chains(store) == {case: list(range(1, WRITERS * TURNS + 1)) for case in CASES}
    assert all(store.has_graph(verdict) for verdict in kept)


def test_processes_that_judge_the_same_cases_leave_whole_chains(empty_server: str, tmp_path: Path) -> None:
    runs = []
    for writer in range(2):
        file = tmp_path / f"{writer}.jsonl"
        documents = [document(case_id, f"answer {writer} {turn}") for turn in range(6) for case_id in CASES]
        file.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in documents))
        command = [sys.executable, "-m", "judgeloop", "judge", str(file), "--store", empty_server, "--fail-on", "none"]
        runs.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    for run in runs:
        said, failed = run.communicate(timeout=120)
        assert run.returncode == 0, said + failed
    with open_store(empty_server) as store:
        assert chains(store) == {case: list(range(1, 13)) for case in CASES}
