"""/race: hands one after the other in one message, and what follows when a round is over."""

import logging
from dataclasses import replace
from typing import Any

from bot.database import Tx
from bot.delivery.intake import Kind as Work
from bot.games.game import Game
from bot.games.known import GAMES, USUAL, unpack
from bot.games.puzzle import DealError, Kind, Options, Puzzle, UnknownWordError, level_names
from bot.games.race import queries as races
from bot.games.race import rules
from bot.games.race.rules import Race, next_hand
from bot.games.rounds import queries as rounds
from bot.games.rounds import tries
from bot.games.rounds.commands import already, aside, deal, new_round, opened_lately, shut, sorry
from bot.games.rounds.rules import Round
from bot.groups.settings import rules as preferences
from bot.groups.settings.rules import Preferences
from bot.i18n import Html, Words, quoted, words
from bot.people import queries as people
from bot.people.leaderboard import queries as boards
from bot.telegram import messages
from bot.telegram.context import Context, Effect, saying
from bot.telegram.messages import Request
from bot.telegram.routes import Command, Routes
from bot.workers.pool import SolvingError

log = logging.getLogger(__name__)

NAMES = {game.command: game.key for game in GAMES.values()}
"""The games by what /race calls them."""
FAR = 20
"""Messages below the race's own after which the next hand is a new post, so that nobody scrolls for it."""


async def race(context: Context) -> Effect:
    """Start a race, unless a hand is on the table. All its hands are dealt now: a race waits for nothing."""
    try:
        asked = rules.read(context.argument, level_names(context.words), NAMES)
    except UnknownWordError as error:
        refused = _no_such_option(context.words, error.fragment)
        return lambda tx: aside(context, tx, refused)
    game = GAMES[asked.game] if asked.game else USUAL
    live = await context.services.store.read(lambda tx: rounds.live(tx, context.chat.id, context.topic))
    if live is not None:
        return lambda tx: already(context, tx)
    chosen = preferences.of(context.chat)
    why = await shut(context, chosen) or await _too_long(context, chosen, asked.length)
    if why is not None:
        return lambda tx: aside(context, tx, why)
    try:
        dealt = [await deal(context, game, Options(asked.level)) for _ in range(asked.length)]
    except SolvingError:
        return saying(sorry(context))
    except DealError as error:
        none = error.why(context.words)
        return lambda tx: aside(context, tx, none)
    return lambda tx: _start(context, tx, game, dealt)


def _no_such_option(words: Words, fragment: str) -> Html:
    return words.say(
        "“{fragment}”? /race takes {fewest}–{most} for the hands, and a level: /race 5 hard",
        fragment=quoted(fragment),
        fewest=rules.SHORTEST,
        most=rules.LONGEST,
    )


async def _too_long(context: Context, chosen: Preferences, length: int) -> Html | None:
    """Why a race of so many hands doesn't fit into the hour; None where it does. Each hand is a round."""
    free = preferences.room(chosen, await opened_lately(context, chosen), context.now)
    if free is None or length <= free:
        return None
    if free < rules.SHORTEST:
        return context.words.say("One more hand can be dealt here within the hour: /play, but no race.")
    return context.words.say(
        "A race of {length} hands is more than this hour allows here. This works: /race {most}",
        length=length,
        most=free,
    )


def _start(context: Context, tx: Tx, game: Game[Any], dealt: list[Puzzle]) -> list[Request]:
    first = rounds.open_round(tx, new_round(context, game, dealt[0], Kind.FIRST, rules.SECONDS))
    if first is None:
        return already(context, tx)
    new = Race(
        id=0,
        chat_id=context.chat.id,
        topic=context.topic,
        starter_id=first.dealer_id,
        length=len(dealt),
        opened=context.now,
    )
    stored = races.start(tx, new, [_packed(game, puzzle) for puzzle in dealt[1:]])
    rounds.join_race(tx, first.id, stored.id)
    people.regain_budget(tx, context.chat.id)
    return [messages.show(first, new=True)]


def _packed(game: Game[Any], puzzle: Puzzle) -> dict[str, Any]:
    """What is still to be dealt, as a race keeps it."""
    facts = {"level": puzzle.level, "expected": puzzle.expected}
    return {"game": game.key, "puzzle": game.pack(puzzle), **facts}


def follow(tx: Tx, over: Round, now: float, said: int | None = None) -> list[Request]:
    """Show the round that is just `over`; in a race, deal the next hand, whose clock starts at `now`.

    `said` is the message that ended it, if one did: where that stands far below the race's own message,
    the next hand is shown in a new one.
    """
    if over.kind is Kind.BEST:
        _earned(tx, over)
    present = races.by_id(tx, over.race_id) if over.race_id is not None else None
    if present is None or not present.open:
        return [messages.show(over)]
    after = next_hand(present, answered=tries.tried(tx, over.id))
    hand = _taken(tx, present.id) if after.open else None
    after = replace(after, open=hand is not None)
    races.advance(tx, after)
    if hand is None:
        return [messages.show(over)]
    moved = said is not None and over.message_id is not None and said - over.message_id > FAR
    opened = rounds.open_round(tx, _next_round(after, over, hand, now, moved=moved))
    if opened is None:
        races.advance(tx, replace(after, open=False))
        return [messages.show(over)]
    return [*_pointer(over, moved=moved), messages.show(opened, new=opened.message_id is None)]


def _earned(tx: Tx, over: Round) -> None:
    """What was handed in earns what its game says, once the round is over."""
    awards = GAMES[over.game].close(over, rounds.handed_in(tx, over.id))
    for number, award in enumerate(awards):
        boards.award(tx, over, replace(award, part=str(number)), over.message_id or 0, over.closed or 0.0)


def _taken(tx: Tx, race_id: int) -> tuple[str, Puzzle] | None:
    """The race's next puzzle and its game, read back from how it was stored; None if none can be read."""
    try:
        packed = races.take_hand(tx, race_id)
        return None if packed is None else _unpacked(packed)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        log.warning("race %s ends: its next hand can't be read (%s)", race_id, type(error).__name__)
        return None


def _unpacked(packed: dict[str, Any]) -> tuple[str, Puzzle]:
    """A stored puzzle. Raises ValueError, TypeError or LookupError for one that nobody could play."""
    key = packed["game"]
    return key, unpack(key, packed["puzzle"], packed["level"], packed["expected"])


def _next_round(race: Race, over: Round, dealt: tuple[str, Puzzle], now: float, *, moved: bool) -> Round:
    game, puzzle = dealt
    return Round(
        id=0,
        chat_id=over.chat_id,
        topic=over.topic,
        kind=Kind.FIRST,
        game=game,
        puzzle=puzzle,
        dealer_id=race.starter_id,
        language=over.language,
        race_id=race.id,
        message_id=None if moved else over.message_id,
        asked_id=over.asked_id,
        opened=now,
        deadline=now + race.seconds,
    )


def _pointer(over: Round, *, moved: bool) -> list[Request]:
    """What the race's former message says once the race has moved on."""
    if not moved or over.message_id is None:
        return []
    text = words(over.language).say("The race goes on below.")
    return [messages.edit(over.chat_id, over.message_id, f"🏁 {text} ⬇️")]


ROUTES = Routes(
    commands=[Command("race", race, Work.DEAL, lambda said: said.plain("ten hands, one after the other"))]
)
