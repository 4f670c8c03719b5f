"""Writers and servers that are killed in the middle: what was acknowledged is there, and nothing is there in part.

The same run as tests/bench/bench_crash.py, which is longer.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench" / "bench_crash.py"


@pytest.mark.parametrize(("kind", "kills", "decisions"), [("folder", 5, 500), ("server", 2, 60)])
def test_no_acknowledged_decision_is_lost_and_none_is_torn(kind: str, kills: int, decisions: int) -> None:
    command = [sys.executable, str(BENCH), "--kind", kind, "--kills", str(kills), "--decisions", str(decisions)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.partition(": ")[2])
    assert (found["lost"], found["torn"], found["gaps"], found["index"]) == (0, 0, 0, 0)
    assert found["labels"] >= decisions // 5 - kills  # numbers are left out after a kill
    assert found["kills"] == kills
    assert decisions <= found["acknowledged"] <= found["stored"] <= found["acknowledged"] + kills
