"""Open pages and keep their sessions.

A page is opened by Telegram's initData, by a spectator's token, or by a key that opens it once. Refusals are
401 for what is invalid or too old, and 403 for what was used before or belongs to nobody at that table.
"""

import json
import secrets
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException

from bot.board import queries as boards
from bot.board.chat_cache import MembershipCache
from bot.board.initdata import InitData, InitDataError, verify_init_data
from bot.board.rules import Person, Place
from bot.board.tokens import InvalidTokenError, PlaceTokens, TokenCipher
from bot.database import Store

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
        values = [*person_values, *place_values, session.expires_at]
        return self._cipher.encrypt(json.dumps(values, ensure_ascii=False).encode())

    def decode_session(self, key: str, now: float) -> Session:
        """Return the session in a key. Raises InvalidTokenError if the key is forged or has expired."""
        values = json.loads(self._cipher.decrypt(key))  # in the order of `encode_session`
        player_id, name, username, language, *place_values, expires_at = values
        if now >= expires_at:
            raise InvalidTokenError
        person = None if player_id == NO_PERSON else Person(player_id, name, username or None, language)
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


class Authenticator:
    """Opens sessions; `keys` is None if no page is opened by a one-time key."""

    def __init__(
        self,
        store: Store,
        bot_token: str,
        tokens: PlaceTokens,
        keys: OneTimeKeys | None,
        members: MembershipCache,
    ) -> None:
        self._store, self._members = store, members
        self._bot_token, self._tokens, self._keys = bot_token, tokens, keys

    async def open_session(self, body: dict[str, Any], now: float) -> Session:
        """Return a new session for the body of a request to open a page. Raises HTTPException.

        The initData or one-time key in the body is used up; a spectator's token can be used again.
        """
        person: Person | None = None  # for spectators
        if "init_data" in body:
            person, place = await self._use_init_data(body, now)
        elif "watch" in body:
            place = await self._load_place(body["watch"], now, watch_only=True)
        else:
            person, place = await self._use_one_time_key(body["key"], now)
        return Session(person, place, int(now + SESSION_SECONDS))

    async def _use_init_data(self, body: dict[str, Any], now: float) -> tuple[Person, Place]:
        """Use up initData, and return its person, in the chosen language, and the place of its token.

        The token is signed in initData or comes as `start`; without one the place is the private chat.
        Raises HTTPException: 401 if anything is invalid or the person's pages were closed since, 403 if
        initData was used before or the person is not in the chat.
        """
        init_data = self._verify_init_data(body["init_data"], now)
        player_id = init_data.person.id
        signed_token = init_data.start_param
        token = body["start"] or signed_token
        if signed_token and token != signed_token:
            raise HTTPException(401)
        place = await self._load_place(token, now) if token else Place(player_id)
        if not await self._members.is_member(place.chat_id, player_id):
            raise HTTPException(403)
        if await self._store.read(lambda tx: boards.is_closed_since(tx, player_id, init_data.auth_date)):
            raise HTTPException(401)
        person = await self._store.read(lambda tx: boards.apply_chosen_language(tx, init_data.person))
        page = body.get("page")  # by which the page may ask again if this response gets lost
        # Last, since a refused opening must not use initData up
        if not await self._store.write(lambda tx: boards.record_opening(tx, init_data.digest, now, page)):
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
        """Return the place of a token, with its group's present id. Raises HTTPException 401."""
        try:
            place = self._tokens.read_token(token, now, watch_only=watch_only)
        except InvalidTokenError:
            raise HTTPException(401) from None
        return await self._store.read(lambda tx: boards.resolve_migrated_place(tx, place))

    async def _use_one_time_key(self, key: str, now: float) -> tuple[Person, Place]:
        """Use up a key; return its place and its person, in the chosen language. Raises HTTPException."""
        if self._keys is None:
            raise HTTPException(401)
        person, place = self._keys.use_key(key, now)
        person = await self._store.read(lambda tx: boards.apply_chosen_language(tx, person))
        return person, place
