"""Message of a round in every language."""

import re
from dataclasses import replace
from fractions import Fraction
from html import unescape

import pytest

from bot.formats import format_expression
from bot.i18n import format_name, get_words, list_languages
from bot.levels import LEVELS
from bot.modes.duel.rules import Duel, DuelState
from bot.modes.duel.view import DuelStandings
from bot.modes.race.rules import MAX_LENGTH as LONGEST_RACE
from bot.modes.race.rules import Race
from bot.modes.race.view import RaceHand, RaceStandings
from bot.queue.rendering import TEXT_LIMIT
from bot.rounds.attempts import AnswerNote, NearMiss
from bot.rounds.puzzle import Entry, Find, Kind
from bot.rounds.rules import Round, State
from bot.rounds.view import Snapshot, render_message, render_ranking
from bot.telegram.messages import post_message
from tests.phone_screen import find_overflow
from tests.sample_rounds import change_round, get_hand, make_round
from tests.stories.clock import NOON

CARDS = (1000, 1000, 999, 998, 997, 996, 995, 994)
LONG = "1000*(1000+999/(998-997*(996+995)))-994"
HAND = make_round(
    id=2**53,
    chat_id=-100,
    numbers=CARDS,
    target=1000,
    level="fiendish",
    expected=3000.0,
    ideas=tuple(f"{LONG}+{n}-{n}" for n in range(60)),
    hint_values=(
        '["last", "/"]',
        '["make", "99999/100000", "1000 1000 999"]',
        f'["shape", "{LONG}"]',
    ),
    hints=3,
    answer=LONG,
)
NAMES = dict.fromkeys(range(200), "👩\u200d👩\u200d👧\u200d👦<&>"[:8] * 8)
FULL = Snapshot(
    now=NOON + 5,
    names=NAMES,
    notes=[AnswerNote(n, f"👎 {LONG} = 23 1/9" * 3) for n in range(200)],
    skip_voters=[1],
    votes_needed=2,
    points=6,
    finds=[Find(n, LONG, get_hand(HAND).ideas[0], 6) for n in range(200)],
    nearest_miss=NearMiss(3, LONG, Fraction(1000001, 1000)),
)
STATES = [
    HAND,
    replace(HAND, kind=Kind.ALL),
    replace(HAND, state=State.WON, winner_id=1, closed=NOON + 99, streak=12, day_first=True),
    replace(HAND, state=State.EXPIRED, closed=NOON + 601),
    replace(HAND, state=State.SKIPPED, closed=NOON + 1, kind=Kind.ALL),
    replace(HAND, state=State.VOID, closed=NOON + 1),
]


TABLED = [kind for kind in Kind if kind is not Kind.CONTEST]
# A hand in which everybody may have scored.
SHARED = replace(HAND, state=State.EXPIRED, closed=NOON + 60, kind=Kind.BEST)


def strip_tags(text: str) -> str:
    """Return the text without tags, as Telegram counts it."""
    return unescape(re.sub(r"<[^>]+>", "", text))


def make_race(*, over: bool, shared: bool = False) -> RaceStandings:
    """Return a race of many long hands, won by one player or shared by all."""
    done = LONGEST_RACE if over else LONGEST_RACE - 1
    hand, earned = (SHARED, dict.fromkeys(range(200), 3)) if shared else (STATES[2], {1: 6})
    legs = [RaceHand(replace(hand, id=n), earned) for n in range(done)]
    state = Race(1, 1, LONGEST_RACE, hands_played=done, is_open=not over)
    return RaceStandings(state, legs)


def make_duel(*, over: bool) -> DuelStandings:
    """Return a duel of players with long names, in its last hand or over."""
    two = Duel(1, -100, 0, 1, 2, "24", NOON, state=DuelState.WON if over else DuelState.OPEN, winner_id=2)
    hands = make_race(over=False)
    state = replace(hands.race, length=5, hands_played=5 if over else 4, untried_in_a_row=3, is_open=not over)
    return DuelStandings(state, hands.hands[:5], stop_voters=[2], votes_needed=2, duel=two)


SCENES = [(state, FULL) for state in STATES]
SCENES += [
    (STATES[2 * over], replace(FULL, frame=make_race(over=over, shared=shared)))
    for over in (True, False)
    for shared in (True, False)
]
SCENES += [(STATES[2 * over], replace(FULL, frame=make_duel(over=over))) for over in (True, False)]


@pytest.mark.parametrize("language", list_languages())
@pytest.mark.parametrize(("round", "scene"), SCENES)
def test_message_fits_in_every_state(language: str, round: Round, scene: Snapshot) -> None:
    text, keyboard = render_message(round, get_words(language), scene)
    sent = str(post_message(-100, text, keyboard=keyboard).params["text"])
    assert len(strip_tags(sent).encode("utf-16-le")) // 2 <= TEXT_LIMIT
    assert sent.count("<b>") == sent.count("</b>")
    for row in keyboard:
        for label, data in row:
            assert label.strip() == label != ""
            assert len(data.encode()) <= 64


@pytest.mark.long
@pytest.mark.parametrize("language", list_languages())
@pytest.mark.parametrize("round", STATES)
def test_deal_is_on_its_own_line(language: str, round: Round) -> None:
    text, _ = render_message(round, get_words(language), FULL)
    assert "1000 1000 999 998 997 996 995 994 → 1000" in text.splitlines()


@pytest.mark.parametrize("language", list_languages())
def test_win_has_points_as_one_number(language: str) -> None:
    text, _ = render_message(STATES[2], get_words(language), FULL)
    assert re.findall(r"(?m)^\+(\d+)", strip_tags(text)) == ["6"]
    assert f"{format_expression(LONG)} = 1000" in strip_tags(text)


@pytest.mark.parametrize(
    ("took", "best", "expected"),
    [
        (5, None, "⏱ 5 s"),
        (0, None, "⏱ 1 s"),
        (99, 12.4, "⏱ 1 min 39 s"),
        (12, 12.4, "⏱ 12 s · your personal best"),
        (100, 3725.0, "⏱ 1 min 40 s · your personal best"),
        (-3, 12.4, None),
    ],
)
def test_time_is_compared_with_best(took: float, best: float | None, expected: str | None) -> None:
    text, _ = render_message(
        replace(STATES[2], closed=NOON + took), get_words("en"), replace(FULL, best_seconds=best)
    )
    assert [line for line in text.splitlines() if line.startswith("⏱")] == ([expected] if expected else [])


@pytest.mark.long
@pytest.mark.parametrize("language", list_languages())
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("best", [132.0, 71.0])
def test_times_fit_a_phone_in_every_language(language: str, level: str, best: float) -> None:
    won = replace(change_round(STATES[2], level=level, numbers=(3, 8, 3, 8), target=24), closed=NOON + 83)
    text, _ = render_message(won, get_words(language), replace(FULL, best_seconds=best))
    (line,) = [line for line in text.splitlines() if line.startswith("⏱")]
    assert find_overflow(line) == []


@pytest.mark.parametrize(
    ("numbers", "target", "expected"),
    [
        ((3, 8, 3, 8), 24, True),
        ((3, 8, 3, 8), 36, False),
        ((3, 8, 3), 24, False),
        ((1, 3, 8, 3, 8), 24, False),
    ],
)
def test_share_of_people_is_shown_only_if_measured(
    numbers: tuple[int, ...], target: int, expected: bool
) -> None:
    for state in (HAND, STATES[3]):
        hand = change_round(state, numbers=numbers, target=target, expected=9.4)
        text, _ = render_message(hand, get_words("en"), replace(FULL, finds=[]))
        assert ("9 of 10 people find it" in text) is expected


@pytest.mark.parametrize(("seconds", "line"), [(8.0, "⏱ 8 s · usually 9 s"), (10.0, "⏱ 10 s")])
def test_usual_time_is_told_only_to_a_quicker_winner(seconds: float, line: str) -> None:
    won = change_round(STATES[2], numbers=(3, 8, 3, 8), target=24, expected=9.4)
    text, _ = render_message(replace(won, closed=won.opened + seconds), get_words("en"), FULL)
    assert {line, "9 of 10 people find it"} <= set(text.splitlines())


@pytest.mark.parametrize(
    ("expected", "share"), [(4.3, "9 of 10"), (8.0, "9 of 10"), (25.0, "6 of 10"), (600.0, "1 of 10")]
)
def test_share_of_people_is_from_1_to_9_of_10(expected: float, share: str) -> None:
    hand = change_round(HAND, numbers=(3, 8, 3, 8), target=24, expected=expected)
    text, _ = render_message(hand, get_words("en"), FULL)
    assert f"{share} people find" in text


def test_three_latest_notes_name_their_players() -> None:
    notes = [AnswerNote(n, f"👎 {n}+8 = {n + 8}") for n in (0, 1, 2, 3)]
    names = {1: "Ann", 2: "Bob", 3: "Cem"}
    text, _ = render_message(HAND, get_words("en"), Snapshot(now=NOON, names=names, notes=notes))
    assert text.splitlines()[-3:] == [
        "👎 \u2068Ann\u2069: 1+8 = 9",
        "👎 \u2068Bob\u2069: 2+8 = 10",
        "👎 \u2068Cem\u2069: 3+8 = 11",
    ]


@pytest.mark.parametrize(
    ("voters", "needed", "label", "line"),
    [
        ([], 0, "Give up", None),
        ([1], 2, "Give up 1/2", "🏳 \u2068Ann\u2069 gives up. 1 more and the solution is shown."),
        (
            [1, 2],
            5,
            "Give up 2/5",
            "🏳 \u2068Ann\u2069, \u2068Bob\u2069 give up. 3 more and the solution is shown.",
        ),
    ],
)
def test_votes_are_named_and_counted(voters: list[int], needed: int, label: str, line: str | None) -> None:
    scene = Snapshot(now=NOON, names={1: "Ann", 2: "Bob"}, skip_voters=voters, votes_needed=needed)
    text, keyboard = render_message(HAND, get_words("en"), scene)
    assert keyboard[0][-1] == (label, f"s:{HAND.id}")
    assert [each for each in text.splitlines() if each.startswith("🏳")] == ([line] if line else [])


@pytest.mark.parametrize(("streak", "expected"), [(1, False), (2, False), (3, True), (4, True)])
def test_streak_is_mentioned_from_three_rounds(streak: int, expected: bool) -> None:
    text, _ = render_message(replace(STATES[2], streak=streak), get_words("en"), FULL)
    assert (f"has won {streak} in a row!" in text) is expected


def test_ended_hand_has_one_line_with_the_link_to_verify_it() -> None:
    link = "https://t.me/bot?start=fair_7"
    text, _ = render_message(make_round(), get_words("en"), Snapshot(now=NOON))
    assert "🔒" not in text
    for over in (State.WON, State.SKIPPED, State.EXPIRED):
        ended = make_round(state=over, closed=NOON + 9, winner_id=1)
        text, _ = render_message(ended, get_words("en"), Snapshot(now=NOON, fair_link=link))
        assert text.splitlines()[-1] == f'🔒 <a href="{link}">How the cards are drawn</a>'


@pytest.mark.parametrize("language", list_languages())
def test_open_hand_reveals_no_idea(language: str) -> None:
    text, _ = render_message(change_round(HAND, hints=0), get_words(language), Snapshot(now=NOON))
    assert LONG not in text


def test_table_lines_end_with_points() -> None:
    race = replace(make_race(over=True), hands=[RaceHand(SHARED, {n: n for n in range(200)})])
    text, _ = render_message(STATES[2], get_words("en"), replace(FULL, frame=race))
    table = [line for line in text.splitlines() if re.match(r"\d+\. ", line)]
    assert table == [f"{place}. {format_name(NAMES[0])} — {200 - place}" for place in range(1, 11)]
    assert "… and 190 more" in text.splitlines()


def test_players_who_share_a_rank_stand_on_one_line() -> None:
    points = dict.fromkeys(range(20), 5) | {20: 7, 21: 3}
    names = {n: f"P{n}" for n in points}
    lines = render_ranking(get_words("en"), points, names, limit=2)
    shared = ", ".join(str(format_name(names[n])) for n in range(5))
    assert lines == [f"1. {format_name('P20')} — 7", f"2. {shared} … and 15 more — 5", "… and 1 more"]


def test_points_are_shown_only_if_earned_at_once() -> None:
    scene = replace(FULL, finds=())
    lines = {
        kind: render_message(replace(HAND, kind=kind), get_words("en"), scene)[0].splitlines()
        for kind in TABLED
    }
    assert "fiendish · 2 points" in lines[Kind.FIRST]
    assert "2 points for each" in lines[Kind.ALL]
    assert "fiendish" not in lines[Kind.BEST]
    assert "point" not in "".join(lines[Kind.BEST])


def test_hand_won_by_several_names_the_first() -> None:
    text, _ = render_message(
        STATES[2], get_words("en"), replace(FULL, frame=make_race(over=True, shared=True))
    )
    assert f"#20 🏆 {format_name(NAMES[0])} 3 · {format_name(NAMES[0])} 3" in text.splitlines()


@pytest.mark.parametrize(("count", "more"), [(5, ""), (6, " … and 1 more"), (60, " … and 55 more")])
def test_long_list_of_names_counts_the_rest(count: int, more: str) -> None:
    names = {n: f"P{n}" for n in range(60)}
    entries = [Entry(n, "1+1", NOON) for n in range(count)]
    scene = Snapshot(now=NOON, names=names, entries=entries, waiting_players=range(count))
    shown = unescape(render_message(HAND, get_words("en"), scene)[0]).splitlines()
    for sign in "✋📬":
        (line,) = (line for line in shown if line.startswith(sign))
        assert re.sub("[\u2066-\u2069]|<[^>]*>", "", line).partition(": press")[0].endswith(f", P4{more}")


@pytest.mark.parametrize("language", list_languages())
@pytest.mark.parametrize("kind", [Kind.FIRST, Kind.ALL])
def test_deal_with_secret_answers_asks_for_no_reply(language: str, kind: Kind) -> None:
    round, door = replace(HAND, kind=kind), Snapshot(now=NOON, answer_link="https://t.me/bot?start=secret_1")
    words = get_words(language)
    text, keyboard = render_message(round, words, door)
    assert words.translate("Use each number once. Reply to answer.") not in text
    assert f"🤫 {words.translate_plain('Answer secretly')}" in [label for row in keyboard for label, _ in row]
