"""A store in a folder: one process at a time, one secret, and whole steps whatever happens to the process."""

import signal
import stat
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

from judgeloop.errors import StoreError
from judgeloop.store import Store, folder, open_store

E = "http://example.org/"
P = NamedNode(E + "p")
SECRET = folder.SECRET_FILE
ONE = Triple(NamedNode(E + "a"), P, Literal("하나"))
TWO = Triple(NamedNode(E + "a"), P, Literal("둘"))
PREAMBLE = """
    import resource, sys
    from pyoxigraph import Literal, NamedNode, Quad, Triple
    from judgeloop.errors import StoreError
    from judgeloop.store import open_store
    from judgeloop.vocab import HEADS
    E, P = "http://example.org/", NamedNode("http://example.org/p")
    def triples(number, count, size=1):
        return [Triple(NamedNode(f"{E}{number}/{k}"), P, Literal(str(number) * size)) for k in range(count)]
"""


def child(code: str, *arguments: object) -> "subprocess.Popen[str]":
    """Start another process that runs ``code`` after the common lines."""
    text = textwrap.dedent(PREAMBLE) + textwrap.dedent(code)
    command = [sys.executable, "-c", text, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def refusal(path: Path, *, create: bool = True) -> StoreError:
    with pytest.raises(StoreError) as refused:
        open_store(str(path), create=create)
    assert refused.value.exit_code == 2
    assert refused.value.text("ko").startswith(f"{path}: ")
    return refused.value


# --- the folder and its secret


def test_what_was_written_is_there_when_the_folder_is_opened_again(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "new" / "store")) as store:
        store.put_once({E + "g": [ONE]})
        secret = store.secret
    with open_store(str(tmp_path / "new" / "store"), create=False) as store:
        assert list(store.graph(E + "g")) == [ONE]
        assert store.secret == secret


def test_the_secret_is_random_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "one")) as one, open_store(str(tmp_path / "two")) as two:
        assert one.secret != two.secret
        assert (tmp_path / "one" / SECRET).read_bytes() == one.secret
    assert stat.S_IMODE((tmp_path / "one" / SECRET).stat().st_mode) == 0o600


def test_creators_that_race_get_one_secret(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        for number in range(10):
            path = tmp_path / str(number)
            assert len(set(pool.map(lambda _, at=path: folder.prepare(at, create=True), range(16)))) == 1
            assert [entry.name for entry in path.iterdir()] == [SECRET]


def test_processes_that_race_never_both_get_the_store(tmp_path: Path) -> None:
    code = """
        try:
            store = open_store(sys.argv[1])
        except StoreError as error:
            print(error.key, flush=True)
        else:
            print(store.secret.hex(), flush=True)
        sys.stdin.read()
    """
    text = textwrap.dedent(PREAMBLE) + textwrap.dedent(code)
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", text, str(tmp_path / "store")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    said = [racer.stdout.readline().strip() for racer in racers if racer.stdout is not None]
    for racer in racers:
        racer.communicate("")
    assert sorted(said, key=len)[:3] == ["store-locked"] * 3
    assert max(said, key=len) == (tmp_path / "store" / SECRET).read_bytes().hex()


def test_a_store_that_lost_its_secret_is_not_opened(tmp_path: Path) -> None:
    open_store(str(tmp_path / "s")).close()
    (tmp_path / "s" / SECRET).unlink()
    assert refusal(tmp_path / "s").key == "store-secret-missing"
    assert refusal(tmp_path / "s", create=False).key == "store-secret-missing"
    assert not (tmp_path / "s" / SECRET).exists()


@pytest.mark.parametrize("content", [b"", b"x" * 31, b"x" * 33])
def test_a_damaged_secret_is_not_used(tmp_path: Path, content: bytes) -> None:
    open_store(str(tmp_path / "s")).close()
    (tmp_path / "s" / SECRET).write_bytes(content)
    assert refusal(tmp_path / "s").key == "store-secret-damaged"


def test_a_creator_that_was_killed_early_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / f"{SECRET}.99-abcd").write_bytes(b"half")
    with open_store(str(tmp_path / "s")) as store:
        assert len(store.secret) == 32


# --- folders that are none


def test_a_file_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert refusal(tmp_path / "file").key == "store-not-folder"
    assert refusal(tmp_path / "file" / "below").key == "store-not-folder"


def test_a_folder_of_other_files_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    assert refusal(tmp_path).key == "store-foreign"
    assert [entry.name for entry in tmp_path.iterdir()] == ["notes.txt"]


def test_a_missing_store_is_made_only_when_asked(tmp_path: Path) -> None:
    assert refusal(tmp_path / "typo", create=False).key == "store-missing"
    assert refusal(tmp_path, create=False).key == "store-missing"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_can_not_be_made_is_refused() -> None:
    assert refusal(Path("/proc/judgeloop")).key == "store-broken"


def test_damaged_data_is_refused(tmp_path: Path) -> None:
    open_store(str(tmp_path / "s")).close()
    (tmp_path / "s" / "CURRENT").write_text("rubbish\n")
    assert refusal(tmp_path / "s").key == "store-broken"


# --- one process at a time


def test_a_second_process_is_refused_at_once(tmp_path: Path) -> None:
    code = """
        try:
            open_store(sys.argv[1])
        except StoreError as error:
            print(error.text("en"))
            sys.exit(error.exit_code)
    """
    with open_store(str(tmp_path / "s")):
        start = time.monotonic()
        second = child(code, tmp_path / "s")
        said, _ = second.communicate(timeout=60)
        assert second.returncode == 2
        assert said == f"{tmp_path / 's'}: another process has this store open; stop it, or use another folder\n"
        assert time.monotonic() - start < 20
        assert refusal(tmp_path / "s").key == "store-locked"
    open_store(str(tmp_path / "s")).close()


# --- whole steps


def test_a_full_disk_keeps_nothing_of_the_step_and_the_store_opens_again(tmp_path: Path) -> None:
    code = """
        store = open_store(sys.argv[1])
        store.replace(E + "kept", triples("old", 3))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
        written = 0
        try:
            for number in range(100):
                head = Quad(NamedNode(f"{E}{number}"), P, Literal("head"), NamedNode(HEADS))
                store.put_once({f"{E}{number}": triples(number, 400, 100), f"{E}b{number}": triples(number, 1)}, [head])
                written += 1
        except StoreError as error:
            print(written, error.key, len(list(store.heads())), store.has_graph(f"{E}{written}"))
        try:
            store.replace(E + "kept", triples("new", 4000, 100))
        except StoreError as error:
            print(error.key, store.count(E + "kept"), store.graphs() == sorted(store.graphs()))
    """
    full = child(code, tmp_path / "s")
    said, failure = full.communicate(timeout=120)
    assert full.returncode == 0, failure
    first, second = said.splitlines()
    written = int(first.split()[0])
    assert 0 < written < 100
    assert first == f"{written} store-full {written} False"
    assert second == "store-full 3 True"
    with open_store(str(tmp_path / "s")) as store:
        assert len(store.graphs()) == 2 * written + 2
        assert {t.object for t in store.graph(E + "kept")} == {Literal("old")}
        assert store.put_once({E + "after": [ONE]}) is True


def test_a_killed_process_leaves_whole_steps(tmp_path: Path) -> None:
    code = """
        store = open_store(sys.argv[1])
        number = len(list(store.heads()))
        while True:
            head = Quad(NamedNode(f"{E}{number}"), P, Literal("head"), NamedNode(HEADS))
            store.put_once({f"{E}{number}": triples(number, 5), f"{E}b{number}": triples(number, 2)}, [head])
            store.replace(E + "current", triples(number, 200))
            print(number, flush=True)
            number += 1
    """
    last = -1
    for delay in (0.0, 0.001, 0.003, 0.007, 0.013, 0.029):
        writer = child(code, tmp_path / "s")
        assert writer.stdout is not None
        for _ in range(20):
            last = int(writer.stdout.readline())
        time.sleep(delay)
        writer.send_signal(signal.SIGKILL)
        said, _ = writer.communicate()
        last = max([last, *map(int, said.split("\n")[:-1])])
        with open_store(str(tmp_path / "s")) as store:
            assert_whole(store, last)


def assert_whole(store: Store, last: int) -> None:
    heads = sorted(int(t.subject.value.rsplit("/", 1)[1]) for t in store.heads() if isinstance(t.subject, NamedNode))
    assert heads == list(range(len(heads)))
    assert len(heads) >= last + 1  # what was acknowledged is there
    assert [store.count(f"{E}{n}") for n in heads] == [5] * len(heads)
    assert [store.count(f"{E}b{n}") for n in heads] == [2] * len(heads)
    current = [t.object for t in store.graph(E + "current")]
    assert len(current) == 200
    assert len(set(current)) == 1
    assert current[0] in {Literal(str(n)) for n in (last, last + 1)}
    assert len(store.graphs()) == 2 * len(heads) + 2  # and nothing is left of a step that was not finished


def test_a_staged_graph_of_a_killed_process_is_dropped(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s")) as store:
        store.put_once({E + "g": [ONE]}, [Quad(TWO.subject, P, TWO.object, NamedNode("urn:judgeloop:staging/added"))])
        assert store.graphs() == [E + "g"]
    with open_store(str(tmp_path / "s")) as store:
        assert not store.has_graph("urn:judgeloop:staging/added")
        assert store.has_graph(E + "g")
