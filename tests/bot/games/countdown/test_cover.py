"""What gives a draw away, and what does not."""

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import solver
from bot.games.countdown import cover
from bot.games.countdown.rules import REACH, barred

TILES, TARGET = (25, 50, 7, 3, 9, 1), 573
BEST = "(25+50)*(7+1)-9*3"


@pytest.mark.parametrize(
    ("shown", "deep", "plain"),
    [
        # as it is, nearer or farther, with more around it
        *((BEST, True, True), ("(25+50)*(7+1)-9*3+2", True, True), ("2+(25+50)*(7+1)-9*3", True, True)),
        *(("(25+50)*(7+1)+2-9*3", True, True), ("((25+50)*(7+1)-9*3)*4-11", True, True)),
        *(
            ("(25+50)*7+50-2", False, False),
            ("9*50+25*3+7*1*8", False, False),
            ("11*(50+1)+12", False, False),
        ),
        *(("(25+50)*(7+1)", False, False), ("25*(3+9)+50*7", False, False), ("(25-3)*25+1", False, False)),
        *(("27-600", False, False), ("9*3-(25+50)*(7+1)", True, True), ("(7-3)/2*50", False, False)),
        # every number ten times as large, half as large again, some of them
        *(("(250+500)*(70+10)-90*30", True, False), ("(250+500)*(70+10)/10-90*30/10", False, False)),
        *(("(25+50)*14+2", False, False), ("(50+100)*(14+2)-18*6", True, False), ("50*7*10", False, False)),
        # parts that are worth tiles
        *(("(5*5+50)*(7+1)-9*3", True, False), ("(25+50)*(7+4/4)-9*3", True, False)),
        *(("(25+50)*(7+2/2)-9*(1+2)", True, False), ("570+3", False, False), ("8/(3-8/3)", False, False)),
    ],
)
def test_what_expressions_tell(shown: str, deep: bool, plain: bool) -> None:
    assert cover.tells(TILES, TARGET, [shown], deep=True) is deep
    assert cover.tells(TILES, TARGET, ["1+1", shown], deep=False) is plain


@pytest.mark.parametrize(
    ("numbers", "goal", "deep", "plain"),
    [
        *(
            (TILES, 573, True, True),
            ((9, 1, 3, 7, 50, 25), 573, True, True),
            ((25, 50, 7, 3, 9), 583, True, True),
        ),
        *((TILES, 584, False, False), (TILES, 563, True, True), (TILES, 562, False, False)),
        *(
            ((*TILES, 2), 575, True, False),
            ((*TILES, 2, 4), 577, True, False),
            ((*TILES, 2), 1146, True, False),
        ),
        *(
            ((*TILES, 2), 600, False, False),
            ((*TILES, 2, 4, 6), 573, False, False),
            ((*TILES, 0), 573, True, False),
        ),
        *(((250, 500, 70, 30, 90, 10), 5730, True, False), ((250, 500, 70, 30, 90, 10), 573, False, False)),
        *(((250, 500, 70, 30, 90, 11), 5730, False, False), ((3, 8, 3, 8), 24, False, False)),
        *(((25, 50, 8, 3, 9, 1), 573, False, False), ((75, 8, 27), 573, False, False)),
    ],
)
def test_what_questions_ask(numbers: tuple[int, ...], goal: int, deep: bool, plain: bool) -> None:
    assert cover.asks(TILES, TARGET, numbers, goal, deep=True) is deep
    assert cover.asks(TILES, TARGET, numbers, goal, deep=False) is plain


DRAWS = st.integers(0, 2**64).map(lambda seed: solver.draw(solver.Stream(solver.spelled(seed))))


@given(DRAWS, st.integers(-REACH, REACH), st.integers(2, 5), st.permutations(range(6)))
def test_a_way_to_points_gives_it_away_in_every_order_scaled_and_with_more_beside(
    draw: solver.Puzzle, off: int, factor: int, order: list[int]
) -> None:
    found = solver.nearest(draw.numbers, draw.target + off)
    if abs(found.value - draw.target) > REACH or not found.expression.op:
        return
    tiles, shown = [draw.numbers[place] for place in order], str(found.expression)
    assert cover.tells(tiles, draw.target, [shown], deep=False)
    assert cover.tells(tiles, draw.target, [f"({shown})*{factor}-1000", f"{shown}+777777"], deep=False)
    scaled = found.expression.fold(
        lambda number: solver.Expression.leaf(number * factor), solver.Expression.join
    )
    if len(found.expression.numbers) >= cover.SCALED:
        assert cover.tells(tiles, draw.target, [str(scaled)], deep=True)


EXPRESSIONS = st.recursive(
    st.integers(1, 12).map(solver.Expression.leaf)
    | st.sampled_from([25, 50, 75, 100]).map(solver.Expression.leaf),
    lambda inner: st.builds(solver.Expression.join, st.sampled_from("+-*"), inner, inner),
    max_leaves=6,
)


@given(DRAWS, EXPRESSIONS)
def test_whatever_stands_there_as_it_is_gives_it_away_and_what_is_far_from_points_does_not(
    draw: solver.Puzzle, written: solver.Expression
) -> None:
    parts = [part for part in written.walk() if part.op and not Counter(part.numbers) - Counter(draw.numbers)]
    near = [p for p in parts if barred(p) is None and abs(p.value - draw.target) <= REACH]
    told = cover.tells(draw.numbers, draw.target, [str(written)], deep=False)
    assert told or not near
    if Counter(draw.numbers) & Counter(written.numbers) == Counter():
        assert not told


@given(DRAWS)
def test_other_tiles_are_no_reason_to_refuse(draw: solver.Puzzle) -> None:
    """What people ask of 24, and a draw that shares no tile."""
    hands = [str(idea) for idea in solver.ideas([3, 8, 3, 8])]
    assert not cover.tells(draw.numbers, draw.target, hands, deep=True)
    others = [number for number in range(11, 23) if number not in draw.numbers][:4]
    assert not cover.asks(draw.numbers, draw.target, others, draw.target, deep=True)


def test_it_takes_no_time() -> None:
    lists = []
    for numbers, goal in (((1, 2, 3, 4, 7, 25), 573), (tuple(range(1, 11)), 573), ((3, 8, 3, 8, 1, 2), 24)):
        found = solver.ideas(numbers, goal, limit=60)
        lists.append(tuple(map(str, found)))
    draws = [solver.draw(solver.Stream(solver.spelled(seed))) for seed in range(200)]
    before = time.process_time()
    for shown in lists:
        for draw in draws:
            cover.tells(draw.numbers, draw.target, shown, deep=True)
    took = (time.process_time() - before) / (len(lists) * len(draws))
    print(f"{took * 1000:.2f} ms for each draw and list")
    assert took < 0.005


@pytest.mark.parametrize(
    ("numbers", "goal", "given"),
    [
        *(((50, 75, 100, 3, 6), 927, True), ((25, 50, 75, 100, 6), 316, True)),  # 25 is added then, times 3
        *(((50, 75, 3, 6), 852, True), ((25, 75, 3, 6), 19, True)),  # with 25 and 100; times 50, and 3 away
        *(((50, 75, 100, 3, 6), 500, False), ((50, 75, 3), 927, False), ((50, 75, 3, 6), 333, False)),
    ],
)
def test_a_question_without_some_tiles_for_what_one_step_with_them_makes(
    numbers: tuple[int, ...], goal: int, given: bool
) -> None:
    assert cover.asks((25, 50, 75, 100, 3, 6), 952, numbers, goal, deep=True) is given
    assert not cover.asks((25, 50, 75, 100, 3, 6), 952, numbers, goal, deep=False)


@pytest.mark.parametrize(
    ("numbers", "goal", "given"),
    [
        ((5, 75, 100, 8, 7), 842, True),  # 6-1 in one's head
        ((7, 75, 100, 8, 7), 842, True),  # there is a 7, and 6+1 makes another
        ((175, 8, 5, 7), 842, True),  # two pairs
        ((175, 14, 8), 842, True),  # a pair and three of them
        ((167, 5, 7), 842, True),  # 100+75-8, and 6-1
        ((167, 5, 8), 842, False),  # both need the 8
        ((14, 75, 100, 8), 842, True),  # three tiles: 7+6+1
        ((5, 75, 100, 8, 7), 700, False),
        ((5, 75, 100, 8, 9), 842, False),  # no two of those left make a 5 and a 9
        ((11, 13, 75, 100, 8), 842, False),
    ],
)
def test_tiles_put_together_in_ones_head(numbers: tuple[int, ...], goal: int, given: bool) -> None:
    assert cover.asks((75, 100, 8, 1, 7, 6), 842, numbers, goal, deep=True) is given
    assert not cover.asks((75, 100, 8, 1, 7, 6), 842, numbers, goal, deep=False)


def test_an_expression_with_such_a_number_tells_the_way() -> None:
    tiles = (75, 100, 8, 1, 7, 6)
    assert cover.tells(tiles, 842, ["(100+75-8)*5+7"], deep=True)
    assert not cover.tells(tiles, 842, ["(100+75-8)*5+7"], deep=False)
    assert not cover.tells(tiles, 842, ["(100+75-8)*3+7"], deep=True)
