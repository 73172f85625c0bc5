"""End of a race, and the options of `/race`."""

import pytest

from bot.levels import LEVELS, Level
from bot.modes.race.rules import Race, RaceOptions, finish_hand, parse_race_options
from bot.rounds.puzzle import UnknownWordError

LEVEL_NAMES: dict[str, Level] = {level: level for level in LEVELS}
RACE = Race(id=1, starter_id=1, length=10)


def test_race_ends_with_its_last_hand() -> None:
    race = RACE
    for _ in range(10):
        assert race.is_open
        race = finish_hand(race, tried=True)
    assert not race.is_open
    assert race.hands_played == 10
    assert not finish_hand(race, tried=True).is_open


def test_race_ends_after_three_untried_hands_in_a_row() -> None:
    race = RACE
    for _ in range(3):
        assert race.is_open
        race = finish_hand(race, tried=False)
    assert not race.is_open
    tried = finish_hand(finish_hand(RACE, tried=False), tried=True)
    assert (tried.untried_in_a_row, tried.is_open) == (0, True)


def test_length_and_level_are_optional() -> None:
    assert parse_race_options("", LEVEL_NAMES, {}) == RaceOptions(None, None)
    assert parse_race_options("3", LEVEL_NAMES, {}) == RaceOptions(3, None)
    assert parse_race_options("hard 5", LEVEL_NAMES, {}) == RaceOptions(5, "hard")


@pytest.mark.parametrize("length", [2, 20])
def test_race_has_two_to_twenty_hands(length: int) -> None:
    assert parse_race_options(f"{length}", LEVEL_NAMES, {}).length == length


def test_race_names_its_game_at_most_once() -> None:
    games = {"countdown": "c", "play": "24"}
    assert parse_race_options("Countdown 5", LEVEL_NAMES, games) == RaceOptions(5, None, "c")
    with pytest.raises(UnknownWordError, match="play"):
        parse_race_options("countdown play", LEVEL_NAMES, games)


@pytest.mark.parametrize("text", ["1", "21", "5 6", "all", "hard hard", "ten", "x" * 101])
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(UnknownWordError):
        parse_race_options(text, LEVEL_NAMES, {})


def test_duel_has_no_length() -> None:
    assert parse_race_options("hard", LEVEL_NAMES, {}, lengths=()) == RaceOptions(None, "hard")
    with pytest.raises(UnknownWordError, match="5"):
        parse_race_options("5", LEVEL_NAMES, {}, lengths=())
