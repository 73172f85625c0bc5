"""/stats of oneself, across all chats, or of somebody in the chat."""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from bot.admin.settings import preferences as preferences
from bot.admin.settings.pictures import attach_picture
from bot.database import Tx
from bot.i18n import INVISIBLE_NAME, get_words, make_mention
from bot.pictures.alt_text import render_alt_text
from bot.players import queries as people
from bot.queue.admission import UpdateKind
from bot.rounds.commands import refuse_old_button
from bot.rounds.registry import DEFAULT_GAME, GAMES
from bot.standings.stats import pictures, view
from bot.standings.stats import queries as records
from bot.standings.stats.rules import BUTTON_PREFIX
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request, edit_message
from bot.telegram.photo_messages import DescribedPicture
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes

PROFILE_PICTURE = "profile"  # The kind of picture


async def show_stats(context: Context) -> Effect:
    """The profile of the one replied to or named, else of the caller."""
    return lambda tx: _stats(context, tx)


def _stats(context: Context, tx: Tx) -> list[Request]:
    asked, called = _asked(context, tx)
    if asked is None and not called:
        return []
    found = _profile(tx, _look(context, asked.id), context.sent_at) if asked else None
    if asked is None or found is None:
        # one sentence for a stranger and for somebody who plays elsewhere: it tells nobody who plays
        return [context.reply(view.render_stats(context.words, called, None, context.sent_at))]
    return [_shown(context, context.reply, _look(context, asked.id), found)]


async def press_game_button(context: Context) -> Effect:
    """A button under a profile: its figures in one game, or in all, as the one who pressed may see them."""
    match = re.fullmatch(r"pf:([1-9][0-9]{0,17}):([a-z0-9]*)", context.button_data)
    message, late = context.message, refuse_old_button(context)
    if (
        match is None
        or message is None
        or not context.is_genuine_press
        or (match[2] or DEFAULT_GAME.key) not in GAMES
    ):
        return late
    who, game = int(match[1]), match[2]

    def effect(tx: Tx) -> list[Request]:
        look = _look(context, who, game)
        found = _profile(tx, look, context.sent_at)
        if found is None:
            return late(tx)
        changed = partial(edit_message, context.chat.id, message.message_id)
        return [_shown(context, changed, look, found), *context.answer_press()]

    return effect


@dataclass(frozen=True, slots=True)
class ProfileChoice:
    """Whose figures are looked at, by whom, and where."""

    chat: int
    who: int
    game: str  # The key of the one game whose figures are shown; empty for all of them
    own: bool  # Whether somebody looks at their own


def _look(context: Context, who: int, game: str = "") -> ProfileChoice:
    return ProfileChoice(context.chat.id, who, game, context.player is not None and who == context.player.id)


def _shown(
    context: Context, say: Callable[..., Request], look: ProfileChoice, found: records.Profile
) -> Request:
    """The profile as a post or as an edit, with its picture where the chat has such."""
    text = view.render_stats(
        context.words, make_mention(look.who), found, context.sent_at, look.game, own=look.own
    )
    request = say(text, keyboard=view.make_game_buttons(context.words, look.who, look.game))
    return attach_picture(context, request, PROFILE_PICTURE, **asdict(look))


def _profile(tx: Tx, look: ProfileChoice, now: float) -> records.Profile | None:
    """What there is to show of somebody; None of whoever does not play where another one asks."""
    across = look.own or not people.is_name_masked(tx, look.who)
    zone = preferences.read_preferences(people.load_chat(tx, look.chat, "supergroup")).zone
    found = records.load_profile(tx, look.chat, look.who, now, across=across, zone=zone)
    if found.is_empty or not (look.own or found.here):
        return None
    if look.game:
        found = records.load_game_profile(tx, look.chat, look.who, look.game, now, across=across, zone=zone)
    return replace(found, here=None) if look.chat > 0 else found


def load_profile_picture(tx: Tx, asked: Mapping[str, Any], now: float) -> DescribedPicture | None:
    """The picture of a profile, by how it was looked at."""
    look = ProfileChoice(asked["chat"], asked["who"], asked["game"], asked["own"])
    found, speech = _profile(tx, look, now), get_words(asked["language"])
    if found is None or (found.is_empty and not asked["shown"]):
        return None
    name = people.load_names(tx, [look.who]).get(look.who, INVISIBLE_NAME)
    shown = pictures.make_profile_picture(speech, name, found, now, look.game)
    return DescribedPicture(shown, [render_alt_text(shown)])


def _asked(context: Context, tx: Tx) -> tuple[people.Player | None, str]:
    """The person whose figures are asked for, and what the chat calls them."""
    message = context.message
    username = re.match(r"@(\w{1,64})", context.argument)
    if username:
        return records.find_player_by_username(tx, username[1]), username[0]
    mentioned = next((e.user for e in message.entities if e.user), None) if message else None
    replied = message.reply_to_message if message and not context.argument else None
    user = mentioned or (replied.from_user if replied and not replied.forum_topic_created else None)
    if user and not user.is_bot:
        return people.Player(user.id, user.first_name, user.username), user.first_name
    return context.player, context.player.name if context.player else ""


ROUTES = Routes(
    commands=[
        CommandRoute(
            "stats",
            show_stats,
            UpdateKind.QUESTION,
            lambda speech: speech.translate_plain("your own figures"),
        )
    ],
    buttons=[ButtonRoute(BUTTON_PREFIX, press_game_button)],
    picture_finders={PROFILE_PICTURE: load_profile_picture},
)
