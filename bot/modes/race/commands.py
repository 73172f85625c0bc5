"""Start a race with `/race`, or repeat one with the button under its end."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from bot.database import Tx
from bot.i18n import Html, RefusalError, Words, quote_fragment, translate_later
from bot.levels import get_levels_by_name, render_level
from bot.modes.race import queries as races
from bot.modes.race import rules
from bot.players import queries as people
from bot.queue.admission import UpdateKind
from bot.rounds import commands as play
from bot.rounds import queries as rounds
from bot.rounds.game import Game
from bot.rounds.give_up import GivenUp, give_up, load_wish, render_outcome
from bot.rounds.puzzle import DealtPuzzle, Options, UnknownWordError
from bot.rounds.registry import GAMES, find_another_game, get_race_options
from bot.rounds.rules import Round
from bot.rounds.view import SKIP_AND_RACE_BUTTON
from bot.telegram import messages
from bot.telegram.context import Context, Effect, Response
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes


async def start_race(context: Context) -> Effect:
    """Start a race with the options in the argument, unless no hand can be dealt here."""
    try:
        game, options, length = _parse_race(context.words, context.argument)
    except UnknownWordError as error:
        usage = context.words.translate(
            "“{fragment}”? /race takes {fewest}–{most} for the hands, and a level or a game:"
            " /race 5 {hard}, /race 3 {game}",
            fragment=quote_fragment(error.fragment),
            hard=render_level(context.words, "hard"),
            game=find_another_game().command,
            fewest=rules.MIN_LENGTH,
            most=rules.MAX_LENGTH,
        )
        return play.make_notice_effect(context, usage)
    return await _deal_race(context, game, options, length)


def _parse_race(words: Words, text: str) -> tuple[Game[Any], Options, int]:
    """Parse the argument of /race: the game, the options of each hand and their number.

    Raises UnknownWordError, and DealError if there are no such races.
    """
    games = {name: game.key for game in GAMES.values() for name in (game.command, *game.aliases)}
    options = rules.parse_race_options(text, get_levels_by_name(words), games)
    game = GAMES[options.game] if options.game else GAMES.default
    return game, get_race_options(game, options.level), options.length or rules.DEFAULT_LENGTH


async def press_race_again(context: Context) -> Effect:
    """Start a race like the one above the button, which must be over."""
    pressed = await play.load_pressed_round(context)
    if pressed is None or pressed.race_id is None or context.player is None:
        return play.refuse_old_button(context)
    race_id = pressed.race_id
    race = await context.services.store.read(lambda tx: races.load_race(tx, race_id))
    if race is None or race.is_open:
        return play.refuse_old_button(context)
    game = GAMES[pressed.game]
    options = game.options.unpack(pressed.options, pressed.kind)
    return await _deal_race(context, game, options, race.length)


async def _deal_race(context: Context, game: Game[Any], options: Options, length: int) -> Effect:
    """Return the effect that starts a race of new hands, or the one that refuses it.

    Raises RefusalError if the race can't be dealt.
    """
    member_refusal = await play.load_member_refusal(context)
    if member_refusal is not None:
        return member_refusal  # without the offer to give the open hand up
    refusal = await load_race_refusal(context, length, _render_too_long)
    if refusal is not None:
        argument = f"{length} {options.level or ''} {game.command}"
        return lambda tx: _refuse_race(context, tx, refusal, argument)
    return await _draw_race(context, game, options, length)


def _refuse_race(context: Context, tx: Tx, refusal: Effect, argument: str) -> Sequence[Response]:
    """Refuse a race; below an open hand that belongs to no race, offer to give it up for this one."""
    live = rounds.load_open_round(tx, context.chat.id, context.topic)
    if live is None or live.race_id is not None or context.is_press:
        return refusal(tx)
    rounds.update_game_state(tx, replace(live, awaited_race=argument))
    return [*refusal(tx), messages.show_round(live.chat_id, live.id)]


async def press_give_up_and_race(context: Context) -> Effect:
    """Give the hand above the button up, or vote for that; once it is given up, start the awaited race."""
    pressed = await play.load_pressed_round(context)
    if pressed is None or not pressed.awaited_race or context.player is None:
        return play.refuse_old_button(context)
    refusal = await play.load_member_refusal(context)
    if refusal is not None:
        return refusal
    await play.refuse_forbidden_deal(context)
    start = await _draw_race(context, *_parse_race(context.words, pressed.awaited_race))
    wish = await load_wish(context)

    def effect(tx: Tx) -> Sequence[Response]:
        outcome = give_up(tx, rounds.load_round(tx, pressed.id), wish)
        shown = render_outcome(context, tx, outcome)
        return [*shown, *start(tx)] if isinstance(outcome, GivenUp) else shown

    return effect


async def _draw_race(context: Context, game: Game[Any], options: Options, length: int) -> Effect:
    """Deal all hands of a race now and return the effect that starts it, or points to an open hand."""
    first_hand, *undealt = await play.deal_puzzles(context, game, options, length)
    first = play.make_round(context, game, first_hand, options, rules.HAND_SECONDS)

    def effect(tx: Tx) -> Sequence[Response]:
        opened = open_race(tx, first, undealt)
        if opened is None:
            return play.refuse_second_deal(context, tx)
        return [messages.show_round(opened.chat_id, opened.id, new=True), *context.answer_press()]

    return effect


async def load_race_refusal(
    context: Context,
    length: int,
    render_too_long: Callable[[Words, int, int], Html],
    *,
    by_member: bool = False,
) -> Effect | None:
    """Return the effect that refuses the hands, as `load_deal_refusal` does; None if they may be dealt.

    Raises RefusalError if no hand may be dealt here now; with the text of `render_too_long`, which gets
    `length` and the number of hands left, if the hour has no room for so many.
    """
    refusal = await play.load_deal_refusal(context, by_member=by_member)
    left = await play.count_rounds_left(context)
    if refusal is None and left is not None and left < length:
        raise RefusalError(lambda words: render_too_long(words, length, left))
    return refusal


def _render_too_long(words: Words, length: int, left: int) -> Html:
    """Render that a race of this length can't be dealt, as the hour has room for `left` hands only."""
    if left < rules.MIN_LENGTH:  # one: without any, a deal was refused before
        return words.translate("Only one more hand fits into this hour: /play it, no race.")
    return words.translate(
        "{length} hands are too many for this hour here. This works: /race {most}", length=length, most=left
    )


def open_race(tx: Tx, first: Round, undealt: Sequence[DealtPuzzle], *, spare: int = 0) -> Round | None:
    """Store a race and its first hand, and return the hand; None if another is open.

    The race is shorter than its dealt hands by `spare` hands.
    """
    opened = rounds.open_round(tx, first)
    if opened is None:
        return None
    race_id = races.insert_race(tx, first, undealt, spare=spare)
    rounds.update_round(tx, opened.id, race_id=race_id)
    people.regain_post_budget(tx, first.chat_id)  # as with any deal: where people play, posts are welcome
    return replace(opened, race_id=race_id)


ROUTES = Routes(
    commands=[
        CommandRoute("race", start_race, UpdateKind.DEAL, translate_later("ten hands, one after the other"))
    ],
    buttons=[
        ButtonRoute("r", press_race_again, UpdateKind.DEAL_PRESS),
        ButtonRoute(SKIP_AND_RACE_BUTTON, press_give_up_and_race, UpdateKind.DEAL_PRESS),
    ],
)
