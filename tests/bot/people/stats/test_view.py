"""A player's figures as text: each is said only where there is one."""

from bot.i18n import name, words
from bot.people.stats import view
from bot.people.stats.queries import Record, Times

EN = words("en")
TIMES = Times(2, 20.4, 9.0, 30.0)


def test_who_has_no_figures_is_told_how_to_begin() -> None:
    text = view.stats(EN, "<b>Bob</b>", None, (0, 0))
    assert text == f"{name('<b>Bob</b>')} has not played a round here yet. /play deals a hand."


def test_who_never_won_has_no_rank_no_times_and_no_streaks() -> None:
    text = view.stats(EN, "Ann", Record(2, 0, 0, 0, 0, 0, None, {}), (0, 0))
    assert text.splitlines() == [f"<b>{name('Ann')}</b>", "2 rounds played", "0 rounds won", "0 points"]


def test_whatever_there_is_has_a_line() -> None:
    text = view.stats(EN, "Ann", Record(3, 2, 7, 1, 0, 2, TIMES, {"hard": TIMES}), (5, 1))
    assert text.splitlines()[1:] == [
        "3 rounds played",
        "2 rounds won",
        "7 points",
        "rank here: 1",
        "mean time: 20 seconds",
        "best time: 9 seconds",
        "people usually need for the same hands: 30 seconds",
        "hard: 2 right, mean 20 s, best 9 s, usual 30 s",
        "rounds won in a row: 0 now, 2 at best",
        "daily hands solved: 5, 1 day in a row",
    ]
