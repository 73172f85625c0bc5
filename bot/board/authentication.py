"""Open pages and keep their sessions.

A page is opened by Telegram's initData, by a spectator's token, or by a key that opens it once. Refusals are
401 for what is invalid or too old, and 403 for what was used before or belongs to nobody at that table.
"""

import hashlib
import hmac
import json
import re
import secrets
from dataclasses import dataclass
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException

from bot.board import queries as boards
from bot.board.chat_cache import MembershipCache
from bot.board.classroom.keys import ClassKeys, Purpose
from bot.board.rules import Person, Place
from bot.board.schemas import Opening
from bot.board.tokens import InvalidTokenError, PlaceTokens, TokenCipher
from bot.database import Store
from bot.modes.classroom import queries as classrooms

SESSION_SECONDS = 12 * 3600.0


@dataclass(frozen=True, slots=True)
class Session:
    person: Person | None  # None for spectators
    place: Place
    expires_at: int  # in seconds since 1970

    @property
    def player_id(self) -> int | None:
        return self.person.id if self.person else None

    @property
    def created_at(self) -> float:
        """The time at which the session began, or up to a second earlier."""
        return self.expires_at - SESSION_SECONDS


MAX_NAME_CHARS = 128


NO_PERSON = 0  # the player id in the keys of spectators


class SessionKeys:
    """Encrypts sessions into keys, which pages keep: nothing is stored here."""

    def __init__(self, secret: bytes) -> None:
        self._cipher = TokenCipher(secret, "session")

    def encode_session(self, session: Session) -> str:
        """Return the session, encrypted, as a key; a long name is cut."""
        person = session.person or Person(NO_PERSON, name="", username=None, language="")
        place = session.place
        # In the order in which `decode_session` reads them
        person_values = [person.id, person.name[:MAX_NAME_CHARS], person.username or "", person.language]
        place_values = [place.chat_id, place.topic, place.round_id, place.watch_only]
        content = json.dumps([*person_values, *place_values, session.expires_at], ensure_ascii=False)
        return self._cipher.encrypt(content.encode())

    def decode_session(self, key: str, now: float) -> Session:
        """Return the session in a key. Raises InvalidTokenError if the key is forged or has expired."""
        values = json.loads(self._cipher.decrypt(key))  # in the order of `encode_session`
        player_id, name, username, language, *place_values, expires_at = values
        if now >= expires_at:
            raise InvalidTokenError
        person = None
        if player_id != NO_PERSON:
            person = Person(player_id, name, username or None, language)
        return Session(person, Place(*place_values), expires_at)


ONE_TIME_KEY_SECONDS = 12 * 3600.0


class OneTimeKeys:
    """Keys that each open a page once, for one person; kept in memory."""

    def __init__(self) -> None:
        self._unused = dict[str, tuple[Person, Place, float]]()  # with the time at which the key expires
        self._used = set[str]()

    def create_key(self, person: Person, place: Place, now: float) -> str:
        key = secrets.token_urlsafe(24)
        self._unused[key] = person, place, now + ONE_TIME_KEY_SECONDS
        return key

    def use_key(self, key: str, now: float) -> tuple[Person, Place]:
        """Use a key up and return its person and place.

        Raises HTTPException: 403 if the key was used before, 401 if it is unknown or has expired.
        """
        if key in self._used:
            raise HTTPException(403)
        if key not in self._unused:
            raise HTTPException(401)
        person, place, expires_at = self._unused[key]
        if now >= expires_at:
            raise HTTPException(401)
        del self._unused[key]
        self._used.add(key)
        return person, place


# The `initData` with which Telegram opens a page: https://core.telegram.org/bots/webapps#validating-data


class InitDataError(Exception):
    """The data was not made by Telegram for this bot, or is too old; the error repeats nothing of it."""


@dataclass(frozen=True, slots=True)
class InitData:
    person: Person
    start_param: str  # the value of `startapp` in the link; empty without
    auth_date: int  # when it was made, in seconds since 1970
    digest: str  # of the content, however it was encoded: the same when it is used again


MAX_CLOCK_LEAD = 60.0  # seconds by which Telegram's clock may be ahead of this one
MAX_AGE = 3600.0  # seconds


def verify_init_data(raw: str, token: str, now: float) -> InitData:
    """Return the content of `raw`. Raises InitDataError if it is forged, for another bot, or too old."""
    pairs = _parse_pairs(raw)
    given_hash = pairs.pop("hash", "")  # is of all other pairs
    key = hmac.digest(b"WebAppData", token.encode(), "sha256")
    content = _join_pairs(pairs).encode()
    right_hash = hmac.digest(key, content, "sha256").hex()
    if not hmac.compare_digest(given_hash.encode(), right_hash.encode()):
        raise InitDataError
    pairs.pop("signature", None)  # of Telegram for third parties; not part of the digest
    try:
        auth_date = int(pairs["auth_date"])
        person = _parse_user(pairs["user"])
    except (LookupError, TypeError, ValueError):
        raise InitDataError from None
    age = now - auth_date
    if age < -MAX_CLOCK_LEAD or age > MAX_AGE:
        raise InitDataError
    digest = hashlib.sha256(_join_pairs(pairs).encode()).hexdigest()
    return InitData(person, pairs.get("start_param", ""), auth_date, digest)


def _parse_user(text: str) -> Person:
    """Return the person in Telegram's JSON. Raises LookupError, TypeError or ValueError for other texts."""
    user = json.loads(text)
    return Person(
        int(user["id"]),
        user["first_name"],
        user.get("username"),
        user.get("language_code", ""),
    )


VALID_KEY = re.compile(r"[a-z0-9_]+")
MAX_PAIRS = 32
MAX_INIT_DATA_CHARS = 4096  # Telegram sends about 500


def _parse_pairs(raw: str) -> dict[str, str]:
    """Return the decoded values by key. Raises InitDataError for anything that could be read in two ways."""
    if len(raw) > MAX_INIT_DATA_CHARS or not raw.isascii():
        raise InitDataError
    try:
        parsed = parse_qsl(
            raw, keep_blank_values=True, strict_parsing=True, errors="strict", max_num_fields=MAX_PAIRS
        )
    except ValueError:
        raise InitDataError from None
    pairs = dict(parsed)
    if len(pairs) < len(parsed):  # a key came twice
        raise InitDataError
    for key, value in pairs.items():
        # With a line feed, one pair could pass for two.
        if not VALID_KEY.fullmatch(key) or "\n" in value:
            raise InitDataError
    return pairs


def _join_pairs(pairs: dict[str, str]) -> str:
    """Return the pairs as Telegram signs them: sorted by key, one on a line."""
    return "\n".join(f"{key}={value}" for key, value in sorted(pairs.items()))


class Authenticator:
    """Opens sessions."""

    def __init__(
        self,
        store: Store,
        bot_token: str,
        tokens: PlaceTokens,
        keys: OneTimeKeys,
        members: MembershipCache,
        class_keys: ClassKeys,
    ) -> None:
        self._store = store
        self._bot_token = bot_token
        self._tokens = tokens
        self._keys = keys
        self._members = members
        self._class_keys = class_keys

    async def open_session(self, opening: Opening, now: float, browser_language: str) -> Session:
        """Return a new session for a request to open a page. Raises HTTPException.

        Its initData or one-time key is used up; a spectator's token or a pupil's key can be used again. A
        pupil reads the browser's language.
        """
        person: Person | None = None  # for spectators
        if opening.init_data is not None:
            person, place = await self._use_init_data(opening.init_data, opening, now)
        elif opening.watch is not None:
            place = await self._load_place(opening.watch, now, watch_only=True)
        elif opening.pupil is not None:
            person, place = await self._load_pupil(opening.pupil, browser_language)
        else:
            person, place = await self._use_one_time_key(opening.key or "", now)
        return Session(person, place, int(now + SESSION_SECONDS))

    async def _use_init_data(self, raw: str, opening: Opening, now: float) -> tuple[Person, Place]:
        """Use up initData, and return its person, in the chosen language, and the place of its token.

        The token is signed in initData or comes as `start`; without one the place is the private chat.
        Raises HTTPException: 401 if anything is invalid or the person's pages were closed since, 403 if
        initData was used before or the person is not in the chat.
        """
        init_data = self._verify_init_data(raw, now)
        player_id = init_data.person.id
        signed_token = init_data.start_param
        token = opening.start or signed_token
        if signed_token and token != signed_token:
            raise HTTPException(401)
        place = await self._load_place(token, now) if token else Place(player_id)
        if not await self._members.is_member(place.chat_id, player_id):
            raise HTTPException(403)
        is_closed = await self._store.read(
            lambda tx: boards.is_closed_since(tx, player_id, init_data.auth_date)
        )
        if is_closed:
            raise HTTPException(401)
        person = await self._store.read(lambda tx: boards.apply_chosen_language(tx, init_data.person))
        # Last, since a refused opening must not use initData up
        is_new = await self._store.write(
            lambda tx: boards.record_opening(tx, init_data.digest, now, opening.page)
        )
        if not is_new:
            raise HTTPException(403)
        return person, place

    def _verify_init_data(self, raw: str, now: float) -> InitData:
        """Return the content of initData. Raises HTTPException 401 if it or the bot's token is invalid."""
        if not self._bot_token:  # anybody can sign with an empty token
            raise HTTPException(401)
        try:
            return verify_init_data(raw, self._bot_token, now)
        except InitDataError:
            raise HTTPException(401) from None

    async def _load_place(self, token: str, now: float, *, watch_only: bool = False) -> Place:
        """Return the place that a token holds, with its group's present id. Raises HTTPException 401."""
        try:
            place = self._tokens.read_token(token, now, watch_only=watch_only)
        except InvalidTokenError:
            raise HTTPException(401) from None
        return await self._store.read(lambda tx: boards.resolve_migrated_place(tx, place))

    async def _load_pupil(self, key: str, language: str) -> tuple[Person, Place]:
        """Return the pupil of a key, and their place. Raises HTTPException 401."""
        try:
            pupil_id, device = self._class_keys.read_key(Purpose.PUPIL, key)
        except InvalidTokenError:
            raise HTTPException(401) from None
        pupil = await self._store.read(lambda tx: classrooms.load_pupil_of_device(tx, pupil_id, device))
        if pupil is None:  # removed by the teacher, let in on another device, or the class was deleted
            raise HTTPException(401)
        tag = language.replace("_", "-")
        return Person(pupil.id, pupil.name, username=None, language=tag), Place(pupil.id)

    async def _use_one_time_key(self, key: str, now: float) -> tuple[Person, Place]:
        """Use up a key; return its place and its person, in the chosen language. Raises HTTPException."""
        person, place = self._keys.use_key(key, now)
        person = await self._store.read(lambda tx: boards.apply_chosen_language(tx, person))
        return person, place
