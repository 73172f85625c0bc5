"""Why nobody is reached, as it is told to people."""

import errno
import socket
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest

from bot.checkup.connecting import why

KEY = cast("Any", SimpleNamespace(host="bot.example.org", port=443, ssl=True, is_ssl=True))


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed ('::1', 1, 0, 0)"), "refused"),
        (OSError(errno.ECONNREFUSED, "Multiple exceptions: [Errno 111] Connect"), "refused"),
        (OSError(errno.EHOSTUNREACH, "Connect call failed ('10.0.0.1', 1)"), "No route to host"),
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "Name or service not known"),
    ],
)
def test_in_the_systems_own_words(error: OSError, told: str) -> None:
    said = "the connection was refused" if told == "refused" else told
    assert (why(error), why(aiohttp.ClientConnectorError(KEY, error))) == (said, said)


def test_what_is_no_error_of_the_system() -> None:
    assert why(TimeoutError()) == "timed out"
    assert why(aiohttp.ServerDisconnectedError()) == "Server disconnected"
    invalid = aiohttp.ClientConnectorCertificateError(KEY, Exception("certificate has expired"))
    assert why(invalid) == "its certificate is not valid: certificate has expired"
