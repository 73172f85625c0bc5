"""/why: an expression, written behind the command or found in the message replied to, step by step."""

from itertools import islice

import solver
from bot.delivery.intake import Kind as Work
from bot.games.puzzle import Query
from bot.games.rounds import secrets
from bot.games.twentyfour.cover import parts
from bot.games.twentyfour.hand import line_of
from bot.games.twentyfour.pieces import MOST_PIECES, pieces
from bot.games.twentyfour.steps import steps
from bot.games.twentyfour.verdicts import unreadable
from bot.telegram.context import Context, Effect, saying
from bot.telegram.routes import Command, Routes


async def why(context: Context) -> Effect:
    """The steps of an expression, unless it gives a live hand away.

    An unreadable one gets a line that says what is wrong with it.
    """
    text = context.argument or _replied(context)
    if not text:
        ask = context.words.say(
            "Reply to an expression with /why, or write it after the command: /why 8/(3-8/3)"
        )
        return saying(context.say(ask))
    found = find(text)
    if isinstance(found, solver.Expression):
        asked = [Query(line_of(part.numbers, part.target), part.shown) for part in parts(found)]
        await secrets.look_through(context, asked)
        return secrets.showing(context, asked, [context.say(steps(context.words, found))])
    return saying(context.say(unreadable(context.words, found.reason, found.fragment)))


def _replied(context: Context) -> str:
    """The part of the other message that was quoted, or all of it."""
    message = context.message
    if message is None or message.reply_to_message is None:
        return ""
    if message.quote:
        return message.quote.text
    return message.reply_to_message.text or message.reply_to_message.caption or ""


def find(text: str) -> solver.Expression | solver.ExpressionError:
    """The first expression with a sign in `text`, which may be a line among others; else what is wrong."""
    trouble: solver.ExpressionError | None = None
    for piece in islice(pieces(text), MOST_PIECES):
        try:
            expression = solver.parse(piece)
        except solver.ExpressionError as error:
            trouble = trouble or error
        else:
            if expression.op:
                return expression
    return trouble or solver.ExpressionError("no operator", 0, text.strip()[:20])


ROUTES = Routes(
    commands=[
        Command(
            "why", why, Work.QUESTION, lambda said: said.plain("an expression, step by step: /why 8/(3-8/3)")
        )
    ]
)
