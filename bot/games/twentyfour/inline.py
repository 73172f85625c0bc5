"""Inline mode: `@bot` offers a hand to solve in any chat, `@bot 3 8 3 8` what solves one."""

import re
from dataclasses import replace

from bot.database import Tx
from bot.games.known import GAMES
from bot.games.puzzle import Kind
from bot.games.rounds import reveals, secrets
from bot.games.rounds.commands import hindered, new_round, open_hand, play, refusing, sorry
from bot.games.twentyfour import dealing, offers, solve
from bot.games.twentyfour.game import TwentyFour, no_such_hand
from bot.games.twentyfour.hand import LARGEST_TARGET, chosen
from bot.groups.settings import rules as preferences
from bot.telegram.context import Context, Effect, nothing, saying
from bot.telegram.messages import Request
from bot.telegram.routes import Other, Routes
from bot.workers.pool import SolvingError

CODE = re.compile(r"([1-9]|1[0-3])(-([1-9]|1[0-3])){2,5}-[0-9]{1,4}", re.ASCII)
"""A hand and its target in a link, as `offers.hand` writes it."""


async def inline(context: Context) -> Effect:
    """Answer an inline query."""
    query = context.update.inline_query
    if query is None or context.player is None:
        return nothing
    if not context.argument:
        return await _offer(context, query.id)
    asked = solve.read(context.words, context.argument)
    if not isinstance(asked, solve.Asked):
        return saying(_only(context, query.id, context.words.plain("Type a hand: 3 8 3 8 = 24")))
    return await _solve(context, query.id, asked)


async def _offer(context: Context, query_id: str) -> Effect:
    """A fresh hand, by what the person chose in private."""
    usual, services = chosen(context.chat.settings), context.services
    try:
        hand = await dealing.deal(
            services.solving, services.seed(), usual.cards, usual.highest, usual.target, usual.level
        )
    except (SolvingError, ValueError):
        return saying(_only(context, query_id, context.words.plain("Play with me")))
    offer = offers.hand(context.words, hand.numbers, hand.target, services.me.username or "")
    button = (context.words.plain("Play with me"), "play")
    return saying(offers.answer_inline(context.chat.id, query_id, [offer], button))


async def _solve(context: Context, query_id: str, asked: solve.Asked) -> Effect:
    """What solves the hand, unless that would spoil a live one for the person."""
    peeking = _only(context, query_id, context.words.plain("That hand is live for you: no peeking!"))
    if await context.services.store.read(lambda tx: secrets.spoils(context, tx, asked.queries())):
        return saying(peeking)
    try:
        found = await dealing.solutions(context.services.solving, asked.numbers, asked.target)
    except SolvingError:
        return saying(_only(context, query_id, context.words.plain("That took too long.")))
    answered = asked.queries(found.ideas)
    await secrets.look_through(context, answered)
    articles = offers.solved(context.words, asked.numbers, asked.target, found.ideas, complete=found.complete)
    button = (context.words.plain("Play with me"), "play")

    def effect(tx: Tx) -> list[Request]:
        if secrets.spoils(context, tx, answered):
            return [peeking]
        reveals.remember(tx, [context.chat.id], answered, context.now)
        return [offers.answer_inline(context.chat.id, query_id, articles, button)]

    return effect


def _only(context: Context, query_id: str, line: str) -> Request:
    """No offers, but a line above them that opens the private chat."""
    return offers.answer_inline(context.chat.id, query_id, [], (line, "help"))


async def given(context: Context) -> Effect:
    """`?start=hand_3-8-3-8-24`: deal this hand, in private."""
    if not context.chat.private or not CODE.fullmatch(context.argument):
        return await play(replace(context, argument=""))
    *numbers, target = map(int, context.argument.split("-"))
    if target > LARGEST_TARGET:
        return refusing(context, no_such_hand(context.words))
    return await _deal(context, solve.Asked(tuple(numbers), target))


async def _deal(context: Context, asked: solve.Asked) -> Effect:
    if (instead := await hindered(context)) is not None:
        return instead
    try:
        hand = await dealing.of(context.services.solving, asked.numbers, asked.target)
    except SolvingError:
        return sorry(context)
    except ValueError:
        return refusing(context, no_such_hand(context.words))
    limit = preferences.of(context.chat).seconds
    new = new_round(context, GAMES[TwentyFour.key], hand, Kind.FIRST, limit)

    def effect(tx: Tx) -> list[Request]:
        spoiled = secrets.spoils(context, tx, asked.queries(hand.ideas))
        return secrets.refused(context, spoiled) if spoiled else open_hand(context, tx, new)

    return effect


ROUTES = Routes(others={Other.INLINE: inline}, doors={"hand": given})
