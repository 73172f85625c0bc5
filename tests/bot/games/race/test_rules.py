"""When a race goes on, and what may be asked of it."""

import pytest

from bot.games.puzzle import LEVELS, Level, UnknownWordError
from bot.games.race.rules import LEFT_ALONE, Asked, Race, next_hand, read

ANN, OPENED = 1, 1000.0
LEVEL_NAMES: dict[str, Level] = {level: level for level in LEVELS}
RACE = Race(id=1, chat_id=-1, topic=0, starter_id=ANN, length=10, opened=OPENED)


def test_a_race_ends_with_its_last_hand() -> None:
    race = RACE
    for _ in range(10):
        assert race.open
        race = next_hand(race, answered=True)
    assert not race.open
    assert race.played == 10
    assert not next_hand(race, answered=True).open


def test_a_race_that_nobody_runs_ends_itself() -> None:
    race = RACE
    for _ in range(LEFT_ALONE):
        assert race.open
        race = next_hand(race, answered=False)
    assert not race.open
    tried = next_hand(next_hand(RACE, answered=False), answered=True)
    assert (tried.unanswered, tried.open) == (0, True)


def test_a_race_has_ten_hands_unless_told() -> None:
    assert read("", LEVEL_NAMES, {}) == Asked(10, None)
    assert read("3", LEVEL_NAMES, {}) == Asked(3, None)
    assert read("hard 5", LEVEL_NAMES, {}) == Asked(5, "hard")


@pytest.mark.parametrize("text", ["1", "21", "5 6", "all", "hard hard", "ten"])
def test_a_race_takes_its_length_and_a_level_alone(text: str) -> None:
    with pytest.raises(UnknownWordError):
        read(text, LEVEL_NAMES, {})
