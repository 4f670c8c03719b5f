"""How long it takes to put hits into a query in place of its text:query; target: at most 0.3 ms, hits found apart."""

import statistics
import time
from pathlib import Path

from pyoxigraph import Literal, NamedNode

from judgeloop.rdf.rq import bind, parse
from judgeloop.rdf.textquery import Hit, Search, rewrite, uses_text
from judgeloop.vocab import RDFS_LABEL, XSD

QUERY = Path(__file__).parents[2] / "sparql" / "retrieve" / "label_search.rq"
ROUNDS = 2000


def main() -> None:
    """Rewrite the shipped search with new words each time, for no hits, 20 and 100."""
    query = parse(QUERY.read_text("utf-8"), QUERY.name)
    score, graph = Literal("1.5", datatype=NamedNode(XSD + "float")), NamedNode("https://kg.example/kg/1")
    name = NamedNode(RDFS_LABEL)
    hits = [
        Hit(NamedNode(f"https://kg.example/n{n}"), score, Literal(f"A{n} 생산라인", language="ko"), graph, name)
        for n in range(100)
    ]
    bounds = [bind(query, {"graph": graph, "words": f"A{n} 생산라인에 있는 설비"}) for n in range(ROUNDS)]
    for count in (0, 20, 100):
        found = hits[:count]

        def find(_: Search, found: list[Hit] = found) -> list[Hit]:
            return found

        times = []
        for bound in bounds:
            start = time.perf_counter()
            rewrite(bound, find, None)
            times.append(time.perf_counter() - start)
        print(f"rewrite of one text:query: {count} hits, median {statistics.median(times) * 1000:.3f} ms")  # noqa: T201
    start = time.perf_counter()
    for _ in range(ROUNDS):
        uses_text(query)
    print(f"whether a query searches at all: {(time.perf_counter() - start) / ROUNDS * 1e6:.2f} us")  # noqa: T201


if __name__ == "__main__":
    main()
