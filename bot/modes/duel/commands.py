"""/duel, and the buttons by which one is offered, accepted, turned down and played again."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from telegram import User

from bot.admin.settings import preferences as preferences
from bot.admin.settings.pictures import attach_picture
from bot.admin.settings.preferences import Pictures
from bot.database import Tx
from bot.i18n import Html, format_name, get_words, quote_fragment, strip_tags
from bot.modes.duel import pictures, rules, view
from bot.modes.duel import queries as duels
from bot.modes.duel.rules import USERNAME_SIGN, Duel, DuelState
from bot.modes.race import queries as races
from bot.modes.race.rules import HAND_SECONDS, Race
from bot.players import queries as people
from bot.players.queries import Player
from bot.queue.admission import UpdateKind
from bot.queue.timers import TimedTask, TimerContext
from bot.rounds import commands, queries, secrecy
from bot.rounds import queries as rounds
from bot.rounds.commands import (
    apologize_for_timeout,
    deal_puzzle,
    load_pressed_round,
    load_recent_deal_times,
    make_notice,
    make_notice_effect,
    make_round,
    point_to_open_hand,
    refuse_old_button,
)
from bot.rounds.game import Game
from bot.rounds.puzzle import DealError, Kind, Options, Puzzle, UnknownWordError, get_levels_by_name
from bot.rounds.registry import ANOTHER_GAME, DEFAULT_GAME, GAMES, get_race_options, pack_puzzle
from bot.rounds.rules import Round, State
from bot.standings.stats import queries as records
from bot.telegram import messages
from bot.telegram.context import Context, Effect, is_in_chat, make_player, send_only
from bot.telegram.messages import Request
from bot.telegram.photo_messages import UNKNOWN_CONTENT, DescribedPicture
from bot.telegram.routes import ButtonRoute, CommandRoute, DeliveredRequest, Routes
from bot.workers.pool import SolvingError


async def find_obstacle(context: Context) -> Effect | None:
    """What is said instead of a duel: as for any hand, or that there is no room in the hour for all of it."""
    if (instead := await commands.load_deal_refusal(context)) is not None:
        return instead
    chosen = preferences.read_preferences(context.chat)
    free = preferences.count_rounds_left(
        chosen, await load_recent_deal_times(context, chosen), context.sent_at
    )
    if free is None or free >= rules.MAX_HANDS:
        return None
    line = context.words.translate(
        "A duel takes up to five hands, and this hour has room for {free}.", free=free
    )
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
    return strip_tags(
        context.words.translate("This challenge is for {name}.", name=format_name(offered.opponent_name))
    )


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
    ready = replace(offered, opponent_id=player.id, opponent_name=player.name, photo=photo)
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
    queries.update_shown_picture(tx, opened.id, opened.message_id or 0, ready.photo or None)
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


USERNAME = re.compile(r"(?<!\S)@(\w{1,64})(?!\S)")


@dataclass(frozen=True, slots=True)
class Opponent:
    """Somebody who is challenged."""

    id: int | None  # None for somebody of whom only the username is known
    name: str


class NoOpponentError(ValueError):
    """Nobody can be challenged so; `why` says it to whoever asked."""

    def __init__(self, why: Html) -> None:
        super().__init__("no opponent")
        self.message = why


async def find_opponent(context: Context) -> tuple[Opponent | None, str]:
    """Who is challenged, None for anybody, and what else was asked. Raises NoOpponentError."""
    message, text = context.message, context.argument
    if message is None:
        return None, text
    for entity, written in message.parse_entities(["text_mention"]).items():
        return _of_user(context, entity.user), text.replace(written, "", 1)
    if named := USERNAME.search(text):
        return await _of_username(context, named[1]), text.replace(named[0], "", 1)
    replied = message.reply_to_message
    if replied is None or replied.forum_topic_created or replied.is_automatic_forward:
        return None, text
    return _of_user(context, None if replied.sender_chat else replied.from_user), text


def _of_user(context: Context, user: User | None) -> Opponent:
    """A Telegram user as an opponent. Raises NoOpponentError for one that is no person."""
    player = make_player(user)
    if player is None:
        raise NoOpponentError(context.words.translate("Only people duel. Reply to somebody else with /duel."))
    return Opponent(player.id, player.name)


async def _of_username(context: Context, username: str) -> Opponent:
    """Who has that username, known or not. Raises NoOpponentError where that can be nobody who is here."""
    if _same(username, context.services.me.username):
        return _of_user(context, context.services.me)
    player = context.player
    if player is not None and _same(username, player.username):
        return Opponent(player.id, player.name)
    found = await context.services.store.read(lambda tx: records.find_player_by_username(tx, username))
    return _unknown(username) if found is None else await _known(context, found, username)


async def _known(context: Context, found: Player, username: str) -> Opponent:
    """Who had the username when last seen, unless Telegram says that they have it no longer, or are not here.

    Raises NoOpponentError in the latter case.
    """
    member = await context.fetch_member(context.chat.id, found.id)
    if member is None:
        here = await context.services.store.read(
            lambda tx: secrecy.has_played_in_chat(tx, found.id, context.chat.id)
        )
        return Opponent(found.id, found.name) if here else _unknown(username)
    if not _same(username, member.user.username):
        return _unknown(username)
    if not is_in_chat(member):
        raise NoOpponentError(context.words.translate("@{name} is not in this group.", name=username))
    return Opponent(found.id, found.name)


def _unknown(username: str) -> Opponent:
    """Whoever has that username when they accept."""
    return Opponent(None, f"{USERNAME_SIGN}{username}")


def _same(username: str, other: str | None) -> bool:
    return username.casefold() == (other or "").casefold()


CHALLENGE_PICTURE = "duel"  # The kind of picture
DUELLED = (Kind.FIRST, Kind.BEST)  # Kinds of hands that one of two can win


# Challenged


async def offer_duel(context: Context) -> Effect:
    """/duel: challenge whoever is named or replied to, or anybody."""
    if context.chat.private:
        return make_notice_effect(
            context, context.words.translate("A duel takes two: write /duel in a group.")
        )
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
    told = (
        context.words.translate_plain("Challenge sent. It waits for five minutes.")
        if context.board_press_id
        else ""
    )
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
        return context.words.translate(
            "{name} has just challenged you. Accept that!", name=format_name(new.opponent_name)
        )
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
    theirs = await context.services.store.read(
        lambda tx: duels.load_open_challenge(tx, before.chat_id, other)
    )
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
    duels.update_challenge_message(
        tx, receipt.about_id, int(receipt.result["message_id"]), receipt.delivered_at, shown
    )


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
