"""Share among bots whether Telegram answers.

The leader polls, so what it hears of Telegram holds for all. Each bot also stores whether its own requests
are answered. A bot whose requests fail asks the others, which then try Telegram: if it answers one of them,
the failing bot leaves its chats and the lead to them until it is answered again. If Telegram answers nobody,
all stay as they are.
"""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from contextlib import suppress

from bot.database import DedicatedConnection
from bot.metrics import Connectivity, Pulse
from bot.queue.replicas import queries

log = logging.getLogger(__name__)

LEADER_NEWS_VALIDITY = 30.0  # seconds for which the leader's last contact with Telegram holds for all
ASK_OTHERS_AFTER = 1.0  # seconds without an answer after which a bot asks the others
LEAVE_CHATS_AFTER = 5.0  # seconds without an answer after which it leaves its chats to them
# Seconds without an answer after which the leader tries: Telegram holds its requests open, and over a
# connection that is lost silently that looks the same.
LEADER_SILENCE = 10.0
TRY_INTERVAL = 2.0  # seconds between two tries
TRY_TIMEOUT = 10.0  # seconds that one may take
NEVER_ANSWERED = 1e9  # stands for the age of an answer that never came


class TelegramContact:
    """One bot's contact with Telegram.

    `pulse` records the leader's successes, `connectivity` the outcome of this bot's requests, and
    `try_telegram` sends one.
    """

    def __init__(
        self, pulse: Pulse, connectivity: Connectivity, try_telegram: Callable[[], Awaitable[object]]
    ) -> None:
        self._pulse = pulse
        self._connectivity = connectivity
        self._try_telegram = try_telegram
        self._tried_at = 0.0
        self._failed_try_at = -math.inf  # when the last try began that had no answer
        self._trying: asyncio.Task[None] | None = None

    @property
    def answer_age(self) -> float:
        """Seconds since Telegram answered this bot, to be stored; `NO_ANSWER` after a second's outage."""
        if self._connectivity.outage_seconds > ASK_OTHERS_AFTER:
            return queries.NO_ANSWER
        return min(NEVER_ANSWERED, self._connectivity.answer_age)  # the latter is infinite before any answer

    async def exchange_news(self, connection: DedicatedConnection, name: str, *, leads: bool) -> None:
        """Store the leader's contact with Telegram, or load it as another bot; try Telegram if in doubt."""
        now = self._connectivity.monotonic()
        if leads:
            try_after = LEADER_SILENCE
            if self._pulse.success_count and self._pulse.get_success_age(now) < LEADER_NEWS_VALIDITY:
                await connection.run(lambda tx: queries.store_leader_contact(tx, name))
        else:
            self._pulse.is_of_leader = True  # the successes recorded there are the leader's
            age, is_some_bot_unanswered = await connection.run(queries.load_leader_contact)
            if age < LEADER_NEWS_VALIDITY:
                self._pulse.record_success(now)
            # That bot asks all others to try; else silence alone is no reason for it
            try_after = LEAVE_CHATS_AFTER if is_some_bot_unanswered else NEVER_ANSWERED
        if self._connectivity.outage_seconds > ASK_OTHERS_AFTER or self._connectivity.answer_age > try_after:
            self._start_try()

    async def is_cut_off(self, connection: DedicatedConnection, name: str) -> bool:
        """Whether Telegram answers others, but not this bot's requests and last try; the pulse records it."""
        outage = self._connectivity.outage_seconds
        if outage <= LEAVE_CHATS_AFTER or self._failed_try_at <= self._connectivity.last_answer_at:
            return False
        if not await connection.run(lambda tx: queries.do_others_reach_telegram(tx, name, outage)):
            return False
        self._pulse.is_cut_off = True
        return True

    def is_back(self) -> bool:
        """Return False, and start a try, if this bot is still cut off from Telegram; else return True."""
        if not self._pulse.is_cut_off:
            return True
        if self._connectivity.outage_seconds:
            self._start_try()
            return False
        log.info("this bot reaches Telegram again")
        self._pulse.is_cut_off = False
        return True

    def _start_try(self) -> None:
        """Start a try in the background, unless one has just begun."""
        now = self._connectivity.monotonic()
        is_trying = self._trying is not None and not self._trying.done()
        if not is_trying and now - self._tried_at >= TRY_INTERVAL:
            self._tried_at = now
            self._trying = asyncio.create_task(self._try())

    async def _try(self) -> None:
        """Call `try_telegram` with a timeout, and remember when that began if it had no answer."""
        began = self._connectivity.monotonic()
        with suppress(Exception):  # the connections record the outcome
            async with asyncio.timeout(TRY_TIMEOUT):
                await self._try_telegram()
        if self._connectivity.last_answer_at < began:
            self._failed_try_at = began
