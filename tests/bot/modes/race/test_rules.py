"""When a race goes on, and what may be asked of it."""

import pytest

from bot.modes.race.rules import Race, RaceOptions, finish_hand, parse_race_options
from bot.rounds.puzzle import LEVELS, Level, UnknownWordError

ANN, OPENED = 1, 1000.0
LEVEL_NAMES: dict[str, Level] = {level: level for level in LEVELS}
RACE = Race(id=1, chat_id=-1, topic=0, starter_id=ANN, length=10, opened=OPENED)


def test_a_race_ends_with_its_last_hand() -> None:
    race = RACE
    for _ in range(10):
        assert race.open
        race = finish_hand(race, tried=True)
    assert not race.open
    assert race.hands_played == 10
    assert not finish_hand(race, tried=True).open


def test_each_hand_has_a_minute() -> None:
    assert RACE.seconds == 60.0


def test_a_race_ends_itself_after_three_hands_that_nobody_tried() -> None:
    race = RACE
    for _ in range(3):
        assert race.open
        race = finish_hand(race, tried=False)
    assert not race.open
    tried = finish_hand(finish_hand(RACE, tried=False), tried=True)
    assert (tried.untried_in_a_row, tried.open) == (0, True)


def test_a_race_has_ten_hands_unless_told() -> None:
    assert parse_race_options("", LEVEL_NAMES, {}) == RaceOptions(10, None)
    assert parse_race_options("3", LEVEL_NAMES, {}) == RaceOptions(3, None)
    assert parse_race_options("hard 5", LEVEL_NAMES, {}) == RaceOptions(5, "hard")


@pytest.mark.parametrize("length", [2, 20])
def test_a_race_has_two_hands_at_least_and_twenty_at_most(length: int) -> None:
    assert parse_race_options(f"{length}", LEVEL_NAMES, {}).length == length


def test_a_race_may_name_its_game_once() -> None:
    games = {"countdown": "c", "play": "24"}
    assert parse_race_options("Countdown 5", LEVEL_NAMES, games) == RaceOptions(5, None, "c")
    with pytest.raises(UnknownWordError, match="play"):
        parse_race_options("countdown play", LEVEL_NAMES, games)


@pytest.mark.parametrize("text", ["1", "21", "5 6", "all", "hard hard", "ten"])
def test_a_race_takes_its_length_and_a_level_alone(text: str) -> None:
    with pytest.raises(UnknownWordError):
        parse_race_options(text, LEVEL_NAMES, {})
