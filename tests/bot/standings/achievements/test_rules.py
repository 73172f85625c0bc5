"""Thresholds of achievements."""

import pytest

from bot.standings.achievements import CONDITIONS, Feat


@pytest.mark.parametrize(
    ("feat", "names"),
    [
        (Feat(), []),
        (Feat(is_fiendish=True), ["fiendish"]),
        (Feat(seconds=4.9), ["lightning"]),
        (Feat(seconds=0.0), ["lightning"]),
        (Feat(seconds=5.0), []),
        (Feat(wrong_answers=3), ["undaunted"]),
        (Feat(wrong_answers=2), []),
        (Feat(win_streak=10), ["row"]),
        (Feat(win_streak=9), []),
        (Feat(found_every_idea=True), ["every idea"]),
        (Feat(wins=100), ["hundred"]),
        (Feat(wins=99), []),
        (Feat(first_wins_of_day=10), ["early bird"]),
        (Feat(first_wins_of_day=9), []),
        *((Feat(hour=hour), ["night owl"] if 1 <= hour <= 4 else []) for hour in (0, 1, 4, 5, 23)),
        (Feat(daily_streak=6), []),
        (Feat(daily_streak=7), ["week"]),
        (Feat(daily_streak=30), ["week", "month"]),
    ],
)
def test_each_condition_holds_from_its_threshold_on(feat: Feat, names: list[str]) -> None:
    assert [name for name, is_earned in CONDITIONS.items() if is_earned(feat)] == names
