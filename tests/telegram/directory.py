"""The people and chats of a world."""

from collections.abc import Iterator
from typing import Any, Final

from tests.telegram.chats import RIGHTS, Chat, Member, User
from tests.telegram.privacy import PrivacyMode

FIRST_USER: Final = 5_000_000_000  # Wider than 32 bits, as ids of people are today

Place = Chat | User  # A user stands for the private chat with the bot


class Directory:
    """Users and chats by their ids."""

    def __init__(self, bot: User, ids: Iterator[int], privacy_mode: PrivacyMode) -> None:
        self._bot = bot
        self._ids = ids
        self._privacy = privacy_mode
        self.users: dict[int, User] = {bot.id: bot}
        self.chats: dict[int, Chat] = {}

    def user(self, first_name: str, **details: Any) -> User:
        """Add a person (details: `language_code`, `username`, `last_name`), or with `is_bot` another bot."""
        user = User(FIRST_USER + next(self._ids), first_name, **details)
        self.users[user.id] = user
        return user

    def group(
        self, title: str, *people: User, bot: bool = True, basic: bool = False, forum: bool = False
    ) -> Chat:
        """Add a supergroup (or basic group) of people, the first its creator, and by default the bot."""
        chat = self._add_chat("group" if basic else "supergroup", title)
        chat.is_forum = forum
        # The first message of a supergroup is the service message about its creation, long ago.
        chat.last_id = 0 if basic else 1
        for user in (*people, self._bot) if bot else people:
            chat.members[user.id] = Member(user, reads_all=self._privacy.reads_all(user))
        if people:
            chat.members[people[0].id].status = "creator"
        return chat

    def channel(self, title: str, creator: User, *, bot: bool = False, linked: Chat | None = None) -> Chat:
        """Add a channel, perhaps with its discussion group."""
        chat = self._add_chat("channel", title)
        chat.members = {creator.id: Member(creator, "creator")}
        if bot:
            chat.members[self._bot.id] = Member(self._bot, "administrator", frozenset(RIGHTS))
        if linked is not None:
            chat.linked, linked.linked = linked, chat
        return chat

    def add_supergroup(self, group: Chat) -> Chat:
        """Add the supergroup of a basic group, with the same members."""
        chat = self._add_chat("supergroup", str(group.title))
        chat.members = group.members
        return chat

    def _add_chat(self, kind: str, title: str) -> Chat:
        first = -4_000_000_000 if kind == "group" else -1_001_000_000_000
        chat = Chat(first - next(self._ids), kind, title)
        self.chats[chat.id] = chat
        return chat

    def chat_of(self, place: Place) -> Chat:
        """Return the chat of a place; a private chat is added at its first use."""
        if isinstance(place, Chat):
            return place
        if place.id not in self.chats:
            chat = Chat(place.id, "private", user=place, username=place.username)
            chat.members = {place.id: Member(place), self._bot.id: Member(self._bot)}
            self.chats[chat.id] = chat
        return self.chats[place.id]
