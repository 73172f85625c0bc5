"""Users, chats and messages, and their JSON in the Bot API."""

from dataclasses import dataclass, field
from typing import Any, Final

from tests.telegram.entities import Entity, find_entities

Json = dict[str, Any]

RIGHTS: Final = (
    "can_manage_chat",
    "can_delete_messages",
    "can_manage_video_chats",
    "can_restrict_members",
    "can_promote_members",
    "can_change_info",
    "can_invite_users",
    "can_post_stories",
    "can_edit_stories",
    "can_delete_stories",
    "can_pin_messages",
    "can_manage_topics",
)
IN_CHAT: Final = {"creator", "administrator", "member", "restricted"}
ADMINS: Final = {"creator", "administrator"}


@dataclass(slots=True, eq=False)
class User:
    """A person or a bot."""

    id: int
    first_name: str
    last_name: str | None = None
    username: str | None = None
    language_code: str | None = None
    is_bot: bool = False

    def json(self) -> Json:
        """Return the API's `User`."""
        body: Json = {"id": self.id, "is_bot": self.is_bot, "first_name": self.first_name}
        for name in ("last_name", "username", "language_code"):
            value = getattr(self, name)
            if value is not None:
                body[name] = value
        return body

    @property
    def mention(self) -> str:
        """Return `@username`, which every bot has."""
        return f"@{self.username}"


@dataclass(slots=True, eq=False)
class Member:
    """A user's status in a chat."""

    user: User
    status: str = "member"  # creator, administrator, member, restricted, left or kicked
    rights: frozenset[str] = frozenset()  # An administrator's rights, such as `can_delete_messages`
    anonymous: bool = False
    # Of a bot: whether privacy mode was off when it was added; a later change needs it to be added again.
    reads_all: bool = True

    gone: bool = False  # Whether a restricted member has left, which keeps the status

    @property
    def present(self) -> bool:
        return self.status in IN_CHAT and not self.gone

    @property
    def admin(self) -> bool:
        return self.status in ADMINS

    def json(self) -> Json:
        """Return the API's `ChatMember` for the status."""
        body: Json = {"status": self.status, "user": self.user.json()}
        if self.status == "creator":
            body["is_anonymous"] = self.anonymous
        elif self.status == "administrator":
            body |= {"can_be_edited": False, "is_anonymous": self.anonymous}
            body |= {right: right in self.rights for right in RIGHTS}
        elif self.status == "restricted":
            body |= {"is_member": not self.gone, "until_date": 0} | dict.fromkeys(RESTRICTIONS, False)
        elif self.status == "kicked":
            body["until_date"] = 0
        return body


PERMISSIONS: Final = (
    "can_send_messages",
    "can_send_audios",
    "can_send_documents",
    "can_send_photos",
    "can_send_videos",
    "can_send_video_notes",
    "can_send_voice_notes",
    "can_send_polls",
    "can_send_other_messages",
    "can_add_web_page_previews",
    "can_change_info",
    "can_invite_users",
    "can_pin_messages",
    "can_manage_topics",
)
RESTRICTIONS: Final = (*PERMISSIONS, "can_edit_tag", "can_react_to_messages")


@dataclass(slots=True, eq=False)
class Topic:
    """A topic of a forum, other than General; its id is that of the message that opened it."""

    id: int
    name: str
    closed: bool = False


@dataclass(slots=True, eq=False)
class Chat:
    """A private chat, group, supergroup or channel with its messages."""

    id: int
    type: str
    title: str | None = None
    username: str | None = None
    is_forum: bool = False
    user: User | None = None  # The person, in a private chat
    members: dict[int, Member] = field(default_factory=dict)
    topics: dict[int, Topic] = field(default_factory=dict)
    # By message id, in order, the deleted ones too.
    messages: dict[int, "Message"] = field(default_factory=dict)
    pinned: list[int] = field(default_factory=list)
    permissions: frozenset[str] = frozenset(PERMISSIONS)  # Of members who are no administrators
    reactions: frozenset[str] | None = None  # The emoji with which members may react; None for every one
    slow_mode: int = 0  # Seconds between a person's messages; administrators are free of it
    linked: "Chat | None" = None  # The channel of a discussion group, or the other way round
    migrated_to: "Chat | None" = None
    last_bot: int | None = None  # The id of the bot that posted last; it is the one to hear bare commands
    last_id: int = 0
    read: int = 0  # The last message that `World.next_post` has handed out

    def json(self) -> Json:
        """Return the API's `Chat`."""
        body: Json = {"id": self.id, "type": self.type}
        if self.user is not None:
            body |= {
                k: v for k, v in self.user.json().items() if k in {"first_name", "last_name", "username"}
            }
        if self.title is not None:
            body["title"] = self.title
        if self.username is not None:
            body["username"] = self.username
        if self.is_forum:
            body["is_forum"] = True
        return body

    @property
    def is_group(self) -> bool:
        return self.type in {"group", "supergroup"}

    def member(self, user: User) -> Member:
        """Return the user's membership; status `left` for somebody who never joined."""
        return self.members.get(user.id) or Member(user, "left")

    @property
    def said(self) -> list["Message"]:
        """Return the messages that are not deleted, oldest first."""
        return [message for message in self.messages.values() if not message.deleted]


@dataclass(slots=True, eq=False)
class Message:
    """A message with its earlier forms."""

    chat: Chat
    id: int
    date: int  # Unix seconds
    sender: User | None  # None for a channel's own posts
    text: str = ""  # Plain text, or the caption when `content` is media
    entities: list[Entity] = field(default_factory=list)
    # Fields of the message beyond its text: `photo`, `document`, `dice`, or those of a service message.
    content: Json = field(default_factory=dict)
    markup: Json | None = None  # The inline keyboard; other markups are kept in `keyboard`
    keyboard: Json | None = None
    reply_to: "Message | None" = None
    topic: Topic | None = None
    # `message_thread_id`: the topic's, or the first message of a chain of replies in a supergroup.
    thread: int | None = None
    sender_chat: Chat | None = None
    via_bot: User | None = None
    origin: Json | None = None  # `forward_origin`
    service: bool = False
    automatic: bool = False  # A channel's post as it is forwarded to the linked group
    edit_date: int | None = None
    # Earlier texts and keyboards, oldest first.
    edits: list[tuple[str, Json | None]] = field(default_factory=list)
    # Emoji by the id of the user or bot who reacted.
    reactions: dict[int, list[str]] = field(default_factory=dict)
    # `inline_message_id` of a message that was sent through inline mode with a keyboard.
    inline_id: str | None = None
    file: bytes | None = None  # The upload of a photo or document
    deleted: bool = False
    receiver: User | None = None  # The only person who sees an ephemeral message
    ephemeral: int = 0  # Its `ephemeral_message_id`

    @property
    def is_media(self) -> bool:
        return not self.service and bool(self.content)

    @property
    def is_photo(self) -> bool:
        return "photo" in self.content

    @property
    def buttons(self) -> list[Json]:
        """Return all inline buttons, row by row."""
        rows: list[list[Json]] = self.markup["inline_keyboard"] if self.markup else []
        return [button for row in rows for button in row]

    @property
    def labels(self) -> list[str]:
        """Return the labels of all inline buttons."""
        return [str(button["text"]) for button in self.buttons]

    def button(self, which: str | int) -> Json:
        """Return a button by its index, label or part of its label; LookupError if there is none."""
        if isinstance(which, int):
            return self.buttons[which]
        exact = [button for button in self.buttons if button["text"] == which]
        partial = [button for button in self.buttons if which in button["text"]]
        if not exact and not partial:
            raise LookupError(f"no button {which!r} among {self.labels}")
        return (exact or partial)[0]

    def set_text(self, text: str) -> None:
        """Set a text as a person types it, with the entities that Telegram finds in it."""
        self.text, self.entities = text, find_entities(text)

    def json(self, *, nested: bool = False) -> Json:
        """Return the API's `Message`; with `nested` true without the message that it replies to."""
        body: Json = {"message_id": self.id, "date": self.date, "chat": self.chat.json()}
        if self.sender is not None:
            body["from"] = self.sender.json()
        if self.sender_chat is not None:
            body["sender_chat"] = self.sender_chat.json()
        if self.thread is not None:
            body["message_thread_id"] = self.thread
        if self.topic is not None:
            body["is_topic_message"] = True
        body |= self._reference_fields(nested=nested)
        body |= self._text_fields()
        body |= self.content
        if self.markup is not None:
            body["reply_markup"] = self.markup
        if self.receiver is not None:
            body |= {"receiver_user": self.receiver.json(), "ephemeral_message_id": self.ephemeral}
        return body

    def _reference_fields(self, *, nested: bool) -> Json:
        body: Json = {}
        if self.reply_to is not None and not nested:
            body["reply_to_message"] = self.reply_to.json(nested=True)
        if self.via_bot is not None:
            body["via_bot"] = self.via_bot.json()
        if self.origin is not None:
            body["forward_origin"] = self.origin
        if self.automatic:
            body["is_automatic_forward"] = True
        if self.edit_date is not None:
            body["edit_date"] = self.edit_date
        return body

    def _text_fields(self) -> Json:
        if not self.text:
            return {}
        names = ("caption", "caption_entities") if self.is_media else ("text", "entities")
        return {names[0]: self.text} | ({names[1]: self.entities} if self.entities else {})

    def __repr__(self) -> str:
        who = self.sender.first_name if self.sender else self.chat.title
        labels = f" {self.labels}" if self.markup else ""
        what = self.text or ", ".join(self.content)
        return f"<{self.chat.title or self.chat.id} #{self.id} {who}: {what!r}{labels}>"
