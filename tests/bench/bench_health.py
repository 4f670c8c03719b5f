"""Times the checks of `judgeloop store health` on stores that are open already.

Target: 50 ms on a folder.

    bench_health.py
"""

import statistics
import sys
import tempfile
import time

from judgeloop.rdf.terms import Literal, NamedNode, Triple
from judgeloop.store import Store, open_store
from judgeloop.store.health import examine
from judgeloop.vocab import RDFS_LABEL

GRAPH = "http://example.org/kg/plant"
LABELS = 20_000
ROUNDS = 30
TARGET_MS = 50.0


def measured(store: Store) -> float:
    """Return the median of milliseconds that all checks take together."""
    label = NamedNode(RDFS_LABEL)
    names = (f"{n % 97} 호기 설비 {n}" for n in range(LABELS))
    store.put_once(
        {
            GRAPH: [
                Triple(NamedNode(f"http://example.org/{name}".replace(" ", "_")), label, Literal(name))
                for name in names
            ]
        }
    )
    assert all(check.fine for check in examine(store, GRAPH))  # the index is made at the first search
    taken = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        checks = list(examine(store, GRAPH))
        taken.append((time.perf_counter() - started) * 1000)
        assert all(check.fine for check in checks)
    return statistics.median(taken)


def main() -> None:
    """Print one line for each kind of store."""
    with tempfile.TemporaryDirectory() as folder:
        for kind, url in (("memory", "memory:"), ("folder", f"{folder}/s")):
            with open_store(url) as store:
                took = measured(store)
            sys.stdout.write(f"health, {kind}: {took:.1f} ms for {LABELS:,} labels (target {TARGET_MS:g} ms)\n")


if __name__ == "__main__":
    main()
