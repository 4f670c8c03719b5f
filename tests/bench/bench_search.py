"""Labels by a text index and by a scan with CONTAINS, on one folder store of 100,000 labels (--long: 1,000,000, too).

The texts are labels with a particle behind them for the index, and as they are for the scan, which finds no others.
Target: the index answers at least 300 times as fast.
"""

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from judgeloop.rdf.rq import bind, parse
from judgeloop.rdf.terms import Literal, NamedNode, Triple
from judgeloop.rdf.textquery import Search
from judgeloop.store import open_store, stamp
from judgeloop.store.world import shipped
from judgeloop.vocab import RDFS, RDFS_LABEL

BASE = "https://things.example/"
GRAPH = f"{BASE}graph"
SYLLABLES = "가나다라마바사아자차카타파하호기생산라인설비공장펌프밸브모터서울부산대전길동홍김이박최정강조윤장임"
SCAN = parse(
    f"# @param graph: iri\n# @param name: string\nPREFIX rdfs: <{RDFS}>\n"
    "SELECT ?thing ?label { GRAPH $graph { ?thing rdfs:label ?label FILTER(CONTAINS(?label, $name)) } } LIMIT 20",
    "scan.rq",
)


def labels(number: int) -> Iterator[str]:
    """Give labels of the kind that plants have: a letter, a number, and two words of a vocabulary of 300."""
    chance = random.Random(5)  # noqa: S311 - a benchmark, not a key
    words = ["".join(chance.choices(SYLLABLES, k=chance.choice((2, 2, 3, 3, 4)))) for _ in range(300)]
    for _ in range(number):
        first, second = chance.choices(words, k=2)
        yield f"{chance.choice('ABCDEF')}{chance.randrange(200)} {first}{second}"


def median_ms(ask: Callable[[str], Any], texts: list[str]) -> float:
    """Return the median over the texts."""
    times = []
    for text in texts:
        start = time.perf_counter()
        ask(text)
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def measure(number: int, rounds: int) -> None:
    """Fill a store, and ask it in both ways."""
    texts = list(labels(number))
    with tempfile.TemporaryDirectory() as folder, open_store(f"{folder}/store") as store:
        prop = NamedNode(RDFS_LABEL)
        triples = [Triple(NamedNode(f"{BASE}{n}"), prop, Literal(text, language="ko")) for n, text in enumerate(texts)]
        start = time.perf_counter()
        store.put_once({GRAPH: triples})
        loaded = time.perf_counter() - start
        start = time.perf_counter()
        store.reindex()
        built = time.perf_counter() - start
        files = [path for path in (Path(folder) / "store" / stamp.FOLDER).rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files) / 1e6
        asked = random.Random(9).sample(texts, rounds)  # noqa: S311 - as above
        near, find = shipped("retrieve/label_search.rq"), store._labels.find  # type: ignore[attr-defined]
        for text in asked[:3]:
            rows = store.select(bind(near, {"graph": GRAPH, "words": f"{text}가"})).texts()
            assert next(iter(rows))["label"].lower() == text.lower()
        query = median_ms(lambda text: store.select(bind(near, {"graph": GRAPH, "words": f"{text}가"})), asked)
        in_graph = median_ms(lambda text: find(Search((), (f"{text}가",), 20, graph=GRAPH)), asked)
        anywhere = median_ms(lambda text: find(Search((), (f"{text}가",), 20)), asked)
        scan = median_ms(lambda text: store.select(bind(SCAN, {"graph": GRAPH, "name": text})), asked[: rounds // 10])
    print(  # noqa: T201
        f"search, {number:,} labels: index of one graph {in_graph:.2f} ms, of all {anywhere:.2f} ms, whole query "
        f"{query:.2f} ms, CONTAINS {scan:.0f} ms; scan/index {scan / in_graph:.0f}x, scan/query {scan / query:.0f}x; "
        f"load with index {loaded:.1f} s, index alone {built:.1f} s, {size:.1f} MB"
    )


def main() -> None:
    """Measure at one size, or at both."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--long", action="store_true", help="a million labels, too (some two minutes)")
    measure(100_000, 200)
    if options.parse_args().long:
        measure(1_000_000, 100)


if __name__ == "__main__":
    main()
