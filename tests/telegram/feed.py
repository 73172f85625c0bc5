"""Updates for the bot."""

from tests.telegram.chats import Json
from tests.telegram.checks import Checks
from tests.telegram.updates import Updates


class Feed:
    """Queues updates of the kinds that the bot allowed, checked against the schema."""

    def __init__(self, updates: Updates, checks: Checks) -> None:
        self._updates = updates
        self._checks = checks

    def publish(self, kind: str, payload: Json, lane: int) -> None:
        """Queue an update, if the bot allowed its kind."""
        if self._updates.is_allowed(kind):
            self._checks.update(self._updates.publish(kind, payload, lane).body)
