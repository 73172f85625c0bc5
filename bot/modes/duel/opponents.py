"""Who is challenged to a duel: somebody named, somebody replied to, or whoever dares."""

import re
from dataclasses import dataclass

from telegram import User

from bot.i18n import Html
from bot.modes.duel.rules import USERNAME_SIGN
from bot.players.queries import Player
from bot.rounds import presence
from bot.standings.stats import queries as records
from bot.telegram.context import Context, is_in_chat, make_player

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
        here = await context.services.store.read(lambda tx: presence.has_played_in_chat(tx, found.id, context.chat.id))
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
