"""Texts that only this bot can make and read: signed, and closed to whoever carries them.

What is sealed for one purpose opens nothing else, since each purpose has keys of its own. They are made of a
secret that all bots on one database share, so a text is good at any of them, and after a restart.

The scheme is a synthetic initialisation vector, with HMAC-SHA256 as its only part: the tag is the HMAC of the
content, and the content is masked by HMACs of the tag and a counter. Nothing of it is random, so the same
content has the same seal; a text that differs by a bit has a wrong tag.
"""

import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from itertools import count

TAG = 18
"""Bytes of the tag: 144 bits; with three at a time in base64 it ends where a character does."""
ALPHABET = re.compile(r"[A-Za-z0-9_-]+")


class SealError(Exception):
    """The text was not made by this bot for this purpose."""


class Seal:
    """Seals for one `purpose`, by keys that are made of `secret`."""

    def __init__(self, secret: bytes, purpose: str) -> None:
        whole = hmac.digest(secret, f"twentyfour board: {purpose}".encode(), "sha256")
        self._signs, self._masks = (hmac.digest(whole, part, "sha256") for part in (b"tag", b"mask"))

    def close(self, content: bytes) -> str:
        """The content as text of A-Z a-z 0-9 _ -."""
        tag = self._tag(content)
        return urlsafe_b64encode(tag + self._masked(tag, content)).rstrip(b"=").decode()

    def open(self, text: str, largest: int) -> bytes:
        """What is in a text of `largest` characters at most. Raises SealError."""
        if len(text) > largest or not ALPHABET.fullmatch(text) or len(text) % 4 == 1:
            raise SealError
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        if urlsafe_b64encode(raw).rstrip(b"=").decode() != text:
            raise SealError  # bits at its end that mean nothing
        tag, content = raw[:TAG], self._masked(raw[:TAG], raw[TAG:])
        if not hmac.compare_digest(tag, self._tag(content)):
            raise SealError
        return content

    def _tag(self, content: bytes) -> bytes:
        return hmac.digest(self._signs, content, "sha256")[:TAG]

    def _masked(self, tag: bytes, content: bytes) -> bytes:
        """The content under its mask, or out of it."""
        mask = bytearray()
        for number in count():
            if len(mask) >= len(content):
                break
            mask += hmac.digest(self._masks, tag + number.to_bytes(4, "big"), "sha256")
        return bytes(one ^ other for one, other in zip(content, mask, strict=False))
