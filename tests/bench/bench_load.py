"""Times `judgeloop store load` of N-Triples into a new graph of a folder, the same once more, and a dump of it.

Target: a million triples, a quarter of them labels, in 30 s on two quiet cores.

    bench_load.py [--triples N]
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

TARGET_SECONDS = 30.0
XSD_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


def lines(triples: int) -> Iterator[str]:
    """Give things of four triples each: a type, a label, a number and a link."""
    things = triples // 4
    for n in range(things):
        thing = f"<http://example.org/thing/{n}>"
        yield f"{thing} <{RDF_TYPE}> <http://example.org/Type{n % 50}> .\n"
        yield f'{thing} <{LABEL}> "품목 item {n}"@ko .\n'
        yield f'{thing} <http://example.org/size> "{n}"^^<{XSD_INTEGER}> .\n'
        yield f"{thing} <http://example.org/next> <http://example.org/thing/{(7 * n + 1) % things}> .\n"


def timed(*words: str, cwd: Path) -> float:
    """Run one command and return its seconds."""
    command = [str(Path(sys.executable).parent / "judgeloop"), "store", *words]
    before = time.monotonic()
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - before


def main() -> None:
    """Measure once and print one line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--triples", type=int, default=1_000_000)
    triples = parser.parse_args().triples
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "data.nt").open("w") as file:
            file.writelines(lines(triples))
        first = timed("load", "data.nt", "--store", "kept", cwd=folder)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024**2
        again = timed("load", "data.nt", "--store", "kept", cwd=folder)
        dump = timed("dump", "--store", "kept", "--out", "out.nq", cwd=folder)
        kept = sum(path.stat().st_size for path in (folder / "kept").rglob("*") if path.is_file()) / 2**20
    print(  # noqa: T201 - the figures
        f"bench_load: {triples:,} triples into a new graph in {first:.1f} s (target {TARGET_SECONDS:g} s), "
        f"the same again {again:.1f} s, dump {dump:.1f} s; largest process {peak:.1f} GB, folder {kept:.0f} MB"
    )


if __name__ == "__main__":
    main()
