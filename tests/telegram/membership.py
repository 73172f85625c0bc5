"""Coming, going and ranks; the bot is told when it may know."""

from tests.telegram.chats import PERMISSIONS, RIGHTS, Chat, Json, Member, User
from tests.telegram.clock import Clock
from tests.telegram.directory import Directory
from tests.telegram.feed import Feed
from tests.telegram.hearing import Hearing
from tests.telegram.history import History
from tests.telegram.signal import Signal


class Membership:
    """People let one another and the bot in, promote, mute and throw out."""

    def __init__(
        self,
        bot: User,
        clock: Clock,
        signal: Signal,
        hearing: Hearing,
        directory: Directory,
        history: History,
        feed: Feed,
    ) -> None:
        self._bot = bot
        self._clock = clock
        self._signal = signal
        self._hearing = hearing
        self._directory = directory
        self._history = history
        self._feed = feed

    def join(self, user: User, chat: Chat, by: User | None = None) -> None:
        """Join, or be added `by` somebody; for the bot this is how it comes into a group."""
        self._become(user, chat, by or user, "member")
        self._history.announce(chat, by or user, new_chat_members=[user.json()])

    def leave(self, user: User, chat: Chat, by: User | None = None) -> None:
        """Leave, or be thrown out `by` somebody (for good)."""
        if user is not self._bot:
            self._history.announce(chat, by or user, left_chat_member=user.json())
        restricted = not by and chat.member(user).status == "restricted"
        status = "restricted" if restricted else "kicked" if by else "left"
        self._become(user, chat, by or user, status, gone=restricted)

    def promote(self, user: User, chat: Chat, *rights: str, by: User | None = None) -> None:
        """Make somebody an administrator, with all rights unless some are named."""
        self._become(user, chat, by or _creator(chat), "administrator", frozenset(rights or RIGHTS))

    def demote(self, user: User, chat: Chat, by: User | None = None) -> None:
        """Make an administrator a plain member."""
        self._become(user, chat, by or _creator(chat), "member")

    def mute(self, user: User, chat: Chat, by: User | None = None) -> None:
        """Forbid somebody, perhaps the bot, to post."""
        self._become(user, chat, by or _creator(chat), "restricted")

    def permit(self, chat: Chat, *permissions: str) -> None:
        """What members who are no administrators may do; all of it without names."""
        chat.permissions = frozenset(permissions or PERMISSIONS)

    def block(self, user: User) -> None:
        """Block the bot in private."""
        self._become(self._bot, self._directory.chat_of(user), user, "kicked")

    def unblock(self, user: User) -> None:
        """Let the bot speak in private again."""
        self._become(self._bot, self._directory.chat_of(user), user, "member")

    def migrate(self, group: Chat) -> Chat:
        """A basic group becomes a supergroup with another id; both chats say so."""
        new = self._directory.upgraded(group)
        self._history.announce(group, _creator(group), migrate_to_chat_id=new.id)
        self._history.announce(new, _creator(group), migrate_from_chat_id=group.id)
        group.migrated_to = new
        return new

    def rename(self, chat: Chat, title: str, by: User) -> None:
        """Change a group's title."""
        chat.title = title
        self._history.announce(chat, by, new_chat_title=title)

    def _become(
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
        reads_all = self._hearing.reads_all(user) if comes else old.reads_all
        chat.members[user.id] = Member(user, status, rights, reads_all=reads_all, gone=gone)
        self._tell(chat, by, old, chat.members[user.id])
        self._signal.notify()

    def _tell(self, chat: Chat, by: User, old: Member, new: Member) -> None:
        body: Json = {"chat": chat.json(), "from": by.json(), "date": self._clock.now}
        body |= {"old_chat_member": old.json(), "new_chat_member": new.json()}
        if new.user is self._bot:
            self._feed.publish("my_chat_member", body, chat.id)
        elif chat.member(self._bot).admin:
            self._feed.publish("chat_member", body, chat.id)


def _creator(chat: Chat) -> User:
    return next(member.user for member in chat.members.values() if member.status == "creator")
