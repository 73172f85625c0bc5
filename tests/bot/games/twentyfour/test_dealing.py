"""Tasks of the workers: hands, hands for all ideas, and lists of ideas."""

from collections.abc import Callable
from itertools import combinations_with_replacement, islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import solver
from bot.games.twentyfour.dealing import (
    MIN_IDEAS,
    TooManyIdeasError,
    build_hand,
    deal_hand,
    draw_hand,
    draw_hand_with_all_ideas,
    list_solutions,
)
from bot.games.twentyfour.rules import MAX_IDEAS
from bot.games.twentyfour.view import render_cards
from bot.workers.pool import SolverPool, TooSlowError
from solver import Recipe
from solver.fair import list_dealt_lines


@pytest.mark.parametrize("cards", [4, 5, pytest.param(6, marks=[pytest.mark.long, pytest.mark.exhaustive])])
def test_hand_for_all_ideas_lists_every_idea(cards: int) -> None:
    for seed in (0, 1, 3) if cards < 6 else range(6):  # with seed 2 the first hands have two ideas
        try:
            dealt = draw_hand_with_all_ideas(
                seed, Recipe("24", cards, 13, 24, None), time_limit=60.0 if cards < 6 else 5.0
            )
        except TooManyIdeasError:  # nobody promises one of six cards in that time
            assert cards == 6
            continue
        assert MIN_IDEAS <= len(dealt.ideas) < MAX_IDEAS
        assert list(dealt.ideas) == [str(idea) for idea in solver.tricks(dealt.numbers, 24)]


@pytest.mark.parametrize("cards", [3, 4])
@pytest.mark.parametrize("level", [None, "hard"])
@pytest.mark.parametrize("seed", [0, 7, 2**128 - 1])
def test_hand_follows_from_seed_and_recipe(cards: int, level: Any, seed: int) -> None:
    one, several = (
        draw_hand(seed, Recipe("24", cards, 13, 24, level)),
        draw_hand_with_all_ideas(seed, Recipe("24", cards, 13, 24, level), time_limit=60.0),
    )
    for dealt in (one, several):
        assert list_dealt_lines(seed, dealt.recipe) == [dealt.line]
    assert one.recipe == f"24:{cards}:13:24" + (":h" if level else "")
    assert build_hand(one.numbers, 24).recipe == ""


def test_hand_with_few_ideas_is_taken_if_there_is_no_other() -> None:
    assert len(draw_hand_with_all_ideas(1, Recipe("24", 3, 9, 24, "hard")).ideas) == 1


def test_no_such_hand_and_too_many_ideas_are_different_errors() -> None:
    with pytest.raises(ValueError, match=r"^no such hand$") as caught:
        draw_hand_with_all_ideas(1, Recipe("24", 3, 2, 1000, None))
    assert type(caught.value) is ValueError
    with pytest.raises(TooManyIdeasError):
        draw_hand_with_all_ideas(1, Recipe("24", 7, 13, 24, None), time_limit=0.0)


def test_right_answer_is_always_one_of_the_listed_ideas() -> None:
    # A round for all ideas counts by its list.
    for numbers in islice(combinations_with_replacement(range(1, 10), 4), 0, None, 9):
        listed = {solver.trick(solver.parse(idea)) for idea in list_solutions(numbers, 24).ideas}
        assert {solver.trick(form) for form in solver.solve(numbers, 24)} == listed


@pytest.mark.parametrize("more", [0, 1, 2])
def test_list_of_ideas_is_cut_if_there_are_more(monkeypatch: pytest.MonkeyPatch, more: int) -> None:
    ideas = list(islice(solver.tricks((1, 2, 3, 4, 5, 6), 24), MAX_IDEAS + more))
    monkeypatch.setattr(solver, "tricks", lambda *_, **__: iter(ideas))
    found = list_solutions((1, 2, 3, 4, 5, 6), 24)
    assert len(found.ideas) == MAX_IDEAS
    assert found.complete == (more == 0)


def test_cut_list_of_ideas_has_the_full_length() -> None:
    assert len(build_hand((1, 2, 3, 4, 5, 6), 24).ideas) == MAX_IDEAS


class SlowPool(SolverPool):
    """A pool whose tasks are never done in time."""

    def __init__(self) -> None:
        self.deadline = 5.0

    async def run_task(self, task: Callable[..., Any], *_: Any, **__: Any) -> Any:
        raise TooSlowError(task.__name__)


@pytest.mark.parametrize(("cards", "error"), [(4, TooSlowError), (5, TooSlowError), (6, TooManyIdeasError)])
async def test_slow_search_raises_too_slow_or_too_many_ideas(cards: int, error: type[Exception]) -> None:
    # Nearly every hand of six cards has too many ideas, and a busy machine stops before it knows.
    with pytest.raises(error):
        await deal_hand(SlowPool(), 1, Recipe("24", cards), with_all_ideas=True)


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**48), st.integers(3, 6), st.sampled_from([9, 10, 13]))
def test_hand_is_dealt_from_a_pack(seed: int, count: int, highest: int) -> None:
    # No rank comes more than four times, so the hand can be laid out with real cards.
    numbers = draw_hand(seed, Recipe("24", count, highest, 24, None)).numbers
    assert max(map(numbers.count, numbers)) <= 4
    assert len(set(render_cards(numbers).split())) == count
