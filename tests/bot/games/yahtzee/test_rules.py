"""Cards of Yahtzee, against a referee of the tests' own that shares no line with them."""

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
from bot.games.yahtzee.rules import GAME, Better, Card
from solver.yahtzee import best_card

ROLLS = st.lists(st.lists(st.integers(1, 6), min_size=5, max_size=5).map(tuple), min_size=GAME, max_size=GAME)
PLACES = st.permutations(range(GAME)).map(tuple)


@cache
def scored(dice: tuple[int, ...], category: int) -> int:
    """A roll in a category, by the words of the rules."""
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


def refereed(rolls: Sequence[tuple[int, ...]], put: tuple[int, ...]) -> int:
    scores = {category: scored(roll, category) for roll, category in zip(rolls, put, strict=False)}
    upper = sum(points for category, points in scores.items() if category < 6)
    return sum(scores.values()) + (35 if upper >= 63 else 0)


@given(ROLLS, PLACES, st.integers(0, GAME))
def test_a_card_comes_to_what_the_referee_says(
    rolls: Sequence[tuple[int, ...]], put: tuple[int, ...], done: int
) -> None:
    total = rules.total(rolls, Card(put[:done]))
    assert total.points == refereed(rolls, put[:done])
    assert [score is None for score in total.scores] == [n not in put[:done] for n in range(GAME)]


def exchanged(put: tuple[int, ...], one: int, other: int) -> tuple[int, ...]:
    places = list(put)
    places[one], places[other] = places[other], places[one]
    return tuple(places)


def hindsight(rolls: Sequence[tuple[int, ...]], put: tuple[int, ...]) -> int:
    """The most that one exchange gains."""
    ways = (exchanged(put, one, other) for one, other in combinations(range(GAME), 2))
    return max(0, *(refereed(rolls, way) - refereed(rolls, put) for way in ways))


@given(ROLLS, PLACES)
def test_what_is_named_is_real_and_no_other_exchange_gains_more(
    rolls: Sequence[tuple[int, ...]], put: tuple[int, ...]
) -> None:
    better = rules.better(rolls, Card(put))
    assert (better.gain if better else 0) == hindsight(rolls, put)
    if better:
        other = put.index(better.category)
        after = exchanged(put, better.roll, other)
        assert after[better.roll] == better.category
        assert refereed(rolls, after) == refereed(rolls, put) + better.gain


@pytest.mark.long
def test_two_thousand_games_agree_with_the_referee() -> None:
    rng = random.Random(24)
    for _ in range(2000):
        rolls = [tuple(rng.choices(range(1, 7), k=5)) for _ in range(GAME)]
        card = Card()
        while not card.is_full:
            greedy = max(card.free, key=lambda c: scored(rolls[card.at], c))
            placed = rules.place(card, card.at, greedy if rng.random() < 0.8 else rng.choice(card.free))
            assert placed is not None
            card = placed
        own, best = rules.total(rolls, card).points, best_card(rolls)
        assert own == refereed(rolls, card.put) <= best.total
        put = tuple(best.assignment.index(roll) for roll in range(GAME))
        assert rules.total(rolls, Card(put)).points == refereed(rolls, put) == best.total
        assert rules.better(rolls, Card(put)) is None
        better = rules.better(rolls, card)
        assert (better.gain if better else 0) == hindsight(rolls, card.put)


def test_the_sixes_belonged_in_sixes() -> None:
    threes = [(1, 1, 1, 2, 5), (2, 2, 2, 1, 5), (3, 3, 3, 1, 2), (4, 4, 4, 2, 1), (5, 5, 5, 1, 2)]
    rolls = [(6, 6, 6, 1, 2), (1, 2, 3, 4, 6), *threes, *[(1, 1, 2, 4, 6)] * 6]
    put = (6, 5, 0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 12)
    assert hindsight(rolls, put) == 12 + 35 - 5
    assert rules.better(rolls, Card(put)) == Better(0, 5, 42)


def test_a_roll_goes_where_there_is_room_and_only_when_it_is_its_turn() -> None:
    card = rules.place(Card(), 0, 12)
    assert card == Card((12,))
    assert rules.place(card, 0, 3) is None  # the same press again
    assert rules.place(card, 1, 12) is None
    assert rules.place(card, 1, 13) is None
    assert rules.place(card, 2, 3) is None
    full = Card(tuple(range(GAME)))
    assert full.is_full
    assert full.free == []
    assert rules.place(full, GAME, 0) is None


@given(PLACES, st.integers(0, GAME))
def test_a_card_is_stored_and_read(put: tuple[int, ...], done: int) -> None:
    card = Card(put[:done])
    assert rules.unpack(json.loads(json.dumps(rules.pack(card)))) == card


@pytest.mark.parametrize(
    "packed",
    [
        {},
        {"v": 2, "put": []},
        {"v": 1},
        *({"v": 1, "put": put} for put in ("1", [13], [True], [1, 1], ["1"])),
    ],
)
def test_a_broken_card_is_refused(packed: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"card|categories"):
        rules.unpack(packed)


def test_of_equal_ways_none_is_better() -> None:
    rolls = ((1, 1, 1, 1, 1),) * GAME
    assert rules.better(rolls, best_of(rolls)) is None


def best_of(rolls: Sequence[tuple[int, ...]]) -> Card:
    """A card that makes the most of the rolls."""
    found = best_card(rolls)
    return Card(tuple(found.assignment.index(n) for n in range(GAME)))


@pytest.mark.parametrize(("common", "alike"), [(GAME, True), (7, True), (6, False)])
def test_seven_rolls_in_common_are_the_same_game(common: int, alike: bool) -> None:
    ours = [(1, 1, 1, 1, 1)] * GAME
    others = [(1, 1, 1, 1, 1)] * common + [(6, 6, 6, 6, 6)] * (GAME - common)
    assert rules.alike(ours, others) is alike


@pytest.mark.parametrize(("changed", "alike"), [(0, True), (9, True), (10, False)])
def test_nine_changed_dice_are_the_same_game(changed: int, alike: bool) -> None:
    ours = [(face,) * 5 for face in (1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3)]
    others = [(*roll[:-1], 6) if place < changed else roll for place, roll in enumerate(ours)]
    assert rules.alike(ours, others) is alike
