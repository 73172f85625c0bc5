"""A group's table of the day: posted on request or by schedule, and edited as its members solve the hand.

Its button links to the private chat. The link's payload names the group and is signed, so it can't be forged.
Players who follow it are listed in the table if they are members of that group.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256

from bot.database import Tx
from bot.durations import MINUTE
from bot.i18n import Html, get_words
from bot.modes.daily import posts, queries, rules, view
from bot.modes.daily.posts import TABLE
from bot.modes.daily.queries import TableMessage
from bot.modes.daily.rules import Attempt
from bot.queue import scheduled_posts
from bot.queue.outgoing import Outgoing
from bot.queue.scheduled_posts import ScheduledPost
from bot.queue.timers import TimedTask, TimerContext
from bot.rounds import topics
from bot.rounds.rules import State
from bot.telegram.context import Context, Response
from bot.telegram.messages import Keyboard, Link, edit_message, post_message
from bot.telegram.routes import DeliveredRequest, LostMessage, Routes

FINAL_EDITS = "tables of the day"  # The name of the timed task that edits tables of expired days
REQUESTED_RECEIPT = "daily"  # The kind of receipt of a table that a player requested
CHAT_BYTES, SIGNATURE_BYTES = 8, 10  # Of a link's payload, which Telegram limits to 64 characters


@dataclass(frozen=True, slots=True)
class GroupLinks:
    """Make and read the signed payloads that name a group in a deep link to the bot."""

    username: str  # The bot's username
    secret: str  # The key of the signatures

    def make_link(self, game: str, chat_id: int) -> Link:
        """Make a link that opens a game's daily hand and lists the player in the group's tables."""
        return view.make_deep_link(
            self.username, f"{view.get_link_prefix(game)}_{self.make_payload(chat_id)}"
        )

    def make_payload(self, chat_id: int) -> str:
        chat = chat_id.to_bytes(CHAT_BYTES, "big", signed=True)
        return urlsafe_b64encode(chat + self._sign(chat)).decode().rstrip("=")

    def read_payload(self, payload: str) -> int | None:
        """Return the group's id; None if the payload is malformed or its signature is wrong."""
        try:
            padding = "=" * (-len(payload) % 4)  # `make_payload` cut it off
            raw = urlsafe_b64decode(payload + padding)
        except ValueError:
            return None
        chat, signature = raw[:CHAT_BYTES], raw[CHAT_BYTES:]
        if not hmac.compare_digest(signature, self._sign(chat)):
            return None
        return int.from_bytes(chat, "big", signed=True)

    def _sign(self, chat: bytes) -> bytes:
        return hmac.digest(f"daily {self.secret}".encode(), chat, sha256)[:SIGNATURE_BYTES]


def get_group_links(context: Context) -> GroupLinks:
    """Return the maker of links to this bot, which signs with its token."""
    me = context.services.me
    token = context.services.settings.token
    return GroupLinks(str(me.username), str(token or me.id))  # the console has no token


def post_table(context: Context, tx: Tx, game: str) -> list[Response]:
    """Post the group's table of today in a game, with a link to the hand.

    It lists the sender, unless the sender has not opened the hand or has given it up.
    """
    day = rules.make_day_key(rules.format_utc_date(context.sent_at), game)
    attempt = queries.load_attempt(tx, day, context.player.id) if context.player else None
    if attempt is not None and attempt.state is not State.SKIPPED:
        queries.add_to_table(tx, day, context.chat.id, attempt.player_id)
    language = context.words.language
    text = _render_table(tx, day, context.chat.id, language, context.sent_at)
    keyboard = _make_keyboard(language, get_group_links(context).make_link(game, context.chat.id))
    about = f"{REQUESTED_RECEIPT}:{day}:{context.chat.id}:{language}"
    is_aside = not context.is_press and not context.chat.private
    return [context.reply(text, keyboard=keyboard, about=about, aside=is_aside)]


def _store_requested_table(tx: Tx, request: DeliveredRequest) -> None:
    _, day, chat_id, language = request.about.split(":")
    queries.store_table_message(tx, TableMessage(day, int(chat_id), request.message_id, language))


def _forget_lost_table(tx: Tx, message: LostMessage) -> bool:
    """Forget a table whose message is lost; return False, as it is not posted anew."""
    if not message.about:
        queries.delete_table_message(tx, message.chat_id, message.message_id)
    return False


def _render_table(tx: Tx, day: str, chat_id: int, language: str, now: float) -> Html:
    attempts = queries.load_table_attempts(tx, day, chat_id)
    players = [attempt.player_id for attempt in attempts]
    streaks = {player: queries.load_streak(tx, player, day) for player in players}
    return view.render_group_table(get_words(language), day, attempts, streaks, now)


def _edit_table(tx: Tx, table: TableMessage, now: float, keyboard: Keyboard | None = None) -> Outgoing:
    """Request that the table's message be rendered anew, by default without the link."""
    text = _render_table(tx, table.day, table.chat_id, table.language, now)
    return edit_message(table.chat_id, table.message_id, text, keyboard)


def _make_keyboard(language: str, link: Link) -> Keyboard:
    return [[(get_words(language).translate_plain("Solve today’s hand"), link)]]


def redraw_tables(context: Context, tx: Tx, attempt: Attempt) -> list[Outgoing]:
    return make_table_edits(tx, get_group_links(context), attempt, context.sent_at)


def make_table_edits(tx: Tx, links: GroupLinks, attempt: Attempt, now: float) -> list[Outgoing]:
    """Edit the tables of all groups that list the attempt; those of an expired day have no link."""
    tables = queries.load_table_messages(tx, attempt.day, attempt.player_id)
    if rules.is_day_expired(attempt.day, now):
        return [_edit_table(tx, table, now) for table in tables]
    game = rules.get_day_game(attempt.day)
    return [
        _edit_table(tx, table, now, _make_keyboard(table.language, links.make_link(game, table.chat_id)))
        for table in tables
    ]


async def _finish_expired_tables(timer: TimerContext, now: float) -> bool:
    """Edit the next batch of tables of expired days a last time, without links; False if there may be more.

    The last edited table is kept in memory. After a restart all are edited again, which changes nothing.
    """
    last_edited = timer.progress.get(FINAL_EDITS, ("", 0))  # Day and chat; this is before all others
    limit = scheduled_posts.CLAIM_LIMIT
    tables = await timer.store.read(lambda tx: queries.load_expired_tables(tx, now, last_edited, limit))
    if tables:
        await timer.run_effect(lambda tx: [_edit_table(tx, table, now) for table in tables])
        timer.progress[FINAL_EDITS] = tables[-1].day, tables[-1].chat_id
    return len(tables) < limit


async def _claim_due_tables(timer: TimerContext, _: float) -> bool:
    """Claim the posts of today's table in a batch of groups that are due it; False if there may be more."""
    links = GroupLinks(timer.username, timer.secret)
    # Scheduled tables are of the default game, whose name is empty
    return await posts.claim_due_posts(timer, TABLE, lambda chat_id: {"link": links.make_link("", chat_id)})


def _render_scheduled_table(tx: Tx, post: ScheduledPost, request: Outgoing, now: float) -> Outgoing:
    """Render the post in the group's present language and topic."""
    target = topics.load_post_target(tx, post.chat_id)
    keyboard = _make_keyboard(target.language, Link(request.params["link"]))
    text = _render_table(tx, post.period, post.chat_id, target.language, now)
    return post_message(
        post.chat_id, text, topic=target.topic, keyboard=keyboard, about=post.about, timed=True
    )


def _store_scheduled_table(tx: Tx, request: DeliveredRequest) -> None:
    """Store which message shows a scheduled table; if it failed, allow it to be sent again."""
    if not request.has_arrived:
        scheduled_posts.mark_unsent(tx, request.about)
        return
    post = scheduled_posts.parse_about(request.about)
    language = topics.load_post_target(tx, post.chat_id).language
    table = TableMessage(post.period, post.chat_id, request.message_id, language)
    queries.store_table_message(tx, table)


ROUTES = Routes(
    renderers={TABLE.method: posts.make_renderer(TABLE, _render_scheduled_table)},
    before_send_handlers={TABLE.name: scheduled_posts.mark_sent},
    delivery_handlers={REQUESTED_RECEIPT: _store_requested_table, TABLE.name: _store_scheduled_table},
    lost_message_handlers=[_forget_lost_table],
    timed_tasks=[
        TimedTask(FINAL_EDITS, MINUTE, _finish_expired_tables),
        TimedTask("posts of the day", MINUTE, _claim_due_tables),
    ],
)
