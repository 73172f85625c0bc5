"""All methods that the double knows: chats and members, answers to queries, and what the bot says of itself.

A method is found by its own name. What isn't here is answered from the schema by `gate`, changing nothing.
"""

# ruff: noqa: N802 - methods bear the API's own names

import json
import re
from typing import Final

from tests.telegram.chats import RESTRICTIONS, Json
from tests.telegram.compose import MOST_CAPTION, keyboard, written
from tests.telegram.errors import Violation, refused
from tests.telegram.posting import Files, Params, Posting
from tests.telegram.scene import CALLBACK_LIFE
from tests.telegram.updates import Webhook

SECRET: Final = re.compile(r"[A-Za-z0-9_-]{1,256}")
COMMAND: Final = re.compile(r"[a-z0-9_]{1,32}")
DEFAULT_SCOPE: Final = {"type": "default"}


class Company(Posting):
    """Chats and their members."""

    def getChat(self, params: Params, files: Files) -> Json:
        chat = self.chat(params, posting=False)
        gifts = (
            "unlimited_gifts",
            "limited_gifts",
            "unique_gifts",
            "premium_subscription",
            "gifts_from_channels",
        )
        body = chat.json() | {"accent_color_id": 0, "max_reaction_count": 11}
        body["accepted_gift_types"] = dict.fromkeys(gifts, False)
        if chat.slow_mode:
            body["slow_mode_delay"] = chat.slow_mode
        if chat.linked is not None:
            body["linked_chat_id"] = chat.linked.id
        if chat.is_group:
            body["permissions"] = {name: name in chat.permissions for name in RESTRICTIONS}
        if chat.pinned:
            body["pinned_message"] = chat.messages[chat.pinned[-1]].json(nested=True)
        return body

    def getChatMember(self, params: Params, files: Files) -> Json:
        chat = self.chat(params, posting=False)
        user = self.world.users.get(params["user_id"])
        if user is None:
            raise refused("PARTICIPANT_ID_INVALID")
        return chat.member(user).json()

    def getChatAdministrators(self, params: Params, files: Files) -> list[Json]:
        chat = self.chat(params, posting=False)
        if chat.type == "private":
            raise refused("there are no administrators in the private chat")
        people = [member for member in chat.members.values() if member.admin]
        return [member.json() for member in people if not member.user.is_bot or member.user is self.world.bot]

    def getChatMemberCount(self, params: Params, files: Files) -> int:
        return sum(member.present for member in self.chat(params, posting=False).members.values())

    def leaveChat(self, params: Params, files: Files) -> bool:
        chat = self.chat(params, posting=False)
        if chat.type == "private":
            raise refused("chat not found")
        self.world.leave(self.world.bot, chat)
        return True


class Answers(Company):
    """Callback and inline queries."""

    def answerCallbackQuery(self, params: Params, files: Files) -> bool:
        press = self.world.presses.get(params["callback_query_id"])
        now = self.world.clock()
        if press is None or press.answer is not None or now - press.at > CALLBACK_LIFE:
            raise refused("query is too old and response timeout expired or query ID is invalid")
        press.answer, press.answered_at = params, now
        self.world.answered.append(press)
        self.world.signal.notify()
        return True

    def answerInlineQuery(self, params: Params, files: Files) -> bool:
        inline = self.world.inlines.get(params["inline_query_id"])
        if inline is None or inline.answer is not None:
            raise refused("query is too old and response timeout expired or query ID is invalid")
        results = params["results"]
        self._check_results(results)
        inline.answer, inline.results = params, results
        self.world.signal.notify()
        return True

    def _check_results(self, results: list[Json]) -> None:
        if len(results) > 50:
            raise Violation("too many inline results specified for the query")
        ids = [result["id"] for result in results]
        if len(set(ids)) < len(ids):
            raise Violation("RESULT_ID_DUPLICATE")
        for result in results:
            if not 1 <= len(result["id"].encode()) <= 64:
                raise Violation("RESULT_ID_INVALID")
            content = result.get("input_message_content", {})
            if "message_text" in content:
                written(content, "message_text")
            written(result, "caption", MOST_CAPTION)
            keyboard(result.get("reply_markup"))


class Account(Answers):
    """The bot itself: who it is, how it gets updates, its menus and texts."""

    def getMe(self, params: Params, files: Files) -> Json:
        world = self.world
        return world.bot.json() | {
            "can_join_groups": True,
            "can_read_all_group_messages": not world.privacy,
            "supports_inline_queries": True,
            "can_connect_to_business": False,
            "has_main_web_app": False,
        }

    def logOut(self, params: Params, files: Files) -> bool:
        return True

    def close(self, params: Params, files: Files) -> bool:
        return True

    def setWebhook(self, params: Params, files: Files) -> bool:
        if not params["url"]:
            return self.deleteWebhook(params, files)
        local = re.match(r"http://(127\.0\.0\.1|localhost|\[::1\])[:/]", params["url"])
        if not local and not params["url"].startswith("https://"):
            raise refused("bad webhook: An HTTPS URL must be provided for webhook")
        secret, connections = params.get("secret_token"), params.get("max_connections", 40)
        if secret is not None and not SECRET.fullmatch(secret):
            raise Violation("secret token contains unallowed characters")
        if not 1 <= connections <= 100:
            raise Violation("max_connections must be between 1 and 100")
        self._take_settings(params)
        self.world.updates.set_webhook(Webhook(params["url"], secret, connections))
        return True

    def deleteWebhook(self, params: Params, files: Files) -> bool:
        self._take_settings(params)
        self.world.updates.set_webhook(None)
        return True

    def _take_settings(self, params: Params) -> None:
        updates = self.world.updates
        if "allowed_updates" in params:
            updates.allowed = params["allowed_updates"]
        if params.get("drop_pending_updates"):
            updates.drop_all()

    def getWebhookInfo(self, params: Params, files: Files) -> Json:
        updates = self.world.updates
        webhook = updates.webhook
        body: Json = {"url": webhook.url if webhook else "", "has_custom_certificate": False}
        body["pending_update_count"] = len(updates.pending)
        if webhook is not None:
            body["max_connections"] = webhook.max_connections
        if updates.last_error is not None:
            body["last_error_date"], body["last_error_message"] = updates.last_error
        if updates.allowed:
            body["allowed_updates"] = updates.allowed
        return body

    async def getUpdates(self, params: Params, files: Files) -> list[Json]:
        self._take_settings(params)
        limit = params.get("limit", 100)
        if not 1 <= limit <= 100:
            raise Violation("limit must be between 1 and 100")
        return await self.world.updates.poll(params.get("offset", 0), limit, params.get("timeout", 0))

    def setMyCommands(self, params: Params, files: Files) -> bool:
        commands = params["commands"]
        if len(commands) > 100:
            raise Violation("BOT_COMMANDS_TOO_MUCH")
        for command in commands:
            if not COMMAND.fullmatch(command["command"]):
                raise Violation("BOT_COMMAND_INVALID")
            if not command["description"].strip():
                raise Violation("BOT_COMMAND_DESCRIPTION_INVALID")
        self.world.profile.commands[self._scope(params)] = commands
        self.world.signal.notify()
        return True

    def getMyCommands(self, params: Params, files: Files) -> list[Json]:
        return self.world.profile.commands.get(self._scope(params), [])

    def deleteMyCommands(self, params: Params, files: Files) -> bool:
        self.world.profile.commands.pop(self._scope(params), None)
        return True

    def _scope(self, params: Params) -> tuple[str, str]:
        scope = params.get("scope") or DEFAULT_SCOPE
        if "chat_id" in scope:
            self.chat(scope, posting=False)
        language = params.get("language_code", "")
        if language and not re.fullmatch("[a-z]{2}", language):
            raise Violation("invalid language code specified")
        return json.dumps(scope, sort_keys=True), language

    def setMyName(self, params: Params, files: Files) -> bool:
        return self._set_text("name", params)

    def getMyName(self, params: Params, files: Files) -> Json:
        return {"name": self._text("name", params) or self.world.bot.first_name}

    def setMyDescription(self, params: Params, files: Files) -> bool:
        return self._set_text("description", params)

    def getMyDescription(self, params: Params, files: Files) -> Json:
        return {"description": self._text("description", params)}

    def setMyShortDescription(self, params: Params, files: Files) -> bool:
        return self._set_text("short_description", params)

    def getMyShortDescription(self, params: Params, files: Files) -> Json:
        return {"short_description": self._text("short_description", params)}

    def _set_text(self, what: str, params: Params) -> bool:
        self.world.profile.texts[what, params.get("language_code", "")] = params.get(what, "")
        return True

    def _text(self, what: str, params: Params) -> str:
        texts = self.world.profile.texts
        return texts.get((what, params.get("language_code", ""))) or texts.get((what, ""), "")

    def setMyDefaultAdministratorRights(self, params: Params, files: Files) -> bool:
        self.world.profile.rights[params.get("for_channels", False)] = params.get("rights", {})
        return True

    def setChatMenuButton(self, params: Params, files: Files) -> bool:
        self.world.profile.menu_buttons[params.get("chat_id")] = params.get(
            "menu_button", {"type": "default"}
        )
        return True
