"""Inline mode: `@bot` offers a hand to solve in any chat, `@bot 3 8 3 8` what solves one."""

import re
from dataclasses import replace

from bot import preferences
from bot.handlers import solve
from bot.handlers.play import already, aside, new_round, no_such_hand, open_hand, play, shut
from bot.handlers.play import sorry as too_long
from bot.preferences import LARGEST_TARGET
from bot.reply import Outgoing, offers
from bot.round import Kind
from bot.solving import SolvingError
from bot.store import Tx, reveals, rounds
from bot.turn import Move, Turn, nothing, saying

CODE = re.compile(r"([1-9]|1[0-3])(-([1-9]|1[0-3])){2,5}-[0-9]{1,4}", re.ASCII)
"""A hand and its target in a link, as `offers.hand` writes it."""


async def inline(turn: Turn) -> Move:
    """Answer an inline query."""
    query = turn.update.inline_query
    if query is None or turn.player is None:
        return nothing
    if not turn.argument:
        return await _offer(turn, query.id)
    asked = solve.read(turn.words, turn.argument)
    if not isinstance(asked, solve.Asked):
        return saying(_only(turn, query.id, turn.words.plain("Type a hand: 3 8 3 8 = 24")))
    return await _solve(turn, query.id, asked)


async def _offer(turn: Turn, query_id: str) -> Move:
    """A fresh hand, by what the person chose in private."""
    chosen, services = preferences.of(turn.chat), turn.services
    try:
        hand = await services.solving.deal(
            services.seed(), chosen.cards, chosen.highest, chosen.target, chosen.level
        )
    except (SolvingError, ValueError):
        return saying(_only(turn, query_id, turn.words.plain("Play with me")))
    offer = offers.hand(turn.words, hand.numbers, hand.target, services.me.username or "")
    button = (turn.words.plain("Play with me"), "play")
    return saying(offers.answer_inline(turn.chat.id, query_id, [offer], button))


async def _solve(turn: Turn, query_id: str, asked: solve.Asked) -> Move:
    """What solves the hand, unless that would spoil a live one for the person."""
    peeking = _only(turn, query_id, turn.words.plain("That hand is live for you: no peeking!"))
    if await turn.services.store.read(lambda tx: solve.spoils(turn, tx, asked.questions())):
        return saying(peeking)
    try:
        found = await turn.services.solving.solutions(asked.numbers, asked.target)
    except SolvingError:
        return saying(_only(turn, query_id, turn.words.plain("That took too long.")))
    answered = asked.questions(found.ideas)
    await solve.look_through(turn, answered)
    articles = offers.solved(turn.words, asked.numbers, asked.target, found.ideas, complete=found.complete)
    button = (turn.words.plain("Play with me"), "play")

    def move(tx: Tx) -> list[Outgoing]:
        if solve.spoils(turn, tx, answered):
            return [peeking]
        reveals.remember(tx, [turn.chat.id], answered, turn.now)
        return [offers.answer_inline(turn.chat.id, query_id, articles, button)]

    return move


def _only(turn: Turn, query_id: str, line: str) -> Outgoing:
    """No offers, but a line above them that opens the private chat."""
    return offers.answer_inline(turn.chat.id, query_id, [], (line, "help"))


async def given(turn: Turn) -> Move:
    """`?start=hand_3-8-3-8-24`: deal this hand, in private."""
    if not turn.chat.private or not CODE.fullmatch(turn.argument):
        return await play(replace(turn, argument=""))
    *numbers, target = map(int, turn.argument.split("-"))
    if target > LARGEST_TARGET:
        return lambda tx: aside(turn, tx, no_such_hand(turn.words))
    return await _deal(turn, solve.Asked(tuple(numbers), target))


async def _deal(turn: Turn, asked: solve.Asked) -> Move:
    if await turn.services.store.read(lambda tx: rounds.live(tx, turn.chat.id, turn.topic)):
        return lambda tx: already(turn, tx)
    chosen = preferences.of(turn.chat)
    if (why := await shut(turn, chosen)) is not None:
        return lambda tx: aside(turn, tx, why)
    try:
        hand = await turn.services.solving.hand(asked.numbers, asked.target)
    except SolvingError:
        return saying(too_long(turn))
    except ValueError:
        return lambda tx: aside(turn, tx, no_such_hand(turn.words))
    new = new_round(turn, hand, Kind.FIRST, chosen.seconds)

    def move(tx: Tx) -> list[Outgoing]:
        spoiled = solve.spoils(turn, tx, asked.questions(hand.ideas))
        return solve.refused(turn, spoiled) if spoiled else open_hand(turn, tx, new)

    return move
