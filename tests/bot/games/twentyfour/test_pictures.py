"""A hand as a picture: the cards that its text names, and the steps of the answer that won."""

import solver
from bot.games.twentyfour import view
from bot.games.twentyfour.view import render_cards as written
from bot.pictures.values import Card, Operation, Tile
from tests.hands import deal, hand_of

HAND = hand_of(deal(numbers=(3, 8, 3, 8)))
SPADE, HEART, DIAMOND, CLUB = Card(3, "♠"), Card(8, "♥"), Card(3, "♦"), Card(8, "♣")


def test_the_cards_are_those_of_the_text() -> None:
    assert view.build_deal_picture(HAND).cards == (SPADE, HEART, DIAMOND, CLUB)
    assert view.build_deal_picture(HAND).target == 24
    assert written([1, 10, 11, 12, 13, 25]) == "A♠ 10♥ J♦ Q♣ K♠ 25♥"


def test_no_card_is_there_twice_as_long_as_a_pack_holds_them() -> None:
    for numbers in ((3, 3, 3, 3), (3, 8, 3, 8, 3, 3), (13,) * 4, (5, 1, 1, 1, 5, 1)):
        dealt = view.assign_suits(numbers)
        assert [card.number for card in dealt] == list(numbers)
        assert len({*dealt}) == len(dealt)
        assert view.assign_suits(numbers) == dealt
    assert len(view.assign_suits((7,) * 6)) == 6


def test_a_solution_is_joined_as_it_was_written_and_takes_each_card_once() -> None:
    inner = Operation("÷", CLUB, DIAMOND, "8/3")
    tree = Operation("÷", HEART, Operation("−", SPADE, inner, "1/3"), "24")
    assert view.build_tree(HAND, "8/(3-8/3)") == tree


def test_every_step_of_every_idea_is_there() -> None:
    hand = hand_of(deal(numbers=(2, 4, 8, 10)))
    for idea in map(str, solver.ideas(hand.numbers)):
        tree = view.build_tree(hand, idea)
        assert tree is not None
        made = joints(tree)
        assert len(made) == 3
        assert {value.replace("−", "-") for value in made} == {
            step.rpartition(" = ")[2] for step in solver.parse(idea).steps()
        }


def test_less_than_nothing_has_a_true_minus() -> None:
    hand = hand_of(deal(numbers=(1, 2, 5, 20)))
    tree = view.build_tree(hand, "20-5*(1-2)-1")
    assert tree is None, "a card more than there is"
    tree = view.build_tree(hand_of(deal(numbers=(1, 2, 4, 20))), "20-4*(1-2)")
    assert tree is not None
    assert joints(tree) == ["−1", "−4", "24"]


def test_what_can_not_be_read_has_no_picture() -> None:
    assert view.build_tree(HAND, "8/(3-8/") is None
    assert view.build_tree(HAND, "8/0*3") is None
    assert view.build_tree(HAND, "") is None


def joints(node: object) -> list[str]:
    """What each step makes, in the order in which they are done."""
    if not isinstance(node, Operation):
        assert isinstance(node, Card | Tile)
        return []
    return [*joints(node.left), *joints(node.right), node.value]
