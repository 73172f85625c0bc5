"""Failures between the bot and Telegram."""

import asyncio
from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import Any


@dataclass(slots=True, eq=False)
class Fault:
    """A rule for requests; with only `delay` or `held` the request is slowed down but succeeds."""

    method: str = "*"  # A method's name, or a pattern such as `send*`
    chat: int | None = None  # Only requests about this chat
    delay: float = 0  # Seconds before the request is looked at
    # The answer waits until this is set; with `effect` the request takes effect before.
    held: asyncio.Event | None = None
    status: int | None = None  # Answer with this HTTP status and an error of Telegram's form …
    description: str | None = None  # … that says this
    retry_after: int | None = None  # Seconds; the answer is 429
    body: bytes | None = None  # Answer with these bytes instead of JSON (status 200 unless given)
    hang: float | None = None  # Answer nothing for so many seconds, then close the connection
    close: bool = False  # Close the connection without an answer
    # Whether the request takes effect before its answer fails.
    effect: bool = False
    count: int | None = None  # How many requests it hits before it ends by itself
    hits: int = 0

    @property
    def fails(self) -> bool:
        """Whether the rule makes requests fail."""
        return self.close or any(
            part is not None for part in (self.status, self.retry_after, self.body, self.hang)
        )

    def matches(self, method: str, chat: int | None) -> bool:
        return fnmatch(method, self.method) and self.chat in {None, chat}

    def make_error(self) -> dict[str, Any]:
        """Return the JSON of the failure."""
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
    """The active rules; the first that matches a request applies."""

    rules: list[Fault] = field(default_factory=list)

    def add(self, method: str = "*", **how: Any) -> Fault:
        """Add a rule with the fields of `Fault`."""
        rule = Fault(method, **how)
        self.rules.append(rule)
        return rule

    def remove(self, rule: Fault) -> None:
        if rule in self.rules:
            self.rules.remove(rule)

    def clear(self) -> None:
        self.rules.clear()

    def take_matching(self, method: str, chat: int | None) -> Fault | None:
        """Return the rule for a request and count the hit; None if no rule matches."""
        for rule in self.rules:
            if rule.matches(method, chat):
                rule.hits += 1
                if rule.count is not None and rule.hits >= rule.count:
                    self.rules.remove(rule)
                return rule
        return None
