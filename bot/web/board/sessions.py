"""Who has opened the page: a key that the page sends with all that it asks, and keys that open it once."""

import hashlib
import json
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from bot.games.board.rules import Person, Place
from bot.web.board.initdata import LONGEST_NAME
from bot.web.board.seals import Seal, SealError

LASTS = 12 * 3600.0
"""Seconds for which a session lasts."""
LONGEST = 2048
"""Characters of its key at most."""
WAITING = 256
"""Keys that are remembered: those that wait to be used, and those that were."""
UNUSED = 12 * 3600.0
"""Seconds for which a key waits."""
SHAPES = (int, str, str, str, int, int, int, bool, int)


class SessionError(Exception):
    """The key was not made by this bot, or its time is over."""


class UsedError(Exception):
    """The key has opened the page before."""


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody at a table, or anybody who only looks on."""

    person: Person | None
    """None for whoever only looks on."""
    place: Place
    until: int
    """When it ends, in seconds since 1970."""

    @property
    def player_id(self) -> int | None:
        """Of the person; None for whoever only looks on."""
        return self.person.id if self.person else None

    @property
    def made(self) -> float:
        """When it began, or a moment before."""
        return self.until - LASTS


class Sessions:
    """Makes keys of sessions and reads them; nothing is kept of them."""

    def __init__(self, secret: bytes) -> None:
        self._seal = Seal(secret, "session")

    def key(self, session: Session) -> str:
        """What the page sends along."""
        who, place = session.person or Person(0, "", None, ""), session.place
        fields = (who.id, who.name[:LONGEST_NAME], who.username or "", who.language)
        where = (place.chat_id, place.topic, place.round_id, place.watches)
        return self._seal.close(json.dumps([*fields, *where, session.until], ensure_ascii=False).encode())

    def read(self, key: str, now: float) -> Session:
        """The session of a key. Raises SessionError."""
        try:
            fields = json.loads(self._seal.open(key, LONGEST))
        except (SealError, ValueError):
            raise SessionError from None
        if not _sound(fields) or now >= fields[-1]:
            raise SessionError
        number, name, username, language, *where, until = fields
        person = Person(number, name, username or None, language) if number else None
        return Session(person, Place(*where), until)


def _sound(fields: Any) -> bool:
    """Whether they are what this version writes: another one's keys may be about."""
    if not isinstance(fields, list) or len(fields) != len(SHAPES):
        return False
    return all(type(one) is kind for one, kind in zip(fields, SHAPES, strict=True))


class OnceKeys:
    """Keys that each open the page once, for one person: made in this process, and gone with it."""

    def __init__(self) -> None:
        self._waiting = OrderedDict[bytes, tuple[Person, Place, float]]()
        self._used = OrderedDict[bytes, None]()

    def made(self, person: Person, place: Place, now: float) -> str:
        """A new key for that person at that table."""
        key = secrets.token_urlsafe(24)
        self._waiting[_hashed(key)] = person, place, now + UNUSED
        _shorten(self._waiting)
        return key

    def found(self, key: str, now: float) -> tuple[Person, Place]:
        """Whose key it is, and where they sit. Raises UsedError, SessionError."""
        name = _hashed(key)
        if name in self._used:
            raise UsedError
        found = self._waiting.get(name)
        if found is None or now >= found[-1]:
            raise SessionError
        return found[0], found[1]

    def used(self, key: str, now: float) -> tuple[Person, Place]:
        """As `found`; it opens nothing more."""
        found, name = self.found(key, now), _hashed(key)
        del self._waiting[name]
        self._used[name] = None
        _shorten(self._used)
        return found


def _hashed(key: str) -> bytes:
    """What is looked up instead of the key, so that how long it takes tells nothing of one."""
    return hashlib.sha256(key.encode("utf-8", "replace")).digest()


def _shorten(kept: "OrderedDict[bytes, Any]") -> None:
    while len(kept) > WAITING:
        kept.popitem(last=False)
