"""An answer as a tree over what was dealt."""

from types import SimpleNamespace
from typing import Any

import solver
from bot.games.countdown.game import Countdown
from bot.games.known import GAMES
from bot.games.twentyfour.view import cards, faces, solved, table
from bot.games.written.trees import tree
from bot.pictures.drawing import draw
from bot.pictures.values import Card, Joint, Solution, Tile


def test_each_card_is_used_once_in_the_order_in_which_it_lies() -> None:
    found = tree(solver.parse("8/(3-8/3)"), faces((3, 8, 3, 8)))
    inner = Joint("−", Card(3, "♠"), Joint("÷", Card(8, "♣"), Card(3, "♦"), "8/3"), "1/3")
    assert found == Joint("÷", Card(8, "♥"), inner, "24")


def test_what_is_less_than_nothing_has_a_long_sign() -> None:
    found = tree(solver.parse("4*(7-1)*(2-3)"), [])
    assert isinstance(found, Joint)
    assert found.value == "−24"
    assert found.right == Joint("−", Tile(2), Tile(3), "−1")


def test_the_cards_of_the_picture_are_those_of_the_text() -> None:
    for numbers in ((1, 1, 2, 8), (13, 13, 13, 13), (7, 7, 7, 7, 7), (24, 100, 3)):
        felt = table(numbers, 24)
        assert felt is not None
        told = cards(numbers).split()
        assert [card.suit for card in felt.cards] == [each[-1] for each in told]


def test_there_is_no_picture_of_more_than_there_is_room_for() -> None:
    assert table(tuple(range(1, 9)), 24) is None
    assert solved(tuple(range(1, 9)), "1+2") is None


def test_every_game_on_the_table_gives_pictures_that_can_be_drawn() -> None:
    hand = GAMES["24"].unpack({"v": 1, "numbers": [3, 8, 3, 8], "target": 24}, "hard", 9.0)
    assert GAMES["24"].table(hand) is not None
    node = GAMES["24"].tree(hand, "8/(3-8/3)")
    assert node is not None
    assert draw(Solution("Bob", "+5 points", node))
    assert draw(Solution("Bob", "", Countdown().tree(_tiles(), "100")))


def _tiles() -> Any:
    return SimpleNamespace(tiles=(100, 50, 7, 3, 9, 1))
