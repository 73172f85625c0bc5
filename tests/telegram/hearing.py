"""What Telegram passes on to the bot: https://core.telegram.org/bots/features#privacy-mode."""

from tests.telegram.chats import Chat, Message, User


class Hearing:
    """Privacy mode, and whether bots hear one another."""

    def __init__(self, bot: User, *, privacy: bool) -> None:
        self._bot = bot
        self.privacy = privacy
        """BotFather's setting; a change holds in groups to which the bot is added afterwards."""
        self.bots_meet = False
        """Does the bot hear other bots' messages?"""

    def reads_all(self, user: User) -> bool:
        """Does somebody who comes into a group now read everything there? People always do."""
        return not user.is_bot or (user is self._bot and not self.privacy)

    def hears(self, message: Message) -> bool:
        """Would Telegram pass this message to the bot?"""
        me = message.chat.member(self._bot)
        if not me.present or message.sender is self._bot or self._is_a_bots(message):
            return False
        if message.chat.type == "private" or message.service or me.reads_all or me.admin:
            return True
        return self._is_meant(message)

    def _is_a_bots(self, message: Message) -> bool:
        """Another bot speaks, and bots don't meet; anonymous people speak through bots of Telegram's."""
        sender = message.sender
        return sender is not None and sender.is_bot and message.sender_chat is None and not self.bots_meet

    def _is_meant(self, message: Message) -> bool:
        """What privacy mode lets through."""
        if message.via_bot is self._bot:
            return True
        if message.reply_to is not None and message.reply_to.sender is self._bot:
            return True
        commands = [entity for entity in message.entities if entity["type"] == "bot_command"]
        if not commands or commands[0]["offset"] != 0:
            return False
        _, _, name = message.text[: commands[0]["length"]].partition("@")
        if not name:
            return self._hears_bare_commands(message.chat)
        return name.lower() == str(self._bot.username).lower()

    def _hears_bare_commands(self, chat: Chat) -> bool:
        bots = [member.user for member in chat.members.values() if member.present and member.user.is_bot]
        return bots == [self._bot] or chat.last_bot == self._bot.id
