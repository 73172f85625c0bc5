"""What may be shown to whom: nothing that gives away a puzzle that is live where the reader plays."""

import asyncio
from collections.abc import Sequence
from enum import Enum, auto

from bot.database import Tx
from bot.games.daily import queries as daily
from bot.games.known import covers
from bot.games.puzzle import Query
from bot.games.rounds import reveals
from bot.i18n import plain, safe
from bot.telegram.context import Context, Effect, nothing, saying
from bot.telegram.messages import Request
from bot.telegram.routes import Other, Routes


async def look_through(context: Context, answered: Sequence[Query]) -> None:
    """Compare what was found with all hands on tables, in a thread: the transaction then knows of it."""
    tables = await context.services.store.read(reveals.on_tables)
    await asyncio.to_thread(lambda: [covers(game, line, answered) for game, line in tables])


def showing(
    context: Context, asked: Sequence[Query], shown: Sequence[Request], answers: Sequence[str] = ()
) -> Effect:
    """Show what answers the questions, unless that would spoil a live hand; who sees it is remembered."""

    def effect(tx: Tx) -> list[Request]:
        if (spoiled := spoils(context, tx, asked, answers)) is not None:
            return refused(context, spoiled)
        reveals.remember(tx, readers(context), asked, context.now, answers)
        return list(shown)

    return effect


def readers(context: Context) -> list[int]:
    """Who sees an answer: everybody in the chat, and the person who asked."""
    return [context.chat.id, *([context.player.id] if context.player else [])]


async def refusal(context: Context, asked: Sequence[Query]) -> Effect | None:
    """What is said instead of an answer that would spoil a live hand; None where it may be looked for."""
    if await context.services.store.read(lambda tx: spoils(context, tx, asked)) is None:
        return None
    return lambda tx: refused(context, spoils(context, tx, asked))


class Spoiled(Enum):
    """What the solutions would spoil."""

    HERE = auto()
    """The hand on this chat's table."""
    ELSEWHERE = auto()
    """One on the table of another chat where the person plays."""
    GIVEN_AWAY = auto()
    """One that is live anywhere, for somebody who gives hands away."""
    SHARED = auto()
    """One on the table of another chat where somebody plays who would read it here."""
    SEALED = auto()
    """One of a chat whose hands nobody knows who gives away."""
    NOBODY = auto()
    """One that is live anywhere, where no person asks whom it could be held against."""
    DAILY = auto()
    """A daily hand, for somebody who may still solve it."""


def spoils(context: Context, tx: Tx, asked: Sequence[Query], answers: Sequence[str] = ()) -> Spoiled | None:
    """What the solutions would spoil for the person and, outside of private, for the chat; None: nothing."""
    if (spoiled := spoils_round(context, tx, asked, answers)) is not None:
        return spoiled
    reader = context.player.id if context.player and context.chat.private else None
    return Spoiled.DAILY if daily.sealed(tx, reader, asked, context.now) else None


def spoils_round(
    context: Context, tx: Tx, asked: Sequence[Query], answers: Sequence[str] = ()
) -> Spoiled | None:
    """As `spoils`, but for daily hands."""
    live = reveals.live(tx, asked)
    if not live:
        return None
    who = context.player.id if context.player else None
    chat = reveals.live_before(tx, who, context.chat.id, live)
    if chat is not None:
        return Spoiled.HERE if chat == context.chat.id else Spoiled.ELSEWHERE
    if who is None:
        return Spoiled.NOBODY
    if any(reveals.barred(tx, one.chat_id, context.now) for one in live):
        return Spoiled.SEALED
    if not context.chat.private and reveals.shared(tx, context.chat.id, live, asked, answers):
        return Spoiled.SHARED
    return Spoiled.GIVEN_AWAY if reveals.barred(tx, who, context.now) else None


def refused(context: Context, spoiled: Spoiled | None) -> list[Request]:
    """Why the solutions are not shown."""
    words = context.words
    reasons = {
        Spoiled.HERE: words.plain("That hand is on the table here: no peeking!"),
        Spoiled.ELSEWHERE: words.plain("That hand is on the table in a chat where you play: no peeking!"),
        Spoiled.GIVEN_AWAY: words.plain(
            "Somebody is playing that hand. You gave two hands away within an hour,"
            " so I show you none like it for an hour."
        ),
        Spoiled.SHARED: words.plain(
            "That hand is on the table in a chat where some of you play: no peeking!"
        ),
        Spoiled.SEALED: words.plain(
            "Somebody is playing that hand in a chat where hands were given away, so I show none of theirs"
            " for an hour."
        ),
        Spoiled.NOBODY: words.plain("That hand is on another table: please do this under your own name."),
        Spoiled.DAILY: words.plain("That is the hand of the day: no peeking before it is solved!"),
        None: words.plain("That hand is over by now: ask again."),
    }
    reason = reasons[spoiled]
    return context.answer(reason, alert=True) or [context.say(safe(reason))]


async def turned_away(context: Context) -> Effect:
    """For somebody who asks for more than can be done: one kind line, and nothing for an inline query."""
    if context.update.inline_query:
        return nothing
    line = context.words.say("That’s a lot at once! Please ask again, one at a time.")
    return saying(*(context.answer(plain(line)) or [context.say(line)]))


ROUTES = Routes(others={Other.REFUSED: turned_away})
