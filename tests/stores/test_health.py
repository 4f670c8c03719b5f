"""A store is looked at before anything rests on it; what could not be looked at is no pass."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from judgeloop.errors import StoreUnavailable
from judgeloop.model import Status
from judgeloop.rdf.terms import Literal, NamedNode, Triple
from judgeloop.store import Store, open_store
from judgeloop.store.health import Check, examine, gate
from judgeloop.vocab import RDFS_LABEL

if TYPE_CHECKING:
    from tests.conftest import Fuseki

G = "http://example.org/kg/고장 이력(1)%20".replace(" ", "%20")
ALWAYS = ["reachable", "graph", "text-known", "text-nonsense", "text-limit"]


def fill(store: Store, graph: str = G) -> None:
    names = ["9호기 설비", "A2라인 반장", "pump seven", *(f"pump {n} of many" for n in range(40))]
    things = [NamedNode(f"http://example.org/{n}") for n in range(len(names))]
    label = NamedNode(RDFS_LABEL)
    store.put_once({graph: [Triple(thing, label, Literal(name)) for thing, name in zip(things, names, strict=True)]})


def search(place: str, graph: str) -> int:
    """Return how ``judgeloop query`` ends that looks for A2라인 in a graph of a store."""
    from judgeloop.cli import run  # noqa: PLC0415 - the command line is two tests of this file

    query = ["query", "retrieve/label_search.rq", "--param", f"graph={graph}", "--param", "words=A2라인"]
    return run([*query, "--store", place])


def seen(store: Store, graph: str | None = G, *, deep: bool = False) -> dict[str, Check]:
    return {check.name: check for check in examine(store, graph, deep=deep)}


def test_a_sound_store_passes_every_check(store: Store) -> None:
    fill(store)
    checks = seen(store, deep=True)
    assert [*checks][:5] == ALWAYS
    assert "index" in checks
    bad = {name: (check.status, check.why["en"]) for name, check in checks.items() if not check.fine}
    assert bad == {}
    assert checks["text-known"].status is Status.HOLDS
    assert all(check.why["en"] and check.why["ko"] and check.why["en"] != check.why["ko"] for check in checks.values())
    gate(store, G)


def test_a_graph_that_is_empty_or_misspelt_is_told(store: Store) -> None:
    fill(store)
    checks = seen(store, G + "x")
    assert checks["graph"].status is Status.VIOLATED
    assert G + "x" in checks["graph"].why["en"]
    assert checks["text-nonsense"].status is Status.NOT_RUN
    with pytest.raises(StoreUnavailable) as told:
        gate(store, G + "x")
    assert told.value.key == "health-gate"
    assert told.value.exit_code == 5


def test_a_store_without_knowledge_is_told(store: Store) -> None:
    assert seen(store, None)["graph"].status is Status.VIOLATED


def test_an_index_that_lacks_labels_is_found_by_the_deep_look(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s")) as store:
        fill(store)
        assert seen(store, deep=True)["index"].status is Status.HOLDS


@pytest.mark.parametrize(
    "wrong",
    [
        ("no-index", "text-known", Status.NOT_RUN),
        ("no-text", "text-known", Status.NOT_RUN),
        ("unmapped", "text-known", Status.NOT_RUN),
        ("empty-graph", "graph", Status.VIOLATED),
    ],
)
def test_a_fuseki_that_is_not_what_it_seems_lets_nothing_pass(
    broken_fuseki: "Callable[[str], Fuseki]",
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    wrong: tuple[str, str, Status],
) -> None:
    kind, check, status = wrong
    server = broken_fuseki(kind)
    monkeypatch.setenv("JUDGELOOP_STORE_USER", "writer")
    monkeypatch.setenv("JUDGELOOP_STORE_PASSWORD", server.password)
    with open_store(f"{server.url}/judge-rw") as store:
        if kind != "empty-graph":
            fill(store)
        found = seen(store)
        assert (found[check].status, found[check].fine) == (status, False), found[check].why
        assert found["updates-refused"].status is Status.HOLDS
        assert found["service-refused"].status is Status.HOLDS
        with pytest.raises(StoreUnavailable) as told:
            gate(store, G)
        assert told.value.exit_code == 5
        assert told.value.text("ko") != told.value.text("en")
    assert search(f"{server.url}/judge-rw", G) == 5
    printed = capsys.readouterr()
    assert (printed.out, f"{check}: " in printed.err) == ("", True)


def test_a_search_in_a_graph_that_is_not_there_is_no_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(tmp_path / "s")
    with open_store(place) as store:
        fill(store)
    assert search(place, G) == 0
    assert "A2라인 반장" in capsys.readouterr().out
    assert search(place, G + "x") == 5
    printed = capsys.readouterr()
    assert (printed.out, G + "x" in printed.err) == ("", True)


def test_the_command_ends_with_5_and_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from judgeloop.cli import run  # noqa: PLC0415 - the command line is one test of this file

    place = str(tmp_path / "s")
    with open_store(place) as store:
        fill(store)
    assert run(["store", "health", "--store", place, "--graph", G, "--deep"]) == 0
    assert run(["store", "health", "--store", place, "--graph", "http://example.org/none", "--lang", "ko"]) == 5
    assert "트리플이 없습니다" in capsys.readouterr().out
    assert run(["store", "health", "--store", place, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["check"] for each in told["checks"]] == ALWAYS
    assert run(["store", "health"]) == 2
