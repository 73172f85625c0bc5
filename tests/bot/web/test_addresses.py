"""Which sockets listen where, on machines with more or fewer addresses."""

import errno
import socket
from typing import Any

import pytest

from bot.settings import Address
from bot.web.addresses import bound, meet


def test_a_port_that_is_taken_is_not_had() -> None:
    (taken,) = bound(Address("127.0.0.1", 0))
    with taken, pytest.raises(OSError, match="in use") as raised:
        bound(Address("127.0.0.1", taken.getsockname()[1]))
    assert raised.value.errno == errno.EADDRINUSE


def test_a_name_of_two_addresses_listens_at_one_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", _both)
    sockets = bound(Address("localhost", 0))
    assert len({s.getsockname()[:2] for s in sockets}) == len(sockets)
    assert len({s.getsockname()[1] for s in sockets}) == 1
    for one in sockets:
        one.close()


def test_an_address_that_this_machine_lacks_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", _both)
    genuine = socket.create_server

    def create(address: tuple[str, int], *, family: int, backlog: int) -> socket.socket:
        if address[0] == "127.0.0.2":
            raise OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address")
        return genuine(address, family=family, backlog=backlog)

    monkeypatch.setattr(socket, "create_server", create)
    (one,) = bound(Address("localhost", 0))
    assert one.getsockname()[0] == "127.0.0.1"
    one.close()


def test_an_address_that_nobody_has_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def create(*_: object, **__: object) -> socket.socket:
        raise OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address")

    monkeypatch.setattr(socket, "create_server", create)
    with pytest.raises(OSError, match="Cannot assign requested address"):
        bound(Address("127.0.0.1", 0))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (Address("127.0.0.1", 8080), Address("127.0.0.1", 8080), True),
        (Address("127.0.0.1", 8080), Address("127.0.0.1", 8081), False),
        (Address("127.0.0.1", 8080), Address("127.0.0.2", 8080), False),
        (Address("localhost", 8080), Address("127.0.0.1", 8080), True),
        (Address("0.0.0.0", 8080), Address("127.0.0.1", 8080), True),  # noqa: S104
        (Address("127.0.0.1", 8080), Address("", 8080), True),
        (Address("no.such.name.invalid", 8080), Address("127.0.0.1", 8080), False),
    ],
)
def test_which_addresses_meet(
    one: Address, other: Address, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine = socket.getaddrinfo

    def known(host: str | None, *arguments: Any, **more: Any) -> Any:
        """Nobody is asked for names."""
        if host == "no.such.name.invalid":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return genuine(host, *arguments, **more)

    monkeypatch.setattr(socket, "getaddrinfo", known)
    assert meet(one, other) is expected


def _both(*_: object, **__: object) -> list[tuple[int, int, int, str, tuple[str, int]]]:
    kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
    return [(*kind, (host, 0)) for host in ("127.0.0.1", "127.0.0.2", "127.0.0.1")]
