"""What may stand behind /play and /race."""

import pytest

from bot.games.rounds.rules import Kind
from bot.games.twentyfour.options import OptionError, Options, RaceOptions, play_options, race_options


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", Options()),
        ("hard", Options(level="hard")),
        ("HARD", Options(level="hard")),
        ("36", Options(target=36)),
        ("5", Options(cards=5)),
        ("3", Options(cards=3)),
        ("6", Options(cards=6)),
        ("7", Options(target=7)),
        ("1000", Options(target=1000)),
        ("all", Options(kind=Kind.ALL)),
        ("hard 36", Options(level="hard", target=36)),
        ("36, hard", Options(level="hard", target=36)),
        ("5 100 all easy", Options("easy", 5, 100, Kind.ALL)),
    ],
)
def test_options_come_in_any_order(text: str, options: Options) -> None:
    assert play_options(text) == options


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
def test_the_first_word_that_makes_no_sense_is_named(text: str, fragment: str) -> None:
    with pytest.raises(OptionError) as caught:
        play_options(text)
    assert caught.value.fragment == fragment


def test_options_are_read_in_the_language_spoken_and_in_english() -> None:
    names = {"困难": "hard", "сложно": "hard"}
    assert play_options("困难 全部", names, "全部") == Options(level="hard", kind=Kind.ALL)  # type: ignore[arg-type]
    assert play_options("hard all", names, "全部") == Options(level="hard", kind=Kind.ALL)  # type: ignore[arg-type]


def test_a_race_has_ten_hands_unless_told() -> None:
    assert race_options("") == RaceOptions(10, None)
    assert race_options("3") == RaceOptions(3, None)
    assert race_options("hard 5") == RaceOptions(5, "hard")


@pytest.mark.parametrize("text", ["1", "21", "5 6", "all", "hard hard", "ten"])
def test_a_race_takes_its_length_and_a_level_alone(text: str) -> None:
    with pytest.raises(OptionError):
        race_options(text)
