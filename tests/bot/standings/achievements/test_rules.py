"""What is earned by what somebody did: at the mark, and not a step before it."""

import pytest

from bot.standings.achievements.rules import EARNED, Feat, earned


@pytest.mark.parametrize(
    ("feat", "names"),
    [
        (Feat(), []),
        (Feat(fiendish=True), ["fiendish"]),
        (Feat(seconds=4.9), ["lightning"]),
        (Feat(seconds=0.0), ["lightning"]),
        (Feat(seconds=5.0), []),
        (Feat(wrong=3), ["undaunted"]),
        (Feat(wrong=2), []),
        (Feat(row=10), ["row"]),
        (Feat(row=9), []),
        (Feat(alone=True), ["every idea"]),
        (Feat(wins=100), ["hundred"]),
        (Feat(wins=99), []),
        (Feat(mornings=10), ["early bird"]),
        (Feat(mornings=9), []),
        *((Feat(hour=hour), ["night owl"] if 1 <= hour <= 4 else []) for hour in (0, 1, 4, 5, 23)),
        (Feat(days=6), []),
        (Feat(days=7), ["week"]),
        (Feat(days=30), ["week", "month"]),
    ],
)
def test_what_a_feat_is_worth(feat: Feat, names: list[str]) -> None:
    assert earned(feat) == names


def test_who_has_done_nothing_has_won_nothing() -> None:
    assert (Feat().wrong, Feat().row, Feat().wins, Feat().mornings, Feat().days) == (0, 0, 0, 0, 0)


def test_they_are_few() -> None:
    assert 8 <= len(EARNED) <= 12
