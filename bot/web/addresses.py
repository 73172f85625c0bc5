"""Where the web server listens."""

import errno
import socket
from ipaddress import IPv6Address, ip_address
from typing import Any

from bot.settings import Address

WAITING = 128
"""Connections that wait to be taken at most."""
EVERYWHERE = {"0.0.0.0", "::"}  # noqa: S104 - known, not bound
"""Addresses that stand for all of this machine's."""


def bound(address: Address) -> list[socket.socket]:
    """Sockets that listen at the address, all at one port. Raises OSError when it can't be had.

    A name may stand for addresses of a kind that this machine doesn't have, as `localhost` does where IPv6 is
    switched off; those are left out while any other is left.
    """
    sockets: list[socket.socket] = []
    lacking: OSError | None = None
    for family, where in _places(address):
        port = sockets[0].getsockname()[1] if sockets else where[1]
        try:
            one = socket.create_server((where[0], port, *where[2:]), family=family, backlog=WAITING)
            # Connections have it from here: asyncio sets it for sockets alone that name their protocol.
            # Without it the second part of an answer waits 40 ms for word that the first has come.
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sockets.append(one)
        except OSError as error:
            if error.errno not in {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}:
                _close(sockets)
                raise
            lacking = error
    if not sockets:
        raise lacking or OSError(errno.EADDRNOTAVAIL, "no such address")
    return sockets


def meet(one: Address, other: Address) -> bool:
    """Whether something that listens at both ports would be in its own way."""
    if one.port != other.port:
        return False
    try:
        mine, theirs = ({where[0] for _, where in _places(address)} for address in (one, other))
    except OSError:
        return one == other
    return bool(mine & theirs or (mine | theirs) & EVERYWHERE)


def is_everywhere(address: Address) -> bool:
    """Whether it stands for all of this machine's, however that is written; no for a name of nothing."""
    try:
        return any(where[0] in EVERYWHERE for _, where in _places(address))
    except OSError:
        return False


def is_public(address: Address) -> bool:
    """Whether some place that it stands for is an address of the public net; no for a name of nothing."""
    try:
        return any(_is_global(where[0]) for _, where in _places(address))
    except OSError:
        return False


def _is_global(host: str) -> bool:
    found = ip_address(host)
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return (mapped or found).is_global


def _places(address: Address) -> list[tuple[socket.AddressFamily, tuple[Any, ...]]]:
    """Family and address of each place that a name stands for. Raises OSError for one of nothing."""
    found = socket.getaddrinfo(
        address.host or None, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    return list(dict.fromkeys((family, where) for family, _, _, _, where in found))


def _close(sockets: list[socket.socket]) -> None:
    for one in sockets:
        one.close()
