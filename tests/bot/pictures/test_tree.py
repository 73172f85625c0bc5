from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bot.pictures.canvas import MARGIN, WIDTH
from bot.pictures.hands import SMALL_CARD
from bot.pictures.tree import (
    MAX_STEP,
    PlacedNode,
    compute_middles,
    draw_solution,
    list_leaves,
    list_parts,
    place_tree,
)
from bot.pictures.values import Card, Node, Operation, SolutionPicture, Tile
from tests.bot.pictures.examples import CHAIN, EIGHTS

CARDS = st.builds(Card, st.integers(1, 13), st.sampled_from("♠♥♦♣"))
TREES: st.SearchStrategy[Node] = st.recursive(
    st.one_of(CARDS, st.builds(Tile, st.integers(1, 100))),
    lambda node: st.builds(Operation, st.sampled_from("+−×÷"), node, node, st.just("23 1/9")),
    max_leaves=6,
)


def placed(tree: Node) -> PlacedNode:
    return place_tree(tree, compute_middles(len(list_leaves(tree))))


@given(TREES)
def test_cards_keep_apart_and_within_the_margins(tree: Node) -> None:
    middles = compute_middles(len(list_leaves(tree)))
    assert middles[0] - SMALL_CARD[0] / 2 >= MARGIN
    assert middles[-1] + SMALL_CARD[0] / 2 <= WIDTH - MARGIN
    assert all(SMALL_CARD[0] < b - a <= MAX_STEP for a, b in pairwise(middles))


@given(TREES)
def test_the_result_is_in_the_middle_and_each_operation_between_its_parts(tree: Node) -> None:
    root = placed(tree)
    assert root.x == WIDTH / 2
    for part in list_parts(root):
        if part.parts:
            left, right = part.parts
            assert left.x < part.x < right.x
            assert part.level > max(left.level, right.level)


@given(TREES)
def test_any_solution_can_be_drawn(tree: Node) -> None:
    assert draw_solution(SolutionPicture("Ann", "", tree))


def test_leaves_are_in_reading_order() -> None:
    assert [leaf.number for leaf in list_leaves(EIGHTS)] == [8, 3, 8, 3]
    assert [leaf.number for leaf in list_leaves(CHAIN)] == [25, 3, 2, 7, 4, 1]
