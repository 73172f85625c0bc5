"""Start a race with `/race`, or repeat one with the button under its end."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.database import Tx
from bot.i18n import Html, Words, quote_fragment
from bot.modes.race import queries as races
from bot.modes.race import rules
from bot.modes.race.rules import Race
from bot.players import queries as people
from bot.queue.admission import UpdateKind
from bot.rounds import commands as play
from bot.rounds import queries as rounds
from bot.rounds.game import Game
from bot.rounds.puzzle import DealError, Options, Puzzle, UnknownWordError, get_levels_by_name
from bot.rounds.registry import ANOTHER_GAME, DEFAULT_GAME, GAMES, get_race_options, pack_puzzle
from bot.rounds.rules import Round
from bot.telegram import messages
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes
from bot.workers.pool import SolvingError


async def start_race(context: Context) -> Effect:
    """Start a race with the options in the argument, unless no hand can be dealt here."""
    games = {name: game.key for game in GAMES.values() for name in (game.command, *game.aliases)}
    try:
        options = rules.parse_race_options(context.argument, get_levels_by_name(context.words), games)
    except UnknownWordError as error:
        usage = context.words.translate(
            "“{fragment}”? /race takes {fewest}–{most} for the hands, and a level or a game: /race 5 hard, "
            "/race 3 {game}",
            fragment=quote_fragment(error.fragment),
            game=ANOTHER_GAME.command,
            fewest=rules.MIN_LENGTH,
            most=rules.MAX_LENGTH,
        )
        return play.make_notice_effect(context, usage)
    game = GAMES[options.game] if options.game else DEFAULT_GAME
    try:
        hand_options = get_race_options(game, options.level)
        return await _deal_race(context, game, hand_options, options.length or rules.DEFAULT_LENGTH)
    except DealError as error:
        return play.make_notice_effect(context, error.render_reason(context.words))


async def press_race_again(context: Context) -> Effect:
    """Start a race like the one above the button, which must be over."""
    pressed = await play.load_pressed_round(context)
    if pressed is None or pressed.race_id is None or context.player is None or context.message is None:
        return play.refuse_old_button(context)
    race_id = pressed.race_id
    race = await context.services.store.read(lambda tx: races.load_race(tx, race_id))
    if race is None or race.is_open:
        return play.refuse_old_button(context)
    game = GAMES[pressed.game]
    try:
        options = game.unpack_options(pressed.options, pressed.kind)
        return await _deal_race(context, game, options, race.length)
    except DealError as error:
        return play.make_notice_effect(context, error.render_reason(context.words))


async def _deal_race(context: Context, game: Game[Any], options: Options, length: int) -> Effect:
    """Deal all hands of a race now and return the effect that starts it, or a refusal. Raises DealError."""
    refusal = await play.load_deal_refusal(context)
    if refusal is not None:
        return refusal
    left = await play.count_rounds_left(context)
    if left is not None and left < length:
        return play.make_notice_effect(context, _render_too_long(context.words, length, left))
    try:
        dealt = [await play.deal_puzzle(context, game, options) for _ in range(length)]
    except SolvingError:
        return play.apologize_for_timeout(context)
    first = play.make_round(context, game, dealt[0], options, rules.HAND_SECONDS)

    def effect(tx: Tx) -> list[Request]:
        """Start the race and show its first hand; point to the open hand if there is one."""
        opened = open_race(tx, first, dealt[1:])
        if opened is None:
            return play.point_to_open_hand(context, tx)
        return [messages.show_round(opened, new=True), *context.answer_press()]

    return effect


def _render_too_long(words: Words, length: int, left: int) -> Html:
    """Render that a race of this length can't be dealt, as the hour has room for `left` hands only."""
    if left < rules.MIN_LENGTH:
        return words.translate("Only one more hand fits into this hour: /play it, no race.")
    return words.translate(
        "{length} hands are too many for this hour here. This works: /race {most}", length=length, most=left
    )


def open_race(tx: Tx, first: Round, undealt: Sequence[Puzzle]) -> Round | None:
    """Store a race and its first hand, and return that hand; None if another hand is open there."""
    opened = rounds.open_round(tx, first)
    if opened is None:
        return None
    new = Race(
        id=0,
        chat_id=first.chat_id,
        topic=first.topic,
        starter_id=first.dealer_id,
        length=1 + len(undealt),  # with the first hand
        opened=first.opened,
    )
    race = races.insert_race(tx, new, [pack_puzzle(first.game, puzzle) for puzzle in undealt])
    rounds.add_to_race(tx, opened.id, race.id)
    people.regain_post_budget(tx, first.chat_id)
    return replace(opened, race_id=race.id)


ROUTES = Routes(
    commands=[
        CommandRoute(
            "race",
            start_race,
            UpdateKind.DEAL,
            lambda words: words.translate_plain("ten hands, one after the other"),
        )
    ],
    buttons=[ButtonRoute("r", press_race_again, UpdateKind.DEAL_PRESS)],
)
