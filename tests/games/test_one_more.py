"""A new game takes one folder and one line; nothing else in the bot changes."""

import difflib
import filecmp
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINE = "from bot.games.sums.game import Sums\n"


@pytest.fixture(scope="module")
def bot_with_game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the packages and add the test game's folder and its line."""
    folder = tmp_path_factory.mktemp("more")
    for package in ("bot", "solver"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "tests" / "games" / "sums", folder / "bot" / "games" / "sums")
    registry = folder / "bot" / "rounds" / "registry.py"
    lines = registry.read_text("utf-8").splitlines(keepends=True)
    last = max(n for n, line in enumerate(lines) if line.startswith("from bot.games."))
    registry.write_text("".join([*lines[: last + 1], LINE, *lines[last + 1 :]]), "utf-8")
    return folder


def list_changes(ours: Path, theirs: Path) -> Iterator[str]:
    """Yield the files and folders that only one folder has, and the different lines of all others."""
    compared = filecmp.dircmp(ours, theirs, ignore=["__pycache__"])
    yield from (f"only here: {ours / name}" for name in compared.left_only)
    yield from (f"folder: {name}" for name in compared.right_only)
    for name in compared.diff_files:
        before, after = ((side / name).read_text("utf-8").splitlines() for side in (ours, theirs))
        yield from (f"line in {name}: {line}" for line in difflib.ndiff(before, after) if line[0] in "+-")
    for name in compared.common_dirs:
        yield from list_changes(ours / name, theirs / name)


def test_new_game_needs_one_folder_and_one_line(bot_with_game: Path) -> None:
    found = list(list_changes(ROOT / "bot", bot_with_game / "bot"))
    print("\n".join(found))
    assert sorted(found) == ["folder: sums", f"line in registry.py: + {LINE.strip()}"]


@pytest.mark.long
def test_new_game_works_in_the_whole_bot(bot_with_game: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": f"{bot_with_game}{os.pathsep}{ROOT}"}
    process = subprocess.run(
        [sys.executable, "-m", "tests.games.play_sums"],
        cwd=bot_with_game,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    printed = dict(line.split(": ", 1) for line in process.stdout.splitlines())
    assert "/sum — add three numbers up" in printed["help"]
    assert "is not the sum" in printed["wrong"]
    assert "Bob" in printed["won"]
    assert "+2 points" in printed["won"]
    assert "The race is over" in printed["raced"]
    assert printed["raced"].count("1. \u2068") == 2  # a point each
    assert printed["no level"] == "sum has no levels."
    assert printed["no more"] == "“hard”? /sum takes nothing more."
    assert "#1 — Given up." in printed["skipped"]
    assert printed["duel"].endswith("First to 3 wins. | sum")
    assert "1. \u2068Bob\u2069 — 3" in printed["board"]
    assert "2. \u2068Ann\u2069 — 1" in printed["board"]
    assert "won 2 of 2" in printed["stats"]
    end, _, answer = printed["expired"].partition(" (it was ")
    assert f"Nobody found it in time. | 💭 {answer.removesuffix(')')}" in end
    peeking = [reply for name, reply in printed.items() if name.startswith("peeking")]
    assert len(peeking) == 6
    assert all("no peeking" in reply for reply in peeking)
    assert "step by step" in printed["stranger"]
    assert printed["copied"] == "Right, but you asked me about these numbers after the deal: no points."
    assert "Found, but it counts for nobody." in printed["void"]
    assert "step by step" in printed["afterwards"]
    states = ("won", "won", "won", "skipped", "skipped", "expired", "void")
    assert printed["rounds"] == str([("sum", state) for state in states])
    assert printed["violations"] == "[]"
