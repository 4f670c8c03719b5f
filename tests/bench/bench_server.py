"""Queries to one server of this machine by our client and by SPARQLWrapper, in turns, terms made in both.

The server holds 20,000 labels. Target: a short query at most 0.6 of the time of the peer, a long answer at most 1.2.
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
BASE = "https://things.example/"
LABEL = NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
QUERIES = {
    "one label": (f"SELECT ?label WHERE {{ GRAPH ?g {{ <{BASE}thing7> ?p ?label }} }}", 200),
    "100 rows": ("SELECT ?s ?label WHERE { GRAPH ?g { ?s ?p ?label } } LIMIT 100", 100),
    "20,000 rows": ("SELECT ?s ?label WHERE { GRAPH ?g { ?s ?p ?label } }", 5),
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


def main() -> None:
    """Run both in turns, so that a busy machine slows both."""
    with server() as url, open_store(url) as store:
        held = [Triple(NamedNode(f"{BASE}thing{n}"), LABEL, Literal(f"물건 {n}", language="ko")) for n in range(THINGS)]
        store.put_once({BASE + "graph": held})
        for name, (text, rounds) in QUERIES.items():
            query = bind(parse(text, name), {})
            pairs = [
                (milliseconds(lambda: len(store.select(query))), milliseconds(lambda: peer(url, text)))  # noqa: B023
                for _ in range(rounds + 1)
            ][1:]
            ours, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
            ratio = statistics.median(a / b for a, b in pairs)
            print(f"server, {name}: judgeloop {ours:.2f} ms, SPARQLWrapper {theirs:.2f} ms, ratio {ratio:.2f}")  # noqa: T201


if __name__ == "__main__":
    main()
