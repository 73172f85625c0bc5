"""The order in which stored updates are taken up again."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

# From here on updates have numbers that Telegram never gives: they are taps on a page of the bot's own.
FIRST_BOARD_UPDATE_ID = 2**62


class Stored(Protocol):
    """An update that waits."""

    @property
    def update_id(self) -> int:
        """Its number."""

    @property
    def accepted_at(self) -> float:
        """When it was accepted."""


S = TypeVar("S", bound=Stored)


def in_order(updates: Sequence[S]) -> list[S]:
    """Telegram's updates by their numbers, and each tap before the first of them that was accepted later.

    The numbers of taps tell nothing of their order. Nor do times tell that of Telegram's updates: several
    bots may have accepted them, each by its own clock. `updates` are in the order of their numbers.
    """
    taps = sorted((one for one in updates if one.update_id >= FIRST_BOARD_UPDATE_ID), key=lambda one: one.accepted_at)
    if not taps:
        return list(updates)
    ordered = list[S]()
    for one in updates[: len(updates) - len(taps)]:
        while taps and taps[0].accepted_at < one.accepted_at:
            ordered.append(taps.pop(0))
        ordered.append(one)
    return ordered + taps
