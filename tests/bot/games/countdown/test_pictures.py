"""A draw as a picture: its tiles, and an answer in the order in which its steps are done."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import solver
from bot.games.countdown import rules, steps
from bot.games.countdown.steps import list_steps
from bot.pictures.values import Node, Operation, Tile, TilesPicture


def test_the_tiles_and_the_target() -> None:
    draw = rules.Draw((25, 50, 7, 3, 9, 1), 573, "(25+50)*7+3", 528, 900, "hard", 35.0)
    assert steps.build_draw_picture(draw) == TilesPicture((25, 50, 7, 3, 9, 1), 573)


def test_an_answer() -> None:
    tree = Operation(
        "+", Operation("×", Operation("+", Tile(25), Tile(50), "75"), Tile(7), "525"), Tile(3), "528"
    )
    assert steps.build_tree("(25+50)*7+3") == tree
    assert steps.build_tree("100") == Tile(100)


def test_nothing_on_the_way_is_less_than_nothing() -> None:
    assert told("5-7+10") == ["5 + 10 = 15", "15 − 7 = 8"]


@pytest.mark.parametrize("text", ["(3-7)*50", "7/3+1", "25+", "", "3/0"])
def test_what_breaks_the_rules_has_no_picture(text: str) -> None:
    assert steps.build_tree(text) is None


@given(st.integers(0, 2**64))
def test_the_steps_are_those_that_are_written_down(seed: int) -> None:
    draw = solver.draw(solver.Stream(solver.spelled(seed)))
    best = solver.nearest(draw.numbers, draw.target).expression
    assert sorted(told(str(best))) == sorted(list_steps(best))


def told(text: str) -> list[str]:
    """The joints of the tree as steps."""
    tree = steps.build_tree(text)
    assert tree is not None
    return list_joints(tree)


def list_joints(node: Node) -> list[str]:
    """The same of a part of it."""
    if not isinstance(node, Operation):
        assert re.fullmatch(r"[0-9]+", shown(node))
        return []
    line = f"{shown(node.left)} {node.sign} {shown(node.right)} = {node.value}"
    return [*list_joints(node.left), *list_joints(node.right), line]


def shown(node: Node) -> str:
    """What a part comes to."""
    return node.value if isinstance(node, Operation) else str(node.number)
