"""The same case in several threads at once gets one verdict, not a mixture."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from judgeloop import ajudge, freeze, open_store, open_world
from judgeloop.casefile import read_cases, to_case
from judgeloop.model import Case, Contract
from judgeloop.store.seats import Seats

ROOT = Path(__file__).parents[3]


def case(contract: Contract) -> Case:
    raw = (ROOT / "tests/cases/multihop/seed-q001-two-hops/case.json").read_bytes()
    place, content, document = next(iter(read_cases(Path("case.json"), raw)))
    assert isinstance(document, dict), json.dumps(document)
    return to_case(place, content, document, contract)


def test_one_case_judged_by_eight_at_once_gets_one_verdict() -> None:
    contract = freeze("multihop")
    world, one = open_world(contract), case(contract)

    async def all_at_once() -> list[str]:
        with open_store() as store:
            records = await asyncio.gather(*(ajudge(one, contract, world=world, store=store) for _ in range(8)))
            return [f"{r.verdict.outcome} {r.iri}" for r in records]

    found = asyncio.run(all_at_once())
    assert len(set(found)) == 1
    assert found[0].startswith("PASS ")


def test_a_seat_is_held_by_one_and_forgotten_when_nobody_wants_it() -> None:
    seats, inside, most = Seats(), 0, 0
    counting = threading.Lock()

    def sit(_: int) -> None:
        nonlocal inside, most
        with seats.taken("one"):
            with counting:
                inside += 1
                most = max(most, inside)
            with counting:
                inside -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(sit, range(200)))
    assert (most, seats._seats) == (1, {})


def test_other_names_do_not_wait() -> None:
    seats = Seats()
    with seats.taken("one"), seats.taken("other"):
        assert len(seats._seats) == 2
