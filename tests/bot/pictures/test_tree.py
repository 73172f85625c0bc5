from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bot.pictures.canvas import MARGIN, WIDTH
from bot.pictures.hands import SMALL_CARD
from bot.pictures.tree import MAX_STEP, compute_middles, count_leaves, draw_solution
from bot.pictures.values import Card, Node, Operation, SolutionPicture, Tile

CARDS = st.builds(Card, st.integers(1, 13), st.sampled_from("♠♥♦♣"))
TREES: st.SearchStrategy[Node] = st.recursive(
    st.one_of(CARDS, st.builds(Tile, st.integers(1, 100))),
    lambda node: st.builds(Operation, st.sampled_from("+−×÷"), node, node, st.just("23 1/9")),
    max_leaves=6,
)


@given(TREES)
def test_cards_keep_apart_and_within_the_margins(tree: Node) -> None:
    middles = compute_middles(count_leaves(tree))
    assert middles[0] - SMALL_CARD[0] / 2 >= MARGIN
    assert middles[-1] + SMALL_CARD[0] / 2 <= WIDTH - MARGIN
    assert all(SMALL_CARD[0] < b - a <= MAX_STEP for a, b in pairwise(middles))


@given(TREES)
def test_any_solution_can_be_drawn(tree: Node) -> None:
    assert draw_solution(SolutionPicture("Ann", "", tree))
