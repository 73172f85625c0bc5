"""/why: an expression, written behind the command or found in the message replied to, step by step."""

import re
from collections.abc import Iterator

import solver
from bot.reply.steps import steps
from bot.reply.verdicts import unreadable
from bot.turn import Move, Turn, saying

RUN = re.compile(r"[\s0-9AJQKajqk+\-−–*×·xX/÷:()\[\]{}（）＋－＊／０-９]{3,}")
"""What an expression in the middle of a sentence is made of."""


async def why(turn: Turn) -> Move:
    """The steps of an expression; an unreadable one gets a line that says what is wrong with it."""
    text = turn.argument or _replied(turn)
    if not text:
        ask = turn.words.say(
            "Reply to an expression with /why, or write it after the command: /why 8/(3-8/3)"
        )
        return saying(turn.say(ask))
    found = find(text)
    if isinstance(found, solver.Expression):
        return saying(turn.say(steps(turn.words, found)))
    return saying(turn.say(unreadable(turn.words, found.reason, found.fragment)))


def _replied(turn: Turn) -> str:
    """The part of the other message that was quoted, or all of it."""
    message = turn.message
    if message is None or message.reply_to_message is None:
        return ""
    if message.quote:
        return message.quote.text
    return message.reply_to_message.text or message.reply_to_message.caption or ""


def find(text: str) -> solver.Expression | solver.ExpressionError:
    """The first expression with a sign in `text`, which may be a line among others; else what is wrong."""
    trouble: solver.ExpressionError | None = None
    for piece in _pieces(text):
        try:
            expression = solver.parse(piece)
        except solver.ExpressionError as error:
            trouble = trouble or error
        else:
            if expression.op:
                return expression
    return trouble or solver.ExpressionError("no operator", 0, text.strip()[:20])


def _pieces(text: str) -> Iterator[str]:
    """Where an expression may be, without its result: the whole, each line, each run of its characters."""
    yield _without_result(text)
    for line in text.splitlines():
        yield _without_result(line)
    for run in RUN.findall(text):
        yield run.strip(" \n:-−–")


def _without_result(text: str) -> str:
    """`8/(3-8/3) = 24` asks for the steps of what stands before the sign, whatever the target is here."""
    expression, equals, result = text.replace("＝", "=").partition("=")
    return expression if equals and re.fullmatch(r"[\s0-9−\-/]*[?？!]*", result.rstrip()) else text
