"""How the page is opened: by what Telegram hands to it, by a link to look on, or by a key that opens it once.

Whoever is refused is so by a status alone: 401 for what was not made for this or is too old, 403 for what was
used before or is somebody's who may not sit there. What is used up is so at the very end, when nothing else
can refuse it any more.
"""

from typing import Any

from starlette.exceptions import HTTPException

from bot.database import Store
from bot.games.board import queries as board
from bot.games.board.rules import Place
from bot.web.board.initdata import InitData, InitDataError, checked
from bot.web.board.links import LinkError, Tokens
from bot.web.board.members import Members
from bot.web.board.sessions import LASTS, OnceKeys, Session, SessionError, UsedError


class Openings:
    """Makes sessions of what opens the page."""

    def __init__(
        self, store: Store, token: str, tokens: Tokens, keys: OnceKeys | None, members: Members
    ) -> None:
        self._store, self._token, self._tokens, self._keys = store, token, tokens, keys
        self._members = members

    async def opened(self, body: dict[str, Any], now: float) -> Session:
        """The session of an opening in one of its shapes. Raises HTTPException."""
        until = int(now + LASTS)
        if "init_data" in body:
            return await self._by_telegram(body, now, until)
        if "watch" in body:
            return Session(None, await self._read(body["watch"], now, watches=True), until)
        return await self._by_key(body["key"], now, until)

    async def _by_telegram(self, body: dict[str, Any], now: float, until: int) -> Session:
        """As a member of the group of the link, or alone in private."""
        raw, start, page = body["init_data"], body["start"], body.get("page")
        try:
            if not self._token:  # by an empty one anybody could sign
                raise InitDataError
            said = checked(raw, self._token, now)
        except InitDataError:
            raise HTTPException(401) from None
        person, place = said.person, await self._place(said, start, now)
        if not await self._members.has(place.chat_id, person.id):
            raise HTTPException(403)
        person = await self._store.read(lambda tx: board.speaking(tx, said.person))
        if await self._store.read(lambda tx: board.is_closed(tx, person.id, said.auth_date)):
            raise HTTPException(401)
        if not await self._store.write(lambda tx: board.open_once(tx, said.digest, now, page)):
            raise HTTPException(403)
        return Session(person, place, until)

    async def _place(self, said: InitData, start: str, now: float) -> Place:
        """What the page's `start` leads to; where Telegram signed one, it is that one."""
        if said.start_param and start and start != said.start_param:
            raise HTTPException(401)
        token = start or said.start_param
        return await self._read(token, now) if token else Place(said.person.id)

    async def _read(self, token: str, now: float, *, watches: bool = False) -> Place:
        try:
            place = self._tokens.read(token, now, watches=watches)
        except LinkError:
            raise HTTPException(401) from None
        return await self._store.read(lambda tx: board.whereabouts(tx, place))

    async def _by_key(self, key: str, now: float, until: int) -> Session:
        if self._keys is None:
            raise HTTPException(401)
        try:
            person, place = self._keys.found(key, now)
            person = await self._store.read(lambda tx: board.speaking(tx, person))
            self._keys.used(key, now)
        except UsedError:
            raise HTTPException(403) from None
        except SessionError:
            raise HTTPException(401) from None
        return Session(person, place, until)
