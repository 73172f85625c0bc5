"""Answers by somebody who may not score: no points for them, and another hand for all the others.

That is whoever was shown the solution, or watches others duel.

Everybody in the chat has read the answer, so the round's message shows another hand at once, until the same
deadline, for the same points. That hand is dealt before the transaction that decides.

Where everybody hands in until the end, what was handed in before counts: the round is over and earns what it
would have earned then. In a race or a duel the next hand follows, as behind any other that is over.
"""

from dataclasses import replace

from bot.database import Tx
from bot.games.duel import queries as duels
from bot.games.known import GAMES
from bot.games.puzzle import DealError, Fit, Kind, Puzzle, Query
from bot.games.rounds import entries as handing
from bot.games.rounds import queries as rounds
from bot.games.rounds import reveals, tries
from bot.games.rounds.commands import SEEN, like, react
from bot.games.rounds.endings import earned, end
from bot.games.rounds.rules import Round, State, ended, in_time, unhurried, with_hints
from bot.i18n import Html, Words, mention, words
from bot.people import queries as people
from bot.telegram import messages
from bot.telegram.context import Context, Effect, nothing
from bot.telegram.messages import Request
from bot.telegram.routes import Other, Routes
from bot.workers.pool import SolvingError

DRAWS = 3
"""Hands that are dealt at most to find one that the former does not give away."""
MOST_TEXT = 5120
"""Characters of a message that is looked through."""
ALSO_RIGHT = "👏"


async def prepared(context: Context) -> Context:
    """The context with another hand at the ready, if its message seems to give away the one on the table."""
    if context.chat.private or context.ephemeral or len(_text(context)) > MOST_TEXT:
        return context
    if not any(game.is_likely(_text(context)) for game in GAMES.values()):
        return context
    given = await context.services.store.read(lambda tx: _given(context, tx))
    return replace(context, telling=True, spare=await _another(context, given)) if given else context


async def _told_of(context: Context, given: Round) -> list[Query]:
    """What a hand that was given away asks for, and what is shown of it from then on."""
    entries = await context.services.store.read(lambda tx: handing.handed_in(tx, given))
    return [Query(given.line), Query(given.line, tuple(entry.answer for entry in entries))]


def _text(context: Context) -> str:
    """All that was written, a command and its argument or below a picture: others read that too."""
    return (context.message.text or context.message.caption or "") if context.message else ""


async def _another(context: Context, given: Round) -> Puzzle | None:
    """A puzzle for the place of one that was given away; None when there is none in time."""
    known = await _told_of(context, given)
    try:
        for _ in range(DRAWS):
            drawn = await like(context, given)
            if not reveals.covers(given.game, drawn.line, known):
                return drawn
    except (SolvingError, DealError):
        return None
    return None


async def overheard(context: Context) -> Effect:
    """A message from elsewhere, a changed one, or a caption is no answer, but may tell a solution that its
    sender was shown.
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
    return spoiled(context, tx, given) if given else []


def _given(context: Context, tx: Tx) -> Round | None:
    """The hand of this chat, in whatever topic, that the text tells how to do, and so gives away.

    A right answer by no person is read by all; a step on the way is not taken amiss of them.
    """
    for round in rounds.live_in_chat(tx, context.chat.id):
        told = GAMES[round.game].tells(round, _text(context), partly=_is_held_to_steps(context, tx, round))
        if any(is_spoiled(context, tx, round, answer) for answer in told):
            return round
    return None


def _is_held_to_steps(context: Context, tx: Tx, round: Round) -> bool:
    """Whether a step on the way is one too many: who watches a duel, knowing nothing, may think aloud."""
    if context.player is None:
        return False
    watching = duels.watches(tx, round, context.player.id)
    return not watching or reveals.seen(tx, round, context.player.id, context.now)


def is_spoiled(context: Context, tx: Tx, round: Round, answer: str) -> bool:
    """Whether the right answer is new to the others, and by no person or by one who may not score."""
    if not may_not_score(context, tx, round):
        return False
    found = rounds.finds(tx, round.id) if round.kind is Kind.ALL else []
    if round.kind is Kind.BEST:
        return answer not in {entry.answer for entry in handing.handed_in(tx, round)}
    return not found or GAMES[round.game].part(round, answer, found) not in {f.part for f in found}


def is_copied(context: Context, tx: Tx, round: Round, answer: str) -> bool:
    """Whether somebody who may not score repeats what a player handed in: that takes nothing from anybody."""
    spoils = is_spoiled(context, tx, round, answer)
    return round.kind is Kind.BEST and not spoils and may_not_score(context, tx, round)


def may_not_score(context: Context, tx: Tx, round: Round) -> bool:
    """Whether it is by no person, or by one who only watches or was shown a solution, while it is live."""
    if not in_time(round, context.now):
        return False
    who = context.player.id if context.player else None
    return who is None or duels.watches(tx, round, who) or reveals.seen(tx, round, who, context.now)


def spoiled(context: Context, tx: Tx, round: Round) -> list[Request]:
    """No points; in private the hand is over, in a group another takes its place."""
    text = why_no_points(context, tx, round)
    if context.message is None:
        return []
    if context.chat.private:
        shown = end(tx, ended(round, State.SKIPPED, context.now), context.begins, context.message.message_id)
        return [context.say(text), *shown]
    if context.player is not None and not duels.watches(tx, round, context.player.id):
        reveals.gave_away(tx, context.player.id, context.now)
    handed_in = round.kind is Kind.BEST and bool(handing.handed_in(tx, round))
    if handed_in and (round.race_id is not None or not _may_be_replaced(context, round)):
        return [*_reason(context, tx, text), *_over_early(context, tx, round)]
    after = _replaced(context, tx, round, scored=handed_in)
    if after is None:
        text = Html(f"{text} {context.words.say('I have no other hand at the moment, so this one stays.')}")
    shown = [messages.show(after, new=after.message_id is None)] if after else []
    return [*_reason(context, tx, text), *shown]


def _reason(context: Context, tx: Tx, text: Html) -> list[Request]:
    """Why there are no points; where the chat bears no other post, a look."""
    told = context.player is not None and people.spend_budget(tx, context.chat.id)
    return [context.say(text)] if told else react(context, SEEN)


def _over_early(context: Context, tx: Tx, round: Round) -> list[Request]:
    """End a round with what was handed in before it was given away; in a race the next hand follows."""
    message_id = context.message.message_id if context.message else None
    shown = end(tx, ended(round, State.SKIPPED, context.now), context.begins, message_id)
    after = rounds.live(tx, round.chat_id, round.topic)
    said = words(round.language)
    _note(context, tx, after or round, said.say("that one was given away: what was handed in before counts."))
    return shown


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


def _replaced(context: Context, tx: Tx, round: Round, *, scored: bool) -> Round | None:
    """What stands in the place of a hand that was given away; None where it has to stay.

    `scored`: what was handed in until then earns what it does at a round's end.
    """
    over = ended(round, State.GIVEN_AWAY, context.now)
    if not _may_be_replaced(context, round) or not rounds.close(tx, over):
        return None
    if scored:
        earned(tx, over)
    opened = rounds.open_round(tx, _in_its_place(round, context.spare, context.begins))
    if opened is not None:
        _note(context, tx, opened, _why_another(words(round.language), scored=scored))
    return opened


def _why_another(said: Words, *, scored: bool) -> Html:
    if scored:
        return said.say("that one was given away: what was handed in before counts, and this is another.")
    return said.say("that one was given away, so this is another: same time, same points.")


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
    if tries.came_late(tx, given.id, author) > 1 or not people.spend_budget(tx, context.chat.id):
        return react(context, ALSO_RIGHT)
    text = context.words.say("Right as well, but that hand was given away. Well found!")
    return [*react(context, ALSO_RIGHT), context.say(text)]


ROUTES = Routes(others={Other.OVERHEARD: overheard})
