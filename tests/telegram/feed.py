"""How the bot is told of what happens."""

from tests.telegram.chats import Json
from tests.telegram.checks import Checks
from tests.telegram.updates import Updates


class Feed:
    """Queues what the bot asked for, checked against the schema."""

    def __init__(self, updates: Updates, checks: Checks) -> None:
        self._updates = updates
        self._checks = checks

    def publish(self, kind: str, payload: Json, lane: int) -> None:
        """Tell the bot, if it asked for this kind."""
        if self._updates.wants(kind):
            self._checks.update(self._updates.publish(kind, payload, lane).body)
