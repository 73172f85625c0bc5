"""Challenge a player with `/duel`; accept, decline or withdraw a challenge; ask for a rematch."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from telegram import User

from bot.admin.settings import preferences
from bot.admin.settings.pictures import attach_picture
from bot.admin.settings.preferences import Pictures
from bot.database import Tx
from bot.i18n import Html, format_name, get_words, quote_fragment, strip_tags
from bot.modes.duel import queries as duels
from bot.modes.duel import rules, view
from bot.modes.duel.rules import USERNAME_SIGN, Duel, DuelState
from bot.modes.race import queries as races
from bot.modes.race.rules import HAND_SECONDS, Race
from bot.players import queries as people
from bot.players.queries import Player
from bot.queue.admission import UpdateKind
from bot.queue.timers import TimedTask, TimerContext
from bot.rounds import queries as rounds
from bot.rounds import secrecy
from bot.rounds.commands import (
    apologize_for_timeout,
    deal_puzzle,
    load_deal_refusal,
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

CHALLENGE_PICTURE = "duel"  # The kind of picture
DUEL_KINDS = (Kind.FIRST, Kind.BEST)  # Kinds of rounds that can be won by one of two players
USERNAME = re.compile(r"(?<!\S)@(\w{1,64})(?!\S)")


# Challenge


async def offer_duel(context: Context) -> Effect:
    """Challenge the player whom `/duel` names or replies to, or anybody in the chat."""
    words = context.words
    if context.chat.private:
        return make_notice_effect(context, words.translate("A duel takes two: write /duel in a group."))
    try:
        opponent, rest = await find_opponent(context)
        games = {game.command: game.key for game in GAMES.values() if game.default_kind in DUEL_KINDS}
        options = rules.parse_duel_options(rest, get_levels_by_name(words), games)
        game = GAMES[options.game] if options.game else DEFAULT_GAME
        return await _challenge(context, opponent, game, get_race_options(game, options.level))
    except UnknownWordError as error:
        usage = words.translate(
            "“{fragment}”? /duel takes a @name, and a level or a game: /duel @name hard, /duel @name {game}",
            fragment=quote_fragment(error.fragment),
            game=ANOTHER_GAME.command,
        )
        return make_notice_effect(context, usage)
    except NoOpponentError as error:
        return make_notice_effect(context, error.message)
    except DealError as error:
        return make_notice_effect(context, error.render_reason(words))


async def press_challenge_winner(context: Context) -> Effect:
    """Challenge the winner of the round above the button; the winner challenges anybody."""
    pressed = await load_pressed_round(context)
    if pressed is None or context.player is None or context.message is None or not _has_winner(pressed):
        return refuse_old_button(context)
    winner = pressed.winner_id or 0
    names = await context.services.store.read(lambda tx: people.load_names(tx, [winner]))
    opponent = None if winner == context.player.id else Opponent(winner, names.get(winner, ""))
    game = GAMES[pressed.game]
    try:
        options = game.get_race_options(game.unpack_options(pressed.options, pressed.kind).level)
    except DealError as error:
        return make_notice_effect(context, error.render_reason(context.words))
    return await _challenge(context, opponent, game, options)


def _has_winner(round: Round) -> bool:
    is_single = round.kind is Kind.FIRST and round.race_id is None
    return is_single and round.state is State.WON and bool(round.winner_id) and round.chat_id < 0


async def press_rematch(context: Context) -> Effect:
    """Challenge the other player of the duel above the button, or accept that player's challenge."""
    pressed, player = await load_pressed_round(context), context.player
    race_id = pressed.race_id if pressed else None
    store = context.services.store
    duel = await store.read(lambda tx: duels.load_duel_of_race(tx, race_id))
    if duel is None or duel.state in (DuelState.OFFERED, DuelState.OPEN) or player is None:
        return refuse_old_button(context)
    if player.id not in duel.player_ids:
        alert = context.words.translate_plain("Only the two who duelled can ask for a rematch.")
        return send_only(*context.answer_press(alert))
    other = rules.get_other_player(duel, player.id)
    challenge = await store.read(lambda tx: duels.load_open_challenge(tx, duel.chat_id, other))
    if challenge and challenge.message_id and rules.is_challenged(challenge, player.id, player.username):
        return await _accept(context, challenge)
    names = await store.read(lambda tx: people.load_names(tx, [other]))
    if other not in names:
        return refuse_old_button(context)
    game = GAMES[duel.game]
    options = game.unpack_options(duel.options, Kind.FIRST)
    return await _challenge(context, Opponent(other, names[other]), game, options)


async def _challenge(
    context: Context, opponent: "Opponent | None", game: Game[Any], options: Options
) -> Effect:
    """Store and post a challenge, unless no duel can be dealt here or the two can't duel now."""
    if (refusal := await _load_duel_refusal(context)) is not None:
        return refusal
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
    return lambda tx: _post_challenge(context, tx, new)


def _post_challenge(context: Context, tx: Tx, new: Duel) -> list[Request]:
    if (reason := _find_challenge_obstacle(context, tx, new)) is not None:
        return make_notice(context, tx, reason)
    challenge = duels.insert_challenge(tx, new)
    can_reply = context.message is not None and not context.query and not context.ephemeral_id
    reply_to = context.message.message_id if context.message and can_reply else None
    message = view.make_challenge_message(challenge, reply_to)
    post = attach_picture(context, message, CHALLENGE_PICTURE, required=Pictures.CARDS, duel=challenge.id)
    alert = context.words.translate_plain("Challenge sent. It waits for five minutes.")
    return [post, *context.answer_press(alert if context.board_press_id else "")]


async def _load_duel_refusal(context: Context) -> Effect | None:
    """Return the refusal if no hand can be dealt here now or the hour has no room for a duel, else None."""
    if (refusal := await load_deal_refusal(context)) is not None:
        return refusal
    chosen = preferences.read_preferences(context.chat)
    recent = await load_recent_deal_times(context, chosen)
    left = preferences.count_rounds_left(chosen, recent, context.sent_at)
    if left is None or left >= rules.MAX_HANDS:
        return None
    text = context.words.translate(
        "A duel takes up to five hands, and this hour has room for {free}.", free=left
    )
    return make_notice_effect(context, text)


def _find_challenge_obstacle(context: Context, tx: Tx, new: Duel) -> Html | None:
    """Return why the challenge can't be made, else None."""
    words, opponent_id, name = context.words, new.opponent_id, format_name(new.opponent_name)
    if opponent_id == new.challenger_id:
        return words.translate("Nobody duels with themselves: /duel alone challenges anybody.")
    if duels.load_running_duel(tx, new.challenger_id):
        return words.translate("You are in a duel already.")
    if opponent_id is not None and duels.load_running_duel(tx, opponent_id):
        return words.translate("{name} is in a duel just now.", name=name)
    if duels.load_open_challenge(tx, new.chat_id, new.challenger_id):
        return words.translate("Your challenge is still open: it waits for five minutes.")
    if opponent_id is not None:
        theirs = duels.load_open_challenge(tx, new.chat_id, opponent_id)
        if theirs is not None and theirs.opponent_id == new.challenger_id:
            return words.translate("{name} has just challenged you. Accept that!", name=name)
    return None


# Find the opponent


@dataclass(frozen=True, slots=True)
class Opponent:
    """The player who is challenged."""

    id: int | None  # None if only the username is known
    name: str


class NoOpponentError(ValueError):
    """The named player can't be challenged; `message` explains why."""

    def __init__(self, message: Html) -> None:
        super().__init__("no opponent")
        self.message = message


async def find_opponent(context: Context) -> tuple[Opponent | None, str]:
    """Return the challenged player, None for anybody, and the rest of the argument.

    The player is mentioned, named by username, or the author of the replied message. Raises NoOpponentError.
    """
    message, text = context.message, context.argument
    if message is None:
        return None, text
    for entity, mention in message.parse_entities(["text_mention"]).items():
        return _make_opponent(context, entity.user), text.replace(mention, "", 1)
    if found := USERNAME.search(text):
        return await _find_by_username(context, found[1]), text.replace(found[0], "", 1)
    replied = message.reply_to_message
    if replied is None or replied.forum_topic_created or replied.is_automatic_forward:
        return None, text
    return _make_opponent(context, None if replied.sender_chat else replied.from_user), text


def _make_opponent(context: Context, user: User | None) -> Opponent:
    """Return the user as an opponent. Raises NoOpponentError if the user is not a person."""
    player = make_player(user)
    if player is None:
        raise NoOpponentError(context.words.translate("Only people duel. Reply to somebody else with /duel."))
    return Opponent(player.id, player.name)


async def _find_by_username(context: Context, username: str) -> Opponent:
    """Return the player with that username. Raises NoOpponentError if the player can't be challenged."""
    if _is_same(username, context.services.me.username):
        return _make_opponent(context, context.services.me)
    player = context.player
    if player is not None and _is_same(username, player.username):
        return Opponent(player.id, player.name)
    found = await context.services.store.read(lambda tx: records.find_player_by_username(tx, username))
    if found is None:
        return _make_unknown_opponent(username)
    return await _check_known_player(context, found, username)


async def _check_known_player(context: Context, found: Player, username: str) -> Opponent:
    """Return the player who had the username when last seen; the username alone if another may have it now.

    Raises NoOpponentError if the player has left the group.
    """
    member = await context.fetch_member(context.chat.id, found.id)
    if member is None:
        chat_id = context.chat.id
        has_played = await context.services.store.read(
            lambda tx: secrecy.has_played_in_chat(tx, found.id, chat_id)
        )
        return Opponent(found.id, found.name) if has_played else _make_unknown_opponent(username)
    if not _is_same(username, member.user.username):
        return _make_unknown_opponent(username)
    if not is_in_chat(member):
        raise NoOpponentError(context.words.translate("@{name} is not in this group.", name=username))
    return Opponent(found.id, found.name)


def _make_unknown_opponent(username: str) -> Opponent:
    return Opponent(None, f"{USERNAME_SIGN}{username}")


def _is_same(username: str, other: str | None) -> bool:
    return username.casefold() == (other or "").casefold()


# Accept


async def press_accept(context: Context) -> Effect:
    """Accept the challenge above the button and start the duel."""
    challenge = await _load_pressed_challenge(context)
    return _refuse_ended(context) if challenge is None else await _accept(context, challenge)


async def _load_pressed_challenge(context: Context) -> Duel | None:
    """Load the challenge that the pressed button names; None if it is over or belongs to another message."""
    number = context.button_data.partition(":")[2]
    if not context.is_genuine_press or not re.fullmatch(r"[1-9][0-9]{0,17}", number):
        return None
    challenge = await context.services.store.read(lambda tx: duels.load_duel(tx, int(number)))
    if challenge is None or challenge.state is not DuelState.OFFERED or challenge.chat_id != context.chat.id:
        return None
    if context.handled_at > challenge.expires_at:
        return None
    if context.board_press_id:
        is_here = challenge.message_id is not None and challenge.topic == context.topic
    else:
        is_here = challenge.message_id in (None, context.message.message_id if context.message else 0)
    return challenge if is_here else None


async def _accept(context: Context, challenge: Duel) -> Effect:
    """Deal all hands of the duel and start it, unless the player may not accept or no hand can be dealt."""
    player, message = context.player, context.message
    if player is None or message is None or not challenge.challenger_id:
        return _refuse_ended(context)
    may_accept = challenge.is_for_anybody or _is_challenged(context, challenge)
    if player.id == challenge.challenger_id or not may_accept:
        return send_only(*context.answer_press(_render_not_yours(context, challenge)))
    if (refusal := await _load_duel_refusal(context)) is not None:
        return refusal
    game = GAMES[challenge.game]
    options = game.unpack_options(challenge.options, Kind.FIRST)
    try:
        dealt = [await deal_puzzle(context, game, options) for _ in range(rules.MAX_HANDS)]
    except SolvingError:
        return apologize_for_timeout(context)
    except DealError as error:
        return make_notice_effect(context, error.render_reason(context.words))
    photo = challenge.photo or (UNKNOWN_CONTENT if message.photo and challenge.message_id is None else "")
    accepted = replace(challenge, opponent_id=player.id, opponent_name=player.name, photo=photo)
    first = replace(
        make_round(context, game, dealt[0], options, HAND_SECONDS),
        dealer_id=challenge.challenger_id,
        language=challenge.language,
        topic=challenge.topic,
        message_id=challenge.message_id or message.message_id,
    )
    return lambda tx: _start_duel(context, tx, accepted, first, dealt[1:])


def _is_challenged(context: Context, challenge: Duel) -> bool:
    player = context.player
    return player is not None and rules.is_challenged(challenge, player.id, player.username)


def _start_duel(
    context: Context, tx: Tx, accepted: Duel, first: Round, undealt: list[Puzzle]
) -> list[Request]:
    """Store the duel with its race and show the first hand in the challenge's message."""
    stored = duels.load_duel(tx, accepted.id)
    is_offered = stored is not None and stored.state is DuelState.OFFERED
    if stored is None or not is_offered or stored.challenger_id != accepted.challenger_id:
        return _refuse_ended(context)(tx)  # also if the challenger was forgotten meanwhile
    if (reason := _find_busy_player(context, tx, accepted)) is not None:
        return context.answer_press(strip_tags(reason))
    opened = rounds.open_round(tx, first)
    if opened is None:
        return point_to_open_hand(context, tx)
    new = Race(
        id=0,
        chat_id=accepted.chat_id,
        topic=accepted.topic,
        starter_id=accepted.challenger_id,
        length=rules.MAX_HANDS,
        opened=context.sent_at,
    )
    race = races.insert_race(tx, new, [pack_puzzle(first.game, puzzle) for puzzle in undealt])
    rounds.add_to_race(tx, opened.id, race.id)
    rounds.update_shown_picture(tx, opened.id, opened.message_id or 0, accepted.photo or None)
    duels.begin_duel(tx, accepted.id, accepted.opponent_id or 0, race.id)
    people.regain_budget(tx, accepted.chat_id)
    return [messages.show_round(opened), *context.answer_press()]


def _find_busy_player(context: Context, tx: Tx, accepted: Duel) -> Html | None:
    """Return the refusal if one of the two is in another duel, else None."""
    if duels.load_running_duel(tx, accepted.opponent_id or 0):
        return context.words.translate("You are in a duel already.")
    if duels.load_running_duel(tx, accepted.challenger_id):
        name = format_name(_load_name(tx, accepted.challenger_id))
        return context.words.translate("{name} is in a duel just now.", name=name)
    return None


def _load_name(tx: Tx, player_id: int) -> str | None:
    return people.load_names(tx, [player_id]).get(player_id)


# Decline and withdraw


async def press_decline(context: Context) -> Effect:
    """Decline the challenge above the button, or withdraw it if the challenger presses."""
    challenge = await _load_pressed_challenge(context)
    if challenge is None or context.player is None or context.message is None:
        return _refuse_ended(context)
    photo = challenge.photo or (UNKNOWN_CONTENT if context.message.photo else "")
    message_id = challenge.message_id or context.message.message_id
    shown = replace(challenge, message_id=message_id, photo=photo)
    if context.player.id == challenge.challenger_id:
        return lambda tx: _answer_end(context, tx, withdraw_challenge(tx, shown))
    if _is_challenged(context, challenge):
        return lambda tx: _answer_end(context, tx, _end_challenge(tx, shown, view.render_declined(shown)))
    if challenge.is_for_anybody:
        alert = context.words.translate_plain("Only the one who challenged can take it back.")
        return send_only(*context.answer_press(alert))
    return send_only(*context.answer_press(_render_not_yours(context, challenge)))


def withdraw_challenge(tx: Tx, challenge: Duel) -> list[Request]:
    """Delete the challenge and say in its message that it was withdrawn; an empty list if it is gone."""
    text = view.render_taken_back(challenge, _load_name(tx, challenge.challenger_id))
    return _end_challenge(tx, challenge, text)


def _end_challenge(tx: Tx, challenge: Duel, text: Html) -> list[Request]:
    """Delete the challenge and show the text in its message; an empty list if it is gone."""
    if not duels.delete_challenge(tx, challenge.id):
        return []
    people.delete_inactive_player(tx, challenge.challenger_id)
    if challenge.message_id is None:
        return [messages.post_message(challenge.chat_id, text, topic=challenge.topic)]
    return [view.make_challenge_edit(challenge, challenge.message_id, text)]


def _answer_end(context: Context, tx: Tx, requests: list[Request]) -> list[Request]:
    return [*requests, *context.answer_press()] if requests else _refuse_ended(context)(tx)


def _refuse_ended(context: Context) -> Effect:
    return send_only(*context.answer_press(context.words.translate_plain("That challenge is over.")))


def _render_not_yours(context: Context, challenge: Duel) -> str:
    if challenge.is_for_anybody:
        return context.words.translate_plain("Somebody else has to accept your challenge.")
    name = format_name(challenge.opponent_name)
    return strip_tags(context.words.translate("This challenge is for {name}.", name=name))


# Delivery and expiry


def _load_challenge_picture(tx: Tx, params: Mapping[str, Any], _: float) -> DescribedPicture | None:
    challenge = duels.load_duel(tx, params["duel"])
    if challenge is None:
        return None
    names = people.load_names(tx, list(challenge.player_ids))
    words = get_words(params["language"])
    return DescribedPicture(view.make_challenge_picture(words, challenge, names))


def _record_challenge_delivery(tx: Tx, request: DeliveredRequest) -> None:
    message_id, photo = int(request.result["message_id"]), request.result.get("content", "")
    duels.update_challenge_message(tx, request.about_id, message_id, request.delivered_at, photo)


async def _end_expired_challenges(timer: TimerContext, _: float) -> None:
    """End the challenges that were not accepted in time, unless an answer may still be in the inbox."""
    now = timer.inbox.now()
    expired = await timer.store.read(lambda tx: duels.load_expired_challenges(tx, now))
    ids = {each.id for each in expired if not await timer.inbox.has_waiting(each.chat_id, each.expires_at)}
    if ids:
        await timer.run_effect(lambda tx: end_expired_challenges(tx, ids, now))


def end_expired_challenges(tx: Tx, ids: set[int], now: float) -> list[Request]:
    """End those of the challenges that are still expired, and say so in their messages."""
    edits = []
    for challenge in duels.load_expired_challenges(tx, now):
        if challenge.id not in ids:
            continue
        text = view.render_expired(challenge, _load_name(tx, challenge.challenger_id))
        duels.delete_challenge(tx, challenge.id)
        people.delete_inactive_player(tx, challenge.challenger_id)
        if challenge.message_id is not None:
            edits.append(view.make_challenge_edit(challenge, challenge.message_id, text))
    return edits


ROUTES = Routes(
    commands=[
        CommandRoute(
            "duel",
            offer_duel,
            UpdateKind.COMMAND,
            lambda words: words.translate_plain("challenge somebody: best of five hands"),
            groups_only=True,
        )
    ],
    buttons=[
        ButtonRoute("d", press_challenge_winner),
        ButtonRoute("da", press_accept, UpdateKind.DEAL_PRESS),
        ButtonRoute("dn", press_decline),
        ButtonRoute("dr", press_rematch, UpdateKind.DEAL_PRESS),
    ],
    picture_finders={CHALLENGE_PICTURE: _load_challenge_picture},
    delivery_handlers={view.CHALLENGE_RECEIPT: _record_challenge_delivery},
    timed_tasks=[TimedTask("challenges", 0.0, _end_expired_challenges)],
)
