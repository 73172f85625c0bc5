"""The page's service: who opens it, what is shown, and what is tapped, as ordinary updates of the person.

Whoever opens the page gets a session's key, which the page sends in a header with all that it asks; there are
no cookies, so no other page can ask for anything in somebody's name. Nothing is changed for whoever is
refused. An entry goes through the same inbox as everything from Telegram.
"""

import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from telegram import Bot
from telegram.error import TelegramError

from bot.database import Store, Tx, cause, storage_trouble
from bot.delivery.changes import Changes
from bot.delivery.inbox import InboxFullError
from bot.games.board import queries as boards
from bot.games.board.rules import Offline, Person
from bot.games.daily.tables import Door
from bot.i18n import spoken
from bot.metrics import BOARD_ENTRIES
from bot.telegram.api import ask
from bot.web.board import bodies, pages
from bot.web.board.entries import Answering, Entries
from bot.web.board.limits import Buckets, Rate, retry_after
from bot.web.board.links import Links
from bot.web.board.members import Members
from bot.web.board.openings import Openings
from bot.web.board.scenes import Scenes
from bot.web.board.sessions import OnceKeys, Session, SessionError, Sessions
from bot.web.board.streams import Streams, after_of
from bot.web.board.titles import Titles
from bot.web.server import browser_language

log = logging.getLogger(__name__)

TAPPED, LOOKED = Rate(20, 1), Rate(60, 3)
"""Of one person."""
CALLED = ("open", "state", "events", "entry", "day", "share", "watch")
"""What the page asks for, below its root."""
UNKNOWN = {"WWW-Authenticate": "Bearer"}
Handler = Callable[[Request], Awaitable[Response]]
Accept = Callable[[list[Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Needs:
    """What the service is given."""

    store: Store
    bot: Bot
    changes: Changes
    accept: Accept
    """Stores updates, or raises as `Inbox.accept`."""
    answer: Answering
    way: Door
    """From a group's table of the day to the private chat."""
    now: Callable[[], float]
    """Telegram's clock, in seconds since 1970."""
    token: str
    """The bot's, by which initData is known."""
    secret: bytes
    """What keys are made of: the same at all bots on one database."""
    links: Links
    keys: OnceKeys | None = None
    """Keys that open the page once; None where there are none."""
    hosts: frozenset[str] | None = None
    """What the Host header must be; None where a proxy sees to that."""
    monotonic: Callable[[], float] = time.monotonic


class Board:
    """All that is served below the page's root, and its state."""

    def __init__(self, needs: Needs, path: str, origin: str, *, telegram: bool = True) -> None:
        self._needs, self._origin = needs, origin
        self._sessions = Sessions(needs.secret)
        self._members = Members(needs.bot, needs.store, needs.monotonic)
        scenes = Scenes(
            needs.store, needs.changes, needs.now, Titles(partial(ask, needs.bot), needs.monotonic)
        )
        self._streams = Streams(scenes, needs.store, needs.changes, needs.now)
        self._scenes = scenes
        needs.changes.left = self._left
        self._openings = Openings(needs.store, needs.token, needs.links.tokens, needs.keys, self._members)
        self._entries = Entries(needs.store, needs.accept, needs.answer, scenes, needs.now, needs.way)
        self._by_person = {rate: Buckets(rate) for rate in (TAPPED, LOOKED)}
        head = pages.ALWAYS | {"Content-Security-Policy": pages.policy(telegram=telegram)}
        self._pages = pages.read()
        self.routes = [
            *(self._page(f"{path}/{name}", page, head) for name, page in self._pages.items()),
            *([self._route(path, "GET", partial(_within, path))] if path else []),
            self._route(f"{path}/open", "POST", self._open),
            self._route(f"{path}/state", "GET", self._state),
            self._route(f"{path}/events", "GET", self._events),
            self._route(f"{path}/entry", "POST", self._entry),
            self._route(f"{path}/day", "POST", self._day),
            self._route(f"{path}/share", "POST", self._share),
            self._route(f"{path}/watch", "POST", self._watch),
        ]
        """What is served, each at exactly its path."""

    @property
    def paths(self) -> set[str]:
        """All paths that are its own; `paths_below` says the same where there is no board."""
        return {route.path for route in self.routes}

    def close(self) -> None:
        """End what goes on: streams would hold up whoever waits for answers to end."""
        self._streams.close()
        self._scenes.close()

    def _left(self, chat_id: int, player_id: int) -> None:
        """Somebody is no more in a group, as far as this bot was told."""
        self._members.left(chat_id, player_id)
        self._streams.look(player_id)

    # Who asks

    def _route(self, path: str, method: str, handler: Handler) -> Route:
        async def guarded(request: Request) -> Response:
            if request.method != method:  # HEAD comes with GET, and of what goes on for ever there is no head
                raise HTTPException(405, headers={"Allow": method})
            self._judge(request)
            return await handler(request)

        return Route(path, guarded, methods=[method])

    def _page(self, path: str, page: pages.Page, head: dict[str, str]) -> Route:
        async def answered(request: Request) -> Response:
            self._judge_host(request)
            return page.answer(request, head)

        return Route(path, answered, methods=["GET"])

    def _judge(self, request: Request) -> None:
        """Refuse what another page asks, or under another name. Raises HTTPException."""
        self._judge_host(request)
        if any(origin != self._origin for origin in request.headers.getlist("origin")):
            raise HTTPException(403)

    def _judge_host(self, request: Request) -> None:
        """A name that leads here by somebody else's will is not this page's (DNS rebinding)."""
        hosts = self._needs.hosts
        if hosts is not None and ",".join(request.headers.getlist("host")).lower() not in hosts:
            raise HTTPException(403)

    def _limit(self, rate: Rate, person_id: int) -> None:
        """Raises HTTPException for whoever asks for too much."""
        if wait := self._by_person[rate].take(person_id, self._needs.monotonic()):
            raise HTTPException(429, headers=retry_after(wait))

    def _session(self, request: Request, rate: Rate = LOOKED) -> Session:
        """Whose session it is, within what they may ask. Raises HTTPException."""
        given = request.headers.getlist("authorization")
        scheme, _, key = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        try:
            if scheme.lower() != "bearer":
                raise SessionError
            session = self._sessions.read(key, self._needs.now())
        except SessionError:
            raise HTTPException(401, headers=UNKNOWN) from None
        if session.person:
            self._limit(rate, session.person.id)
        return session

    async def _present(self, request: Request, rate: Rate = LOOKED) -> Session:
        """As `_session`, at the place as it is now. Raises HTTPException."""
        return await self._followed(self._session(request, rate))

    async def _followed(self, session: Session) -> Session:
        """The session, whatever id its group has and whatever its person chose to speak by now. Raises
        HTTPException: 401 where the person was forgotten since it was made.
        """

        def look(tx: Tx) -> Session | None:
            person = session.person
            if person and boards.is_closed(tx, person.id, session.made):
                return None
            speaking = boards.speaking(tx, person) if person else None
            return replace(session, person=speaking, place=boards.whereabouts(tx, session.place))

        found: Session | None = await _stored(self._needs.store.read(look))
        if found is None:
            raise HTTPException(401, headers=UNKNOWN)
        return found

    async def _stays(self, session: Session) -> bool:
        """As `_may`, of a session that goes on; while the database does not answer, they may."""
        try:
            followed = await self._followed(session)
        except HTTPException as refusal:
            return refusal.status_code != 401
        with suppress(HTTPException):
            return await self._may(followed)
        return False

    async def _may(self, session: Session) -> bool:
        """Whether they may be there still: anybody who looks on, or a member. Raises as `Members.has`."""
        if session.person is None:
            return session.place.watches
        return await self._members.has(session.place.chat_id, session.person.id)

    async def _member(self, request: Request, rate: Rate = LOOKED) -> tuple[Session, Person]:
        """The session of a person who may play there. Raises HTTPException."""
        session = await self._present(request, rate)
        if session.person is None or session.place.watches or not await self._may(session):
            raise HTTPException(403)
        return session, session.person

    # What is asked

    async def _open(self, request: Request) -> Response:
        body = await bodies.json_of(request)
        if not bodies.is_opening(body):
            raise HTTPException(400)
        session: Session = await _stored(self._openings.opened(body, self._needs.now()))
        person = session.person
        answer = {
            "session": self._sessions.key(session),
            "until": session.until,
            "you": {"id": person.id, "name": person.name} if person else None,
            "language": _language(session, request),
        }
        return JSONResponse(answer)

    async def _state(self, request: Request) -> Response:
        session = await self._present(request)
        if not await self._may(session):
            raise HTTPException(403)
        asked = self._scenes.now(session.place, _language(session, request), session.player_id)
        return JSONResponse(await _stored(asked))

    async def _events(self, request: Request) -> Response:
        session = await self._present(request)
        if not await self._may(session):
            raise HTTPException(403)
        language, after = _language(session, request), after_of(request.headers.get("last-event-id"))
        stays = partial(self._stays, session)
        return self._streams.opened(session, language, after, stays)

    async def _entry(self, request: Request) -> Response:
        try:
            await self._enter(request)
        except HTTPException as refusal:
            BOARD_ENTRIES.labels(str(refusal.status_code)).inc()
            raise
        BOARD_ENTRIES.labels("taken").inc()
        return JSONResponse({}, 202)

    async def _enter(self, request: Request) -> None:
        session, person = await self._member(request, TAPPED)
        body = await bodies.json_of(request)
        await _stored(self._entries.taken(session.place, person, body))

    async def _day(self, request: Request) -> Response:
        _, person = await self._member(request, TAPPED)
        body = await bodies.json_of(request)
        if not bodies.is_solved(body):
            raise HTTPException(400)
        outcome, text = await _stored(self._entries.solved(person, body))
        self._streams.changes.told(person.id)
        status = 409 if outcome is Offline.UNOPENED else 200
        told = {"text": text, "done": outcome is not Offline.WRONG}
        return JSONResponse(told, status)

    async def _share(self, request: Request) -> Response:
        session, person = await self._member(request, TAPPED)
        chosen = await bodies.chosen(request)
        result = await _stored(self._entries.to_share(session.place, person, chosen))
        if result is None:
            raise HTTPException(409)
        try:
            message = await self._entries.prepared(self._needs.bot, person, result)
        except TelegramError as error:
            log.info("a result can't be prepared for sharing: %s", type(error).__name__)
            raise HTTPException(503, headers=retry_after(5)) from None
        return JSONResponse({"message": message})

    async def _watch(self, request: Request) -> Response:
        session, person = await self._member(request)
        chosen = await bodies.chosen(request)
        state = await _stored(self._scenes.now(session.place, spoken(person.language), person.id))
        found = [part["round"] for part in (state, state.get("beside")) if part and part.get("round")]
        if not found:
            raise HTTPException(409)
        shown = next((round for round in found if round["id"] == chosen), found[0])
        place = replace(session.place, round_id=int(shown["id"]))
        return JSONResponse({"url": self._needs.links.watch(place, self._needs.now())})


async def _stored(work: Awaitable[Any]) -> Any:
    """What it returns; 503 where the database does not do it now, so that nothing was stored."""
    try:
        return await work
    except InboxFullError:
        raise HTTPException(503, headers=retry_after(1)) from None
    except Exception as error:
        if not storage_trouble(error):
            raise
        log.warning("a board can't be served, it will ask again: %s", cause(error))
        raise HTTPException(503, headers=retry_after(1)) from None


def paths_below(root: str) -> set[str]:
    """All that a board at this root has for its own, for whoever makes none."""
    below = {f"{root}/{name}" for name in (*pages.read(), *CALLED)}
    return below | {root} if root else below


async def _within(path: str, request: Request) -> Response:
    """The page's addresses are relative: it must be asked for with the slash at its end."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{path}/{query}", 308)


def _language(session: Session, request: Request) -> str:
    """What the reader's page speaks; who only looks on is asked by the browser's own languages."""
    if session.person:
        return spoken(session.person.language)
    return browser_language(request)
