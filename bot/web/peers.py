"""Whose an address is, as far as limits tell people apart."""

import ipaddress

PREFIX = 64
"""Bits of an IPv6 address that are one household's: whoever has them has all addresses behind."""
UNKNOWN = "?"


def is_inner(text: str) -> bool:
    """Whether it is this machine's or a private network's address."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return bool(mapped.is_loopback or mapped.is_private or mapped.is_link_local)


def household(text: str) -> str:
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
