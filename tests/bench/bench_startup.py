"""How long `judgeloop --help` takes, beside `import rdflib`; target: at most 0.3 s and 1.3 times the peer."""

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROUNDS = 15


def seconds(command: Sequence[str]) -> float:
    """Return the wall time of one run."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    """Run both in turns, so that a busy machine slows both."""
    ours = [str(Path(sys.executable).parent / "judgeloop"), "--help"]
    peer = [sys.executable, "-c", "import rdflib"]
    pairs = [(seconds(ours), seconds(peer)) for _ in range(ROUNDS + 1)][1:]
    help_time, rdflib_time = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"start-up: judgeloop --help {help_time:.3f} s, import rdflib {rdflib_time:.3f} s, ratio {ratio:.2f}")  # noqa: T201


if __name__ == "__main__":
    main()
