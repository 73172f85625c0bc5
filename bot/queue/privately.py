"""Sends ephemeral messages, and looks at each result: one that everybody can read is taken back at once."""

import logging
from dataclasses import dataclass
from typing import Any

from telegram.error import TelegramError

from bot.database import Store
from bot.queue import pacing, queries, secret
from bot.queue.doubt import LOOKED_FOR, Doubt, DeliveryStatus, Latest, Leaving, find, nothing_until
from bot.queue.hooks import Ask, Clock
from bot.queue.lane import Lane, place
from bot.queue.pacing import Pace
from bot.queue.queries import QueuedRequest
from bot.queue.receipts import Arrival, Receipts
from bot.queue.standing import BotPermissionCache
from bot.queue.troubles import Troubles
from bot.telegram.messages import Request

ephemeral_log = logging.getLogger(__name__)

TAKEN_FOR = "🤫"  # What a message is changed to in which one is looked for that may be public: nothing secret


@dataclass(frozen=True, slots=True)
class Ephemerals:
    """What `Sending` asks where a request goes the ephemeral way."""

    store: Store
    ask: Ask
    standings: BotPermissionCache
    receipts: Receipts
    troubles: Troubles
    latest: Latest
    clock: Clock
    pace: Pace

    async def around(self, lane: Lane, request: QueuedRequest) -> dict[str, Any]:
        """What only the outbox knows of the moment: `server`, and whether the bot may speak ephemerally.

        `open` is that within the 15 seconds, `admin` as an administrator; neither where the group has no
        room for a message now.
        """
        if secret.get_current_way(request.body) != secret.EPHEMERAL:
            return {}
        now = self.clock.monotonic()
        room = pacing.find_post_time(self.pace, lane.posts, request, now)
        free = max(room, lane.blocked_until) <= now
        is_open = free and secret.is_open(request.body, self.clock.wall())
        admin = free and not is_open and (await self.standings.load(lane.key)).is_admin
        return {"server": self.standings.server, "open": is_open, "admin": admin}

    async def leaves(self, request: QueuedRequest, leaving: Leaving) -> None:
        """Store that it is about to be sent: the process may end before the result is looked at."""
        request.body["left"] = {"after": leaving.after or request.body.get("after") or 0, "at": leaving.at}
        await self.store.write_with_retries(lambda tx: queries.update_request(tx, request), urgent=True)

    async def was_public(self, lane: Lane, request: QueuedRequest, ask: Ask) -> bool:
        """Whether it was sent before, nobody saw how it arrived, and it stands there for all to read. `ask`
        asks as long as the chat is this bot's: an edit that succeeds may find another bot's post else.
        """
        left = request.body.get("left")
        if not left or not left["after"]:
            return False
        params = {"chat_id": lane.key, "text": TAKEN_FOR}
        doubt = Doubt(DeliveryStatus.REFUSED, left["after"], left["at"])
        others, end = self.latest.others(lane.key), nothing_until(lane.key)
        try:
            number = await find(ask, params, doubt, others, end)
        except TelegramError as error:
            if await self.troubles.kept(lane, error):
                return True
            lane.back_off(self.clock.monotonic())  # it is not known yet, so it is looked for again
            return abs(self.clock.wall() - doubt.at) < LOOKED_FOR
        if number is None:
            return False
        await self._take_back(lane, request, number, ask)
        return True

    async def arrived(self, lane: Lane, request: QueuedRequest, body: dict[str, Any], result: Any) -> None:
        """Write down what came back; a trial is followed by what the request really says."""
        request.body.pop("left", None)
        if not secret.is_ephemeral(result):
            number = result.get("message_id") if isinstance(result, dict) else None
            await self._take_back(lane, request, number, self.ask)  # this bot's own, whoever has the chat
        elif body["ephemeral"] == secret.TRIAL:
            await self.receipts.delivered(lane, Arrival([], body["about"], result))
        else:
            await self.receipts.delivered(lane, Arrival([request], body.get("about", ""), result))

    async def _take_back(self, lane: Lane, request: QueuedRequest, number: int | None, ask: Ask) -> None:
        """Delete a message that should have been ephemeral, and go another way."""
        ephemeral_log.warning("this Bot API server knows no ephemeral messages: %s gets none", place(lane.key))
        again = list[Request]()
        if number:
            params = {"chat_id": lane.key, "message_id": number}
            try:
                await ask("deleteMessage", params)
            except TelegramError:
                again = [Request(lane.key, {"method": "deleteMessage", "params": params})]
        request.body["server"] = self.standings.server
        await self.troubles.fall(lane, request, secret.SERVER_TOO_OLD, again)
