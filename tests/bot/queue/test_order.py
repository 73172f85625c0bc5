"""Taps keep their place among Telegram's updates."""

import pytest

from bot.queue.queries import FIRST_BOARD_UPDATE_ID, QueuedUpdate, sort_updates

ONE, TWO = FIRST_BOARD_UPDATE_ID + 9, FIRST_BOARD_UPDATE_ID + 2


def update(number: int, at: float) -> QueuedUpdate:
    return QueuedUpdate(number, -5, "{}", accepted_at=at)


@pytest.mark.parametrize(
    ("stored", "ordered"),
    [
        ([], []),
        ([(7, 1.0), (8, 2.0)], [7, 8]),
        ([(7, 3.0), (8, 2.0)], [7, 8]),  # accepted by bots with other clocks
        ([(7, 1.0), (8, 2.0), (ONE, 1.5)], [7, ONE, 8]),
        ([(7, 1.0), (8, 2.0), (ONE, 0.5)], [ONE, 7, 8]),
        ([(7, 1.0), (8, 2.0), (ONE, 2.0)], [7, 8, ONE]),
        ([(7, 1.0), (8, 2.0), (TWO, 1.7), (ONE, 1.5)], [7, ONE, TWO, 8]),
        ([(TWO, 1.7), (ONE, 1.5)], [ONE, TWO]),
    ],
)
def test_each_tap_stands_before_what_came_later(stored: list[tuple[int, float]], ordered: list[int]) -> None:
    assert [each.update_id for each in sort_updates([update(*each) for each in stored])] == ordered
