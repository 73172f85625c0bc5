"""/settings: one message in which admins choose how the bot plays in their chat.

Rights are looked up at each press and at each typed value, so an old menu is worth nothing to those who
are no admins any more. What waits to be typed is stored with the chat's settings.
"""

from dataclasses import replace
from typing import Any

from bot import preferences, reply
from bot.handlers import answer
from bot.handlers.play import aside
from bot.preferences import ASKED, Asked, Quiet
from bot.reply import Outgoing, choices
from bot.reply.choices import Place, Setting
from bot.solving import SolvingError
from bot.store import Tx, people
from bot.turn import Move, Turn, nothing, saying
from bot.words import Words, words

DEALT_BY = ("level", "highest", "cards", "target")
"""Settings that decide which hands there are."""


async def settings(turn: Turn) -> Move:
    """/settings: open the menu."""
    if not await turn.is_admin():
        refusal = turn.words.say("Only admins can change the settings here.")
        return (lambda tx: aside(turn, tx, refusal)) if turn.player else nothing
    text, keyboard = choices.menu(turn.words, preferences.of(turn.chat), _place(turn))
    # in a topic a message that replies to nothing names the topic, which may be chosen here
    options = {"reply_to": None} if turn.topic else {}
    return saying(turn.say(text, keyboard=keyboard, **options))


def _place(turn: Turn) -> Place:
    forum = bool(turn.message and turn.message.chat.is_forum)
    return Place(turn.chat.private, choices.topic_at_hand(forum=forum, thread=turn.topic), turn.now)


async def pressed(turn: Turn) -> Move:
    """A button of the menu: `o:`, `o:KEY` or `o:KEY:CODE`."""
    key, _, code = turn.pressed.partition(":")[2].partition(":")
    if turn.message is None or not turn.offered:
        return saying(*_out_of_date(turn))
    if not await turn.is_admin():
        return saying(*turn.answer(turn.words.plain("Only admins can change the settings here."), alert=True))
    if key in DEALT_BY and code:
        trouble = await _trouble(turn, key, _stored(turn, key, code))
        if trouble:
            return saying(*turn.answer(trouble, alert=True))
    return lambda tx: _pressed(turn, tx, key, code)


def _pressed(turn: Turn, tx: Tx, key: str, code: str) -> list[Outgoing]:
    chat = people.find_chat(tx, turn.chat.id, turn.chat.kind)
    waits = preferences.asked(chat)
    if waits and turn.message and waits.message_id == turn.message.message_id:
        people.choose(tx, chat.id, ASKED, None)
    if key == "done":
        return [
            *_edited(turn, choices.menu(turn.words, preferences.of(chat), _place(turn))[0]),
            *turn.answer(),
        ]
    if not key:
        return [*_menu(turn, chat), *turn.answer()]
    setting = _setting(turn.words, chat, turn, key)
    if setting is None:
        return _out_of_date(turn)
    if code == choices.TYPE and setting.howto and turn.message:
        people.choose(tx, chat.id, ASKED, [turn.message.message_id, key])
        return [*_edited(turn, *choices.page(turn.words, setting, asking=True)), *turn.answer()]
    if not code:
        return [*_edited(turn, *choices.page(turn.words, setting)), *turn.answer()]
    return _chosen(turn, tx, setting, code)


def _chosen(turn: Turn, tx: Tx, setting: Setting, code: str) -> list[Outgoing]:
    """Keep a choice that the menu offers; data that names another was made up or is old."""
    choice = next((c for c in setting.choices if c.code == code), None)
    if choice is None:
        return _out_of_date(turn)
    keep(turn, tx, setting.key, choice.stored)
    said = _said(turn, tx)
    return [*_page(turn, tx, said, setting.key), *turn.answer(said.plain("Saved."))]


def keep(turn: Turn, tx: Tx, key: str, value: object) -> None:
    """Store one setting of the turn's chat."""
    if key == "language":
        people.choose_language(tx, turn.chat.id, value if isinstance(value, str) else None)
        return
    people.choose(tx, turn.chat.id, key, value)
    if key == "topic":
        people.choose(tx, turn.chat.id, "topic_name", _topic_name(turn) if value else None)


def _topic_name(turn: Turn) -> str | None:
    """What the topic of the menu is called: its messages reply to the one that opened it."""
    opening = turn.message.reply_to_message if turn.message else None
    created = opening.forum_topic_created if opening else None
    return created.name if created else None


async def _trouble(turn: Turn, key: str, value: object) -> str:
    """Why no hand could be dealt with `key` set to `value`; empty if one can."""
    chosen = preferences.of(replace(turn.chat, settings={**turn.chat.settings, key: value}))
    try:
        await turn.services.solving.deal(
            turn.services.seed(), chosen.cards, chosen.highest, chosen.target, chosen.level
        )
    except (ValueError, SolvingError):
        return turn.words.plain("I find no hands like that: change another setting first.")
    return ""


def _stored(turn: Turn, key: str, code: str) -> object:
    setting = _setting(turn.words, turn.chat, turn, key)
    return next((c.stored for c in setting.choices if c.code == code), None) if setting else None


def _setting(said: Words, chat: people.Chat, turn: Turn, key: str) -> Setting | None:
    every = choices.settings(said, preferences.of(chat), _place(turn))
    return next((s for s in every if s.key == key), None)


def _said(turn: Turn, tx: Tx) -> Words:
    """The words of the chat as it stands: the language may have changed just now."""
    language = people.find_chat(tx, turn.chat.id, turn.chat.kind).language
    return words(language) if language else turn.words


def _page(turn: Turn, tx: Tx, said: Words, key: str) -> list[Outgoing]:
    setting = _setting(said, people.find_chat(tx, turn.chat.id, turn.chat.kind), turn, key)
    return _edited(turn, *choices.page(said, setting)) if setting else []


def _menu(turn: Turn, chat: people.Chat) -> list[Outgoing]:
    return _edited(turn, *choices.menu(turn.words, preferences.of(chat), _place(turn)))


def _edited(turn: Turn, text: Any, keyboard: reply.Keyboard | None = None) -> list[Outgoing]:
    """The menu's message with another text: the one that was pressed."""
    return [reply.edit(turn.chat.id, turn.message.message_id, text, keyboard)] if turn.message else []


def _out_of_date(turn: Turn) -> list[Outgoing]:
    return turn.answer(turn.words.plain("That button is out of date."))


async def said(turn: Turn) -> Move:
    """A message that types what the menu waits for, or else whatever `answer` makes of it."""
    waits = preferences.asked(turn.chat)
    if waits is None or not _typed_for(turn, waits) or not await turn.is_admin():
        return await answer.said(turn)
    value = read(turn, waits.key)
    if value is None:
        if turn.chat.private and turn.message and turn.message.reply_to_message is None:
            return await answer.said(turn)
        return lambda tx: _asked_again(turn, tx, waits, turn.words.plain("That can't be read."))
    trouble = await _trouble(turn, waits.key, value) if waits.key in DEALT_BY else ""
    if trouble:
        return lambda tx: _asked_again(turn, tx, waits, trouble)
    return lambda tx: _typed(turn, tx, waits, value)


def _typed_for(turn: Turn, waits: Asked) -> bool:
    """Whether the message replies to the menu; in private any other message may be meant for it too."""
    message = turn.message
    if message is None or message.forward_origin or message.via_bot:
        return False
    replied = message.reply_to_message
    return replied.message_id == waits.message_id if replied else turn.chat.private


def read(turn: Turn, key: str) -> object:
    """The value that was typed for a setting; None where it can't be read."""
    if key == "target":
        return preferences.read_target(turn.argument)
    now = preferences.of(turn.chat).quiet
    quiet: Quiet | None = preferences.read_quiet(turn.argument, now.offset if now else 0)
    return preferences.packed(quiet) if key == "quiet" else None


def _typed(turn: Turn, tx: Tx, waits: Asked, value: object) -> list[Outgoing]:
    keep(turn, tx, waits.key, value)
    people.choose(tx, turn.chat.id, ASKED, None)
    seen = [reply.react(turn.chat.id, turn.message.message_id, "👌")] if turn.message else []
    return [*_redrawn(turn, tx, waits), *seen]


def _asked_again(turn: Turn, tx: Tx, waits: Asked, trouble: str) -> list[Outgoing]:
    return _redrawn(turn, tx, waits, asking=True, trouble=trouble)


def _redrawn(turn: Turn, tx: Tx, waits: Asked, *, asking: bool = False, trouble: str = "") -> list[Outgoing]:
    """The menu's message after something was typed."""
    chat = people.find_chat(tx, turn.chat.id, turn.chat.kind)
    setting = _setting(turn.words, chat, turn, waits.key)
    if setting is None:
        return []
    text, keyboard = choices.page(turn.words, setting, asking=asking, trouble=trouble)
    return [reply.edit(chat.id, waits.message_id, text, keyboard)]


async def cancel(turn: Turn) -> Move:
    """/cancel: the menu waits for nothing any more."""
    waits = preferences.asked(turn.chat)
    if waits is None or not await turn.is_admin():
        return (
            saying(turn.say(turn.words.say("There is nothing to cancel."))) if turn.chat.private else nothing
        )

    def move(tx: Tx) -> list[Outgoing]:
        people.choose(tx, turn.chat.id, ASKED, None)
        return _redrawn(turn, tx, waits)

    return move
