"""Every shipped query gives the same rows on every store as in memory, in the same order where it asks for one."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from judgeloop.checks.matter import Matter, seated
from judgeloop.event import seal
from judgeloop.loop import judge
from judgeloop.model import Contract
from judgeloop.opening import freeze, open_world, read_case
from judgeloop.rdf.rq import BoundQuery, Query, bind, parse
from judgeloop.rdf.textquery import uses_text
from judgeloop.store import Store, open_store
from judgeloop.vocab import JL

ROOT: Final = Path(__file__).parents[2]
CASES: Final = ROOT / "tests" / "cases" / "multihop"
JUDGED: Final = ("q001-wrong-chunk", "world-q020-two-of-one-name", "seed-q001-two-hops")
SEATED: Final = (
    "world-q001-two-hops",
    "world-q019-list-in-english",
    "world-q022-who-leads-now",
    "q001-hops-do-not-join",
    "hop-that-nobody-asked-for",
    "refused-although-two-hops-lead-there",
    "world-q008-beyond-the-limit",
    "who-supplies-gamma",
)
MARK: Final = pytest.mark.needs("fuseki")
KINDS: Final[Mapping[str, Callable[[Path, pytest.FixtureRequest], Store]]] = {
    "folder": lambda path, _: open_store(str(path / "s")),
    "http": lambda _, request: open_store(request.getfixturevalue("empty_server")),
    "fuseki": lambda _, request: open_store(request.getfixturevalue("empty_fuseki").write),
}
OTHERS: Final = ("folder", "http", pytest.param("fuseki", marks=MARK))


@cache
def contract() -> Contract:
    return freeze("multihop")


@pytest.fixture(params=OTHERS)
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with KINDS[request.param](tmp_path, request) as opened:
        yield opened


def answer(store: Store, query: BoundQuery) -> Any:
    """Return what a query gives: in its order where it asks for one, else counted."""
    if query.query.kind == "ask":
        return store.ask(query)
    if query.query.kind == "construct":
        return set(store.construct(query))
    rows = [tuple(sorted(row.items())) for row in store.select(query).texts()]
    if uses_text(query.query):  # engines add the parts of a score in different orders
        rows = [tuple((name, value[:5] if name == "score" else value) for name, value in row) for row in rows]
    return rows if "ORDER" in query.query.words else Counter(rows)


@pytest.mark.parametrize("name", SEATED)
def test_every_query_of_a_contract(other: Store, name: str) -> None:
    case = read_case(CASES / name / "case.json", contract())
    world = open_world(contract(), sorted((CASES / name).glob("world.*")))
    with seated(contract(), case, seal(case, contract(), bytes(32)), world) as matter:
        held = [world.graph, world.inferred, matter.event.iri, matter.reading]
        other.put_once({graph: list(world.store.graph(graph)) for graph in held})
        differing = {path: found for path in paths(matter) if (found := both(matter, other, path))}
        assert differing == {}


def paths(matter: Matter) -> list[str]:
    return sorted({*matter.contract.queries.values(), *matter.contract.derive})


def both(matter: Matter, other: Store, path: str) -> tuple[Any, Any] | None:
    """Return the two answers where they differ."""
    query = matter.bound(path)[0]
    here, there = answer(matter.world.store, query), answer(other, query)
    return None if here == there else (here, there)


def test_every_query_that_clients_start_from(other: Store) -> None:
    memory = open_store()
    cases = [read_case(CASES / name / "case.json", contract()) for name in JUDGED]
    *_, record = [judge(case, contract(), world=open_world(contract()), store=memory) for case in cases]
    world = record.record["world"]["graph"]
    other.put_once({graph: list(memory.graph(graph)) for graph in memory.graphs()})
    values = {
        "case": record.record["case_id"],
        "class": JL + "Edge",
        "contract": contract().iri,
        "event": record.event.iri,
        "graph": world,
        "lang": "ko",
        "property": "http://www.w3.org/2000/01/rdf-schema#label",
        "question": f"{contract().id_base}q001",
        "verdict": record.iri,
        "words": "에이크미가",
        "world": world,
    }
    ran = 0
    for path in sorted([*(ROOT / "sparql/report").glob("*.rq"), *(ROOT / "sparql/retrieve").glob("*.rq")]):
        query: Query = parse(path.read_text("utf-8"), path.name)
        own = {"name": "에이크미" if path.stem == "label_exact" else contract().name, "version": contract().version}
        bound = bind(query, {name: {**values, **own}[name] for name in query.params})
        assert answer(memory, bound) == answer(other, bound), path.name
        ran += bool(answer(memory, bound))
    assert ran >= 10, "an answer without rows compares nothing"
