"""Make links to the board, with encrypted tokens that only this bot can make and read.

Each purpose has its own keys, made of a secret that all bots on one database share: a token is valid at all
of them, and after a restart. A link's token holds the table, since Telegram does not tell a page its chat.

The cipher is a synthetic initialisation vector built of HMAC-SHA256: the tag is the HMAC of the content, and
the content is masked with HMACs of the tag and a counter. The same content always gives the same token.
"""

import hmac
import re
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, replace
from itertools import count

from bot.board.rules import Place


class InvalidTokenError(Exception):
    """The token was not made by this bot for this purpose."""


ALPHABET = re.compile(r"[A-Za-z0-9_-]+")
TAG_BYTES = 18  # a multiple of three, so that the tag ends where a character of base64 does


class TokenCipher:
    """Encrypts and signs bytes for one `purpose`, with keys made of `secret`."""

    def __init__(self, secret: bytes, purpose: str) -> None:
        key = hmac.digest(secret, f"twentyfour board: {purpose}".encode(), "sha256")
        self._tag_key, self._mask_key = (hmac.digest(key, part, "sha256") for part in (b"tag", b"mask"))

    def encrypt(self, content: bytes) -> str:
        """Return the token of the content, of the characters A-Z a-z 0-9 _ -."""
        tag = self._make_tag(content)
        return urlsafe_b64encode(tag + self._mask(tag, content)).rstrip(b"=").decode()

    def decrypt(self, token: str, max_chars: int) -> bytes:
        """Return the content of a token. Raises InvalidTokenError."""
        if len(token) > max_chars or not ALPHABET.fullmatch(token) or len(token) % 4 == 1:
            raise InvalidTokenError
        raw = urlsafe_b64decode(token + "=" * (-len(token) % 4))
        if urlsafe_b64encode(raw).rstrip(b"=").decode() != token:
            raise InvalidTokenError  # the last character has bits that are not used
        tag = raw[:TAG_BYTES]
        content = self._mask(tag, raw[TAG_BYTES:])
        if not hmac.compare_digest(tag, self._make_tag(content)):
            raise InvalidTokenError
        return content

    def _make_tag(self, content: bytes) -> bytes:
        return hmac.digest(self._tag_key, content, "sha256")[:TAG_BYTES]

    def _mask(self, tag: bytes, content: bytes) -> bytes:
        """Encrypt or decrypt the content."""
        mask = bytearray()
        for number in count():
            if len(mask) >= len(content):
                break
            mask += hmac.digest(self._mask_key, tag + number.to_bytes(4, "big"), "sha256")
        return bytes(one ^ other for one, other in zip(content, mask, strict=False))


class InvalidLinkError(Exception):
    """The link was not made by this bot for this purpose, or has expired."""


MAX_CHAT_ID = 2**52  # of either sign
LAYOUT = struct.Struct(">qIQI")  # chat, topic, round, expiry: 24 bytes, so a token has 56 characters
MAX_START_CHARS = 512  # of `startapp`: https://core.telegram.org/bots/features#deep-linking


class PlaceTokens:
    """Makes and reads tokens for places; those of players and of spectators have different keys."""

    def __init__(self, secret: bytes) -> None:
        self._player_cipher, self._spectator_cipher = (
            TokenCipher(secret, purpose) for purpose in ("play", "watch")
        )

    def make_token(self, place: Place, until: float) -> str:
        """Return a token that opens the place until then. Raises ValueError for ids out of range."""
        if abs(place.chat_id) >= MAX_CHAT_ID:
            raise ValueError(place.chat_id)
        try:
            content = LAYOUT.pack(place.chat_id, place.topic, place.round_id, int(until))
        except struct.error as error:
            raise ValueError(str(error)) from None
        return self._choose_cipher(watch_only=place.watch_only).encrypt(content)

    def read_token(self, token: str, now: float, *, watch_only: bool = False) -> Place:
        """Return the place of a player's or spectator's token. Raises InvalidLinkError."""
        try:
            content = self._choose_cipher(watch_only=watch_only).decrypt(token, MAX_START_CHARS)
            chat_id, topic, round_id, until = LAYOUT.unpack(content)
        except (InvalidTokenError, struct.error):
            raise InvalidLinkError from None
        if now >= until:
            raise InvalidLinkError
        return Place(chat_id, topic, round_id, watch_only)

    def _choose_cipher(self, *, watch_only: bool) -> TokenCipher:
        return self._spectator_cipher if watch_only else self._player_cipher


DAY = 24 * 3600
LINK_SECONDS = 7 * DAY  # and up to a day more: a link changes once a day, so that its message seldom does
SPECTATOR_LINK_SECONDS = DAY


@dataclass(frozen=True, slots=True)
class BoardLinks:
    """Makes links to the board."""

    tokens: PlaceTokens
    url: str  # the page's public root, without a slash at its end
    username: str  # the bot's
    app: str = ""  # the Mini App's short name; empty for the bot's main one

    def make_round_link(self, place: Place, now: float) -> str:
        """Return the link under a round's message: for groups a t.me link that opens the page at this table.

        In private the page's own address; empty without https, since Telegram would refuse the message.
        """
        if place.chat_id > 0:
            return f"{self.url}/" if self.url.startswith("https:") else ""
        app = f"/{self.app}" if self.app else ""
        token = self.tokens.make_token(place, (now // DAY + 1) * DAY + LINK_SECONDS)
        return f"https://t.me/{self.username}{app}?startapp={token}"

    def make_spectator_link(self, place: Place, now: float) -> str:
        """Return a link by which anybody may watch the round in a browser."""
        token = self.tokens.make_token(replace(place, watch_only=True), now + SPECTATOR_LINK_SECONDS)
        return f"{self.url}/#watch={token}"
