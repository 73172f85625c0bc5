"""How much one person and one address may ask: buckets of tokens that fill again, in bounded memory."""

import math
import re
from collections import OrderedDict
from dataclasses import dataclass

from starlette.requests import Request

from bot.web.peers import household, is_inner

MOST = 10_000
"""Buckets that are kept; of more, the one that was used least lately is let go, and is full the next time."""
WITH_PORT = re.compile(r"\[([0-9a-fA-F:.]+)\](?::[0-9]+)?|([0-9.]+):[0-9]+")


@dataclass(frozen=True, slots=True)
class Rate:
    """So many at once, and so many a second on end."""

    burst: float
    each_second: float


class Buckets:
    """One bucket for each name, all of one rate. Times are in seconds, by any clock that goes on."""

    def __init__(self, rate: Rate, most: int = MOST) -> None:
        self._rate, self._most = rate, most
        self._left = OrderedDict[str | int, tuple[float, float]]()
        """What was left in each when it was last looked at, and when that was."""

    def take(self, name: str | int, now: float) -> float:
        """Take a token: 0, or the seconds after which there is one; then none is taken."""
        left, at = self._left.pop(name, (self._rate.burst, now))
        left = min(self._rate.burst, left + max(0.0, now - at) * self._rate.each_second)
        taken = left >= 1.0
        self._left[name] = (left - 1.0 if taken else left), now
        while len(self._left) > self._most:
            self._left.popitem(last=False)
        return 0.0 if taken else (1.0 - left) / self._rate.each_second

    def __len__(self) -> int:
        return len(self._left)


def retry_after(seconds: float) -> dict[str, str]:
    """The header that says when to come again."""
    return {"Retry-After": str(max(1, math.ceil(seconds)))}


def address_of(request: Request) -> str:
    """Whoever asks, as far as limits tell people apart.

    That is the connection's own address. Behind a proxy (the connection comes from this machine or a private
    network) it is the last hop of X-Forwarded-For, whatever that is: the proxy has added the address from
    which it was asked itself, and all that stands before may be a stranger's word.
    """
    peer = request.client.host if request.client else ""
    if not is_inner(peer):
        return household(peer)
    hops = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
    last = next((hop.strip() for hop in reversed(hops) if hop.strip()), peer)
    return household(_without_port(last))


def _without_port(hop: str) -> str:
    """The address of a hop: some gateways add the port from which they were asked."""
    found = WITH_PORT.fullmatch(hop)
    return (found[1] or found[2]) if found else hop
