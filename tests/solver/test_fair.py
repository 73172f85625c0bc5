"""Fair deals, compared with an independent verifier."""

import hashlib
import hmac
import math
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.deal import draw
from solver.difficulty import rate
from solver.fair import (
    CHAIN_LENGTH,
    SEED_ALPHABET,
    Recipe,
    Record,
    Stream,
    compute_link,
    deal_record,
    derive_seed,
    list_dealt_lines,
    list_links,
    parse_recipe,
    parse_record,
    spell_seed,
    verify_history,
    verify_record,
)
from solver.names import LEVELS
from solver.search import solve

END = bytes(range(32))
CHAT = -1001234567890
LINKS = list_links(END)
SEEDS = st.integers(0, 2**128 - 1)


def make_record(
    number: int = 12, message: int = 4711, recipe: str = "24:4:13:24", ordinal: int = 1, chat: int = CHAT
) -> Record:
    """Return the record of the hand that a fair dealer deals."""
    record = Record(LINKS[0].hex(), number, LINKS[number].hex(), chat, message, recipe, ordinal)
    numbers = re.findall(r"\d+", " ".join(deal_record(record)))
    return replace(record, hand=tuple(map(int, numbers)))


def deal_independently(record: Record) -> list[str]:
    """Return what a record deals, without `solver.fair`. Raises AssertionError for a wrong link."""
    link = bytes.fromhex(record.link)
    before = link
    for _ in range(record.number):
        before = hashlib.sha256(before).digest()
    assert before.hex() == record.commitment
    text = f"{record.chat_id}:{record.message_id}:{record.ordinal}"
    number = int(hmac.new(link, text.encode(), hashlib.sha256).hexdigest()[:32], 16)
    seed = "".join(SEED_ALPHABET[number // 58**place % 58] for place in reversed(range(22)))
    return deal_seed_independently(seed, record.recipe)


def deal_seed_independently(seed: str, recipe_text: str) -> list[str]:
    """Return what the 22 characters of a seed deal, without `solver.fair`."""
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
    level = next((word for word in more if word.isalpha()), "")
    wanted = next((int(word[:-1]) / 100 for word in more if word.endswith("%")), None)

    def deal_hand() -> list[int]:
        while True:
            pack = sorted(list(range(1, int(highest) + 1)) * 4)
            hand = [take(pack) for _ in range(int(cards))]
            if any(True for _ in solve(hand, int(target), limit=1)):
                return hand

    def measure_distance(hand: list[int]) -> float:
        share = rate(hand, int(target)).solved
        return abs(math.log(share / (1 - share)) - math.log(wanted / (1 - wanted))) if wanted else 0.0

    while left:
        hand = deal_hand()
        if wanted:
            tried = [hand]
            while measure_distance(tried[-1]) > 0.25 and len(tried) < 100:
                tried.append(deal_hand())
            hand = min(tried, key=measure_distance)
        left -= rate(hand, int(target)).level.startswith(level)
    return [f"{' '.join(map(str, hand))} → {target}"]


RECIPES = st.one_of(
    st.just("yahtzee"),
    st.sampled_from(["countdown", *(f"countdown:{n}" for n in range(5))]),
    st.builds(
        lambda cards, highest, more: f"24:{cards}:{highest}:24{more}",
        st.integers(3, 5),
        st.integers(9, 13),
        st.sampled_from(["", ":e", ":m", ":h", ":2", ":m:3", ":88%", ":50%:2"]),
    ),
)


@pytest.mark.long
@pytest.mark.exhaustive
@given(SEEDS, RECIPES)
def test_independent_verifier_reproduces_deals(seed: int, recipe_text: str) -> None:
    assert list_dealt_lines(seed, recipe_text) == deal_seed_independently(spell_seed(seed), recipe_text)


def test_independent_verifier_confirms_a_record() -> None:
    last, third = make_record(CHAIN_LENGTH, 0, "yahtzee"), make_record(1, 5, "countdown:2", 3)
    for record in (make_record(), last, third):
        assert deal_independently(record) == list(deal_record(record))
        assert verify_record(record) == []


def test_chain_is_made_backwards_from_its_end() -> None:
    assert len(LINKS) == CHAIN_LENGTH + 1
    assert LINKS[-1] == END
    for number in (0, 1, 12, CHAIN_LENGTH):
        assert compute_link(END, number) == LINKS[number]
        assert number == 0 or hashlib.sha256(LINKS[number]).digest() == LINKS[number - 1]


def test_deals_of_a_record_never_change() -> None:
    """New versions must verify the records of old hands."""
    assert LINKS[0].hex()[:16] == "0941efbe0559aba2"
    assert derive_seed(LINKS[12], CHAT, 4711) == 225911712596385228805323719834760090393
    recipes = ("24:4:13:24", "24:4:13:24:h:2", "24:4:13:24:60%", "countdown:2")
    lines = [deal_record(make_record(recipe=recipe))[0] for recipe in recipes]
    assert lines == ["3 9 12 12 → 24", "4 7 10 5 → 24", "8 6 11 10 → 24", "25 75 9 10 3 5 → 426"]
    assert deal_record(make_record(recipe="yahtzee"))[:2] == ("2 4 6 6 2", "3 3 5 6 2")


CHANGES = {
    "another link": {"link": LINKS[13].hex()},
    "another number of the link": {"number": 13},
    "another commitment": {"commitment": LINKS[1].hex()},
    "another message": {"message_id": 4712},
    "another chat": {"chat_id": CHAT - 1},
    "another ordinal": {"ordinal": 2},
    "another recipe": {"recipe": "24:4:12:24"},
    "another hand": {"hand": (1, 2, 3, 4, 24)},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_changed_record_is_found_out(change: dict[str, object]) -> None:
    assert verify_record(replace(make_record(), **change))  # type: ignore[arg-type]


def make_history(hands: int = 30) -> list[Record]:
    """Return the records of a chat, with a race of three hands at each tenth link."""
    recipes = ("24:4:13:24:88%", "24:4:13:24:e", "countdown", "24:4:13:24:h")
    history = []
    for number in range(1, hands + 1):
        ordinals = (1, 2, 3) if number % 10 == 0 else (1,)
        history += [make_record(number, 100 + number * 7, recipes[number % 4], each) for each in ordinals]
    return history


def test_fair_history_is_verified() -> None:
    history = make_history()
    random.Random(1).shuffle(history)
    assert list(verify_history(history)) == []
    assert list(verify_history([])) == []


def test_history_may_begin_later_and_hold_several_chats() -> None:
    other = list_links(bytes(32))
    private = replace(make_record(), commitment=other[0].hex(), link=other[12].hex(), chat_id=77, hand=())
    assert list(verify_history([*make_history()[14:], private])) == []


@pytest.mark.long
def test_thousand_hands_are_verified() -> None:
    assert list(verify_history(map(parse_record, map(str, make_history(1000))))) == []


def test_hand_dealt_from_another_seed_is_found_out() -> None:
    history = make_history()
    pleasing = replace(history[5], hand=(3, 8, 3, 8, 24))
    (fault,) = verify_history([*history[:5], pleasing, *history[6:]])
    assert fault == f"link 6, message 142 deals {deal_record(pleasing)[0]}, not 3 8 3 8 24"


def test_hand_dealt_for_another_message_is_found_out() -> None:
    history = make_history()
    dealt = make_record(6, 143, history[5].recipe)  # though message 142 asked for it
    (fault,) = verify_history([*history[:5], replace(dealt, message_id=142), *history[6:]])
    assert fault.startswith("link 6, message 142 deals ")


def test_link_left_out_is_found_out() -> None:
    history = make_history()
    assert list(verify_history(history[:5] + history[6:])) == ["link 6 was left out"]
    assert list(verify_history(history[:2] + history[6:])) == ["links 3 to 6 were left out"]


def test_link_of_another_chain_is_found_out() -> None:
    history = make_history()
    foreign = replace(history[5], link=hashlib.sha256(b"another").hexdigest(), hand=())
    assert list(verify_history([*history[:5], foreign, *history[6:]])) == [
        f"link 6 does not lead to the commitment {LINKS[0].hex()[:8]}…"
    ]


def test_link_used_twice_is_found_out() -> None:
    history = make_history()
    again = make_record(6, 500, history[5].recipe)
    assert list(verify_history([*history, again])) == ["link 6 was used for messages 142 and 500"]


def test_skipped_hand_is_named() -> None:
    """The bot may skip a hand of the day; whoever verifies sees which hand that was."""
    first, _second, third = (make_record(9, 40, ordinal=each) for each in (1, 2, 3))
    skipped = deal_record(make_record(9, 40, ordinal=2))[0]
    assert list(verify_history([first, third])) == [
        f"message 40 skipped {skipped}: right only if that was a hand of the day"
    ]


@pytest.mark.parametrize("record", [make_record(), make_record(1, 0, "yahtzee", 7), make_record(3, chat=77)])
def test_record_text_round_trips(record: Record) -> None:
    assert parse_record(str(record)) == record
    assert parse_record(f"  {record} \n") == record


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LINKS[0].hex(), LINKS[0].hex()[1:]),
        (" 12 ", " 0 "),
        (" 12 ", " "),
        ("4711", "x"),
        ("4711", "4711/0"),
        ("24:4:13:24", "24:4:13"),
        ("24:4:13:24", ""),
        ("24:4:13:24", "24:4:13:24 a"),
    ],
)
def test_bad_record_is_refused_in_one_line(before: str, after: str) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
        parse_record(str(make_record()).replace(before, after, 1))


@given(st.text())
def test_random_text_is_no_record(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_record(text)


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
    [
        "24:4:13:24",
        "24:5:20:100:f",
        "24:3:9:24:12",
        "24:4:13:24:e:3",
        "24:4:13:24:88%",
        "24:4:13:24:5%:2",
        "countdown",
        "countdown:0",
        "yahtzee",
    ],
)
def test_recipe_text_round_trips(text: str) -> None:
    assert str(parse_recipe(text)) == text


def test_recipe_round_trips_every_level() -> None:
    for level in LEVELS:
        assert parse_recipe(str(Recipe("24", level=level))).level == level


@pytest.mark.parametrize(
    "recipe",
    [
        *("", "x", "24", "24:4:13", "24:4:13:24:x", "24:9:13:24", "countdown:5", "yahtzee "),
        *("24:4:13:24:0", " yahtzee", "24:2:1:24", "24:4:13:٢٤"),
        *("24:4:13:24:0%", "24:4:13:24:100%", "24:4:13:24:e:88%"),
    ],
)
def test_bad_recipe_is_refused_in_one_line(recipe: str) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
        list_dealt_lines(7, recipe)


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
