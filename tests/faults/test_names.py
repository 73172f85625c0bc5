"""People's names are shown in full, escaped and isolated from the text around them."""

import random
import time

import pytest

from bot.i18n import (
    DIRECTION_MARKS,
    FIRST_STRONG_ISOLATE,
    INVISIBLE_NAME,
    LINE_BREAKS,
    POP_ISOLATE,
    clean_name,
    format_name,
    get_words,
)
from bot.rounds import view as view
from bot.rounds.rules import State
from bot.rounds.view import Snapshot
from tests.faults.conftest import choose_amount, report
from tests.sample_rounds import make_round
from tests.stories.clock import NOON
from tests.telegram import EntityError, parse_html

pytestmark = pytest.mark.faults
NAMES = choose_amount(100_000, 10_000)
PIECES = [
    *(
        "<b>",
        "</b>",
        "<a href='tg://user?id=1'>",
        "&lt;",
        "&",
        "<",
        ">",
        '"',
        "'",
        "<!--",
        "<script>",
        "&#x0;",
    ),
    *("\u200b", "\u200d", "\ufeff", "\u2060", "\u00ad", "\u034f", "\u180e"),
    *("\u200e", "\u200f", "\u061c", *map(chr, DIRECTION_MARKS), "אבג", "ابجد"),
    *("\n", "\r", "\t", "\x85", "\u2028", "\x00", "\x07", "\x1b[31m"),
    *("😀" * 64, "👨‍👩‍👧‍👦", "🏳️‍🌈", "e\u0301", "Z\u0310\u0321" * 20, "ｗｉｄｅ", "\ufdfd"),
    *("Ann", " ", "1. Bob — 99", "8/(3-8/3)", "{name}", "%s", "'; DROP TABLE players; --", "@bot", "/play"),
    *("\ud800", "\udfff", "\U0010ffff", "\ufffe"),
]
INVISIBLE_NAMES = [
    "",
    " ",
    "\u200b",
    "\u200e\u200f",
    "\ufe0f",
    "\u3164",
    "\u2800",
    "\u00ad",
    "\u0301",
    "\x00",
    "\ud800",
    "\n",
]


def make_name(rng: random.Random) -> str:
    """Return a random, hostile name."""
    if rng.random() < 0.3:
        return "".join(chr(rng.randrange(0x110000)) for _ in range(rng.randrange(65)))
    return "".join(rng.choices(PIECES, k=rng.randrange(8)))


def render_won_round(winner: str) -> str:
    """Return the message of a round that a person with this name has won."""
    won = make_round(id=1, state=State.WON, closed=NOON + 10, winner_id=7, answer="8/(3-8/3)")
    text, _ = view.render_message(won, get_words("en"), Snapshot(names={7: winner}, points=5))
    return text


def test_names_are_shown_in_full() -> None:
    rng = random.Random(24)
    begun = time.monotonic()
    for _ in range(NAMES):
        stored = clean_name(make_name(rng))
        shown, entities = parse_html(format_name(stored))
        assert shown == FIRST_STRONG_ISOLATE + stored.translate(DIRECTION_MARKS | LINE_BREAKS) + POP_ISOLATE
        assert not entities
        stored.encode()
    each = (time.monotonic() - begun) / NAMES * 1e6
    report(f"{NAMES} names through the strict entity parser: all whole, {each:.0f} µs each")


def test_names_do_not_change_the_message_around_them() -> None:
    rng = random.Random(7)
    plain, marks = parse_html(render_won_round("Ann"))
    for _ in range(NAMES // 20):
        stored = clean_name(make_name(rng))
        text, entities = parse_html(render_won_round(stored))
        assert text.count("\n") == plain.count("\n")
        assert len(entities) == len(marks)
        assert stored.translate(DIRECTION_MARKS | LINE_BREAKS) in text


@pytest.mark.parametrize("name", INVISIBLE_NAMES, ids=ascii)
def test_invisible_name_is_replaced(name: str) -> None:
    assert clean_name(name) == INVISIBLE_NAME


def test_control_unescaped_names_are_refused_by_the_parser() -> None:
    rng = random.Random(24)
    refused = 0
    for _ in range(1000):
        try:
            _, entities = parse_html(make_name(rng))
        except EntityError:
            refused += 1
        else:
            refused += bool(entities)
    report(f"control, 1000 names unescaped: {refused} refused or turned into marks")
    assert refused > 100
