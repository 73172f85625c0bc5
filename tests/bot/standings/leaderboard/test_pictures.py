"""Pictures of a leaderboard."""

from functools import partial

import pytest

from bot import zones
from bot.database import Tx
from bot.i18n import INVISIBLE_NAME, get_words, list_languages
from bot.pictures.drawing import draw_picture
from bot.pictures.values import RankedLine
from bot.standings.leaderboard import queries as boards
from bot.standings.leaderboard import view
from bot.standings.leaderboard.queries import Standing
from bot.standings.leaderboard.view import LeaderboardChoice
from bot.zones import UTC
from tests.bot.databases import Database
from tests.bot.standings.leaderboard.test_queries import DAY, insert_win

NOON = 1_795_521_600.0  # Tuesday, 24 November 2026
LEADERS = [Standing(1, 7, "Ann", 9, masked=True), Standing(2, 8, "Bob", 2, masked=False)]
WEEK = LeaderboardChoice(-1, period="w", game="24")


async def test_points_by_day_follow_the_chats_time_zone(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_win(tx, -1, 7, 3, NOON - DAY, 2)
        insert_win(tx, -1, 7, 2, NOON, 4)
        insert_win(tx, -1, 7, 1, NOON + 60, 1, "countdown")
        insert_win(tx, -1, 8, 5, NOON, 6)
        insert_win(tx, -1, 8, 50, NOON - 2 * DAY, 8)
        insert_win(tx, -2, 7, 50, NOON, 10)
        leaders = boards.load_leaderboard_since(tx, -1, NOON - DAY * 1.5, "24").leaders
        by_day = partial(boards.load_points_by_day, tx, -1, game="24")
        assert by_day(UTC, leaders, NOON + 60) == {7: [3, 2], 8: [0, 5]}
        assert boards.load_points_by_day(tx, -1, UTC, leaders, NOON + 60, "countdown")[7] == [0, 1]
        alone = [line for line in leaders if line.player_id == 7]
        assert by_day(UTC, alone, NOON + 5 * DAY) == {7: [3, 2, 0, 0, 0, 0, 0]}
        assert by_day(UTC, alone, NOON - DAY) == {7: [3]}
        shanghai = zones.get_zone("Asia/Shanghai")
        assert by_day(shanghai, leaders, NOON + 60) == {7: [3, 2], 8: [0, 5]}
        early = zones.get_zone("Etc/GMT-13")
        assert by_day(early, leaders, NOON + 60) == {7: [0, 3, 2], 8: [50, 0, 5]}

    await db(story)


def test_week_picture_has_the_leaders_and_their_days() -> None:
    week = view.make_week_picture(get_words("en"), LEADERS, {7: [4, 5], 8: [0, 2]}, WEEK)
    assert week.title == "Leaderboard · this chat · this week · Twenty-Four"
    assert week.lines == [(RankedLine(1, "Ann", 9), [4, 5]), (RankedLine(2, "Bob", 2), [0, 2])]


def test_masked_names_are_masked_in_the_picture() -> None:
    everywhere = LeaderboardChoice(-1, view.ALL_CHATS_SCOPE, "w", "countdown")
    week = view.make_week_picture(get_words("en"), LEADERS, {7: [], 8: []}, everywhere)
    assert week.title == "Leaderboard · all chats · this week · Countdown"
    assert [line.name for line, _ in week.lines] == ["A•••", "Bob"]
    nameless = view.make_week_picture(get_words("en"), [Standing(1, 7, "", 1, masked=False)], {7: []}, WEEK)
    assert nameless.lines[0][0].name == INVISIBLE_NAME


def test_table_picture_shows_other_periods() -> None:
    everywhere = LeaderboardChoice(-1, view.ALL_CHATS_SCOPE, game="countdown")
    table = view.make_table_picture(get_words("en"), LEADERS, everywhere)
    assert table.title == "Leaderboard · all chats · all time · Countdown"
    assert list(table.lines) == [RankedLine(1, "A•••", 9), RankedLine(2, "Bob", 2)]
    assert draw_picture(
        view.make_table_picture(get_words("en"), [], LeaderboardChoice(-1, period="d", game="24"))
    )


def test_points_by_day_are_rendered_as_text() -> None:
    result = view.render_points_by_day(
        get_words("en"), LEADERS, {7: [4, 0, 5], 8: [0, 2, 0]}, view.ALL_CHATS_SCOPE
    )
    assert result == (
        "<blockquote expandable>\u2068A•••\u2069: Mo 4 · We 5\n\u2068Bob\u2069: Tu 2</blockquote>"
    )


@pytest.mark.parametrize("language", list_languages())
def test_weekdays_have_seven_names_in_every_language(language: str) -> None:
    week = view.make_week_picture(get_words(language), LEADERS, {7: [4, 5], 8: [0, 2]}, WEEK)
    assert len({*week.days}) == len(week.days) == 7
    assert draw_picture(week, language)
