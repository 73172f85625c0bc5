"""Secret answers, and the links by which members of a group answer its round from their private chats.

Secret are all entries of a round of the kind *best*, and all wrong answers in a group that chose so. The link
`t.me/<bot>?start=secret_<round>` opens the private chat, also for somebody who never started the bot. Anybody
can forge it, so only members of the group may answer. The link of an ended round leads on to the next hand in
its chat.
"""

import math
from contextlib import suppress
from typing import Any

from sqlalchemy import ColumnElement, delete, or_, select
from telegram.error import TelegramError

from bot.database import Tx, build_insert_for, delete_batch, parse_number
from bot.database.schema import rounds as rounds_table
from bot.database.schema import secret_doors as opened_links
from bot.durations import HOUR
from bot.i18n import Html, format_name
from bot.players import preferences
from bot.players import queries as people
from bot.queue.timers import make_hourly_cleanup
from bot.rounds import ledger
from bot.rounds import queries as rounds
from bot.rounds.puzzle import Audience, Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State, is_in_time
from bot.rounds.topics import SUPERGROUP_OFFSET
from bot.rounds.view import render_time_left
from bot.telegram import private_replies
from bot.telegram.context import Context, Effect, Response, is_in_chat
from bot.telegram.messages import Keyboard, Link
from bot.telegram.routes import Routes

KINDS_WITH_OPTIONAL_SECRECY = (Kind.FIRST, Kind.ALL, Kind.CHOSEN)  # Where a group may choose secret answers


def has_secret_answers(tx: Tx, round: Round) -> bool:
    """Whether a wrong answer to the round is for its author's eyes only.

    Groups may choose that for most kinds; where the last entry counts, it is always so.
    """
    if round.kind in KINDS_WITH_OPTIONAL_SECRECY and not round.is_private:
        return preferences.read_preferences(people.load_group(tx, round.chat_id)).secret_answers
    return round.kind is Kind.BEST


LINK_PREFIX = "secret"  # Of the link's payload, before an underscore and the round's id


def make_answer_link(tx: Tx, round: Round) -> str:
    """Return the link to answer a group's open round in private; empty if its answers are not secret."""
    username = people.load_fact(tx, people.USERNAME_FACT)
    if round.is_private or round.state is not State.OPEN or not username:
        return ""
    if not has_secret_answers(tx, round):
        return ""
    return f"https://t.me/{username}?start={LINK_PREFIX}_{round.id}"


# Opened links

LINK_LIFETIME = 24 * HOUR  # Seconds
MAX_LINKS = 5  # Of one player that are looked at


def store_opened_link(tx: Tx, player_id: int, round_id: int, now: float) -> None:
    """Store that the player opened the link: private messages may answer that round from now on."""
    insert = build_insert_for(tx.dialect.name, opened_links)
    latest = {"at": insert.excluded.at}
    upsert = insert.on_conflict_do_update(index_elements=["player_id", "round_id"], set_=latest)
    tx.execute(upsert, {"player_id": player_id, "round_id": round_id, "at": now})


def load_seconds_since_opening(tx: Tx, player_id: int, round_id: int, now: float) -> float:
    """Return how long ago the player last opened the link; infinity if never, or if that is in the future."""
    own = (opened_links.c.player_id == player_id, opened_links.c.round_id == round_id)
    opened_at = tx.scalar(select(opened_links.c.at).where(*own))
    return math.inf if opened_at is None or opened_at > now else now - opened_at


def load_linked_round_ids(tx: Tx, player_id: int) -> list[int]:
    """Return the ids of the last `MAX_LINKS` rounds whose links the player opened, the latest first."""
    own = select(opened_links.c.round_id).where(opened_links.c.player_id == player_id)
    latest_first = own.order_by(opened_links.c.at.desc(), opened_links.c.round_id.desc())
    return list(tx.scalars(latest_first.limit(MAX_LINKS)))


def load_linked_rounds(tx: Tx, player_id: int) -> list[Round]:
    """Return the rounds of the player's last links, the latest link first.

    Before an ended one comes the open round of its chat and topic, if answers to that are secret.
    """
    linked: dict[int, Round] = {}  # by id, so that no round comes twice
    for round_id in load_linked_round_ids(tx, player_id):
        round = rounds.load_round(tx, round_id)
        if round is None:
            continue
        if round.state is not State.OPEN:
            live = rounds.load_open_round(tx, round.chat_id, round.topic)
            if live is not None and has_secret_answers(tx, live):
                linked.setdefault(live.id, live)
        linked.setdefault(round.id, round)
    return list(linked.values())


def load_players_with_links(tx: Tx, chat_id: int) -> list[int]:
    """Return the players who opened a link to any round of that chat, and so may answer its open hand."""
    return list(tx.scalars(select(opened_links.c.player_id).where(_is_to_chat(chat_id)).distinct()))


def delete_links_to_chat(tx: Tx, player_id: int, chat_id: int) -> None:
    tx.execute(delete(opened_links).where(opened_links.c.player_id == player_id, _is_to_chat(chat_id)))


def _is_to_chat(chat_id: int) -> ColumnElement[bool]:
    """Build the condition that a link is to a round of that chat."""
    return opened_links.c.round_id.in_(select(rounds_table.c.id).where(rounds_table.c.chat_id == chat_id))


def delete_old_links(tx: Tx, now: float) -> bool:
    """Delete some links: to ended rounds after an hour, to all after a day; return if there may be more."""
    open_round_ids = select(rounds_table.c.id).where(rounds_table.c.state == "open")
    is_to_ended_round = opened_links.c.round_id.not_in(open_round_ids)
    is_useless = is_to_ended_round & (opened_links.c.at < now - HOUR)
    is_expired = opened_links.c.at < now - LINK_LIFETIME
    return delete_batch(tx, opened_links, or_(is_useless, is_expired))


# The link

MEMBERSHIP_TRUST = 60.0  # Seconds in which opening a link again does not ask Telegram for the membership
REPEAT_SILENCE = 10.0  # Seconds in which opening a link again gets no reply


async def open_answer_link(context: Context) -> Effect:
    """Handle the link: store that a member opened it, and post the round and the waiting private replies.

    Private messages may answer the round from then on. The first opening, and one after more than
    `MEMBERSHIP_TRUST`, checks that the player is a member and posts the group's name above the round. One
    within `REPEAT_SILENCE` does not post the round again. If the round can't be answered now or the player is
    no member, only the waiting replies are posted, or a refusal if there are none.
    """
    player = context.player
    round = await _load_linked_round(context)
    if round is None or player is None:
        return _post_replies_or_refuse(context)
    opened_ago = await context.services.store.read(
        lambda tx: load_seconds_since_opening(tx, player.id, round.id, context.sent_at)
    )
    # A recent opening is proof enough: opening the link again and again must not ask Telegram each time.
    was_checked = opened_ago < MEMBERSHIP_TRUST
    if not was_checked and not await is_member(context, player.id, round.chat_id):
        return _post_replies_or_refuse(context)
    text = _render_hand(context, round)
    keyboard: Keyboard | None = None
    if not was_checked:
        introduction, keyboard = await _introduce_group(context, round)
        text = Html(f"{introduction}\n{text}")

    def effect(tx: Tx) -> list[Response]:
        """Store the opened link; return the round's message, unless sent moments ago, and waiting replies."""
        store_opened_link(tx, player.id, round.id, context.sent_at)
        shown = [] if opened_ago < REPEAT_SILENCE else [context.reply(text, keyboard=keyboard)]
        return [*shown, *private_replies.take_waiting_posts(context, tx)]

    return effect


def _post_replies_or_refuse(context: Context) -> Effect:
    """Return the effect that posts the waiting private replies, or if there are none, refuses the link."""
    refusal = context.words.translate("That link leads to no round that you can answer now.")
    return lambda tx: private_replies.take_waiting_posts(context, tx) or [context.reply(refusal)]


async def _introduce_group(context: Context, round: Round) -> tuple[Html, Keyboard | None]:
    """Ask Telegram for the round's group; return the line that names it, and the link back to the deal."""
    group: dict[str, Any] = {}
    with suppress(TelegramError):
        group = await context.call_api("getChat", chat_id=round.chat_id)
    words = context.words
    name = format_name(group.get("title"))
    text = words.translate("What you send here counts in {group}, and nobody there sees it.", group=name)
    return Html(f"🤫 {text}"), _make_back_button(context, round, group)


async def _load_linked_round(context: Context) -> Round | None:
    """Return the round that the link names; None if it can't be answered in private now."""
    round_id = parse_number(context.argument)
    if not context.chat.private or round_id is None:
        return None

    def load(tx: Tx) -> Round | None:
        round = rounds.load_round(tx, round_id)
        if round is None or not is_in_time(round, context.sent_at):
            return None
        return round if make_answer_link(tx, round) else None  # only rounds with secret answers have links

    return await context.services.store.read(load)


async def is_member(context: Context, player_id: int, chat_id: int) -> bool:
    """Whether the player is in the group; if Telegram doesn't tell, whether they have answered there."""
    member = await context.fetch_member(chat_id, player_id)
    if member is not None:
        return is_in_chat(member)
    return await context.services.store.read(lambda tx: ledger.has_answered_in_chat(tx, player_id, chat_id))


def _render_hand(context: Context, round: Round) -> Html:
    """Return the deal, the task, and the time left to the second: this message is not redrawn."""
    game = GAMES[round.game]
    task = game.task(context.words, round, [], Audience.HEARD)
    left = render_time_left(round, context.words, context.handled_at, step=1.0)
    return Html("\n".join([*game.render_deal(round.puzzle), task, *left]))


def _make_back_button(context: Context, round: Round, group: dict[str, Any]) -> Keyboard | None:
    """Return a link to the deal's message; None if it has no address: undelivered, or in a basic group."""
    number = -round.chat_id - SUPERGROUP_OFFSET  # positive for a supergroup
    place = group.get("username")  # of a public group
    if not place and number > 0:
        place = f"c/{number}"  # the address of a private supergroup, for its members
    if not place or round.message_id is None:
        return None
    label = f"↩️ {context.words.translate_plain('Back to the group')}"
    return [[(label, Link(f"https://t.me/{place}/{round.message_id}"))]]


ROUTES = Routes(
    deep_links={LINK_PREFIX: open_answer_link},
    timed_tasks=[make_hourly_cleanup("old links to rounds", delete_old_links)],
)
