"""Tokens that only this bot can make and read, signed and encrypted, and the links that carry them.

What is sealed for one purpose opens nothing else, since each purpose has keys of its own. They are made of a
secret that all bots on one database share, so a token is good at any of them, and after a restart.

The scheme is a synthetic initialisation vector, with HMAC-SHA256 as its only part: the tag is the HMAC of the
content, and the content is masked by HMACs of the tag and a counter. Nothing of it is random, so the same
content has the same token; a text that differs by a bit has a wrong tag. The token of a link holds the table
itself, since Telegram names no chat to a page.
"""

import hmac
import re
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from itertools import count

from bot.board.rules import Place


class InvalidTokenError(Exception):
    """The text was not made by this bot for this purpose."""


ALPHABET = re.compile(r"[A-Za-z0-9_-]+")
TAG = 18  # bytes of the tag: 144 bits; with three at a time in base64 it ends where a character does


class TokenCipher:
    """Seals for one `purpose`, by keys that are made of `secret`."""

    def __init__(self, secret: bytes, purpose: str) -> None:
        whole = hmac.digest(secret, f"twentyfour board: {purpose}".encode(), "sha256")
        self._signs, self._masks = (hmac.digest(whole, part, "sha256") for part in (b"tag", b"mask"))

    def encrypt(self, content: bytes) -> str:
        """Return a token with the content, of A-Z a-z 0-9 _ -."""
        tag = self._make_tag(content)
        return urlsafe_b64encode(tag + self._mask(tag, content)).rstrip(b"=").decode()

    def decrypt(self, text: str, largest: int) -> bytes:
        """Return the content of a token of `largest` characters at most. Raises SealError."""
        if len(text) > largest or not ALPHABET.fullmatch(text) or len(text) % 4 == 1:
            raise InvalidTokenError
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        if urlsafe_b64encode(raw).rstrip(b"=").decode() != text:
            raise InvalidTokenError  # bits at its end that mean nothing
        tag, content = raw[:TAG], self._mask(raw[:TAG], raw[TAG:])
        if not hmac.compare_digest(tag, self._make_tag(content)):
            raise InvalidTokenError
        return content

    def _make_tag(self, content: bytes) -> bytes:
        return hmac.digest(self._signs, content, "sha256")[:TAG]

    def _mask(self, tag: bytes, content: bytes) -> bytes:
        """Encrypt or decrypt the content."""
        mask = bytearray()
        for number in count():
            if len(mask) >= len(content):
                break
            mask += hmac.digest(self._masks, tag + number.to_bytes(4, "big"), "sha256")
        return bytes(one ^ other for one, other in zip(content, mask, strict=False))


class InvalidLinkError(Exception):
    """The link was not made by this bot for this, or its time is over."""


FARTHEST = 2**52  # ids of chats are smaller, whatever their sign
# Chat, topic, round, and until when: 24 bytes, so that a token has 56 characters.
LAYOUT = struct.Struct(">qIQI")
# Characters that `startapp` may have. https://core.telegram.org/bots/features#deep-linking
MAX_START_CHARS = 512


class PlaceTokens:
    """Makes and reads tokens for places; those that open and those that only show have different keys."""

    def __init__(self, secret: bytes) -> None:
        self._plays, self._watches = TokenCipher(secret, "play"), TokenCipher(secret, "watch")

    def make_token(self, place: Place, until: float) -> str:
        """Make a token that opens a place until then, or only shows it if the place `watches`.

        Raises ValueError for a place that can't be.
        """
        numbers = place.chat_id, place.topic, place.round_id, int(until)
        try:
            if abs(place.chat_id) >= FARTHEST:
                raise ValueError(place.chat_id)
            content = LAYOUT.pack(*numbers)
        except struct.error as error:
            raise ValueError(str(error)) from None
        return self._choose_seal(watches=place.watch_only).encrypt(content)

    def read_token(self, token: str, now: float, *, watch_only: bool = False) -> Place:
        """Return the place of a token that opens it, or shows it. Raises LinkError."""
        try:
            content = self._choose_seal(watches=watch_only).decrypt(token, MAX_START_CHARS)
            chat_id, topic, round_id, until = LAYOUT.unpack(content)
        except (InvalidTokenError, struct.error):
            raise InvalidLinkError from None
        if now >= until:
            raise InvalidLinkError
        return Place(chat_id, topic, round_id, watch_only)

    def _choose_seal(self, *, watches: bool) -> TokenCipher:
        return self._watches if watches else self._plays


DAY = 24 * 3600
# Seconds for which a link under a deal leads to its table, and up to a day more: it changes once a day alone,
# so that a message that shows the same has the same link.
LINK_SECONDS = 7 * DAY
SPECTATOR_LINK_SECONDS = DAY  # seconds for which one to watch does


@dataclass(frozen=True, slots=True)
class BoardLinks:
    """Makes links to the board from what the settings say."""

    tokens: PlaceTokens
    url: str  # the page's public root, without a slash at its end
    username: str  # the bot's
    app: str = ""  # the Mini App's short name; empty for the bot's main one

    def make_startapp_link(self, place: Place, now: float) -> str:
        """Return a link into Telegram that opens the page at this table; for groups."""
        app = f"/{self.app}" if self.app else ""
        until = (now // DAY + 1) * DAY + LINK_SECONDS
        return f"https://t.me/{self.username}{app}?startapp={self.tokens.make_token(place, until)}"

    def make_round_link(self, place: Place, now: float) -> str:
        """Return the link under a round's message.

        Empty in private if the page is served by http: Telegram would refuse the message with such a button.
        """
        if place.chat_id < 0:
            return self.make_startapp_link(place, now)
        return self.get_page_url() if self.url.startswith("https:") else ""

    def get_page_url(self) -> str:
        """Return the page's own address, which a button in a private chat opens within Telegram."""
        return f"{self.url}/"

    def make_spectator_link(self, place: Place, now: float) -> str:
        """Return a link for a browser, by which anybody may look on."""
        seen = Place(place.chat_id, place.topic, place.round_id, watch_only=True)
        return f"{self.url}/#watch={self.tokens.make_token(seen, now + SPECTATOR_LINK_SECONDS)}"
