"""/stats: a player's profile, one's own or that of somebody in the chat."""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from bot.admin.settings.pictures import attach_picture
from bot.admin.settings.preferences import read_preferences
from bot.database import Tx
from bot.i18n import INVISIBLE_NAME, get_words, make_mention
from bot.pictures.alt_text import render_alt_text
from bot.players import queries as people
from bot.queue.admission import UpdateKind
from bot.rounds.commands import refuse_old_button
from bot.standings.leaderboard.commands import match_press
from bot.standings.stats import queries, view
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request
from bot.telegram.photo_messages import DescribedPicture
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes

PROFILE_PICTURE = "profile"  # The kind of picture


@dataclass(frozen=True, slots=True)
class ProfileChoice:
    """A player whose profile is shown in a chat."""

    chat: int
    who: int
    game: str  # The key of a game; empty for all games
    own: bool  # Whether the reader is that player


async def show_stats(context: Context) -> Effect:
    """Reply with the profile of the player who is named or replied to, else of the sender."""

    def effect(tx: Tx) -> list[Request]:
        """Reply with the profile, or that nobody of that name played; [] for a message without sender."""
        player, name = _find_asked_player(context, tx)
        if player is None and not name:
            return []
        choice = _make_choice(context, player.id) if player else None
        profile = _load_visible_profile(tx, choice, context.sent_at) if choice else None
        if choice is None or profile is None:
            # The same for strangers and for players of other chats, so that it does not tell who plays
            return [context.reply(view.render_stats(context.words, name, None, context.sent_at))]
        return [_make_profile_message(context, context.reply, choice, profile)]

    return effect


def _find_asked_player(context: Context, tx: Tx) -> tuple[people.Player | None, str]:
    """Return the player who is asked for, None for a stranger or none, and the name in the message."""
    username = re.match(r"@(\w{1,64})", context.argument)
    if username:
        return queries.find_player_by_username(tx, username[1]), username[0]  # The name has the @
    user = None  # Whom the message mentions, else the author replied to
    if context.message:
        named = [entity.user for entity in context.message.entities if entity.user]
        replied = context.message.reply_to_message
        if named:
            user = named[0]
        # A message in a topic that replies to nothing replies to the one that created the topic
        elif replied and not context.argument and not replied.forum_topic_created:
            user = replied.from_user
    if user and not user.is_bot:
        return people.Player(user.id, user.first_name, user.username), user.first_name
    if context.player is None:
        return None, ""
    return context.player, context.player.name


SWITCH_DATA = re.compile(r"pf:([1-9][0-9]{0,17}):(?P<game>[a-z0-9]*)")


async def press_game_button(context: Context) -> Effect:
    """Change a profile to one game or to all, as the presser may see it."""
    refuse = refuse_old_button(context)
    match = match_press(context, SWITCH_DATA)
    if match is None:
        return refuse
    choice = _make_choice(context, int(match[1]), match["game"])

    def effect(tx: Tx) -> list[Request]:
        """Edit the profile and answer the press; refuse if the presser may not see it any more."""
        profile = _load_visible_profile(tx, choice, context.sent_at)
        if profile is None:
            return refuse(tx)
        return [_make_profile_message(context, context.edit, choice, profile), *context.answer_press()]

    return effect


def _make_choice(context: Context, player_id: int, game: str = "") -> ProfileChoice:
    is_own = context.player is not None and player_id == context.player.id
    return ProfileChoice(context.chat.id, player_id, game, is_own)


def _make_profile_message(
    context: Context, make_request: Callable[..., Request], choice: ProfileChoice, profile: queries.Profile
) -> Request:
    """Make a post or an edit, as `make_request` does, with a profile, its buttons and its picture."""
    name, now = make_mention(choice.who), context.sent_at
    text = view.render_stats(context.words, name, profile, now, choice.game, is_own=choice.own)
    keyboard = view.make_game_buttons(context.words, choice.who, choice.game)
    return attach_picture(context, make_request(text, keyboard=keyboard), PROFILE_PICTURE, **asdict(choice))


def _load_visible_profile(tx: Tx, choice: ProfileChoice, now: float) -> queries.Profile | None:
    """Load what the reader may see of a player; None if that is nothing, or another never answered here."""
    all_chats = choice.own or not people.is_name_masked(tx, choice.who)
    zone = read_preferences(people.load_group(tx, choice.chat)).zone
    load = partial(queries.load_profile, tx, choice.chat, choice.who, now, all_chats=all_chats, zone=zone)
    profile = load()
    if profile.is_empty or not (choice.own or profile.in_chat):
        return None
    if choice.game:
        profile = load(game=choice.game)
    is_private_chat = choice.chat > 0
    if is_private_chat:  # Nobody else plays there
        return replace(profile, in_chat=None)
    return profile


def load_profile_picture(tx: Tx, parameters: Mapping[str, Any], now: float) -> DescribedPicture | None:
    """Return the picture of a profile; None if there is nothing to show and the message is not a photo."""
    choice = ProfileChoice(parameters["chat"], parameters["who"], parameters["game"], parameters["own"])
    profile = _load_visible_profile(tx, choice, now)
    is_photo = bool(parameters["shown"])
    if profile is None or (profile.is_empty and not is_photo):
        return None
    name = people.load_names(tx, [choice.who]).get(choice.who, INVISIBLE_NAME)
    words = get_words(parameters["language"])
    picture = view.make_profile_picture(words, name, profile, now, choice.game)
    return DescribedPicture(picture, [render_alt_text(picture)])


ROUTES = Routes(
    commands=[
        CommandRoute(
            "stats",
            show_stats,
            UpdateKind.QUESTION,
            lambda speech: speech.translate_plain("your own figures"),
        )
    ],
    buttons=[ButtonRoute(view.BUTTON_PREFIX, press_game_button)],
    picture_finders={PROFILE_PICTURE: load_profile_picture},
)
