"""Links that open the board: with a table sealed into them, since Telegram names no chat to a page."""

import struct
from dataclasses import dataclass

from bot.games.board.rules import Place
from bot.web.board.seals import Seal, SealError

DAY = 24 * 3600
LASTS = 7 * DAY
"""Seconds for which a link under a deal leads to its table, and up to a day more: it changes once a day
alone, so that a message that shows the same has the same link.
"""
WATCHED = DAY
"""Seconds for which one to watch does."""
LONGEST = 512
"""Characters that `startapp` may have. https://core.telegram.org/bots/features#deep-linking"""
SHAPE = struct.Struct(">qIQI")
"""Chat, topic, round, and until when: 24 bytes, so that a token has 56 characters."""
FARTHEST = 2**52
"""Ids of chats are smaller, whatever their sign."""


class LinkError(Exception):
    """The link was not made by this bot for this, or its time is over."""


class Tokens:
    """Tokens for places, by a secret of the bot's: of those that open and those that show each its own."""

    def __init__(self, secret: bytes) -> None:
        self._plays, self._watches = Seal(secret, "play"), Seal(secret, "watch")

    def made(self, place: Place, until: float) -> str:
        """The token of a place, which opens it, or shows it where the place says so, until then.

        Raises ValueError for a place that can't be.
        """
        numbers = place.chat_id, place.topic, place.round_id, int(until)
        try:
            if abs(place.chat_id) >= FARTHEST:
                raise ValueError(place.chat_id)
            content = SHAPE.pack(*numbers)
        except struct.error as error:
            raise ValueError(str(error)) from None
        return self._of(watches=place.watches).close(content)

    def read(self, token: str, now: float, *, watches: bool = False) -> Place:
        """The place of a token that opens it, or that shows it. Raises LinkError."""
        try:
            content = self._of(watches=watches).open(token, LONGEST)
            chat_id, topic, round_id, until = SHAPE.unpack(content)
        except (SealError, struct.error):
            raise LinkError from None
        if now >= until:
            raise LinkError
        return Place(chat_id, topic, round_id, watches)

    def _of(self, *, watches: bool) -> Seal:
        return self._watches if watches else self._plays


@dataclass(frozen=True, slots=True)
class Links:
    """Whole addresses, by what the settings say."""

    tokens: Tokens
    url: str
    """The page's public root, without a slash at its end."""
    username: str
    """The bot's."""
    app: str = ""
    """The Mini App's short name; empty for the bot's main one."""

    def startapp(self, place: Place, now: float) -> str:
        """A link into Telegram that opens the page at this table: for groups."""
        app = f"/{self.app}" if self.app else ""
        until = (now // DAY + 1) * DAY + LASTS
        return f"https://t.me/{self.username}{app}?startapp={self.tokens.made(place, until)}"

    def table(self, place: Place, now: float) -> str:
        """The way from a round's message to its table; empty where a button that opens a page by http would
        have Telegram refuse the message.
        """
        if place.chat_id < 0:
            return self.startapp(place, now)
        return self.page() if self.url.startswith("https:") else ""

    def page(self) -> str:
        """The page's own address, which a button in a private chat opens within Telegram."""
        return f"{self.url}/"

    def watch(self, place: Place, now: float) -> str:
        """A link for a browser, by which anybody may look on."""
        seen = Place(place.chat_id, place.topic, place.round_id, watches=True)
        return f"{self.url}/#watch={self.tokens.made(seen, now + WATCHED)}"
