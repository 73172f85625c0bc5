"""Methods about chats and their members."""

# ruff: noqa: N802 - methods have the API's names

from typing import Final

from tests.telegram.access import ChatAccess
from tests.telegram.chats import RESTRICTIONS, Json, User
from tests.telegram.directory import Directory
from tests.telegram.errors import bad_request
from tests.telegram.membership import Membership
from tests.telegram.uploads import Files, Params

GIFTS: Final = (
    "unlimited_gifts",
    "limited_gifts",
    "unique_gifts",
    "premium_subscription",
    "gifts_from_channels",
)


class ChatMethods:
    """Methods by which the bot reads and leaves its chats."""

    def __init__(self, bot: User, directory: Directory, membership: Membership, access: ChatAccess) -> None:
        self._bot = bot
        self._directory = directory
        self._membership = membership
        self._access = access

    def getChat(self, params: Params, files: Files) -> Json:
        chat = self._access.find_chat(params, posting=False)
        body = chat.json() | {"accent_color_id": 0, "max_reaction_count": 11}
        body["accepted_gift_types"] = dict.fromkeys(GIFTS, False)
        if chat.reactions is not None:
            body["available_reactions"] = [{"type": "emoji", "emoji": each} for each in chat.reactions]
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
        chat = self._access.find_chat(params, posting=False)
        user = self._directory.users.get(params["user_id"])
        if user is None:
            raise bad_request("PARTICIPANT_ID_INVALID")
        return chat.member(user).json()

    def getChatAdministrators(self, params: Params, files: Files) -> list[Json]:
        chat = self._access.find_chat(params, posting=False)
        if chat.type == "private":
            raise bad_request("there are no administrators in the private chat")
        admins = [member for member in chat.members.values() if member.admin]
        return [admin.json() for admin in admins if not admin.user.is_bot or admin.user is self._bot]

    def getChatMemberCount(self, params: Params, files: Files) -> int:
        chat = self._access.find_chat(params, posting=False)
        return sum(member.present for member in chat.members.values())

    def leaveChat(self, params: Params, files: Files) -> bool:
        chat = self._access.find_chat(params, posting=False)
        if chat.type == "private":
            raise bad_request("chat not found")
        self._membership.leave(self._bot, chat)
        return True
