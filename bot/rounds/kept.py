"""Answers that nobody but their author may read, and how their verdict reaches that one alone.

That is every entry of a round in which all hand in until the end, and in a group that chose secret answers
every wrong one. An answer comes by an ephemeral command, from the author's private chat, or as a message for
all to read, which is deleted once it is read where the bot may do that. A reaction marks it where it stays.
"""

from dataclasses import replace

from bot.admin.settings import rules as preferences
from bot.database import Tx
from bot.i18n import Html, safe
from bot.players import queries as people
from bot.rounds import commands, doors, meant
from bot.rounds import queries as rounds
from bot.rounds.commands import react, reply
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Round, State, in_time
from bot.telegram import messages
from bot.telegram.context import Context
from bot.telegram.messages import Request

# Kinds of rounds in which a group may choose secret answers.
WITH_SECRETS = (Kind.FIRST, Kind.ALL, Kind.CHOSEN)


def is_kept(tx: Tx, round: Round) -> bool:
    """Whether nobody but its author is to read a wrong answer to that round."""
    return _is_kept(round, people.find_chat(tx, round.chat_id, "supergroup"))


def _is_kept(round: Round, chat: people.Chat) -> bool:
    chosen = round.chat_id < 0 and preferences.of(chat).secret
    return round.kind is Kind.BEST or (chosen and round.kind in WITH_SECRETS)


async def hiding(context: Context) -> Context:
    """The context, that knows whether its message may and should be deleted once it is read."""
    if context.chat.private or context.ephemeral:
        return context
    live = await context.services.store.read(lambda tx: rounds.live(tx, *meant.place(context)))
    if live is None or not _is_kept(live, context.chat):
        return context
    standings = context.services.standings
    return replace(context, hides=standings is not None and (await standings.of(context.chat.id)).deletes)


def is_unread(context: Context, round: Round) -> bool:
    """Whether nobody else in the round's group can have read the answer."""
    return bool(context.ephemeral) or context.chat.id != round.chat_id


def number_of(context: Context, round: Round) -> int:
    """The number that the answer's message has among those of the round's chat; 0 for one that has none."""
    return 0 if is_unread(context, round) or context.message is None else context.message.message_id


def marked(context: Context, emoji: str, instead: Request | None = None) -> list[Request]:
    """The message is gone once it is read, or bears a reaction; `instead` as in `react`."""
    if context.hides and context.message is not None:
        return [messages.delete(context.chat.id, context.message.message_id)]
    return react(context, emoji, instead)


def tell(context: Context, round: Round, text: Html, *, waits: bool = True) -> list[Request]:
    """Say it to the answer's author alone; with `waits`, also where that can only be done later."""
    if context.player is None:
        return []
    if context.chat.private:
        return [reply(context, text)]
    return [context.to_one(text, round_id=round.id, above=safe(round.line), waits=waits)]


def led_to(context: Context, tx: Tx) -> list[Round]:
    """The rounds to which the person's links lead, those that were over a moment ago among them."""
    numbers = doors.rounds_of(tx, context.player.id) if context.player else []
    linked = [link for number in numbers if (link := rounds.by_id(tx, number)) is not None]
    led = {each.id: each for link in linked for each in (_next(tx, link), link) if each is not None}
    return [each for each in led.values() if not meant.is_past(each, context.now)]


def _next(tx: Tx, linked: Round) -> Round | None:
    """The hand that is on the table of one that is over, if its answers are secret too."""
    if linked.state is State.OPEN:
        return None
    live = rounds.live(tx, linked.chat_id, linked.topic)
    return live if live is not None and is_kept(tx, live) else None


def nothing_open(context: Context, tx: Tx) -> list[Request]:
    """When there is no hand to do something with, but maybe one of a group that is answered here."""
    answered = [] if context.query or not context.chat.private else led_to(context, tx)
    if not any(in_time(each, context.now) for each in answered):
        return commands.nothing_open(context, tx)
    text = context.words.say(
        "The hand that you answer here is on its group’s table: hints and giving up are there."
    )
    return [reply(context, text)]
