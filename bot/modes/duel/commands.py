"""/duel, and the buttons by which one is offered, accepted, turned down and played again."""

from collections.abc import Mapping
from typing import Any

from bot.admin.settings.photos import attach_picture
from bot.admin.settings.rules import Pictures
from bot.database import Tx
from bot.i18n import Html, format_name, quote_fragment, get_words
from bot.modes.duel import pictures, rules, view
from bot.modes.duel import queries as duels
from bot.modes.duel.acceptance import accept_challenge, press_accept, press_decline, find_obstacle
from bot.modes.duel.opponents import NoOpponentError, Opponent, find_opponent
from bot.modes.duel.rules import Duel, DuelState
from bot.players import queries as people
from bot.queue.intake import UpdateKind
from bot.queue.timers import TimerContext, TimedTask
from bot.rounds.commands import make_notice, refuse_old_button, load_pressed_round, make_notice_effect
from bot.rounds.game import Game
from bot.rounds.known import GAMES, ANOTHER_GAME, DEFAULT_GAME, get_race_options
from bot.rounds.puzzle import DealError, Kind, Options, UnknownWordError, get_levels_by_name
from bot.rounds.rules import Round, State
from bot.telegram.captions import DescribedPicture
from bot.telegram.context import Context, Effect, send_only
from bot.telegram.messages import Request
from bot.telegram.routes import ButtonRoute, CommandRoute, DeliveredRequest, Routes

CHALLENGE_PICTURE = "duel"  # The kind of picture
DUELLED = (Kind.FIRST, Kind.BEST)  # Kinds of hands that one of two can win


# Challenged


async def offer_duel(context: Context) -> Effect:
    """/duel: challenge whoever is named or replied to, or anybody."""
    if context.chat.private:
        return make_notice_effect(context, context.words.translate("A duel takes two: write /duel in a group."))
    try:
        opponent, rest = await find_opponent(context)
        names = {game.command: game.key for game in GAMES.values() if game.default_kind in DUELLED}
        asked = rules.parse_duel_options(rest, get_levels_by_name(context.words), names)
        game = GAMES[asked.game] if asked.game else DEFAULT_GAME
        return await _challenge(context, opponent, game, get_race_options(game, asked.level))
    except UnknownWordError as error:
        return make_notice_effect(context, _no_such_option(context, error.fragment))
    except NoOpponentError as error:
        return make_notice_effect(context, error.message)
    except DealError as error:
        return make_notice_effect(context, error.render_reason(context.words))


def _no_such_option(context: Context, fragment: str) -> Html:
    return context.words.translate(
        "“{fragment}”? /duel takes a @name, and a level or a game: /duel @name hard, /duel @name {game}",
        fragment=quote_fragment(fragment),
        game=ANOTHER_GAME.command,
    )


async def _challenge(
    context: Context, opponent: Opponent | None, game: Game[Any], options: Options
) -> Effect:
    """Offer a duel, unless something hinders it."""
    if (instead := await find_obstacle(context)) is not None:
        return instead
    if context.player is None:
        return make_notice_effect(context, context.words.translate("Please duel under your own name."))
    new = Duel(
        id=0,
        chat_id=context.chat.id,
        topic=context.topic,
        challenger_id=context.player.id,
        opponent_id=opponent.id if opponent else None,
        opponent_name=opponent.name if opponent else "",
        game=game.key,
        options=game.pack_options(options),
        language=context.words.language,
        expires_at=context.handled_at + rules.CHALLENGE_SECONDS,
    )
    return lambda tx: _offered(context, tx, new)


def _offered(context: Context, tx: Tx, new: Duel) -> list[Request]:
    if (why := _unfit(context, tx, new)) is not None:
        return make_notice(context, tx, why)
    offered = duels.insert_challenge(tx, new)
    plain = context.message if not (context.query or context.ephemeral_id) else None
    asked = plain.message_id if plain else None
    challenge = view.make_challenge_message(offered, reply_to=asked)
    post = attach_picture(context, challenge, CHALLENGE_PICTURE, required=Pictures.CARDS, duel=offered.id)
    told = context.words.translate_plain("Challenge sent. It waits for five minutes.") if context.board_press_id else ""
    return [post, *context.answer_press(told)]


def load_challenge_picture(tx: Tx, asked: Mapping[str, Any], _: float) -> DescribedPicture | None:
    """The picture of a challenge: both names, and nothing won yet."""
    offered = duels.load_duel(tx, asked["duel"])
    if offered is None:
        return None
    names = people.load_names(tx, list(offered.player_ids))
    return DescribedPicture(pictures.make_challenge_picture(get_words(asked["language"]), offered, names))


def _unfit(context: Context, tx: Tx, new: Duel) -> Html | None:
    """Why the two can't duel now."""
    if new.opponent_id == new.challenger_id:
        return context.words.translate("Nobody duels with themselves: /duel alone challenges anybody.")
    if duels.load_running_duel(tx, new.challenger_id):
        return context.words.translate("You are in a duel already.")
    if new.opponent_id is not None and duels.load_running_duel(tx, new.opponent_id):
        return context.words.translate("{name} is in a duel just now.", name=format_name(new.opponent_name))
    if duels.load_open_challenge(tx, new.chat_id, new.challenger_id):
        return context.words.translate("Your challenge is still open: it waits for five minutes.")
    if new.opponent_id is not None and _crosses(tx, new):
        return context.words.translate("{name} has just challenged you. Accept that!", name=format_name(new.opponent_name))
    return None


def _crosses(tx: Tx, new: Duel) -> bool:
    """Whether the one who is challenged has challenged the challenger, perhaps in the same second."""
    theirs = duels.load_open_challenge(tx, new.chat_id, new.opponent_id or 0)
    return theirs is not None and theirs.opponent_id == new.challenger_id


async def press_challenge_winner(context: Context) -> Effect:
    """The button under a hand: challenge whoever won it; whoever did challenges anybody."""
    pressed = await load_pressed_round(context)
    if pressed is None or context.player is None or context.message is None or not _has_winner(pressed):
        return refuse_old_button(context)
    winner = pressed.winner_id or 0
    known = await context.services.store.read(lambda tx: people.load_names(tx, [winner]))
    opponent = None if winner == context.player.id else Opponent(winner, known.get(winner, ""))
    game = GAMES[pressed.game]
    try:
        options = game.get_race_options(game.unpack_options(pressed.options, pressed.kind).level)
    except DealError as error:
        return make_notice_effect(context, error.render_reason(context.words))
    return await _challenge(context, opponent, game, options)


def _has_winner(round: Round) -> bool:
    first = round.kind is Kind.FIRST and round.race_id is None
    return first and round.state is State.WON and bool(round.winner_id) and round.chat_id < 0


# Again


async def press_rematch(context: Context) -> Effect:
    """The button under a duel that is over: either of the two challenges the other, or accepts."""
    pressed = await load_pressed_round(context)
    number, player = pressed.race_id if pressed else None, context.player
    before = await context.services.store.read(lambda tx: duels.load_duel_of_race(tx, number))
    if before is None or before.state in (DuelState.OFFERED, DuelState.OPEN) or player is None:
        return refuse_old_button(context)
    if player.id not in before.player_ids:
        line = context.words.translate_plain("Only the two who duelled can ask for a rematch.")
        return send_only(*context.answer_press(line))
    other = rules.get_other_player(before, player.id)
    theirs = await context.services.store.read(lambda tx: duels.load_open_challenge(tx, before.chat_id, other))
    if theirs and theirs.message_id and rules.is_challenged(theirs, player.id, player.username):
        return await accept_challenge(context, theirs)
    known = await context.services.store.read(lambda tx: people.load_names(tx, [other]))
    if other not in known:
        return refuse_old_button(context)
    game = GAMES[before.game]
    options = game.unpack_options(before.options, Kind.FIRST)
    return await _challenge(context, Opponent(other, known[other]), game, options)


# By itself


def record_challenge_delivery(tx: Tx, receipt: DeliveredRequest) -> None:
    """A challenge was posted: it can be accepted from now on, for five minutes."""
    shown = receipt.result.get("content", "")
    duels.update_challenge_message(tx, receipt.about_id, int(receipt.result["message_id"]), receipt.delivered_at, shown)


async def _lapse(running: TimerContext, _: float) -> None:
    """Let go of the challenges that nobody took in time."""
    now = running.inbox.now()
    late = await running.store.read(lambda tx: duels.load_expired_challenges(tx, now))
    over = {each.id for each in late if not await running.inbox.has_waiting(each.chat_id, each.expires_at)}
    if over:
        await running.run_effect(lambda tx: end_expired_challenges(tx, over, now))


def end_expired_challenges(tx: Tx, ids: set[int], now: float) -> list[Request]:
    """End those of the challenges whose time is over; their messages say so."""
    told = []
    for offered in duels.load_expired_challenges(tx, now):
        if offered.id not in ids:
            continue
        challenger = people.load_names(tx, [offered.challenger_id]).get(offered.challenger_id)
        duels.delete_challenge(tx, offered.id)
        people.delete_inactive_player(tx, offered.challenger_id)
        if offered.message_id is not None:
            text = view.render_expired(offered, challenger)
            told.append(view.make_challenge_edit(offered, offered.message_id, text))
    return told


ROUTES = Routes(
    commands=[
        CommandRoute(
            "duel",
            offer_duel,
            UpdateKind.COMMAND,
            lambda speech: speech.translate_plain("challenge somebody: best of five hands"),
            groups_only=True,
        )
    ],
    buttons=[
        ButtonRoute("d", press_challenge_winner),
        ButtonRoute("da", press_accept, UpdateKind.DEAL_PRESS),
        ButtonRoute("dn", press_decline),
        ButtonRoute("dr", press_rematch, UpdateKind.DEAL_PRESS),
    ],
    picture_finders={CHALLENGE_PICTURE: load_challenge_picture},
    delivery_handlers={view.CHALLENGE_RECEIPT: record_challenge_delivery},
    timed_tasks=[TimedTask("challenges", 0.0, _lapse)],
)
