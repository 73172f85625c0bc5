"""What is looked for in vain is not looked for again at once."""

import pytest

from bot.games.twentyfour.futile import KEPT, MOST, Futile, is_quick
from bot.games.twentyfour.solving import TooManyIdeasError

KIND = (6, 13, 7, "fiendish")


def test_what_was_not_found_is_known_for_a_while() -> None:
    futile = Futile()
    futile.recall(KIND, 0.0)
    futile.note(KIND, ValueError("none"), 0.0)
    futile.note("all", TooManyIdeasError(), 0.0)
    with pytest.raises(ValueError, match="no such hand") as caught:
        futile.recall(KIND, KEPT - 1)
    assert type(caught.value) is ValueError
    with pytest.raises(TooManyIdeasError):
        futile.recall("all", 1.0)
    futile.recall("other", 1.0)
    futile.recall(KIND, KEPT)


def test_only_so_much_is_remembered() -> None:
    futile = Futile()
    for number in range(2 * MOST):
        futile.note(number, ValueError("none"), 0.0)
    assert len(futile.found) == MOST
    futile.recall(0, 0.0)
    with pytest.raises(ValueError, match="no such hand"):
        futile.recall(2 * MOST - 1, 0.0)


@pytest.mark.parametrize(
    ("cards", "highest", "target", "quick"),
    [
        *((4, 13, 24, True), (5, 13, 24, True), (3, 9, 24, True), (6, 13, 24, False)),
        *((4, 13, 997, False), (3, 2, 24, False), (4, 1000, 24, False)),
    ],
)
def test_plain_kinds_are_found_at_once(cards: int, highest: int, target: int, quick: bool) -> None:
    assert is_quick(cards, highest, target) is quick
