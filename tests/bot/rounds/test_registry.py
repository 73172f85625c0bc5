"""The list of games, and texts that may be answers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bot
from bot.games.twentyfour.game import TwentyFour
from bot.games.twentyfour.rules import Hand
from bot.i18n import Html, get_words
from bot.rounds.game import Game
from bot.rounds.registry import (
    ANOTHER_GAME,
    CONTEST_GAMES,
    DAILY_GAMES,
    DEFAULT_GAME,
    GAMES,
    is_answer,
    may_contain_answer,
    pack_puzzle,
    suggest_command,
    unpack_puzzle,
)


@pytest.mark.long
@given(st.text())
def test_text_without_number_is_no_answer(text: str) -> None:
    assert not is_answer("".join(c for c in text if not (c.isnumeric() or c in "AJQKajqk")))


@pytest.mark.parametrize("text", ["8/(3-8/3)", "A*J", "1+1", "8/(3-8/3)=25"])
def test_expression_looks_like_answer(text: str) -> None:
    assert is_answer(text)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("it is 8/(3-8/3) lol", True),
        ("8 over 3 minus 2", True),
        ("a 3+4", False),
        ("on 11/21/2026 we met", False),
        ("call 555-123-4567 now", False),
        ("see you at noon", False),
    ],
)
def test_answer_among_words_is_found(text: str, holds: bool) -> None:
    assert may_contain_answer(text) is holds


def find_mentions(game: str) -> set[str]:
    """Return the modules outside a game's folder that contain its name."""
    root = Path(bot.__file__).parent
    found = (path.relative_to(root) for path in root.rglob("*.py") if game in path.read_text("utf-8").lower())
    return {str(path) for path in found if not str(path).startswith(f"games/{game}/")}


@pytest.mark.parametrize("game", sorted(CONTEST_GAMES))
def test_contest_is_named_only_in_its_folder_and_the_registry(game: str) -> None:
    assert find_mentions(game) == {"rounds/registry.py"}
    assert GAMES[game].title


def test_default_and_other_game() -> None:
    assert DEFAULT_GAME is GAMES["24"]
    assert ANOTHER_GAME is GAMES["countdown"]
    assert list(DAILY_GAMES) == ["", "countdown"]
    assert DAILY_GAMES[""] is DEFAULT_GAME


def test_first_suggestion_of_a_game_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    english = get_words("en")
    assert suggest_command(english, "good morning") is None
    for game, said in (("countdown", "Tap."), ("24", None)):
        monkeypatch.setattr(type(GAMES[game]), "suggest_command", lambda *_, said=said: said and Html(said))
    assert suggest_command(english, "good morning") == "Tap."


def test_title_defaults_to_key() -> None:
    plain: type[Game[Any]] = type("Plain", (TwentyFour,), {"key": "plain", "title": ""})
    assert plain.title == "plain"
    assert GAMES["countdown"].title == "Countdown"


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
