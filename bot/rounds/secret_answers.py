"""Answers that nobody but their author may read, and how their verdict reaches that one alone.

That is every entry of a round in which all hand in until the end, and in a group that chose secret answers
every wrong one. An answer comes by an ephemeral command, from the author's private chat, or as a message for
all to read, which is deleted once it is read where the bot may do that. A reaction marks it where it stays.
"""

from dataclasses import replace

from bot.admin.settings import preferences as preferences
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

# Kinds of rounds in which a group may choose secret answers.
WITH_SECRETS = (Kind.FIRST, Kind.ALL, Kind.CHOSEN)


def has_secret_answers(tx: Tx, round: Round) -> bool:
    """Whether nobody but its author is to read a wrong answer to that round."""
    return _is_kept(round, people.load_chat(tx, round.chat_id, "supergroup"))


def _is_kept(round: Round, chat: people.Chat) -> bool:
    chosen = round.chat_id < 0 and preferences.read_preferences(chat).secret_answers
    return round.kind is Kind.BEST or (chosen and round.kind in WITH_SECRETS)


async def decide_message_deletion(context: Context) -> Context:
    """The context, that knows whether its message may and should be deleted once it is read."""
    if context.chat.private or context.ephemeral_id:
        return context
    live = await context.services.store.read(
        lambda tx: rounds.load_open_round(tx, *answer_target.get_chat_and_topic(context))
    )
    if live is None or not _is_kept(live, context.chat):
        return context
    standings = context.services.permissions
    return replace(
        context, can_hide_message=standings is not None and (await standings.load(context.chat.id)).can_delete
    )


def is_hidden_from_group(context: Context, round: Round) -> bool:
    """Whether nobody else in the round's group can have read the answer."""
    return bool(context.ephemeral_id) or context.chat.id != round.chat_id


def get_group_message_id(context: Context, round: Round) -> int:
    """The number that the answer's message has among those of the round's chat; 0 for one that has none."""
    return (
        0 if is_hidden_from_group(context, round) or context.message is None else context.message.message_id
    )


def delete_or_react(context: Context, emoji: str, instead: Request | None = None) -> list[Request]:
    """The message is gone once it is read, or bears a reaction; `instead` as in `react`."""
    if context.can_hide_message and context.message is not None:
        return [messages.delete_message(context.chat.id, context.message.message_id)]
    return react(context, emoji, instead)


def tell_author(context: Context, round: Round, text: Html, *, waits: bool = True) -> list[Request]:
    """Say it to the answer's author alone; with `waits`, also where that can only be done later."""
    if context.player is None:
        return []
    if context.chat.private:
        return [reply(context, text)]
    return [context.tell_privately(text, round_id=round.id, heading=escape_value(round.line), may_wait=waits)]


def load_linked_rounds(context: Context, tx: Tx) -> list[Round]:
    """The rounds to which the person's links lead, those that were over a moment ago among them."""
    numbers = answer_links.load_linked_round_ids(tx, context.player.id) if context.player else []
    linked = [link for number in numbers if (link := rounds.load_round(tx, number)) is not None]
    led = {each.id: each for link in linked for each in (_next(tx, link), link) if each is not None}
    return [each for each in led.values() if not answer_target.is_long_over(each, context.sent_at)]


def _next(tx: Tx, linked: Round) -> Round | None:
    """The hand that is on the table of one that is over, if its answers are secret too."""
    if linked.state is State.OPEN:
        return None
    live = rounds.load_open_round(tx, linked.chat_id, linked.topic)
    return live if live is not None and has_secret_answers(tx, live) else None


def explain_no_open_hand(context: Context, tx: Tx) -> list[Request]:
    """When there is no hand to do something with, but maybe one of a group that is answered here."""
    answered = [] if context.query or not context.chat.private else load_linked_rounds(context, tx)
    if not any(is_in_time(each, context.sent_at) for each in answered):
        return commands.reply_no_open_hand(context, tx)
    text = context.words.translate(
        "The hand that you answer here is on its group’s table: hints and giving up are there."
    )
    return [reply(context, text)]
