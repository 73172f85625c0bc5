"""Yahtzee's rules against a referee that shares no code with them."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.games.yahtzee import rules
from bot.games.yahtzee.game import Yahtzee
from bot.games.yahtzee.rules import TURN_COUNT, Card, Deal, Exchange
from solver.yahtzee import best_card

GAME = Yahtzee()
ROLLS = st.lists(
    st.lists(st.integers(1, 6), min_size=5, max_size=5).map(tuple), min_size=TURN_COUNT, max_size=TURN_COUNT
)
PLACES = st.permutations(range(TURN_COUNT)).map(tuple)


@cache
def score_roll(dice: tuple[int, ...], category: int) -> int:
    """Return the points of a roll in a category, by the words of the rules."""
    counts, faces = Counter(dice), set(dice)
    if category < 6:
        return sum(die for die in dice if die == category + 1)
    straights = [set(range(low, low + length)) for length in (4, 5) for low in range(1, 8 - length)]
    held = {len(s) for s in straights if s <= faces}
    return {
        6: sum(dice),
        7: sum(dice) if max(counts.values()) > 2 else 0,
        8: sum(dice) if max(counts.values()) > 3 else 0,
        9: 50 if len(faces) == 1 else 0,
        10: 25 if held else 0,
        11: 35 if 5 in held else 0,
        12: 40 if sorted(counts.values()) in ([2, 3], [5]) else 0,
    }[category]


def compute_total(rolls: Sequence[tuple[int, ...]], put: tuple[int, ...]) -> int:
    scores = {category: score_roll(roll, category) for roll, category in zip(rolls, put, strict=False)}
    upper = sum(points for category, points in scores.items() if category < 6)
    return sum(scores.values()) + (35 if upper >= 63 else 0)


@pytest.mark.long
@given(ROLLS, PLACES, st.integers(0, TURN_COUNT))
def test_scores_agree_with_the_referee(
    rolls: Sequence[tuple[int, ...]], put: tuple[int, ...], done: int
) -> None:
    total = rules.score_card(rolls, Card(put[:done]))
    assert total.points == compute_total(rolls, put[:done])
    assert [score is None for score in total.scores] == [n not in put[:done] for n in range(TURN_COUNT)]


def exchange(put: tuple[int, ...], one: int, other: int) -> tuple[int, ...]:
    places = list(put)
    places[one], places[other] = places[other], places[one]
    return tuple(places)


def find_largest_gain(rolls: Sequence[tuple[int, ...]], put: tuple[int, ...]) -> int:
    """Return the largest gain of one exchange."""
    ways = (exchange(put, one, other) for one, other in combinations(range(TURN_COUNT), 2))
    return max(0, *(compute_total(rolls, way) - compute_total(rolls, put) for way in ways))


@pytest.mark.long
@given(ROLLS, PLACES)
def test_best_exchange_gains_as_much_as_the_referee_finds(
    rolls: Sequence[tuple[int, ...]], put: tuple[int, ...]
) -> None:
    better = rules.find_best_exchange(rolls, Card(put))
    assert (better.gain if better else 0) == find_largest_gain(rolls, put)
    if better:
        other = put.index(better.category)
        after = exchange(put, better.roll_index, other)
        assert after[better.roll_index] == better.category
        assert compute_total(rolls, after) == compute_total(rolls, put) + better.gain


@pytest.mark.long
@pytest.mark.exhaustive
def test_two_thousand_games_agree_with_the_referee() -> None:
    rng = random.Random(24)
    for _ in range(2000):
        rolls = [tuple(rng.choices(range(1, 7), k=5)) for _ in range(TURN_COUNT)]
        card = Card()
        while not card.is_full:
            greedy = max(card.open_categories, key=lambda c: score_roll(rolls[card.turn], c))
            category = greedy if rng.random() < 0.8 else rng.choice(card.open_categories)
            placed = GAME.play_turn(card, card.turn, category)
            assert placed is not None
            card = placed
        own, best = rules.score_card(rolls, card).points, best_card(rolls)
        assert own == compute_total(rolls, card.categories) <= best.total
        put = tuple(best.assignment.index(roll) for roll in range(TURN_COUNT))
        assert rules.score_card(rolls, Card(put)).points == compute_total(rolls, put) == best.total
        assert rules.find_best_exchange(rolls, Card(put)) is None
        better = rules.find_best_exchange(rolls, card)
        assert (better.gain if better else 0) == find_largest_gain(rolls, card.categories)


def test_best_exchange_of_sixes_reaches_the_bonus() -> None:
    threes = [(1, 1, 1, 2, 5), (2, 2, 2, 1, 5), (3, 3, 3, 1, 2), (4, 4, 4, 2, 1), (5, 5, 5, 1, 2)]
    rolls = [(6, 6, 6, 1, 2), (1, 2, 3, 4, 6), *threes, *[(1, 1, 2, 4, 6)] * 6]
    put = (6, 5, 0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 12)
    assert find_largest_gain(rolls, put) == 12 + 35 - 5
    assert rules.find_best_exchange(rolls, Card(put)) == Exchange(0, 5, 42)


def test_roll_is_placed_only_in_its_turn_and_an_open_category() -> None:
    card = GAME.play_turn(Card(), 0, 12)
    assert card == Card((12,))
    assert GAME.play_turn(card, 0, 3) is None  # the same press again
    assert GAME.play_turn(card, 1, 12) is None
    assert GAME.play_turn(card, 1, 13) is None
    assert GAME.play_turn(card, 2, 3) is None
    full = Card(tuple(range(TURN_COUNT)))
    assert full.is_full
    assert full.open_categories == []
    assert GAME.play_turn(full, TURN_COUNT, 0) is None


@given(PLACES, st.integers(0, TURN_COUNT))
def test_card_is_unpacked_as_it_was_packed(put: tuple[int, ...], done: int) -> None:
    card = Card(put[:done])
    assert GAME.unpack_card(json.loads(json.dumps(GAME.pack_card(card)))) == card


def test_values_of_another_version_are_refused() -> None:
    with pytest.raises(ValueError, match="version"):
        GAME.unpack_card({"v": 2, "put": []})
    with pytest.raises(ValueError, match="version"):
        GAME.unpack(json.dumps(DEAL | {"v": 2}), "easy", 0.0)


def test_no_exchange_without_a_gain_is_found() -> None:
    rolls = ((1, 1, 1, 1, 1),) * TURN_COUNT
    assert rules.find_best_exchange(rolls, make_best_card(rolls)) is None


def make_best_card(rolls: Sequence[tuple[int, ...]]) -> Card:
    """Return a card with the highest total for the rolls."""
    found = best_card(rolls)
    return Card(tuple(found.assignment.index(n) for n in range(TURN_COUNT)))


def parse_rolls(written: str) -> list[tuple[int, ...]]:
    """Parse rolls written in a row."""
    return [tuple(map(int, roll)) for roll in written.split()]


@pytest.mark.parametrize(
    ("written", "put", "named"),
    [
        # the fives or the sixes as three of a kind: both gain 12, and the first is named
        (
            "11116 22366 13334 14446 15556 15666 12246 11456 12466 23345 23456 33466 24456",
            tuple(range(TURN_COUNT)),
            Exchange(4, 7, 12),
        ),
        # one point more for a chance
        (
            "11134 12236 33356 44445 22555 45666 12466 14446 23345 14555 22345 12245 13356",
            tuple(range(TURN_COUNT)),
            Exchange(9, 6, 1),
        ),
        # what is moved within the upper section counts for its bonus with either roll
        (
            "11134 22245 23334 34445 35556 36666 24456 13466 23344 25566 12246 33466 11366",
            (6, 1, 2, 3, 4, 5, 0, 7, 8, 11, 10, 9, 12),
            Exchange(0, 7, 20),
        ),
    ],
)
def test_largest_gain_is_found(written: str, put: tuple[int, ...], named: Exchange) -> None:
    assert rules.find_best_exchange(parse_rolls(written), Card(put)) == named
    assert find_largest_gain(parse_rolls(written), put) == named.gain


@pytest.mark.parametrize(
    ("ones", "missing", "points"), [("", 1, 62), ("23456", 1, 62), ("12345", 0, 98), ("11234", 0, 99)]
)
def test_bonus_is_missing_until_it_counts(ones: str, missing: int, points: int) -> None:
    # sixes 24, fives 20, fours 12, threes 6, and no twos: 62
    total = rules.score_card(parse_rolls(f"66661 55551 44411 33115 66111 {ones}"), Card((5, 4, 3, 2, 1, 0)))
    assert (total.bonus_missing, total.points) == (missing, points)
    assert total.bonus == (35 if points > 63 else 0)


def test_empty_card_lacks_63_points_for_the_bonus() -> None:
    assert rules.score_card([], Card()).bonus_missing == 63


def test_best_card_has_each_category_once() -> None:
    rolls = parse_rolls("11111 22222 33333 44444 55555 66666 66665 66664 66663 66666 12345 23456 55566")
    card = rules.find_best_card(rolls)
    assert sorted(card.categories) == list(range(TURN_COUNT))
    assert rules.score_card(rolls, card).points == best_card(rolls).total


@pytest.mark.parametrize(("total", "worth"), [(0, 0), (9, 0), (10, 1), (271, 27), (279, 27)])
def test_ten_points_of_a_card_are_one_point_on_the_boards(total: int, worth: int) -> None:
    assert GAME.compute_points(total) == worth


def test_line_of_a_deal_reveals_no_roll() -> None:
    deal = Deal(tuple(parse_rolls("11111 " * TURN_COUNT)), Card(tuple(range(TURN_COUNT))))
    assert (deal.line, deal.level, deal.expected) == ("", "easy", 0.0)


DEAL = {"v": 1, "rolls": ["12345"] * TURN_COUNT, "best": list(range(TURN_COUNT))}


def test_deal_is_unpacked_as_it_was_packed() -> None:
    deal = Deal(((1, 2, 3, 4, 5),) * TURN_COUNT, Card(tuple(range(TURN_COUNT))))
    assert json.loads(GAME.pack(deal)) == DEAL
    assert GAME.unpack(json.dumps(DEAL), "easy", 0.0) == deal
