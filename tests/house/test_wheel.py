"""The built wheel, in an environment that knows nothing of the checkout."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

from judgeloop.assets import FOLDERS

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Return what a command printed; fail with all of it where it did not succeed."""
    clean = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    done = subprocess.run(
        command, cwd=cwd, env=clean | environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, cwd=ROOT)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def binaries(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the ``bin`` of a fresh environment with the wheel; what it depends on is lent by this one, unasked."""
    fresh = tmp_path_factory.mktemp("fresh")
    run(sys.executable, "-m", "venv", "--without-pip", fresh, cwd=fresh)
    scripts = fresh / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / Path(sys.executable).name
    run(
        *(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel),
        cwd=fresh,
    )
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=fresh).strip())
    # Only the folders themselves: a .pth file inside of them (the checkout's, installed in place) is not followed.
    lent = dict.fromkeys(sysconfig.get_path(kind) for kind in ("purelib", "platlib"))
    (site / "lent.pth").write_text("\n".join(lent))
    return scripts


def test_the_wheel_holds_the_package_and_its_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"judgeloop", f"judgeloop-{version('judgeloop')}.dist-info"}
    assert {"judgeloop/py.typed", "judgeloop/data/shapes/case.schema.json"} <= set(names)
    for folder in FOLDERS:
        shipped = {
            name.removeprefix("judgeloop/data/") for name in names if name.startswith(f"judgeloop/data/{folder}/")
        }
        there = {p.relative_to(ROOT).as_posix() for p in (ROOT / folder).rglob("*") if p.is_file()}
        assert shipped == there
    assert len(names) == len(set(names))
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_installed_package_uses_its_own_data(binaries: Path, tmp_path: Path) -> None:
    code = "import judgeloop, judgeloop.assets as a; print(judgeloop.__file__); print(a.root())"
    package, root = run(binaries / "python", "-c", code, cwd=tmp_path).splitlines()
    assert Path(package).is_relative_to(binaries.parent)
    assert Path(root) == Path(package).parent / "data"


@pytest.mark.skipif(
    not (ROOT / "src" / "judgeloop" / "cli" / "demo.py").is_file(), reason="judgeloop demo is not written yet"
)
def test_the_demo_runs_from_the_wheel_alone(binaries: Path, tmp_path: Path) -> None:
    assert "PASS" in run(binaries / "judgeloop", "demo", cwd=tmp_path, LC_ALL="C.UTF-8")


def test_a_query_runs_from_the_wheel_in_a_process_of_its_own(binaries: Path, tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text("<urn:x:a> <urn:x:b> '서울' .", encoding="utf-8")
    query = ("query", "SELECT ?x { ?s ?p ?x }", "--data", "a.ttl", "--format", "csv")
    assert run(binaries / "judgeloop", *query, cwd=tmp_path, LC_ALL="C.UTF-8").split() == ["x", "서울"]
