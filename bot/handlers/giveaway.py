"""Answers by somebody who was shown the solution: no points for them, and another hand for all the others.

Everybody in the chat has read the answer, so the round's message shows another hand at once, until the same
deadline, for the same points. That hand is dealt before the transaction that decides.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import solver
from bot import reply
from bot.cover import gives_away, question, tells
from bot.handlers.play import SEEN, like
from bot.handlers.race import follow
from bot.pieces import expressions, likely
from bot.reply import Outgoing
from bot.round import Kind, Round, give_away, in_time, name_idea, skip
from bot.solving import Hand, SolvingError
from bot.store import Tx, people, reveals, rounds
from bot.turn import Move, Turn, nothing
from bot.words import Html, words

DRAWS = 3
"""Hands that are dealt at most to find one that the former does not give away."""
MOST_TEXT = 5120
"""Characters of a message that is looked through."""
DEEP = 2
"""Expressions of a message that are looked at for a solution in disguise."""
ALSO_RIGHT = "👏"


async def prepared(turn: Turn) -> Turn:
    """The turn with another hand at the ready, if its message seems to give away the one on the table."""
    if turn.chat.private or not turn.update.message or len(_text(turn)) > MOST_TEXT:
        return turn
    if not likely(_text(turn)):
        return turn
    given = await turn.services.store.read(lambda tx: _given(turn, tx))
    return replace(turn, telling=True, spare=await _another(turn, given)) if given else turn


def _text(turn: Turn) -> str:
    """All that was written, a command and its argument: others read that too."""
    return (turn.message.text or "") if turn.message else ""


async def _another(turn: Turn, given: Round) -> Hand | None:
    """A hand for the place of one that was given away; None when there is none in time."""
    old = reveals.hand(given)
    try:
        for _ in range(DRAWS):
            drawn = await like(turn, given)
            if not gives_away([old], question(drawn.numbers, drawn.target)):
                return drawn
    except (SolvingError, ValueError):
        return None
    return None


async def overheard(turn: Turn) -> Move:
    """A message from elsewhere is no answer, but may be a solution that its sender was shown."""
    message = turn.update.message
    speaks = turn.player or (message and (message.sender_chat or message.is_automatic_forward))
    if message is None or not speaks:
        return nothing
    ready = await prepared(turn)
    return (lambda tx: told(ready, tx)) if ready.telling else nothing


def watched(handler: Callable[[Turn], Awaitable[Move]]) -> Callable[[Turn], Awaitable[Move]]:
    """The command's handler, where a solution that stands behind the command is seen to first."""

    async def handled(turn: Turn) -> Move:
        given, meant = await overheard(turn), await handler(turn)
        return meant if given is nothing else lambda tx: given(tx) or meant(tx)

    return handled


def told(turn: Turn, tx: Tx) -> list[Outgoing]:
    """What follows where the turn's text gives a hand of this chat away; nothing where it does not."""
    given = _given(turn, tx) if turn.telling else None
    return spoiled(turn, tx, given) if given else []


def _given(turn: Turn, tx: Tx) -> Round | None:
    """The hand of this chat, in whatever topic, that the text tells how to do, and so gives away.

    A right answer by no person is read by all; a step on the way is not taken amiss of them.
    """
    for round in rounds.live_in_chat(tx, turn.chat.id):
        asked, partly = reveals.hand(round), turn.player is not None
        written = expressions(_text(turn), round.numbers)
        telling = [e for n, e in enumerate(written) if tells(e, asked, partly=partly, deep=n < DEEP)]
        if any(is_spoiled(turn, tx, round, text) for text in _solutions(round, telling)):
            return round
    return None


def _solutions(round: Round, telling: Sequence[solver.Expression]) -> list[str]:
    """What is looked up among the ideas that were found already, and any one where only the first counts."""
    if round.kind is not Kind.ALL:
        return [str(e) for e in telling[:1]]
    whole = [part for e in telling for part in e.walk() if part.op and part.value == round.target]
    numbers = sorted(round.numbers)
    return list(dict.fromkeys(str(part) for part in whole if sorted(part.numbers) == numbers))


def is_spoiled(turn: Turn, tx: Tx, round: Round, expression: str) -> bool:
    """Whether the right answer is new to the others, and by somebody who was shown it or by no person."""
    if not in_time(round, turn.now):
        return False
    if turn.player is not None and not reveals.seen(tx, round, turn.player.id, turn.now):
        return False
    found = [f.idea for f in rounds.finds(tx, round.id)] if round.kind is Kind.ALL else []
    return not found or name_idea(expression, [*round.ideas, *found]) not in found


def spoiled(turn: Turn, tx: Tx, round: Round) -> list[Outgoing]:
    """No points; in private the hand is over, in a group another takes its place."""
    text = turn.words.say("Right, but its solution was shown to you after the deal: no points.")
    if turn.message is None:
        return []
    if turn.chat.private:
        skipped = skip(round, turn.now)
        shown = follow(tx, skipped, turn.begins, turn.message.message_id) if rounds.close(tx, skipped) else []
        return [turn.say(text), *shown]
    if turn.player is not None:
        reveals.gave_away(tx, turn.player.id, turn.now)
    after = _replaced(turn, tx, round)
    if after is None:
        text = Html(f"{text} {turn.words.say('I have no other hand at the moment, so this one stays.')}")
    seen = reply.react(turn.chat.id, turn.message.message_id, SEEN)
    said = turn.say(text) if turn.player and people.spend_patience(tx, turn.chat.id) else seen
    return [said, *([reply.show(after, new=after.message_id is None)] if after else [])]


def _replaced(turn: Turn, tx: Tx, round: Round) -> Round | None:
    """What stands in the place of a hand that was given away; None where it has to stay."""
    spare = turn.spare
    if spare is None or spare.target != round.target:
        return None
    if not rounds.close(tx, give_away(round, turn.now)):
        return None
    opened = rounds.open_round(tx, _in_its_place(round, spare, turn.begins))
    if opened is not None:
        said = words(round.language)
        why = said.say("that one was given away, so this is another: same time, same points.")
        rounds.note(tx, opened.id, turn.player.id if turn.player else rounds.NO_PERSON, why)
    return opened


def _in_its_place(round: Round, hand: Hand, now: float) -> Round:
    return replace(
        round,
        id=0,
        numbers=hand.numbers,
        level=hand.level,
        expected=hand.expected,
        ideas=hand.ideas,
        hint_values=hand.hints,
        hints=min(round.hints, len(hand.hints)),
        opened=now,
    )


def earlier(turn: Turn, tx: Tx, round: Round) -> Round | None:
    """The hand before this one that was given away, if the turn's text solves that."""
    for given in rounds.given_away(tx, round):
        if isinstance(solver.check(turn.argument, given.numbers, given.target), solver.Correct):
            return given
    return None


def kind_word(turn: Turn, tx: Tx, given: Round) -> list[Outgoing]:
    """Right, for the hand that was given away meanwhile."""
    if turn.player is None or turn.message is None:
        return []
    clap = reply.react(turn.chat.id, turn.message.message_id, ALSO_RIGHT)
    if rounds.came_late(tx, given.id, turn.player.id) > 1 or not people.spend_patience(tx, turn.chat.id):
        return [clap]
    text = turn.words.say("Right as well, but that hand was given away. Well found!")
    return [clap, turn.say(text)]
