"""How much one person and one address may ask: buckets of tokens that fill again, in bounded memory."""

import ipaddress
import math
from collections import OrderedDict
from dataclasses import dataclass

from starlette.requests import Request

MOST = 10_000
"""Buckets that are kept; of more, the one that was used least lately is let go, and is full the next time."""
PREFIX = 64
"""Bits of an IPv6 address that are one household's: whoever has them has all addresses behind."""
FARTHEST_HOP = 8
"""Hops of X-Forwarded-For that are looked at, from the last one on."""
UNKNOWN = "?"


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
    network) it is the last hop of X-Forwarded-For that is no such address: each proxy adds the one from which
    it was asked, so what stands there before the first proxy of one's own is a stranger's word and not read.
    """
    peer = request.client.host if request.client else ""
    if not _inner(peer):
        return _household(peer)
    hops = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
    said = [hop.strip() for hop in reversed(hops) if hop.strip()][:FARTHEST_HOP]
    outer = next((hop for hop in said if not _inner(hop)), said[0] if said else peer)
    return _household(outer)


def _inner(text: str) -> bool:
    """Whether it is this machine's or a private network's address."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return bool(mapped.is_loopback or mapped.is_private or mapped.is_link_local)


def _household(text: str) -> str:
    """The address; of IPv6 the part that is one household's, and of no address at all one name for all."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return UNKNOWN
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, PREFIX), strict=False).network_address)
