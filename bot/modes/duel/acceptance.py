"""A challenge is accepted, and the duel begins; or it is turned down."""

import re
from dataclasses import replace
from typing import Any

from bot.admin.settings import rules as preferences
from bot.database import Tx
from bot.i18n import Html, name, plain
from bot.modes.duel import queries as duels
from bot.modes.duel import rules, view
from bot.modes.duel.rules import Duel, Progress
from bot.modes.race import queries as races
from bot.modes.race.rules import SECONDS, Race
from bot.players import queries as people
from bot.rounds import commands, photos
from bot.rounds import queries as rounds
from bot.rounds.commands import already, deal, new_round, opened_lately, refusing, sorry
from bot.rounds.game import Game
from bot.rounds.known import GAMES, packed
from bot.rounds.puzzle import DealError, Kind, Options, Puzzle
from bot.rounds.rules import Round
from bot.telegram import messages
from bot.telegram.captions import SOME
from bot.telegram.context import Context, Effect, saying
from bot.telegram.messages import Request
from bot.workers.pool import SolvingError


async def hindered(context: Context) -> Effect | None:
    """What is said instead of a duel: as for any hand, or that there is no room in the hour for all of it."""
    if (instead := await commands.hindered(context)) is not None:
        return instead
    chosen = preferences.of(context.chat)
    free = preferences.room(chosen, await opened_lately(context, chosen), context.now)
    if free is None or free >= rules.HANDS:
        return None
    line = context.words.say("A duel takes up to five hands, and this hour has room for {free}.", free=free)
    return refusing(context, line)


async def accepted(context: Context) -> Effect:
    """The button under a challenge: the duel begins."""
    offered = await _pressed(context)
    return _gone(context) if offered is None else await accept(context, offered)


async def declined(context: Context) -> Effect:
    """The other button: the one who was challenged would rather not, or the challenger takes it back."""
    offered = await _pressed(context)
    if offered is None or context.player is None or context.message is None:
        return _gone(context)
    photo = offered.photo or (SOME if context.message.photo else "")
    shown = replace(offered, message_id=offered.message_id or context.message.message_id, photo=photo)
    if context.player.id == offered.challenger_id:
        return lambda tx: _over(context, tx, take_back(tx, shown))
    if not _is_challenged(context, offered):
        return saying(*context.answer(_not_yours_to_end(context, offered)))
    return lambda tx: _over(context, tx, _ended(tx, shown, view.declined(shown)))


def take_back(tx: Tx, offered: Duel) -> list[Request]:
    """The challenger wants it no more; nothing is said where it is over already."""
    names = people.names(tx, [offered.challenger_id])
    return _ended(tx, offered, view.taken_back(offered, names.get(offered.challenger_id)))


def _ended(tx: Tx, offered: Duel, text: Html) -> list[Request]:
    """The challenge is gone, and its message says so."""
    if not duels.remove(tx, offered.id):
        return []
    people.drop_stranger(tx, offered.challenger_id)
    if offered.message_id is None:
        return [messages.post(offered.chat_id, text, topic=offered.topic)]
    return [view.changed(offered, offered.message_id, text)]


def _over(context: Context, tx: Tx, ended: list[Request]) -> list[Request]:
    return [*ended, *context.answer()] if ended else _gone(context)(tx)


def _is_challenged(context: Context, offered: Duel) -> bool:
    """Whether whoever pressed is the one who is challenged by name."""
    player = context.player
    return player is not None and rules.challenges(offered, player.id, player.username)


async def _pressed(context: Context) -> Duel | None:
    """The challenge that a button's data names, if it waits in the chat and message where it was pressed, or
    at the table whose page it was pressed on.
    """
    number = context.pressed.partition(":")[2]
    above = context.message.message_id if context.message else 0
    if not context.offered or not re.fullmatch(r"[1-9][0-9]{0,17}", number):
        return None
    found = await context.services.store.read(lambda tx: duels.by_id(tx, int(number)))
    if found is None or found.state is not Progress.OFFERED or found.chat_id != context.chat.id:
        return None
    if context.received > found.until:  # it is told as soon as somebody looks
        return None
    if context.board:
        return found if found.message_id is not None and found.topic == context.topic else None
    return found if found.message_id in (None, above) else None


def _gone(context: Context) -> Effect:
    return saying(*context.answer(context.words.plain("That challenge is over.")))


def _not_yours(context: Context, offered: Duel) -> str:
    if offered.is_open:
        return context.words.plain("Somebody else has to accept your challenge.")
    return plain(context.words.say("This challenge is for {name}.", name=name(offered.opponent)))


def _not_yours_to_end(context: Context, offered: Duel) -> str:
    if offered.is_open:
        return context.words.plain("Only the one who challenged can take it back.")
    return _not_yours(context, offered)


async def accept(context: Context, offered: Duel) -> Effect:
    """Begin the duel, unless something hinders it. All its hands are dealt now, as those of a race are."""
    player, message = context.player, context.message
    if player is None or message is None or not offered.challenger_id:
        return _gone(context)
    mine = player.id == offered.challenger_id
    if mine or not (offered.is_open or _is_challenged(context, offered)):
        return saying(*context.answer(_not_yours(context, offered)))
    if (instead := await hindered(context)) is not None:
        return instead
    game = GAMES[offered.game]
    options = game.unpack_options(offered.options, Kind.FIRST)
    try:
        dealt = [await deal(context, game, options) for _ in range(rules.HANDS)]
    except SolvingError:
        return sorry(context)
    except DealError as error:
        return refusing(context, error.why(context.words))
    photo = offered.photo or (SOME if message.photo and offered.message_id is None else "")
    ready = replace(offered, opponent_id=player.id, opponent=player.name, photo=photo)
    first = _first(context, ready, game, options, dealt[0])
    return lambda tx: _begin(context, tx, ready, first, dealt[1:])


def _first(context: Context, ready: Duel, game: Game[Any], options: Options, puzzle: Puzzle) -> Round:
    """The first hand, in the message of the challenge."""
    above = context.message.message_id if context.message else None
    return replace(
        new_round(context, game, puzzle, options, SECONDS),
        dealer_id=ready.challenger_id,
        language=ready.language,
        topic=ready.topic,
        message_id=ready.message_id or above,
    )


def _begin(context: Context, tx: Tx, ready: Duel, first: Round, piled: list[Puzzle]) -> list[Request]:
    present = duels.by_id(tx, ready.id)
    waits = present is not None and present.state is Progress.OFFERED
    if present is None or not waits or present.challenger_id != ready.challenger_id:
        return _gone(context)(tx)  # also where the challenger was forgotten while the hands were dealt
    if (busy := _busy(context, tx, ready)) is not None:
        return context.answer(plain(busy))
    opened = rounds.open_round(tx, first)
    if opened is None:
        return already(context, tx)
    new = Race(
        id=0,
        chat_id=ready.chat_id,
        topic=ready.topic,
        starter_id=ready.challenger_id,
        length=rules.HANDS,
        opened=context.now,
    )
    race = races.start(tx, new, [packed(first.game, puzzle) for puzzle in piled])
    rounds.join_race(tx, opened.id, race.id)
    photos.posted(tx, opened.id, opened.message_id or 0, ready.photo or None)
    duels.accept(tx, ready.id, ready.opponent_id or 0, race.id)
    people.regain_budget(tx, ready.chat_id)
    return [messages.show(opened), *context.answer()]


def _busy(context: Context, tx: Tx, ready: Duel) -> Html | None:
    """Why the duel can't begin: one of the two is in another by now."""
    if duels.fighting(tx, ready.opponent_id or 0):
        return context.words.say("You are in a duel already.")
    if duels.fighting(tx, ready.challenger_id):
        known = people.names(tx, [ready.challenger_id]).get(ready.challenger_id)
        return context.words.say("{name} is in a duel just now.", name=name(known))
    return None
