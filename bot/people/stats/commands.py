"""/stats of oneself or of somebody in the chat."""

import re

from bot.database import Tx
from bot.delivery.intake import Work
from bot.games.daily import queries as daily
from bot.games.daily.rules import day_of, streak
from bot.i18n import mention
from bot.people import queries as people
from bot.people.stats import queries as records
from bot.people.stats import view
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request
from bot.telegram.routes import Command, Routes


async def stats(context: Context) -> Effect:
    """What somebody has done in this chat: the one replied to or named, else the caller."""
    return lambda tx: _stats(context, tx)


def _stats(context: Context, tx: Tx) -> list[Request]:
    asked, called = _asked(context, tx)
    found = records.record(tx, context.chat.id, asked.id) if asked else None
    if asked is None and not called:
        return []
    if asked is None or found is None:
        # one sentence for a stranger and for somebody who plays elsewhere: it tells nobody who plays
        return [context.say(view.stats(context.words, called, None, (0, 0)))]
    days = daily.solved_days(tx, asked.id)
    row = streak(days, day_of(context.now))
    return [context.say(view.stats(context.words, mention(asked.id), found, (len(days), row)))]


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
