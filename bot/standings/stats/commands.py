"""/stats: a player's profile, one's own or that of somebody in the chat."""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

from bot.database import Tx
from bot.i18n import INVISIBLE_NAME, get_words, make_mention, translate_later
from bot.pictures.alt_text import render_alt_text
from bot.players import queries as people
from bot.players.preferences import read_preferences
from bot.queue.admission import UpdateKind
from bot.queue.outgoing import PictureRequest
from bot.queue.rendering import DescribedPicture
from bot.rounds.commands import refuse_old_button
from bot.standings.leaderboard.commands import match_press
from bot.standings.stats import queries, view
from bot.telegram.context import Context, Effect, Response
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

    def effect(tx: Tx) -> list[Response]:
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
    mention = re.match(r"@(?P<username>\w{1,64})", context.argument)
    if mention:
        return people.find_player_by_username(tx, mention["username"]), mention[0]
    player = None  # Whom the message mentions, else the author replied to
    if context.message:
        replied = context.message.replied
        if context.message.mentions:
            _words, player = context.message.mentions[0]
        # A message in a topic that replies to nothing replies to the one that created the topic
        elif replied and not context.argument and replied.topic_name is None:
            player = replied.author
    player = player or context.player
    return player, player.name if player else ""


SWITCH_DATA = re.compile(r"pf:(?P<player>[1-9][0-9]{0,17}):(?P<game>[a-z0-9]*)")


async def press_game_button(context: Context) -> Effect:
    """Change a profile to one game or to all, as the presser may see it."""
    refuse = refuse_old_button(context)
    match = match_press(context, SWITCH_DATA)
    if match is None:
        return refuse
    choice = _make_choice(context, int(match["player"]), match["game"])

    def effect(tx: Tx) -> Sequence[Response]:
        profile = _load_visible_profile(tx, choice, context.sent_at)
        if profile is None:
            return refuse(tx)
        return [_make_profile_message(context, context.edit, choice, profile), *context.answer_press()]

    return effect


def _make_choice(context: Context, player_id: int, game: str = "") -> ProfileChoice:
    is_own = context.player is not None and player_id == context.player.id
    return ProfileChoice(context.chat.id, player_id, game, is_own)


def _make_profile_message(
    context: Context, make_request: Callable[..., Response], choice: ProfileChoice, profile: queries.Profile
) -> Response:
    """Make a post or an edit, as `make_request` does, with a profile, its buttons and its picture."""
    name, now = make_mention(choice.who), context.sent_at
    text = view.render_stats(context.words, name, profile, now, choice.game, is_own=choice.own)
    keyboard = view.make_game_buttons(context.words, choice.who, choice.game)
    return context.add_picture(make_request(text, keyboard=keyboard), PROFILE_PICTURE, **asdict(choice))


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


def load_profile_picture(tx: Tx, asked: PictureRequest, now: float) -> DescribedPicture | None:
    """Return the picture of a profile; None if there is nothing to show and the message is not a photo."""
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
    commands=[CommandRoute("stats", show_stats, UpdateKind.QUESTION, translate_later("your own figures"))],
    buttons=[ButtonRoute(view.BUTTON_PREFIX, press_game_button)],
    picture_finders={PROFILE_PICTURE: load_profile_picture},
)
