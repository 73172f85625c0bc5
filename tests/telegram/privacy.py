"""Privacy mode: https://core.telegram.org/bots/features#privacy-mode."""

from tests.telegram.chats import Chat, Message, User


class PrivacyMode:
    """Decides which messages the bot gets."""

    def __init__(self, bot: User, *, privacy: bool) -> None:
        self._bot = bot
        self.privacy = privacy  # A change holds in groups to which the bot is added afterwards
        self.bots_meet = False  # Whether the bot gets other bots' messages

    def reads_all(self, user: User) -> bool:
        """Whether a user who joins a group now reads all its messages; people always do."""
        return not user.is_bot or (user is self._bot and not self.privacy)

    def passes(self, message: Message) -> bool:
        """Whether Telegram sends this message to the bot."""
        me = message.chat.member(self._bot)
        if not me.present or message.sender is self._bot or self._is_from_another_bot(message):
            return False
        if message.chat.type == "private" or message.service or me.reads_all or me.admin:
            return True
        return self._is_addressed(message)

    def _is_from_another_bot(self, message: Message) -> bool:
        """Whether another bot sent it; Telegram's bots for anonymous people and channels do not count."""
        sender = message.sender
        return sender is not None and sender.is_bot and message.sender_chat is None and not self.bots_meet

    def _is_addressed(self, message: Message) -> bool:
        """Whether privacy mode lets the message through."""
        if message.via_bot is self._bot:
            return True
        if message.reply_to is not None and message.reply_to.sender is self._bot:
            return True
        commands = [entity for entity in message.entities if entity["type"] == "bot_command"]
        if not commands or commands[0]["offset"] != 0:
            return False
        _, _, name = message.text[: commands[0]["length"]].partition("@")
        if not name:
            return self._gets_bare_commands(message.chat)
        return name.lower() == str(self._bot.username).lower()

    def _gets_bare_commands(self, chat: Chat) -> bool:
        bots = [member.user for member in chat.members.values() if member.present and member.user.is_bot]
        return bots == [self._bot] or chat.last_bot == self._bot.id
