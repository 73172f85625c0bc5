"""Answers by somebody who may not score: no points for them, and another hand for all the others.

That is whoever was shown the solution, or watches others duel.

Everybody in the chat has read the answer, so the round's message shows another hand at once, until the same
deadline, for the same points. That hand is dealt before the transaction that decides.

Where everybody hands in until the end, and somebody has, the hand stays. To score it and end it there and
then would pay whoever hands in and at once lets a channel give it away, and to withdraw it would take from
the others what they have. So what was sent until `COPYING` seconds after it was given away counts as ever,
and later only what is nearer than that: who gives it away wins no time and no points by it. Where nothing is
nearer, it is over in the few seconds that all have behind the target itself.

A message of more sums than are read may hold the answer anywhere, and is taken to.

Channels and anonymous admins give hands away as well. Nobody knows who that was, so it is the chat that is
noted: once it happened twice within an hour, nobody is shown its hands.
"""

from collections.abc import Sequence
from dataclasses import replace

from bot.database import Tx
from bot.games.duel import queries as duels
from bot.games.known import GAMES, covers, is_likely
from bot.games.puzzle import DealError, Fit, Kind, Puzzle, Query
from bot.games.rounds import entries as handing
from bot.games.rounds import queries as rounds
from bot.games.rounds import reveals, tries
from bot.games.rounds.commands import SEEN, like, react
from bot.games.rounds.endings import end
from bot.games.rounds.rules import Round, State, ended, hurried, in_time, telling, unhurried, with_hints
from bot.i18n import Html, mention, words
from bot.people import queries as people
from bot.telegram import messages
from bot.telegram.context import Context, Effect, nothing
from bot.telegram.legible import legible
from bot.telegram.messages import Request
from bot.telegram.routes import Other, Routes
from bot.workers.pool import SolvingError

DRAWS = 3
"""Hands that are dealt at most to find one that the former does not give away."""
ALSO_RIGHT = "👏"


async def prepared(context: Context) -> Context:
    """The context with another hand at the ready, if its message seems to give away the one on the table."""
    if context.chat.private or context.ephemeral:
        return context
    text = _text(context)
    if not is_likely(text):
        return context
    given = await context.services.store.read(lambda tx: _given(context, tx))
    return replace(context, telling=True, spare=await _another(context, given[0])) if given else context


async def _told_of(context: Context, given: Round) -> list[Query]:
    """What a hand that was given away asks for, and what is shown of it from then on."""
    entries = await context.services.store.read(lambda tx: handing.handed_in(tx, given))
    return [Query(given.line), Query(given.line, tuple(entry.answer for entry in entries))]


def _text(context: Context) -> str:
    """All that others read in the message: behind a command, below a picture, in a poll or a quote."""
    return legible(context.message.to_dict()) if context.message else ""


async def _another(context: Context, given: Round) -> Puzzle | None:
    """A puzzle for the place of one that was given away; None when there is none in time."""
    known = await _told_of(context, given)
    try:
        for _ in range(DRAWS):
            drawn = await like(context, given)
            if not covers(given.game, drawn.line, known):
                return drawn
    except (SolvingError, DealError):
        return None
    return None


async def overheard(context: Context) -> Effect:
    """A message from elsewhere, a changed one, or one without a text is no answer, but may tell a solution
    that its sender was shown.
    """
    message = context.update.message or context.update.edited_message
    speaks = context.player or (message and (message.sender_chat or message.is_automatic_forward))
    if message is None or not speaks:
        return nothing
    ready = await prepared(context)
    return (lambda tx: told(ready, tx)) if ready.telling else nothing


def told(context: Context, tx: Tx) -> list[Request]:
    """What follows where the message gives a hand of this chat away; nothing where it does not."""
    given = _given(context, tx) if context.telling else None
    return spoiled(context, tx, *given) if given else []


def _given(context: Context, tx: Tx) -> tuple[Round, list[str]] | None:
    """The hand of this chat, in whatever topic, that the text tells how to do, and so gives away, and how.

    A right answer by no person is read by all; a step on the way is not taken amiss of them.
    """
    text = _text(context)
    for round in rounds.live_in_chat(tx, context.chat.id):
        told = GAMES[round.game].tells(round, text, partly=_is_held_to_steps(context, tx, round))
        if not told or not may_not_score(context, tx, round):
            continue
        if new := [answer for answer in told if _is_new(tx, round, answer)]:
            return round, new
    return None


def _is_held_to_steps(context: Context, tx: Tx, round: Round) -> bool:
    """Whether a step on the way is one too many: who watches a duel, knowing nothing, may think aloud."""
    if context.player is None:
        return False
    watching = duels.watches(tx, round, context.player.id)
    return not watching or reveals.seen(tx, round, context.player.id, context.now)


def is_spoiled(context: Context, tx: Tx, round: Round, answer: str) -> bool:
    """Whether the right answer is new to the others, and by no person or by one who may not score."""
    return may_not_score(context, tx, round) and _is_new(tx, round, answer)


def _is_new(tx: Tx, round: Round, answer: str) -> bool:
    """Whether nobody has found, handed in or read the right answer in the round before."""
    found = rounds.finds(tx, round.id) if round.kind is Kind.ALL else []
    if round.kind is Kind.BEST:
        nearer = all(GAMES[round.game].beats(round, answer, told) for told, _ in round.told)
        return nearer and answer not in {entry.answer for entry in handing.handed_in(tx, round)}
    return not found or GAMES[round.game].part(round, answer, found) not in {f.part for f in found}


def is_copied(context: Context, tx: Tx, round: Round, answer: str) -> bool:
    """Whether somebody who may not score repeats what a player handed in: that takes nothing from anybody."""
    best = round.kind is Kind.BEST
    return best and may_not_score(context, tx, round) and not _is_new(tx, round, answer)


def may_not_score(context: Context, tx: Tx, round: Round) -> bool:
    """Whether it is by no person, or by one who only watches or was shown a solution, while it is live."""
    if not in_time(round, context.now):
        return False
    who = context.player.id if context.player else None
    return who is None or duels.watches(tx, round, who) or reveals.seen(tx, round, who, context.now)


def spoiled(context: Context, tx: Tx, round: Round, answers: Sequence[str]) -> list[Request]:
    """No points; in private the hand is over, in a group another takes its place, unless somebody is in."""
    text = why_no_points(context, tx, round)
    if context.message is None:
        return []
    if context.chat.private:
        shown = end(tx, ended(round, State.SKIPPED, context.now), context.begins, context.message.message_id)
        return [context.say(text), *shown]
    who = context.player.id if context.player else None
    if who is None:
        reveals.gave_away(tx, context.chat.id, context.now)
    elif not duels.watches(tx, round, who) and reveals.asked_for(tx, round, who, context.now):
        reveals.gave_away(tx, who, context.now)
    entries = handing.handed_in(tx, round) if round.kind is Kind.BEST else []
    after = _replaced(context, tx, round) if not entries else None
    if after is None and round.kind is Kind.BEST:
        return [*_reason(context, tx, text), *_goes_on(context, tx, telling(round, answers, context.now))]
    if after is None:
        text = Html(f"{text} {context.words.say('I have no other hand at the moment, so this one stays.')}")
    shown = [messages.show(after, new=after.message_id is None)] if after else []
    return [*_reason(context, tx, text), *shown]


def _reason(context: Context, tx: Tx, text: Html) -> list[Request]:
    """Why there are no points; where the chat bears no other post, a look."""
    told = context.player is not None and people.spend_budget(tx, context.chat.id)
    return [context.say(text)] if told else react(context, SEEN, context.say(text))


def _goes_on(context: Context, tx: Tx, told: Round) -> list[Request]:
    """Let a hand stay in which somebody is, or that has to, though all have read a way to do it."""
    closes = GAMES[told.game].closes(told, handing.handed_in(tx, told), context.received)
    rounds.set_deadline(tx, hurried(told, closes))
    speech = words(told.language)
    if closes is None:
        _note(context, tx, told, speech.say("that one was given away: only what comes nearer counts now."))
    else:
        _note(context, tx, told, speech.say("that one was given away: what was handed in before counts."))
    return [messages.show(told)]


def _note(context: Context, tx: Tx, round: Round, text: Html) -> None:
    """Let a deal's message say it of whoever gave the hand away."""
    tries.note(tx, round.id, context.player.id if context.player else tries.NO_PERSON, text)


def why_no_points(context: Context, tx: Tx, round: Round) -> Html:
    """What is said to whoever may not score."""
    duel = duels.of_race(tx, round.race_id)
    if duel is None or (context.player is not None and context.player.id in duel.players):
        return context.words.say("Right, but its solution was shown to you after the deal: no points.")
    one, other = (mention(who) for who in duel.players)
    return context.words.say("Right, but this is {one} and {other}’s duel: no points.", one=one, other=other)


def _may_be_replaced(context: Context, round: Round) -> bool:
    spare = context.spare
    return spare is not None and GAMES[round.game].may_replace(round.puzzle, spare)


def _replaced(context: Context, tx: Tx, round: Round) -> Round | None:
    """What stands in the place of a hand that was given away; None where it has to stay."""
    over = ended(round, State.GIVEN_AWAY, context.now)
    if not _may_be_replaced(context, round) or not rounds.close(tx, over):
        return None
    opened = rounds.open_round(tx, _in_its_place(round, context.spare, context.begins))
    if opened is not None:
        speech = words(round.language)
        why = speech.say("that one was given away, so this is another: same time, same points.")
        _note(context, tx, opened, why)
    return opened


def _in_its_place(round: Round, puzzle: Puzzle, now: float) -> Round:
    """Another hand until the same deadline, which no answer to the former has brought nearer."""
    most = GAMES[round.game].hints(puzzle)
    placed = replace(unhurried(round), id=0, puzzle=puzzle, opened=now)
    return with_hints(placed, min(round.hints, most))


def earlier(context: Context, tx: Tx, round: Round) -> Round | None:
    """The hand before this one that was given away, if the message solves that."""
    for given in rounds.given_away(tx, round):
        if GAMES[given.game].check(given.puzzle, context.argument).fit is Fit.RIGHT:
            return given
    return None


def kind_word(context: Context, tx: Tx, given: Round) -> list[Request]:
    """Right, for the hand that was given away meanwhile."""
    author = context.player.id if context.player else tries.NO_PERSON
    said = context.say(_was_given_away(context, given))
    if tries.came_late(tx, given.id, author) > 1 or not people.spend_budget(tx, context.chat.id):
        return react(context, ALSO_RIGHT, said)
    return [*react(context, ALSO_RIGHT), said]


def _was_given_away(context: Context, given: Round) -> Html:
    answer = GAMES[given.game].check(given.puzzle, context.argument).answer
    if handing.is_it(given, answer):
        return context.words.say("Right as well, but that hand was given away. Well found!")
    shown = handing.shown(given, answer)
    return context.words.say("{entry}, but that hand was given away.", entry=shown)


ROUTES = Routes(others={Other.OVERHEARD: overheard})
