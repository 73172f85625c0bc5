"""What can be made to go wrong between the bot and Telegram."""

import asyncio
from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import Any


@dataclass(slots=True, eq=False)
class Fault:
    """A rule for requests; with nothing but `delay` or `held` the request is only slowed down."""

    method: str = "*"  # A method's name, or a pattern such as `send*`
    chat: int | None = None  # Only requests about this chat
    delay: float = 0  # Seconds before the request is looked at
    # Set once the answer may come; with `effect` what was asked is done before that.
    held: asyncio.Event | None = None
    status: int | None = None  # Answer with this HTTP status and an error of Telegram's form …
    description: str | None = None  # … that says this
    retry_after: int | None = None  # Seconds; the answer is 429
    body: bytes | None = None  # Answer with these bytes instead of JSON (status 200 unless given)
    hang: float | None = None  # Answer nothing for so many seconds, then close the connection
    close: bool = False  # Close the connection without an answer
    # Do what was asked all the same, before the answer goes wrong: written, but timed out.
    effect: bool = False
    count: int | None = None  # How many requests it hits before it ends by itself
    hits: int = 0

    @property
    def fails(self) -> bool:
        """Does it do more than delay?"""
        return self.close or any(
            part is not None for part in (self.status, self.retry_after, self.body, self.hang)
        )

    def matches(self, method: str, chat: int | None) -> bool:
        """Is this request one of its own?"""
        return fnmatch(method, self.method) and self.chat in {None, chat}

    def error(self) -> dict[str, Any]:
        """The JSON of the failure."""
        code = 429 if self.retry_after is not None else self.status or 500
        said = self.description or REASONS.get(code, "Error")
        body: dict[str, Any] = {"ok": False, "error_code": code, "description": said}
        if self.retry_after is not None:
            body["description"] += f": retry after {self.retry_after}"
            body["parameters"] = {"retry_after": self.retry_after}
        return body


REASONS = {
    403: "Forbidden",
    409: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    429: "Too Many Requests",
    500: "Internal Server Error",
    502: "Bad Gateway",
    504: "Gateway Timeout",
}


@dataclass(slots=True)
class Faults:
    """The rules in force; the first that matches a request decides."""

    rules: list[Fault] = field(default_factory=list)

    def add(self, method: str = "*", **how: Any) -> Fault:
        """Put a rule in force; see `Fault` for what it may hold."""
        rule = Fault(method, **how)
        self.rules.append(rule)
        return rule

    def remove(self, rule: Fault) -> None:
        """End a rule."""
        if rule in self.rules:
            self.rules.remove(rule)

    def clear(self) -> None:
        """End all rules."""
        self.rules.clear()

    def take(self, method: str, chat: int | None) -> Fault | None:
        """The rule that hits this request, counted."""
        for rule in self.rules:
            if rule.matches(method, chat):
                rule.hits += 1
                if rule.count is not None and rule.hits >= rule.count:
                    self.rules.remove(rule)
                return rule
        return None
