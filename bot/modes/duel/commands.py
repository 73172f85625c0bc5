"""Challenge a player with `/duel`; accept, decline or withdraw a challenge; ask for a rematch."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from bot.database import Tx, parse_number
from bot.i18n import Html, RefusalError, format_name, get_words, quote_fragment, strip_tags, translate_later
from bot.levels import get_levels_by_name, render_level
from bot.modes.duel import queries as duels
from bot.modes.duel import rules, view
from bot.modes.duel.rules import USERNAME_SIGN, Duel, DuelState
from bot.modes.race.commands import load_race_refusal, open_race
from bot.modes.race.rules import HAND_SECONDS, parse_race_options
from bot.players import queries as people
from bot.players.preferences import Pictures
from bot.queue.admission import UpdateKind
from bot.queue.outgoing import Outgoing, PictureRequest
from bot.queue.rendering import UNKNOWN_CONTENT, DescribedPicture
from bot.queue.timers import TimedTask, TimerContext
from bot.rounds import commands as play
from bot.rounds import queries as rounds
from bot.rounds import secrecy
from bot.rounds.game import Game, pack_options
from bot.rounds.give_up import GivenUp, give_up, load_wish, render_outcome
from bot.rounds.puzzle import DealtPuzzle, Kind, Options, UnknownWordError
from bot.rounds.registry import GAMES, find_another_game, get_race_options
from bot.rounds.rules import Round
from bot.rounds.view import SKIP_AND_DUEL_BUTTON
from bot.telegram import messages
from bot.telegram.context import Context, Effect, Response, is_in_chat, send_only
from bot.telegram.routes import ButtonRoute, CommandRoute, DeliveredRequest, Routes

CHALLENGE_PICTURE = "duel"  # The kind of picture
DUEL_KINDS = (Kind.FIRST, Kind.BEST)  # Kinds of rounds that can be won by one of two players
USERNAME = re.compile(r"(?<!\S)@(?P<username>\w{1,64})(?!\S)")


class Opponent(NamedTuple):
    id: int | None  # None for anybody, and if only the username is known
    name: str  # Empty for anybody; without an id the username with its sign


ANYBODY = Opponent(None, "")


async def offer_duel(context: Context) -> Effect:
    """Challenge the player whom `/duel` names or replies to, or anybody in the chat; in groups only.

    Without a level and a game, accept a challenge that such a player has made to the sender or to anybody.
    """
    words = context.words
    if context.chat.private:
        return play.make_notice_effect(context, words.translate("A duel takes two: write /duel in a group."))
    try:
        opponent, rest = await find_opponent(context)
        answered = await _find_answered_challenge(context, opponent)
        if answered is not None and not rest.strip():
            return await _accept(context, answered)
        games = {game.command: game.key for game in GAMES.values() if game.default_kind in DUEL_KINDS}
        # The length of a duel can't be chosen
        options = parse_race_options(rest, get_levels_by_name(words), games, lengths=())
        game = GAMES[options.game] if options.game else GAMES.default
        return await _challenge(context, opponent, game, get_race_options(game, options.level))
    except UnknownWordError as error:
        usage = words.translate(
            "“{fragment}”? Challenge somebody by name, /duel Ann, or reply to their message with /duel."
            " A level or a game may follow: /duel Ann {hard}, /duel Ann {game}",
            fragment=quote_fragment(error.fragment),
            hard=render_level(words, "hard"),
            game=find_another_game().command,
        )
        return play.make_notice_effect(context, usage)


async def _find_answered_challenge(context: Context, opponent: Opponent) -> Duel | None:
    """Find the open challenge here by that opponent that the sender may accept; None if there is none."""
    player = context.player
    if player is None:
        return None

    def is_answered(challenge: Duel) -> bool:
        is_shown = challenge.message_id is not None and challenge.topic == context.topic
        is_open = is_shown and context.handled_at <= challenge.expires_at
        is_by_opponent = opponent == ANYBODY or opponent.id == challenge.challenger_id
        may_accept = challenge.is_for_anybody or rules.is_challenged(challenge, player.id, player.username)
        return is_open and is_by_opponent and may_accept and challenge.challenger_id not in (0, player.id)

    challenges = await context.services.store.read(lambda tx: duels.load_open_challenges(tx, context.chat.id))
    return next(filter(is_answered, challenges), None)


async def press_challenge_winner(context: Context) -> Effect:
    """Challenge the winner of a group's single hand above the button, or accept the winner's challenge.

    The winner challenges anybody, or accepts anybody's challenge.
    """
    pressed = await play.load_pressed_round(context)
    player = context.player
    if pressed is None or player is None or pressed.is_private:
        return play.refuse_old_button(context)
    winner_id = pressed.winner_id
    if pressed.kind is not Kind.FIRST or pressed.race_id is not None or not winner_id:
        return play.refuse_old_button(context)
    names = await context.services.store.read(lambda tx: people.load_names(tx, [winner_id]))
    opponent = ANYBODY if winner_id == player.id else Opponent(winner_id, names.get(winner_id, ""))
    answered = await _find_answered_challenge(context, opponent)
    if answered is not None:
        return await _accept(context, answered)
    game = GAMES[pressed.game]
    options = get_race_options(game, game.options.unpack(pressed.options, pressed.kind).level)
    return await _challenge(context, opponent, game, options)


async def press_rematch(context: Context) -> Effect:
    """Challenge the other player of the duel above the button, or accept that player's challenge."""
    pressed = await play.load_pressed_round(context)
    player = context.player
    store = context.services.store
    race_id = pressed.race_id if pressed else None
    duel = await store.read(lambda tx: duels.load_duel_of_race(tx, race_id))
    if duel is None or duel.state in (DuelState.OFFERED, DuelState.OPEN) or player is None:
        return play.refuse_old_button(context)
    if player.id not in duel.player_ids:
        alert = context.words.translate_plain("Only the two who duelled can ask for a rematch.")
        return send_only(*context.answer_press(alert))
    other = rules.get_other_player(duel, player.id)
    challenge = await store.read(lambda tx: duels.load_open_challenge(tx, duel.chat_id, other))
    if challenge and challenge.message_id and rules.is_challenged(challenge, player.id, player.username):
        # Both want a rematch
        return await _accept(context, challenge)
    names = await store.read(lambda tx: people.load_names(tx, [other]))
    if other not in names:  # forgotten meanwhile
        return play.refuse_old_button(context)
    game = GAMES[duel.game]
    options = game.options.unpack(duel.options, game.default_kind)
    return await _challenge(context, Opponent(other, names[other]), game, options)


async def _challenge(context: Context, opponent: Opponent, game: Game[Any], options: Options) -> Effect:
    """Return the effect that stores and posts a challenge, or that refuses if no duel can be dealt here."""
    member_refusal = await play.load_member_refusal(context)
    if member_refusal is not None:
        return member_refusal  # without the offer to give the open hand up
    refusal = await _load_duel_refusal(context)
    if context.player is None:
        return play.make_notice_effect(context, context.words.translate("Please duel under your own name."))
    new = Duel(
        id=0,
        chat_id=context.chat.id,
        topic=context.topic,
        challenger_id=context.player.id,
        opponent_id=opponent.id,
        opponent_name=opponent.name,
        game=game.key,
        options=pack_options(options),
        language=context.words.language,
        expires_at=context.handled_at + rules.CHALLENGE_SECONDS,
    )
    if refusal is not None:
        return lambda tx: _refuse_challenge(context, tx, refusal, new)
    return lambda tx: _post_challenge(context, tx, new)


def _refuse_challenge(context: Context, tx: Tx, refusal: Effect, new: Duel) -> Sequence[Response]:
    """Refuse a challenge; below an open hand that belongs to no race, offer to give it up for this one."""
    live = rounds.load_open_round(tx, context.chat.id, context.topic)
    if live is None or live.race_id is not None or context.is_press:
        return refusal(tx)
    if _find_challenge_obstacle(context, tx, new) is not None:
        return refusal(tx)
    duels.delete_awaited_challenge(tx, live)
    awaited = duels.insert_challenge(tx, replace(new, state=DuelState.AWAITED))
    rounds.update_game_state(tx, replace(live, awaited_duel=awaited.id))
    return [*refusal(tx), messages.show_round(live.chat_id, live.id)]


async def press_give_up_and_duel(context: Context) -> Effect:
    """Give the hand above the button up, or vote for that; then post the awaited challenge."""
    pressed = await play.load_pressed_round(context)
    if pressed is None or not pressed.awaited_duel or context.player is None:
        return play.refuse_old_button(context)
    refusal = await play.load_member_refusal(context)
    if refusal is not None:
        return refusal
    await play.refuse_forbidden_deal(context)
    wish = await load_wish(context)

    def effect(tx: Tx) -> Sequence[Response]:
        round = rounds.load_round(tx, pressed.id)
        awaited = duels.load_duel(tx, round.awaited_duel) if round else None
        outcome = give_up(tx, round, wish)  # this deletes the awaited challenge
        shown = render_outcome(context, tx, outcome)
        if not isinstance(outcome, GivenUp) or awaited is None or not awaited.challenger_id:
            return shown
        expires_at = context.handled_at + rules.CHALLENGE_SECONDS
        challenge = replace(awaited, state=DuelState.OFFERED, expires_at=expires_at)
        return [*shown, *_post_challenge(context, tx, challenge)]

    return effect


def _post_challenge(context: Context, tx: Tx, new: Duel) -> list[Response]:
    """Store a challenge and post it, in reply to a command; only reply why if the two can't duel."""
    reason = _find_challenge_obstacle(context, tx, new)
    if reason is not None:
        return play.make_notice(context, tx, reason)
    challenge = duels.insert_challenge(tx, new)
    reply_to = None if context.is_press else context.message_id or None
    message = view.make_challenge_message(challenge, reply_to)
    post = context.add_picture(message, CHALLENGE_PICTURE, required=Pictures.CARDS, duel=challenge.id)
    alert = context.words.translate_plain("Challenge sent. It waits for five minutes.")
    return [post, *context.answer_press(alert if context.submission else "")]


async def _load_duel_refusal(context: Context, *, is_accepted: bool = False) -> Effect | None:
    return await load_race_refusal(
        context,
        rules.MAX_HANDS,
        lambda words, _, left: words.translate(
            "A duel takes up to five hands, and this hour has room for {free}.", free=left
        ),
        by_member=is_accepted,
    )


def _find_challenge_obstacle(context: Context, tx: Tx, new: Duel) -> Html | None:
    """Return why a player can't challenge this opponent now, else None."""
    words = context.words
    opponent_id = new.opponent_id
    if opponent_id == new.challenger_id:
        return words.translate("Nobody duels with themselves: /duel alone challenges anybody.")
    refusal = _explain_busy_player(context, tx, opponent_id, new.opponent_name)
    if refusal is not None:
        return refusal
    if duels.load_open_challenge(tx, new.chat_id, new.challenger_id):
        return words.translate("Your challenge is still open: it waits for five minutes.")
    if opponent_id is not None:
        theirs = duels.load_open_challenge(tx, new.chat_id, opponent_id)
        if theirs is not None and theirs.opponent_id == new.challenger_id:
            name = format_name(new.opponent_name)
            return words.translate("{name} has just challenged you. Accept that!", name=name)
    return None


def _explain_busy_player(
    context: Context, tx: Tx, other_id: int | None, other_name: str | None
) -> Html | None:
    """Explain that the sender or the other player is in a duel; None if neither is."""
    if context.player is not None and duels.load_running_duel(tx, context.player.id):
        return context.words.translate("You are in a duel already.")
    if other_id is not None and duels.load_running_duel(tx, other_id):
        return context.words.translate("{name} is in a duel just now.", name=format_name(other_name))
    return None


async def find_opponent(context: Context) -> tuple[Opponent, str]:
    """Return the challenged player and the rest of the argument.

    The player is mentioned, named by username or first name, or the author of the replied message; else
    anybody is challenged. Raises RefusalError.
    """
    message, text = context.message, context.argument
    if message is None:
        return ANYBODY, text
    if message.mentions:
        mention, player = message.mentions[0]
        return _make_opponent(player), text.replace(mention, "", 1)
    match = USERNAME.search(text)
    if match is not None:
        return await _find_by_username(context, match["username"]), text.replace(match[0], "", 1)
    named = await _find_by_name(context, text)
    if named is not None:
        return named
    # In a topic each message replies to the one that created it, and a comment to the post that it is on
    replied = message.replied
    if replied is None or replied.topic_name is not None or replied.is_channel_post:
        return ANYBODY, text
    return _make_opponent(replied.author), text


def _make_opponent(player: people.Player | None) -> Opponent:
    """Return the player as an opponent. Raises RefusalError for None: a bot or a chat."""
    if player is None:
        raise _make_only_people_error()
    return Opponent(player.id, player.name)


def _make_only_people_error() -> RefusalError:
    return RefusalError(lambda words: words.translate("Only people duel. Reply to somebody else with /duel."))


MAX_OPTIONS = 2  # Words behind a name: a level and a game


async def _find_by_name(context: Context, text: str) -> tuple[Opponent, str] | None:
    """Return the player with whose first name the text begins, and the rest of it; None if nobody has it.

    Raises RefusalError if several players here have that name.
    """
    words, chat_id = text.split(), context.chat.id
    for length in range(len(words), max(0, len(words) - MAX_OPTIONS - 1), -1):
        name = " ".join(words[:length])
        found = await context.services.store.read(
            partial(people.find_players_by_name, chat_id=chat_id, name=name)
        )
        if len(found) > 1:
            raise _make_several_error(found[0].name)
        if found:
            return _make_opponent(found[0]), " ".join(words[length:])
    return None


def _make_several_error(name: str) -> RefusalError:
    return RefusalError(
        lambda words: words.translate(
            "Several people here are called {name}. Reply with {command} to one of their messages.",
            name=format_name(name),
            command="/duel",
        )
    )


async def _find_by_username(context: Context, username: str) -> Opponent:
    """Return the player with that username; the username alone if the player is not known for sure.

    Raises RefusalError if the player can't be challenged.
    """
    if _is_same_username(username, context.services.me.username):
        raise _make_only_people_error()  # the bot is not a person
    player = context.player
    if player is not None and _is_same_username(username, player.username):
        return Opponent(player.id, player.name)
    only_username = Opponent(None, f"{USERNAME_SIGN}{username}")
    store = context.services.store
    chat_id = context.chat.id
    known = await store.read(lambda tx: people.find_player_by_username(tx, username))
    if known is None:
        return only_username
    member = await context.fetch_member(chat_id, known.id)
    if member is None:  # Telegram does not answer
        has_played = await store.read(lambda tx: secrecy.has_played_in_chat(tx, known.id, chat_id))
        return Opponent(known.id, known.name) if has_played else only_username
    if not _is_same_username(username, member.user.username):
        return only_username  # somebody else may have the username now
    if not is_in_chat(member):
        raise RefusalError(lambda words: words.translate("@{name} is not in this group.", name=username))
    return Opponent(known.id, known.name)


def _is_same_username(username: str, other: str | None) -> bool:
    return username.casefold() == (other or "").casefold()


async def press_accept(context: Context) -> Effect:
    challenge = await _load_pressed_challenge(context)
    if challenge is None:
        return _refuse_ended(context)
    return await _accept(context, challenge)


async def _load_pressed_challenge(context: Context) -> Duel | None:
    """Load the challenge that the pressed button names; None if it is over or belongs to another message.

    If its message is not known yet, the returned challenge has the pressed one.
    """
    number = parse_number(context.button_argument)
    if not context.is_genuine_press or number is None:
        return None  # callback data can be forged
    challenge = await context.services.store.read(lambda tx: duels.load_duel(tx, number))
    if challenge is None or challenge.state is not DuelState.OFFERED or challenge.chat_id != context.chat.id:
        return None
    if context.handled_at > challenge.expires_at:
        return None
    if context.submission:  # a board has no message to compare
        is_in_topic = challenge.message_id is not None and challenge.topic == context.topic
        return challenge if is_in_topic else None
    if challenge.message_id is None:
        photo = UNKNOWN_CONTENT if context.message and context.message.has_photo else ""
        return replace(challenge, message_id=context.message_id, photo=photo)
    return challenge if challenge.message_id == context.message_id else None


async def _accept(context: Context, challenge: Duel) -> Effect:
    """Deal all hands of the duel and start it, unless the player may not accept or no hand can be dealt."""
    player = context.player
    if player is None or not challenge.challenger_id:  # the challenger was forgotten
        return _refuse_ended(context)
    may_accept = challenge.is_for_anybody or rules.is_challenged(challenge, player.id, player.username)
    if player.id == challenge.challenger_id or not may_accept:
        return send_only(*context.answer_press(_explain_who_may_accept(context, challenge)))
    refusal = await _load_duel_refusal(context, is_accepted=True)
    if refusal is not None:
        return refusal
    game = GAMES[challenge.game]
    options = game.options.unpack(challenge.options, game.default_kind)
    first_hand, *undealt = await play.deal_puzzles(
        context, game, options, rules.MAX_HANDS + rules.SPARE_HANDS
    )
    accepted = replace(challenge, opponent_id=player.id, opponent_name=player.name)
    first = play.make_round(context, game, first_hand, options, HAND_SECONDS)
    return lambda tx: _start_duel(context, tx, accepted, first, undealt)


def _start_duel(
    context: Context, tx: Tx, accepted: Duel, first: Round, undealt: list[DealtPuzzle]
) -> Sequence[Response]:
    """Store the duel and show its first hand; refuse if the challenge is over or a player or chat is busy."""
    stored = duels.load_duel(tx, accepted.id)
    is_offered = stored is not None and stored.state is DuelState.OFFERED
    if stored is None or not is_offered or stored.challenger_id != accepted.challenger_id:
        return _refuse_ended(context)(tx)  # also if the challenger was forgotten meanwhile
    challenger_id = accepted.challenger_id
    refusal = _explain_busy_player(context, tx, challenger_id, _load_name(tx, challenger_id))
    if refusal is not None:
        return play.make_notice(context, tx, refusal)
    first = replace(
        first,
        dealer_id=challenger_id,
        language=accepted.language,
        topic=accepted.topic,
        message_id=accepted.message_id,
    )
    opened = open_race(tx, first, undealt, spare=rules.SPARE_HANDS)
    if opened is None:
        return play.refuse_second_deal(context, tx)
    rounds.update_shown_picture(tx, opened.id, opened.message_id or 0, accepted.photo or None)
    # Both ids are known by now
    duels.begin_duel(tx, accepted.id, opponent_id=accepted.opponent_id or 0, race_id=opened.race_id or 0)
    confirmation = context.answer_press() if context.is_press else context.react(play.SEEN)
    return [messages.show_round(opened.chat_id, opened.id), *confirmation]


def _load_name(tx: Tx, player_id: int) -> str | None:
    return people.load_names(tx, [player_id]).get(player_id)


async def press_decline(context: Context) -> Effect:
    """Decline the challenge above the button, or withdraw it if the challenger presses."""
    challenge = await _load_pressed_challenge(context)
    player = context.player
    if challenge is None or player is None:
        return _refuse_ended(context)
    if player.id == challenge.challenger_id:
        return lambda tx: _answer_decline(context, tx, withdraw_challenge(tx, challenge))
    if rules.is_challenged(challenge, player.id, player.username):
        name = format_name(challenge.opponent_name)
        words = get_words(challenge.language)
        declined = words.translate("{name} would rather not duel just now.", name=name)
        return lambda tx: _answer_decline(context, tx, _end_challenge(tx, challenge, declined))
    alert = _explain_who_may_accept(context, challenge)
    if challenge.is_for_anybody:
        alert = context.words.translate_plain("Only the one who challenged can withdraw it.")
    return send_only(*context.answer_press(alert))


def withdraw_challenge(tx: Tx, challenge: Duel) -> list[Outgoing]:
    """Delete the challenge and say in its message that it was withdrawn; an empty list if it is gone."""
    name = format_name(_load_name(tx, challenge.challenger_id))
    withdrawn = get_words(challenge.language).translate("{name} has withdrawn the challenge.", name=name)
    return _end_challenge(tx, challenge, withdrawn)


def _end_challenge(tx: Tx, challenge: Duel, sentence: Html) -> list[Outgoing]:
    """Delete a challenge, and its challenger if inactive; show the sentence. Do nothing if it is gone."""
    if not duels.delete_challenge(tx, challenge.id):
        return []
    people.delete_inactive_player(tx, challenge.challenger_id)
    return [view.make_challenge_end(challenge, sentence)]


def _answer_decline(context: Context, tx: Tx, requests: list[Outgoing]) -> Sequence[Response]:
    """Add the answer to the press to the requests that end a challenge; refuse if there are none."""
    if not requests:
        return _refuse_ended(context)(tx)
    return [*requests, *context.answer_press()]


def _refuse_ended(context: Context) -> Effect:
    return send_only(*context.answer_press(context.words.translate_plain("That challenge is over.")))


def _explain_who_may_accept(context: Context, challenge: Duel) -> str:
    if challenge.is_for_anybody:
        return context.words.translate_plain("Somebody else has to accept your challenge.")
    name = format_name(challenge.opponent_name)
    return strip_tags(context.words.translate("This challenge is for {name}.", name=name))


def _load_challenge_picture(tx: Tx, asked: PictureRequest, _: float) -> DescribedPicture | None:
    """Load a challenge and make its picture; None if it is gone."""
    challenge = duels.load_duel(tx, asked.arguments["duel"])
    if challenge is None:
        return None
    names = people.load_names(tx, list(challenge.player_ids))
    return DescribedPicture(view.make_challenge_picture(get_words(asked.language), challenge, names))


def _record_challenge_delivery(tx: Tx, request: DeliveredRequest) -> None:
    """Store the delivered message of a challenge, and restart its time to be accepted."""
    duels.update_challenge_message(
        tx, request.about_id, request.message_id, request.delivered_at, request.picture_key
    )


async def _end_expired_challenges(timer: TimerContext, _: float) -> None:
    """End the challenges that were not accepted in time, unless an answer may still be in the inbox."""
    now = timer.inbox.now()
    expired = await timer.store.read(lambda tx: duels.load_expired_challenges(tx, now))
    ids = {each.id for each in expired if not await timer.inbox.has_waiting(each.chat_id, each.expires_at)}
    if ids:
        await timer.run_effect(lambda tx: end_expired_challenges(tx, ids, now))


def end_expired_challenges(tx: Tx, ids: set[int], now: float) -> list[Outgoing]:
    """Delete those of the challenges that are still expired, and say so in the messages that are known."""
    edits = list[Outgoing]()
    for challenge in duels.load_expired_challenges(tx, now):
        if challenge.id not in ids:
            continue
        words = get_words(challenge.language)
        name = format_name(_load_name(tx, challenge.challenger_id))
        sentence = words.translate("Nobody took {name}’s challenge in time.", name=name)
        requests = _end_challenge(tx, challenge, sentence)
        if challenge.message_id is not None:  # else the request would post a new message
            edits += requests
    return edits


MENU_LINE = translate_later("challenge somebody: best of five hands")
ROUTES = Routes(
    commands=[CommandRoute("duel", offer_duel, UpdateKind.DEAL, MENU_LINE, groups_only=True)],
    buttons=[
        ButtonRoute("d", press_challenge_winner, UpdateKind.DEAL_PRESS),
        ButtonRoute(view.ACCEPT_BUTTON, press_accept, UpdateKind.DEAL_PRESS),
        ButtonRoute(view.DECLINE_BUTTON, press_decline),
        ButtonRoute("dr", press_rematch, UpdateKind.DEAL_PRESS),
        ButtonRoute(SKIP_AND_DUEL_BUTTON, press_give_up_and_duel, UpdateKind.DEAL_PRESS),
    ],
    picture_finders={CHALLENGE_PICTURE: _load_challenge_picture},
    delivery_handlers={view.CHALLENGE_RECEIPT: _record_challenge_delivery},
    timed_tasks=[TimedTask("challenges", 0.0, _end_expired_challenges)],
)
