"""Set the command menus at Telegram by scope and language, again after each change."""

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from telegram.constants import BotCommandScopeType

from bot.i18n import Words, get_words, list_languages
from bot.players import queries as people
from bot.queue.outgoing import Outgoing
from bot.telegram.api import call_api, require_true
from bot.telegram.context import CommandRoute, Services
from bot.telegram.startup import StartError, call_until_answered

log = logging.getLogger(__name__)


# The few commands that people look for, in their order; `bot.features` fills the lists, and /help has all
GROUP_MENU: list[str] = []
PRIVATE_MENU: list[str] = []


def make_menu(commands: Iterable[CommandRoute], words: Words, *, group: bool) -> list[tuple[str, str]]:
    """Return the names and descriptions in the command menu of groups, or of private chats."""
    descriptions = {command.name: command.menu(words) for command in commands if command.menu}
    names = GROUP_MENU if group else PRIVATE_MENU
    return [(name, descriptions[name]) for name in names if name in descriptions]


ANSWER_COMMAND = "a"


def make_secret_menu_requests(commands: Sequence[CommandRoute], chat_id: int, *, on: bool) -> list[Outgoing]:
    """Request that a group with secret answers get its own menus, or (not `on`) those of all groups again.

    With `is_ephemeral` (Bot API 10.2) an app sends the command so that only the bot sees it; an older app,
    or a server that does not know it, sends it for all to read.
    """
    scope = {"type": "chat", "chat_id": chat_id}
    if not on:
        deletions = list[Outgoing]()
        for language in list_languages():
            for code in _get_menu_codes(language):
                params = {"scope": scope, "language_code": code}
                deletions.append(Outgoing(chat_id, "deleteMyCommands", params))
        return deletions
    menus = _make_menu_params(commands, scope)
    for menu in menus:
        for command in menu["commands"]:
            if command["command"] == ANSWER_COMMAND:
                command["is_ephemeral"] = True
    return [Outgoing(chat_id, "setMyCommands", menu) for menu in menus]


def _make_menu_params(commands: Sequence[CommandRoute], scope: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parameters of `setMyCommands` for a scope, in each language that Telegram knows."""
    is_group = scope["type"] != BotCommandScopeType.ALL_PRIVATE_CHATS
    params = list[dict[str, Any]]()
    for language in list_languages():
        menu = make_menu(commands, get_words(language), group=is_group)
        lines = [{"command": name, "description": text} for name, text in menu]
        codes = _get_menu_codes(language)
        params += [{"commands": lines, "scope": scope, "language_code": code} for code in codes]
    return params


MENUS_FACT = "menus"  # Stored: the digest of the menus that were set last


async def set_command_menus(services: Services, commands: Sequence[CommandRoute]) -> None:
    """Set all menus at Telegram, unless the same ones were set already.

    Waits until Telegram answers. Whatever it refuses is tried again at the next start, but for the menu of a
    single group.
    """
    private_menus = _make_menu_params(commands, {"type": BotCommandScopeType.ALL_PRIVATE_CHATS})
    group_menus = _make_menu_params(commands, {"type": BotCommandScopeType.ALL_GROUP_CHATS})
    menus = private_menus + group_menus
    # Menus of single groups have the same commands, so they change only together with these
    content = json.dumps([services.me.id, menus])
    digest = hashlib.sha256(content.encode()).hexdigest()
    if await services.store.read(lambda tx: people.load_fact(tx, MENUS_FACT)) == digest:
        return
    are_accepted = [await _set_menu(services, menu) for menu in menus]
    for chat_id in await services.store.read(people.load_chats_with_secret_answers):
        for request in make_secret_menu_requests(commands, chat_id, on=True):
            await _set_menu(services, request.params)
    if all(are_accepted):
        await services.store.write(lambda tx: people.store_fact(tx, MENUS_FACT, digest))


async def _set_menu(services: Services, menu: Mapping[str, Any]) -> bool:
    """Set a menu at Telegram, and wait until it answers; return whether it accepts, and log a refusal."""

    async def set_commands() -> None:
        await require_true(call_api(services.bot, "setMyCommands", menu))

    try:
        await call_until_answered(set_commands, "the command menus")
    except StartError as error:
        log.warning("%s", error)
        return False
    return True


def _get_menu_codes(language: str) -> tuple[str, ...]:
    """Return the codes under which Telegram files a language, one or none.

    That is "" for English, which serves all others too.
    """
    if language == "zh_Hant":
        return ()  # Telegram knows only `zh`, which gets the simplified menu
    if language == "en":
        return ("",)
    code, _, _region = language.partition("_")
    return (code,)
