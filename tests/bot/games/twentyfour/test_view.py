"""Cards, values and trees of hands."""

from hypothesis import given
from hypothesis import strategies as st

import solver
from bot.games.twentyfour import view
from bot.games.twentyfour.game import TwentyFour
from bot.games.twentyfour.view import render_cards
from bot.games.twentyfour.view import render_cards as written
from bot.pictures.values import Card, HandPicture, Operation, Tile
from tests.sample_rounds import get_hand, make_round


def test_cards_are_rendered_with_ranks_and_suits() -> None:
    assert render_cards([1, 10, 11, 12, 13]) == "A♠ 10♥ J♦ Q♣ K♠"


def test_equal_ranks_have_different_suits() -> None:
    assert render_cards([3, 8, 3, 8]) == "3♠ 8♥ 3♦ 8♣"
    assert render_cards([5, 1, 2, 3, 5]) == "5♠ A♥ 2♦ 3♣ 5♥"
    assert render_cards([7, 7, 7, 7, 2, 2]) == "7♠ 7♥ 7♦ 7♣ 2♠ 2♥"


PACK = [rank for rank in range(1, 14) for _ in range(4)]


@given(st.permutations(PACK), st.integers(1, 8))
def test_no_card_is_shown_twice(pack: list[int], count: int) -> None:
    # Each card of a pack is shown as another card, the same at each rendering.
    shown = render_cards(pack[:count])
    assert len(set(shown.split())) == count
    assert render_cards(pack[:count]) == shown


HAND = get_hand(make_round(numbers=(3, 8, 3, 8)))
SPADE, HEART, DIAMOND, CLUB = Card(3, "♠"), Card(8, "♥"), Card(3, "♦"), Card(8, "♣")


def test_picture_has_the_cards_of_the_text() -> None:
    assert TwentyFour.pictures.make_deal_picture(HAND) == HandPicture((SPADE, HEART, DIAMOND, CLUB), 24)
    assert written([1, 10, 11, 12, 13, 25]) == "A♠ 10♥ J♦ Q♣ K♠ 25♥"


def test_tree_of_a_solution_takes_each_card_once() -> None:
    inner = Operation("÷", CLUB, DIAMOND, "2 2/3")
    tree = Operation("÷", HEART, Operation("−", SPADE, inner, "1/3"), "24")
    assert view.build_tree(HAND, "8/(3-8/3)") == tree


def test_tree_has_every_step_of_an_idea() -> None:
    hand = get_hand(make_round(numbers=(2, 4, 8, 10)))
    for idea in map(str, solver.ideas(hand.numbers)):
        tree = view.build_tree(hand, idea)
        assert tree is not None
        made = list_results(tree)
        assert len(made) == 3
        assert {value.replace("−", "-") for value in made} == {
            step.rpartition(" = ")[2] for step in solver.parse(idea).steps()
        }


def test_negative_values_of_a_tree_have_a_true_minus() -> None:
    hand = get_hand(make_round(numbers=(1, 2, 5, 20)))
    tree = view.build_tree(hand, "20-5*(1-2)-1")
    assert tree is None, "a card more than there is"
    tree = view.build_tree(get_hand(make_round(numbers=(1, 2, 4, 20))), "20-4*(1-2)")
    assert tree is not None
    assert list_results(tree) == ["−1", "−4", "24"]


def test_unreadable_answer_has_no_tree() -> None:
    assert view.build_tree(HAND, "8/(3-8/") is None
    assert view.build_tree(HAND, "8/0*3") is None
    assert view.build_tree(HAND, "") is None


def list_results(node: object) -> list[str]:
    """Return the results of all steps in order."""
    if not isinstance(node, Operation):
        assert isinstance(node, Card | Tile)
        return []
    return [*list_results(node.left), *list_results(node.right), node.value]
