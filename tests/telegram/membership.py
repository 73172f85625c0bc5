"""Membership: joining, leaving and rights, with their updates."""

from tests.telegram.chats import PERMISSIONS, RIGHTS, Chat, Json, Member, User
from tests.telegram.clock import Clock
from tests.telegram.directory import Directory
from tests.telegram.feed import Feed
from tests.telegram.history import History
from tests.telegram.privacy import PrivacyMode
from tests.telegram.signal import Signal


class Membership:
    """Actions of people that change members of a chat."""

    def __init__(
        self,
        bot: User,
        clock: Clock,
        signal: Signal,
        privacy_mode: PrivacyMode,
        directory: Directory,
        history: History,
        feed: Feed,
    ) -> None:
        self._bot = bot
        self._clock = clock
        self._signal = signal
        self._privacy = privacy_mode
        self._directory = directory
        self._history = history
        self._feed = feed

    def join(self, user: User, chat: Chat, by: User | None = None) -> None:
        """Add a user, perhaps the bot, to a chat."""
        self._set_status(user, chat, by or user, "member")
        self._history.add_service_message(chat, by or user, new_chat_members=[user.json()])

    def leave(self, user: User, chat: Chat, by: User | None = None) -> None:
        """Remove a user from a chat; `by` somebody it is a ban."""
        if user is not self._bot:
            self._history.add_service_message(chat, by or user, left_chat_member=user.json())
        restricted = not by and chat.member(user).status == "restricted"
        status = "restricted" if restricted else "kicked" if by else "left"
        self._set_status(user, chat, by or user, status, gone=restricted)

    def promote(self, user: User, chat: Chat, *rights: str, by: User | None = None) -> None:
        """Make somebody an administrator, with all rights unless some are named."""
        self._set_status(user, chat, by or _find_creator(chat), "administrator", frozenset(rights or RIGHTS))

    def demote(self, user: User, chat: Chat, by: User | None = None) -> None:
        """Make an administrator a plain member."""
        self._set_status(user, chat, by or _find_creator(chat), "member")

    def mute(self, user: User, chat: Chat, by: User | None = None) -> None:
        """Forbid somebody, perhaps the bot, to post."""
        self._set_status(user, chat, by or _find_creator(chat), "restricted")

    def permit(self, chat: Chat, *permissions: str) -> None:
        """Set the permissions of members who are no administrators; all if none are named."""
        chat.permissions = frozenset(permissions or PERMISSIONS)

    def block(self, user: User) -> None:
        """Block the bot in private."""
        self._set_status(self._bot, self._directory.chat_of(user), user, "kicked")

    def unblock(self, user: User) -> None:
        """Unblock the bot in private."""
        self._set_status(self._bot, self._directory.chat_of(user), user, "member")

    def migrate(self, group: Chat) -> Chat:
        """Turn a basic group into a supergroup with another id; return the supergroup."""
        new = self._directory.add_supergroup(group)
        self._history.add_service_message(group, _find_creator(group), migrate_to_chat_id=new.id)
        self._history.add_service_message(new, _find_creator(group), migrate_from_chat_id=group.id)
        group.migrated_to = new
        return new

    def rename(self, chat: Chat, title: str, by: User) -> None:
        chat.title = title
        self._history.add_service_message(chat, by, new_chat_title=title)

    def _set_status(
        self,
        user: User,
        chat: Chat,
        by: User,
        status: str,
        rights: frozenset[str] = frozenset(),
        *,
        gone: bool = False,
    ) -> None:
        old = chat.member(user)
        comes = chat.is_group and not old.present
        reads_all = self._privacy.reads_all(user) if comes else old.reads_all
        chat.members[user.id] = Member(user, status, rights, reads_all=reads_all, gone=gone)
        self._publish_change(chat, by, old, chat.members[user.id])
        self._signal.notify()

    def _publish_change(self, chat: Chat, by: User, old: Member, new: Member) -> None:
        body: Json = {"chat": chat.json(), "from": by.json(), "date": self._clock.now}
        body |= {"old_chat_member": old.json(), "new_chat_member": new.json()}
        if new.user is self._bot:
            self._feed.publish("my_chat_member", body, chat.id)
        elif chat.member(self._bot).admin:
            self._feed.publish("chat_member", body, chat.id)


def _find_creator(chat: Chat) -> User:
    return next(member.user for member in chat.members.values() if member.status == "creator")
