"""One bot of several: it renews its lease, leases chats, handles what waits in them, and may lead.

A lease ends `LEASE_SECONDS` after it was renewed, which happens every `RENEWAL_INTERVAL` seconds. Any other
bot deletes an expired one, and everything leased by it is free (see `queries`). So a bot that can't reach the
database sends nothing from `LEASE_MARGIN` seconds before others may take over.

What is stored for a chat is queued by the bot that leases it: at once if that bot has stored it itself, else
within `LOOK_INTERVAL` seconds, or sooner after a notification. Free chats are shared out evenly; one in which
nothing happens for `RELEASE_AFTER` seconds is released.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection
from contextlib import AsyncExitStack, suppress
from functools import partial
from secrets import randbits, token_hex

from bot import logs, metrics
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
from bot.queue.change_notifier import ChangeNotifier
from bot.queue.inbox import Inbox
from bot.queue.outbox import Outbox
from bot.queue.queries import (
    LaneLostError,
    Leases,
    QueuedRequest,
    QueuedUpdate,
    SentPost,
    load_recent_posts,
    load_waiting_updates,
)
from bot.queue.replicas import queries
from bot.queue.replicas.settings_comparison import SharedSettings
from bot.queue.replicas.telegram_contact import NEVER_ANSWERED, TelegramContact
from bot.queue.updates import read_uptime
from bot.supervision import FatalErrors, Part, keep_running

log = logging.getLogger(__name__)


# The lead


class Leadership:
    """Takes and gives up the lead, and runs the leader's parts; ends with the bot's lease.

    The leader polls, runs timers and clears away for all bots.
    """

    def __init__(self) -> None:
        self.token: int | None = None  # names this bot's lead in the database; None unless it leads
        self._leads = asyncio.Event()  # set while this bot leads
        self._follows = asyncio.Event()  # set while `_leads` is not
        self._follows.set()
        # Calls of `run_while_leader` in progress. A bot without any, at its start and stop, does not lead.
        self._part_count = 0
        self._expiry: asyncio.TimerHandle | None = None  # loses the lead when the lease is over

    def check_leader(self, tx: Tx, name: str) -> None:
        """Keep other bots from leading until `tx` ends. Raises LaneLostError if this bot does not lead."""
        token = tx.scalar(queries.SELECT_TOKEN_FOR_SHARE, {"lane": queries.LEADER_LANE, "owner": name})
        if token is None or token != self.token:
            raise LaneLostError

    async def run_while_leader(self, part: Callable[[], Awaitable[None]]) -> None:
        """Run `part` while this bot leads, until it returns; restart it with each lead. Raises as `part`."""
        self._part_count += 1
        try:
            while True:
                await self._leads.wait()
                running = asyncio.ensure_future(part())
                loss = asyncio.create_task(self._follows.wait())
                try:
                    await asyncio.wait({running, loss}, return_when=asyncio.FIRST_COMPLETED)
                    if running.done():  # else the lead is lost: cancel the part until the next lead
                        return running.result()
                finally:
                    loss.cancel()
                    running.cancel()
                    await asyncio.gather(running, loss, return_exceptions=True)
        finally:
            self._part_count -= 1

    async def update_lead(
        self, connection: DedicatedConnection, name: str, get_lease_seconds: Callable[[], float]
    ) -> None:
        """Take the lead if nobody has it, notice if another bot does, release it if no part is to run."""
        token = self.token
        if token is not None:
            still_leads = await connection.run(lambda tx: queries.is_leader(tx, name, token))
            if not still_leads:
                self.lose_lead()  # the server forgot in a crash that this bot led
        if self._part_count and self.token is None:
            new_token = randbits(62)
            if await connection.run(lambda tx: queries.take_lead(tx, name, new_token)):
                self.start_leading(new_token)
                self.set_expiry(get_lease_seconds())  # which may be over by now
                metrics.TAKEOVERS.labels("lead").inc()
        elif not self._part_count and self.token is not None:
            self.stop_leading()
            await connection.run(lambda tx: queries.release_lead(tx, name))

    def start_leading(self, token: int) -> None:
        """Start the parts, under this new token of the lead."""
        log.info(
            "this bot leads: it runs timers and cleanups for all, and fetches updates if there is no webhook"
        )
        self.token = token
        self._follows.clear()
        self._leads.set()

    def set_expiry(self, seconds: float) -> None:
        """Lose the lead after so many seconds, unless this is called again before."""
        self.cancel_expiry()
        self._expiry = asyncio.get_running_loop().call_later(max(0.0, seconds), self.lose_lead)

    def cancel_expiry(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()

    def lose_lead(self) -> None:
        """Cancel the parts because the lease ran out; log that, unless another bot led."""
        if self.token is not None:
            log.warning("this bot no longer leads: it could not renew its lease")
        self.stop_leading()

    def stop_leading(self) -> None:
        """Cancel the parts."""
        self.token = None
        self._leads.clear()
        self._follows.set()  # `run_while_leader` waits for it


# Notifications

WORK_CHANNEL = "twentyfour"
CHANGED_CHANNEL = "twentyfour_boards"
LEFT_CHANNEL = "twentyfour_left"
# Seconds for which a notification waits for others, and between two looks for work.
MIN_PAUSE = 0.01
MAX_NAMED = 200  # Chats, or people with their chats, that one notification names: it has 8000 bytes at most


class Notifications:
    """Tells other bots of stored work and changes, many at once, and receives what they tell.

    Any notification may get lost: every bot also looks by itself.
    """

    def __init__(self, server: Postgresql) -> None:
        self._server = server
        self._changes: ChangeNotifier | None = None
        self._work_is_waiting = asyncio.Event()
        # By channel, what others must still be told: the keys of a dict, as a set in order
        self._pending: dict[str, dict[str, None]] = {}
        self._sending: asyncio.Task[None] | None = None

    def forward(self, changes: ChangeNotifier) -> None:
        """Notify other bots of this bot's changes from now on, and wake subscribers here after theirs."""
        self._changes = changes
        changes.is_watched = True
        changes.forward_change = lambda lane: self._notify(CHANGED_CHANNEL, str(lane))
        changes.forward_departure = lambda chat, player: self._notify(LEFT_CHANNEL, f"{chat}:{player}")

    async def listen(self, connection: DedicatedConnection) -> None:
        """Receive notifications as long as the connection lasts."""
        await connection.listen(WORK_CHANNEL, lambda _: self.wake())
        if self._changes is not None:
            await connection.listen(CHANGED_CHANNEL, self._receive_changes)
            await connection.listen(LEFT_CHANNEL, self._receive_departures)

    def wake(self) -> None:
        """End `wait_for_work` at once, now or when it is called next."""
        self._work_is_waiting.set()

    async def wait_for_work(self, timeout: float) -> bool:  # noqa: ASYNC109 - its end is no error
        """Wait until `wake` was called since the last time, or for so many seconds; return whether it was."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._work_is_waiting.wait()
        is_waiting = self._work_is_waiting.is_set()
        self._work_is_waiting.clear()
        return is_waiting

    def notify_work(self) -> None:
        """Wake this bot, and soon after the others: something was stored."""
        self.wake()
        self._notify(WORK_CHANNEL, "")

    def _notify(self, channel: str, item: str) -> None:
        """Queue a chat or a departure for a channel, and start to send what is queued."""
        self._pending.setdefault(channel, {})[item] = None  # a dict as an ordered set
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())

    def stop(self) -> None:
        if self._sending is not None:
            self._sending.cancel()

    def _receive_changes(self, payload: str) -> None:
        """Wake the subscribers of the chats, whose ids are separated by commas."""
        for lane in payload.split(","):
            if self._changes is not None:
                self._changes.wake_chat(int(lane))

    def _receive_departures(self, payload: str) -> None:
        """Report each departure, `chat:player`, of those separated by commas."""
        for pair in payload.split(","):
            chat_id, _, player_id = pair.partition(":")
            if self._changes is not None:
                self._changes.on_departure(int(chat_id), int(player_id))

    async def _send(self) -> None:
        """Send what is queued after a short pause, together; ignore errors, and go on if more was queued."""
        await asyncio.sleep(MIN_PAUSE)
        pending = self._pending
        self._pending = {}
        payloads = list[tuple[str, str]]()
        for channel, items in pending.items():
            names = list(items)
            while names:
                payloads.append((channel, ",".join(names[:MAX_NAMED])))
                names = names[MAX_NAMED:]
        with suppress(Exception):  # other bots look for work all the same
            await self._server.run_beside_writer(partial(queries.notify_all, payloads=payloads))
        if self._pending:
            self._sending = asyncio.create_task(self._send())


LEASE_SECONDS = 3.0
RENEWAL_INTERVAL = 0.6  # seconds
LEASE_MARGIN = 0.8  # seconds
LOOK_INTERVAL = 0.25  # seconds between two looks for work, unless a notification comes
MAX_LEASED_AT_ONCE = 300  # chats that one look leases; if there are more, the next look follows at once
RELEASE_AFTER = 90.0  # seconds
TIDY_INTERVAL = 10.0  # seconds between two searches for chats to release
REQUEST_MEMORY_SECONDS = 30.0  # for which a handled request is remembered: longer than a look takes
# A bot that has so many times the average number of chats, and more than these few, leaves new ones to others
# for a moment.
OVERLOAD_FACTOR = 1.25
FEW_LANES = 4
# Seconds to wait for bots to go beside which this one can't run: a lease, or as long as a stop may take.
JOIN_TIMEOUT = 8.0
JOIN_INTERVAL = 0.25  # seconds between two attempts to join
LEAVE_TIMEOUT = 2.0  # seconds that leaving may take


class Replica(Leases):
    """The leases of one bot of several on `server`, to which it shows its settings."""

    shared = True

    def __init__(self, server: Postgresql, settings: SharedSettings) -> None:
        self._server = server
        self._settings = settings
        self._monotonic = time.monotonic
        self._read_uptime = read_uptime
        self._inbox: Inbox | None = None
        self._outbox: Outbox | None = None
        self._contact: TelegramContact | None = None
        self._lead = Leadership()
        self.notifications = Notifications(server)
        self.backlog = 0  # updates that wait for any bot, when last counted
        self._name = ""  # in the database; "" while it has no lease
        self._renewed_at = 0.0  # by `read_uptime`
        self._valid_until = 0.0  # up to when nobody can have taken over, by `read_uptime`
        self._tokens: dict[int, int] = {}  # of its chats
        self._used_at: dict[int, float] = {}  # when something last happened in a chat of its own
        # Whether the database may know leases of this bot that it does not, or lack some that it believes in.
        self._must_reload_leases = False
        self._must_reconnect = False  # whether others have ended its connections
        self._has_warned = False  # that the lease can't be renewed
        # When it starts to delete expired leases: after an outage of the database others need a moment.
        self._may_delete_from = 0.0
        self._tidied_at = 0.0

    def connect(self, inbox: Inbox, outbox: Outbox, contact: TelegramContact | None = None) -> None:
        """Queue what waits in these; `contact` knows whether Telegram answers."""
        self._inbox = inbox
        self._outbox = outbox
        self._contact = contact

    def owns(self, lane: int) -> bool:
        return lane in self._tokens

    def surely_owns(self, lane: int) -> bool:
        return lane in self._tokens and self._read_uptime() < self._valid_until

    def get_token(self, lane: int) -> int:
        return self._tokens.get(lane, 0)

    def check_token(self, tx: Tx, lane: int, token: int) -> None:
        """Lock the lease until `tx` ends; forget it and raise LaneLostError if it is another bot's."""
        stored_token = tx.scalar(queries.SELECT_TOKEN_FOR_SHARE, {"lane": lane, "owner": self._name})
        if stored_token != token:
            if self._tokens.get(lane) == token:
                del self._tokens[lane]
            self._must_reload_leases = True
            raise LaneLostError
        self._used_at[lane] = self._monotonic()

    def mark_done(self, tx: Tx, update: QueuedUpdate, now: float) -> bool:
        """Mark an update as handled, and its lane as used, in one statement.

        If that marks nothing, do as `Leases.mark_done`, which raises LaneLostError or returns False.
        """
        if queries.mark_leased_done(tx, update, self._name):
            self._used_at[update.lane] = self._monotonic()
            return True
        return super().mark_done(tx, update, now)  # finds out why not

    def check_leader(self, tx: Tx) -> None:
        self._lead.check_leader(tx, self._name)

    def load_waiting_updates(self, tx: Tx, lanes: Collection[int]) -> list[QueuedUpdate]:
        mine = [lane for lane in lanes if lane in self._tokens]
        return load_waiting_updates(tx, mine) if mine else []

    def notify_others(self) -> None:
        self.notifications.notify_work()

    async def run_while_leader(self, part: Callable[[], Awaitable[None]]) -> None:
        await self._lead.run_while_leader(part)

    async def load_secret_index(self) -> int:
        """Return the place, in this bot's settings, of the webhook secret that all bots agreed on; else 0."""
        agreed_digest = await self._server.run_beside_writer(queries.load_chosen_secret)
        own_digests = self._settings.secret_digests
        if agreed_digest in own_digests:
            return own_digests.index(agreed_digest)
        return 0

    async def join(self, *, rejoining: bool = False) -> None:
        """Take a lease, `rejoining` after a loss, once no conflicting bot is left; else raise StoreError."""
        until = self._read_uptime() + JOIN_TIMEOUT
        has_warned = False
        while True:
            name = token_hex(8)
            began = self._read_uptime()
            conflict = await self._insert_row(name, rejoining=rejoining)
            if not conflict:
                break
            if began > until:
                raise StoreError(conflict)
            if not has_warned:
                log.warning("%s (waiting %.0f s for them to go)", conflict, JOIN_TIMEOUT)
            has_warned = True
            await asyncio.sleep(JOIN_INTERVAL)
        self._name = name
        self._set_renewed(began)

    async def _insert_row(self, name: str, *, rejoining: bool) -> str:
        """Store this replica under `name` with a new lease; return the conflict in one line, "" if stored."""
        insert = partial(
            queries.insert_replica,
            name=name,
            mine=self._settings,
            tag=self._server.application_name,
            lease=LEASE_SECONDS,
            rejoining=rejoining,
        )
        return await self._server.run_beside_writer(insert)

    def _set_renewed(self, at: float) -> None:
        """Record that the lease was renewed at this time; the lead ends with it."""
        self._renewed_at = at
        self._valid_until = at + LEASE_SECONDS - LEASE_MARGIN
        self._lead.set_expiry(self._valid_until - self._read_uptime())

    async def keep_lease(self) -> None:
        """Renew the lease, and lead if nobody does, until cancelled. Survives failures of the database."""
        while True:
            try:
                await self._keep_lease_while_connected()
            except Exception as error:
                why = await self._explain_failure(error)
                if not why:
                    raise
                if not self._has_warned:
                    log.warning("other bots can't be told that this one is there: %s", why)
                self._has_warned = True
            await asyncio.sleep(LOOK_INTERVAL)

    async def _explain_failure(self, error: Exception) -> str:
        """Return why the database failed, or which tables are outdated; "" for an error of the bot itself."""
        if is_database_failure(error):
            return describe_error(error)
        with suppress(Exception):  # the server does not answer
            return await self._server.run_beside_writer(describe_outdated_tables)
        return ""

    async def _keep_lease_while_connected(self) -> None:
        """Listen, renew the lease, delete expired ones and update the lead regularly, until an error."""
        connection = await self._server.open_dedicated_connection()
        # A server that crashed may have lost leases: their commits are not synced.
        self._must_reload_leases = True
        try:
            await self.notifications.listen(connection)
            while True:
                await self._renew(connection)
                for step in (self._delete_expired, self._exchange_news, self._update_lead):
                    if self._name:
                        await step(connection)
                    if self._name and self._read_uptime() > self._renewed_at + RENEWAL_INTERVAL:
                        await self._renew(connection)  # each step takes long if the database is far away
                await asyncio.sleep(RENEWAL_INTERVAL)
        finally:
            await connection.close()

    async def _renew(self, connection: DedicatedConnection) -> None:
        """Renew the lease, or take a new one if it was lost; give it up while this bot can't work."""
        began = self._read_uptime()
        if self._name:
            await self._give_up_if_hindered(connection, self._name)
        if not await self._renew_stored_lease(connection):
            await self._handle_lost_lease(connection)
            if not await self._can_work_again():
                return  # others serve its chats
            began = self._read_uptime()
            await self.join(rejoining=True)
        if began > self._valid_until + LEASE_MARGIN:  # after an outage others' leases may look expired, too
            self._may_delete_from = self._read_uptime() + LEASE_SECONDS
        self._set_renewed(began)
        if self._has_warned:
            log.info("other bots are told again that this one is there")
        self._has_warned = False

    async def _renew_stored_lease(self, connection: DedicatedConnection) -> bool:
        """Renew the lease in the database; False if this bot has none, or another bot has deleted it."""
        if not self._name:
            return False
        age = NEVER_ANSWERED if self._contact is None else self._contact.answer_age
        served = len(self._tokens)
        return await connection.run(
            lambda tx: queries.renew_lease(tx, self._name, served, LEASE_SECONDS, age)
        )

    async def _can_work_again(self) -> bool:
        """Whether this bot reaches the database, and Telegram if it was cut off from it."""
        if not await self._server.is_reachable():
            return False
        return self._contact is None or self._contact.is_back()

    async def _give_up_if_hindered(self, connection: DedicatedConnection, name: str) -> None:
        """Delete this bot's lease and free its chats if it can't work, see `_find_hindrance`."""
        why = await self._find_hindrance(connection)
        if why:
            log.warning("%s; it leaves its %d chats to others until it does", why, len(self._tokens))
            self._lead.stop_leading()
            self._name = ""
            await connection.run(lambda tx: queries.delete_replica(tx, name, WORK_CHANNEL))

    async def _find_hindrance(self, connection: DedicatedConnection) -> str:
        """Return why this bot can do nothing but renew its lease; "" if it can work."""
        is_disconnected = self._server.get_disconnected_seconds() > LEASE_SECONDS
        if is_disconnected and not await self._server.is_reachable(within=RENEWAL_INTERVAL):
            return "the database gives this bot no connection"
        if self._contact and await self._contact.is_cut_off(connection, self._name):
            return "Telegram answers other bots, and not this one"
        return ""

    async def _handle_lost_lease(self, connection: DedicatedConnection) -> None:
        """Forget all chats and the lead, and reconnect if another bot has ended the connections."""
        if self._name:
            log.warning("this bot's lease has run out; other bots serve its %d chats now", len(self._tokens))
            self._must_reconnect = True
        self._name = ""
        self._tokens.clear()
        self._used_at.clear()
        if self._inbox is not None and self._outbox is not None:
            self._inbox.abandon()
            self._outbox.abandon()
        self._lead.lose_lead()
        if self._must_reconnect:
            await self._server.reconnect_all(connection)
            self._must_reconnect = False

    async def _delete_expired(self, connection: DedicatedConnection) -> None:
        """Delete other bots' expired leases, and look for work if there were any; wait after an outage."""
        if self._read_uptime() < self._may_delete_from:
            return
        count = await connection.run(lambda tx: queries.delete_expired_replicas(tx, LEASE_SECONDS))
        if count:
            metrics.TAKEOVERS.labels("bot").inc(count)
            log.info(
                "other bots (%d) were silent for %g s: their chats go to the remaining ones",
                count,
                LEASE_SECONDS,
            )
            self.notifications.wake()

    async def _exchange_news(self, connection: DedicatedConnection) -> None:
        if self._contact is not None:
            await self._contact.exchange_news(connection, self._name, leads=self._lead.token is not None)

    async def _update_lead(self, connection: DedicatedConnection) -> None:
        await self._lead.update_lead(connection, self._name, lambda: self._valid_until - self._read_uptime())

    async def leave(self) -> None:
        """Give up the lease, so that others take over at once; ignores errors."""
        self.notifications.stop()
        self._lead.cancel_expiry()
        name = self._name
        self._name = ""
        self._tokens.clear()
        if name:
            delete = partial(queries.delete_replica, name=name, channel=WORK_CHANNEL)
            with suppress(Exception):  # else the lease ends soon
                async with asyncio.timeout(LEAVE_TIMEOUT):
                    await self._server.run_beside_writer(delete)

    async def take_work(self) -> None:
        """Lease chats and queue what waits in them, regularly and after notifications, until cancelled."""
        full_look_at = 0.0  # when it last leased chats even if it had more than other bots
        while True:
            has_work = await self.notifications.wait_for_work(LOOK_INTERVAL)
            # In between it leaves the chats of a notification to bots that have fewer
            notified = has_work and self._monotonic() - full_look_at < LOOK_INTERVAL
            if not notified:
                full_look_at = self._monotonic()
            if self._name and self._read_uptime() < self._valid_until:
                try:
                    await self._queue_waiting(self._name, notified=notified)
                except Exception as error:  # noqa: BLE001 - the next look sees all that this one did not
                    self._must_reload_leases = True
                    if not is_database_failure(error):
                        logs.log_unexpected_error(log, "what waits could not be looked at", error)
            await asyncio.sleep(MIN_PAUSE)

    async def _queue_waiting(self, name: str, *, notified: bool) -> None:
        """Lease chats, and queue what waits in this bot's chats. From time to time release idle ones."""
        inbox = self._inbox
        outbox = self._outbox
        if inbox is None or outbox is None:
            return
        leased = await self._lease_lanes(name, notified=notified)
        outbox.abandon(leased)  # what it queued when it had the chat before, another bot may have sent
        update_ids, request_ids = await self._find_unqueued(name, leased, inbox, outbox)

        def load(tx: Tx) -> tuple[list[QueuedUpdate], list[QueuedRequest], list[SentPost], float]:
            updates, requests = queries.load_waiting_rows(tx, update_ids, request_ids)
            posts = load_recent_posts(tx, list(leased))
            return updates, requests, posts, read_server_time(tx, wall=0.0)  # several bots share the server

        if leased or update_ids or request_ids:
            new_updates, new_requests, posts, server_time = await self._server.run_beside_writer(load)
            if name != self._name:
                return  # the lease was lost meanwhile
            self._tokens |= leased  # from now on this bot serves them
            self._used_at |= dict.fromkeys(leased, self._monotonic())
            in_leased = [request for request in new_requests if request.lane in leased]
            outbox.restore_recent_posts(posts, in_leased, server_time)
            outbox.enqueue(new_requests)  # before updates run: what they cause is newer
            await inbox.enqueue_backlog(new_updates)
            if len(leased) == MAX_LEASED_AT_ONCE:  # there may be more
                self.notifications.wake()
        if self._monotonic() - self._tidied_at > TIDY_INTERVAL:
            outbox.forget_request_ids(self._monotonic() - REQUEST_MEMORY_SECONDS)
            await self._release_idle_lanes(name)

    async def _find_unqueued(
        self, name: str, leased: Collection[int], inbox: Inbox, outbox: Outbox
    ) -> tuple[list[int], list[int]]:
        """Return ids of updates and of requests that wait in own or `leased` chats and are not queued yet."""
        load_ids = partial(queries.load_waiting_ids, name=name)
        updates, requests = await self._server.run_beside_writer(load_ids)
        mine = {*self._tokens, *leased}
        update_ids = [update_id for update_id, lane in updates if lane in mine]
        request_ids = [request_id for request_id, lane in requests if lane in mine]
        return (
            [update_id for update_id in update_ids if not inbox.has_update(update_id)],
            [request_id for request_id in request_ids if not outbox.has_request(request_id)],
        )

    async def _lease_lanes(self, name: str, *, notified: bool) -> dict[int, int]:
        """Return chats to be added, with their tokens: those of leases unknown here, else newly leased ones.

        With `notified`, a bot with more chats than others leases none.
        """
        if self._must_reload_leases:
            unknown = await self._reload_leases(name)
            if unknown:
                return unknown
        if notified and len(self._tokens) > FEW_LANES:
            count_lanes = partial(queries.count_leased_lanes, name=name)
            own, average = await self._server.run_beside_writer(count_lanes)
            if own > OVERLOAD_FACTOR * average:
                return {}
        token = randbits(62)
        leased = await self._server.run_beside_writer(
            lambda tx: queries.lease_lanes(tx, name, token, MAX_LEASED_AT_ONCE)
        )
        return dict.fromkeys(leased, token)

    async def _reload_leases(self, name: str) -> dict[int, int]:
        """Forget chats that the database knows no lease of, and return leases that this bot did not know."""
        self._must_reload_leases = False
        stored = await self._server.run_beside_writer(lambda tx: queries.load_lease_tokens(tx, name))
        if name != self._name:
            return {}  # the lease was lost meanwhile
        lost = [lane for lane, token in self._tokens.items() if stored.get(lane) != token]
        for lane in lost:
            del self._tokens[lane]
        unknown = [(lane, token) for lane, token in stored.items() if lane not in self._tokens]
        if len(unknown) > MAX_LEASED_AT_ONCE:
            self._must_reload_leases = True  # the next look takes the rest
        return dict(unknown[:MAX_LEASED_AT_ONCE])

    async def _release_idle_lanes(self, name: str) -> None:
        """Release chats in which nothing happens, and count the updates that wait for any bot."""
        now = self._monotonic()
        self._tidied_at = now
        unused = [lane for lane in self._tokens if now - self._used_at.get(lane, 0.0) > RELEASE_AFTER]
        idle = [lane for lane in unused if self._is_idle(lane)]
        for lane in idle:
            del self._tokens[lane]
            self._used_at.pop(lane, None)
        if idle:
            await self._server.run_beside_writer(lambda tx: queries.release_lanes(tx, name, idle))
        self.backlog = await self._server.run_beside_writer(queries.count_waiting_updates)

    def _is_idle(self, lane: int) -> bool:
        """Whether nothing of the chat waits, is under way, or must be remembered; False before `connect`."""
        if self._inbox is None or self._outbox is None:
            return False
        return not self._inbox.has_lane(lane) and self._outbox.is_lane_over(lane)


RENEWAL_PART = "renewal of the lease"


async def keep_lease_until_closed(
    replica: Replica, stack: AsyncExitStack, fatal_errors: FatalErrors
) -> dict[str, Part]:
    """Join, and keep the lease until `stack` has closed everything that is put on it after this.

    So nobody takes over what this bot still starts or finishes. `stack` then leaves. Returns a part, by its
    name, that ends when the renewal fails. Raises StoreError if this bot can't run beside others.
    """
    await replica.join()
    renewal = asyncio.create_task(keep_running(RENEWAL_PART, replica.keep_lease, fatal_errors))

    async def leave() -> None:
        renewal.cancel()
        await asyncio.wait({renewal}, timeout=LEAVE_TIMEOUT)
        await replica.leave()

    stack.push_async_callback(leave)
    return {RENEWAL_PART: lambda: asyncio.shield(renewal)}
