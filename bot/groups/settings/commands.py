"""/settings: one message in which admins choose how the bot plays in their chat.

Rights are looked up at each press and at each typed value, so an old menu is worth nothing to those who
are no admins any more. What waits to be typed is stored with the chat's settings.
"""

from typing import Any

from bot.database import Tx
from bot.delivery.intake import Kind as Work
from bot.games.known import GAMES
from bot.games.puzzle import DealError, Options
from bot.games.rounds import answers as answer
from bot.games.rounds.commands import aside, react
from bot.groups.settings import rules as preferences
from bot.groups.settings import view as choices
from bot.groups.settings.choices import Setting
from bot.groups.settings.rules import ASKED, Asked
from bot.groups.settings.view import Place
from bot.i18n import Words, words
from bot.people import queries as people
from bot.telegram import messages
from bot.telegram.context import Context, Effect, nothing, saying
from bot.telegram.messages import Request
from bot.telegram.routes import Button, Command, Other, Routes
from bot.workers.pool import SolvingError


async def settings(context: Context) -> Effect:
    """/settings: open the menu."""
    if not await context.is_admin():
        refusal = context.words.say("Only admins can change the settings here.")
        return (lambda tx: aside(context, tx, refusal)) if context.player else nothing
    text, keyboard = choices.menu(context.words, preferences.of(context.chat), _place(context))
    # in a topic a message that replies to nothing names the topic, which may be chosen here
    options = {"reply_to": None} if context.topic else {}
    return saying(context.say(text, keyboard=keyboard, **options))


def _place(context: Context) -> Place:
    forum = bool(context.message and context.message.chat.is_forum)
    return Place(context.chat.private, choices.topic_at_hand(forum=forum, thread=context.topic), context.now)


async def pressed(context: Context) -> Effect:
    """A button of the menu: `o:`, `o:KEY` or `o:KEY:CODE`."""
    key, _, code = context.pressed.partition(":")[2].partition(":")
    if context.message is None or not context.offered:
        return saying(*_out_of_date(context))
    if not await context.is_admin():
        return saying(
            *context.answer(context.words.plain("Only admins can change the settings here."), alert=True)
        )
    trouble = await _trouble(context, key, _stored(context, key, code)) if code else ""
    if trouble:
        return saying(*context.answer(trouble, alert=True))
    return lambda tx: _pressed(context, tx, key, code)


def _pressed(context: Context, tx: Tx, key: str, code: str) -> list[Request]:
    chat = people.find_chat(tx, context.chat.id, context.chat.kind)
    waits = preferences.asked(chat)
    if waits and context.message and waits.message_id == context.message.message_id:
        people.choose(tx, chat.id, ASKED, None)
    if key == "done":
        return [
            *_edited(context, choices.menu(context.words, preferences.of(chat), _place(context))[0]),
            *context.answer(),
        ]
    if not key:
        return [*_menu(context, chat), *context.answer()]
    setting = _setting(context.words, chat, context, key)
    if setting is None:
        return _out_of_date(context)
    if code == choices.TYPE and setting.howto and context.message:
        people.choose(tx, chat.id, ASKED, [context.message.message_id, key])
        return [*_edited(context, *choices.page(context.words, setting, asking=True)), *context.answer()]
    if not code:
        return [*_edited(context, *choices.page(context.words, setting)), *context.answer()]
    return _chosen(context, tx, setting, code)


def _chosen(context: Context, tx: Tx, setting: Setting, code: str) -> list[Request]:
    """Keep a choice that the menu offers; data that names another was made up or is old."""
    choice = next((c for c in setting.choices if c.code == code), None)
    if choice is None:
        return _out_of_date(context)
    keep(context, tx, setting.key, choice.stored)
    said = _said(context, tx)
    return [*_page(context, tx, said, setting.key), *context.answer(said.plain("Saved."))]


def keep(context: Context, tx: Tx, key: str, value: object) -> None:
    """Store one setting of the context's chat."""
    if key == "language":
        people.choose_language(tx, context.chat.id, value if isinstance(value, str) else None)
        return
    people.choose(tx, context.chat.id, key, value)
    if key == "topic":
        people.choose(tx, context.chat.id, "topic_name", _topic_name(context) if value else None)


def _topic_name(context: Context) -> str | None:
    """What the topic of the menu is called: its messages reply to the one that opened it."""
    opening = context.message.reply_to_message if context.message else None
    created = opening.forum_topic_created if opening else None
    return created.name if created else None


async def _trouble(context: Context, key: str, value: object) -> str:
    """Why nothing could be dealt with `key` set to `value`; empty if it can, or if that doesn't matter."""
    setting = _setting(context.words, context.chat, context, key)
    if setting is None or not setting.deals:
        return ""
    chosen, services = {**context.chat.settings, key: value}, context.services
    try:
        for game in GAMES.values():
            await game.deal(services.solving, chosen, Options(), services.seed())
    except (DealError, SolvingError):
        return context.words.plain("I find no hands like that: change another setting first.")
    return ""


def _stored(context: Context, key: str, code: str) -> object:
    setting = _setting(context.words, context.chat, context, key)
    return next((c.stored for c in setting.choices if c.code == code), None) if setting else None


def _setting(said: Words, chat: people.Chat, context: Context, key: str) -> Setting | None:
    every = choices.settings(said, preferences.of(chat), _place(context))
    return next((s for s in every if s.key == key), None)


def _said(context: Context, tx: Tx) -> Words:
    """The words of the chat as it stands: the language may have changed just now."""
    language = people.find_chat(tx, context.chat.id, context.chat.kind).language
    return words(language) if language else context.words


def _page(context: Context, tx: Tx, said: Words, key: str) -> list[Request]:
    setting = _setting(said, people.find_chat(tx, context.chat.id, context.chat.kind), context, key)
    return _edited(context, *choices.page(said, setting)) if setting else []


def _menu(context: Context, chat: people.Chat) -> list[Request]:
    return _edited(context, *choices.menu(context.words, preferences.of(chat), _place(context)))


def _edited(context: Context, text: Any, keyboard: messages.Keyboard | None = None) -> list[Request]:
    """The menu's message with another text: the one that was pressed."""
    return (
        [messages.edit(context.chat.id, context.message.message_id, text, keyboard)]
        if context.message
        else []
    )


def _out_of_date(context: Context) -> list[Request]:
    return context.answer(context.words.plain("That button is out of date."))


async def said(context: Context) -> Effect:
    """A message that types what the menu waits for, or else whatever `answer` makes of it."""
    waits = preferences.asked(context.chat)
    if waits is None or not _typed_for(context, waits) or not await context.is_admin():
        return await answer.said(context)
    value = read(context, waits.key)
    if value is None:
        if context.chat.private and context.message and context.message.reply_to_message is None:
            return await answer.said(context)
        return lambda tx: _asked_again(context, tx, waits, context.words.plain("That can't be read."))
    trouble = await _trouble(context, waits.key, value)
    if trouble:
        return lambda tx: _asked_again(context, tx, waits, trouble)
    return lambda tx: _typed(context, tx, waits, value)


def _typed_for(context: Context, waits: Asked) -> bool:
    """Whether the message replies to the menu; in private any other message may be meant for it too."""
    message = context.message
    if message is None or message.forward_origin or message.via_bot:
        return False
    replied = message.reply_to_message
    return replied.message_id == waits.message_id if replied else context.chat.private


def read(context: Context, key: str) -> object:
    """The value that was typed for a setting; None where it can't be read."""
    setting = _setting(context.words, context.chat, context, key)
    return setting.read(context.argument) if setting and setting.read else None


def _typed(context: Context, tx: Tx, waits: Asked, value: object) -> list[Request]:
    keep(context, tx, waits.key, value)
    people.choose(tx, context.chat.id, ASKED, None)
    return [*_redrawn(context, tx, waits), *react(context, "👌")]


def _asked_again(context: Context, tx: Tx, waits: Asked, trouble: str) -> list[Request]:
    return _redrawn(context, tx, waits, asking=True, trouble=trouble)


def _redrawn(
    context: Context, tx: Tx, waits: Asked, *, asking: bool = False, trouble: str = ""
) -> list[Request]:
    """The menu's message after something was typed."""
    chat = people.find_chat(tx, context.chat.id, context.chat.kind)
    setting = _setting(context.words, chat, context, waits.key)
    if setting is None:
        return []
    text, keyboard = choices.page(context.words, setting, asking=asking, trouble=trouble)
    return [messages.edit(chat.id, waits.message_id, text, keyboard)]


async def cancel(context: Context) -> Effect:
    """/cancel: the menu waits for nothing any more."""
    waits = preferences.asked(context.chat)
    if waits is None or not await context.is_admin():
        return (
            saying(context.say(context.words.say("There is nothing to cancel.")))
            if context.chat.private
            else nothing
        )

    def effect(tx: Tx) -> list[Request]:
        people.choose(tx, context.chat.id, ASKED, None)
        return _redrawn(context, tx, waits)

    return effect


ROUTES = Routes(
    commands=[
        Command("settings", settings, Work.COMMAND, lambda said: said.plain("how I play here, for admins")),
        Command("cancel", cancel, Work.COMMAND),
    ],
    buttons=[Button("o", pressed)],
    others={Other.TEXT: said},
)
