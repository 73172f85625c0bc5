"""The command menus: given to Telegram by scope and language, once for each change of them."""

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
from bot.telegram.routes import CommandRoute

log = logging.getLogger(__name__)

ANSWER = "a"  # The command that answers
# Seconds before a menu is set again when Telegram could not take it; each failure doubles them.
PAUSE, LONGEST_PAUSE = 1.0, 300.0


def make_menu(commands: Iterable[CommandInfo], words: Words, *, group: bool) -> list[tuple[str, str]]:
    """The command menu of private chats or of groups: names and what they do."""
    listed = [command for command in commands if group or not command.groups_only]
    return [(command.name, command.menu(words)) for command in listed if command.menu]


def make_secret_menu_requests(commands: Sequence[CommandInfo], chat_id: int, *, on: bool) -> list[Request]:
    """The menus of a group whose answers are secret, or that it has the same as all others again.

    With `is_ephemeral` (Bot API 10.2) an app sends the command so that only the bot sees it; an older app,
    or a server that does not know it, sends it for all to read.
    """
    scope = {"type": "chat", "chat_id": chat_id}
    made = []
    for lang, code in [(known, code) for known in list_languages() for code in _codes(known)]:
        params: dict[str, Any] = {"scope": scope, "language_code": code}
        if on:
            params["commands"] = [_secret(*line) for line in make_menu(commands, get_words(lang), group=True)]
        made.append(Request(chat_id, {"method": f"{'set' if on else 'delete'}MyCommands", "params": params}))
    return made


def _secret(name: str, text: str) -> dict[str, Any]:
    """A line of the menu; the command that answers is sent secretly."""
    return {"command": name, "description": text} | ({"is_ephemeral": True} if name == ANSWER else {})


async def set_command_menus(services: Services, commands: Sequence[CommandRoute]) -> None:
    """Give Telegram the menus, unless these were given already."""
    scopes = {False: BotCommandScopeAllPrivateChats(), True: BotCommandScopeAllGroupChats()}
    kinds = [(lang, group) for lang in list_languages() for group in scopes]
    menus = [(lang, group, make_menu(commands, get_words(lang), group=group)) for lang, group in kinds]
    print_ = hashlib.sha256(json.dumps([services.me.id, menus]).encode()).hexdigest()
    if await services.store.read(lambda tx: people.load_fact(tx, "menus")) == print_:
        return
    for lang, group, lines in menus:
        for code in _codes(lang):
            if not await _set_menu(services, lines, scopes[group], code):
                return
    if await _set_secret_menus(services, commands):
        await services.store.write(lambda tx: people.store_fact(tx, "menus", print_))


async def _set_secret_menus(services: Services, commands: Sequence[CommandInfo]) -> bool:
    """Give Telegram the menus of groups that have their own; False where it could not take one now."""
    for chat_id in await services.store.read(people.load_chats_with_secret_answers):
        for request in make_secret_menu_requests(commands, chat_id, on=True):
            try:
                await call_api(services.bot, request.body["method"], request.body["params"])
            except TelegramError as error:
                log.warning("the command menus of a group could not be set: %s", describe_failure(error))
                if not is_refusal(error):
                    return False
    return True


async def _set_menu(
    services: Services, lines: list[tuple[str, str]], scope: BotCommandScope, code: str
) -> bool:
    """Give Telegram one menu, waiting out what passes; False when Telegram refuses it."""
    listed = [BotCommand(name, text) for name, text in lines]
    pause = PAUSE
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


def _codes(language: str) -> tuple[str, ...]:
    """The two-letter codes under which Telegram files a language; the source serves everybody else."""
    if language == "zh_Hant":
        return ()  # Telegram knows only `zh`; those who read traditional characters see the simplified menu
    return ("",) if language == "en" else (language.partition("_")[0],)
