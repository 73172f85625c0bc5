"""The wheel and the sdist: their contents, and the solver in an environment without any package."""

import os
import subprocess
import sys
import tarfile
from email.parser import Parser
from email.policy import default
from pathlib import Path
from zipfile import ZipFile

import pytest

from solver import __version__

pytestmark = pytest.mark.long
ROOT = Path(__file__).parent.parent
NAME = f"twentyfour-{__version__}"
SDIST, WHEEL = f"{NAME}.tar.gz", f"{NAME}-py3-none-any.whl"


def run(*command: str | Path, folder: Path, code: int = 0) -> tuple[str, str]:
    """Run a command that must exit with `code`, and return its output and its errors."""
    ran = subprocess.run(
        [str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ran.returncode == code, ran.stdout + ran.stderr
    return ran.stdout, ran.stderr


def build(source: Path, target: Path, umask: int = 0o022) -> Path:
    """Build sdist and wheel of a folder into another folder, and return that."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(target)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1796000000"}
    subprocess.run(command, cwd=source, check=True, capture_output=True, env=environment, umask=umask)
    return target


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("packages")


@pytest.fixture(scope="module")
def clone(folder: Path) -> Path:
    run("git", "clone", "--quiet", "--depth=1", f"file://{ROOT}", "clone", folder=folder)
    return folder / "clone"


@pytest.fixture(scope="module")
def packages(clone: Path, folder: Path) -> Path:
    """Build sdist and wheel of a clone, and return their folder."""
    return build(clone, folder / "packages")


@pytest.fixture(scope="module")
def rebuilt(packages: Path, folder: Path) -> Path:
    """Build sdist and wheel of the unpacked sdist under other rights, and return their folder."""
    with tarfile.open(packages / SDIST) as files:
        files.extractall(folder, filter="data")
    return build(folder / NAME, folder / "rebuilt", umask=0o077)


@pytest.mark.parametrize("name", [SDIST, WHEEL])
def test_build_is_reproducible_also_from_the_sdist(packages: Path, rebuilt: Path, name: str) -> None:
    assert (packages / name).read_bytes() == (rebuilt / name).read_bytes()


def test_packages_hold_every_file_of_the_commit_and_no_other(clone: Path, packages: Path) -> None:
    sources = set(run("git", "ls-files", "bot", "solver", folder=clone)[0].splitlines())
    licences = {"bot/pictures/CREDITS.md", "bot/pictures/OFL.txt", "bot/places/UNICODE.txt", "LICENSE"}
    info = f"{NAME}.dist-info/"
    about = {f"{info}{name}" for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt")}
    with ZipFile(packages / WHEEL) as wheel:
        assert set(wheel.namelist()) == sources - licences | about | {f"{info}licenses/{n}" for n in licences}
    others = {"CHANGELOG.md", "LICENSE", "README.md", "PKG-INFO", "pyproject.toml", ".gitignore"}
    with tarfile.open(packages / SDIST) as sdist:
        assert set(sdist.getnames()) == {f"{NAME}/{name}" for name in sources | others}


def test_only_extras_require_packages(packages: Path) -> None:
    with ZipFile(packages / WHEEL) as wheel:
        text = wheel.read(f"{NAME}.dist-info/METADATA").decode("utf-8")
    metadata = Parser(policy=default).parsestr(text)
    assert metadata["Version"] == __version__
    assert metadata.get_all("Provides-Extra") == ["bot", "dask", "postgresql", "progress"]
    assert [each for each in metadata.get_all("Requires-Dist", []) if "; extra == " not in each] == []


def test_checkers_accept_packages(packages: Path) -> None:
    tools = Path(sys.executable).parent
    run(tools / "twine", "check", "--strict", packages / WHEEL, packages / SDIST, folder=ROOT)
    run(tools / "check-wheel-contents", packages / WHEEL, folder=ROOT)


def test_wheel_gives_the_solver_alone_in_an_empty_environment(
    packages: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH")  # this clone
    run(sys.executable, "-m", "venv", "--without-pip", "empty", folder=folder)
    commands = folder / "empty" / "bin"
    pip = (sys.executable, "-m", "pip", "--python", str(commands / "python"))
    run(*pip, "install", "--no-index", "--no-compile", packages / WHEEL, folder=folder)
    assert run(commands / "twentyfour", "solve", "3", "8", "3", "8", folder=folder) == ("8/(3-8/3)\n", "")
    code = (
        "import importlib.metadata, solver; print(importlib.metadata.version('twentyfour'), solver.__file__)"
    )
    version, file = run(commands / "python", "-c", code, folder=folder)[0].split()
    assert (version, Path(file).is_relative_to(folder)) == (__version__, True)
    _, error = run(commands / "twentyfour-bot", folder=folder, code=2)
    assert error.endswith("run pip install '.[bot]'\n")
