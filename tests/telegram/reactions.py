"""Reactions, of people and of the bot."""

# ruff: noqa: N802 - methods have the API's names

from collections.abc import Iterable

from tests.telegram.access import ChatAccess
from tests.telegram.chats import Json, Message, User
from tests.telegram.clock import Clock
from tests.telegram.errors import Violation, bad_request
from tests.telegram.feed import Feed
from tests.telegram.signal import Signal
from tests.telegram.uploads import Files, Params


class Reactions:
    """Emoji on messages, kept in `Message.reactions`."""

    def __init__(self, bot: User, clock: Clock, signal: Signal, feed: Feed, access: ChatAccess) -> None:
        self._bot = bot
        self._clock = clock
        self._signal = signal
        self._feed = feed
        self._access = access

    def react(self, user: User, message: Message, *emoji: str) -> None:
        """Set a user's reactions on a message; the bot gets an update if it is an administrator."""
        old = message.reactions.get(user.id, [])
        message.reactions[user.id] = list(emoji)
        chat = message.chat
        if chat.type == "private" or self._access.own_membership(chat).admin:
            body: Json = {"chat": chat.json(), "message_id": message.id, "user": user.json()}
            body |= {
                "date": self._clock.now,
                "old_reaction": _reaction_types(old),
                "new_reaction": _reaction_types(emoji),
            }
            self._feed.publish("message_reaction", body, chat.id)
        self._signal.notify()

    def setMessageReaction(self, params: Params, files: Files) -> bool:
        message = self._access.find_message(params, "react")
        emoji = [reaction.get("emoji", "") for reaction in params.get("reaction", [])]
        if len(emoji) > 1:
            raise Violation("too many reactions")
        if not REACTIONS.issuperset(emoji):
            raise Violation("REACTION_INVALID")
        allowed = message.chat.reactions
        if allowed is not None and not allowed.issuperset(emoji):
            raise bad_request("REACTION_INVALID")
        message.reactions[self._bot.id] = emoji
        return True


def _reaction_types(emoji: Iterable[str]) -> list[Json]:
    return [{"type": "emoji", "emoji": each} for each in emoji]


# The reactions that bots may use, as listed at ReactionTypeEmoji.
REACTIONS = frozenset(
    "❤,👍,👎,🔥,🥰,👏,😁,🤔,🤯,😱,🤬,😢,🎉,🤩,🤮,💩,🙏,👌,🕊,🤡,🥱,🥴,😍,🐳,❤‍🔥,🌚,"  # noqa: SIM905
    "🌭,💯,🤣,⚡,🍌,🏆,💔,🤨,😐,🍓,🍾,💋,🖕,😈,😴,😭,🤓,👻,👨‍💻,👀,🎃,🙈,😇,😨,🤝,✍,🤗,"
    "🫡,🎅,🎄,☃,💅,🤪,🗿,🆒,💘,🙉,🦄,😘,💊,🙊,😎,👾,🤷‍♂,🤷,🤷‍♀,😡".split(",")
)
