"""/race: hands one after the other in one message."""

from typing import Any

from bot.admin.settings import preferences as preferences
from bot.database import Tx
from bot.i18n import Html, Words, quote_fragment
from bot.modes.race import queries as races
from bot.modes.race import rules
from bot.modes.race.rules import Race
from bot.players import queries as people
from bot.queue.admission import UpdateKind
from bot.rounds import queries as rounds
from bot.rounds.commands import (
    apologize_for_timeout,
    deal_puzzle,
    load_deal_refusal,
    load_pressed_round,
    load_recent_deal_times,
    make_notice_effect,
    make_round,
    point_to_open_hand,
    refuse_old_button,
)
from bot.rounds.game import Game
from bot.rounds.puzzle import DealError, Options, Puzzle, UnknownWordError, get_levels_by_name
from bot.rounds.registry import ANOTHER_GAME, DEFAULT_GAME, GAMES, get_race_options, pack_puzzle
from bot.telegram import messages
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes
from bot.workers.pool import SolvingError


async def race(context: Context) -> Effect:
    """Start a race, unless a hand is on the table. All its hands are dealt now: a race waits for nothing."""
    names = {name: game.key for game in GAMES.values() for name in (game.command, *game.aliases)}
    try:
        asked = rules.parse_race_options(context.argument, get_levels_by_name(context.words), names)
    except UnknownWordError as error:
        return make_notice_effect(context, _no_such_option(context.words, error.fragment))
    game = GAMES[asked.game] if asked.game else DEFAULT_GAME
    try:
        return await _race(context, game, get_race_options(game, asked.level), asked.length)
    except DealError as error:
        return make_notice_effect(context, error.render_reason(context.words))


async def again(context: Context) -> Effect:
    """The button under a race that is over: another one like it."""
    pressed = await load_pressed_round(context)
    if pressed is None or pressed.race_id is None or context.player is None or context.message is None:
        return refuse_old_button(context)
    number = pressed.race_id
    before = await context.services.store.read(lambda tx: races.load_race(tx, number))
    if before is None or before.open:
        return refuse_old_button(context)
    game = GAMES[pressed.game]
    try:
        return await _race(context, game, game.unpack_options(pressed.options, pressed.kind), before.length)
    except DealError as error:
        return make_notice_effect(context, error.render_reason(context.words))


async def _race(context: Context, game: Game[Any], options: Options, length: int) -> Effect:
    """Start a race of so many hands, unless something hinders it. Raises DealError as `deal`."""
    if (instead := await load_deal_refusal(context)) is not None:
        return instead
    if (why := await _too_long(context, length)) is not None:
        return make_notice_effect(context, why)
    try:
        dealt = [await deal_puzzle(context, game, options) for _ in range(length)]
    except SolvingError:
        return apologize_for_timeout(context)
    return lambda tx: _start(context, tx, game, options, dealt)


def _no_such_option(words: Words, fragment: str) -> Html:
    return words.translate(
        "“{fragment}”? /race takes {fewest}–{most} for the hands, and a level or a game: /race 5 hard, "
        "/race 3 {game}",
        fragment=quote_fragment(fragment),
        game=ANOTHER_GAME.command,
        fewest=rules.MIN_LENGTH,
        most=rules.MAX_LENGTH,
    )


async def _too_long(context: Context, length: int) -> Html | None:
    """Why a race of so many hands doesn't fit into the hour; None where it does. Each hand is a round."""
    chosen = preferences.read_preferences(context.chat)
    free = preferences.count_rounds_left(
        chosen, await load_recent_deal_times(context, chosen), context.sent_at
    )
    if free is None or length <= free:
        return None
    if free < rules.MIN_LENGTH:
        return context.words.translate("Only one more hand fits into this hour: /play it, no race.")
    return context.words.translate(
        "{length} hands are too many for this hour here. This works: /race {most}",
        length=length,
        most=free,
    )


def _start(context: Context, tx: Tx, game: Game[Any], options: Options, dealt: list[Puzzle]) -> list[Request]:
    first = rounds.open_round(tx, make_round(context, game, dealt[0], options, rules.HAND_SECONDS))
    if first is None:
        return point_to_open_hand(context, tx)
    new = Race(
        id=0,
        chat_id=context.chat.id,
        topic=context.topic,
        starter_id=first.dealer_id,
        length=len(dealt),
        opened=context.sent_at,
    )
    stored = races.insert_race(tx, new, [pack_puzzle(game.key, puzzle) for puzzle in dealt[1:]])
    rounds.add_to_race(tx, first.id, stored.id)
    people.regain_budget(tx, context.chat.id)
    return [messages.show_round(first, new=True), *context.answer_press()]


ROUTES = Routes(
    commands=[
        CommandRoute(
            "race",
            race,
            UpdateKind.DEAL,
            lambda speech: speech.translate_plain("ten hands, one after the other"),
        )
    ],
    buttons=[ButtonRoute("r", again, UpdateKind.DEAL_PRESS)],
)
