"""Picture of a race's table."""

from bot.i18n import INVISIBLE_NAME, get_words
from bot.modes.race import view
from bot.modes.race.rules import Race
from bot.modes.race.view import MAX_RANKS, RaceStandings
from bot.pictures import values

RACE = Race(1, -1, 0, 7, 3, 0.0, is_open=False)


def test_equal_points_share_a_rank() -> None:
    standings = RaceStandings(RACE, [], {7: 4, 8: 9, 9: 4})
    assert view.make_race_picture(get_words("en"), standings, {7: "Ann", 8: "Bob"}) == values.RankingPicture(
        "The race is over.",
        [
            values.RankedLine(1, "Bob", 9),
            values.RankedLine(2, "Ann", 4),
            values.RankedLine(2, INVISIBLE_NAME, 4),
        ],
    )


def test_picture_has_as_many_lines_as_the_message() -> None:
    standings = RaceStandings(RACE, [], dict.fromkeys(range(40), 1))
    assert len(view.make_race_picture(get_words("en"), standings, {}).lines) == MAX_RANKS
