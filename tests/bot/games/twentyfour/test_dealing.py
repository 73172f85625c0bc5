"""What the workers are asked: hands to find every idea of, and lists that say truly whether they are cut."""

from itertools import combinations_with_replacement, islice

import pytest

import solver
from bot.games.twentyfour.dealing import (
    WORTH_FINDING,
    TooManyIdeasError,
    draw_all,
    hand,
    is_quick,
    list_solutions,
)
from bot.games.twentyfour.hand import IDEAS_KEPT


@pytest.mark.parametrize("cards", [4, 5, pytest.param(6, marks=pytest.mark.long)])
def test_every_idea_of_a_hand_dealt_for_all_is_listed(cards: int) -> None:
    for seed in range(3 if cards < 6 else 6):
        try:
            dealt = draw_all(seed, cards, 13, 24, None, patience=60.0 if cards < 6 else 5.0)
        except TooManyIdeasError:  # nobody promises one of six cards in that time
            assert cards == 6
            continue
        assert WORTH_FINDING <= len(dealt.ideas) < IDEAS_KEPT
        assert list(dealt.ideas) == [str(idea) for idea in solver.ideas(dealt.numbers, 24)]


def test_few_ideas_are_better_than_no_hand() -> None:
    assert draw_all(1, 3, 9, 24, "fiendish").ideas == ("6*(8-4)",)


def test_a_kind_of_hand_that_does_not_exist_is_told_from_one_with_too_many_ideas() -> None:
    with pytest.raises(ValueError, match=r"^no such hand$") as caught:
        draw_all(1, 3, 2, 1000, None)
    assert type(caught.value) is ValueError
    with pytest.raises(TooManyIdeasError):
        draw_all(1, 7, 13, 24, None, patience=0.0)


def test_a_right_answer_is_always_one_of_the_listed_ideas() -> None:
    """A round for all ideas counts by its list."""
    for numbers in islice(combinations_with_replacement(range(1, 10), 4), 0, None, 9):
        listed = {solver.idea(idea) for idea in solver.ideas(numbers, 24)}
        assert {solver.idea(form) for form in solver.solve(numbers, 24)} == listed


@pytest.mark.parametrize("more", [0, 1, 2])
def test_a_list_is_cut_only_where_there_is_more(monkeypatch: pytest.MonkeyPatch, more: int) -> None:
    ideas = list(islice(solver.ideas((1, 2, 3, 4, 5, 6), 24), IDEAS_KEPT + more))
    monkeypatch.setattr(solver, "ideas", lambda *_, **__: iter(ideas))
    found = list_solutions((1, 2, 3, 4, 5, 6), 24)
    assert len(found.ideas) == IDEAS_KEPT
    assert found.complete == (more == 0)


def test_a_cut_list_is_as_long_as_a_list_can_be() -> None:
    assert len(hand((1, 2, 3, 4, 5, 6), 24).ideas) == IDEAS_KEPT


@pytest.mark.parametrize(
    ("cards", "highest", "target", "quick"),
    [
        *((4, 13, 24, True), (5, 13, 24, True), (3, 9, 24, True), (6, 13, 24, False)),
        *((4, 13, 997, False), (3, 2, 24, False), (4, 1000, 24, False)),
    ],
)
def test_plain_kinds_are_found_at_once(cards: int, highest: int, target: int, quick: bool) -> None:
    assert is_quick(cards, highest, target) is quick
