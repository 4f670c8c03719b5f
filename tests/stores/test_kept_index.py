"""The text index in a folder: killed writers, indexes of another day, and rubbish never make a search find nothing."""

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from shutil import copytree, rmtree

import pytest
from pyoxigraph import Literal, NamedNode, Triple

from judgeloop.errors import StoreError, StoreUnavailable
from judgeloop.rdf.rq import bind, parse
from judgeloop.store import Store, open_store, stamp
from judgeloop.store.searching import KeptLabels
from judgeloop.vocab import RDFS_LABEL

E = "http://example.org/"
LABEL = NamedNode(RDFS_LABEL)
NEAR = bind(
    parse(
        "PREFIX text: <http://jena.apache.org/text#>\nSELECT ?s { GRAPH ?g { (?s ?score) text:query '9호기가' } }",
        "t.rq",
    ),
    {},
)


def label(thing: str, text: str = "9호기") -> Triple:
    return Triple(NamedNode(E + thing), LABEL, Literal(text))


def found(store: Store) -> list[str]:
    return sorted(row["s"].removeprefix(E) for row in store.select(NEAR).texts())


def fill(path: Path, **graphs: str) -> None:
    """Write one label into each graph, and leave an index that is finished."""
    with open_store(str(path)) as store:
        for graph, thing in graphs.items():
            store.replace(E + graph, [label(thing)])


def was_kept(path: Path) -> bool:
    """Say whether the next search takes the index as it lies there."""
    return stamp.revision(path) == stamp.stamped(path / stamp.FOLDER)


# --- when it is written


def test_opening_and_writing_other_things_makes_no_index(tmp_path: Path) -> None:
    code = """
        import sys
        from judgeloop.store import open_store
        from pyoxigraph import Literal, NamedNode, Triple
        A = NamedNode("urn:x:a")
        with open_store(sys.argv[1]) as store:
            store.put_once({"http://example.org/g": [Triple(A, NamedNode("urn:x:p"), Literal("9호기"))]})
            store.drop("http://example.org/g")
            store.flush()
        with open_store() as store:
            store.put_once({"http://example.org/g": [Triple(A, NamedNode(sys.argv[2]), Literal("9호기"))]})
        print("tantivy" in sys.modules)
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "s"), RDFS_LABEL]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"
    assert not (tmp_path / "s" / stamp.FOLDER).exists()
    assert not (tmp_path / "s" / stamp.REVISION_FILE).exists()


def test_a_store_in_memory_has_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_store() as store:
        store.put_once({E + "g": [label("a")]})
        assert found(store) == ["a"]
    assert list(tmp_path.iterdir()) == []


def test_one_commit_serves_many_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finished: list[str] = []
    finish = KeptLabels._finish

    def count(labels: KeptLabels) -> None:
        finished.append("")
        finish(labels)

    monkeypatch.setattr(KeptLabels, "_finish", count)
    with open_store(str(tmp_path / "s")) as store:
        for number in range(20):
            store.put_once({f"{E}{number}": [label(str(number))]})
        assert finished == []
        assert len(found(store)) == 20
        assert len(found(store)) == 20
        assert len(finished) == 1
        store.put_once({E + "other": [Triple(NamedNode(E + "a"), NamedNode(E + "p"), Literal("9호기"))]})
        store.flush()
        assert len(finished) == 1
        store.put_once({E + "more": [label("more")]})
        store.flush()
        assert len(finished) == 2
    assert was_kept(tmp_path / "s")


def test_an_index_that_was_finished_is_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "s", g="a")
    monkeypatch.setattr(KeptLabels, "rebuild", None)
    for number in range(3):
        with open_store(str(tmp_path / "s")) as store:
            store.put_once({f"{E}{number}": [label(str(number))]})
            assert found(store) == sorted(["a", *map(str, range(number + 1))])


# --- indexes that are not those of the data


def test_labels_without_an_index_get_one(tmp_path: Path) -> None:
    fill(tmp_path / "s", g="a")
    rmtree(tmp_path / "s" / stamp.FOLDER)
    (tmp_path / "s" / stamp.REVISION_FILE).unlink()  # as a store of a version before this one
    with open_store(str(tmp_path / "s")) as store:
        store.put_once({E + "h": [label("b")]})
        assert found(store) == ["a", "b"]
        assert store.index_differences() == (0, 0)


@pytest.mark.parametrize("lost", [stamp.FOLDER, stamp.REVISION_FILE])
@pytest.mark.parametrize("writes", [True, False])
def test_a_lost_index_is_made_again(tmp_path: Path, lost: str, writes: bool) -> None:
    fill(tmp_path / "s", g="a")
    path = tmp_path / "s" / lost
    rmtree(path) if path.is_dir() else path.unlink()
    with open_store(str(tmp_path / "s")) as store:
        if writes:
            store.put_once({E + "h": [label("b")]})
        assert found(store) == (["a", "b"] if writes else ["a"])
        assert store.index_differences() == (0, 0)
    assert was_kept(tmp_path / "s")


@pytest.mark.parametrize("writes", [True, False])
def test_an_index_of_another_day_is_made_again(tmp_path: Path, writes: bool) -> None:
    store_, index = tmp_path / "s", tmp_path / "s" / stamp.FOLDER
    fill(store_, g="a")
    copytree(index, tmp_path / "old")
    fill(store_, g="b", h="c")
    rmtree(index)
    copytree(tmp_path / "old", index)
    assert not was_kept(store_)
    with open_store(str(store_)) as store:
        if writes:
            store.put_once({E + "i": [label("d")]})
        assert found(store) == ["b", "c", "d"][: 2 + writes]
    assert was_kept(store_)


def test_data_of_another_day_is_not_searched_by_a_newer_index(tmp_path: Path) -> None:
    fill(tmp_path / "s", g="a")
    copytree(tmp_path / "s", tmp_path / "old")
    fill(tmp_path / "s", g="b", h="c")
    rmtree(tmp_path / "old" / stamp.FOLDER)
    copytree(tmp_path / "s" / stamp.FOLDER, tmp_path / "old" / stamp.FOLDER)
    with open_store(str(tmp_path / "old")) as store:
        assert found(store) == ["a"]


def files(index: Path) -> list[str]:
    return sorted({path.suffix or path.name for path in index.rglob("*") if path.is_file() and path.suffix != ".lock"})


@pytest.mark.parametrize("how", ["garbage", "cut", "gone", "one bit"])
def test_rubbish_in_any_file_is_noticed(tmp_path: Path, how: str) -> None:
    fill(tmp_path / "s", g="a", h="b")
    kinds = files(tmp_path / "s" / stamp.FOLDER)
    assert {".term", ".idx", ".store", ".fieldnorm", ".json"} <= set(kinds)
    for kind in kinds:
        copytree(tmp_path / "s", tmp_path / kind)
        for path in (tmp_path / kind / stamp.FOLDER).rglob("*"):
            if path.is_file() and (path.suffix or path.name) == kind:
                content = path.read_bytes()
                match how:
                    case "garbage":
                        path.write_bytes(b"\xde\xad" * (len(content) // 2 + 1))
                    case "cut":
                        path.write_bytes(content[: len(content) // 2])
                    case "one bit":
                        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]) if content else b"1")
                    case _:
                        path.unlink()
        with open_store(str(tmp_path / kind)) as store:
            assert found(store) == ["a", "b"], (kind, how)
            assert store.index_differences() == (0, 0)


def test_an_index_that_can_not_be_made_is_told_and_never_empty(tmp_path: Path) -> None:
    fill(tmp_path / "s", g="a")
    index = tmp_path / "s" / stamp.FOLDER
    rmtree(index)
    index.write_text("a file where the folder should be")
    with open_store(str(tmp_path / "s")) as store:
        for _ in range(2):
            with pytest.raises(StoreUnavailable) as told:
                store.select(NEAR)
            assert (told.value.key, told.value.exit_code) == ("text-index-behind", 5)
            assert told.value.place == str(index)
            with pytest.raises(StoreUnavailable):
                store.index_differences()
        store.put_once({E + "h": [label("b")]})  # writing goes on
        assert store.has_graph(E + "h")
        index.unlink()
        assert found(store) == ["a", "b"]
    assert was_kept(tmp_path / "s")


def test_a_full_disk_stops_no_write_and_no_search_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "s", g="a")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with open_store(str(tmp_path / "s")) as store:
        store.put_once({E + "h": [label("b")]})
        with monkeypatch.context() as patched:
            patched.setattr(stamp, "set_stamp", full)
            store.flush()
            with pytest.raises(StoreUnavailable) as told:
                store.select(NEAR)
            assert told.value.params["why"] == "No space left on device"
        assert not was_kept(tmp_path / "s")
        assert found(store) == ["a", "b"]


def test_a_write_that_fails_half_way_is_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(str(tmp_path / "s")) as store:
        store.put_once({E + "g": [label("a"), label("b")]})
        assert found(store) == ["a", "b"]

        def refuse(*_: object) -> None:
            raise StoreError("store-full", place="s", why="full")

        with monkeypatch.context() as patched:
            patched.setattr(store, "_write", refuse)
            for write in (
                lambda: store.put_once({E + "h": [label("c")]}),
                lambda: store.replace(E + "g", [label("a"), label("c")]),
                lambda: store.drop(E + "g"),
            ):
                with pytest.raises(StoreError):
                    write()
        assert found(store) == ["a", "b"]
        assert store.index_differences() == (0, 0)


# --- writers that are killed

WRITER = f"""
    import random, sys
    from pyoxigraph import Literal, NamedNode, Triple
    from judgeloop.rdf.rq import bind, parse
    from judgeloop.store import open_store
    E, LABEL = "{E}", NamedNode("{RDFS_LABEL}")
    names = "PREFIX text: <http://jena.apache.org/text#> "
    near = bind(parse(names + "SELECT ?s {{ GRAPH ?g {{ ?s text:query '9호기' }} }}", "t"), {{}})
    chance = random.Random(int(sys.argv[2]))
    store = open_store(sys.argv[1])
    number = len(store.graphs())
    while True:
        names = [NamedNode(f"{{E}}{{number}}/{{k}}") for k in range(3)]
        store.put_once({{f"{{E}}{{number}}": [Triple(name, LABEL, Literal(f"9호기 {{number}}")) for name in names]}})
        print(number, flush=True)
        if chance.random() < 0.2:
            store.replace(f"{{E}}{{chance.randrange(number + 1)}}", [Triple(names[0], LABEL, Literal("9호기 새것"))])
        if chance.random() < 0.2:
            store.select(near)
        if chance.random() < 0.1:
            store.flush()
        number += 1
"""


def test_killed_writers_leave_an_index_that_is_noticed_and_made_again(tmp_path: Path) -> None:
    acknowledged = -1
    behind = 0
    for kill in range(5):
        command = [sys.executable, "-c", textwrap.dedent(WRITER), str(tmp_path / "s"), str(kill)]
        writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        for _ in range(10 + 7 * kill):
            acknowledged = int(writer.stdout.readline())
        time.sleep(0.004 * kill)
        writer.send_signal(signal.SIGKILL)
        said, _ = writer.communicate()
        acknowledged = max([acknowledged, *map(int, said.split("\n")[:-1])])
        behind += not was_kept(tmp_path / "s")
        with open_store(str(tmp_path / "s")) as store:
            held = [str(triple.subject)[1:-1] for graph in store.graphs() for triple in store.graph(graph)]
            assert len(store.graphs()) >= acknowledged + 1
            assert found(store) == sorted(thing.removeprefix(E) for thing in held)
            assert store.index_differences() == (0, 0)
    assert behind > 0  # else this test showed nothing
