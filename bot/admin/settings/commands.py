"""/settings: one message in which admins choose how the bot plays in their chat.

Rights are looked up at each press and at each typed value, so an old menu is worth nothing to those who
are no admins any more. What waits to be typed is stored with the chat's settings.
"""

import re

from bot import zones
from bot.admin.settings import preferences as preferences
from bot.admin.settings import view as choices
from bot.admin.settings.choices import Choice, Setting, find_choice
from bot.admin.settings.preferences import AWAITED_KEY, GENERAL_TOPIC, TIMEZONE_KEY, AwaitedValue
from bot.admin.settings.view import MenuPlace
from bot.database import Tx
from bot.i18n import Html, Words, get_words
from bot.players import queries as people
from bot.queue.admission import UpdateKind
from bot.rounds import answers
from bot.rounds.commands import make_notice_effect, react, refuse_old_button
from bot.rounds.puzzle import DealError, Options
from bot.rounds.registry import GAMES
from bot.telegram.context import Context, Effect, do_nothing, send_only
from bot.telegram.menus import make_secret_menu_requests
from bot.telegram.messages import Keyboard, Request, edit_message
from bot.telegram.routes import ButtonRoute, CommandRoute, LostMessage, OtherUpdate, Routes
from bot.workers.pool import SolvingError

# What may be meant for a time of day or a number, and is an answer to no hand.
MOMENT = re.compile(r"[0-9]{1,2}(?:[ .:]+[0-9]{1,2})?(?: *[-+]?[0-9]{1,2})?")


async def show_settings(context: Context) -> Effect:
    """/settings: open the menu."""
    if not await context.is_admin():
        refusal = context.words.translate("Only admins can change the settings here.")
        return make_notice_effect(context, refusal) if context.player else do_nothing
    return send_only(_posted(context, *_menu(context, context.chat)))


def _posted(context: Context, text: Html, keyboard: Keyboard) -> Request:
    # in a topic a message that replies to nothing names the topic, which may be chosen here
    options = {"reply_to": None} if context.topic else {}
    return context.reply(text, keyboard=keyboard, **options)


async def show_timezone(context: Context) -> Effect:
    """/timezone NAME: choose the chat's time zone; its page of the menu shows it, or asks for a name."""
    if not await context.is_admin():
        return await show_settings(context)
    value = zones.find_zone(context.argument)

    def effect(tx: Tx) -> list[Request]:
        trouble, chat = "", context.chat
        if value:
            store_choice(context, tx, TIMEZONE_KEY, value)
            chat = _chat(context, tx)
        elif context.argument:
            trouble = context.words.translate_plain("Sorry, I can’t read that.")
        page = _page(context, chat, context.words, TIMEZONE_KEY, trouble=trouble, typed=context.argument)
        return [_posted(context, *page)]

    return effect


def _place(context: Context) -> MenuPlace:
    """Where the menu stands: a forum's messages without a thread are in General."""
    forum = bool(context.message and context.message.chat.is_forum)
    return MenuPlace(context.chat.private, (context.topic or GENERAL_TOPIC) if forum else 0, context.sent_at)


def _settings(context: Context, chat: people.Chat, speech: Words) -> dict[str, Setting]:
    """What can be chosen in the chat as it stands, by key."""
    return {
        s.key: s for s in choices.make_settings(speech, preferences.read_preferences(chat), _place(context))
    }


def _menu(context: Context, chat: people.Chat, page: str = "") -> tuple[Html, Keyboard]:
    """The menu as it stands."""
    return choices.render_menu(context.words, list(_settings(context, chat, context.words).values()), page)


def _page(
    context: Context,
    chat: people.Chat,
    speech: Words,
    key: str,
    *,
    asking: bool = False,
    trouble: str = "",
    typed: str = "",
) -> tuple[Html, Keyboard]:
    """One setting of the menu as it stands, with the way back to where it is listed.

    Where `trouble` tells why what was `typed` won't do, what may have been meant is offered.
    """
    every = _settings(context, chat, speech)
    back_to = choices.find_page_code(list(every.values()), key)
    meant = every[key].suggest(typed) if trouble else ()
    return choices.render_setting(
        speech, every[key], asking=asking, trouble=trouble, back_to=back_to, choices=meant
    )


async def press_menu_button(context: Context) -> Effect:
    """A button of the menu: `o:` or `o:more` for its pages, `o:KEY` or `o:KEY:CODE`."""
    key, _, code = context.button_data.partition(":")[2].partition(":")
    if context.message is None or not context.is_genuine_press:
        return refuse_old_button(context)
    if not await context.is_admin():
        refusal = context.words.translate_plain("Only admins can change the settings here.")
        return send_only(*context.answer_press(refusal, alert=True))
    setting = _settings(context, context.chat, context.words).get(key)
    choice = find_choice(setting.choices, code)[0] if setting else None
    trouble = await _trouble(context, setting, choice and choice.stored) if setting and code else ""
    if trouble:
        return send_only(*context.answer_press(trouble, alert=True))
    return lambda tx: _pressed(context, tx, key, code)


def _pressed(context: Context, tx: Tx, key: str, code: str) -> list[Request]:
    chat, sent = _chat(context, tx), context.message.message_id if context.message else 0
    waits = preferences.read_awaited_value(chat)
    if waits and waits.message_id == sent:
        people.store_setting(tx, chat.id, AWAITED_KEY, None)
    if key in (*choices.PAGES, "done"):
        text, keyboard = _menu(context, chat, key)
        return [
            edit_message(chat.id, sent, text, None if key == "done" else keyboard),
            *context.answer_press(),
        ]
    setting = _settings(context, chat, context.words).get(key)
    choice, parent = find_choice(setting.choices, code) if setting else (None, "")
    if setting and choice and choice.submenu:
        back_to = f"{key}:{parent}" if parent else key
        page = choices.render_setting(context.words, setting, back_to=back_to, choices=choice.submenu)
        return [edit_message(chat.id, sent, *page), *context.answer_press()]
    if setting and choice:
        return _chosen(context, tx, key, choice)
    asking = code == choices.TYPE
    if setting is None or (code and not (asking and setting.typing_help)):
        return refuse_old_button(context)(tx)
    if asking:
        people.store_setting(tx, chat.id, AWAITED_KEY, [sent, key])
    return [
        edit_message(chat.id, sent, *_page(context, chat, context.words, key, asking=asking)),
        *context.answer_press(),
    ]


def _chosen(context: Context, tx: Tx, key: str, choice: Choice) -> list[Request]:
    """Keep a choice, and show it in the words of the chat: the language may have changed just now."""
    store_choice(context, tx, key, choice.stored)
    chat, sent = _chat(context, tx), context.message.message_id if context.message else 0
    speech = get_words(chat.language) if chat.language else context.words
    shown = [
        edit_message(chat.id, sent, *_page(context, chat, speech, key)),
        *context.answer_press(speech.translate_plain("Saved.")),
    ]
    return [*shown, *_menus(context, key, on=preferences.read_preferences(chat).secret_answers)]


def _menus(context: Context, key: str, *, on: bool) -> list[Request]:
    """The command menus that follow from the choice."""
    if key != preferences.SECRET_KEY:
        return []
    return make_secret_menu_requests(context.services.commands, context.chat.id, on=on)


def _chat(context: Context, tx: Tx) -> people.Chat:
    """The chat as it stands now."""
    return people.load_chat(tx, context.chat.id, context.chat.kind)


def store_choice(context: Context, tx: Tx, key: str, value: object) -> None:
    """Store one setting of the context's chat."""
    if key == "language":
        people.store_language(tx, context.chat.id, value if isinstance(value, str) else None)
        return
    people.store_setting(tx, context.chat.id, key, value)
    if key == "topic":
        people.store_setting(tx, context.chat.id, "topic_name", _topic_name(context) if value else None)


def _topic_name(context: Context) -> str | None:
    """What the topic of the menu is called: its messages reply to the one that opened it."""
    opening = context.message.reply_to_message if context.message else None
    created = opening.forum_topic_created if opening else None
    return created.name if created else None


async def _trouble(context: Context, setting: Setting, value: object) -> str:
    """Why nothing could be dealt with the setting at `value`; empty if it can, or if that doesn't matter."""
    if not setting.affects_deals:
        return ""
    chosen, services = {**context.chat.settings, setting.key: value}, context.services
    try:
        for game in GAMES.values():
            await game.deal(services.solver_pool, chosen, Options(), services.make_seed())
    except (DealError, SolvingError):
        return context.words.translate_plain("There are no such hands. Change another setting first.")
    return ""


async def read_typed_value(context: Context) -> Effect:
    """A message that types what the menu waits for, or else whatever `answers` makes of it."""
    waits = preferences.read_awaited_value(context.chat)
    if waits is None or not _typed_for(context, waits) or not await context.is_admin():
        return await answers.answer_text(context)
    setting = _settings(context, context.chat, context.words).get(waits.key)
    value = setting.parse(context.argument) if setting and setting.parse else None
    if setting is None or value is None:
        meant = setting and setting.suggest(context.argument)
        if not (_replies(context) or meant or MOMENT.fullmatch(context.argument)):
            return await answers.answer_text(context)
        return lambda tx: _redrawn(
            context, tx, waits, context.words.translate_plain("Sorry, I can’t read that.")
        )
    trouble = await _trouble(context, setting, value)
    if trouble:
        return lambda tx: _redrawn(context, tx, waits, trouble)
    return lambda tx: _typed(context, tx, waits, value)


def _replies(context: Context) -> bool:
    return context.message is not None and context.message.reply_to_message is not None


def _typed_for(context: Context, waits: AwaitedValue) -> bool:
    """Whether the message replies to the menu; in private any other message may be meant for it too."""
    message = context.message
    if message is None or message.forward_origin or message.via_bot:
        return False
    replied = message.reply_to_message
    return replied.message_id == waits.message_id if replied else context.chat.private


def _typed(context: Context, tx: Tx, waits: AwaitedValue, value: object) -> list[Request]:
    store_choice(context, tx, waits.key, value)
    people.store_setting(tx, context.chat.id, AWAITED_KEY, None)
    return [*_redrawn(context, tx, waits), *react(context, "👌")]


def _redrawn(context: Context, tx: Tx, waits: AwaitedValue, trouble: str = "") -> list[Request]:
    """The menu's message after something was typed; `trouble` says why it won't do, and asks again."""
    chat = _chat(context, tx)
    if waits.key not in _settings(context, chat, context.words):
        return []
    asked, typed = bool(trouble), context.argument
    page = _page(context, chat, context.words, waits.key, asking=asked, trouble=trouble, typed=typed)
    return [edit_message(context.chat.id, waits.message_id, *page)]


async def cancel_typing(context: Context) -> Effect:
    """/cancel: the menu waits for nothing any more."""
    waits = preferences.read_awaited_value(context.chat)
    if waits is None or not await context.is_admin():
        none = context.words.translate("There is nothing to cancel.")
        return send_only(context.reply(none)) if context.chat.private else do_nothing

    def effect(tx: Tx) -> list[Request]:
        people.store_setting(tx, context.chat.id, AWAITED_KEY, None)
        return _redrawn(context, tx, waits)

    return effect


def stop_waiting_if_deleted(tx: Tx, message: LostMessage) -> bool:
    """A menu that waits for somebody to type a setting, if it is one, was deleted: it waits no more."""
    waits = preferences.read_awaited_value(people.load_chat(tx, message.chat_id, "private"))
    if waits is not None and waits.message_id == message.message_id:
        people.store_setting(tx, message.chat_id, AWAITED_KEY, None)
    return False


ROUTES = Routes(
    commands=[
        CommandRoute(
            "settings",
            show_settings,
            UpdateKind.COMMAND,
            lambda speech: speech.translate_plain("how I play here"),
        ),
        CommandRoute("timezone", show_timezone, UpdateKind.COMMAND),
        CommandRoute("cancel", cancel_typing, UpdateKind.COMMAND),
    ],
    buttons=[ButtonRoute("o", press_menu_button)],
    other_updates={OtherUpdate.TEXT: read_typed_value},
    lost_message_handlers=[stop_waiting_if_deleted],
)
