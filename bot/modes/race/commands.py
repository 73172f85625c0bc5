"""/race: hands one after the other in one message."""

from typing import Any

from bot.admin.settings import rules as preferences
from bot.database import Tx
from bot.i18n import Html, Words, quoted
from bot.modes.race import queries as races
from bot.modes.race import rules
from bot.modes.race.rules import Race
from bot.players import queries as people
from bot.queue.intake import Work
from bot.rounds import queries as rounds
from bot.rounds.commands import (
    already,
    deal,
    hindered,
    new_round,
    opened_lately,
    out_of_date,
    pressed_round,
    refusing,
    sorry,
)
from bot.rounds.game import Game
from bot.rounds.known import GAMES, OTHER, USUAL, for_a_race, packed
from bot.rounds.puzzle import DealError, Options, Puzzle, UnknownWordError, level_names
from bot.telegram import messages
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request
from bot.telegram.routes import Button, Command, Routes
from bot.workers.pool import SolvingError


async def race(context: Context) -> Effect:
    """Start a race, unless a hand is on the table. All its hands are dealt now: a race waits for nothing."""
    names = {name: game.key for game in GAMES.values() for name in (game.command, *game.aliases)}
    try:
        asked = rules.read(context.argument, level_names(context.words), names)
    except UnknownWordError as error:
        return refusing(context, _no_such_option(context.words, error.fragment))
    game = GAMES[asked.game] if asked.game else USUAL
    try:
        return await _race(context, game, for_a_race(game, asked.level), asked.length)
    except DealError as error:
        return refusing(context, error.why(context.words))


async def again(context: Context) -> Effect:
    """The button under a race that is over: another one like it."""
    pressed = await pressed_round(context)
    if pressed is None or pressed.race_id is None or context.player is None or context.message is None:
        return out_of_date(context)
    number = pressed.race_id
    before = await context.services.store.read(lambda tx: races.by_id(tx, number))
    if before is None or before.open:
        return out_of_date(context)
    game = GAMES[pressed.game]
    try:
        return await _race(context, game, game.unpack_options(pressed.options, pressed.kind), before.length)
    except DealError as error:
        return refusing(context, error.why(context.words))


async def _race(context: Context, game: Game[Any], options: Options, length: int) -> Effect:
    """Start a race of so many hands, unless something hinders it. Raises DealError as `deal`."""
    if (instead := await hindered(context)) is not None:
        return instead
    if (why := await _too_long(context, length)) is not None:
        return refusing(context, why)
    try:
        dealt = [await deal(context, game, options) for _ in range(length)]
    except SolvingError:
        return sorry(context)
    return lambda tx: _start(context, tx, game, options, dealt)


def _no_such_option(words: Words, fragment: str) -> Html:
    return words.say(
        "“{fragment}”? /race takes {fewest}–{most} for the hands, and a level or a game: /race 5 hard, "
        "/race 3 {game}",
        fragment=quoted(fragment),
        game=OTHER.command,
        fewest=rules.SHORTEST,
        most=rules.LONGEST,
    )


async def _too_long(context: Context, length: int) -> Html | None:
    """Why a race of so many hands doesn't fit into the hour; None where it does. Each hand is a round."""
    chosen = preferences.of(context.chat)
    free = preferences.room(chosen, await opened_lately(context, chosen), context.now)
    if free is None or length <= free:
        return None
    if free < rules.SHORTEST:
        return context.words.say("Only one more hand fits into this hour: /play it, no race.")
    return context.words.say(
        "{length} hands are too many for this hour here. This works: /race {most}",
        length=length,
        most=free,
    )


def _start(context: Context, tx: Tx, game: Game[Any], options: Options, dealt: list[Puzzle]) -> list[Request]:
    first = rounds.open_round(tx, new_round(context, game, dealt[0], options, rules.SECONDS))
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
    stored = races.start(tx, new, [packed(game.key, puzzle) for puzzle in dealt[1:]])
    rounds.join_race(tx, first.id, stored.id)
    people.regain_budget(tx, context.chat.id)
    return [messages.show(first, new=True), *context.answer()]


ROUTES = Routes(
    commands=[
        Command("race", race, Work.DEAL, lambda speech: speech.plain("ten hands, one after the other"))
    ],
    buttons=[Button("r", again, Work.DEALING)],
)
