"""/solve: what solves a hand, in every way that people write one."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from bot.database import Tx
from bot.delivery.intake import Kind as Work
from bot.games.daily import queries as daily
from bot.games.rounds import reveals
from bot.games.rounds.commands import sorry
from bot.games.twentyfour.cover import Question, gives_away, question
from bot.games.twentyfour.solutions import solutions
from bot.games.twentyfour.solving import SolvingError
from bot.i18n import Html, Words, plain, quoted, safe
from bot.telegram.context import Context, Effect, nothing, saying
from bot.telegram.messages import Request, edit
from bot.telegram.routes import Button, Command, Other, Routes

MOST_NUMBERS = 10
LARGEST = 10**6
DIGITS = str.maketrans("０１２３４５６７８９，、；＝　", "0123456789,,;= ")
CARDS = {"A": 1, "J": 11, "Q": 12, "K": 13}


@dataclass(frozen=True, slots=True)
class Asked:
    """A hand and its target."""

    numbers: tuple[int, ...]
    target: int

    def questions(self, ideas: Sequence[str] = ()) -> list[Question]:
        """What its solutions answer; `ideas` are these, once they are known."""
        return [question(self.numbers, self.target, ideas)]


def read(words: Words, text: str) -> Asked | Html:
    """The hand in `text`, or one line that says what to write instead."""
    usage = words.say("Write numbers, and a target if it isn't 24: /solve 3 8 3 8 = 24")
    if len(text) > 256:
        return words.say("That is too long: at most {most} numbers.", most=MOST_NUMBERS)
    hand, _, goal = text.translate(DIGITS).replace("→", "=").replace("->", "=").partition("=")
    pieces = [p for p in re.split(r"[\s,;]+", hand) if p]
    numbers = []
    for piece in pieces:
        number = _number(piece)
        if number is None:
            return words.say(
                "“{piece}” is no whole number from 0 to {most}. Like this: /solve 3 8 3 8",
                piece=quoted(piece[:30]),
                most=LARGEST,
            )
        numbers.append(number)
    if not numbers:
        return usage
    if len(numbers) > MOST_NUMBERS:
        return words.say("That is too long: at most {most} numbers.", most=MOST_NUMBERS)
    target = _number(goal.strip()) if goal.strip() else 24
    if target is None:
        return words.say(
            "The target “{piece}” is no whole number from 0 to {most}.",
            piece=quoted(goal.strip()[:30]),
            most=LARGEST,
        )
    return Asked(tuple(numbers), target)


def _number(piece: str) -> int | None:
    if piece.upper() in CARDS:
        return CARDS[piece.upper()]
    if not re.fullmatch(r"[0-9]{1,7}", piece) or int(piece) > LARGEST:
        return None
    return int(piece)


async def solve(context: Context) -> Effect:
    """List the ideas that solve a hand, unless that would spoil a live one."""
    asked = read(context.words, context.argument)
    if not isinstance(asked, Asked):
        return saying(context.say(asked))
    return await _solutions(context, asked, page=0)


async def page_pressed(context: Context) -> Effect:
    """A button under a long list: show another page of it."""
    offered = r"v:([0-9,]{1,50})=([0-9]{1,7}):([0-9]{1,3})"
    match = re.fullmatch(offered, context.pressed) if context.offered else None
    asked = read(context.words, f"{match[1]}={match[2]}") if match else None
    if match is None or not isinstance(asked, Asked):
        return saying(*context.answer(context.words.plain("That button is out of date.")))
    return await _solutions(context, asked, page=int(match[3]))


async def turned_away(context: Context) -> Effect:
    """For somebody who asks for more than can be done: one kind line, and nothing for an inline query."""
    if context.update.inline_query:
        return nothing
    line = context.words.say("That is too much at once for me. Please ask again, one at a time.")
    return saying(*(context.answer(plain(line)) or [context.say(line)]))


async def _solutions(context: Context, asked: Asked, page: int) -> Effect:
    if await context.services.store.read(lambda tx: spoils(context, tx, asked.questions())):
        return lambda tx: refused(context, spoils(context, tx, asked.questions()))
    try:
        found = await context.services.solving.solutions(asked.numbers, asked.target)
    except SolvingError:
        return saying(sorry(context), *context.answer())
    text, keyboard = solutions(
        context.words, asked.numbers, asked.target, found.ideas, complete=found.complete, page=page
    )
    if context.query and context.message:
        shown = [edit(context.chat.id, context.message.message_id, text, keyboard), *context.answer()]
    else:
        shown = [context.say(text, keyboard=keyboard)]
    answered = asked.questions(found.ideas)
    await look_through(context, answered)
    return showing(context, answered, shown, found.ideas)


async def look_through(context: Context, answered: Sequence[Question]) -> None:
    """Compare what was found with all hands on tables, in a thread: the transaction then knows of it."""
    hands = await context.services.store.read(reveals.on_tables)
    await asyncio.to_thread(lambda: [gives_away(answered, hand) for hand in hands])


def showing(
    context: Context, asked: Sequence[Question], shown: Sequence[Request], ideas: Sequence[str] = ()
) -> Effect:
    """Show what answers the questions, unless that would spoil a live hand; who sees it is remembered."""

    def effect(tx: Tx) -> list[Request]:
        if (spoiled := spoils(context, tx, asked)) is not None:
            return refused(context, spoiled)
        reveals.remember(tx, readers(context), asked, context.now, ideas)
        return list(shown)

    return effect


def readers(context: Context) -> list[int]:
    """Who sees an answer: everybody in the chat, and the person who asked."""
    return [context.chat.id, *([context.player.id] if context.player else [])]


class Spoiled(Enum):
    """What the solutions would spoil."""

    HERE = auto()
    """The hand on this chat's table."""
    ELSEWHERE = auto()
    """One on the table of another chat where the person plays."""
    GIVEN_AWAY = auto()
    """One that is live anywhere, for somebody who gives hands away."""
    NOBODY = auto()
    """One that is live anywhere, where no person asks whom it could be held against."""
    DAILY = auto()
    """A daily hand, for somebody who may still solve it."""


def spoils(context: Context, tx: Tx, asked: Sequence[Question]) -> Spoiled | None:
    """What the solutions would spoil for the person and, outside of private, for the chat; None: nothing."""
    if (spoiled := spoils_round(context, tx, asked)) is not None:
        return spoiled
    reader = context.player.id if context.player and context.chat.private else None
    return Spoiled.DAILY if daily.sealed(tx, reader, asked, context.now) else None


def spoils_round(context: Context, tx: Tx, asked: Sequence[Question]) -> Spoiled | None:
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
    return Spoiled.GIVEN_AWAY if reveals.barred(tx, who, context.now) else None


def refused(context: Context, spoiled: Spoiled | None) -> list[Request]:
    """Why the solutions are not shown."""
    words = context.words
    reasons = {
        Spoiled.HERE: words.plain("That hand is on the table here: no peeking!"),
        Spoiled.ELSEWHERE: words.plain("That hand is on the table in a chat where you play: no peeking!"),
        Spoiled.GIVEN_AWAY: words.plain(
            "That hand is on a table somewhere. You gave two hands away within an hour,"
            " so I show you none of those until an hour after the last."
        ),
        Spoiled.NOBODY: words.plain("That hand is on another table: please do this under your own name."),
        Spoiled.DAILY: words.plain("That is the hand of the day: no peeking before it is solved!"),
        None: words.plain("That hand is over by now: ask again."),
    }
    said = reasons[spoiled]
    return context.answer(said, alert=True) or [context.say(safe(said))]


ROUTES = Routes(
    commands=[
        Command("solve", solve, Work.SEARCH, lambda said: said.plain("how a hand is done: /solve 3 8 3 8"))
    ],
    buttons=[Button("v", page_pressed, Work.PAGE)],
    others={Other.REFUSED: turned_away},
)
