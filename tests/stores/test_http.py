"""What a store on a server promises beside test_store.py: other programs write there, and servers differ."""

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

from judgeloop.errors import StoreUnavailable
from judgeloop.rdf.rq import BoundQuery, bind, parse
from judgeloop.store import address, http, open_store
from judgeloop.store.http import HttpStore

E = "http://example.org/"
P = NamedNode(E + "p")


def triple(subject: str, value: str) -> Triple:
    return Triple(NamedNode(E + subject), P, Literal(value))


def query(text: str) -> BoundQuery:
    return bind(parse(text, "t.rq"), {})


ONE, TWO, THREE = triple("a", "하나"), triple("b", "둘"), triple("c", "셋")
NUMBER = query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")


@pytest.fixture
def store(empty_server: str) -> Iterator[HttpStore]:
    with http.at(empty_server) as opened:
        yield opened


def number(store: HttpStore, *graphs: str) -> str:
    (row,) = store.select(NUMBER, default_graphs=graphs).texts()
    return row["n"]


# --- what is found out


def test_what_the_server_can_do_is_found_out(empty_server: str) -> None:
    with http.at(empty_server) as store:
        found = store.capabilities
        store.put_once({E + "g": [ONE]})
    assert (found.query, found.update, found.data) == ("/query", "/update", "/store")
    assert found.product.startswith("Oxigraph/")
    assert found.union is None
    with http.at(empty_server) as store:
        assert store.capabilities.union is False


@pytest.mark.parametrize("path", ["/", "/query", "/update", "/store"])
def test_an_endpoint_stands_for_its_server(empty_server: str, path: str) -> None:
    with http.at(empty_server + path) as store:
        assert (store.capabilities.query, store.capabilities.update) == ("/query", "/update")
        assert store.put_once({E + "g": [ONE]}) is True


def test_an_address_without_a_server_names_what_was_asked(empty_server: str) -> None:
    with pytest.raises(StoreUnavailable) as told:
        open_store(empty_server + "/nothing")
    assert (told.value.key, told.value.exit_code) == ("http-no-endpoint", 5)
    assert f"{empty_server}/nothing/query" in told.value.text()


# --- other programs write, too


def test_a_graph_that_another_program_wrote_first_stays_whole(
    store: HttpStore, empty_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with http.at(empty_server) as other:
        other.put_once({E + "g": [ONE, TWO]})
    monkeypatch.setattr(store._writer, "existing", lambda _: set())  # as it was when we looked
    assert store.put_once({E + "g": [THREE]}) is False
    assert set(store.graph(E + "g")) == {ONE, TWO}


def test_programs_that_write_one_graph_at_once_leave_it_whole(empty_server: str) -> None:
    """They write the same into it: a graph that judgeloop names has its name from what it holds."""
    start, written = threading.Barrier(4), list[bool]()

    def write() -> None:
        with http.at(empty_server) as store:
            start.wait()
            written.append(store.put_once({E + "g": [ONE, TWO]}))

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(written) == 4
    assert any(written)
    with http.at(empty_server) as store:
        assert set(store.graph(E + "g")) == {ONE, TWO}
        assert store.count(E + "g") == 2


def test_everything_of_one_step_is_one_request(store: HttpStore, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    send = store._client.update

    def count(path: str, text: str) -> object:
        sent.append(text)
        return send(path, text)

    monkeypatch.setattr(store._client, "update", count)
    head = [Quad(NamedNode(E + "h"), P, Literal("1"), NamedNode(E + "heads"))]
    assert store.put_once({E + "g1": [ONE], E + "g2": [TWO, THREE]}, head) is True
    assert store.put_once({E + "g1": [ONE], E + "g2": [TWO, THREE]}, head) is False
    assert store.replace(E + "g1", [TWO]) is True
    assert len(sent) == 2


def test_a_large_graph_goes_and_comes_back_whole(store: HttpStore) -> None:
    triples = {triple(f"s{n}", f"값 {n}" * 10) for n in range(20_000)}
    assert store.put_once({E + "g": triples}) is True
    assert set(store.graph(E + "g")) == triples


def test_many_statements_are_added_to_one_graph(store: HttpStore) -> None:
    quads = [Quad(NamedNode(f"{E}s{n}"), P, Literal(str(n)), NamedNode(E + "heads")) for n in range(250)]
    assert store.put_once({}, quads) is True
    assert store.put_once({}, reversed(quads)) is False


# --- servers differ


def test_a_default_graph_that_ignores_what_a_query_names(union_server: str) -> None:
    with http.at(union_server) as store:
        store.put_once({E + "g1": [ONE, TWO], E + "g2": [TWO, THREE]})
        assert number(store, E + "g1") == "2"
        assert number(store, E + "g1", E + "g2") == "3"
        assert number(store) == "0"
        assert store.ask(query("ASK { ?s ?p '셋' }"), default_graphs=[E + "g1"]) is False
        assert set(store.construct(query("CONSTRUCT WHERE { ?s ?p ?o }"), default_graphs=[E + "g2"])) == {TWO, THREE}
    with http.at(union_server) as store:
        assert store.capabilities.union is True
        assert number(store, E + "g1", E + "g2") == "3"


def test_graphs_that_share_nothing_are_asked_on_the_server(store: HttpStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.put_once({E + "g1": [ONE], E + "g2": [TWO, THREE]})
    monkeypatch.setattr(store, "_copy", None)
    assert number(store, E + "g1", E + "g2") == "3"


def test_a_query_that_only_the_server_refuses_says_what_it_said(
    store: HttpStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "refuse_wrong", lambda *_: None)
    with pytest.raises(StoreUnavailable) as told:
        store.select(query("SELECT ?s { ?s ?p }"))
    assert told.value.key == "http-status"
    assert "status 400" in told.value.text()


# --- whose it is


def test_a_store_shows_no_credentials(empty_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(address.USER, "writer")
    monkeypatch.setenv(address.PASSWORD, "hunter2")
    with http.at(empty_server) as store:
        assert store.url == empty_server
        shown = f"{store!r} {store.capabilities!r} {store.url} {vars(store)!r}"
    assert [word for word in ("hunter2", "d3JpdGVyOmh1bnRlcjI=") if word in shown] == []


def test_reading_makes_no_secret(empty_server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JUDGELOOP_STORE_SECRET")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with http.at(empty_server) as store:
        store.graphs()
        assert list(tmp_path.iterdir()) == []
        assert len(store.secret) == 32
    kept = tmp_path / "judgeloop" / "secrets" / hashlib.sha256(empty_server.encode()).hexdigest()
    with http.at(empty_server + "/") as again:
        assert again.secret == kept.read_bytes()
