"""1-, 2- and 3-hop queries on one graph of 100,000 triples: our store, raw pyoxigraph, rdflib.

Target: at least 70 times rdflib, at most 1.5 times raw pyoxigraph.
"""

import random
import statistics
import time
from collections.abc import Callable, Sequence

import pyoxigraph
import rdflib

from judgeloop.rdf.rq import bind, parse
from judgeloop.store import open_store

PEOPLE = 14_300
"""Seven triples a person: about 100,000."""
BASE = "https://people.example/"
STARTS = 60
HOPS = {n: " / ".join([f"<{BASE}knows>"] * n) for n in (1, 2, 3)}


def people() -> list[tuple[str, str, str]]:
    """Return the edges: everyone knows the next one, a friend and a neighbour."""
    chance = random.Random(7)  # noqa: S311 - a benchmark, not a key
    found: list[tuple[str, str, str]] = []
    for i in range(PEOPLE):
        props = ("friend", "near", "likes", "worksWith", "met", "follows")
        found += [(f"{BASE}{i}", BASE + prop, f"{BASE}{chance.randrange(PEOPLE)}") for prop in props]
        found.append((f"{BASE}{i}", f"{BASE}knows", f"{BASE}{(i * 7 + 3) % PEOPLE}"))
    return found


def median_ms(run: Callable[[str], object], starts: Sequence[str]) -> float:
    """Return the median time of one query over the starts."""
    times = []
    for start in starts:
        begin = time.perf_counter()
        run(start)
        times.append((time.perf_counter() - begin) * 1000)
    return statistics.median(times)


def main() -> None:
    """Load once, then ask the three of them in turns."""
    edges = people()
    node = pyoxigraph.NamedNode
    triples = [pyoxigraph.Triple(node(s), node(p), node(o)) for s, p, o in edges]
    ours = open_store()
    graph = f"{BASE}graph"
    ours.put_once({graph: triples})
    raw = pyoxigraph.Store()
    raw.bulk_extend(pyoxigraph.Quad(t.subject, t.predicate, t.object, node(graph)) for t in triples)
    slow = rdflib.Graph()
    for s, p, o in edges:
        slow.add((rdflib.URIRef(s), rdflib.URIRef(p), rdflib.URIRef(o)))
    starts = [f"{BASE}{random.Random(i).randrange(PEOPLE)}" for i in range(STARTS)]  # noqa: S311
    for hops, path in HOPS.items():
        text = f"# @param start: iri\nSELECT ?end WHERE {{ GRAPH <{graph}> {{ $start {path} ?end }} }}"
        query = parse(text, f"{hops}-hop")
        plain = f"SELECT ?end WHERE {{ <START> {path} ?end }}"
        in_graph = f"SELECT ?end WHERE {{ GRAPH <{graph}> {{ <START> {path} ?end }} }}"
        mine = median_ms(lambda s, q=query: ours.select(bind(q, {"start": s})).rows, starts)  # type: ignore[misc]
        bare = median_ms(lambda s, q=in_graph: [*raw.query(q.replace("START", s))], starts)  # type: ignore[misc]
        peer = median_ms(lambda s, q=plain: list(slow.query(q.replace("START", s))), starts[:20])  # type: ignore[misc]
        print(  # noqa: T201
            f"{hops}-hop: ours {mine:.3f} ms, raw pyoxigraph {bare:.3f} ms ({mine / bare:.2f}x), "
            f"rdflib {peer:.2f} ms ({peer / mine:.0f}x ours)"
        )


if __name__ == "__main__":
    main()
