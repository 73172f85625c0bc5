"""What is looked for in vain is not looked for again at once."""

import pytest

from bot.workers.futile import KEPT, MOST, Futile

KIND = (6, 13, 7, "fiendish")


class RareError(ValueError):
    """Another reason."""


def test_what_was_not_found_is_known_for_a_while() -> None:
    futile = Futile()
    futile.recall(KIND, 0.0)
    futile.note(KIND, ValueError("none"), 0.0)
    futile.note("all", RareError(), 0.0)
    with pytest.raises(ValueError, match="no such hand") as caught:
        futile.recall(KIND, KEPT - 1)
    assert type(caught.value) is ValueError
    with pytest.raises(RareError):
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
