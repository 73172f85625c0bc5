"""Steps of an answer, as lines and as a tree."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import solver
from bot.games.countdown.view import build_tree, list_steps
from bot.pictures.values import Operation, Tile


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("(25+50)*(7+1)-9*3", "25 + 50 = 75|7 + 1 = 8|75 × 8 = 600|9 × 3 = 27|600 − 27 = 573"),
        ("5-7+10", "5 + 10 = 15|15 − 7 = 8"),
        ("4/3*75", "4 × 75 = 300|300 ÷ 3 = 100"),
        ("100-7+3", "100 − 7 = 93|93 + 3 = 96"),
        ("75/3*4", "75 ÷ 3 = 25|25 × 4 = 100"),
        ("100", ""),
    ],
)
def test_answer_has_a_line_for_each_step(text: str, lines: str) -> None:
    assert "|".join(list_steps(text)) == lines


@given(st.integers(0, 2**64))
def test_each_step_is_right_and_uses_tiles_or_earlier_results(seed: int) -> None:
    draw = solver.draw(solver.Stream(solver.spell_seed(seed)))
    best = solver.nearest(draw.numbers, draw.target)
    at_hand = list(draw.numbers)
    for line in list_steps(str(best.expression)):
        one, sign, other, made = re.fullmatch(r"(\d+) ([-+−×÷]) (\d+) = (\d+)", line).groups()  # type: ignore[union-attr]
        at_hand.remove(int(one))
        at_hand.remove(int(other))
        a, b = int(one), int(other)
        assert int(made) == {"+": a + b, "−": a - b, "×": a * b, "÷": a // b}[sign] >= 0
        assert sign != "÷" or a % b == 0
        at_hand.append(int(made))
    assert best.value in at_hand


def test_answer_has_a_tree_of_its_steps() -> None:
    tree = Operation(
        "+", Operation("×", Operation("+", Tile(25), Tile(50), "75"), Tile(7), "525"), Tile(3), "528"
    )
    assert build_tree("(25+50)*7+3") == tree
    assert build_tree("100") == Tile(100)


@pytest.mark.parametrize("text", ["(3-7)*50", "7/3+1", "25+", "", "3/0"])
def test_answer_against_the_rules_has_neither_tree_nor_lines(text: str) -> None:
    assert build_tree(text) is None
    assert list_steps(text) == []
