"""Stored hands, and the options and settings of a deal."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.games.twentyfour.game import TwentyFour, read_settings
from bot.games.twentyfour.rules import Hand, HandOptions, parse_target
from bot.i18n import get_words
from bot.levels import LEVELS, Level
from bot.players.choices import StoredChoices
from bot.rounds.game import pack_options
from bot.rounds.puzzle import Kind, UnknownWordError
from solver import Recipe

GAME, EN = TwentyFour(), get_words("en")
HELD = Hand((3, 8, 3, 8), 24, "fiendish", 14.0, ("8/(3-8/3)",), ('["last", "/"]',))


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", HandOptions()),
        ("hard", HandOptions(level="hard")),
        ("HARD", HandOptions(level="hard")),
        ("36", HandOptions(target=36)),
        ("5", HandOptions(cards=5)),
        ("3", HandOptions(cards=3)),
        ("6", HandOptions(cards=6)),
        ("7", HandOptions(target=7)),
        ("1000", HandOptions(target=1000)),
        ("all", HandOptions(kind=Kind.ALL)),
        ("hard 36", HandOptions(level="hard", target=36)),
        ("36, hard", HandOptions(level="hard", target=36)),
        ("5 100 all easy", HandOptions("easy", Kind.ALL, 5, 100)),
    ],
)
def test_options_come_in_any_order(text: str, options: HandOptions) -> None:
    assert GAME.options.parse(EN, text, Kind.FIRST) == options


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("2", "2"),
        ("0", "0"),
        ("1001", "1001"),
        ("-5", "-5"),
        ("5 6", "6"),
        ("36 37", "37"),
        ("hard easy", "easy"),
        ("all all", "all"),
        ("ähnlich", "ähnlich"),
        ("²", "²"),
        ("9" * 5000, "9" * 20 + "…"),
        ("3 8 3 8", "3"),
    ],
)
def test_first_unknown_word_is_named(text: str, fragment: str) -> None:
    with pytest.raises(UnknownWordError) as caught:
        GAME.options.parse(EN, text, Kind.FIRST)
    assert caught.value.fragment == fragment


@given(
    st.sampled_from([None, *LEVELS]),
    st.sampled_from(Kind),
    st.sampled_from([None, 3, 6]),
    st.sampled_from([None, 0, 1000]),
)
def test_options_are_unpacked_as_they_were_packed(
    level: Level | None, kind: Kind, cards: int | None, target: int | None
) -> None:
    asked = HandOptions(level, kind, cards, target)
    assert GAME.options.unpack(pack_options(asked), kind) == asked


@pytest.mark.parametrize(
    "packed", [{}, {"level": "mild", "cards": 2, "target": -1}, {"level": 3, "cards": True, "target": "24"}]
)
def test_stored_options_that_are_not_allowed_are_ignored(packed: dict[str, Any]) -> None:
    assert GAME.options.unpack(json.dumps(packed), Kind.ALL) == HandOptions(kind=Kind.ALL)


@pytest.mark.parametrize("text", ["困难 全部", "hard all"])
def test_options_are_parsed_in_the_readers_language_and_in_english(text: str) -> None:
    assert GAME.options.parse(get_words("zh_Hans"), text, Kind.FIRST) == HandOptions(
        level="hard", kind=Kind.ALL
    )


def test_hand_is_unpacked_as_it_was_packed() -> None:
    assert GAME.unpack(GAME.pack(HELD), "fiendish", 14.0) == HELD
    assert HELD.line == "3 8 3 8 → 24"


@pytest.mark.parametrize(
    ("broken", "level"), [({"v": 2}, "easy"), ({"numbers": ["x"]}, "easy"), ({}, "godlike")]
)
def test_unreadable_hand_is_refused(broken: dict[str, Any], level: str) -> None:
    with pytest.raises(ValueError):
        GAME.unpack(json.dumps(json.loads(GAME.pack(HELD)) | broken), level, 9.0)


def test_stored_settings_are_read() -> None:
    settings = StoredChoices({"level": "hard", "highest": 10, "cards": 5, "target": 36})
    assert read_settings(settings) == Recipe("24", 5, 10, 36, "hard")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("level", "godlike"),
        ("highest", 12),
        ("cards", "4"),
        ("cards", True),
        ("cards", 99),
        ("target", -1),
        ("target", 24.0),
        ("target", 10**9),
    ],
)
def test_stored_settings_that_are_not_allowed_are_ignored(key: str, value: Any) -> None:
    assert read_settings(StoredChoices({key: value})) == Recipe("24")


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("36", 36),
        (" 0 ", 0),
        ("１００", 100),
        ("1000", 1000),
        ("1001", None),
        ("-3", None),
        ("٣", None),
        ("", None),
    ],
)
def test_typed_target_is_parsed(text: str, target: int | None) -> None:
    assert parse_target(text) == target
