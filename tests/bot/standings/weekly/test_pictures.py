"""Picture of a group's week."""

import pytest

from bot.database import Tx
from bot.i18n import INVISIBLE_NAME, get_words, list_languages
from bot.pictures.drawing import draw_picture
from bot.pictures.values import PodiumFact, PodiumPicture, RankedLine, RankingPicture
from bot.standings import weekly_post
from bot.standings import weekly_post as weeks
from bot.standings.weekly_post import WeekSummary
from tests.bot.databases import Database
from tests.bot.standings.weekly.test_queries import WEEK, insert_round

NAMES = {7: "Ann", 8: "Bob", 9: "Zoë"}
STORY = WeekSummary((8,), 42, 9, 3.2, "3 8 3 8 → 24", "24")


def test_podium_has_three_places_and_the_facts() -> None:
    shown = weekly_post.make_podium_picture(get_words("en"), STORY, {7: 31, 8: 42, 9: 18, 10: 5}, NAMES)
    assert shown == PodiumPicture(
        "The week’s winner",
        [RankedLine(1, "Bob", 42), RankedLine(2, "Ann", 31), RankedLine(3, "Zoë", 18)],
        [PodiumFact("The fastest answer", "3 s", "Zoë"), PodiumFact("Nobody found", "3 8 3 8 → 24")],
    )


def test_equal_players_share_a_place_and_missing_facts_are_left_out() -> None:
    shown = weekly_post.make_podium_picture(
        get_words("en"), WeekSummary((7, 11), 5, None, 0.0, None, "24"), {7: 5, 11: 5, 8: 1}, NAMES
    )
    assert isinstance(shown, PodiumPicture)
    assert shown.title == "The week’s winners"
    assert shown.places == [
        RankedLine(1, "Ann", 5),
        RankedLine(1, INVISIBLE_NAME, 5),
        RankedLine(3, "Bob", 1),
    ]
    assert shown.facts == []


@pytest.mark.parametrize("points", [(2, 2, 2, 2), (5, 2, 2, 2), (5, 4, 2, 2)])
def test_more_than_three_leaders_are_in_a_table(points: tuple[int, ...]) -> None:
    scored = dict(zip((7, 8, 9, 10), points, strict=True)) | {11: 1}
    shown = weekly_post.make_podium_picture(get_words("en"), STORY, scored, NAMES)
    assert isinstance(shown, RankingPicture)
    assert [line.points for line in shown.lines] == list(points)
    assert [line.name for line in shown.lines] == ["Ann", "Bob", "Zoë", INVISIBLE_NAME]
    assert weekly_post.render_places(shown).count(
        "🥉" if points[2] < points[1] else "🥈" if points[0] > 2 else "🥇"
    ) in (
        2,
        3,
        4,
    )


def test_more_than_ten_leaders_have_no_picture() -> None:
    assert (
        weekly_post.make_podium_picture(get_words("en"), STORY, dict.fromkeys(range(1, 11), 2), {})
        is not None
    )
    assert weekly_post.make_podium_picture(get_words("en"), STORY, dict.fromkeys(range(1, 12), 2), {}) is None


async def test_points_of_the_week_are_summed_by_player(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_round(tx, -1, 7, points=3)
        insert_round(tx, -1, 8, points=2)
        insert_round(tx, -1, 8, points=2)
        insert_round(tx, -1, 9, at=WEEK.until, points=50)
        insert_round(tx, -2, 9, points=50)
        assert weeks.load_week_points(tx, -1, WEEK, "24") == {7: 3, 8: 4}

    await db(story)


@pytest.mark.parametrize("language", list_languages())
def test_podium_can_be_drawn_in_every_language(language: str) -> None:
    shown = weekly_post.make_podium_picture(get_words(language), STORY, {7: 31, 8: 42, 9: 18}, NAMES)
    assert shown is not None
    assert draw_picture(shown, language)
