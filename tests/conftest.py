"""What the suite needs from outside of Python, and one closing line about what it did without.

A test that needs something is marked ``@pytest.mark.needs("name")``. Where that is absent the test is skipped and named
in the closing line with the command that brings it; ``REQUIRE=name,name`` makes the absence an error.
"""

import contextlib
import http.client
import os
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest


@dataclass(frozen=True)
class Need:
    """Something from outside: whether it is here, and how it is brought."""

    present: Callable[[], bool]
    bring: str


def data_folder() -> Path:
    """Return where published data sets lie: ``JUDGELOOP_DATA``, else ``shared/data`` beside the repository."""
    named = os.environ.get("JUDGELOOP_DATA", "")
    return Path(named) if named else Path(__file__).parents[2] / "shared" / "data"


NEEDS: Final[Mapping[str, Need]] = {
    "data": Need(
        (data_folder() / "kgqa-nordic44").is_dir,
        "set JUDGELOOP_DATA to a folder with kgqa-nordic44 in it (demo1/* of github.com/statnett/Talk2PowerSystem)",
    ),
}
"""By name, as tests and REQUIRE say it."""

_left_out: Final = pytest.StashKey[Counter[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_left_out] = Counter()
    for name in filter(None, (part.strip() for part in os.environ.get("REQUIRE", "").split(","))):
        if name not in NEEDS:
            message = f"REQUIRE={name}: no test needs it; known: {', '.join(sorted(NEEDS)) or 'nothing yet'}"
            raise pytest.UsageError(message)
        if not NEEDS[name].present():
            message = f"REQUIRE={name}: absent; {NEEDS[name].bring}"
            raise pytest.UsageError(message)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        (name,) = mark.args
        if not NEEDS[name].present():
            pytest.skip(f"{name} is absent: {NEEDS[name].bring}")


@pytest.fixture(scope="session")
def data() -> Path:
    return data_folder()


@pytest.hookimpl(wrapper=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> Iterator[None]:
    for report in terminalreporter.stats.get("skipped", ()):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        config.stash[_left_out][reason.removeprefix("Skipped: ")] += 1
    return (yield)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Print the closing line; under pytest-xdist only once, in the process that the user sees."""
    if hasattr(config, "workerinput") or config.option.collectonly or _left_out not in config.stash:
        return
    left_out = config.stash[_left_out]
    parts = [f"{reason} ({count} test{'s' * (count > 1)})" for reason, count in sorted(left_out.items())]
    print("Not run: " + "; ".join(parts) if parts else "Nothing was left out.")  # noqa: T201 - the last line of make test


@pytest.fixture(scope="session")
def sparql_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of a SPARQL server that the tests of a session share; see `empty_server`."""
    with _oxigraph(tmp_path_factory.mktemp("oxigraph")) as url:
        yield url


@pytest.fixture
def union_server(tmp_path: Path) -> Iterator[str]:
    """Give the address of a SPARQL server whose default graph is the union of all graphs, whatever a query names."""
    with _oxigraph(tmp_path, "--union-default-graph") as url:
        yield url


@pytest.fixture
def hurried_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Give the address of a SPARQL server that ends every query after three seconds; a secret is at hand for it."""
    monkeypatch.setenv("JUDGELOOP_STORE_SECRET", "5e" * 32)
    with _oxigraph(tmp_path, "--timeout-s", "3") as url:
        yield url


@contextlib.contextmanager
def _oxigraph(folder: Path, *options: str) -> Iterator[str]:
    """Start a server with its data in ``folder``, on a free port of this machine only, and stop it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    binary = str(Path(sys.executable).parent / "oxigraph")
    command = [binary, "serve", "--location", str(folder / "data"), "--bind", f"127.0.0.1:{port}", *options]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stderr=log) as process:
        try:
            _wait_for(port, process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(10)


@pytest.fixture
def empty_server(sparql_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of the server after everything in it was dropped; a secret is at hand for it."""
    monkeypatch.setenv("JUDGELOOP_STORE_SECRET", "5e" * 32)
    host = sparql_server.removeprefix("http://")
    with contextlib.closing(http.client.HTTPConnection(host, timeout=10)) as connection:
        connection.request("POST", "/update", b"DROP ALL", {"Content-Type": "application/sparql-update"})
        assert connection.getresponse().status == 204
    return sparql_server


@pytest.fixture
def unused_url() -> str:
    """Return an address at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    message = f"the server did not start (exit {process.poll()})"
    raise RuntimeError(message)


Answer = bytes | Callable[[socket.socket], None]


class Fake(socketserver.ThreadingTCPServer):
    """An HTTP server that gives one answer after the other, the last one for ever, and keeps what it was asked."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, *answers: Answer) -> None:
        super().__init__(("127.0.0.1", 0), _Speaker)
        self.answers = list(answers)
        self.requests: list[tuple[str, http.client.HTTPMessage, bytes]] = []
        """Request line, headers and body."""
        self.connections = 0
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def answer(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class _Speaker(socketserver.StreamRequestHandler):
    server: Fake

    def handle(self) -> None:
        self.server.connections += 1
        with contextlib.suppress(OSError):
            while line := self.rfile.readline():
                headers = http.client.parse_headers(self.rfile)
                body = self.rfile.read(int(headers.get("Content-Length", 0)))
                self.server.requests.append((line.decode("latin-1").strip(), headers, body))
                answer = self.server.answer()
                if callable(answer):
                    answer(self.connection)
                    return
                self.connection.sendall(answer)
                if b"Connection: close" in answer:
                    return


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Fake]]:
    """Give what starts a `Fake`; no credentials of this machine are in reach."""
    for name in ("USER", "PASSWORD", "TIMEOUT", "SECRET"):
        monkeypatch.delenv(f"JUDGELOOP_STORE_{name}", raising=False)
    monkeypatch.setenv("NETRC", os.devnull)
    with contextlib.ExitStack() as running:

        def start(*answers: Answer) -> Fake:
            server = running.enter_context(Fake(*answers))
            thread = threading.Thread(target=server.serve_forever, args=(0.01,))
            thread.start()
            running.callback(thread.join)
            running.callback(server.shutdown)
            return server

        yield start
