"""What people do: speak, press, react, join, leave; at once, and the bot is told what it may hear."""

import re
from typing import Any, Final

from tests.telegram.chats import PERMISSIONS, RIGHTS, Chat, Json, Member, Message, Topic, User
from tests.telegram.scene import Inline, Place, Press, Scene

ANONYMOUS_ADMIN: Final = User(1087968824, "Group", username="GroupAnonymousBot", is_bot=True)
CHANNEL_BOT: Final = User(136817688, "Channel", username="Channel_Bot", is_bot=True)
TELEGRAM: Final = User(777000, "Telegram")

FIRST_USER: Final = 5_000_000_000
"""Ids of people are wider than 32 bits nowadays, so these are."""


class World(Scene):
    """A small Telegram; make one for each test."""

    # Who and where

    def user(self, first_name: str, **details: Any) -> User:
        """A new person (`language_code`, `username`, `last_name`), or with `is_bot` another bot."""
        user = User(FIRST_USER + self.fresh(), first_name, **details)
        self.users[user.id] = user
        return user

    def group(
        self, title: str, *people: User, bot: bool = True, basic: bool = False, forum: bool = False
    ) -> Chat:
        """A supergroup (or basic group) of these people, the first its creator, and by default the bot."""
        kind = "group" if basic else "supergroup"
        chat = Chat(self._chat_id(kind), kind, title, is_forum=forum)
        chat.members = {user.id: Member(user, reads_all=not user.is_bot) for user in people}
        # The first message of a supergroup is the service message about its creation, long ago.
        chat.last_id = 0 if basic else 1
        if people:
            chat.members[people[0].id].status = "creator"
        if bot:
            chat.members[self.bot.id] = Member(self.bot, reads_all=not self.privacy)
        self.chats[chat.id] = chat
        return chat

    def channel(self, title: str, creator: User, *, bot: bool = False, linked: Chat | None = None) -> Chat:
        """A channel, if given with its discussion group."""
        chat = Chat(self._chat_id("channel"), "channel", title, linked=linked)
        chat.members = {creator.id: Member(creator, "creator")}
        if bot:
            chat.members[self.bot.id] = Member(self.bot, "administrator", frozenset(RIGHTS))
        if linked is not None:
            linked.linked = chat
        self.chats[chat.id] = chat
        return chat

    def topic(self, chat: Chat, name: str, by: User) -> Topic:
        """A new topic of a forum. General needs none: speak without a topic."""
        message = Message(chat, self.next_message_id(chat), self.now, by, service=True)
        message.content = {"forum_topic_created": {"name": name, "icon_color": 7322096}}
        message.topic = chat.topics[message.id] = Topic(message.id, name)
        message.thread = message.id
        self._happen(message)
        return message.topic

    def _chat_id(self, kind: str) -> int:
        return -4_000_000_000 - self.fresh() if kind == "group" else -1_001_000_000_000 - self.fresh()

    # Speaking

    def say(
        self,
        user: User,
        place: Place,
        text: str = "",
        *,
        reply_to: Message | None = None,
        topic: Topic | None = None,
        date: int | None = None,
        via_bot: User | None = None,
        content: Json | None = None,
        hear: bool | None = None,
    ) -> Message:
        """A person (or another bot) sends a message; `hear` overrules what privacy mode says."""
        message = self._message(self.place(place), user, text, reply_to, topic)
        message.date = self.now if date is None else date
        message.via_bot = via_bot
        message.content = content or {}
        return self._happen(message, hear=hear)

    def say_anonymously(self, chat: Chat, text: str, **more: Any) -> Message:
        """An administrator who stays anonymous: the group itself speaks."""
        return self._say_as(ANONYMOUS_ADMIN, chat, chat, text, **more)

    def say_as_channel(self, chat: Chat, channel: Chat, text: str, **more: Any) -> Message:
        """Somebody speaks in the name of a channel."""
        return self._say_as(CHANNEL_BOT, chat, channel, text, **more)

    def post(self, channel: Chat, text: str) -> Message:
        """A post in a channel; a linked group gets it forwarded by Telegram."""
        message = self._message(channel, None, text)
        message.sender_chat = channel
        self._happen(message)
        if channel.linked is not None:
            self._forward_to_group(message, channel.linked)
        return message

    def edit(self, message: Message, text: str, *, hear: bool | None = None) -> Message:
        """The author changes a message."""
        message.edits.append((message.text, message.markup))
        message.set_text(text)
        message.edit_date = self.now
        kind = "edited_channel_post" if message.chat.type == "channel" else "edited_message"
        if self.hears(message) if hear is None else hear:
            self.publish(kind, message.json(), message.chat.id)
        self.signal.notify()
        return message

    def forward(self, user: User, message: Message, place: Place, *, hear: bool | None = None) -> Message:
        """A person forwards a message."""
        copy = self._message(self.place(place), user, message.text)
        copy.content = {} if message.service else dict(message.content)
        copy.origin = _origin(message)
        return self._happen(copy, hear=hear)

    def delete(self, message: Message) -> None:
        """The author or an administrator deletes a message; the bot isn't told."""
        message.deleted = True
        self.signal.notify()

    def start(self, user: User, payload: str = "") -> Message:
        """Open the private chat through the bot's link, `t.me/bot?start=payload`."""
        assert re.fullmatch(r"[A-Za-z0-9_-]{0,64}", payload), f"{payload!r} is no start parameter"
        return self.say(user, user, f"/start {payload}".rstrip())

    def open_link(self, user: User, message: Message, which: str | int) -> Message:
        """Press a button that is a `?start=` link to the bot."""
        url = str(message.button(which)["url"])
        return self.start(user, url.partition("?start=")[2])

    def _say_as(self, bot: User, chat: Chat, speaker: Chat, text: str, **more: Any) -> Message:
        message = self._message(chat, bot, text, more.get("reply_to"), more.get("topic"))
        message.sender_chat = speaker
        return self._happen(message, hear=more.get("hear"))

    def _forward_to_group(self, post: Message, group: Chat) -> None:
        copy = self._message(group, TELEGRAM, post.text)
        copy.sender_chat, copy.automatic, copy.origin = post.chat, True, _origin(post)
        self._happen(copy)

    def _message(
        self,
        chat: Chat,
        user: User | None,
        text: str,
        reply_to: Message | None = None,
        topic: Topic | None = None,
    ) -> Message:
        message = Message(chat, self.next_message_id(chat), self.now, user)
        message.set_text(text)
        message.reply_to = reply_to
        message.topic = topic or (reply_to.topic if reply_to else None)
        if message.topic is not None:
            message.thread = message.topic.id
            # Whatever is said in a topic replies at least to the message that opened it.
            message.reply_to = reply_to or chat.messages.get(message.topic.id)
        elif reply_to is not None and chat.type == "supergroup":
            message.thread = reply_to.thread or reply_to.id
        return message

    def _happen(self, message: Message, *, hear: bool | None = None) -> Message:
        self.add(message)
        if self.hears(message) if hear is None else hear:
            kind = "channel_post" if message.chat.type == "channel" else "message"
            self.publish(kind, message.json(), message.chat.id)
        return message

    # Buttons, reactions, inline mode

    def press(
        self, user: User, message: Message, which: str | int | None = None, *, data: str | None = None
    ) -> Press:
        """Press a button by its label or index; `data` sends any data, as a forger would."""
        if data is None:
            button = message.button(0 if which is None else which)
            assert "callback_data" in button, f"{button['text']!r} is no callback button"
            data = button["callback_data"]
        press = Press(str(self.rng.getrandbits(62)), user, message, data, self.clock())
        self.presses[press.id] = press
        self.publish("callback_query", self._query(press), message.chat.id)
        return press

    def press_again(self, press: Press) -> None:
        """The same press under another update id, as a retrying client makes it."""
        self.publish("callback_query", self._query(press), press.message.chat.id)

    def _query(self, press: Press) -> Json:
        body: Json = {"id": press.id, "from": press.user.json(), "data": press.data}
        body["chat_instance"] = str(press.message.chat.id * 31 + 7)
        message = press.message
        if message.inline_id is not None:
            return body | {"inline_message_id": message.inline_id}
        if message.deleted:
            return body | {"message": {"chat": message.chat.json(), "message_id": message.id, "date": 0}}
        return body | {"message": message.json()}

    def react(self, user: User, message: Message, *emoji: str) -> None:
        """Put these reactions on a message, none to take them back; as an administrator the bot hears it."""
        old = message.reactions.get(user.id, [])
        message.reactions[user.id] = list(emoji)
        chat = message.chat
        if chat.type == "private" or chat.member(self.bot).admin:
            body: Json = {
                "chat": chat.json(),
                "message_id": message.id,
                "user": user.json(),
                "date": self.now,
            }
            body["old_reaction"] = [{"type": "emoji", "emoji": each} for each in old]
            body["new_reaction"] = [{"type": "emoji", "emoji": each} for each in emoji]
            self.publish("message_reaction", body, chat.id)
        self.signal.notify()

    def inline(self, user: User, query: str, *, offset: str = "") -> Inline:
        """Type `@bot query` in some chat."""
        inline = Inline(str(self.rng.getrandbits(62)), user, query, self.clock())
        self.inlines[inline.id] = inline
        body = {"id": inline.id, "from": user.json(), "query": query, "offset": offset}
        self.publish("inline_query", body, user.id)
        return inline

    def choose(self, inline: Inline, index: int, place: Place) -> Message:
        """Post one of the results of an inline query; its text stands as it was sent, tags and all."""
        assert inline.results is not None, "the query isn't answered yet"
        result = inline.results[index]
        words = result.get("input_message_content", {}).get("message_text") or result.get("caption", "")
        message = self._message(self.place(place), inline.user, words)
        message.via_bot, message.markup = self.bot, result.get("reply_markup")
        chosen: Json = {"result_id": result["id"], "from": inline.user.json(), "query": inline.query}
        if message.markup is not None:
            chosen["inline_message_id"] = message.inline_id = f"inline-{self.fresh()}"
            self.inline_messages[message.inline_id] = message
        self._happen(message)
        self.publish("chosen_inline_result", chosen, inline.user.id)
        return message

    # Coming, going, ranks

    def join(self, user: User, chat: Chat, by: User | None = None) -> None:
        """Join, or be added `by` somebody; for the bot this is how it comes into a group."""
        self._become(user, chat, by or user, "member")
        self._service(chat, by or user, new_chat_members=[user.json()])

    def leave(self, user: User, chat: Chat, by: User | None = None) -> None:
        """Leave, or be thrown out `by` somebody (for good)."""
        if user is not self.bot:
            self._service(chat, by or user, left_chat_member=user.json())
        self._become(user, chat, by or user, "kicked" if by else "left")

    def promote(self, user: User, chat: Chat, *rights: str, by: User | None = None) -> None:
        """Make somebody an administrator, with all rights unless some are named."""
        self._become(user, chat, by or self._creator(chat), "administrator", frozenset(rights or RIGHTS))

    def close_topic(self, chat: Chat, topic: Topic, by: User) -> None:
        """Only administrators may speak in it from now on."""
        message = Message(chat, self.next_message_id(chat), self.now, by, service=True, topic=topic)
        message.content, message.thread = {"forum_topic_closed": {}}, topic.id
        topic.closed = True
        self._happen(message)

    def demote(self, user: User, chat: Chat, by: User | None = None) -> None:
        """Make an administrator a plain member."""
        self._become(user, chat, by or self._creator(chat), "member")

    def mute(self, user: User, chat: Chat, by: User | None = None) -> None:
        """Forbid somebody, perhaps the bot, to post."""
        self._become(user, chat, by or self._creator(chat), "restricted")

    def permit(self, chat: Chat, *permissions: str) -> None:
        """What members who are no administrators may do; all of it without names."""
        chat.permissions = frozenset(permissions or PERMISSIONS)

    def block(self, user: User) -> None:
        """Block the bot in private."""
        self._become(self.bot, self.place(user), user, "kicked")

    def unblock(self, user: User) -> None:
        """Let the bot speak in private again."""
        self._become(self.bot, self.place(user), user, "member")

    def migrate(self, group: Chat) -> Chat:
        """A basic group becomes a supergroup with another id; both chats say so."""
        new = Chat(self._chat_id("supergroup"), "supergroup", group.title, members=group.members)
        self.chats[new.id] = new
        creator = self._creator(group)
        self._service(group, creator, migrate_to_chat_id=new.id)
        self._service(new, creator, migrate_from_chat_id=group.id)
        group.migrated_to = new
        return new

    def rename(self, chat: Chat, title: str, by: User) -> None:
        """Change a group's title."""
        chat.title = title
        self._service(chat, by, new_chat_title=title)

    def _creator(self, chat: Chat) -> User:
        return next(member.user for member in chat.members.values() if member.status == "creator")

    def _service(self, chat: Chat, by: User, **content: Any) -> None:
        message = Message(chat, self.next_message_id(chat), self.now, by, content=content, service=True)
        self._happen(message)

    def _become(
        self, user: User, chat: Chat, by: User, status: str, rights: frozenset[str] = frozenset()
    ) -> None:
        old = chat.member(user)
        new = Member(user, status, rights, reads_all=old.reads_all)
        if not old.present and user.is_bot and chat.is_group:
            new.reads_all = user is self.bot and not self.privacy
        chat.members[user.id] = new
        body: Json = {"chat": chat.json(), "from": by.json(), "date": self.now}
        body |= {"old_chat_member": old.json(), "new_chat_member": new.json()}
        if user is self.bot:
            self.publish("my_chat_member", body, chat.id)
        elif chat.member(self.bot).admin:
            self.publish("chat_member", body, chat.id)
        self.signal.notify()


def _origin(message: Message) -> Json:
    """`forward_origin` of a copy of this message."""
    if message.origin is not None:
        return message.origin
    if message.chat.type == "channel":
        chat = message.chat.json()
        return {"type": "channel", "date": message.date, "chat": chat, "message_id": message.id}
    if message.sender_chat is not None:
        return {"type": "chat", "date": message.date, "sender_chat": message.sender_chat.json()}
    assert message.sender is not None
    return {"type": "user", "date": message.date, "sender_user": message.sender.json()}
