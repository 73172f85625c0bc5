"""Picture of a race's table."""

from bot.i18n import INVISIBLE_NAME, get_words
from bot.modes.race.rules import Race
from bot.modes.race.view import RaceHand, RaceStandings
from bot.pictures import values
from bot.rounds.view import MAX_RANKS
from tests.sample_rounds import make_round

RACE = Race(1, 7, 3, is_open=False)


def test_equal_points_share_a_rank() -> None:
    standings = RaceStandings(RACE, [RaceHand(make_round(), {7: 4, 8: 9, 9: 4})])
    assert standings.make_end_picture(get_words("en"), {7: "Ann", 8: "Bob"}) == values.RankingPicture(
        "The race is over.",
        [
            values.RankedLine(1, "Bob", 9),
            values.RankedLine(2, "Ann", 4),
            values.RankedLine(2, INVISIBLE_NAME, 4),
        ],
    )


def test_picture_has_as_many_lines_as_the_message() -> None:
    standings = RaceStandings(RACE, [RaceHand(make_round(), dict.fromkeys(range(40), 1))])
    picture = standings.make_end_picture(get_words("en"), {})
    assert isinstance(picture, values.RankingPicture)
    assert len(picture.lines) == MAX_RANKS
