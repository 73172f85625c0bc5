"""Cards, tiles and dice in box characters: what is drawn of which lines, never wider than there is room."""

import random

import pytest

from bot.console import art
from bot.console.folding import columns, folded
from bot.games.countdown import rules as countdown
from bot.games.countdown import view as tiles
from bot.games.known import GAMES, LAID
from bot.games.twentyfour.hand import Hand
from bot.games.yahtzee import dealing
from bot.games.yahtzee import view as dice
from bot.games.yahtzee.rules import Card
from bot.i18n import languages, words

HAND = "🃏 <b>3♠ 10♥ K♦ 8♣</b>\n3 10 13 8 → 24\nUse each number once."
DRAW = "🎯 <b>573</b>\n25 50 7 3 100 1 → 573"
ROLL = "🎲 Roll 3 of 13\n1 2 3 5 6\n<pre>Ones 3</pre>"


def illustrated(html: str, width: int) -> str:
    return art.illustrated(html, width, LAID)


def test_cards_stand_in_their_lines_place() -> None:
    assert illustrated(HAND, 31).split("\n") == [
        "╭─────╮ ╭─────╮ ╭─────╮ ╭─────╮",
        "│3    │ │10   │ │K    │ │8    │",
        "│  ♠  │ │  ♥  │ │  ♦  │ │  ♣  │",
        "│    3│ │   10│ │    K│ │    8│",
        "╰─────╯ ╰─────╯ ╰─────╯ ╰─────╯",
        *HAND.split("\n")[1:],
    ]


def test_where_there_is_less_room_they_are_smaller_and_then_words() -> None:
    assert illustrated(HAND, 30).split("\n") == [
        "╭───╮ ╭───╮ ╭───╮ ╭───╮",
        "│3♠ │ │10♥│ │K♦ │ │8♣ │",
        "╰───╯ ╰───╯ ╰───╯ ╰───╯",
        *HAND.split("\n")[1:],
    ]
    assert illustrated(HAND, 22) == HAND


def test_a_number_that_no_card_has_has_no_suit() -> None:
    assert illustrated("🃏 <b>25♠ 1000♥ A♦</b>", 40).split("\n")[1:4] == [
        "│     │ │     │ │A    │",
        "│ 25  │ │1000 │ │  ♦  │",
        "│     │ │     │ │    A│",
    ]


def test_tiles_stand_below_the_target() -> None:
    assert illustrated(DRAW, 39).split("\n") == [
        "🎯 <b>573</b>",
        "╭───╮ ╭───╮ ╭───╮ ╭───╮ ╭───╮ ╭───╮",
        "│25 │ │50 │ │ 7 │ │ 3 │ │100│ │ 1 │",
        "╰───╯ ╰───╯ ╰───╯ ╰───╯ ╰───╯ ╰───╯",
        "25 50 7 3 100 1 → 573",
    ]
    assert "│ 100 │" in illustrated(DRAW, 47)
    assert illustrated(DRAW, 34) == DRAW


def test_dice_stand_above_their_line() -> None:
    assert illustrated(ROLL, 39).split("\n") == [
        "🎲 Roll 3 of 13",
        "╭─────╮ ╭─────╮ ╭─────╮ ╭─────╮ ╭─────╮",
        "│     │ │●    │ │●    │ │●   ●│ │●   ●│",
        "│  ●  │ │     │ │  ●  │ │  ●  │ │●   ●│",
        "│     │ │    ●│ │    ●│ │●   ●│ │●   ●│",
        "╰─────╯ ╰─────╯ ╰─────╯ ╰─────╯ ╰─────╯",
        "1 2 3 5 6",
        "<pre>Ones 3</pre>",
    ]
    assert "│ ●   ● │" in illustrated(ROLL, 49)
    assert illustrated(ROLL, 38).split("\n") == [
        "🎲 Roll 3 of 13",
        "╭─╮ ╭─╮ ╭─╮ ╭─╮ ╭─╮",
        "│1│ │2│ │3│ │5│ │6│",
        "╰─╯ ╰─╯ ╰─╯ ╰─╯ ╰─╯",
        "1 2 3 5 6",
        "<pre>Ones 3</pre>",
    ]
    assert illustrated(ROLL, 18) == ROLL


@pytest.mark.parametrize(
    "text",
    [
        "💬 Ann: 🃏 3♠ 8♥",
        "🃏",
        "🃏 Ann’s hand",
        "🎯 <b>573</b>\nCome near",
        "The rolls:\n1 2 3 5 6",
        "🎲 Roll 3 of 13\n1 2 3 5 7",
        "25 50 7 3 100 1 → 573",
    ],
)
def test_nothing_else_is_drawn(text: str) -> None:
    assert illustrated(text, 200) == text


@pytest.mark.parametrize("language", languages())
def test_every_deal_is_drawn_in_every_language_and_folds_as_it_is(language: str) -> None:
    said, rng = words(language), random.Random(7)
    deal = dealing.deal(7)
    for width in (39, 79, 200):
        for count in range(3, 7):
            numbers = tuple(rng.choices(range(1, 14), k=count))
            hand = Hand(numbers, 24, "easy", 1.0, ())
            check("\n".join(GAMES["24"].dealt(hand)), width)
        draw = countdown.Draw((25, 50, 75, 100, 10, 9), 999, "", 0, 0, "easy", 1.0)
        check("\n".join(tiles.dealt(draw)), width)
        for done in range(13):
            check("\n".join(dice.turn(said, deal, Card(tuple(range(done))))), width)


def check(text: str, width: int) -> None:
    """There is a drawing, its rows are equally wide, and none is broken."""
    drawn = illustrated(text, width).split("\n")
    art = [row for row in drawn if row[0] in "╭│╰"]
    assert len(art) in (3, 5)
    assert len({columns(row) for row in art}) == 1
    assert columns(art[0]) <= width
    assert [row for row in folded("\n".join(drawn), width) if row[0] in "╭│╰"] == art
