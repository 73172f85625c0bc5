"""The list of games, and texts that may be answers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bot
from bot.games.twentyfour.rules import Hand
from bot.rounds.registry import (
    CONTEST_GAMES,
    GAMES,
    is_answer,
    pack_puzzle,
    register_games,
    unpack_puzzle,
)
from tests.games.sums.game import Sums


@pytest.mark.long
@given(st.text())
def test_text_without_number_is_no_answer(text: str) -> None:
    assert not is_answer("".join(c for c in text if not (c.isnumeric() or c in "AJQKajqk")))


def find_mentions(game: str) -> set[str]:
    """Return the modules outside a game's folder that contain its name."""
    root = Path(bot.__file__).parent
    found = (path.relative_to(root) for path in root.rglob("*.py") if game in path.read_text("utf-8").lower())
    return {str(path) for path in found if not str(path).startswith(f"games/{game}/")}


@pytest.mark.parametrize("game", sorted(CONTEST_GAMES))
def test_contest_is_named_only_in_its_folder_and_the_list(game: str) -> None:
    assert find_mentions(game) == {"features.py"}
    assert GAMES[game].title


DEEP = "[" * 60_000


@pytest.mark.parametrize(
    ("game", "stored"),
    [
        ("none", "{}"),
        ("24", ""),
        ("24", "{"),
        ("24", "[5]"),
        ("24", "{}"),
        ("24", DEEP),
        ("24", 5),
        ("24", [5]),
    ],
    ids=range(8),
)
def test_unreadable_puzzle_is_refused(game: str, stored: object) -> None:
    with pytest.raises(ValueError, match=r"no puzzle of a known game|no hand"):
        unpack_puzzle(game, stored, "easy", 9.0)


@pytest.mark.parametrize("stored", [json.dumps, dict], ids=["as rounds store it", "as races once did"])
def test_packed_puzzle_is_unpacked(stored: Callable[[Any], object]) -> None:
    hand = Hand((3, 8, 3, 8), 24, "hard", 30.0, ("8/(3-8/3)",))
    row = pack_puzzle("24", hand)
    again = unpack_puzzle(row["game"], stored(json.loads(row["puzzle"])), row["level"], row["expected"])
    assert again == hand


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ({"key": "Sum"}, "the name 'Sum' of Named is malformed"),
        ({"key": "24"}, "the name '24' of Named .* belongs to another game"),
        ({"command": "add-up"}, "the name 'add-up' of Named is malformed"),
        ({"aliases": ("play",)}, "the name 'play' of Named .* belongs to another game"),
    ],
)
def test_game_with_a_bad_or_taken_name_is_refused(
    monkeypatch: pytest.MonkeyPatch, names: dict[str, Any], why: str
) -> None:
    monkeypatch.setattr(f"{__name__}.Named", type("Named", (Sums,), names))
    with pytest.raises(ValueError, match=why):
        register_games(f"{__name__}.Named", default="24")


class Named(Sums):
    """Replaced by the tests."""


@pytest.mark.parametrize("path", [f"{__name__}.Missing", "tests.games.missing.game.Missing"])
def test_game_that_cannot_be_imported_is_named(path: str) -> None:
    with pytest.raises(ValueError, match=f"the game '{path}' can't be imported: "):
        register_games(path, default="24")
