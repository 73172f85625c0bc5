"""Authentication: what opens the page, and the session's key that the page sends with all that it asks.

A page is opened by what Telegram hands to it, by a link to look on, or by a key that opens it once. Refusals
are a status alone: 401 for what was not made for this or is too old, 403 for what was used before or is
somebody's who may not sit there. What opens it once is used up at the very end, when nothing else refuses it.
"""

import hashlib
import json
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException

from bot.board import queries as board
from bot.board.chat_cache import MembershipCache
from bot.board.initdata import MAX_NAME_CHARS, InitData, InitDataError, verify_init_data
from bot.board.rules import Person, Place
from bot.board.tokens import InvalidLinkError, InvalidTokenError, PlaceTokens, TokenCipher
from bot.database import Store


class InvalidKeyError(Exception):
    """The key was not made by this bot, or its time is over."""


class UsedKeyError(Exception):
    """The key has opened the page before."""


SESSION_SECONDS = 12 * 3600.0  # seconds for which a session lasts


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody at a table, or anybody who only looks on."""

    person: Person | None  # None for whoever only looks on
    place: Place
    expires_at: int  # when it ends, in seconds since 1970

    @property
    def player_id(self) -> int | None:
        """The person's id; None for whoever only looks on."""
        return self.person.id if self.person else None

    @property
    def created_at(self) -> float:
        """The time at which it began, or a moment before."""
        return self.expires_at - SESSION_SECONDS


MAX_SESSION_KEY_CHARS = 2048  # characters of its key at most


class SessionKeys:
    """Makes keys of sessions and reads them; nothing is kept of them."""

    def __init__(self, secret: bytes) -> None:
        self._seal = TokenCipher(secret, "session")

    def encode_session(self, session: Session) -> str:
        """Make the key that the page sends along."""
        who, place = session.person or Person(0, "", None, ""), session.place
        fields = (who.id, who.name[:MAX_NAME_CHARS], who.username or "", who.language)
        where = (place.chat_id, place.topic, place.round_id, place.watch_only)
        return self._seal.encrypt(
            json.dumps([*fields, *where, session.expires_at], ensure_ascii=False).encode()
        )

    def decode_session(self, key: str, now: float) -> Session:
        """Return the session of a key. Raises SessionError."""
        try:
            fields = json.loads(self._seal.decrypt(key, MAX_SESSION_KEY_CHARS))
        except (InvalidTokenError, ValueError):
            raise InvalidKeyError from None
        if not _has_field_types(fields) or now >= fields[-1]:
            raise InvalidKeyError
        number, name, username, language, *where, until = fields
        person = Person(number, name, username or None, language) if number else None
        return Session(person, Place(*where), until)


FIELD_TYPES = (int, str, str, str, int, int, int, bool, int)


def _has_field_types(fields: Any) -> bool:
    """Whether they are what this version writes: another one's keys may be about."""
    if not isinstance(fields, list) or len(fields) != len(FIELD_TYPES):
        return False
    return all(type(one) is kind for one, kind in zip(fields, FIELD_TYPES, strict=True))


ONE_TIME_KEY_SECONDS = 12 * 3600.0  # seconds for which a key waits


class OneTimeKeys:
    """Keys that each open the page once, for one person: made in this process, and gone with it."""

    def __init__(self) -> None:
        self._waiting = OrderedDict[bytes, tuple[Person, Place, float]]()
        self._used = OrderedDict[bytes, None]()

    def create_key(self, person: Person, place: Place, now: float) -> str:
        """Make a key for that person at that table."""
        key = secrets.token_urlsafe(24)
        self._waiting[_hash(key)] = person, place, now + ONE_TIME_KEY_SECONDS
        _shorten(self._waiting)
        return key

    def look_up_key(self, key: str, now: float) -> tuple[Person, Place]:
        """Return person and place of a key. Raises UsedError, SessionError."""
        name = _hash(key)
        if name in self._used:
            raise UsedKeyError
        found = self._waiting.get(name)
        if found is None or now >= found[-1]:
            raise InvalidKeyError
        return found[0], found[1]

    def use_key(self, key: str, now: float) -> tuple[Person, Place]:
        """Return person and place of a key, which opens nothing more. Raises as `find`."""
        found, name = self.look_up_key(key, now), _hash(key)
        del self._waiting[name]
        self._used[name] = None
        _shorten(self._used)
        return found


def _hash(key: str) -> bytes:
    """Hash the key, so that the time that a look-up takes tells nothing of it."""
    return hashlib.sha256(key.encode("utf-8", "replace")).digest()


MAX_ONE_TIME_KEYS = 256  # keys that are remembered: those that wait to be used, and those that were


def _shorten(kept: "OrderedDict[bytes, Any]") -> None:
    while len(kept) > MAX_ONE_TIME_KEYS:
        kept.popitem(last=False)


class Authenticator:
    """Makes sessions from what opens the page."""

    def __init__(
        self,
        store: Store,
        token: str,
        tokens: PlaceTokens,
        keys: OneTimeKeys | None,
        members: MembershipCache,
    ) -> None:
        self._store, self._token, self._tokens, self._keys = store, token, tokens, keys
        self._members = members

    async def open_session(self, body: dict[str, Any], now: float) -> Session:
        """Make a session from a request body, in one of the schemas of openings. Raises HTTPException."""
        until = int(now + SESSION_SECONDS)
        if "init_data" in body:
            return await self._open_by_telegram(body, now, until)
        if "watch" in body:
            return Session(None, await self._read_token(body["watch"], now, watches=True), until)
        return await self._open_by_key(body["key"], now, until)

    async def _open_by_telegram(self, body: dict[str, Any], now: float, until: int) -> Session:
        """Make the session of a group's member, or of a person alone in private."""
        raw, start, page = body["init_data"], body["start"], body.get("page")
        try:
            if not self._token:  # by an empty one anybody could sign
                raise InitDataError
            said = verify_init_data(raw, self._token, now)
        except InitDataError:
            raise HTTPException(401) from None
        person, place = said.person, await self._find_place(said, start, now)
        if not await self._members.is_member(place.chat_id, person.id):
            raise HTTPException(403)
        person = await self._store.read(lambda tx: board.apply_chosen_language(tx, said.person))
        if await self._store.read(lambda tx: board.is_closed_since(tx, person.id, said.auth_date)):
            raise HTTPException(401)
        if not await self._store.write(lambda tx: board.record_opening(tx, said.digest, now, page)):
            raise HTTPException(403)
        return Session(person, place, until)

    async def _find_place(self, said: InitData, start: str, now: float) -> Place:
        """Return the place that `start` leads to, which must be the one that Telegram signed, if any."""
        if said.start_param and start and start != said.start_param:
            raise HTTPException(401)
        token = start or said.start_param
        return await self._read_token(token, now) if token else Place(said.person.id)

    async def _read_token(self, token: str, now: float, *, watches: bool = False) -> Place:
        try:
            place = self._tokens.read_token(token, now, watch_only=watches)
        except InvalidLinkError:
            raise HTTPException(401) from None
        return await self._store.read(lambda tx: board.resolve_migrated_place(tx, place))

    async def _open_by_key(self, key: str, now: float, until: int) -> Session:
        if self._keys is None:
            raise HTTPException(401)
        try:
            person, place = self._keys.look_up_key(key, now)
            person = await self._store.read(lambda tx: board.apply_chosen_language(tx, person))
            self._keys.use_key(key, now)
        except UsedKeyError:
            raise HTTPException(403) from None
        except InvalidKeyError:
            raise HTTPException(401) from None
        return Session(person, place, until)
