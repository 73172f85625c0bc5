"""What a correct bot never sends, and what the double itself must not: found, and written down."""

from collections.abc import Mapping
from typing import Any

from tests.telegram.schema import Schema


class Checks:
    """Requests, results and updates against the Bot API's schema."""

    def __init__(self, schema: Schema, *, validate: bool) -> None:
        self.schema = schema
        self._validate = validate
        self.violations: list[str] = []

    def read(self, method: str, raw: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """A request's parameters as values, and what is wrong with them."""
        if self._validate:
            return self.schema.read(method, raw)
        return self.schema.decode(method, raw), []

    def update(self, body: Mapping[str, Any]) -> None:
        """Check an update that the bot is about to get."""
        problems = self.schema.problems("Update", body) if self._validate else []
        if problems:
            self.violations.append(f"the double's own fault in an update: {problems}")

    def result(self, method: str, result: Any) -> None:
        """Check what a method gives back; updates were checked when they came about."""
        if not self._validate or method == "getUpdates":
            return
        kinds = self.schema.returns(method)
        if all(self.schema.problems(kind, result) for kind in kinds):
            found = self.schema.problems(kinds[0], result)
            self.violations.append(f"the double's own fault in the result of {method}: {found}")
