"""Requests that no correct bot sends, and errors of the fake itself."""

from collections.abc import Mapping
from typing import Any

from tests.telegram.schema import Schema


class Checks:
    """Checks of requests, results and updates against the Bot API's schema."""

    def __init__(self, schema: Schema, *, validate: bool) -> None:
        self.schema = schema
        self._validate = validate
        self.violations: list[str] = []

    def read(self, method: str, raw: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """Return a request's parameters as values, and their problems."""
        if self._validate:
            return self.schema.read(method, raw)
        return self.schema.decode(method, raw), []

    def update(self, body: Mapping[str, Any]) -> None:
        """Check an update before the bot gets it."""
        problems = self.schema.find_problems("Update", body) if self._validate else []
        if problems:
            self.violations.append(f"an error of the fake in an update: {problems}")

    def result(self, method: str, result: Any) -> None:
        """Check a method's result, except updates, which were checked before."""
        if not self._validate or method == "getUpdates":
            return
        kinds = self.schema.result_types(method)
        if all(self.schema.find_problems(kind, result) for kind in kinds):
            found = self.schema.find_problems(kinds[0], result)
            self.violations.append(f"an error of the fake in the result of {method}: {found}")
