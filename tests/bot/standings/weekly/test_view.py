"""The word about a week: one short post, however many share it."""

from bot.i18n import mention, words
from bot.pictures.values import Place, Podium
from bot.standings.weekly.queries import Story
from bot.standings.weekly.view import places, word

EN = words("en")


def test_a_week_in_three_lines() -> None:
    assert word(EN, Story((7,), 12, 8, 4.2, "1 5 5 5 → 24")).splitlines() == [
        f"🏆 <b>The week’s winner: {mention(7)}, 12 points</b>",
        f"⚡ The fastest answer: {mention(8)}, 4 seconds",
        "🤷 Nobody found 1 5 5 5 → 24",
    ]


def test_many_who_share_a_week_are_counted() -> None:
    three, four = (word(EN, Story(tuple(range(1, n + 1)), 1, 1, 9.0, None)).splitlines() for n in (3, 4))
    assert three[0] == f"🏆 <b>The week’s winner: {mention(1)}, {mention(2)}, {mention(3)}, 1 point</b>"
    assert four[0] == "🏆 <b>4 players share the week, with 1 point each</b>"
    assert len(three) == len(four) == 2


def test_no_line_of_it_stands_for_a_deal_or_a_boards_line() -> None:
    lines = word(EN, Story((7,), 12, 8, 4.2, "1 5 5 5 → 24")).splitlines()
    assert "1 5 5 5 → 24" not in lines
    assert not any(line[0].isdigit() for line in lines)


def test_who_stands_on_the_podium_is_said_in_a_line_of_its_own() -> None:
    steps = [Place(1, "Ann", 42), Place(2, "Bob", 31), Place(2, "Cid", 31)]
    assert (
        places(Podium("", steps)) == "🥇 \u2068Ann\u2069 42 · 🥈 \u2068Bob\u2069 31 · 🥈 \u2068Cid\u2069 31"
    )
    assert places(Podium("", steps[:1])) == ""
