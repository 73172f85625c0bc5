"""Methods for the bot's profile: menus, texts and rights."""

# ruff: noqa: N802 - methods have the API's names

import json
import re
from typing import Final

from tests.telegram.access import ChatAccess
from tests.telegram.chats import Json, User
from tests.telegram.errors import Violation
from tests.telegram.privacy import PrivacyMode
from tests.telegram.uploads import Files, Params

COMMAND: Final = re.compile(r"[a-z0-9_]{1,32}")
DEFAULT_SCOPE: Final = {"type": "default"}


class Profile:
    """The bot's profile."""

    def __init__(self, bot: User, privacy_mode: PrivacyMode, access: ChatAccess) -> None:
        self._bot = bot
        self._privacy = privacy_mode
        self._access = access
        self.commands: dict[tuple[str, str], list[Json]] = {}  # Menus by (scope as JSON, language)
        self.texts: dict[tuple[str, str], str] = {}  # By (`name`, `description` …; language)
        self.rights: dict[bool, Json] = {}  # Default administrator rights, by `for_channels`
        self.menu_buttons: dict[int | None, Json] = {}
        self.joins_groups = self.answers_inline = True  # BotFather's /setjoingroups and /setinline

    def getMe(self, params: Params, files: Files) -> Json:
        return self._bot.json() | {
            "can_join_groups": self.joins_groups,
            "can_read_all_group_messages": not self._privacy.privacy,
            "supports_inline_queries": self.answers_inline,
            "can_connect_to_business": False,
            "has_main_web_app": False,
        }

    def setMySettings(self, params: Params, files: Files) -> bool:
        self.joins_groups = params.get("can_join_groups", self.joins_groups)
        self.answers_inline = params.get("supports_inline_queries", self.answers_inline)
        self._privacy.privacy = not params.get("can_read_all_group_messages", not self._privacy.privacy)
        return True

    def setMyCommands(self, params: Params, files: Files) -> bool:
        commands = params["commands"]
        if len(commands) > 100:
            raise Violation("BOT_COMMANDS_TOO_MUCH")
        for command in commands:
            if not COMMAND.fullmatch(command["command"]):
                raise Violation("BOT_COMMAND_INVALID")
            if not command["description"].strip():
                raise Violation("BOT_COMMAND_DESCRIPTION_INVALID")
        self.commands[self._parse_scope(params)] = commands
        return True

    def getMyCommands(self, params: Params, files: Files) -> list[Json]:
        return self.commands.get(self._parse_scope(params), [])

    def deleteMyCommands(self, params: Params, files: Files) -> bool:
        self.commands.pop(self._parse_scope(params), None)
        return True

    def _parse_scope(self, params: Params) -> tuple[str, str]:
        scope = params.get("scope") or DEFAULT_SCOPE
        if "chat_id" in scope:
            self._access.find_chat(scope, posting=False)
        language = params.get("language_code", "")
        if language and not re.fullmatch("[a-z]{2}", language):
            raise Violation("invalid language code specified")
        return json.dumps(scope, sort_keys=True), language

    def setMyName(self, params: Params, files: Files) -> bool:
        return self._set_text("name", params)

    def getMyName(self, params: Params, files: Files) -> Json:
        return {"name": self._read_text("name", params) or self._bot.first_name}

    def setMyDescription(self, params: Params, files: Files) -> bool:
        return self._set_text("description", params)

    def getMyDescription(self, params: Params, files: Files) -> Json:
        return {"description": self._read_text("description", params)}

    def setMyShortDescription(self, params: Params, files: Files) -> bool:
        return self._set_text("short_description", params)

    def getMyShortDescription(self, params: Params, files: Files) -> Json:
        return {"short_description": self._read_text("short_description", params)}

    def _set_text(self, what: str, params: Params) -> bool:
        self.texts[what, params.get("language_code", "")] = params.get(what, "")
        return True

    def _read_text(self, what: str, params: Params) -> str:
        own = self.texts.get((what, params.get("language_code", "")))
        return own or self.texts.get((what, ""), "")

    def setMyDefaultAdministratorRights(self, params: Params, files: Files) -> bool:
        self.rights[params.get("for_channels", False)] = params.get("rights", {})
        return True

    def setChatMenuButton(self, params: Params, files: Files) -> bool:
        button = params.get("menu_button", {"type": "default"})
        self.menu_buttons[params.get("chat_id")] = button
        return True
