"""A group's table of the day: posted on request or by schedule, and edited as its members solve the hand.

Its button links to the private chat. The link's payload names the group and is signed, so it can't be forged.
Players who follow it are listed in the table if they are members of that group.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any

from bot.admin import topics
from bot.database import Store, Tx
from bot.durations import MINUTE
from bot.i18n import Html, get_words, make_mention
from bot.modes.daily import queries, rules, subscribers, view
from bot.modes.daily.queries import TableMessage
from bot.modes.daily.rules import Attempt
from bot.queue import scheduled_posts
from bot.queue.queries import DRAWN_POST_PREFIX
from bot.queue.scheduled_posts import ScheduledPost
from bot.queue.timers import TimedTask, TimerContext
from bot.telegram.context import Context
from bot.telegram.messages import Keyboard, Link, Request, edit_message, post_message
from bot.telegram.routes import DeliveredRequest, LostMessage, Routes

REQUESTED_RECEIPT = "daily"  # The kind of receipt of a table that a player requested
METHOD = f"{DRAWN_POST_PREFIX}daily table"
FINAL_EDITS = "tables of the day"  # The name of the timed task that edits tables of expired days


@dataclass(frozen=True, slots=True)
class GroupLinks:
    """Make and read the signed payloads that name a group in a deep link to the bot."""

    username: str  # The bot's username
    secret: str  # The key of the signatures

    def make_payload(self, chat_id: int) -> str:
        """Return the group's id with its signature, in URL-safe base64."""
        number = chat_id.to_bytes(8, "big", signed=True)
        return urlsafe_b64encode(number + self._sign(number)).decode().rstrip("=")

    def read_payload(self, payload: str) -> int | None:
        """Return the group's id; None if the payload is malformed or its signature is wrong."""
        try:
            raw = urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
        except (Base64Error, ValueError):
            return None
        number, signature = raw[:8], raw[8:]
        if not hmac.compare_digest(signature, self._sign(number)):
            return None
        return int.from_bytes(number, "big", signed=True)

    def _sign(self, number: bytes) -> bytes:
        return hmac.digest(f"daily {self.secret}".encode(), number, sha256)[:10]


def get_group_links(context: Context) -> GroupLinks:
    """Return the links of this bot, signed with its token."""
    me, token = context.services.me, context.services.settings.token
    return GroupLinks(str(me.username), str(token or me.id))


async def find_linked_group(context: Context) -> int | None:
    """Return the group that the followed link names; None if the player is not a member of it."""
    group = get_group_links(context).read_payload(context.argument)
    if group is None or context.player is None:
        return None
    return group if await context.is_member(group, context.player.id) else None


# Requested tables


def make_table_message(context: Context, tx: Tx, game: str) -> list[Request]:
    """Post the group's table of today in a game, with a link to the hand."""
    day = rules.make_day_key(rules.format_utc_date(context.sent_at), game)
    table = TableMessage(day, context.chat.id, 0, context.words.language)
    text, keyboard = _render_table_with_link(tx, get_group_links(context), table, context.sent_at)
    about = f"{REQUESTED_RECEIPT}:{day}:{context.chat.id}:{context.words.language}"
    return [context.reply(text, keyboard=keyboard, about=about)]


def _store_requested_table(tx: Tx, request: DeliveredRequest) -> None:
    _, day, chat_id, language = request.about.split(":")
    message_id = int(request.result["message_id"])
    queries.store_table_message(tx, TableMessage(day, int(chat_id), message_id, language))


def _forget_lost_table(tx: Tx, message: LostMessage) -> bool:
    if not message.about:
        queries.delete_table_message(tx, message.chat_id, message.message_id)
    return False


# Edits


def redraw_tables(context: Context, tx: Tx, attempt: Attempt) -> list[Request]:
    """Edit the tables of all groups that list the attempt."""
    return make_table_edits(tx, get_group_links(context), attempt, context.sent_at)


def make_table_edits(tx: Tx, links: GroupLinks, attempt: Attempt, now: float) -> list[Request]:
    """Edit the tables of all groups that list the attempt; those of an expired day have no link."""
    tables = queries.load_table_messages(tx, attempt.day, attempt.player_id)
    if rules.is_day_expired(attempt.day, now):
        return _make_edits_without_link(tx, tables, now)
    return [
        edit_message(table.chat_id, table.message_id, *_render_table_with_link(tx, links, table, now))
        for table in tables
    ]


def _make_edits_without_link(tx: Tx, tables: Sequence[TableMessage], now: float) -> list[Request]:
    return [edit_message(table.chat_id, table.message_id, _render_table(tx, table, now)) for table in tables]


def _render_table_with_link(
    tx: Tx, links: GroupLinks, table: TableMessage, now: float
) -> tuple[Html, Keyboard]:
    payload = f"{view.get_day_link_prefix(table.day)}_{links.make_payload(table.chat_id)}"
    keyboard = _make_link_keyboard(table.language, view.make_deep_link(links.username, payload))
    return _render_table(tx, table, now), keyboard


def _make_link_keyboard(language: str, link: Link) -> Keyboard:
    return [[(get_words(language).translate_plain("Solve today’s hand"), link)]]


def _render_table(tx: Tx, table: TableMessage, now: float) -> Html:
    attempts = queries.load_seated_attempts(tx, table.day, table.chat_id)
    players = [attempt.player_id for attempt in attempts]
    streaks = {player: queries.load_streak(tx, player, table.day) for player in players}
    names = {player: make_mention(player) for player in players}
    return view.render_group_table(get_words(table.language), table.day, attempts, names, streaks, now)


async def _edit_ended_tables(timer: TimerContext, now: float) -> bool:
    """Edit a batch of tables of expired days a last time, without links; False if there are more."""
    after = timer.progress.get(FINAL_EDITS, ("", 0))
    tables = await timer.store.read(
        lambda tx: queries.load_ended_tables(tx, now, after, scheduled_posts.CLAIM_LIMIT)
    )
    for table in tables:
        await timer.run_effect(partial(_make_edits_without_link, tables=[table], now=now))
    if len(tables) == scheduled_posts.CLAIM_LIMIT:
        timer.progress[FINAL_EDITS] = tables[-1].day, tables[-1].chat_id
        return False
    timer.progress.pop(FINAL_EDITS, None)
    await timer.store.write(lambda tx: queries.mark_ended_tables_drawn(tx, now))
    return True


# Scheduled tables


async def _claim_due_tables(timer: TimerContext, _: float) -> bool:
    """Claim the tables of a batch of groups that are due them; False if there may be more."""
    now, links = timer.inbox.now(), GroupLinks(timer.username, timer.secret)
    find_due = partial(subscribers.find_groups_due_a_table, now=now)
    claim = partial(_claim_table, now=now, links=links)
    return await scheduled_posts.claim_batch(timer, now, find_due, claim)


def _claim_table(tx: Tx, chat_id: int, now: float, links: GroupLinks) -> list[Request]:
    day = subscribers.get_due_table_day(tx, chat_id, now)
    post = scheduled_posts.claim_post(tx, chat_id, subscribers.TABLE_KIND, day, now) if day else None
    if post is None:
        return []
    return [post.make_request(METHOD, username=links.username, payload=links.make_payload(chat_id))]


async def _render_scheduled_table(store: Store, body: dict[str, Any], now: float) -> dict[str, Any] | None:
    """Render a claimed table when it is sent; release the claim and return None if it is no longer due."""
    post, params = scheduled_posts.read_post(subscribers.TABLE_KIND, body), body["params"]
    link = view.make_deep_link(params["username"], f"{view.get_link_prefix('')}_{params['payload']}")

    def render_if_due(tx: Tx) -> dict[str, Any] | None:
        is_due = subscribers.get_due_table_day(tx, post.chat_id, now) == post.period
        # A table that may have arrived is rendered too: if it is found in the chat, that message is stored.
        if is_due and (scheduled_posts.is_being_checked(body) or scheduled_posts.is_waiting(tx, post)):
            return _make_scheduled_table(tx, post, link, now)
        return None

    rendered = await store.read(render_if_due)
    if rendered is None:
        await store.write(lambda tx: scheduled_posts.release_post(tx, post))
    return rendered


def _make_scheduled_table(tx: Tx, post: ScheduledPost, link: Link, now: float) -> dict[str, Any]:
    target = topics.load_post_target(tx, post.chat_id)
    text = _render_table(tx, TableMessage(post.period, post.chat_id, 0, target.language), now)
    keyboard = _make_link_keyboard(target.language, link)
    request = post_message(
        post.chat_id, text, topic=target.topic, keyboard=keyboard, about=post.about, timed=True
    )
    return {**request.body, "is_first_send": True}


def _store_scheduled_table(tx: Tx, request: DeliveredRequest) -> None:
    """Store which message shows a scheduled table; if it failed, allow it to be sent again."""
    if not request.result:
        scheduled_posts.mark_unsent(tx, request.about)
        return
    post = scheduled_posts.parse_about(request.about)
    language = topics.load_post_target(tx, post.chat_id).language
    message_id = int(request.result["message_id"])
    queries.store_table_message(tx, TableMessage(post.period, post.chat_id, message_id, language))


ROUTES = Routes(
    renderers={METHOD: _render_scheduled_table},
    before_send_handlers={subscribers.TABLE_KIND: scheduled_posts.mark_sent},
    delivery_handlers={
        REQUESTED_RECEIPT: _store_requested_table,
        subscribers.TABLE_KIND: _store_scheduled_table,
    },
    lost_message_handlers=[_forget_lost_table],
    timed_tasks=[
        TimedTask(FINAL_EDITS, MINUTE, _edit_ended_tables),
        TimedTask("posts of the day", MINUTE, _claim_due_tables),
    ],
)
