"""/stats of oneself, across all chats, or of somebody in the chat."""

import re
from dataclasses import replace

from bot.database import Tx
from bot.delivery.intake import Work
from bot.games.known import GAMES, USUAL
from bot.games.rounds.commands import out_of_date
from bot.i18n import mention
from bot.people import queries as people
from bot.people.stats import queries as records
from bot.people.stats import view
from bot.telegram.context import Context, Effect
from bot.telegram.messages import Request, edit
from bot.telegram.routes import Button, Command, Routes


async def stats(context: Context) -> Effect:
    """The profile of the one replied to or named, else of the caller."""
    return lambda tx: _stats(context, tx)


def _stats(context: Context, tx: Tx) -> list[Request]:
    asked, called = _asked(context, tx)
    if asked is None and not called:
        return []
    found = _profile(context, tx, asked.id) if asked else None
    if asked is None or found is None:
        # one sentence for a stranger and for somebody who plays elsewhere: it tells nobody who plays
        return [context.say(view.stats(context.words, called, None, context.now))]
    text = view.stats(context.words, mention(asked.id), found, context.now, own=_is_own(context, asked.id))
    return [context.say(text, keyboard=view.buttons(context.words, asked.id, ""))]


async def switched(context: Context) -> Effect:
    """A button under a profile: its figures in one game, or in all, as the one who pressed may see them."""
    match = re.fullmatch(r"pf:([1-9][0-9]{0,17}):([a-z0-9]*)", context.pressed)
    message, late = context.message, out_of_date(context)
    if match is None or message is None or not context.offered or (match[2] or USUAL.key) not in GAMES:
        return late
    who, game = int(match[1]), match[2]

    def effect(tx: Tx) -> list[Request]:
        found = _profile(context, tx, who, game)
        if found is None:
            return late(tx)
        own = _is_own(context, who)
        text = view.stats(context.words, mention(who), found, context.now, game, own=own)
        keyboard = view.buttons(context.words, who, game)
        return [edit(context.chat.id, message.message_id, text, keyboard), *context.answer()]

    return effect


def _is_own(context: Context, player_id: int) -> bool:
    return context.player is not None and player_id == context.player.id


def _profile(context: Context, tx: Tx, player_id: int, game: str = "") -> records.Profile | None:
    """What there is to show of somebody; None of whoever does not play where another one asks."""
    own = _is_own(context, player_id)
    across = own or not people.is_masked(tx, player_id)
    found = records.profile(tx, context.chat.id, player_id, context.now, across=across)
    if found.empty or not (own or found.here):
        return None
    if game:
        found = records.in_game(tx, context.chat.id, player_id, game, context.now, across=across)
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
    commands=[Command("stats", stats, Work.QUESTION, lambda said: said.plain("your own figures"))],
    buttons=[Button(view.PREFIX, switched)],
)
