"""All connections to the web servers of this process: so many at most, and who has waited longest makes room.

Files are few, and whoever takes them all silences the whole bot: it could not ask Telegram any more. A new
connection is never refused for one on which nothing is being answered; the oldest of those is closed, as
nginx does with its kept ones when it runs short. What strangers ask of the board is refused before everything
is busy, so that there is always room for Telegram's posts and for who watches over the bot.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Protocol

from bot.web.files import allowed
from bot.web.peers import household, is_inner

MOST = 4000
"""Connections at most, however many files there may be."""
LEFT = 4
"""One part in so many of the files is left to the rest of the bot."""
PART = 8
"""One part in so many of the connections is kept: one for what is not the board's, and one more for what the
board answers at once. One address has as many at most, unless it is a proxy's.
"""


def most() -> int:
    """How many connections there may be, by how many files there may be now."""
    files = allowed()
    return max(PART, min(MOST, files - files // LEFT))


class One(Protocol):
    """A connection."""

    def drop(self) -> None:
        """End it now."""


class Crowd:
    """Those that are there; `most` tells how many there may be."""

    def __init__(self, most: Callable[[], int] = most) -> None:
        self._most = most
        self._peers = dict[One, str]()
        """All of them, and whose they are; empty for a proxy's."""
        self._many = Counter[str]()
        self._waiting = OrderedDict[One, None]()
        """Those on which nothing is being answered, the one that has waited longest first."""

    def __len__(self) -> int:
        return len(self._peers)

    @property
    def busy(self) -> int:
        """On how many something is being answered."""
        return len(self._peers) - len(self._waiting)

    def came(self, one: One, host: str) -> None:
        """One more is there, from that address; where there are too many, one of them ends."""
        peer = "" if is_inner(host) else household(host)
        self._peers[one] = peer
        self._many[peer] += 1
        self.waits(one)
        most = self._most()
        if peer and self._many[peer] > most // PART:
            self._drop(next(other for other in self._waiting if self._peers[other] == peer))
        elif len(self._peers) > most:
            self._drop(next(iter(self._waiting)))

    def waits(self, one: One) -> None:
        """Nothing is being answered on it from now on."""
        if one in self._peers:
            self._waiting[one] = None
            self._waiting.move_to_end(one)

    def works(self, one: One) -> None:
        """Something is being answered on it."""
        self._waiting.pop(one, None)

    def left(self, one: One) -> None:
        """It is over."""
        self._waiting.pop(one, None)
        peer = self._peers.pop(one, None)
        if peer is not None:
            self._many[peer] -= 1
            if not self._many[peer]:
                del self._many[peer]

    def room(self) -> tuple[bool, bool]:
        """Whether there is room for what strangers ask, and for what goes on for long."""
        most, busy = self._most(), self.busy
        part = most // PART
        return busy <= most - part, busy <= most - 2 * part

    def _drop(self, one: One) -> None:
        self.left(one)
        one.drop()


CROWD = Crowd()
"""That of this process."""
