"""/settings: one message in which admins choose how the bot plays in their chat.
Every press and every typed value is checked for admin rights, so an old menu is no use to former admins. That
a menu waits for a typed value is stored with the chat's settings.
"""

import re
from collections.abc import Sequence

from bot import zones
from bot.admin.settings import view
from bot.admin.settings.view import MenuPlace
from bot.database import Tx
from bot.i18n import Html, Words, get_words, translate_later
from bot.players import queries as people
from bot.players.choices import Choice, Setting, find_choice
from bot.players.preferences import (
    AWAITED_KEY,
    GENERAL_TOPIC,
    SECRET_KEY,
    TIMEZONE_KEY,
    AwaitedValue,
    read_awaited_value,
    read_preferences,
)
from bot.queue.admission import UpdateKind
from bot.queue.outgoing import Outgoing
from bot.rounds import answer_view
from bot.rounds.commands import make_notice, refuse_old_button
from bot.rounds.puzzle import DealError, Options
from bot.rounds.registry import GAMES
from bot.telegram.context import Context, Effect, Response, do_nothing, send_only
from bot.telegram.menus import make_secret_menu_requests
from bot.telegram.messages import Keyboard, edit_message
from bot.telegram.routes import ButtonRoute, CommandRoute, LostMessage, OtherUpdate, Routes
from bot.workers.pool import SolvingError


async def show_settings(context: Context) -> Effect:
    """Reply with the menu to an admin, in a group with a refusal to anybody else."""
    if not await context.is_admin():
        refusal = context.words.translate("Only admins can change the settings here.")
        return (lambda tx: make_notice(context, tx, refusal)) if context.player else do_nothing
    return send_only(_reply_with_menu(context, *_render_menu(context, context.chat)))


def _reply_with_menu(context: Context, text: Html, keyboard: Keyboard) -> Response:
    # In a topic, a message that replies to nothing carries the topic's name, for the case that it is chosen
    options = {"reply_to": None} if context.topic else {}
    return context.reply(text, keyboard=keyboard, **options)


async def show_language(context: Context) -> Effect:
    """Reply with the language's page of the menu, or refuse as `show_settings` does."""
    if not await context.is_admin():
        return await show_settings(context)
    return send_only(
        _reply_with_menu(context, *_render_page(context, context.chat, context.words, "language"))
    )


async def show_timezone(context: Context) -> Effect:
    """Store the time zone that an admin names, and reply with its page of the menu."""
    if not await context.is_admin():
        return await show_settings(context)
    words = context.words
    zone = zones.find_zone(context.argument)
    is_unreadable = bool(context.argument) and not zone
    trouble = words.translate_plain("Sorry, I can’t read that.") if is_unreadable else ""

    def effect(tx: Tx) -> list[Response]:
        if zone:
            store_choice(context, tx, TIMEZONE_KEY, zone)
        page = _render_page(context, _load_chat(context, tx), words, TIMEZONE_KEY, trouble=trouble)
        return [_reply_with_menu(context, *page)]

    return effect


def _make_settings(context: Context, chat: people.Chat, words: Words) -> dict[str, Setting]:
    is_forum = context.message is not None and context.message.is_in_forum
    topic = 0
    if is_forum:
        topic = context.topic or GENERAL_TOPIC  # Messages in the General topic name no thread
    place = MenuPlace(context.chat.private, topic, context.sent_at)
    return {setting.key: setting for setting in view.make_settings(words, read_preferences(chat), place)}


def _render_menu(context: Context, chat: people.Chat, page: str = "") -> tuple[Html, Keyboard]:
    settings = _make_settings(context, chat, context.words)
    return view.render_menu(context.words, list(settings.values()), page)


def _render_page(
    context: Context, chat: people.Chat, words: Words, key: str, *, asking: bool = False, trouble: str = ""
) -> tuple[Html, Keyboard]:
    """Render the page of one setting; with `trouble` also suggestions for what was typed.

    From a page that asks for a typed value the back button leads to the choices of the setting.
    """
    settings = _make_settings(context, chat, words)
    back_to = key if asking else view.find_page_code(list(settings.values()), key)
    suggestions = settings[key].suggest(context.argument) if trouble else ()
    return view.render_setting(
        words, settings[key], asking=asking, trouble=trouble, back_to=back_to, offered=suggestions
    )


async def press_menu_button(context: Context) -> Effect:
    """Handle a button of the menu: `o:` and `o:more` for its pages, `o:done`, `o:KEY` or `o:KEY:CODE`."""
    _prefix, _, target = context.button_data.partition(":")
    key, _, code = target.partition(":")
    if context.message is None or not context.is_genuine_press:
        return refuse_old_button(context)
    if not await context.is_admin():
        refusal = context.words.translate_plain("Only admins can change the settings here.")
        return send_only(*context.answer_press(refusal, alert=True))
    setting = _make_settings(context, context.chat, context.words).get(key)
    if setting and code:
        choice, _opener = find_choice(setting.choices, code)
        if choice and not choice.submenu:  # not in the transaction: it waits for deals
            trouble = await _find_trouble(context, setting, choice.stored)
            if trouble:
                return send_only(*context.answer_press(trouble, alert=True))
    return lambda tx: _handle_button(context, tx, context.message_id, key, code)


def _handle_button(context: Context, tx: Tx, message_id: int, key: str, code: str) -> Sequence[Response]:
    """Handle a press by an admin: whatever it opens, this menu stops waiting for a typed value."""
    chat = _load_chat(context, tx)
    awaited = read_awaited_value(chat)
    if awaited and awaited.message_id == message_id:
        people.store_setting(tx, chat.id, AWAITED_KEY, value=None)
    setting = _make_settings(context, chat, context.words).get(key)
    if setting is not None:
        return _handle_setting_button(context, tx, message_id, setting, code)
    if key not in (*view.PAGES, view.DONE):
        return refuse_old_button(context)(tx)
    text, keyboard = _render_menu(context, chat, key)
    edit = edit_message(chat.id, message_id, text, None if key == view.DONE else keyboard)
    return [edit, *context.answer_press()]


def _handle_setting_button(
    context: Context, tx: Tx, message_id: int, setting: Setting, code: str
) -> Sequence[Response]:
    """Open a setting (without a `code`) or a submenu, store a choice, or wait for a typed value (`?`)."""
    chat, words, key = _load_chat(context, tx), context.words, setting.key

    def edit(text: Html, keyboard: Keyboard) -> list[Response]:
        return [edit_message(chat.id, message_id, text, keyboard), *context.answer_press()]

    choice, parent = find_choice(setting.choices, code)
    if choice and choice.submenu:
        back_to = f"{key}:{parent}" if parent else key
        return edit(*view.render_setting(words, setting, back_to=back_to, offered=choice.submenu))
    if choice:
        return _store_and_show(context, tx, message_id, key, choice)
    is_asking = code == view.TYPE and setting.typing_help is not None
    if code and not is_asking:
        return refuse_old_button(context)(tx)
    if is_asking:
        awaited = [message_id, key]  # Read by `read_awaited_value`
        people.store_setting(tx, chat.id, AWAITED_KEY, awaited)
    return edit(*_render_page(context, chat, words, key, asking=is_asking))


def _store_and_show(context: Context, tx: Tx, message_id: int, key: str, choice: Choice) -> list[Response]:
    """Store a choice, and show it in the chat's language, which may be the choice."""
    store_choice(context, tx, key, choice.stored)
    chat = _load_chat(context, tx)
    words = get_words(chat.language) if chat.language else context.words
    edit = edit_message(chat.id, message_id, *_render_page(context, chat, words, key))
    requests = [edit, *context.answer_press(words.translate_plain("Saved."))]
    if key == SECRET_KEY:
        is_on = read_preferences(chat).secret_answers
        requests += make_secret_menu_requests(context.services.commands, chat.id, on=is_on)
    return requests


def _load_chat(context: Context, tx: Tx) -> people.Chat:
    return people.load_chat(tx, context.chat.id, context.chat.kind)


def store_choice(context: Context, tx: Tx, key: str, value: object) -> None:
    """Store the chosen value of a setting, None for the default; with a topic also its name."""
    if key == "language":
        people.store_language(tx, context.chat.id, value if isinstance(value, str) else None)
        return
    people.store_setting(tx, context.chat.id, key, value)
    if key == "topic":
        # Messages in a topic reply to the one that opened it, which has its name
        first_message = context.message.replied if context.message else None
        name = first_message.topic_name if first_message and value else None  # None for "any topic", too
        people.store_setting(tx, context.chat.id, "topic_name", name)


async def _find_trouble(context: Context, setting: Setting, value: object) -> str:
    """Return why no hand could be dealt with that value; empty if there is no such reason."""
    if not setting.affects_deals:
        return ""
    settings, services = context.chat.settings.replace(setting.key, value), context.services
    try:
        for game in GAMES.values():
            await game.deal(services.solver_pool, settings, Options(), services.make_seed())
    except (DealError, SolvingError):
        return context.words.translate_plain("There are no such hands. Change another setting first.")
    return ""


# A time or a number, which is an answer to no hand
TIME_OR_NUMBER = re.compile(r"[0-9]{1,2}(?:[ .:]+[0-9]{1,2})?(?: *[-+]?[0-9]{1,2})?")


async def read_typed_value(context: Context) -> Effect:
    """Store a typed value for which the menu waits, or say that it can't be used.

    Every text without a route of its own comes here; any other goes on to `answer_text`, and so does an
    unreadable one, unless it replies to the menu, is a time or a number, or is near to a value.
    """
    awaited = read_awaited_value(context.chat)
    if awaited is None or not _may_be_for(context, awaited) or not await context.is_admin():
        return await answer_view.answer_text(context)
    setting = _make_settings(context, context.chat, context.words).get(awaited.key)
    value = setting.parse(context.argument) if setting and setting.parse else None
    if setting is not None and value is not None:
        trouble = await _find_trouble(context, setting, value)
    elif _is_meant_as_value(context, setting):
        trouble = context.words.translate_plain("Sorry, I can’t read that.")
    else:
        return await answer_view.answer_text(context)
    if trouble:
        return lambda tx: _show_setting(context, tx, awaited, trouble)

    def effect(tx: Tx) -> list[Response]:
        store_choice(context, tx, awaited.key, value)
        people.store_setting(tx, context.chat.id, AWAITED_KEY, value=None)
        return [*_show_setting(context, tx, awaited), *context.react("👌")]

    return effect


def _may_be_for(context: Context, awaited: AwaitedValue) -> bool:
    """Whether the message replies to the menu; in private also if it replies to nothing."""
    message = context.message
    if message is None or message.is_copied or not message.text:
        return False
    if message.replied is None:
        return context.chat.private
    return message.replied.id == awaited.message_id


def _is_meant_as_value(context: Context, setting: Setting | None) -> bool:
    """Whether an unreadable text is meant for the menu: a reply, a time, a number, or near to a value."""
    is_reply = context.message is not None and context.message.replied is not None
    is_near = setting is not None and bool(setting.suggest(context.argument))
    return is_reply or is_near or TIME_OR_NUMBER.fullmatch(context.argument) is not None


def _show_setting(context: Context, tx: Tx, awaited: AwaitedValue, trouble: str = "") -> list[Outgoing]:
    """Show the awaited setting in the menu's message; with `trouble` it asks again."""
    chat, words = _load_chat(context, tx), context.words
    if awaited.key not in _make_settings(context, chat, words):
        return []
    page = _render_page(context, chat, words, awaited.key, asking=bool(trouble), trouble=trouble)
    return [edit_message(chat.id, awaited.message_id, *page)]


async def cancel_typing(context: Context) -> Effect:
    """Stop waiting for a typed value, and show its setting; in private also say if there was none."""
    awaited = read_awaited_value(context.chat)
    if awaited is None or not await context.is_admin():
        nothing = context.words.translate("There is nothing to cancel.")
        return send_only(context.reply(nothing)) if context.chat.private else do_nothing

    def effect(tx: Tx) -> list[Outgoing]:
        people.store_setting(tx, context.chat.id, AWAITED_KEY, value=None)
        return _show_setting(context, tx, awaited)

    return effect


def stop_waiting_if_deleted(tx: Tx, message: LostMessage) -> bool:
    """Stop waiting for a typed value if the menu's message was deleted. Return False: no new menu comes."""
    awaited = read_awaited_value(people.load_chat(tx, message.chat_id, "private"))
    if awaited is not None and awaited.message_id == message.message_id:
        people.store_setting(tx, message.chat_id, AWAITED_KEY, value=None)
    return False


ROUTES = Routes(
    commands=[
        CommandRoute("settings", show_settings, UpdateKind.COMMAND, translate_later("how I play here")),
        CommandRoute("language", show_language, UpdateKind.COMMAND),
        CommandRoute("timezone", show_timezone, UpdateKind.COMMAND),
        CommandRoute("cancel", cancel_typing, UpdateKind.COMMAND),
    ],
    buttons=[ButtonRoute("o", press_menu_button)],
    other_updates={OtherUpdate.TEXT: read_typed_value},
    lost_message_handlers=[stop_waiting_if_deleted],
)
