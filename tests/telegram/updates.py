"""The updates that wait for the bot, and how it takes them: by long polling or at its webhook.

A polled update is kept until a later `getUpdates` names a higher offset, a posted one until the
bot answers 2xx.
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
    """One update; those of one lane (a chat, or a person's inline queries) happen in order."""

    id: int
    kind: str
    lane: int
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Webhook:
    """What `setWebhook` asked for."""

    url: str
    secret: str | None
    max_connections: int


class Updates:
    """The queue on Telegram's side."""

    def __init__(self, signal: Signal, rng: Random) -> None:
        self._signal = signal
        self._rng = rng
        self.pending: dict[int, Update] = {}
        """Not yet taken, by id, in order."""
        self.sent: list[Update] = []
        """Everything ever offered to the bot."""
        self.fresh: deque[Update] = deque()
        """Those that delivery to the webhook hasn't seen yet."""
        self.deliveries: Counter[int] = Counter()
        """How often each update id was handed over."""
        self.allowed: list[str] | None = None
        self.webhook: Webhook | None = None
        self.last_error: tuple[int, str] | None = None
        """Unix seconds and words of the last delivery to the webhook that failed."""
        self.conflicts = 0
        """How often one poller ended another."""
        self._poll = 0
        self._next = rng.randrange(10**8, 9 * 10**8)

    def wants(self, kind: str) -> bool:
        """Does the bot get updates of this kind at all?"""
        return kind in self.allowed if self.allowed else kind not in ON_REQUEST

    def publish(self, kind: str, payload: dict[str, Any], lane: int) -> Update:
        """Queue one update."""
        update = Update(self._next, kind, lane, {"update_id": self._next, kind: payload})
        self._next += 1
        self.requeue(update)
        self.sent.append(update)
        return update

    def requeue(self, update: Update) -> None:
        """Offer an update (again); pollers and the webhook take it in the order of arrival."""
        self.pending[update.id] = update
        self.fresh.append(update)
        self._signal.notify()

    def idle_week(self) -> None:
        """After a week without updates Telegram goes on from a random id, perhaps a lower one."""
        self._next = self._rng.randrange(10**8, 9 * 10**8)

    def drop(self, update: Update) -> None:
        """The bot has taken it."""
        self.pending.pop(update.id, None)
        self._signal.notify()

    def drop_all(self) -> None:
        """`drop_pending_updates`."""
        self.pending.clear()

    def set_webhook(self, webhook: Webhook | None) -> None:
        """Deliver there from now on, or wait to be polled."""
        self.webhook = webhook
        self.fresh = deque(self.pending.values())
        self.last_error = None
        self._signal.notify()

    async def poll(self, offset: int, limit: int, seconds: float) -> list[dict[str, Any]]:
        """`getUpdates`; a second poller ends the first with 409, a webhook ends both."""
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
        """A positive offset confirms all lower ids, a negative one keeps only so many of the last."""
        ids = list(self.pending)
        gone = [number for number in ids if number < offset] if offset >= 0 else ids[:offset]
        for number in gone:
            del self.pending[number]
