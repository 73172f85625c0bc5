"""A challenge is accepted, and the duel begins; or it is turned down."""

import re
from dataclasses import replace
from typing import Any

from bot.admin.settings import rules as preferences
from bot.database import Tx
from bot.i18n import Html, format_name, strip_tags
from bot.modes.duel import queries as duels
from bot.modes.duel import rules, view
from bot.modes.duel.rules import Duel, DuelState
from bot.modes.race import queries as races
from bot.modes.race.rules import HAND_SECONDS, Race
from bot.players import queries as people
from bot.rounds import commands, photos
from bot.rounds import queries as rounds
from bot.rounds.commands import point_to_open_hand, deal_puzzle, make_round, load_recent_deal_times, make_notice_effect, apologize_for_timeout
from bot.rounds.game import Game
from bot.rounds.known import GAMES, pack_puzzle
from bot.rounds.puzzle import DealError, Kind, Options, Puzzle
from bot.rounds.rules import Round
from bot.telegram import messages
from bot.telegram.captions import UNKNOWN_CONTENT
from bot.telegram.context import Context, Effect, send_only
from bot.telegram.messages import Request
from bot.workers.pool import SolvingError


async def find_obstacle(context: Context) -> Effect | None:
    """What is said instead of a duel: as for any hand, or that there is no room in the hour for all of it."""
    if (instead := await commands.load_deal_refusal(context)) is not None:
        return instead
    chosen = preferences.read_preferences(context.chat)
    free = preferences.count_rounds_left(chosen, await load_recent_deal_times(context, chosen), context.sent_at)
    if free is None or free >= rules.MAX_HANDS:
        return None
    line = context.words.translate("A duel takes up to five hands, and this hour has room for {free}.", free=free)
    return make_notice_effect(context, line)


async def press_accept(context: Context) -> Effect:
    """The button under a challenge: the duel begins."""
    offered = await _pressed(context)
    return _gone(context) if offered is None else await accept_challenge(context, offered)


async def press_decline(context: Context) -> Effect:
    """The other button: the one who was challenged would rather not, or the challenger takes it back."""
    offered = await _pressed(context)
    if offered is None or context.player is None or context.message is None:
        return _gone(context)
    photo = offered.photo or (UNKNOWN_CONTENT if context.message.photo else "")
    shown = replace(offered, message_id=offered.message_id or context.message.message_id, photo=photo)
    if context.player.id == offered.challenger_id:
        return lambda tx: _over(context, tx, withdraw_challenge(tx, shown))
    if not _is_challenged(context, offered):
        return send_only(*context.answer_press(_not_yours_to_end(context, offered)))
    return lambda tx: _over(context, tx, _ended(tx, shown, view.render_declined(shown)))


def withdraw_challenge(tx: Tx, offered: Duel) -> list[Request]:
    """The challenger wants it no more; nothing is said where it is over already."""
    names = people.load_names(tx, [offered.challenger_id])
    return _ended(tx, offered, view.render_taken_back(offered, names.get(offered.challenger_id)))


def _ended(tx: Tx, offered: Duel, text: Html) -> list[Request]:
    """The challenge is gone, and its message says so."""
    if not duels.delete_challenge(tx, offered.id):
        return []
    people.delete_inactive_player(tx, offered.challenger_id)
    if offered.message_id is None:
        return [messages.post_message(offered.chat_id, text, topic=offered.topic)]
    return [view.make_challenge_edit(offered, offered.message_id, text)]


def _over(context: Context, tx: Tx, ended: list[Request]) -> list[Request]:
    return [*ended, *context.answer_press()] if ended else _gone(context)(tx)


def _is_challenged(context: Context, offered: Duel) -> bool:
    """Whether whoever pressed is the one who is challenged by name."""
    player = context.player
    return player is not None and rules.is_challenged(offered, player.id, player.username)


async def _pressed(context: Context) -> Duel | None:
    """The challenge that a button's data names, if it waits in the chat and message where it was pressed, or
    at the table whose page it was pressed on.
    """
    number = context.button_data.partition(":")[2]
    above = context.message.message_id if context.message else 0
    if not context.is_genuine_press or not re.fullmatch(r"[1-9][0-9]{0,17}", number):
        return None
    found = await context.services.store.read(lambda tx: duels.load_duel(tx, int(number)))
    if found is None or found.state is not DuelState.OFFERED or found.chat_id != context.chat.id:
        return None
    if context.handled_at > found.expires_at:  # it is told as soon as somebody looks
        return None
    if context.board_press_id:
        return found if found.message_id is not None and found.topic == context.topic else None
    return found if found.message_id in (None, above) else None


def _gone(context: Context) -> Effect:
    return send_only(*context.answer_press(context.words.translate_plain("That challenge is over.")))


def _not_yours(context: Context, offered: Duel) -> str:
    if offered.is_for_anybody:
        return context.words.translate_plain("Somebody else has to accept your challenge.")
    return strip_tags(context.words.translate("This challenge is for {name}.", name=format_name(offered.opponent_name)))


def _not_yours_to_end(context: Context, offered: Duel) -> str:
    if offered.is_for_anybody:
        return context.words.translate_plain("Only the one who challenged can take it back.")
    return _not_yours(context, offered)


async def accept_challenge(context: Context, offered: Duel) -> Effect:
    """Begin the duel, unless something hinders it. All its hands are dealt now, as those of a race are."""
    player, message = context.player, context.message
    if player is None or message is None or not offered.challenger_id:
        return _gone(context)
    mine = player.id == offered.challenger_id
    if mine or not (offered.is_for_anybody or _is_challenged(context, offered)):
        return send_only(*context.answer_press(_not_yours(context, offered)))
    if (instead := await find_obstacle(context)) is not None:
        return instead
    game = GAMES[offered.game]
    options = game.unpack_options(offered.options, Kind.FIRST)
    try:
        dealt = [await deal_puzzle(context, game, options) for _ in range(rules.MAX_HANDS)]
    except SolvingError:
        return apologize_for_timeout(context)
    except DealError as error:
        return make_notice_effect(context, error.render_reason(context.words))
    photo = offered.photo or (UNKNOWN_CONTENT if message.photo and offered.message_id is None else "")
    ready = replace(offered, opponent_id=player.id, opponent=player.name, photo=photo)
    first = _first(context, ready, game, options, dealt[0])
    return lambda tx: _begin(context, tx, ready, first, dealt[1:])


def _first(context: Context, ready: Duel, game: Game[Any], options: Options, puzzle: Puzzle) -> Round:
    """The first hand, in the message of the challenge."""
    above = context.message.message_id if context.message else None
    return replace(
        make_round(context, game, puzzle, options, HAND_SECONDS),
        dealer_id=ready.challenger_id,
        language=ready.language,
        topic=ready.topic,
        message_id=ready.message_id or above,
    )


def _begin(context: Context, tx: Tx, ready: Duel, first: Round, piled: list[Puzzle]) -> list[Request]:
    present = duels.load_duel(tx, ready.id)
    waits = present is not None and present.state is DuelState.OFFERED
    if present is None or not waits or present.challenger_id != ready.challenger_id:
        return _gone(context)(tx)  # also where the challenger was forgotten while the hands were dealt
    if (busy := _busy(context, tx, ready)) is not None:
        return context.answer_press(strip_tags(busy))
    opened = rounds.open_round(tx, first)
    if opened is None:
        return point_to_open_hand(context, tx)
    new = Race(
        id=0,
        chat_id=ready.chat_id,
        topic=ready.topic,
        starter_id=ready.challenger_id,
        length=rules.MAX_HANDS,
        opened=context.sent_at,
    )
    race = races.insert_race(tx, new, [pack_puzzle(first.game, puzzle) for puzzle in piled])
    rounds.add_to_race(tx, opened.id, race.id)
    photos.update_shown_picture(tx, opened.id, opened.message_id or 0, ready.photo or None)
    duels.begin_duel(tx, ready.id, ready.opponent_id or 0, race.id)
    people.regain_budget(tx, ready.chat_id)
    return [messages.show_round(opened), *context.answer_press()]


def _busy(context: Context, tx: Tx, ready: Duel) -> Html | None:
    """Why the duel can't begin: one of the two is in another by now."""
    if duels.load_running_duel(tx, ready.opponent_id or 0):
        return context.words.translate("You are in a duel already.")
    if duels.load_running_duel(tx, ready.challenger_id):
        known = people.load_names(tx, [ready.challenger_id]).get(ready.challenger_id)
        return context.words.translate("{name} is in a duel just now.", name=format_name(known))
    return None
