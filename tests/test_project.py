"""What the project says of itself is so: its README, its locks, its deployment."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from bot import settings
from bot.pictures.drawing import draw_picture
from bot.pictures.values import DailyPicture, HandPicture
from docs import exchange, pictures
from solver import __version__
from tests.bot.pictures.golden import MAX_DIFFERENCE, measure_difference, shrink_picture
from tests.dockerfile import Stage, stages

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
CODE = [p for top in ("bot", "solver", "tests", "bench", "docs") for p in sorted((ROOT / top).rglob("*.py"))]
UNFINISHED = re.compile(r"\b(TO[D]O|FIX[M]E|X[X]X|Not[I]mplementedError)\b")
VARIABLES = re.compile(r"^#?([A-Z]+(?:_[A-Z]+)+)=", re.MULTILINE)


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def shell_blocks() -> list[str]:
    return [
        block.strip()
        for block in re.findall(r"^```sh\n(.*?)^```$", read("README.md"), re.MULTILINE | re.DOTALL)
    ]


def test_the_first_block_runs_and_the_second_tests() -> None:
    assert shell_blocks()[:2] == ["make run", "make test"]


def test_every_make_target_that_is_spoken_of_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))
    for name in ("README.md", "CONTRIBUTING.md", "bench/README.md", ".ci/run", ".github/workflows/ci.yml"):
        spoken = set(re.findall(r"(?:`|^|\| |&& )make ([a-z]+)", read(name), re.MULTILINE))
        assert spoken <= targets, name


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "deploy/README.md", "bench/README.md"])
def test_links_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", read(name)):
        if not target.startswith("https://"):
            assert ((ROOT / name).parent / target).exists(), f"{name} points to {target}"


def test_contributing_names_modules_that_are_there() -> None:
    missing = []
    for row in re.findall(r"^\| .*$", read("CONTRIBUTING.md"), re.MULTILINE):
        folder = Path()
        for path in re.findall(r"`([a-z_0-9/]+(?:/|\.py))`", row):
            whole = ROOT / "bot" / path if "/" in path else ROOT / "bot" / folder / path
            folder = (whole if path.endswith("/") else whole.parent).relative_to(ROOT / "bot")
            missing += [] if whole.exists() or (ROOT / path).exists() else [path]
    assert missing == []


def test_contributing_is_one_screen() -> None:
    assert len(read("CONTRIBUTING.md").splitlines()) <= 45


def test_a_filled_in_file_of_settings_is_not_committed() -> None:
    assert {".env", "bot.env"} <= set(read(".gitignore").splitlines())


def test_every_variable_is_explained_and_no_other() -> None:
    source = ast.parse(Path(settings.__file__).read_text("utf-8"))
    texts = {n.value for n in ast.walk(source) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    variables = {t for t in texts if re.fullmatch(r"[A-Z]+(_[A-Z]+)+", t)}
    assert {"BOT_TOKEN", "DATABASE_URL", "WEBHOOK_SECRET", "SOLVER_DEADLINE"} <= variables
    assert set(VARIABLES.findall(read("deploy/bot.env.example"))) == variables


def test_the_examples_values_can_be_used() -> None:
    lines = re.findall(r"^#?([A-Z_]+)=(.*)$", read("deploy/bot.env.example"), re.MULTILINE)
    files = {key for key, _ in lines if key.endswith("_FILE")}
    shown = {key: value for key, value in lines if not value.startswith("postgresql") and key not in files}
    default = settings.read_settings({})
    given = settings.read_settings(shown)
    assert (given.api_url, given.webhook_listen, given.log_level) == (
        default.api_url,
        default.webhook_listen,
        default.log_level,
    )
    assert (given.solver_workers, given.solver_deadline) == (default.solver_workers, default.solver_deadline)


EXTRAS = PROJECT["project"]["optional-dependencies"]
LOCKS = {
    "requirements.lock": PROJECT["project"]["dependencies"],
    "requirements-dev.lock": EXTRAS["dev"],
    "requirements-deploy.lock": EXTRAS["deploy"],
    "requirements-build.lock": PROJECT["dependency-groups"]["build"],
}


def locked(name: str) -> dict[str, str]:
    """The version of each package in a lock that has hashes for it."""
    entry = r"^([A-Za-z0-9_.-]+)(?:\[[^]]*\])?==([^ ;\\]+)[^\n]*\\\n +--hash=sha256:"
    return {package.lower(): version for package, version in re.findall(entry, read(name), re.MULTILINE)}


@pytest.mark.parametrize("name", LOCKS)
def test_every_dependency_is_locked_with_hashes(name: str) -> None:
    found = locked(name)
    assert len(found) == len(re.findall(r"^[A-Za-z0-9_.-]+.*==", read(name), re.MULTILINE))
    assert {re.split(r"[~>=\[]", each)[0] for each in LOCKS[name]} <= set(found)
    assert "://" not in read(name)
    every = locked("requirements-dev.lock")
    assert all(every.get(package, version) == version for package, version in found.items())


def test_all_locks_are_renewed_together() -> None:
    assert set(re.findall(r" -o (\S+\.lock)$", read("Makefile"), re.MULTILINE)) == set(LOCKS)


@pytest.mark.parametrize("name", ["deploy/Dockerfile", "deploy/install.sh"])
def test_operators_install_only_what_the_locks_name(name: str) -> None:
    commands = re.findall(r"/bin/pip\b[^&\n]*", read(name).replace("\\\n", ""))
    assert len([each for each in commands if "--require-hashes" in each]) == (2 if "Docker" in name else 1)
    safe = ("--require-hashes", "--no-index", "wheel --no-deps --no-build-isolation")
    assert [each for each in commands if not any(words in each for words in safe)] == []
    assert not re.search(r"pip install [^`\n]*(?:-r|--no-deps)", read("deploy/README.md"))


def test_the_image_is_of_committed_files_and_runs_as_nobody() -> None:
    dockerfile = read("deploy/Dockerfile")
    stages = dockerfile.split("\nFROM ")
    assert "\nUSER twentyfour\n" in stages[-1]
    for copied in re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile, re.MULTILINE):
        assert all((ROOT / each).exists() for each in copied.split())
        assert {f"!{each}" for each in copied.split()} <= set(read(".dockerignore").splitlines())


def test_the_dockerfiles_steps_are_of_kinds_that_can_be_replayed() -> None:
    found = stages(read("deploy/Dockerfile"))
    assert list(found) == ["build", ""]
    words = {word for _, steps in found.values() for word, _ in steps}
    assert {"RUN", "COPY", "USER", "ENTRYPOINT"} <= words
    assert [word for word in words if not hasattr(Stage, f"_{word.lower()}")] == []


def test_ci_says_what_the_readme_says() -> None:
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111
    assert re.search(r"^ +- run: \.ci/run$", read(".github/workflows/ci.yml"), re.MULTILINE)
    assert re.findall(r'\$\(block (\d)\)"$', read(".ci/run"), re.MULTILINE)


def test_nothing_is_left_unfinished() -> None:
    marks = {str(p.relative_to(ROOT)): UNFINISHED.findall(p.read_text("utf-8")) for p in CODE}
    assert {name: found for name, found in marks.items() if found} == {}


def test_no_test_is_skipped_without_a_reason() -> None:
    bare = re.compile(r"pytest\.mark\.skip\b(?!\()|pytest\.skip\(\)|pytest\.mark\.skip\(\)")
    assert [p.name for p in CODE if p.name != "test_project.py" and bare.search(p.read_text("utf-8"))] == []


def test_no_ordinary_test_waits_for_less_than_a_minute() -> None:
    """A limit that a busy machine can't keep turns a sound program red; one that is to run out is short."""
    waits = r"wait_for\([^\n]*, |asyncio\.timeout\(|\.wait\(|world\.wait_until\([^\n]*, "
    limit = re.compile(rf"(?:{waits}|(?:next_post|taken|answer_to)\([^\n]*timeout=)([0-9.]+)\b")
    ordinary = [p for p in CODE if "tests" in p.parts and "faults" not in p.parts]
    found = {p.name: [n for n in limit.findall(p.read_text("utf-8")) if 1 <= float(n) < 60] for p in ordinary}
    assert {name: short for name, short in found.items() if short} == {}


def test_the_version_is_one() -> None:
    assert PROJECT["project"]["version"] == __version__
    assert re.search(
        r"^## 1\.0\.0 \(unreleased\)|^## " + re.escape(__version__), read("CHANGELOG.md"), re.MULTILINE
    )


def test_the_picture_is_light() -> None:
    assert exchange.PICTURE.stat().st_size < 30_000


SHOWN = re.compile(r'<img src="docs/images/([a-z]+)\.png" width="\d+%" alt="([^"]+)">')


def test_the_pictures_are_those_that_the_bot_draws() -> None:
    shown = dict(SHOWN.findall(read("README.md")))
    files = {path.stem: path for path in pictures.FOLDER.iterdir()}
    assert set(shown) == set(files) == set(pictures.pictures())
    for name, picture in pictures.pictures().items():
        kept = files[name].read_bytes()
        assert (
            measure_difference(shrink_picture(kept), shrink_picture(draw_picture(picture))) <= MAX_DIFFERENCE
        ), "run `python -m docs.pictures`"
        assert len(kept) < 60_000


def test_what_is_to_be_seen_is_said_too() -> None:
    shown, drawn = dict(SHOWN.findall(read("README.md"))), pictures.pictures()
    said = {name: set(re.findall(r"[+\d](?:[\d:/-]*\d)?|[A-Z][a-z]+", text)) for name, text in shown.items()}
    deal, daily = drawn["deal"], drawn["daily"]
    assert isinstance(deal, HandPicture)
    assert isinstance(daily, DailyPicture)
    assert str(deal.target) in said["deal"]
    assert {"Bob", "+5", "8/3", "1/3", "24"} <= said["solution"]
    assert {*daily.title.split()[1:], daily.time, str(daily.streak)} <= said["daily"]
    assert daily.level in shown["daily"]


def test_every_test_that_keeps_a_promise_is_there() -> None:
    named = set(re.findall(r"tests/[\w/]+\.py", read("SECURITY.md")))
    assert len(named) > 20
    assert sorted(name for name in named if not (ROOT / name).exists()) == []
