"""Committed deals, compared with an independent verifier."""

import hashlib
import math
import random
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.deal import draw
from solver.difficulty import rate
from solver.fair import SEED_ALPHABET, Recipe, Stream, commitment, list_dealt_lines, parse_recipe, spell_seed
from solver.names import LEVELS
from solver.search import solve

SEED = "7xKq2TmVbE5wRd9NsLhYuC"
SEEDS = st.text(SEED_ALPHABET, min_size=22, max_size=22)


def verify_deal(seed: str, recipe_text: str, commitment_text: str) -> list[str]:
    """Return what a seed deals, without `solver.fair`. Raises AssertionError for a wrong commitment."""
    proof = f"{seed} {recipe_text}"
    assert hashlib.sha256(proof.encode()).hexdigest().startswith(commitment_text)
    blocks = (hashlib.sha256(f"{seed} {n}".encode()).hexdigest() for n in range(10**9))
    numbers: Iterator[float] = (math.ldexp(int(block[:16], 16) // 2048, -53) for block in blocks)

    def take(box: list[int]) -> int:
        return box.pop(math.floor(len(box) * next(numbers)))

    if recipe_text == "yahtzee":
        return [" ".join(str(take([1, 2, 3, 4, 5, 6])) for _ in range(5)) for _ in range(13)]
    game, *given = recipe_text.split(":")
    if game == "countdown":
        large, small = [25, 50, 75, 100], sorted(list(range(1, 11)) * 2)
        count = int(given[0]) if given else take([0, 1, 2, 3, 4])
        tiles = [take(large) for _ in range(count)] + [take(small) for _ in range(6 - count)]
        return [f"{' '.join(map(str, tiles))} → {take(list(range(101, 1000)))}"]
    cards, highest, target, *more = given
    left = int(next((word for word in more if word.isdigit()), "1"))
    level = next((word for word in more if not word.isdigit()), "")
    while left:
        pack = sorted(list(range(1, int(highest) + 1)) * 4)
        hand = [take(pack) for _ in range(int(cards))]
        fits = any(True for _ in solve(hand, int(target), limit=1))
        left -= fits and rate(hand, int(target)).level.startswith(level)
    return [f"{' '.join(map(str, hand))} → {target}"]


RECIPES = st.one_of(
    st.just("yahtzee"),
    st.sampled_from(["countdown", *(f"countdown:{n}" for n in range(5))]),
    st.builds(
        lambda cards, highest, more: f"24:{cards}:{highest}:24{more}",
        st.integers(3, 5),
        st.integers(9, 13),
        st.sampled_from(["", ":e", ":m", ":h", ":2", ":m:3"]),
    ),
)


@pytest.mark.long
@given(SEEDS, RECIPES)
def test_independent_verifier_reproduces_deals(seed: str, recipe_text: str) -> None:
    assert list_dealt_lines(f"{seed} {recipe_text}") == verify_deal(
        seed, recipe_text, commitment(f"{seed} {recipe_text}")
    )


@pytest.mark.long
@given(SEEDS, RECIPES, st.data())
def test_changed_seed_or_recipe_is_detected(seed: str, recipe_text: str, data: st.DataObject) -> None:
    commitment_text = commitment(f"{seed} {recipe_text}")
    other = data.draw(
        st.one_of(SEEDS.filter(lambda s: s != seed), RECIPES.filter(lambda r: r != recipe_text))
    )
    changed = (other, recipe_text) if len(other) == 22 else (seed, other)
    with pytest.raises(AssertionError):
        verify_deal(*changed, commitment_text)


def test_deals_of_a_seed_never_change() -> None:
    """New versions must verify the seeds of old messages."""
    assert commitment(f"{SEED} countdown:2") == "3a97424595151e0d658ef4441006fce2"
    lines = [
        *list_dealt_lines(f"{SEED} 24:4:13:24"),
        *list_dealt_lines(f"{SEED} 24:4:13:24:h:2"),
        *list_dealt_lines(f"{SEED} countdown:2"),
    ]
    assert lines == ["11 5 8 4 → 24", "7 8 13 4 → 24", "50 100 6 10 8 3 → 591"]
    assert list_dealt_lines(f"{SEED} yahtzee")[:2] == ["3 6 4 6 5", "2 4 2 5 4"]


def test_stream_is_evenly_distributed() -> None:
    stream = Stream("any")
    numbers = [stream.random() for _ in range(20_000)]
    assert all(0 <= number < 1 for number in numbers)
    tenths = Counter(int(number * 10) for number in numbers)
    assert sorted(tenths) == list(range(10))
    assert max(abs(count - 2000) for count in tenths.values()) < 200


@given(st.lists(st.integers(0, 2**128 - 1), min_size=2, max_size=2, unique=True))
def test_each_128_bit_number_has_its_own_seed(numbers: list[int]) -> None:
    one, other = map(spell_seed, numbers)
    assert one != other
    assert re.fullmatch(r"[1-9A-HJ-NP-Za-km-z]{22}", one)
    assert (one < other) == (numbers[0] < numbers[1])


@pytest.mark.parametrize("number", [-1, 2**128])
def test_number_beyond_128_bits_is_no_seed(number: int) -> None:
    with pytest.raises(ValueError, match="a seed has 128 bits"):
        spell_seed(number)


@pytest.mark.parametrize(
    "text",
    ["24:4:13:24", "24:5:20:100:f", "24:3:9:24:12", "24:4:13:24:e:3", "countdown", "countdown:0", "yahtzee"],
)
def test_recipe_text_round_trips(text: str) -> None:
    assert str(parse_recipe(text)) == text


def test_recipe_round_trips_every_level() -> None:
    for level in LEVELS:
        assert parse_recipe(str(Recipe("24", level=level))).level == level


@pytest.mark.parametrize(
    "proof",
    [
        *("", SEED, f"{SEED} ", f"{SEED} x", f"{SEED} 24", f"{SEED} 24:4:13", f"{SEED} 24:4:13:24:x"),
        *(
            f"{SEED} 24:9:13:24",
            f"{SEED} countdown:5",
            f"{SEED} yahtzee ",
            f"{SEED[:-1]} yahtzee",
            f"0{SEED[1:]} yahtzee",
        ),
        *(f"{SEED} 24:4:13:24:0", f"{SEED}  yahtzee", f"{SEED} 24:2:1:24", f"{SEED} 24:4:13:٢٤"),
    ],
)
def test_bad_proof_is_refused_in_one_line(proof: str) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
        list_dealt_lines(proof)


@given(st.text())
def test_random_text_is_no_proof(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        list_dealt_lines(text)


@given(st.integers(0, 2**32), st.integers(0, 4))
def test_draw_takes_tiles_from_box(seed: int, large: int) -> None:
    puzzle = draw(random.Random(seed), large)
    counts = Counter(puzzle.numbers)
    assert len(puzzle.numbers) == 6
    assert [tile > 10 for tile in puzzle.numbers] == [True] * large + [False] * (6 - large)
    assert all(count <= (1 if tile > 10 else 2) for tile, count in counts.items())
    assert set(counts) <= {*range(1, 11), 25, 50, 75, 100}
    assert 101 <= puzzle.target <= 999
    assert puzzle.level is None


@pytest.mark.long
def test_draws_cover_all_tiles_targets_and_counts() -> None:
    rng = random.Random(1)
    drawn = [draw(rng) for _ in range(12_000)]
    assert {puzzle.target for puzzle in drawn} == set(range(101, 1000))
    assert {tile for puzzle in drawn for tile in puzzle.numbers} == {*range(1, 11), 25, 50, 75, 100}
    counts = Counter(sum(tile > 10 for tile in puzzle.numbers) for puzzle in drawn)
    assert sorted(counts) == [0, 1, 2, 3, 4]
    assert min(counts.values()) > 2200


@pytest.mark.parametrize("large", [-1, 5])
def test_draw_refuses_impossible_number_of_large_tiles(large: int) -> None:
    with pytest.raises(ValueError, match="large tiles are 0 to 4"):
        draw(random.Random(1), large)
