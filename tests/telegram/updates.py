"""The queue of updates for the bot, taken by long polling or posted to its webhook.

A polled update waits until a later `getUpdates` names a higher offset, a posted one until the bot answers
2xx.
"""

from collections import Counter, deque
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any, Final

from tests.telegram.errors import conflict
from tests.telegram.signal import Signal

# Kinds that arrive only when `allowed_updates` names them.
ON_REQUEST: Final = {"chat_member", "message_reaction", "message_reaction_count"}


TERMINATED: Final = "terminated by other getUpdates request; make sure that only one bot instance is running"


@dataclass(frozen=True, slots=True)
class Update:
    """An update; those of one lane (a chat, or a person's inline queries) are ordered."""

    id: int
    kind: str
    lane: int
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Webhook:
    """The settings of `setWebhook`."""

    url: str
    secret: str | None
    max_connections: int


class Updates:
    """Telegram's queue of updates."""

    def __init__(self, signal: Signal, rng: Random) -> None:
        self._signal = signal
        self._rng = rng
        self.pending: dict[int, Update] = {}  # Not yet taken, by id, in order
        self.sent: list[Update] = []  # All updates ever
        self.fresh: deque[Update] = deque()  # Not yet seen by the delivery to the webhook
        self.deliveries: Counter[int] = Counter()  # How often each update id was delivered
        self.allowed: list[str] | None = None
        self.webhook: Webhook | None = None
        # Unix seconds and description of the last failed delivery to the webhook.
        self.last_error: tuple[int, str] | None = None
        self.conflicts = 0  # How often one poller ended another
        self._poll = 0
        self._next = rng.randrange(10**8, 9 * 10**8)

    def is_allowed(self, kind: str) -> bool:
        """Whether the bot gets updates of this kind."""
        return kind in self.allowed if self.allowed else kind not in ON_REQUEST

    def publish(self, kind: str, payload: dict[str, Any], lane: int) -> Update:
        """Queue an update and return it."""
        update = Update(self._next, kind, lane, {"update_id": self._next, kind: payload})
        self._next += 1
        self.requeue(update)
        self.sent.append(update)
        return update

    def requeue(self, update: Update) -> None:
        """Queue an update, perhaps again."""
        self.pending[update.id] = update
        self.fresh.append(update)
        self._signal.notify()

    def skip_ids(self) -> None:
        """Continue with a random id, perhaps a lower one, as Telegram does after a week without updates."""
        self._next = self._rng.randrange(10**8, 9 * 10**8)

    def drop(self, update: Update) -> None:
        """Remove an update that the bot has taken."""
        self.pending.pop(update.id, None)
        self._signal.notify()

    def drop_all(self) -> None:
        """Remove all waiting updates."""
        self.pending.clear()

    def set_webhook(self, webhook: Webhook | None) -> None:
        """Deliver to a webhook from now on; None for polling."""
        self.webhook = webhook
        self.fresh = deque(self.pending.values())
        self.last_error = None
        self._signal.notify()

    async def poll(self, offset: int, limit: int, seconds: float) -> list[dict[str, Any]]:
        """Return waiting updates, as `getUpdates`; a second poll ends the first with 409, a webhook both."""
        self._refuse_beside_webhook()
        self._poll += 1
        mine = self._poll
        self._acknowledge(offset)
        self._signal.notify()
        try:
            await self._signal.wait_until(
                lambda: self.pending or mine != self._poll or self.webhook, max(seconds, 0)
            )
        except TimeoutError:
            return []
        self._refuse_beside_webhook()
        if mine != self._poll:
            self.conflicts += 1
            raise conflict(TERMINATED)
        taken = list(islice(self.pending.values(), limit))
        self.deliveries.update(update.id for update in taken)
        return [update.body for update in taken]

    def _refuse_beside_webhook(self) -> None:
        if self.webhook is not None:
            raise conflict("can't use getUpdates method while webhook is active; use deleteWebhook first")

    def _acknowledge(self, offset: int) -> None:
        """Drop the updates below a positive offset; a negative one keeps that many of the last."""
        ids = list(self.pending)
        gone = [number for number in ids if number < offset] if offset >= 0 else ids[:offset]
        for number in gone:
            del self.pending[number]
