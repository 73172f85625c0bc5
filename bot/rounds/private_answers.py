"""Let members of a group answer its round from their private chats, by the link under the deal.

The link `t.me/<bot>?start=secret_<round>` opens the private chat, also for somebody who never started the
bot. Anybody can forge it, so only members of the group may answer. Of several linked rounds an answer belongs
to the one with its numbers. The link of an ended round leads on to the next hand in its chat.
"""

import math
import re
from contextlib import suppress
from typing import Any

from telegram.error import TelegramError

from bot.admin.private_replies import commands as private_replies
from bot.admin.settings.view import SUPERGROUP_OFFSET
from bot.database import Tx
from bot.i18n import Html, format_name
from bot.modes.daily import commands as daily
from bot.players import queries as people
from bot.queue.timers import make_hourly_cleanup
from bot.rounds import answer_links, secret_answers, verdicts
from bot.rounds import queries as rounds
from bot.rounds.answer_target import load_open_round_here
from bot.rounds.puzzle import Verdict, VerdictKind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State, is_in_time
from bot.rounds.view import render_time_left
from bot.telegram.context import Context, Effect, is_in_chat
from bot.telegram.messages import Keyboard, Link, Request
from bot.telegram.routes import Routes

LINK_PREFIX = "secret"  # Of the link's payload, before an underscore and the round's id
MEMBERSHIP_TRUST = 60.0  # Seconds in which opening a link again does not ask Telegram for the membership
REPEAT_SILENCE = 10.0  # Seconds in which opening a link again gets no reply
VERDICTS_ON_ITS_NUMBERS = (VerdictKind.RIGHT, VerdictKind.WRONG)  # For texts with the round's numbers


def make_answer_link(tx: Tx, round: Round) -> str:
    """Return the link to answer a group's open round in private; empty if its answers are not secret."""
    username = people.load_fact(tx, people.USERNAME_FACT)
    if round.is_private or round.state is not State.OPEN or not username:
        return ""
    if not secret_answers.has_secret_answers(tx, round):
        return ""
    return f"https://t.me/{username}?start={LINK_PREFIX}_{round.id}"


async def open_answer_link(context: Context) -> Effect:
    """Handle the link: store that a member opened it, and show the round and the waiting private replies.

    Private messages may answer the round from now on. A round shown moments ago is not shown again. If it
    can't be answered now or the player is no member, posts only the waiting replies, or a refusal if none.
    """
    player = context.player
    round = await _load_linked_round(context)
    if round is None or player is None:
        return _post_replies_or_refuse(context)
    opened_ago = await _load_seconds_since_opening(context, round)
    is_trusted = opened_ago < MEMBERSHIP_TRUST
    if not is_trusted and not await _is_member(context, round.chat_id):
        return _post_replies_or_refuse(context)
    text = _render_hand(context, round)
    keyboard: Keyboard | None = None
    if not is_trusted:  # opened for the first time, or again after a while
        introduction, keyboard = await _introduce_group(context, round)
        text = Html(f"{introduction}\n{text}")

    def effect(tx: Tx) -> list[Request]:
        """Store the opened link; return the round's message, unless sent moments ago, and waiting replies."""
        answer_links.store_opened_link(tx, player.id, round.id, context.sent_at)
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


async def _load_seconds_since_opening(context: Context, round: Round) -> float:
    """Return how long ago the player last opened the link; infinity if never, or if that is in the future."""
    player_id = verdicts.get_author_id(context)
    opened_at = await context.services.store.read(
        lambda tx: answer_links.load_link_opening_time(tx, player_id, round.id)
    )
    if opened_at is None or opened_at > context.sent_at:
        return math.inf
    return context.sent_at - opened_at


async def _load_linked_round(context: Context) -> Round | None:
    """Return the round that the link names; None if it can't be answered in private now."""
    if not context.chat.private or not re.fullmatch(r"[1-9][0-9]{0,17}", context.argument):
        return None

    def load(tx: Tx) -> Round | None:
        round = rounds.load_round(tx, int(context.argument))
        if round is None or not is_in_time(round, context.sent_at):
            return None
        return round if make_answer_link(tx, round) else None  # only rounds with secret answers have links

    return await context.services.store.read(load)


async def _is_member(context: Context, chat_id: int) -> bool:
    """Whether the player is in the group; if Telegram doesn't tell, whether they have answered there."""
    if context.player is None:
        return False
    player_id = context.player.id
    member = await context.fetch_member(chat_id, player_id)
    if member is not None:
        return is_in_chat(member)
    return await context.services.store.read(
        lambda tx: answer_links.has_answered_in_chat(tx, player_id, chat_id)
    )


def _render_hand(context: Context, round: Round) -> Html:
    """Return the deal, the task, and the time left to the second: this message is not redrawn."""
    game = GAMES[round.game]
    task = game.task(context.words, round, [], private=True)
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


def judge_linked_answer(context: Context, tx: Tx) -> list[Request] | None:
    """Judge a private message by the linked round that it fits best.

    None if it belongs to no linked round: it replies to a hand of the private chat, or has the numbers of
    none of them while a hand is open there. Talk gets no reply.
    """
    replied = context.replied_bot_message
    if replied and rounds.load_round_of_message(tx, context.chat.id, replied.message_id) is not None:
        return None
    target = _find_linked_target(context, tx)
    if target is None:
        return None
    round, verdict = target
    has_own_hand = load_open_round_here(context, tx) is not None or daily.load_unfinished_hands(context, tx)
    if verdict.kind not in VERDICTS_ON_ITS_NUMBERS and has_own_hand:
        return None
    if verdict.kind is VerdictKind.TALK:
        return []
    if verdict.kind is VerdictKind.RIGHT:
        return verdicts.apply_right_answer(context, tx, round, verdict.answer)
    if is_in_time(round, context.sent_at):
        return verdicts.apply_wrong_answer(context, tx, round, verdict)
    text = context.words.translate("Time’s up! I only wait for answers that were sent in time.")
    return [context.reply(text)]


def fits_linked_round(context: Context, tx: Tx) -> bool:
    """Whether a private message has the numbers of a linked round."""
    target = _find_linked_target(context, tx)
    if target is None:
        return False
    _round, verdict = target
    return verdict.kind in VERDICTS_ON_ITS_NUMBERS


async def refuse_former_member(context: Context) -> Effect | None:
    """Return the effect that refuses a former member's answer and deletes the group's links, else None."""
    is_from_board = context.board_round_id or context.board_day
    if not context.chat.private or context.player is None or is_from_board:
        return None
    player_id = context.player.id
    target = await context.services.store.read(lambda tx: _find_linked_target(context, tx))
    if target is None:
        return None
    round, verdict = target
    group_id = round.chat_id
    if verdict.kind not in VERDICTS_ON_ITS_NUMBERS or await _is_member(context, group_id):
        return None
    text = context.words.translate("That link leads to no round that you can answer now.")

    def effect(tx: Tx) -> list[Request]:
        answer_links.delete_links_to_chat(tx, player_id, group_id)
        return [context.reply(text)]

    return effect


def _find_linked_target(context: Context, tx: Tx) -> tuple[Round, Verdict] | None:
    """Return the linked round that a private message fits best, and the verdict; None without links.

    Prefers a round with the message's numbers, then the one that it replies to, then an open one, then one
    that it solves, then the latest link.
    """
    judged = [
        (round, GAMES[round.game].check(round.puzzle, context.argument))
        for round in secret_answers.load_linked_rounds(context, tx)
    ]
    if not judged:
        return None
    replied = context.replied_bot_message
    quoted_lines = (replied.text or replied.caption or "").splitlines() if replied else []

    def rank(target: tuple[Round, Verdict]) -> tuple[bool, ...]:
        """Return what speaks against the round, most important first: False sorts before True."""
        round, verdict = target
        has_other_numbers = verdict.kind not in VERDICTS_ON_ITS_NUMBERS
        is_unquoted = round.line not in quoted_lines
        is_late = not is_in_time(round, context.sent_at)
        is_wrong = verdict.kind is not VerdictKind.RIGHT
        return has_other_numbers, is_unquoted, is_late, is_wrong

    return min(judged, key=rank)


ROUTES = Routes(
    deep_links={LINK_PREFIX: open_answer_link},
    timed_tasks=[make_hourly_cleanup("links to rounds of long ago", answer_links.delete_old_links)],
)
