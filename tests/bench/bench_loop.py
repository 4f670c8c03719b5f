"""One case through the loop without models: seal, check, decide, record, store in memory; and the share of pyshacl."""

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from judgeloop import freeze, judge, open_store, open_world
from judgeloop import record as record_room
from judgeloop.agents import agents
from judgeloop.casefile import read_cases, to_case
from judgeloop.checks import matter as matter_room
from judgeloop.model import Case

ROUNDS = 40
QUESTIONS = ("홍길동이 다니는 회사는 어느 도시에 있어?", "Which city is Acme located in?", "박영희는 어느 회사에 다녀?")


class Stopwatch:
    """Adds up the time that a function takes."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Stand in for ``function``."""
        self.function, self.spent = function, 0.0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it and note how long that took."""
        start = time.perf_counter()
        try:
            return self.function(*args, **kwargs)
        finally:
            self.spent += time.perf_counter() - start


def main() -> None:
    """Judge three questions' answers again and again, each time as a case of its own."""
    contract = freeze("multihop")
    world = open_world(contract)
    ask = agents()["multihop"]()
    cases: list[Case] = []
    for i in range(ROUNDS * len(QUESTIONS)):
        text = QUESTIONS[i % len(QUESTIONS)]
        decision = ask(text, contract, world, query_id=f"bench-{i}")
        raw = json.dumps({"case_id": f"bench-{i}", "input": {"text": text}, "decision": decision}).encode()
        place, content, document = next(read_cases(Path(f"bench-{i}.json"), raw))
        assert isinstance(document, dict)
        cases.append(to_case(place, content, document, contract))
    shacl_of_event, shacl_of_verdict = (Stopwatch(vars(room)["validate"]) for room in (matter_room, record_room))
    vars(matter_room)["validate"], vars(record_room)["validate"] = shacl_of_event, shacl_of_verdict
    times = []
    with open_store() as store:
        for case in cases:
            start = time.perf_counter()
            judge(case, contract, world=world, store=store)
            times.append((time.perf_counter() - start) * 1000)
    n = len(times)
    event_ms, verdict_ms = (watch.spent * 1000 / n for watch in (shacl_of_event, shacl_of_verdict))
    mean = statistics.mean(times)
    print(  # noqa: T201
        f"loop: median {statistics.median(times):.1f} ms, mean {mean:.1f} ms a case (n {n}); pyshacl on the event "
        f"{event_ms:.1f} ms, on the verdict {verdict_ms:.1f} ms, together {(event_ms + verdict_ms) / mean:.0%}"
    )


if __name__ == "__main__":
    main()
