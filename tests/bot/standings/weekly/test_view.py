"""Text of the weekly post."""

from bot.i18n import get_words, make_mention
from bot.pictures.values import PodiumPicture, RankedLine
from bot.standings.weekly_post import WeekSummary, render_places, render_week_summary

EN = get_words("en")


def test_post_has_three_lines() -> None:
    assert render_week_summary(EN, WeekSummary((7,), 12, 8, 4.2, "1 5 5 5 → 24", "24")).splitlines() == [
        f"🏆 <b>The week’s winner: {make_mention(7)}, 12 points</b>",
        f"⚡ The fastest answer: {make_mention(8)}, 4 s",
        "🤷 Nobody found 1 5 5 5 → 24",
    ]


def test_more_than_three_winners_are_counted() -> None:
    three, four = (
        render_week_summary(EN, WeekSummary(tuple(range(1, n + 1)), 1, 1, 9.0, None, "24")).splitlines()
        for n in (3, 4)
    )
    assert (
        three[0]
        == f"🏆 <b>The week’s winner: {make_mention(1)}, {make_mention(2)}, {make_mention(3)}, 1 point</b>"
    )
    assert four[0] == "🏆 <b>4 players share the week, with 1 point each</b>"
    assert len(three) == len(four) == 2


def test_no_line_looks_like_a_deal_or_a_leaderboard_line() -> None:
    lines = render_week_summary(EN, WeekSummary((7,), 12, 8, 4.2, "1 5 5 5 → 24", "24")).splitlines()
    assert "1 5 5 5 → 24" not in lines
    assert not any(line[0].isdigit() for line in lines)


def test_places_of_the_podium_are_one_line() -> None:
    steps = [RankedLine(1, "Ann", 42), RankedLine(2, "Bob", 31), RankedLine(2, "Cid", 31)]
    assert (
        render_places(PodiumPicture("", steps))
        == "🥇 \u2068Ann\u2069 42 · 🥈 \u2068Bob\u2069 31 · 🥈 \u2068Cid\u2069 31"
    )
    assert render_places(PodiumPicture("", steps[:1])) == ""
