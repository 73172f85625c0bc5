"""The board's service: opens the page, shows its state, and takes taps as ordinary updates of the person.

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
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from telegram import Bot
from telegram.error import TelegramError

from bot.board import queries as boards
from bot.board import schemas, static_files
from bot.board.authentication import Authenticator, InvalidKeyError, OneTimeKeys, Session, SessionKeys
from bot.board.chat_cache import MembershipCache, TitleCache
from bot.board.live_views import LiveViews
from bot.board.rules import OfflineOutcome, Person, Place
from bot.board.streams import EventStreams, parse_last_event_id
from bot.board.submissions import Submissions, TransactionRunner
from bot.board.tokens import BoardLinks, PlaceTokens
from bot.database import Store, Tx, describe_error, is_database_failure
from bot.i18n import choose_language
from bot.metrics import BOARD_ENTRIES
from bot.modes.daily.group_tables import GroupLinks
from bot.queue.change_notifier import ChangeNotifier
from bot.queue.inbox import Inbox, InboxFullError
from bot.settings import Settings
from bot.telegram.api import call_api
from bot.web.server import Rate, RateLimiter, choose_browser_language, make_retry_after_header

log = logging.getLogger(__name__)

AcceptUpdates = Callable[[list[Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class BoardDependencies:
    """Everything that the service is given."""

    store: Store
    bot: Bot
    changes: ChangeNotifier
    accept_updates: AcceptUpdates  # stores updates, or raises as `Inbox.accept`
    run_transaction: TransactionRunner
    private_chat_link: GroupLinks  # from a group's table of the day to the private chat
    now: Callable[[], float]  # telegram's clock, in seconds since 1970
    bot_token: str  # the bot's, by which initData is known
    session_secret: bytes  # what keys are made of: the same at all bots on one database
    links: BoardLinks
    one_time_keys: OneTimeKeys | None = None  # keys that open the page once; None where there are none
    allowed_hosts: frozenset[str] | None = (
        None  # what the Host header must be; None where a proxy sees to that
    )
    monotonic: Callable[[], float] = time.monotonic


Handler = Callable[[Request], Awaitable[Response]]
UNKNOWN = {"WWW-Authenticate": "Bearer"}
SUBMIT_RATE, READ_RATE = Rate(20, 1), Rate(60, 3)  # of one person


class Board:
    """Serves everything below the page's root."""

    def __init__(self, needs: BoardDependencies, path: str, origin: str, *, telegram: bool = True) -> None:
        self._needs, self._origin = needs, origin
        self._sessions = SessionKeys(needs.session_secret)
        self._members = MembershipCache(needs.bot, needs.store, needs.monotonic)
        scenes = LiveViews(
            needs.store, needs.changes, needs.now, TitleCache(partial(call_api, needs.bot), needs.monotonic)
        )
        self._streams = EventStreams(scenes, needs.store, needs.changes, needs.now)
        self._scenes = scenes
        needs.changes.on_departure = self._forget_member
        self._authentication = Authenticator(
            needs.store, needs.bot_token, needs.links.tokens, needs.one_time_keys, self._members
        )
        self._entries = Submissions(
            needs.store,
            needs.accept_updates,
            needs.run_transaction,
            scenes,
            needs.now,
            needs.private_chat_link,
        )
        self._by_person = {rate: RateLimiter(rate) for rate in (SUBMIT_RATE, READ_RATE)}
        head = static_files.PAGE_HEADERS | {
            "Content-Security-Policy": static_files.make_content_security_policy(telegram=telegram)
        }
        self._pages = static_files.load_static_files()
        # What is served, each at exactly its path.
        self.routes = [
            *(self._page(f"{path}/{name}", page, head) for name, page in self._pages.items()),
            *([self._route(path, "GET", partial(_redirect_to_root, path))] if path else []),
            self._route(f"{path}/open", "POST", self._open),
            self._route(f"{path}/state", "GET", self._state),
            self._route(f"{path}/events", "GET", self._events),
            self._route(f"{path}/entry", "POST", self._entry),
            self._route(f"{path}/day", "POST", self._day),
            self._route(f"{path}/share", "POST", self._share),
            self._route(f"{path}/watch", "POST", self._watch),
        ]

    @property
    def paths(self) -> set[str]:
        """All paths that the board serves, as `paths_below` says without one."""
        return {route.path for route in self.routes}

    def close(self) -> None:
        """End all streams: they would hold up whoever waits for answers to end."""
        self._streams.close()
        self._scenes.close()

    def _forget_member(self, chat_id: int, player_id: int) -> None:
        """Forget that a person is a member, and look again whether their streams may go on."""
        self._members.forget_member(chat_id, player_id)
        self._streams.check_membership(player_id)

    # Who asks

    def _route(self, path: str, method: str, handler: Handler) -> Route:
        async def guarded(request: Request) -> Response:
            if request.method != method:  # HEAD comes with GET, and of what goes on for ever there is no head
                raise HTTPException(405, headers={"Allow": method})
            self._check_origin(request)
            return await handler(request)

        return Route(path, guarded, methods=[method])

    def _page(self, path: str, page: static_files.StaticFile, head: dict[str, str]) -> Route:
        async def answered(request: Request) -> Response:
            self._check_host(request)
            return page.make_response(request, head)

        return Route(path, answered, methods=["GET"])

    def _check_origin(self, request: Request) -> None:
        """Refuse requests of other pages, or under another name. Raises HTTPException."""
        self._check_host(request)
        if any(origin != self._origin for origin in request.headers.getlist("origin")):
            raise HTTPException(403)

    def _check_host(self, request: Request) -> None:
        """Refuse a host name that somebody else made lead here (DNS rebinding). Raises HTTPException."""
        hosts = self._needs.allowed_hosts
        if hosts is not None and ",".join(request.headers.getlist("host")).lower() not in hosts:
            raise HTTPException(403)

    def _limit(self, rate: Rate, person_id: int) -> None:
        """Count a request of a person. Raises HTTPException 429 if there are too many."""
        if wait := self._by_person[rate].take_token(person_id, self._needs.monotonic()):
            raise HTTPException(429, headers=make_retry_after_header(wait))

    def _read_session(self, request: Request, rate: Rate = READ_RATE) -> Session:
        """Return the session of a request and count it. Raises HTTPException."""
        given = request.headers.getlist("authorization")
        scheme, _, key = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        try:
            if scheme.lower() != "bearer":
                raise InvalidKeyError
            session = self._sessions.decode_session(key, self._needs.now())
        except InvalidKeyError:
            raise HTTPException(401, headers=UNKNOWN) from None
        if session.person:
            self._limit(rate, session.person.id)
        return session

    async def _find_session(self, request: Request, rate: Rate = READ_RATE) -> Session:
        """Return the session of a request, brought up to date by `_refresh`. Raises HTTPException."""
        return await self._refresh(self._read_session(request, rate))

    async def _refresh(self, session: Session) -> Session:
        """Return the session with its group's id and its person's language as they are now.

        Raises HTTPException 401 if the person was forgotten since it was made.
        """

        def look(tx: Tx) -> Session | None:
            person = session.person
            if person and boards.is_closed_since(tx, person.id, session.created_at):
                return None
            speaking = boards.apply_chosen_language(tx, person) if person else None
            return replace(session, person=speaking, place=boards.resolve_migrated_place(tx, session.place))

        found: Session | None = await _await_database(self._needs.store.read(look))
        if found is None:
            raise HTTPException(401, headers=UNKNOWN)
        return found

    async def _may_stay(self, session: Session) -> bool:
        """Whether a session that goes on may; also while the database does not answer."""
        try:
            followed = await self._refresh(session)
        except HTTPException as refusal:
            return refusal.status_code != 401
        with suppress(HTTPException):
            return await self._may_look(followed)
        return False

    async def _may_look(self, session: Session) -> bool:
        """Whether they may look: anybody who only watches, or a member. Raises as `Members.has`."""
        if session.person is None:
            return session.place.watch_only
        return await self._members.is_member(session.place.chat_id, session.person.id)

    async def _find_member(self, request: Request, rate: Rate = READ_RATE) -> tuple[Session, Person]:
        """Return the session of a person who may play there. Raises HTTPException."""
        session = await self._find_session(request, rate)
        if session.person is None or session.place.watch_only or not await self._may_look(session):
            raise HTTPException(403)
        return session, session.person

    # What is asked

    async def _open(self, request: Request) -> Response:
        body = await schemas.read_json_object(request)
        if not schemas.is_opening(body):
            raise HTTPException(400)
        session: Session = await _await_database(self._authentication.open_session(body, self._needs.now()))
        person = session.person
        answer = {
            "session": self._sessions.encode_session(session),
            "until": session.expires_at,
            "you": {"id": person.id, "name": person.name} if person else None,
            "language": _choose_language(session, request),
        }
        return JSONResponse(answer)

    async def _state(self, request: Request) -> Response:
        session = await self._find_session(request)
        if not await self._may_look(session):
            raise HTTPException(403)
        asked = self._scenes.load_state(session.place, _choose_language(session, request), session.player_id)
        return JSONResponse(await _await_database(asked))

    async def _events(self, request: Request) -> Response:
        session = await self._find_session(request)
        if not await self._may_look(session):
            raise HTTPException(403)
        language, after = (
            _choose_language(session, request),
            parse_last_event_id(request.headers.get("last-event-id")),
        )
        stays = partial(self._may_stay, session)
        return self._streams.open_stream(session, language, after, stays)

    async def _entry(self, request: Request) -> Response:
        try:
            await self._enter(request)
        except HTTPException as refusal:
            BOARD_ENTRIES.labels(str(refusal.status_code)).inc()
            raise
        BOARD_ENTRIES.labels("taken").inc()
        return JSONResponse({}, 202)

    async def _enter(self, request: Request) -> None:
        session, person = await self._find_member(request, SUBMIT_RATE)
        body = await schemas.read_json_object(request)
        await _await_database(self._entries.accept_submission(session.place, person, body))

    async def _day(self, request: Request) -> Response:
        _, person = await self._find_member(request, SUBMIT_RATE)
        body = await schemas.read_json_object(request)
        if not schemas.is_offline_solution(body):
            raise HTTPException(400)
        outcome, text = await _await_database(self._entries.accept_offline_solution(person, body))
        self._streams.changes.notify_person(person.id)
        status = 409 if outcome is OfflineOutcome.NOT_DEALT else 200
        told = {"text": text, "done": outcome is not OfflineOutcome.WRONG}
        return JSONResponse(told, status)

    async def _share(self, request: Request) -> Response:
        session, person = await self._find_member(request, SUBMIT_RATE)
        chosen = await schemas.read_round_id(request)
        result = await _await_database(self._entries.load_shared_result(session.place, person, chosen))
        if result is None:
            raise HTTPException(409)
        try:
            message = await self._entries.prepare_shared_message(self._needs.bot, person, result)
        except TelegramError as error:
            log.info("a result can't be prepared for sharing: %s", type(error).__name__)
            raise HTTPException(503, headers=make_retry_after_header(5)) from None
        return JSONResponse({"message": message})

    async def _watch(self, request: Request) -> Response:
        session, person = await self._find_member(request)
        chosen = await schemas.read_round_id(request)
        state = await _await_database(
            self._scenes.load_state(session.place, choose_language(person.language), person.id)
        )
        found = [part["round"] for part in (state, state.get("beside")) if part and part.get("round")]
        if not found:
            raise HTTPException(409)
        shown = next((round for round in found if round["id"] == chosen), found[0])
        place = replace(session.place, round_id=int(shown["id"]))
        return JSONResponse({"url": self._needs.links.make_spectator_link(place, self._needs.now())})


async def _await_database(work: Awaitable[Any]) -> Any:
    """Return what the work returns. Raises HTTPException 503 if the database can't do it now."""
    try:
        return await work
    except InboxFullError:
        raise HTTPException(503, headers=make_retry_after_header(1)) from None
    except Exception as error:
        if not is_database_failure(error):
            raise
        log.warning("a board can't be served, it will ask again: %s", describe_error(error))
        raise HTTPException(503, headers=make_retry_after_header(1)) from None


# What the page asks for, below its root.
CALLED = ("open", "state", "events", "entry", "day", "share", "watch")


def list_board_paths(root: str) -> set[str]:
    """Return all paths that a board at this root serves, without making one."""
    below = {f"{root}/{name}" for name in (*static_files.load_static_files(), *CALLED)}
    return below | {root} if root else below


async def _redirect_to_root(path: str, request: Request) -> Response:
    """Redirect to the root with a slash at its end: the page's addresses are relative."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{path}/{query}", 308)


def _choose_language(session: Session, request: Request) -> str:
    """Return the person's language, or the browser's for those who only watch."""
    if session.person:
        return choose_language(session.person.language)
    return choose_browser_language(request)


def make_board_links(settings: Settings, username: str) -> BoardLinks:
    """Make links by keys that are made of the bot's token: so all bots that have it agree."""
    return BoardLinks(PlaceTokens(_secret(settings)), settings.web_url or "", username, settings.web_app)


def make_round_linker(
    settings: Settings, username: str, wall: Callable[[], float]
) -> Callable[[int, int, int], str]:
    """Return a function that links the message of a round, by chat, topic and number, to its table."""
    known = make_board_links(settings, username)
    return lambda chat_id, topic, round_id: known.make_round_link(Place(chat_id, topic, round_id), wall())


def make_board(
    settings: Settings,
    store: Store,
    bot: Bot,
    changes: ChangeNotifier,
    inbox: Inbox,
    answer: TransactionRunner,
) -> Board:
    """Make the board at the settings' public address."""
    parts = urlsplit(settings.web_url or "")
    needs = BoardDependencies(
        store=store,
        bot=bot,
        changes=changes,
        accept_updates=partial(inbox.accept, from_board=True),
        run_transaction=answer,
        private_chat_link=GroupLinks(bot.username, settings.token or ""),
        now=inbox.now,
        bot_token=settings.token or "",
        session_secret=_secret(settings),
        links=make_board_links(settings, bot.username),
    )
    return Board(needs, parts.path, f"{parts.scheme}://{parts.netloc}")


def _secret(settings: Settings) -> bytes:
    return (settings.token or "").encode()
