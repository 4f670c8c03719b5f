"""Queries to one server of this machine by our client and by SPARQLWrapper, in blocks by turns, terms made in both.

The server holds 20,000 labels. Beside both stands what the server itself takes: the same request and answer as bytes on
one socket, nothing read of them. Target: SPARQLWrapper adds to that at least 5 times what we add in a short query.
"""

import contextlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from SPARQLWrapper import JSON, SPARQLWrapper

from judgeloop.rdf.rq import bind, parse
from judgeloop.rdf.terms import Literal, NamedNode, Triple
from judgeloop.store import open_store

THINGS = 20_000
BLOCKS = 5
RESULTS = "application/sparql-results+json"
BASE = "https://things.example/"
LABEL = NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
QUERIES = {
    "one label": (f"SELECT ?label WHERE {{ GRAPH ?g {{ <{BASE}thing7> ?p ?label }} }}", 1000),
    "100 rows": ("SELECT ?s ?label WHERE { GRAPH ?g { ?s ?p ?label } } LIMIT 100", 500),
    "20,000 rows": ("SELECT ?s ?label WHERE { GRAPH ?g { ?s ?p ?label } }", 10),
}


@contextlib.contextmanager
def server() -> Iterator[str]:
    """Start a server on a free port and stop it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    binary = Path(sys.executable).parent / "oxigraph"
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen([str(binary), "serve", "--location", folder, "--bind", address]) as process,
    ):
        try:
            host, _, port = address.partition(":")
            while process.poll() is None:
                with contextlib.suppress(OSError), socket.create_connection((host, int(port))):
                    break
                time.sleep(0.05)
            yield f"http://{address}"
        finally:
            process.terminate()


def milliseconds(ask: Callable[[], int]) -> float:
    """Return the wall time of one query."""
    start = time.perf_counter()
    ask()
    return (time.perf_counter() - start) * 1000


def peer(url: str, text: str) -> int:
    """Ask once by the peer; return the rows."""
    client = SPARQLWrapper(f"{url}/query")
    client.setMethod("POST")
    client.setReturnFormat(JSON)
    client.setQuery(text)
    found: Any = client.queryAndConvert()
    return len(found["results"]["bindings"])


def floor(url: str, text: str) -> Callable[[], int]:
    """Return what asks once by one kept socket and reads nothing of the answer but where it ends."""
    host, _, port = url.removeprefix("http://").partition(":")
    connection = socket.create_connection((host, int(port)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    body = text.encode()
    head = f"POST /query HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: {RESULTS}\r\nContent-Length: {len(body)}\r\n"
    request = f"{head}Content-Type: application/sparql-query\r\n\r\n".encode() + body

    def ask() -> int:
        connection.sendall(request)
        answer = b""
        while not answer.endswith(b"0\r\n\r\n"):
            answer = answer[-4:] + connection.recv(65536)
        return 0

    return ask


def main() -> None:
    """Run them in blocks by turns, so that a busy machine slows all."""
    with server() as url, open_store(url) as store:
        held = [Triple(NamedNode(f"{BASE}thing{n}"), LABEL, Literal(f"물건 {n}", language="ko")) for n in range(THINGS)]
        store.put_once({BASE + "graph": held})
        for name, (text, rounds) in QUERIES.items():
            query = bind(parse(text, name), {})
            ways = (lambda q=query: len(store.select(q)), lambda t=text: peer(url, t), floor(url, text))
            times: list[list[float]] = [[], [], []]
            for _ in range(BLOCKS):
                for spent, way in zip(times, ways, strict=True):
                    spent += [milliseconds(way) for _ in range(rounds // BLOCKS)]
            ours, theirs, alone = map(statistics.median, times)
            added = (theirs - alone) / max(ours - alone, 0.001)
            print(  # noqa: T201
                f"server, {name}: judgeloop {ours:.2f} ms, SPARQLWrapper {theirs:.2f} ms ({theirs / ours:.1f} times), "
                f"server alone {alone:.2f} ms; added by SPARQLWrapper {added:.1f} times what we add"
            )


if __name__ == "__main__":
    main()
