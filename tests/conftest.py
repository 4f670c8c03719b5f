"""What the suite needs from outside of Python, and one closing line about what it did without.

A test that needs something is marked ``@pytest.mark.needs("name")``. Where that is absent the test is skipped and named
in the closing line with the command that brings it; ``REQUIRE=name,name`` makes the absence an error.
"""

import base64
import contextlib
import http.client
import os
import socket
import socketserver
import subprocess
import sys
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
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


LAUNCHER: Final = Path(__file__).parents[1] / "docker" / "fuseki"


@cache
def fuseki_is_here() -> bool:
    """Say whether the launcher could start its server without fetching anything."""
    return (
        LAUNCHER.is_file() and subprocess.run([LAUNCHER, "--check"], capture_output=True, check=False).returncode == 0
    )


NEEDS: Final[Mapping[str, Need]] = {
    "data": Need(
        (data_folder() / "kgqa-nordic44").is_dir,
        "set JUDGELOOP_DATA to a folder with kgqa-nordic44 in it (demo1/* of github.com/statnett/Talk2PowerSystem)",
    ),
    "fuseki": Need(fuseki_is_here, "run docker/fuseki --fetch (55 MB by Maven; Java 21 or newer)"),
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


@dataclass(frozen=True)
class Fuseki:
    """A running server: one data set, read by anybody at one address and written by one user at the other."""

    url: str
    password: str
    folder: Path
    """Where its data, its passwords and its log are."""

    @property
    def read(self) -> str:
        return f"{self.url}/judge"

    @property
    def write(self) -> str:
        return f"{self.url}/judge-rw"

    def be_writer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Make the user who may write here the one that the environment names."""
        monkeypatch.setenv("JUDGELOOP_STORE_USER", "writer")
        monkeypatch.setenv("JUDGELOOP_STORE_PASSWORD", self.password)
        monkeypatch.setenv("JUDGELOOP_STORE_SECRET", "5e" * 32)

    def update(self, text: str) -> None:
        """Send an update past our own client."""
        self.write_as("POST", "/judge-rw/update", "application/sparql-update", text)

    def write_as(self, method: str, path: str, kind: str, body: str) -> None:
        """Send any write past our own client."""
        token = base64.b64encode(f"writer:{self.password}".encode()).decode()
        headers = {"Content-Type": kind, "Authorization": f"Basic {token}"}
        with contextlib.closing(http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=30)) as connection:
            connection.request(method, path, body.encode(), headers)
            assert connection.getresponse().status in {200, 204}


@contextlib.contextmanager
def _fuseki(folder: Path, config: str | None = None, jar: Path | None = None) -> Iterator[Fuseki]:
    """Start the server that the launcher starts, with its data in ``folder``, and stop it.

    ``config`` and ``jar`` stand in the place of its own ones, for servers that something is wrong with.
    """
    port = free_port()
    data = folder / "data"
    options = ["--port", str(port), "--data", str(data), "--memory", "1g"]
    if config is not None:
        (folder / "fuseki.ttl").write_text(config, encoding="utf-8")
        options += ["--config", str(folder / "fuseki.ttl")]
    command = [str(LAUNCHER), *options]
    if jar is not None:
        printed = subprocess.run([*command, "--print"], capture_output=True, text=True, check=True).stdout.splitlines()
        command = [str(jar) if word.endswith(".jar") else word for word in printed]
        data.mkdir()
        (data / "passwd").write_text("writer: secret\n")
    with (folder / "log").open("wb") as log:
        cwd = data if jar is not None else folder
        with subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=cwd) as process:
            try:
                _wait_for(port, process, 90)
                password = (data / "passwd").read_text().splitlines()[0].removeprefix("writer: ")
                yield Fuseki(f"http://127.0.0.1:{port}", password, folder)
            finally:
                process.terminate()  # the launcher has become the server, so this is the server's own id
                process.wait(30)


@pytest.fixture(scope="session")
def fuseki(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuseki]:
    """Give a Fuseki that the tests of a session share; see `empty_fuseki`."""
    with _fuseki(tmp_path_factory.mktemp("fuseki")) as server:
        yield server


@pytest.fixture(scope="session")
def run_fuseki() -> Callable[[Path], contextlib.AbstractContextManager[Fuseki]]:
    """Return what starts a Fuseki with its data in a folder and stops it, as often as a test wants."""
    return _fuseki


@pytest.fixture
def empty_fuseki(fuseki: Fuseki, monkeypatch: pytest.MonkeyPatch) -> Fuseki:
    """Return the server after everything in it was dropped; the environment names the user who may write there."""
    fuseki.be_writer(monkeypatch)
    fuseki.update("DROP ALL")
    return fuseki


@pytest.fixture(scope="session")
def broken_fuseki(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Fuseki]]:
    """Give what starts a server that something is wrong with, once per kind of fault and session.

    ``no-index``: its data set has none. ``no-text``: its jar has no jena-text. ``unmapped``: rdfs:label is not in the
    map of its index. ``empty-graph``: everything is right but that no graph holds anything. ``hurried``: it gives up on
    a query after half a second.
    """
    sound = (LAUNCHER.parent / "fuseki.ttl").read_text(encoding="utf-8")
    bare = sound.replace("fuseki:dataset :text_dataset", "fuseki:dataset :base_dataset")
    configs = {
        "no-index": bare,
        "no-text": bare[: bare.index("\n:text_dataset")] + bare[bare.index("\n:base_dataset") : bare.index("\n:index")],
        "unmapped": sound.replace("text:predicate rdfs:label", "text:predicate rdfs:comment"),
        "empty-graph": sound,
        "hurried": sound.replace('"10000,30000"', '"250,500"'),
    }
    running: dict[str, Fuseki] = {}
    with contextlib.ExitStack() as stack:

        def start(kind: str) -> Fuseki:
            if kind not in running:
                folder = tmp_path_factory.mktemp(kind)
                jar = _without_text(folder) if kind == "no-text" else None
                running[kind] = stack.enter_context(_fuseki(folder, configs[kind], jar))
            return running[kind]

        yield start


def _without_text(folder: Path) -> Path:
    """Return a copy of the server's jar that lacks jena-text."""
    printed = subprocess.run([LAUNCHER, "--print"], capture_output=True, text=True, check=True).stdout.splitlines()
    copy = folder / "without-text.jar"
    with zipfile.ZipFile(next(w for w in printed if w.endswith(".jar"))) as whole, zipfile.ZipFile(copy, "w") as part:
        for entry in whole.infolist():
            if entry.filename.startswith("org/apache/jena/query/text/"):
                continue
            content = whole.read(entry)
            if entry.filename.startswith("META-INF/services/"):
                lines = content.splitlines(keepends=True)
                content = b"".join(line for line in lines if not line.startswith(b"org.apache.jena.query.text."))
            part.writestr(entry.filename, content)
    return copy


def free_port() -> int:
    """Return a port of this machine at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def _oxigraph(folder: Path, *options: str) -> Iterator[str]:
    """Start a server with its data in ``folder``, on a free port of this machine only, and stop it."""
    port = free_port()
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
def empty_server(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Give the address of a SPARQL server with nothing in it; a secret is at hand for it.

    Each test has one of its own, which costs 40 ms: in one that many tests had filled and emptied, a scan goes over the
    marks of all that was deleted, and a query of 0.1 s took over 30.
    """
    monkeypatch.setenv("JUDGELOOP_STORE_SECRET", "5e" * 32)
    with _oxigraph(tmp_path_factory.mktemp("oxigraph")) as url:
        yield url


@pytest.fixture
def unused_url() -> str:
    """Return an address at which nobody listens."""
    return f"http://127.0.0.1:{free_port()}"


def _wait_for(port: int, process: "subprocess.Popen[bytes]", seconds: float = 20) -> None:
    end = time.monotonic() + seconds
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
