"""/stats: a player's profile, one's own or that of somebody in the chat; a tab of /leaderboard's message."""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

from bot.database import Tx
from bot.i18n import INVISIBLE_NAME, format_name, get_words, make_mention, quote_fragment, translate_later
from bot.modes.daily import queries as daily
from bot.pictures.alt_text import render_alt_text
from bot.players import queries as people
from bot.players.preferences import read_preferences
from bot.queue.admission import UpdateKind
from bot.queue.outgoing import PictureRequest
from bot.queue.rendering import DescribedPicture, truncate_name
from bot.rounds import ledger
from bot.rounds.commands import refuse_old_button
from bot.standings.leaderboard import queries as boards
from bot.standings.leaderboard.commands import match_press
from bot.standings.leaderboard.view import PROFILE_PREFIX
from bot.standings.stats import queries, view
from bot.telegram.context import Context, Effect, Response
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes

PROFILE_PICTURE = "profile"  # The kind of picture


@dataclass(frozen=True, slots=True)
class ProfileChoice:
    """A player whose profile is shown in a chat."""

    chat: int
    who: int
    game: str  # Its key
    own: bool  # Whether the reader is that player


async def show_stats(context: Context) -> Effect:
    """Reply with the profile of the player who is named or replied to, else of the sender."""
    words = context.words

    def effect(tx: Tx) -> list[Response]:
        found, name = _find_asked_players(context, tx)
        if len(found) > 1:
            several = words.translate(
                "Several people here are called {name}. Reply with {command} to one of their messages.",
                name=format_name(name),
                command="/stats",
            )
            return [context.reply(several)]
        choice = _make_choice(context, tx, found[0].id) if found else None
        profile = _load_visible_profile(tx, choice, context.sent_at) if choice else None
        if choice is None or profile is None:
            # The same for strangers and for players of other chats, so that it does not tell who plays
            admins_deal = read_preferences(context.chat).admins_deal
            text = view.render_no_profile(words, name, admins_deal=admins_deal)
            return [context.reply(text)] if name else []
        return [_make_profile_message(context, context.reply, choice, profile)]

    return effect


MAX_NAME = 64  # UTF-16 units of a typed name that are repeated


def _find_asked_players(context: Context, tx: Tx) -> tuple[list[people.Player], str]:
    """Return the players who may be meant, and the name in the message: none for a stranger.

    Meant is the @username or the mention, else the name behind the command, else the author replied to, else
    the sender.
    """
    mention = re.match(r"@(?P<username>\w{1,64})", context.argument)
    if mention:
        player = people.find_player_by_username(tx, mention["username"])
        return [player] if player else [], mention[0]
    player = None  # Whom the message mentions, else the author replied to
    replied = context.message.replied if context.message else None
    if context.message and context.message.mentions:
        _words, player = context.message.mentions[0]
    elif context.argument:
        name = truncate_name(quote_fragment(context.argument), MAX_NAME)
        return people.find_players_by_name(tx, context.chat.id, context.argument), name
    # A message in a topic that replies to nothing replies to the one that created the topic
    elif replied and replied.topic_name is None:
        player = replied.author
    player = player or context.player
    return ([player], player.name) if player else ([], "")


SWITCH_DATA = re.compile(rf"{PROFILE_PREFIX}:(?:(?P<player>[1-9][0-9]{{0,17}}):(?P<game>[a-z0-9]+))?")


async def press_button(context: Context) -> Effect:
    """Change a profile to one game, as the presser may see it, or another tab to the presser's profile."""
    refuse = refuse_old_button(context)
    match = match_press(context, SWITCH_DATA)
    if match is None or context.player is None:
        return refuse
    player = context.player

    def effect(tx: Tx) -> Sequence[Response]:
        player_id = int(match["player"]) if match["player"] else player.id
        choice = _make_choice(context, tx, player_id, match["game"] or "")
        profile = _load_visible_profile(tx, choice, context.sent_at)
        if profile is None and choice.own:
            nothing = context.words.translate_plain("You have not answered a hand here yet.")
            return context.answer_press(nothing, alert=True)
        if profile is None:
            return refuse(tx)
        return [_make_profile_message(context, context.edit, choice, profile), *context.answer_press()]

    return effect


def _make_choice(context: Context, tx: Tx, player_id: int, game: str = "") -> ProfileChoice:
    """Make the choice of a player's profile, by default in the game that the player plays most here."""
    is_own = context.player is not None and player_id == context.player.id
    game = game or boards.load_usual_game(tx, context.chat.id, player_id)
    return ProfileChoice(context.chat.id, player_id, game, is_own)


def _make_profile_message(
    context: Context, make_request: Callable[..., Response], choice: ProfileChoice, profile: queries.Profile
) -> Response:
    """Make a post or an edit, as `make_request` does, with a profile, its buttons and its picture."""
    name, now = make_mention(choice.who), context.sent_at
    text = view.render_stats(context.words, name, profile, now, choice.game, is_own=choice.own)
    keyboard = view.make_buttons(context.words, choice.chat, choice.who, choice.game)
    return context.add_picture(make_request(text, keyboard=keyboard), PROFILE_PICTURE, **asdict(choice))


def _load_visible_profile(tx: Tx, choice: ProfileChoice, now: float) -> queries.Profile | None:
    """Load what the reader may see of a player; None if that is nothing, or another never answered here."""
    has_answered = ledger.has_answered_in_chat(tx, choice.who, choice.chat)
    if not (choice.own or has_answered):
        return None
    all_chats = choice.own or not people.is_name_masked(tx, choice.who)
    zone = read_preferences(people.load_group(tx, choice.chat)).zone
    profile = queries.load_profile(
        tx, choice.chat, choice.who, now, choice.game, all_chats=all_chats, zone=zone
    )
    if profile.is_empty and not has_answered and not daily.load_solved_days(tx, choice.who):
        return None
    is_private_chat = choice.chat > 0
    if is_private_chat:  # Nobody else plays there
        return replace(profile, in_chat=None)
    return profile


def load_profile_picture(tx: Tx, asked: PictureRequest, now: float) -> DescribedPicture | None:
    """Return the picture of a profile.

    None if the profile is gone, or if it is empty and the message is no photo yet.
    """
    choice = ProfileChoice(**asked.arguments)
    profile = _load_visible_profile(tx, choice, now)
    is_photo = bool(asked.shown_key)
    if profile is None or (profile.is_empty and not is_photo):
        return None
    name = people.load_names(tx, [choice.who]).get(choice.who, INVISIBLE_NAME)
    words = get_words(asked.language)
    picture = view.make_profile_picture(words, name, profile, now, choice.game)
    return DescribedPicture(picture, [render_alt_text(picture)])


ROUTES = Routes(
    commands=[CommandRoute("stats", show_stats, UpdateKind.QUESTION, translate_later("your statistics"))],
    buttons=[ButtonRoute(PROFILE_PREFIX, press_button)],
    picture_finders={PROFILE_PICTURE: load_profile_picture},
)
