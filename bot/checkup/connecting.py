"""Why nobody is reached, as it is told to people: a library's own words are about its calls."""

import errno
import os

import aiohttp

from bot import logs


def why(error: BaseException) -> str:
    """The reason in one line."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"its certificate is not valid: {error.certificate_error}"
    if isinstance(error, aiohttp.ClientConnectorError):
        error = error.os_error
    number = error.errno or 0 if isinstance(error, OSError) else 0
    if number == errno.ECONNREFUSED:
        return "the connection was refused"
    if number > 0:
        return os.strerror(number)
    if isinstance(error, OSError) and error.strerror:  # what asks for names numbers its errors by itself
        return error.strerror
    return logs.reason(error)
