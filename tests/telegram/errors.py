"""Errors of the Bot API, with Telegram's descriptions."""

from typing import Any


class ApiError(Exception):
    """An answer with `ok: false`."""

    def __init__(self, code: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters

    def json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"ok": False, "error_code": self.code, "description": self.description}
        return body | ({"parameters": self.parameters} if self.parameters else {})


class Violation(ApiError):  # noqa: N818 - a verdict on the bot
    """A request that no correct bot sends; the world lists it in `violations`."""

    def __init__(self, description: str) -> None:
        super().__init__(400, f"Bad Request: {description}")


def bad_request(description: str, **parameters: Any) -> ApiError:
    """Return error 400 for a request that a correct bot may send too."""
    return ApiError(400, f"Bad Request: {description}", **parameters)


def forbidden(description: str) -> ApiError:
    return ApiError(403, f"Forbidden: {description}")


def conflict(description: str) -> ApiError:
    return ApiError(409, f"Conflict: {description}")


def too_many_requests(seconds: int) -> ApiError:
    return ApiError(429, f"Too Many Requests: retry after {seconds}", retry_after=seconds)
