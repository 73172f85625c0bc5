"""/solve: what solves a hand, in every way that people write one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.delivery.intake import Kind as Work
from bot.games.puzzle import Query
from bot.games.rounds import secrets
from bot.games.rounds.commands import out_of_date, sorry
from bot.games.twentyfour import dealing
from bot.games.twentyfour.hand import line_of
from bot.games.twentyfour.solutions import solutions
from bot.i18n import Html, Words, quoted
from bot.telegram.context import Context, Effect, saying
from bot.telegram.messages import edit
from bot.telegram.routes import Button, Command, Routes
from bot.workers.pool import SolvingError

MOST_NUMBERS = 10
LARGEST = 10**6
DIGITS = str.maketrans("０１２３４５６７８９，、；＝　", "0123456789,,;= ")
CARDS = {"A": 1, "J": 11, "Q": 12, "K": 13}


@dataclass(frozen=True, slots=True)
class Asked:
    """A hand and its target."""

    numbers: tuple[int, ...]
    target: int

    def queries(self, ideas: Sequence[str] = ()) -> list[Query]:
        """What its solutions answer; `ideas` are these, once they are known."""
        return [Query(line_of(self.numbers, self.target), tuple(ideas))]


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
        return out_of_date(context)
    return await _solutions(context, asked, page=int(match[3]))


async def _solutions(context: Context, asked: Asked, page: int) -> Effect:
    if await context.services.store.read(lambda tx: secrets.spoils(context, tx, asked.queries())):
        return lambda tx: secrets.refused(context, secrets.spoils(context, tx, asked.queries()))
    try:
        found = await dealing.solutions(context.services.solving, asked.numbers, asked.target)
    except SolvingError:
        return sorry(context)
    text, keyboard = solutions(
        context.words, asked.numbers, asked.target, found.ideas, complete=found.complete, page=page
    )
    if context.query and context.message:
        shown = [edit(context.chat.id, context.message.message_id, text, keyboard), *context.answer()]
    else:
        shown = [context.say(text, keyboard=keyboard)]
    answered = asked.queries(found.ideas)
    await secrets.look_through(context, answered)
    return secrets.showing(context, answered, shown, found.ideas)


ROUTES = Routes(
    commands=[
        Command("solve", solve, Work.SEARCH, lambda said: said.plain("how a hand is done: /solve 3 8 3 8"))
    ],
    buttons=[Button("v", page_pressed, Work.PAGE)],
)
