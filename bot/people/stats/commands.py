"""/stats of oneself, across all chats, or of somebody in the chat."""

import re
from dataclasses import replace

from bot.database import Tx
from bot.delivery.intake import Work
from bot.games.daily.rules import day_of
from bot.i18n import mention
from bot.people import queries as people
from bot.people.stats import queries as records
from bot.people.stats import view
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request
from bot.telegram.routes import Command, Routes


async def stats(context: Context) -> Effect:
    """The profile of the one replied to or named, else of the caller."""
    return lambda tx: _stats(context, tx)


def _stats(context: Context, tx: Tx) -> list[Request]:
    asked, called = _asked(context, tx)
    if asked is None and not called:
        return []
    today = day_of(context.now)
    found = _profile(context, tx, asked) if asked else None
    # one sentence for a stranger and for somebody who plays elsewhere: it tells nobody who plays
    who = mention(asked.id) if asked and found else called
    return [context.say(view.stats(context.words, who, found, today))]


def _profile(context: Context, tx: Tx, asked: people.Player) -> records.Profile | None:
    """What there is to show of somebody; None of whoever does not play where another one asks."""
    own = context.player is not None and asked.id == context.player.id
    across = own or not people.is_masked(tx, asked.id)
    found = records.profile(tx, context.chat.id, asked.id, context.now, across=across)
    if found.empty or not (own or found.here):
        return None
    return replace(found, here=None) if context.chat.private else found


def _asked(context: Context, tx: Tx) -> tuple[people.Player | None, str]:
    """The person whose figures are asked for, and what the chat calls them."""
    message = context.message
    username = re.match(r"@(\w{1,64})", context.argument)
    if username:
        return records.by_username(tx, username[1]), username[0]
    mentioned = next((e.user for e in message.entities if e.user), None) if message else None
    replied = message.reply_to_message if message and not context.argument else None
    user = mentioned or (replied.from_user if replied and not replied.forum_topic_created else None)
    if user and not user.is_bot:
        return people.Player(user.id, user.first_name, user.username), user.first_name
    return context.player, context.player.name if context.player else ""


ROUTES = Routes(
    commands=[Command("stats", stats, Work.QUESTION, lambda said: said.plain("your own figures"))]
)
