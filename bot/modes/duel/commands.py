"""/duel, and the buttons by which one is offered, accepted, turned down and played again."""

from collections.abc import Mapping
from typing import Any

from bot.admin.settings.photos import pictured
from bot.admin.settings.rules import Pictures
from bot.database import Tx
from bot.i18n import Html, name, quoted, words
from bot.modes.duel import pictures, rules, view
from bot.modes.duel import queries as duels
from bot.modes.duel.acceptance import accept, accepted, declined, hindered
from bot.modes.duel.opponents import NoOpponentError, Opponent, challenged
from bot.modes.duel.rules import Duel, Progress
from bot.players import queries as people
from bot.queue.intake import Work
from bot.queue.timers import Running, TimedWork
from bot.rounds.commands import aside, out_of_date, pressed_round, refusing
from bot.rounds.game import Game
from bot.rounds.known import GAMES, OTHER, USUAL, for_a_race
from bot.rounds.puzzle import DealError, Kind, Options, UnknownWordError, level_names
from bot.rounds.rules import Round, State
from bot.telegram.captions import Seen
from bot.telegram.context import Context, Effect, saying
from bot.telegram.messages import Request
from bot.telegram.routes import Button, Command, Delivered, Routes

DUEL = "duel"  # The kind of picture
DUELLED = (Kind.FIRST, Kind.BEST)  # Kinds of hands that one of two can win


# Challenged


async def duel(context: Context) -> Effect:
    """/duel: challenge whoever is named or replied to, or anybody."""
    if context.chat.private:
        return refusing(context, context.words.say("A duel takes two: write /duel in a group."))
    try:
        opponent, rest = await challenged(context)
        names = {game.command: game.key for game in GAMES.values() if game.kind in DUELLED}
        asked = rules.read(rest, level_names(context.words), names)
        game = GAMES[asked.game] if asked.game else USUAL
        return await _challenge(context, opponent, game, for_a_race(game, asked.level))
    except UnknownWordError as error:
        return refusing(context, _no_such_option(context, error.fragment))
    except NoOpponentError as error:
        return refusing(context, error.why)
    except DealError as error:
        return refusing(context, error.why(context.words))


def _no_such_option(context: Context, fragment: str) -> Html:
    return context.words.say(
        "“{fragment}”? /duel takes a @name, and a level or a game: /duel @name hard, /duel @name {game}",
        fragment=quoted(fragment),
        game=OTHER.command,
    )


async def _challenge(
    context: Context, opponent: Opponent | None, game: Game[Any], options: Options
) -> Effect:
    """Offer a duel, unless something hinders it."""
    if (instead := await hindered(context)) is not None:
        return instead
    if context.player is None:
        return refusing(context, context.words.say("Please duel under your own name."))
    new = Duel(
        id=0,
        chat_id=context.chat.id,
        topic=context.topic,
        challenger_id=context.player.id,
        opponent_id=opponent.id if opponent else None,
        opponent=opponent.name if opponent else "",
        game=game.key,
        options=game.pack_options(options),
        language=context.words.language,
        until=context.received + rules.LIFE,
    )
    return lambda tx: _offered(context, tx, new)


def _offered(context: Context, tx: Tx, new: Duel) -> list[Request]:
    if (why := _unfit(context, tx, new)) is not None:
        return aside(context, tx, why)
    offered = duels.offer(tx, new)
    plain = context.message if not (context.query or context.ephemeral) else None
    asked = plain.message_id if plain else None
    challenge = view.challenge(offered, reply_to=asked)
    post = pictured(context, challenge, DUEL, least=Pictures.CARDS, duel=offered.id)
    told = context.words.plain("Challenge sent. It waits for five minutes.") if context.board else ""
    return [post, *context.answer(told)]


def seen(tx: Tx, asked: Mapping[str, Any], _: float) -> Seen | None:
    """The picture of a challenge: both names, and nothing won yet."""
    offered = duels.by_id(tx, asked["duel"])
    if offered is None:
        return None
    names = people.names(tx, list(offered.players))
    return Seen(pictures.challenge(words(asked["language"]), offered, names))


def _unfit(context: Context, tx: Tx, new: Duel) -> Html | None:
    """Why the two can't duel now."""
    if new.opponent_id == new.challenger_id:
        return context.words.say("Nobody duels with themselves: /duel alone challenges anybody.")
    if duels.fighting(tx, new.challenger_id):
        return context.words.say("You are in a duel already.")
    if new.opponent_id is not None and duels.fighting(tx, new.opponent_id):
        return context.words.say("{name} is in a duel just now.", name=name(new.opponent))
    if duels.waiting(tx, new.chat_id, new.challenger_id):
        return context.words.say("Your challenge is still open: it waits for five minutes.")
    if new.opponent_id is not None and _crosses(tx, new):
        return context.words.say("{name} has just challenged you. Accept that!", name=name(new.opponent))
    return None


def _crosses(tx: Tx, new: Duel) -> bool:
    """Whether the one who is challenged has challenged the challenger, perhaps in the same second."""
    theirs = duels.waiting(tx, new.chat_id, new.opponent_id or 0)
    return theirs is not None and theirs.opponent_id == new.challenger_id


async def won_pressed(context: Context) -> Effect:
    """The button under a hand: challenge whoever won it; whoever did challenges anybody."""
    pressed = await pressed_round(context)
    if pressed is None or context.player is None or context.message is None or not _has_winner(pressed):
        return out_of_date(context)
    winner = pressed.winner_id or 0
    known = await context.services.store.read(lambda tx: people.names(tx, [winner]))
    opponent = None if winner == context.player.id else Opponent(winner, known.get(winner, ""))
    game = GAMES[pressed.game]
    try:
        options = game.race(game.unpack_options(pressed.options, pressed.kind).level)
    except DealError as error:
        return refusing(context, error.why(context.words))
    return await _challenge(context, opponent, game, options)


def _has_winner(round: Round) -> bool:
    first = round.kind is Kind.FIRST and round.race_id is None
    return first and round.state is State.WON and bool(round.winner_id) and round.chat_id < 0


# Again


async def rematch(context: Context) -> Effect:
    """The button under a duel that is over: either of the two challenges the other, or accepts."""
    pressed = await pressed_round(context)
    number, player = pressed.race_id if pressed else None, context.player
    before = await context.services.store.read(lambda tx: duels.of_race(tx, number))
    if before is None or before.state in (Progress.OFFERED, Progress.OPEN) or player is None:
        return out_of_date(context)
    if player.id not in before.players:
        line = context.words.plain("Only the two who duelled can ask for a rematch.")
        return saying(*context.answer(line))
    other = rules.other(before, player.id)
    theirs = await context.services.store.read(lambda tx: duels.waiting(tx, before.chat_id, other))
    if theirs and theirs.message_id and rules.challenges(theirs, player.id, player.username):
        return await accept(context, theirs)
    known = await context.services.store.read(lambda tx: people.names(tx, [other]))
    if other not in known:
        return out_of_date(context)
    game = GAMES[before.game]
    options = game.unpack_options(before.options, Kind.FIRST)
    return await _challenge(context, Opponent(other, known[other]), game, options)


# By itself


def delivered(tx: Tx, receipt: Delivered) -> None:
    """A challenge was posted: it can be accepted from now on, for five minutes."""
    shown = receipt.result.get("content", "")
    duels.delivered(tx, receipt.number, int(receipt.result["message_id"]), receipt.at, shown)


async def _lapse(running: Running, _: float) -> None:
    """Let go of the challenges that nobody took in time."""
    now = running.inbox.now()
    late = await running.store.read(lambda tx: duels.lapsed(tx, now))
    over = {each.id for each in late if not await running.inbox.holds(each.chat_id, each.until)}
    if over:
        await running.act(lambda tx: lapse(tx, over, now))


def lapse(tx: Tx, ids: set[int], now: float) -> list[Request]:
    """End those of the challenges whose time is over; their messages say so."""
    told = []
    for offered in duels.lapsed(tx, now):
        if offered.id not in ids:
            continue
        challenger = people.names(tx, [offered.challenger_id]).get(offered.challenger_id)
        duels.remove(tx, offered.id)
        people.drop_stranger(tx, offered.challenger_id)
        if offered.message_id is not None:
            text = view.lapsed(offered, challenger)
            told.append(view.changed(offered, offered.message_id, text))
    return told


ROUTES = Routes(
    commands=[
        Command(
            "duel",
            duel,
            Work.COMMAND,
            lambda speech: speech.plain("challenge somebody: best of five hands"),
            groups_only=True,
        )
    ],
    buttons=[
        Button("d", won_pressed),
        Button("da", accepted, Work.DEALING),
        Button("dn", declined),
        Button("dr", rematch, Work.DEALING),
    ],
    looks={DUEL: seen},
    receipts={view.CHALLENGE: delivered},
    timed=[TimedWork("challenges", 0.0, _lapse)],
)
