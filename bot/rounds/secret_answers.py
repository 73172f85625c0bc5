"""Decide whose eyes an answer is for, and tell its author the verdict in private.

Secret are all entries of a round of the kind *best*, and all wrong answers in a group that chose so. A secret
answer comes by an ephemeral command, from the author's private chat, or as a message that all can read. The
bot deletes such a message at once where it may, else it reacts to it.
"""

from dataclasses import replace

from bot.admin.settings import preferences
from bot.database import Tx
from bot.i18n import Html, escape_value
from bot.players import queries as people
from bot.rounds import answer_links, answer_target, commands
from bot.rounds import queries as rounds
from bot.rounds.commands import react, reply
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Round, State, is_in_time
from bot.telegram import messages
from bot.telegram.context import Context
from bot.telegram.messages import Request

KINDS_WITH_OPTIONAL_SECRECY = (Kind.FIRST, Kind.ALL, Kind.CHOSEN)  # Where a group may choose secret answers


def has_secret_answers(tx: Tx, round: Round) -> bool:
    """Whether a wrong answer to the round is for its author's eyes only."""
    if round.kind in KINDS_WITH_OPTIONAL_SECRECY and not round.is_private:
        chat = people.load_group(tx, round.chat_id)
        return preferences.read_preferences(chat).secret_answers
    return round.kind is Kind.BEST


async def decide_message_deletion(context: Context) -> Context:
    """Return the context, with `can_hide_message` set if the bot may delete an answer to a secret round."""
    if context.chat.private or context.ephemeral_id:
        return context
    permissions = context.services.permissions
    if permissions is None:
        return context

    def has_secret_round(tx: Tx) -> bool:
        live = answer_target.load_open_round_here(context, tx)
        return live is not None and has_secret_answers(tx, live)

    if not await context.services.store.read(has_secret_round):
        return context
    allowed = await permissions.load(context.chat.id)
    return replace(context, can_hide_message=allowed.can_delete)


def is_hidden_from_group(context: Context, round: Round) -> bool:
    """Whether nobody else in the round's group can have read the answer."""
    return bool(context.ephemeral_id) or context.chat.id != round.chat_id


def get_group_message_id(context: Context, round: Round) -> int:
    """Return the id of the answer's message in the round's chat; 0 if it has none there."""
    if is_hidden_from_group(context, round) or context.message is None:
        return 0
    return context.message.message_id


def delete_or_react(context: Context, emoji: str, fallback: Request | None = None) -> list[Request]:
    """Delete a secret answer where possible, else react to it; `fallback` as in `react`."""
    if context.can_hide_message and context.message is not None:
        return [messages.delete_message(context.chat.id, context.message.message_id)]
    return react(context, emoji, fallback=fallback)


def tell_author(context: Context, round: Round, text: Html, *, may_wait: bool = True) -> list[Request]:
    """Tell the author alone, if not anonymous; with `may_wait` the text is kept if it can't be told now."""
    if context.player is None:
        return []
    if context.chat.private:
        return [reply(context, text)]
    return [
        context.tell_privately(text, round_id=round.id, heading=escape_value(round.line), may_wait=may_wait)
    ]


def load_linked_rounds(context: Context, tx: Tx) -> list[Round]:
    """Return the rounds of the player's links that are open or have just ended, the latest link first.

    Before an ended one comes the open round of its chat and topic, if answers to that are secret.
    """
    if context.player is None:
        return []
    linked: dict[int, Round] = {}  # by id, so that no round comes twice
    for round_id in answer_links.load_linked_round_ids(tx, context.player.id):
        round = rounds.load_round(tx, round_id)
        if round is None:
            continue
        if round.state is not State.OPEN:
            live = rounds.load_open_round(tx, round.chat_id, round.topic)
            if live is not None and has_secret_answers(tx, live):
                linked.setdefault(live.id, live)
        linked.setdefault(round.id, round)
    return [round for round in linked.values() if not answer_target.is_long_over(round, context.sent_at)]


def explain_no_open_hand(context: Context, tx: Tx) -> list[Request]:
    """Say that no hand is open here, or that the hand which the player answers here is open in its group."""
    is_private_message = context.chat.private and not context.is_press
    linked = load_linked_rounds(context, tx) if is_private_message else []
    if not any(is_in_time(round, context.sent_at) for round in linked):
        return commands.reply_no_open_hand(context, tx)
    text = context.words.translate(
        "The hand that you answer here is on its group’s table: hints and giving up are there."
    )
    return [reply(context, text)]
