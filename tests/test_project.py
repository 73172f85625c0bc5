"""The project's own files: README, CONTRIBUTING, Makefile, lock files, Dockerfile and rules for tests."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from bot import settings
from bot.games.twentyfour.dealing import build_hand
from bot.games.twentyfour.skills import find_skills
from bot.pictures.drawing import draw_picture
from bot.pictures.values import DailyPicture, HandPicture
from docs import release_notes
from docs.draw import solutions
from docs.draw.images import FOLDER, RECORDING
from solver import __version__
from tests.bot.pictures.golden import MAX_DIFFERENCE, measure_difference, shrink_picture
from tests.dockerfile import Stage, parse_stages

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
CODE = [p for top in ("bot", "solver", "tests", "bench", "docs") for p in sorted((ROOT / top).rglob("*.py"))]
UNFINISHED = re.compile(r"\b(TO[D]O|FIX[M]E|X[X]X|Not[I]mplementedError)\b")
VARIABLES = re.compile(r"^#?([A-Z]+(?:_[A-Z]+)+)=", re.MULTILINE)


def read_text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def list_shell_blocks() -> list[str]:
    return [
        block.strip()
        for block in re.findall(r"^```sh\n(.*?)^```$", read_text("README.md"), re.MULTILINE | re.DOTALL)
    ]


def test_readme_begins_with_make_run_and_make_test() -> None:
    assert list_shell_blocks()[:2] == ["make run", "make test"]


def test_mentioned_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", read_text("Makefile"), re.MULTILINE))
    pages = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "developers").glob("*.md")]
    documents = ("README.md", "CONTRIBUTING.md", "docs/teachers/index.md", "bench/README.md", *pages)
    for name in (*documents, ".ci/run", ".github/workflows/ci.yml"):
        mentioned = set(re.findall(r"(?:`|^|\| |&& |\$ )make ([a-z-]+)", read_text(name), re.MULTILINE))
        assert mentioned <= targets, name


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "CONTRIBUTING.md",
        "PRIVACY.md",
        "SECURITY.md",
        "docs/players/fairness.md",
        "docs/teachers/index.md",
        "docs/developers/language-models.md",
        "docs/developers/programmers.md",
        "docs/developers/puzzle-books.md",
        "deploy/README.md",
        "bench/README.md",
    ],
)
def test_relative_links_lead_to_files(name: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", read_text(name)):
        if not target.startswith("https://"):
            assert ((ROOT / name).parent / target).exists(), f"{name} points to {target}"


def test_table_of_places_names_existing_modules() -> None:
    missing = []
    for row in re.findall(r"^\| .*$", read_text("docs/developers/index.md"), re.MULTILINE):
        folder = Path()
        for path in re.findall(r"`([a-z_0-9/]+(?:/|\.py))`", row):
            whole = ROOT / "bot" / path if "/" in path else ROOT / "bot" / folder / path
            folder = (whole if path.endswith("/") else whole.parent).relative_to(ROOT / "bot")
            missing += [] if whole.exists() or (ROOT / path).exists() else [path]
    assert missing == []


def test_contributing_is_short() -> None:
    assert len(read_text("CONTRIBUTING.md").split()) <= 300


def test_git_ignores_files_with_settings() -> None:
    assert {".env", "bot.env"} <= set(read_text(".gitignore").splitlines())


def test_env_example_lists_exactly_the_variables_of_bot() -> None:
    source = ast.parse(Path(settings.__file__).read_text("utf-8"))
    texts = {n.value for n in ast.walk(source) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    variables = {t for t in texts if re.fullmatch(r"[A-Z]+(_[A-Z]+)+", t)}
    assert {"BOT_TOKEN", "DATABASE_URL", "WEBHOOK_SECRET", "SOLVER_DEADLINE"} <= variables
    assert set(VARIABLES.findall(read_text("deploy/bot.env.example"))) == variables


def test_values_in_env_example_are_valid() -> None:
    lines = re.findall(r"^#?([A-Z_]+)=(.*)$", read_text("deploy/bot.env.example"), re.MULTILINE)
    files = {key for key, _ in lines if key.endswith("_FILE")}
    values = {key: value for key, value in lines if not value.startswith("postgresql") and key not in files}
    default = settings.read_settings({})
    given = settings.read_settings(values)
    assert (given.api_url, given.webhook_listen, given.log_level) == (
        default.api_url,
        default.webhook_listen,
        default.log_level,
    )
    assert (given.solver_workers, given.solver_deadline) == (default.solver_workers, default.solver_deadline)


EXTRAS = PROJECT["project"]["optional-dependencies"]
BOT = EXTRAS["bot"] + EXTRAS["postgresql"]
GROUPS = PROJECT["dependency-groups"]
LOCKS: dict[str, list[str]] = {
    "requirements.lock": BOT,
    "requirements-dev.lock": BOT + [each for each in GROUPS["dev"] if isinstance(each, str)],
    "requirements-deploy.lock": GROUPS["deploy"],
    "requirements-build.lock": GROUPS["build"],
    "requirements-docs.lock": GROUPS["docs"],
    "requirements-lint.lock": GROUPS["lint"],
}


def test_solver_needs_no_package() -> None:
    assert PROJECT["project"]["dependencies"] == []


def read_locked_versions(name: str) -> dict[str, str]:
    """Return the version of each package for which the lock file has hashes."""
    entry = r"^([A-Za-z0-9_.-]+)(?:\[[^]]*\])?==([^ ;\\]+)[^\n]*\\\n +--hash=sha256:"
    return {package.lower(): version for package, version in re.findall(entry, read_text(name), re.MULTILINE)}


@pytest.mark.parametrize("name", LOCKS)
def test_every_dependency_is_locked_with_hashes(name: str) -> None:
    versions = read_locked_versions(name)
    assert re.findall(r"^[^ ].*==.*[^\\]$", read_text(name), re.MULTILINE) == []  # each goes on to a hash
    assert {re.split(r"[~>=\[]", each)[0] for each in LOCKS[name]} <= set(versions)
    assert "://" not in read_text(name)
    dev = read_locked_versions("requirements-dev.lock")
    assert all(dev.get(package, version) == version for package, version in versions.items())


def test_make_locks_renews_every_lock() -> None:
    assert set(re.findall(r" -o (\S+\.lock)$", read_text("Makefile"), re.MULTILINE)) == set(LOCKS)


@pytest.mark.parametrize("name", ["deploy/Dockerfile", "deploy/install.sh"])
def test_installation_uses_locked_packages_only(name: str) -> None:
    commands = re.findall(r"/bin/pip\b[^&\n]*", read_text(name).replace("\\\n", ""))
    assert len([each for each in commands if "--require-hashes" in each]) == (2 if "Docker" in name else 1)
    safe = ("--require-hashes", "--no-index", "wheel --no-deps --no-build-isolation")
    assert [each for each in commands if not any(words in each for words in safe)] == []


def test_image_copies_existing_files_and_runs_unprivileged() -> None:
    dockerfile = read_text("deploy/Dockerfile")
    assert "\nUSER twentyfour\n" in dockerfile.split("\nFROM ")[-1]
    for sources in re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile, re.MULTILINE):
        assert all((ROOT / each).exists() for each in sources.split())
        assert {f"!{each}" for each in sources.split()} <= set(read_text(".dockerignore").splitlines())


def test_image_test_supports_every_dockerfile_instruction() -> None:
    found = parse_stages(read_text("deploy/Dockerfile"))
    assert list(found) == ["build", ""]
    words = {word for _, steps in found.values() for word, _ in steps}
    assert {"RUN", "COPY", "USER", "ENTRYPOINT"} <= words
    assert [word for word in words if not hasattr(Stage, f"_{word.lower()}")] == []


def test_ci_runs_commands_of_readme() -> None:
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111
    assert re.search(r"^ +- run: \.ci/run$", read_text(".github/workflows/ci.yml"), re.MULTILINE)
    assert re.findall(r'\$\(block (\d)\)"$', read_text(".ci/run"), re.MULTILINE)


def test_code_has_no_unfinished_marks() -> None:
    marks = {str(p.relative_to(ROOT)): UNFINISHED.findall(p.read_text("utf-8")) for p in CODE}
    assert {name: words for name, words in marks.items() if words} == {}


def test_skipped_tests_give_a_reason() -> None:
    bare = re.compile(r"pytest\.mark\.skip\b(?!\()|pytest\.skip\(\)|pytest\.mark\.skip\(\)")
    assert [p.name for p in CODE if p.name != "test_project.py" and bare.search(p.read_text("utf-8"))] == []


def test_timeouts_of_ordinary_tests_are_a_minute_at_least() -> None:
    # A busy machine needs that long. A timeout below a second is meant to run out.
    waits = r"wait_for\([^\n]*, |asyncio\.timeout\(|\.wait\(|world\.wait_until\([^\n]*, "
    limit = re.compile(rf"(?:{waits}|(?:next_post|taken|answer_to)\([^\n]*timeout=)([0-9.]+)\b")
    ordinary = [p for p in CODE if "tests" in p.parts and "faults" not in p.parts]
    limits = [(p.name, float(n)) for p in ordinary for n in limit.findall(p.read_text("utf-8"))]
    assert [(name, seconds) for name, seconds in limits if 1 <= seconds < 60] == []


def test_release_notes_are_those_of_the_tag() -> None:
    notes = release_notes.read_notes(f"v{__version__}")
    assert notes in read_text("CHANGELOG.md")
    assert "\n## " not in notes
    with pytest.raises(ValueError, match=r"the tag is v0\.9\.9, but solver/__init__\.py has "):
        release_notes.read_notes("v0.9.9")


def test_changelog_describes_this_version() -> None:
    titles = re.findall(r"^## (.*)$", read_text("CHANGELOG.md"), re.MULTILINE)
    assert titles[0] == "[Unreleased]"
    assert re.fullmatch(re.escape(f"[{__version__}] - ") + r"\d{4}-\d\d-\d\d", titles[1])


IMAGE = re.compile(r'<img src="docs/images/([a-z]+)\.png" width="\d+%" alt="([^"]+)">')


def test_pictures_in_readme_match_those_drawn_by_bot() -> None:
    texts = dict(IMAGE.findall(read_text("README.md")))
    drawn = solutions.make_pictures()
    assert set(texts) == set(drawn)
    for name, picture in drawn.items():
        stored = (FOLDER / f"{name}.png").read_bytes()
        difference = measure_difference(shrink_picture(stored), shrink_picture(draw_picture(picture)))
        assert difference <= MAX_DIFFERENCE, "run `make pictures`"


def test_pictures_are_small() -> None:
    assert [path.name for path in FOLDER.glob("*.png") if path.stat().st_size > 150_000] == []
    assert RECORDING.stat().st_size < 300_000


def test_alternative_texts_tell_content_of_pictures() -> None:
    texts, drawn = dict(IMAGE.findall(read_text("README.md"))), solutions.make_pictures()
    words = {name: set(re.findall(r"[+\d](?:[\d:/-]*\d)?|[A-Z][a-z]+", text)) for name, text in texts.items()}
    deal, daily = drawn["deal"], drawn["daily"]
    assert isinstance(deal, HandPicture)
    assert isinstance(daily, DailyPicture)
    assert str(deal.target) in words["deal"]
    assert {"Bob", "+5", "2/3", "1/3", "24"} <= words["solution"]
    assert {*daily.title.split()[1:], daily.time.split()[0], str(daily.streak)} <= words["daily"]
    assert daily.difficulty in texts["daily"]


def test_hands_for_teachers_need_their_skill() -> None:
    skills = {"Subtractions": "subtraction", "Divisions": "division", "Fractions": "fraction"}
    for name, skill in skills.items():
        row = re.search(rf"^\| {name} \| ([^|]+) \|", read_text("docs/teachers/results.md"), re.MULTILINE)
        assert row is not None
        for line in re.findall(r"`([\d ]+)`", row[1]):
            numbers = tuple(map(int, line.split()))
            assert skill in find_skills(build_hand(numbers, 24)), line


def test_files_named_in_security_exist() -> None:
    names = set(re.findall(r"tests/[\w/]+\.py", read_text("SECURITY.md")))
    assert len(names) > 20
    assert sorted(name for name in names if not (ROOT / name).exists()) == []
