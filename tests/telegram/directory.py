"""Who and where: the people and chats of a world."""

from collections.abc import Iterator
from typing import Any, Final

from tests.telegram.chats import RIGHTS, Chat, Member, User
from tests.telegram.hearing import Hearing

FIRST_USER: Final = 5_000_000_000  # Ids of people are wider than 32 bits nowadays, so these are

Place = Chat | User  # Where somebody speaks; a user stands for the private chat of that user and the bot


class Directory:
    """Users and chats by their ids."""

    def __init__(self, bot: User, ids: Iterator[int], hearing: Hearing) -> None:
        self._bot = bot
        self._ids = ids
        self._hearing = hearing
        self.users: dict[int, User] = {bot.id: bot}
        self.chats: dict[int, Chat] = {}

    def user(self, first_name: str, **details: Any) -> User:
        """A new person (`language_code`, `username`, `last_name`), or with `is_bot` another bot."""
        user = User(FIRST_USER + next(self._ids), first_name, **details)
        self.users[user.id] = user
        return user

    def group(
        self, title: str, *people: User, bot: bool = True, basic: bool = False, forum: bool = False
    ) -> Chat:
        """A supergroup (or basic group) of these people, the first its creator, and by default the bot."""
        chat = self._new("group" if basic else "supergroup", title)
        chat.is_forum = forum
        # The first message of a supergroup is the service message about its creation, long ago.
        chat.last_id = 0 if basic else 1
        for user in (*people, self._bot) if bot else people:
            chat.members[user.id] = Member(user, reads_all=self._hearing.reads_all(user))
        if people:
            chat.members[people[0].id].status = "creator"
        return chat

    def channel(self, title: str, creator: User, *, bot: bool = False, linked: Chat | None = None) -> Chat:
        """A channel, if given with its discussion group."""
        chat = self._new("channel", title)
        chat.members = {creator.id: Member(creator, "creator")}
        if bot:
            chat.members[self._bot.id] = Member(self._bot, "administrator", frozenset(RIGHTS))
        if linked is not None:
            chat.linked, linked.linked = linked, chat
        return chat

    def upgraded(self, group: Chat) -> Chat:
        """The supergroup that a basic group becomes, with the same members."""
        chat = self._new("supergroup", str(group.title))
        chat.members = group.members
        return chat

    def _new(self, kind: str, title: str) -> Chat:
        first = -4_000_000_000 if kind == "group" else -1_001_000_000_000
        chat = Chat(first - next(self._ids), kind, title)
        self.chats[chat.id] = chat
        return chat

    def chat_of(self, place: Place) -> Chat:
        """The chat meant; a private one comes into being when it's first named."""
        if isinstance(place, Chat):
            return place
        if place.id not in self.chats:
            chat = Chat(place.id, "private", user=place, username=place.username)
            chat.members = {place.id: Member(place), self._bot.id: Member(self._bot)}
            self.chats[chat.id] = chat
        return self.chats[place.id]
