"""Answers that nobody but their author may read, and how their verdict reaches that one alone.

That is every entry of a round in which all hand in until the end, and in a group that chose secret answers
every wrong one. An answer comes by an ephemeral command, from the author's private chat, or as a message for
all to read, which is deleted once it is read where the bot may do that. A reaction marks it where it stays.
"""

from dataclasses import replace

from bot.database import Tx
from bot.games.puzzle import Kind
from bot.games.rounds import meant
from bot.games.rounds import queries as rounds
from bot.games.rounds.commands import react, reply
from bot.games.rounds.rules import Round
from bot.groups.settings import rules as preferences
from bot.i18n import Html, safe
from bot.people import queries as people
from bot.telegram import messages
from bot.telegram.context import Context
from bot.telegram.messages import Request

WITH_SECRETS = (Kind.FIRST, Kind.ALL, Kind.CHOSEN)
"""Kinds of rounds in which a group may choose secret answers."""


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


def marked(context: Context, emoji: str) -> list[Request]:
    """The message is gone once it is read, or bears a reaction."""
    if context.hides and context.message is not None:
        return [messages.delete(context.chat.id, context.message.message_id)]
    return react(context, emoji)


def tell(context: Context, round: Round, text: Html, *, waits: bool = True) -> list[Request]:
    """Say it to the answer's author alone; with `waits`, also where that can only be done later."""
    if context.player is None:
        return []
    if context.chat.private:
        return [reply(context, text)]
    return [context.to_one(text, round_id=round.id, above=safe(round.line), waits=waits)]
