"""Answers from the private chat to a round of a group: by the link under its deal, which anybody can forge.

The link `t.me/<bot>?start=secret_<round>` opens the private chat, also for somebody who never started the
bot. Members of the group alone may answer there. Of several rounds that is the one whose numbers an answer
has; where a hand is over, the link leads on to the next one on its table.
"""

import re
from typing import Any

from telegram.error import TelegramError

from bot.admin.private_replies import commands as privately
from bot.admin.settings.view import SUPERGROUP
from bot.database import Tx
from bot.i18n import Html, format_name
from bot.modes.daily import commands as daily
from bot.players import queries as people
from bot.queue.timers import make_hourly_cleanup
from bot.rounds import answer_links, answer_target, secret_answers, verdicts
from bot.rounds import queries as rounds
from bot.rounds.puzzle import Verdict, VerdictKind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State, is_in_time
from bot.rounds.view import render_time_left
from bot.telegram.context import Context, Effect, is_in_chat
from bot.telegram.messages import Keyboard, Link, Request
from bot.telegram.routes import Routes

DOOR = "secret"  # What the link's payload begins with, before an underscore and the round's number
# Seconds for which it is not asked again who opens the same link: each answer is looked at by itself.
KNOWN = 60.0
TWICE = 10.0  # Seconds within which the same link opened again is a slip, or noise
ANSWERS = (VerdictKind.RIGHT, VerdictKind.WRONG)  # What a text is to a round whose numbers it has


def make_answer_link(tx: Tx, round: Round) -> str:
    """Where answers to an open round of a group can be given in private; empty where they need not be."""
    username = people.load_fact(tx, people.USERNAME_FACT)
    if (
        round.chat_id > 0
        or round.state is not State.OPEN
        or not username
        or not secret_answers.has_secret_answers(tx, round)
    ):
        return ""
    return f"https://t.me/{username}?start={DOOR}_{round.id}"


async def open_answer_link(context: Context) -> Effect:
    """The link: what is written here answers that round from now on, by members of its group alone."""
    round = await _linked(context)
    if round is not None and (again := await _again(context, round)) is not None:
        return again
    if round is None or context.player is None or not await _is_member(context, round.chat_id):
        text = context.words.translate("That link leads to no round that you can answer now.")
        return lambda tx: privately.make_waiting_posts(context, tx) or [context.reply(text)]
    player_id, group = context.player.id, await _group(context, round.chat_id)
    text, keyboard = _shown(context, round, group), _back(context, round, group)

    def effect(tx: Tx) -> list[Request]:
        answer_links.store_opened_link(tx, player_id, round.id, context.sent_at)
        return [context.reply(text, keyboard=keyboard), *privately.make_waiting_posts(context, tx)]

    return effect


async def _again(context: Context, round: Round) -> Effect | None:
    """The link was opened a moment ago: what is known is said again, and Telegram asked nothing; None else.

    Whoever opens it again and again hears nothing more until they leave off.
    """
    if context.player is None:
        return None
    player_id = context.player.id
    at = await context.services.store.read(
        lambda tx: answer_links.load_link_opening_time(tx, player_id, round.id)
    )
    if at is None or not 0 <= context.sent_at - at < KNOWN:
        return None
    again = [] if context.sent_at - at < TWICE else [context.reply(_hand(context, round))]

    def effect(tx: Tx) -> list[Request]:
        answer_links.store_opened_link(tx, player_id, round.id, context.sent_at)
        return again

    return effect


async def _linked(context: Context) -> Round | None:
    """The open round of a group that the link names, if it is one whose answers are secret."""
    if not context.chat.private or not re.fullmatch(r"[1-9][0-9]{0,17}", context.argument):
        return None

    def look(tx: Tx) -> Round | None:
        found = rounds.load_round(tx, int(context.argument))
        return found if found and make_answer_link(tx, found) and is_in_time(found, context.sent_at) else None

    return await context.services.store.read(look)


async def _is_member(context: Context, chat_id: int) -> bool:
    """Whether the person is in the group by what Telegram says, or where it doesn't, was seen there."""
    if context.player is None:
        return False
    player_id = context.player.id
    member = await context.fetch_member(chat_id, player_id)
    if member is not None:
        return is_in_chat(member)
    return await context.services.store.read(
        lambda tx: answer_links.has_answered_in_chat(tx, player_id, chat_id)
    )


async def _group(context: Context, chat_id: int) -> dict[str, Any]:
    """What Telegram tells of the group; nothing where it doesn't."""
    try:
        return await context.call_api("getChat", chat_id=chat_id)
    except TelegramError:
        return {}


def _shown(context: Context, round: Round, group: dict[str, Any]) -> Html:
    """Which group it is for, what is dealt there, and what to do."""
    title = group.get("title")
    where = format_name(title if isinstance(title, str) else None)
    first = context.words.translate(
        "What you send here counts in {group}, and nobody there sees it.", group=where
    )
    return Html(f"🤫 {first}\n{_hand(context, round)}")


def _hand(context: Context, round: Round) -> Html:
    """What is dealt, what to do, and how long is left to the second: nothing changes that line."""
    game = GAMES[round.game]
    task = game.task(context.words, round, [], private=True)
    left = render_time_left(round, context.words, context.handled_at, tick=1.0)
    return Html("\n".join([*game.render_deal(round.puzzle), task, *left]))


def _back(context: Context, round: Round, group: dict[str, Any]) -> Keyboard | None:
    """The way back to the deal; a basic group has no address."""
    username, number = group.get("username"), -round.chat_id - SUPERGROUP
    place = username if isinstance(username, str) else f"c/{number}" if number > 0 else ""
    if not place or round.message_id is None:
        return None
    label = f"↩️ {context.words.translate_plain('Back to the group')}"
    return [[(label, Link(f"https://t.me/{place}/{round.message_id}"))]]


def judge_linked_answer(context: Context, tx: Tx) -> list[Request] | None:
    """The verdict on what was written in private, by a round whose link was opened; None for no answer.

    What replies to another hand, or fits it no better than the one on the table here, is meant for that.
    """
    found = None if _replies_to_another(context, tx) else _meant(context, tx)
    if found is None:
        return None
    round, verdict = found
    if verdict.kind not in ANSWERS and _has_another(context, tx):
        return None
    if verdict.kind is VerdictKind.TALK:
        return []
    return _verdict(context, tx, round, verdict)


def fits_linked_round(context: Context, tx: Tx) -> bool:
    """Whether a text is made of what was dealt in a round whose link was opened."""
    found = _meant(context, tx)
    return found is not None and found[1].kind in ANSWERS


async def refuse_former_member(context: Context) -> Effect | None:
    """What is told somebody who answers a round of a group in which they are no more; None for all others."""
    meant_for = context.board_round_id or context.board_day
    if not context.chat.private or context.player is None or meant_for:
        return None
    found, player_id = await context.services.store.read(lambda tx: _meant(context, tx)), context.player.id
    if found is None or found[1].kind not in ANSWERS or await _is_member(context, found[0].chat_id):
        return None
    group = found[0].chat_id

    def effect(tx: Tx) -> list[Request]:
        answer_links.delete_links_to_chat(tx, player_id, group)
        return [
            context.reply(context.words.translate("That link leads to no round that you can answer now."))
        ]

    return effect


def _meant(context: Context, tx: Tx) -> tuple[Round, Verdict] | None:
    """The round of a group that a text is for, and what it is to that; None where no link leads to any.

    Whose numbers it has comes first, then whose page it replies to, then what is open, then the last link's.
    """
    answered = [
        (each, GAMES[each.game].check(each.puzzle, context.argument))
        for each in secret_answers.load_linked_rounds(context, tx)
    ]
    return min(answered, key=lambda one: _farther(context, *one), default=None)


def _farther(context: Context, round: Round, verdict: Verdict) -> tuple[bool, bool, bool, bool]:
    above = context.replied_bot_message
    replies = above is not None and round.line in (above.text or above.caption or "").splitlines()
    late, wrong = not is_in_time(round, context.sent_at), verdict.kind is not VerdictKind.RIGHT
    return verdict.kind not in ANSWERS, not replies, late, wrong


def _replies_to_another(context: Context, tx: Tx) -> bool:
    above = context.replied_bot_message
    return (
        above is not None and rounds.load_round_of_message(tx, context.chat.id, above.message_id) is not None
    )


def _has_another(context: Context, tx: Tx) -> bool:
    """Whether a hand is open in the private chat itself."""
    return rounds.load_open_round(tx, *answer_target.get_chat_and_topic(context)) is not None or bool(
        daily.load_unfinished_hands(context, tx)
    )


def _verdict(context: Context, tx: Tx, round: Round, verdict: Verdict) -> list[Request]:
    if verdict.kind is VerdictKind.RIGHT:
        return verdicts.apply_right_answer(context, tx, round, verdict.answer)
    if not is_in_time(round, context.sent_at):
        return [
            context.reply(
                context.words.translate("Time’s up! I only wait for answers that were sent in time.")
            )
        ]
    return verdicts.apply_wrong_answer(context, tx, round, verdict)


ROUTES = Routes(
    deep_links={DOOR: open_answer_link},
    timed_tasks=[make_hourly_cleanup("links to rounds of long ago", answer_links.delete_old_links)],
)
