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

PEOPLE = 14_000
"""Seven triples a person, and some for companies and places: about 100,000."""
BASE = "https://people.example/"
STARTS = 200
SLOW_STARTS = 40
HOPS = {
    1: "$start p:worksFor ?end",
    2: "$start p:worksFor ?company . ?company p:locatedIn ?end",
    3: "$start p:worksFor ?company . ?company p:locatedIn ?place . ?place p:partOf ?end",
}


def world() -> list[tuple[str, str, str]]:
    """Return people, the companies that they work for, and the places of these."""
    chance = random.Random(7)  # noqa: S311 - a benchmark, not a key
    companies, places = PEOPLE // 50, PEOPLE // 500
    others = ("knows", "met", "likes", "near", "follows", "thanks")
    found = [(f"place{i}", "partOf", f"place{chance.randrange(places)}") for i in range(places)]
    found += [(f"company{i}", "locatedIn", f"place{chance.randrange(places)}") for i in range(companies)]
    for i in range(PEOPLE):
        found += [(f"person{i}", prop, f"person{chance.randrange(PEOPLE)}") for prop in others]
        found.append((f"person{i}", "worksFor", f"company{chance.randrange(companies)}"))
    return [(BASE + s, BASE + p, BASE + o) for s, p, o in found]


def median_ms(run: Callable[[str], object], starts: Sequence[str]) -> float:
    """Return the median over the starts of the best of three runs of one query."""
    times = []
    for start in starts:
        best = float("inf")
        for _ in range(3):
            begin = time.perf_counter()
            run(start)
            best = min(best, time.perf_counter() - begin)
        times.append(best * 1000)
    return statistics.median(times)


def main() -> None:
    """Load once, then ask the three of them in turns."""
    edges = world()
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
    starts = [f"{BASE}person{random.Random(i).randrange(PEOPLE)}" for i in range(STARTS)]  # noqa: S311
    for hops, path in HOPS.items():
        text = f"PREFIX p: <{BASE}> SELECT ?end WHERE {{ GRAPH <{graph}> {{ {path} }} }}"
        query = parse(f"# @param start: iri\n{text}", f"{hops}-hop")
        in_graph, plain = (
            t.replace("$start", "<START>") for t in (text, f"PREFIX p: <{BASE}> SELECT ?end WHERE {{ {path} }}")
        )
        mine = median_ms(lambda s, q=query: ours.select(bind(q, {"start": s})).rows, starts)  # type: ignore[misc]
        bare = median_ms(lambda s, q=in_graph: [*raw.query(q.replace("START", s))], starts)  # type: ignore[misc]
        peer = median_ms(lambda s, q=plain: list(slow.query(q.replace("START", s))), starts[:SLOW_STARTS])  # type: ignore[misc]
        print(  # noqa: T201
            f"{hops}-hop: ours {mine:.3f} ms, raw pyoxigraph {bare:.3f} ms ({mine / bare:.2f}x), "
            f"rdflib {peer:.2f} ms ({peer / mine:.0f}x ours)"
        )


if __name__ == "__main__":
    main()
