"""Set the command menus at Telegram by scope and language, again after each change."""

import asyncio
import hashlib
import json
import logging
from collections.abc import Iterable, Sequence
from typing import Any

from telegram import (
    BotCommand,
    BotCommandScope,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
)
from telegram.error import TelegramError

from bot.i18n import Words, get_words, list_languages
from bot.players import queries as people
from bot.telegram.api import call_api, describe_failure, is_refusal, require_true
from bot.telegram.context import CommandInfo, Services
from bot.telegram.messages import Request

log = logging.getLogger(__name__)


def make_menu(commands: Iterable[CommandInfo], words: Words, *, group: bool) -> list[tuple[str, str]]:
    """Return the names and descriptions in the command menu of groups, or of private chats."""
    listed = [command for command in commands if group or not command.groups_only]
    return [(command.name, command.menu(words)) for command in listed if command.menu]


ANSWER_COMMAND = "a"


def make_secret_menu_requests(commands: Sequence[CommandInfo], chat_id: int, *, on: bool) -> list[Request]:
    """Give a group with secret answers its own menus, or (not `on`) the same as all groups again.

    With `is_ephemeral` (Bot API 10.2) an app sends the command so that only the bot sees it; an older app,
    or a server that does not know it, sends it for all to read.
    """
    scope = {"type": "chat", "chat_id": chat_id}
    method = "setMyCommands" if on else "deleteMyCommands"
    requests = []
    for language, code in [(known, code) for known in list_languages() for code in _get_codes(known)]:
        params: dict[str, Any] = {"scope": scope, "language_code": code}
        if on:
            params["commands"] = [
                {"command": name, "description": text}
                | ({"is_ephemeral": True} if name == ANSWER_COMMAND else {})
                for name, text in make_menu(commands, get_words(language), group=True)
            ]
        requests.append(Request(chat_id, {"method": method, "params": params}))
    return requests


async def set_command_menus(services: Services, commands: Sequence[CommandInfo]) -> None:
    """Set all menus at Telegram, unless the same ones were set already.

    What Telegram refuses is tried again at the next start.
    """
    scopes = {False: BotCommandScopeAllPrivateChats(), True: BotCommandScopeAllGroupChats()}
    kinds = [(language, group) for language in list_languages() for group in scopes]
    menus = [(lang, group, make_menu(commands, get_words(lang), group=group)) for lang, group in kinds]
    digest = hashlib.sha256(json.dumps([services.me.id, menus]).encode()).hexdigest()
    if await services.store.read(lambda tx: people.load_fact(tx, "menus")) == digest:
        return
    for language, group, lines in menus:
        for code in _get_codes(language):
            if not await _set_menu(services, lines, scopes[group], code):
                return
    if await _set_secret_menus(services, commands):
        await services.store.write(lambda tx: people.store_fact(tx, "menus", digest))


async def _set_secret_menus(services: Services, commands: Sequence[CommandInfo]) -> bool:
    """Set the menus of all groups with secret answers. Return False if Telegram did not answer."""
    for chat_id in await services.store.read(people.load_chats_with_secret_answers):
        for request in make_secret_menu_requests(commands, chat_id, on=True):
            try:
                await call_api(services.bot, request.body["method"], request.body["params"])
            except TelegramError as error:
                log.warning("the command menus of a group could not be set: %s", describe_failure(error))
                if not is_refusal(error):
                    return False
    return True


FIRST_PAUSE, LONGEST_PAUSE = 1.0, 300.0  # seconds after a failure; each one doubles the pause


async def _set_menu(
    services: Services, lines: list[tuple[str, str]], scope: BotCommandScope, code: str
) -> bool:
    """Set one menu, again until Telegram answers. Return False if it refuses."""
    listed = [BotCommand(name, text) for name, text in lines]
    pause = FIRST_PAUSE
    while True:
        try:
            await require_true(services.bot.set_my_commands(listed, scope=scope, language_code=code))
        except Exception as error:  # noqa: BLE001 - an answer that makes no sense can fail in any way
            log.warning("the command menus could not be set: %s", describe_failure(error))
            if is_refusal(error):
                return False
        else:
            return True
        await asyncio.sleep(pause)
        pause = min(LONGEST_PAUSE, pause * 2)


def _get_codes(language: str) -> tuple[str, ...]:
    """Return the codes under which Telegram files a language; "" for English, which serves all others too."""
    if language == "zh_Hant":
        return ()  # Telegram knows only `zh`, which gets the simplified menu
    return ("",) if language == "en" else (language.partition("_")[0],)
