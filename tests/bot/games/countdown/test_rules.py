"""Countdown's rules against a referee that shares no code with them."""

import json
import random
import re
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import solver
from bot.games.countdown import rules
from bot.games.countdown.game import Countdown
from bot.games.countdown.rules import Draw, DrawOptions, find_violation
from bot.i18n import get_words
from bot.rounds.game import pack_options
from bot.rounds.puzzle import Entry, Kind, Match, PlayerResult, Result, UnknownWordError
from bot.rounds.rules import Round
from solver.fair import list_dealt_lines

GAME = Countdown()
# Its best is not looked at here.
DRAW = Draw((25, 50, 7, 3, 9, 1), 573, "(25+50)*7+9*3+3", 573, "hard", 35.0)


def make_entry(player: int, answer: str, at: float = 0.0) -> Entry:
    return Entry(player, answer, at)


def evaluate(text: str) -> Fraction | None:
    """Return the value of an expression computed by Python alone; None for a division by zero."""
    bare = re.sub(r"\d+", lambda n: f"Fraction({n[0]})", text)
    try:
        return Fraction(eval(bare, {"__builtins__": {}, "Fraction": Fraction}))  # noqa: S307
    except ZeroDivisionError:
        return None


@pytest.mark.parametrize(
    ("text", "part"),
    [
        *(
            ("25+50*7", None),
            ("5-7+10", None),
            ("4/3*75", None),
            ("10/5/2", None),
            ("5-5+3", None),
            ("7", None),
        ),
        *(("5-7", "5-7"), ("10/4", "10/4"), ("3*(5-7)+100", "5-7"), ("100-7/2*3", "7/2*3")),
        *(("100/(3/4)", "3/4"), ("100+1/3+2/3", "1/3"), ("9-(3-(5-7))", "5-7")),
    ],
)
def test_first_violation_of_the_rules_is_found(text: str, part: str | None) -> None:
    found = find_violation(solver.parse(text))
    assert (str(found) if found else None) == part


@pytest.mark.long
@given(st.integers(0, 2**64))
def test_solvers_best_answer_keeps_the_rules(seed: int) -> None:
    draw = rules.deal_draw(seed, None)
    best = solver.parse(draw.best)
    assert find_violation(best) is None
    assert not Counter(best.numbers) - Counter(draw.tiles)
    assert best.value == draw.best_value == evaluate(draw.best)
    assert list_dealt_lines(seed, draw.recipe) == [draw.line]
    assert GAME.unpack(GAME.pack(draw), draw.level, draw.expected) == draw


@pytest.mark.parametrize("large", range(5))
def test_draw_has_the_large_tiles_of_its_options(large: int) -> None:
    draw = rules.deal_draw(7, large)
    assert [tile > 10 for tile in draw.tiles] == [True] * large + [False] * (6 - large)
    assert draw.recipe == f"countdown:{large}"


def rank_by_rules(draw: Draw, entries: list[Entry]) -> list[tuple[int, int]]:
    """Return the winners in order with their points, by the words of the rules."""
    rows = [
        (abs(int(evaluate(e.answer) or 0) - draw.target), e.sent_at, heard, e.player_id)
        for heard, e in enumerate(entries)
    ]
    nearest = min((off for off, *_ in rows), default=99)
    worth = 10 if nearest == 0 else 7 if nearest <= 5 else 5 if nearest <= 10 else 0
    return [(player, worth) for off, _, _, player in sorted(rows) if off == nearest and worth]


ANSWERS = st.sampled_from(["573", "570", "(25+50)*7+50-1", "25*(50-9*3)", "50*9+25*7", "583", "563", "500"])


@given(st.dictionaries(st.integers(1, 9), st.tuples(ANSWERS, st.integers(0, 60))))
def test_nearest_entries_win_the_earliest_first(handed: dict[int, tuple[str, int]]) -> None:
    entries = [make_entry(player, answer, 100.0 + at) for player, (answer, at) in handed.items()]
    awards = rules.compute_awards(DRAW, entries, 100.0)
    assert [(a.player_id, a.points) for a in awards] == rank_by_rules(DRAW, entries)
    assert all(a.seconds == handed[a.player_id][1] and a.answer == handed[a.player_id][0] for a in awards)


@pytest.mark.long
@pytest.mark.exhaustive
def test_ten_thousand_rounds_agree_with_the_referee() -> None:
    rng = random.Random(24)
    for number in range(10_000):
        draw = rules.deal_draw(rng.getrandbits(128), rng.choice([None, 0, 1, 2, 3, 4]))
        entries = [make_entry(p, _make_answer(rng, draw), rng.randrange(60)) for p in range(rng.randrange(5))]
        kept = [e for e in entries if e.answer]
        awards = rules.compute_awards(draw, kept, 0.0)
        assert [(a.player_id, a.points) for a in awards] == rank_by_rules(draw, kept), (number, draw, entries)
        assert evaluate(draw.best) == draw.best_value
        off = [abs(int(evaluate(e.answer) or 0) - draw.target) for e in kept]
        assert min(off, default=999) >= abs(draw.best_value - draw.target), (number, draw, entries)


@pytest.mark.long
@pytest.mark.parametrize(
    "large", [0, 1, *(pytest.param(large, marks=pytest.mark.exhaustive) for large in range(2, 5))]
)
def test_best_value_is_exact(large: int) -> None:
    rng = random.Random(large)
    for _ in range(40):
        draw = rules.deal_draw(rng.getrandbits(128), large)
        values = list_reachable_values(draw.tiles)
        assert abs(draw.best_value - draw.target) == min(abs(value - draw.target) for value in values)


def list_reachable_values(tiles: tuple[int, ...]) -> set[int]:
    """Return all values of some of the tiles, by splitting each set of tiles in two in every way."""
    made_of: dict[int, set[int]] = {1 << n: {tile} for n, tile in enumerate(tiles)}
    for mask in range(1, 1 << len(tiles)):
        part, here = (mask - 1) & mask, made_of.setdefault(mask, set())
        while part > mask ^ part:
            for one in made_of[part]:
                for other in made_of[mask ^ part]:
                    most, least = max(one, other), min(one, other)
                    here |= {most + least, most * least, most - least} - {0}
                    here |= {most // least} if most % least == 0 else set()
            part = (part - 1) & mask
    return set.union(*made_of.values())


def _make_answer(rng: random.Random, draw: Draw) -> str:
    """Return a random answer that keeps the rules; empty if it broke them."""
    if rng.random() < 0.3:
        return draw.best
    tiles = rng.sample(draw.tiles, rng.randrange(2, 7))
    text = str(tiles[0])
    for tile in tiles[1:]:
        text = f"({text}){rng.choice('+-*/')}{tile}"
        value = evaluate(text)
        if value is None or value < 0 or value.denominator > 1:
            return ""
    return str(solver.parse(text)) if find_violation(solver.parse(text)) is None else ""


def test_round_ends_five_seconds_after_an_exact_entry_was_processed() -> None:
    near, exact, later = make_entry(1, "570", 10.0), make_entry(2, "573", 20.0), make_entry(3, "570", 30.0)
    group, alone = (Round(7, chat, 0, Kind.BEST, "countdown", DRAW, 1, 0.0, 60.0) for chat in (-1, 5))
    assert GAME.entries.get_early_deadline(group, [near], 20.0) is None
    assert GAME.entries.get_early_deadline(group, [near, exact], 20.0) == 25.0
    assert GAME.entries.get_early_deadline(group, [near, exact], 42.5) == 47.5
    assert (
        GAME.entries.get_early_deadline(group, [near, exact, later], 29.0) == 35.0
    )  # the clocks differ a little
    assert GAME.entries.get_early_deadline(alone, [exact], 42.5) == 20.0
    assert GAME.entries.get_early_deadline(alone, [near], 42.5) is None


@pytest.mark.parametrize(("text", "large"), [("", None), ("0", 0), (" 4 ", 4)])
def test_options_are_parsed_and_packed(text: str, large: int | None) -> None:
    options = GAME.options.parse(get_words("en"), text, Kind.BEST)
    assert options == DrawOptions(None, Kind.BEST, large)
    assert GAME.options.unpack(pack_options(options), Kind.BEST) == options


@pytest.mark.parametrize(
    ("text", "fragment"), [("5", "5"), ("-1", "-1"), ("x", "x"), ("2 3", "3"), ("2 x", "x")]
)
def test_unknown_options_are_named(text: str, fragment: str) -> None:
    with pytest.raises(UnknownWordError) as caught:
        GAME.options.parse(get_words("en"), text, Kind.BEST)
    assert caught.value.fragment == fragment


@pytest.mark.parametrize(("changed", "level"), [({"v": 2}, "easy"), ({}, "none"), ({"tiles": ["x"]}, "easy")])
def test_unreadable_draw_is_refused(changed: dict[str, object], level: str) -> None:
    with pytest.raises(ValueError):
        GAME.unpack(json.dumps(json.loads(GAME.pack(DRAW)) | changed), level, 9.0)


@pytest.mark.parametrize(
    ("best", "distance", "level"),
    [
        *(("100", 0, "easy"), ("100+7", 0, "easy"), ("100+7*3", 0, "easy"), ("100+7*3-1", 0, "medium")),
        *(("100+7*3-1-2", 0, "hard"), ("100+7*3-1-2+9", 0, "fiendish"), ("100+7", 1, "fiendish")),
    ],
)
def test_level_depends_on_the_length_of_the_best_answer(best: str, distance: int, level: str) -> None:
    nearest = solver.Nearest(solver.parse(best), 100, distance)
    assert solver.rate_draw(nearest).level == level


def test_nearer_entries_rank_higher() -> None:
    draw = Draw((1, 1, 2, 2, 3, 3), 999, "", 997, "fiendish", 50.0)
    expected = {1: "997", 2: "1001", 3: "990", 4: None}
    round = Round(7, -1, 0, Kind.BEST, "countdown", draw, 1, 0.0, 60.0)
    match = GAME.entries.make_rating_match(
        round, [PlayerResult(who, entry=entry) for who, entry in expected.items()]
    )
    assert match == Match([Result(1, 4), Result(2, 4), Result(3, 18), Result(4, 2000)], 5, 50.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("25*3", True), ("10*9+1", True), ("10*9", False), ("10*10+1", True), ("10*9+2-1", True)),
        *(
            ("10*9*8+7*6", True),
            ("10*10*9+7*(8+7)", True),
            ("10*10*9+8*(8+7)", False),
            ("9*8*7-3-3-3", False),
        ),
        *(("3-8/3", False), ("1/25*50", True), ("8*3", False), ("25", False), ("1-25", False)),
    ],
)
def test_expressions_of_draws_are_recognised(text: str, expected: bool) -> None:
    assert GAME.questions.claims_expression(solver.parse(text)) is expected


def test_zero_is_an_allowed_intermediate_result() -> None:
    assert find_violation(solver.parse("7-7+100")) is None
    assert find_violation(solver.parse("(7-7)*100")) is None
