"""Make links to the board, with encrypted tokens that only this bot can make and read.

Each purpose has its own keys, made of a secret that all bots on one database share: a token is valid at all
of them, and after a restart. A link's token holds the table, since Telegram does not tell a page its chat.

The cipher is a synthetic initialisation vector built of HMAC-SHA256: the tag is the HMAC of the content, and
the content is masked with HMACs of the tag and a counter. The same content always gives the same token.
"""

import hmac
import struct
from base64 import b64decode, urlsafe_b64encode
from dataclasses import dataclass, replace

from bot.board.rules import Place
from bot.telegram.messages import OWN_CHAT


class InvalidTokenError(Exception):
    """The token was not made by this bot for this purpose, or has expired."""


TAG_BYTES = 18  # a multiple of three, so that the tag ends where a character of base64 does
SHA256_BYTES = 32


class TokenCipher:
    """Encrypts and signs bytes for one `purpose`, with keys made of `secret`."""

    def __init__(self, secret: bytes, purpose: str) -> None:
        key = hmac.digest(secret, f"twentyfour board: {purpose}".encode(), "sha256")
        self._tag_key = hmac.digest(key, b"tag", "sha256")
        self._mask_key = hmac.digest(key, b"mask", "sha256")

    def encrypt(self, content: bytes) -> str:
        """Return the token of the content, of the characters A-Z a-z 0-9 _ -."""
        tag = self._make_tag(content)
        encoded = urlsafe_b64encode(tag + self._mask(tag, content))
        return encoded.decode().rstrip("=")

    def decrypt(self, token: str) -> bytes:
        """Return the content of a token. Raises InvalidTokenError if it was not made with these keys."""
        padding = "=" * (-len(token) % 4)  # up to a multiple of four characters
        try:
            raw = b64decode(token + padding, altchars=b"-_", validate=True)
        except ValueError:
            raise InvalidTokenError from None
        tag = raw[:TAG_BYTES]
        content = self._mask(tag, raw[TAG_BYTES:])
        # The whole text is compared, as bits of its last character may have no meaning
        if not hmac.compare_digest(token.encode(), self.encrypt(content).encode()):
            raise InvalidTokenError
        return content

    def _make_tag(self, content: bytes) -> bytes:
        return hmac.digest(self._tag_key, content, "sha256")[:TAG_BYTES]

    def _mask(self, tag: bytes, content: bytes) -> bytes:
        """Encrypt or decrypt the content: masking twice gives it back."""
        mask = b""
        for number in range(len(content) // SHA256_BYTES + 1):  # enough for the whole content
            mask += hmac.digest(self._mask_key, tag + number.to_bytes(4, "big"), "sha256")
        return bytes(one ^ other for one, other in zip(content, mask, strict=False))


CONTENT_LAYOUT = struct.Struct(">qIQI")  # chat, topic, round, expiry: 24 bytes, so a token has 56 characters


class PlaceTokens:
    """Makes and reads tokens for places; those of players and of spectators have different keys."""

    def __init__(self, secret: bytes) -> None:
        self._ciphers_by_watch_only = {False: TokenCipher(secret, "play"), True: TokenCipher(secret, "watch")}

    def make_token(self, place: Place, until: float) -> str:
        """Return a token that opens the place until the time `until`, to spectators if it is `watch_only`."""
        content = CONTENT_LAYOUT.pack(place.chat_id, place.topic, place.round_id, int(until))
        return self._ciphers_by_watch_only[place.watch_only].encrypt(content)

    def read_token(self, token: str, now: float, *, watch_only: bool = False) -> Place:
        """Return the place of a player's (or `watch_only` spectator's) token. Raises InvalidTokenError."""
        content = self._ciphers_by_watch_only[watch_only].decrypt(token)
        chat_id, topic, round_id, until = CONTENT_LAYOUT.unpack(content)
        if now >= until:
            raise InvalidTokenError
        return Place(chat_id, topic, round_id, watch_only)


DAY = 24 * 3600
LINK_SECONDS = 7 * DAY  # from the end of the day on which it was made
SPECTATOR_LINK_SECONDS = DAY


@dataclass(frozen=True, slots=True)
class BoardLinks:
    tokens: PlaceTokens
    url: str  # the page's public root, without a slash at its end
    username: str  # the bot's
    app: str = ""  # the Mini App's short name; empty for the bot's main one

    def make_round_link(self, chat_id: int, topic: int, round_id: int, now: float) -> str:
        """Return the link under a round's message: for groups a t.me link that opens the page at this table.

        For `OWN_CHAT` a link to the reader's own table. In private the page's own address; empty without
        https, since Telegram would refuse the message.
        """
        is_private = chat_id > 0
        if is_private and self.url.startswith("https:"):
            return f"{self.url}/"
        if is_private:
            return ""
        app = f"/{self.app}" if self.app else ""
        if chat_id == OWN_CHAT:
            return f"https://t.me/{self.username}{app}?startapp"
        next_midnight = (now // DAY + 1) * DAY  # in UTC; the same all day, and so is the link
        token = self.tokens.make_token(Place(chat_id, topic, round_id), next_midnight + LINK_SECONDS)
        return f"https://t.me/{self.username}{app}?startapp={token}"

    def make_spectator_link(self, place: Place, now: float) -> str:
        """Return a link by which anybody may watch the place's round in a browser, for a day."""
        token = self.tokens.make_token(replace(place, watch_only=True), now + SPECTATOR_LINK_SECONDS)
        return f"{self.url}/#watch={token}"
