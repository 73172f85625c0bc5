"""One bot of several: it says that it is there, claims chats, serves what waits in them, and may lead.

It is there for `LEASE` seconds each time that it says so, and says so every `BEAT`. Who falls silent is
buried by any other, and all that it had is free (see `queries`). So a bot that can't reach the database
sends nothing from `MARGIN` seconds before the others may take over.

What is stored for a chat is taken up by whoever serves it: at once where that bot has stored it itself, else
within `LOOK` seconds, or sooner by a *hint*, which is a notification and may get lost; `MOST` of it at once,
oldest first. Chats that nobody serves are shared out evenly; one in which nothing happens for `QUIET` seconds
is let go.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection
from contextlib import AsyncExitStack, suppress
from functools import partial
from secrets import randbits, token_hex

from bot import logs
from bot.database import (
    DedicatedConnection,
    Postgresql,
    StoreError,
    Tx,
    describe_error,
    describe_outdated_tables,
    is_database_failure,
    read_server_time,
)
from bot.queue.inbox import Inbox
from bot.queue.leases import LaneLostError
from bot.queue.outbox import Outbox
from bot.queue.pacing import Pace
from bot.queue.queries import QueuedUpdate, load_recent_posts, load_waiting_updates
from bot.queue.replicas import queries
from bot.queue.replicas.leadership import Leadership, report_expired_replicas
from bot.queue.replicas.notifications import MIN_PAUSE, WORK_CHANNEL, WorkNotifications
from bot.queue.replicas.settings_comparison import SharedSettings
from bot.queue.replicas.telegram_contact import NEVER_ANSWERED, TelegramContact
from bot.supervision import FatalErrors, Part, keep_running

BURST = 5  # Posts that may go at once after a pause; so many fewer go in each second after that


class SharedPace:
    """Gives out places; who asks while others are taken gets one together with all that wait then."""

    def __init__(self, server: Postgresql, pace: Pace) -> None:
        self._server = server
        self._gap = 1 / max(1, pace.posts_a_second - BURST)
        self._waiting: list[asyncio.Future[float]] = []
        self._taking: asyncio.Task[None] | None = None

    async def wait_for_slot(self) -> None:
        """Wait until one more post may go. Raises what the database raises."""
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        if self._taking is None or self._taking.done():
            self._taking = asyncio.create_task(self._take())
        await asyncio.sleep(max(0.0, await place))

    async def _take(self) -> None:
        while self._waiting:
            posts, self._waiting = self._waiting, []
            try:
                last = await self._slots(len(posts))
            except Exception as error:  # noqa: BLE001 - it is raised where each of them waits
                for place in (place for place in posts if not place.done()):
                    place.set_exception(error)
            else:
                for n, place in enumerate(reversed(posts)):
                    if not place.done():
                        place.set_result(last - n * self._gap)

    async def _slots(self, posts: int) -> float:
        return await self._server.run_beside_writer(
            lambda tx: queries.take_post_slots(tx, self._gap, BURST, posts)
        )


join_log = logging.getLogger(__name__)

# Seconds to wait for bots to go beside which this one can't run: a lease, or as long as a stop may take.
JOIN_TIMEOUT = 8.0
JOIN_INTERVAL = 0.25  # Seconds until it is tried again


async def join_replicas(
    server: Postgresql,
    mine: SharedSettings,
    lease: float,
    since_boot: Callable[[], float],
    *,
    rejoining: bool,
) -> tuple[str, float]:
    """Be there for `lease` seconds; returns the name that it has there, and when that began by the clock
    since boot. `again`: it was there, and was taken for dead. Raises StoreError where bots stay beside which
    it can't run.
    """
    until, told = since_boot() + JOIN_TIMEOUT, False
    while True:
        name, began, tag = token_hex(8), since_boot(), server.application_name
        why = await server.run_beside_writer(
            partial(queries.insert_replica, name=name, mine=mine, tag=tag, lease=lease, rejoining=rejoining)
        )
        if not why:
            return name, began
        if began > until:
            raise StoreError(why)
        if not told:
            join_log.warning("%s (waiting %.0f s for them to go)", why, JOIN_TIMEOUT)
        told = True
        await asyncio.sleep(JOIN_INTERVAL)


async def describe_old_schema(server: Postgresql) -> str:
    """That the tables are an older version's, in one line; empty where they are not, or it does not say."""
    with suppress(Exception):
        return await server.run_beside_writer(describe_outdated_tables)
    return ""


def read_boot_clock() -> float:
    """Seconds by a clock that goes on while the machine sleeps, as those of the others do.

    Linux stops its monotonic one meanwhile: a bot that woke up would take its chats for its own for as long
    as it had slept. Where there is no other clock, that one.
    """
    number = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if number is None else time.clock_gettime(number)


log = logging.getLogger(__name__)

LEASE, BEAT, MARGIN = 3.0, 0.6, 0.8
LOOK = 0.25
# Chats, updates and requests that one look takes; where there are more, the next one follows at once.
MAX_TAKEN = 2000
RELEASE_AFTER = 90.0
MEMORY_TIME = 30.0  # Seconds for which it is known that a request was seen to: longer than any look takes
TIDY_INTERVAL = 10.0  # Seconds between two looks for chats to let go
# A bot that serves so many times what each does on the average, and more than these few chats, leaves new
# ones to others for a moment.
OVERLOAD_FACTOR, FEW_LANES = 1.25, 4
LEAVE_TIMEOUT = 2.0  # Seconds that saying good-bye may take


class Replica:
    """The claims of one bot of several on `server`, which shows the others that it is `mine`."""

    shared = True

    def __init__(self, server: Postgresql, mine: SharedSettings, pace: Pace) -> None:
        self._server, self._mine = server, mine
        self._monotonic, self._since_boot = time.monotonic, read_boot_clock
        self._pace = SharedPace(server, pace)
        self._inbox: Inbox | None = None
        self._outbox: Outbox | None = None
        self._contact: TelegramContact | None = None
        self._name = ""
        """Empty as long as it is not there, or was buried."""
        self._said = 0.0
        """When it last said that it is there, in seconds since the machine booted."""
        self._until = 0.0
        """Up to when nobody can have buried it, by the same clock."""
        self._tokens: dict[int, int] = {}
        self._used: dict[int, float] = {}
        """When something last happened in a chat of its own."""
        self._unsure = False
        """Whether claims may be stored of which it does not know, or may not be of which it does."""
        self._first: Collection[int] = ()
        """Chats claimed by a look that left all their requests to the next."""
        self._lead = Leadership()
        self._stale = False
        """Whether it was buried, and its connections with it, and has them still."""
        self._silent = False
        """Whether it was said that others can't be told that it is there."""
        self._buries = 0.0
        """From when on it buries others: after the database was gone they need a moment to speak again."""
        self.notifications = WorkNotifications(server)
        self._tidied, self.backlog = 0.0, 0

    def connect(self, inbox: Inbox, outbox: Outbox, contact: TelegramContact | None = None) -> None:
        """Hand what waits in its chats to these; `contact` knows whether Telegram answers."""
        self._inbox, self._outbox, self._contact = inbox, outbox, contact

    # Claims

    def owns(self, lane: int) -> bool:
        """Whether the chat is this bot's, as far as it knows."""
        return lane in self._tokens

    def surely_owns(self, lane: int) -> bool:
        """Whether nobody else can have taken the chat by now, whatever this bot knows."""
        return lane in self._tokens and self._since_boot() < self._until

    def get_token(self, lane: int) -> int:
        """The token of its claim; 0 where it has none."""
        return self._tokens.get(lane, 0)

    def check_token(self, tx: Tx, lane: int, token: int) -> None:
        """Let nobody take the chat until `tx` is over. Raises LaneLostError if one did since that `token`."""
        if tx.scalar(queries.SELECT_TOKEN, {"lane": lane, "owner": self._name}) != token:
            if self._tokens.get(lane) == token:
                del self._tokens[lane]
            self._unsure = True
            raise LaneLostError
        self._used[lane] = self._monotonic()

    def check_leader(self, tx: Tx) -> None:
        """The same of what one bot does for all."""
        self._lead.check_leader(tx, self._name)

    def load_waiting_updates(self, tx: Tx, lanes: Collection[int]) -> list[QueuedUpdate]:
        """What waits in those of the chats that are this bot's: others may have stored some of it."""
        mine = [lane for lane in lanes if lane in self._tokens]
        return load_waiting_updates(tx, mine) if mine else []

    def notify_others(self) -> None:
        """Something was stored that another bot may have to see to; so may this one, where nobody does."""
        self.notifications.notify_all()

    async def wait_for_slot(self) -> None:
        """Wait until one more post may go to Telegram, of all that bots on this database send."""
        await self._pace.wait_for_slot()

    async def run_while_leader(self, part: Callable[[], Awaitable[None]]) -> None:
        """Run `part` whenever this bot leads, and stop it when it doesn't any more. Raises as `part`."""
        await self._lead.run_while_leader(part)

    # Being there

    async def join(self, *, rejoining: bool = False) -> None:
        """Be there, once nobody is any more beside whom it can't run. Raises StoreError where some stay."""
        self._name, began = await join_replicas(
            self._server, self._mine, LEASE, self._since_boot, rejoining=rejoining
        )
        self._lasts(began)

    async def choose_secret(self) -> int:
        """Which of the webhook's secrets Telegram is to be told: the first that all bots take."""
        told = await self._server.run_beside_writer(queries.load_chosen_secret)
        return self._mine.secret_digests.index(told) if told in self._mine.secret_digests else 0

    async def keep_lease(self) -> None:
        """Say again and again that it is there, and lead where nobody does, until that is cancelled."""
        while True:
            try:
                await self._stay()
            except Exception as error:
                why = (
                    describe_error(error)
                    if is_database_failure(error)
                    else await describe_old_schema(self._server)
                )
                if not why:
                    raise
                if not self._silent:  # once for as long as it lasts
                    log.warning("other bots can't be told that this one is there: %s", why)
                self._silent = True
            await asyncio.sleep(LOOK)

    async def _stay(self) -> None:
        watch = await self._server.open_dedicated_connection()
        self._unsure = True  # a server that crashed may have lost claims: none is synced at once
        try:
            await self.notifications.listen(watch)
            while True:
                await self._beat(watch)
                for step in (self._bury, self._hear, self._seek_the_lead):
                    if self._name:
                        await step(watch)
                    if self._name and self._since_boot() > self._said + BEAT:
                        await self._beat(watch)  # the database may be far away, and each step takes long then
                await asyncio.sleep(BEAT)
        finally:
            await watch.close()

    async def _beat(self, watch: DedicatedConnection) -> None:
        began = self._since_boot()
        if self._name and (why := await self._hindrance(watch)):
            await self._make_room(watch, why)
        if not self._name or not await self._is_there(watch):
            await self._buried(watch)
            if not await self._server.is_reachable() or not (
                self._contact is None or self._contact.is_back()
            ):
                return  # others serve its chats
            began = self._since_boot()
            await self.join(rejoining=True)
        if began > self._until + MARGIN:
            self._buries = self._since_boot() + LEASE
        self._lasts(began)
        if self._silent:
            log.info("other bots are told again that this one is there")
        self._silent = False

    async def _bury(self, watch: DedicatedConnection) -> None:
        due = self._since_boot() >= self._buries
        if due and (buried := await watch.run(lambda tx: queries.delete_expired_replicas(tx, LEASE))):
            report_expired_replicas(buried, LEASE)
            self.notifications.wake()

    async def _hear(self, watch: DedicatedConnection) -> None:
        if self._contact is not None:
            await self._contact.exchange_news(watch, self._name, leads=self._lead.token is not None)

    async def _seek_the_lead(self, watch: DedicatedConnection) -> None:
        await self._lead.update_lead(watch, self._name, lambda: self._until - self._since_boot())

    async def _is_there(self, watch: DedicatedConnection) -> bool:
        ago = NEVER_ANSWERED if self._contact is None else self._contact.answer_age
        return await watch.run(lambda tx: queries.renew_lease(tx, self._name, len(self._tokens), LEASE, ago))

    def _lasts(self, began: float) -> None:
        """It was there at `began`. Once that may be over, it leads no more."""
        self._said, self._until = began, began + LEASE - MARGIN
        self._lead.set_expiry(self._until - self._since_boot())

    async def _buried(self, watch: DedicatedConnection) -> None:
        if self._name:
            log.warning("this bot was taken for dead; its %d chats are others' now", len(self._tokens))
            self._stale = True
        self._name = ""
        self._tokens.clear()
        self._used.clear()
        self._first = ()
        if self._inbox is not None and self._outbox is not None:
            self._inbox.abandon()
            self._outbox.abandon()
        self._lead.lose_lead()
        if self._stale:
            await self._server.reconnect_all(watch)
            self._stale = False

    async def _hindrance(self, watch: DedicatedConnection) -> str:
        """Why it can do nothing but say that it is there; empty where it can."""
        if self._server.get_disconnected_seconds() > LEASE and not await self._server.is_reachable(BEAT):
            return "the database gives this bot no connection"
        cut_off = self._contact and await self._contact.is_cut_off(watch, self._name)
        return "Telegram answers other bots, and not this one" if cut_off else ""

    async def _make_room(self, watch: DedicatedConnection, why: str) -> None:
        """Let others do what it can't."""
        log.warning("%s; it leaves its %d chats to others until it does", why, len(self._tokens))
        self._lead.stop_leading()
        name, self._name = self._name, ""
        await watch.run(lambda tx: queries.delete_replica(tx, name, WORK_CHANNEL))

    async def leave(self) -> None:
        """Say good-bye: others take over at once."""
        self.notifications.stop()
        self._lead.cancel_expiry()
        name, self._name = self._name, ""
        self._tokens.clear()
        if name:
            with suppress(Exception):  # else its time is over soon
                async with asyncio.timeout(LEAVE_TIMEOUT):
                    await self._server.run_beside_writer(
                        lambda tx: queries.delete_replica(tx, name, WORK_CHANNEL)
                    )

    # What waits

    async def take_work(self) -> None:
        """Claim chats and take up what waits in them, for as long as that isn't cancelled."""
        full = 0.0  # when it last took its share also of what is new: others may be there that don't work yet
        while True:
            hinted = await self.notifications.wait(within=LOOK) and self._monotonic() - full < LOOK
            if not hinted:
                full = self._monotonic()
            if self._name and self._since_boot() < self._until:
                try:
                    await self._look(self._name, hinted=hinted)
                except Exception as error:  # noqa: BLE001 - the next look sees all that this one did not
                    self._unsure = True
                    if not is_database_failure(error):
                        logs.log_unexpected_error(log, "what waits could not be looked at", error)
            await asyncio.sleep(MIN_PAUSE)

    async def _look(self, name: str, *, hinted: bool) -> None:
        inbox, outbox = self._inbox, self._outbox
        if inbox is None or outbox is None:
            return
        claimed = await self._claimed(name, hinted=hinted)
        outbox.abandon(claimed)  # what waits from when they were its own before, another bot may have sent
        accepted, stored = await self._server.run_beside_writer(lambda tx: queries.load_waiting_ids(tx, name))
        mine = self._tokens.keys() | claimed.keys()
        updates = [number for number, lane in accepted if lane in mine and not inbox.has_update(number)]
        requests = [one for one in stored if one[1] in mine and not outbox.has_request(one[0])]
        now, later = requests[:MAX_TAKEN], {lane for _, lane in requests[MAX_TAKEN:]}
        if claimed or updates or requests:
            lanes, numbers = list(claimed), [number for number, _ in now]
            came, go, sent, here = await self._server.run_beside_writer(
                lambda tx: (
                    *queries.load_waiting_rows(tx, updates[:MAX_TAKEN], numbers),
                    *((load_recent_posts(tx, lanes), read_server_time(tx, 0.0)) if lanes else ([], 0.0)),
                )
            )
            if name != self._name:
                return  # it was buried meanwhile
            self._tokens |= claimed
            self._used |= dict.fromkeys(claimed, self._monotonic())
            new = {*claimed, *self._first}
            outbox.restore_recent_posts(sent, [request for request in go if request.lane in new], here)
            self._first = new & later - {lane for _, lane in now}
            outbox.enqueue_backlog(go, later)  # before updates run: what they cause is newer
            await inbox.enqueue_backlog(came)
            if later or len(updates) > MAX_TAKEN or len(claimed) == MAX_TAKEN:
                self.notifications.wake()
        else:
            outbox.enqueue_backlog(())
        if self._monotonic() - self._tidied > TIDY_INTERVAL:
            outbox.forget_request_ids(self._monotonic() - MEMORY_TIME)
            await self._tidy(name)

    async def _claimed(self, name: str, *, hinted: bool) -> dict[int, int]:
        """The chats that are its own from now on, with their tokens."""
        if self._unsure and (found := await self._found(name)):
            return found
        if hinted and len(self._tokens) > FEW_LANES:
            has, average = await self._server.run_beside_writer(
                lambda tx: queries.count_leased_lanes(tx, name)
            )
            if has > OVERLOAD_FACTOR * average:
                return {}
        token = randbits(62)
        claimed = await self._server.run_beside_writer(
            lambda tx: queries.lease_lanes(tx, name, token, MAX_TAKEN)
        )
        return dict.fromkeys(claimed, token)

    async def _found(self, name: str) -> dict[int, int]:
        """Chats that are its own without its knowledge, up to so many; those that aren't are let go."""
        self._unsure = False
        known = await self._server.run_beside_writer(lambda tx: queries.load_lease_tokens(tx, name))
        if name != self._name:
            return {}  # it was buried meanwhile
        for lane in [lane for lane, token in self._tokens.items() if known.get(lane) != token]:
            del self._tokens[lane]
        found = [(lane, token) for lane, token in known.items() if lane not in self._tokens]
        self._unsure |= len(found) > MAX_TAKEN
        return dict(found[:MAX_TAKEN])

    async def _tidy(self, name: str) -> None:
        """Let go of chats in which nothing happens, and see how much waits in all."""
        self._tidied = now = self._monotonic()
        inbox, outbox = self._inbox, self._outbox
        unused = [lane for lane in self._tokens if now - self._used.get(lane, 0.0) > RELEASE_AFTER]
        idle = [e for e in unused if inbox and outbox and not inbox.has_lane(e) and outbox.is_lane_over(e)]
        for lane in idle:
            del self._tokens[lane]
            self._used.pop(lane, None)
        if idle:
            await self._server.run_beside_writer(lambda tx: queries.release_lanes(tx, name, idle))
        self.backlog = await self._server.run_beside_writer(queries.count_waiting_updates)


RENEWAL_PART = "being there"


async def keep_lease_until_closed(
    claims: Replica, stack: AsyncExitStack, ends: FatalErrors
) -> dict[str, Part]:
    """Be there, and say so from now on until `stack` has closed all that is put on it after this.

    Else others would take over what it is still finishing, or bury it while it starts. Returns the part that
    ends where that does. Raises StoreError where bots are beside which this one can't run.
    """
    await claims.join()
    staying = asyncio.create_task(keep_running(RENEWAL_PART, claims.keep_lease, ends))

    async def leave() -> None:
        staying.cancel()
        await asyncio.wait({staying}, timeout=LEAVE_TIMEOUT)
        await claims.leave()

    stack.push_async_callback(leave)
    return {RENEWAL_PART: lambda: asyncio.shield(staying)}
