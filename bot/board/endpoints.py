"""The board's HTTP endpoints: they serve the page, its live state, and accept what players submit.

Opening the page gives a session key, which the page sends in a header with each request. There are no
cookies, so no other page can ask for anything in a player's name. A refused request changes nothing.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from telegram import Bot
from telegram.error import TelegramError

from bot.board import queries as boards
from bot.board import schemas, static_files
from bot.board.authentication import Authenticator, OneTimeKeys, Session, SessionKeys
from bot.board.chat_cache import MembershipCache, TitleCache
from bot.board.classroom.endpoints import ClassNeeds, Classroom
from bot.board.classroom.keys import ClassKeys
from bot.board.live_views import LiveViews
from bot.board.page_state import PageState, encode_state
from bot.board.rules import OfflineOutcome, Person, Place
from bot.board.store_access import await_database
from bot.board.streams import EventStreams, parse_last_event_id
from bot.board.submissions import Submissions, TransactionRunner
from bot.board.tokens import BoardLinks, InvalidTokenError, PlaceTokens
from bot.database import Store, Tx
from bot.i18n import choose_language
from bot.metrics import BOARD_ENTRIES
from bot.modes.classroom import queries as classrooms
from bot.modes.daily.group_tables import GroupLinks
from bot.queue.change_notifier import ChangeNotifier
from bot.queue.inbox import Inbox
from bot.queue.updates import Submission
from bot.settings import Settings
from bot.telegram.api import call_api
from bot.telegram.context import Services
from bot.web.server import Rate, RateLimiter, choose_browser_language, make_retry_after_header

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BoardDependencies:
    store: Store
    bot: Bot
    changes: ChangeNotifier
    accept_submissions: Callable[[Sequence[Submission]], Awaitable[None]]  # `Inbox.accept`
    run_transaction: TransactionRunner
    private_chat_link: GroupLinks  # for buttons that lead from a group's table of the day to the private chat
    now: Callable[[], float]  # Telegram's clock
    bot_token: str  # verifies initData; empty if Telegram opens no page
    session_secret: bytes  # encrypts session keys; the same in all bots on one database
    links: BoardLinks
    one_time_keys: OneTimeKeys = field(default_factory=OneTimeKeys)  # none without the terminal
    allowed_hosts: frozenset[str] | None = None  # allowed Host headers; None if a proxy checks them
    classes: ClassNeeds | None = None  # None where there are no classes
    monotonic: Callable[[], float] = time.monotonic


Handler = Callable[[Request], Awaitable[Response]]
BEARER_CHALLENGE = {"WWW-Authenticate": "Bearer"}
# Requests of one player
SUBMIT_RATE = Rate(burst=20, per_second=1)
READ_RATE = Rate(burst=60, per_second=3)


class Board:
    """Serves all paths below the root `path`; with `telegram`, Telegram may frame the page and script it.

    Only pages of the `origin` may send requests; None allows those of whatever address the request was sent
    to, as on a local network, where the machine has several.
    """

    def __init__(
        self, needs: BoardDependencies, path: str, origin: str | None, *, telegram: bool = True
    ) -> None:
        self._needs = needs
        self._origin = origin
        self._session_keys = SessionKeys(needs.session_secret)
        class_keys = ClassKeys(needs.session_secret)
        self._members = MembershipCache(needs.bot, needs.store, needs.monotonic)
        titles = TitleCache(partial(call_api, needs.bot), needs.monotonic)
        self._live_views = LiveViews(needs.store, needs.changes, needs.now, titles)
        self._streams = EventStreams(self._live_views, needs.store, needs.changes, needs.now)
        needs.changes.on_departure = self._check_departed_member
        self._authenticator = Authenticator(
            needs.store, needs.bot_token, needs.links.tokens, needs.one_time_keys, self._members, class_keys
        )
        self._classroom: Classroom | None = None
        if needs.classes:
            self._classroom = Classroom(needs.store, needs.changes, needs.now, needs.classes, class_keys)
        self._submissions = Submissions(
            needs.store, needs.accept_submissions, needs.run_transaction, needs.now, needs.private_chat_link
        )
        self._limiters = {rate: RateLimiter(rate) for rate in (SUBMIT_RATE, READ_RATE)}
        policy = static_files.make_content_security_policy(telegram=telegram)
        headers = {**static_files.PAGE_HEADERS, "Content-Security-Policy": policy}
        self.routes = self._list_routes(path, headers)

    def _list_routes(self, path: str, headers: dict[str, str]) -> list[Route]:
        """Return the routes of the page's files, with these headers, and of all endpoints."""
        routes = list[Route]()
        begins_with_class = self._needs.classes is not None and self._needs.classes.is_alone
        for name, file in static_files.load_static_files(begins_with_class=begins_with_class).items():
            routes.append(self._make_file_route(f"{path}/{name}", file, headers))
        if self._classroom:
            routes += [
                self._make_route(f"{path}/class/{name}", method, handler)
                for name, method, handler in self._classroom.list_endpoints()
            ]
        if path:
            routes.append(self._make_route(path, "GET", partial(_redirect_to_root, path)))
        routes += [
            self._make_route(f"{path}/open", "POST", self._open_session),
            self._make_route(f"{path}/state", "GET", self._get_state),
            self._make_route(f"{path}/events", "GET", self._stream_events),
            self._make_route(f"{path}/entry", "POST", self._accept_entry),
            self._make_route(f"{path}/day", "POST", self._accept_offline_solution),
            self._make_route(f"{path}/share", "POST", self._share_result),
            self._make_route(f"{path}/watch", "POST", self._make_spectator_link),
        ]
        return routes

    def close(self) -> None:
        """End all event streams, for which a closing server would wait."""
        self._streams.close()
        if self._classroom:
            self._classroom.close()
        self._live_views.close()

    def _check_departed_member(self, chat_id: int, player_id: int) -> None:
        """Forget the membership of a player who left a chat, and check it anew for their open streams."""
        self._members.forget_member(chat_id, player_id)
        self._streams.check_membership(player_id)

    # Routes and their checks

    def _make_route(self, path: str, method: str, handler: Handler) -> Route:
        """Return a route to a handler that refuses other methods (405), and other hosts or origins (403)."""

        async def handle_checked(request: Request) -> Response:
            if request.method != method:  # starlette adds HEAD to GET, and an endless stream has no head
                raise HTTPException(405, headers={"Allow": method})
            self._check_host(request)
            allowed = self._origin or f"{request.url.scheme}://{request.headers.get('host', '')}"
            # Browsers leave Origin out of a page's GET requests to its own host.
            if request.headers.get("origin", allowed) != allowed:
                raise HTTPException(403)
            return await handler(request)

        return Route(path, handle_checked, methods=[method])

    def _make_file_route(self, path: str, file: static_files.StaticFile, headers: dict[str, str]) -> Route:
        """Return a route that serves a file with these headers; it refuses other hosts (403)."""

        async def serve_file(request: Request) -> Response:
            self._check_host(request)
            return file.make_response(request, headers)

        return Route(path, serve_file, methods=["GET"])

    def _check_host(self, request: Request) -> None:
        """Raise HTTPException 403 unless the Host header is allowed, which prevents DNS rebinding."""
        hosts = self._needs.allowed_hosts
        if hosts is not None and request.headers.get("host", "").lower() not in hosts:
            raise HTTPException(403)

    async def _load_session(self, request: Request, rate: Rate) -> Session:
        """Return the session of a request, with its group's id and its player's language as they are now.

        Raises HTTPException: 401 without a valid session key, or if the player's pages were closed since, 429
        if the player asks more often than `rate` (spectators may), and 503 if the database fails.
        """
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        try:
            session = self._session_keys.decode_session(key, self._needs.now())
        except InvalidTokenError:
            raise HTTPException(401, headers=BEARER_CHALLENGE) from None
        if session.person:
            wait = self._limiters[rate].take_token(session.person.id, self._needs.monotonic())
            if wait:
                raise HTTPException(429, headers=make_retry_after_header(wait))
        return await self._refresh_session(session)

    async def _refresh_session(self, session: Session) -> Session:
        """Return the session with its group's id and its player's language as they are now.

        Raises HTTPException: 401 if the player's pages were closed since, 503 if the database fails.
        """

        def refresh(tx: Tx) -> Session | None:
            """Return the present session; None if the player's pages were closed since."""
            person = session.person
            place = boards.resolve_migrated_place(tx, session.place)
            if person is None:
                return replace(session, place=place)
            if boards.is_closed_since(tx, person.id, session.created_at):
                return None
            if place.is_guests:
                pupil = classrooms.load_pupil(tx, person.id)
                if pupil is None:  # removed by the teacher
                    return None
                person = replace(person, name=pupil.name)
            person = boards.apply_chosen_language(tx, person)
            return replace(session, person=person, place=place)

        refreshed: Session | None = await await_database(self._needs.store.read(refresh))
        if refreshed is None:
            raise HTTPException(401, headers=BEARER_CHALLENGE)
        return refreshed

    async def _can_view(self, session: Session) -> bool:
        """Whether the session is a spectator's, or its person is in the chat. Raises as `is_member`."""
        if session.person is None:
            return session.place.watch_only
        return await self._members.is_member(session.place.chat_id, session.person.id)

    async def _can_go_on(self, session: Session) -> bool:
        """Whether an open stream may go on: its pages are not closed and the person is still in the chat.

        False also while that can't be known; the page asks for a new stream.
        """
        try:
            refreshed = await self._refresh_session(session)
            return await self._can_view(refreshed)
        except HTTPException:
            return False

    async def _load_viewer(self, request: Request) -> tuple[Session, str]:
        """Return the session of a player's or spectator's request, and its language. Raises HTTPException."""
        session = await self._load_session(request, READ_RATE)
        if not await self._can_view(session):
            raise HTTPException(403)
        return session, _choose_language(session, request)

    async def _load_player(self, request: Request, rate: Rate) -> tuple[Place, Person]:
        """Return place and person of a request. Raises HTTPException, 403 for spectators and non-members."""
        session = await self._load_session(request, rate)
        if session.person is None or session.place.watch_only:
            raise HTTPException(403)
        if not await self._can_view(session):
            raise HTTPException(403)
        return session.place, session.person

    async def _load_telegram_user(self, request: Request, rate: Rate) -> tuple[Place, Person]:
        """Return place and person as `_load_player`. Raises HTTPException 403 also for guests."""
        place, person = await self._load_player(request, rate)
        if place.is_guests:
            raise HTTPException(403)
        return place, person

    # Endpoints

    async def _open_session(self, request: Request) -> Response:
        """Respond with a new session key, its expiry, the person (None for spectators) and the language."""
        opening = await schemas.read_json_object(request, schemas.Opening)
        language = choose_browser_language(request)
        opened = self._authenticator.open_session(opening, self._needs.now(), language)
        session: Session = await await_database(opened)
        person = session.person
        return JSONResponse(
            {
                "session": self._session_keys.encode_session(session),
                "until": session.expires_at,
                "you": {"id": person.id, "name": person.name} if person else None,
                "language": _choose_language(session, request),
            }
        )

    async def _get_state(self, request: Request) -> Response:
        session, language = await self._load_viewer(request)
        loading = self._live_views.load_state(session.place, language, session.player_id)
        state = await await_database(loading)
        return Response(encode_state(state), media_type="application/json")

    async def _stream_events(self, request: Request) -> Response:
        """Respond with an endless stream of states and of replies, those after the Last-Event-ID."""
        session, language = await self._load_viewer(request)
        after_id = parse_last_event_id(request.headers.get("last-event-id"))
        can_go_on = partial(self._can_go_on, session)
        return self._streams.open_stream(session, language, after_id, can_go_on)

    async def _accept_entry(self, request: Request) -> Response:
        """Put an answer or a press into the inbox and respond with 202; count accepted and refused ones."""
        try:
            place, person = await self._load_player(request, SUBMIT_RATE)
            entry = await schemas.read_json_object(request, schemas.Entry)
            await await_database(self._submissions.accept_entry(place, person, entry))
        except HTTPException as refusal:
            BOARD_ENTRIES.labels(str(refusal.status_code)).inc()
            raise
        BOARD_ENTRIES.labels("taken").inc()
        return JSONResponse({}, 202)

    async def _accept_offline_solution(self, request: Request) -> Response:
        """Judge and store a daily hand solved offline; respond with a text, and 409 if it was not dealt."""
        _, person = await self._load_telegram_user(request, SUBMIT_RATE)
        solution = await schemas.read_json_object(request, schemas.OfflineSolution)
        outcome, text = await await_database(self._submissions.accept_offline_solution(person, solution))
        self._needs.changes.notify_chat(person.id)  # the player's pages show the hand as solved
        status = 409 if outcome is OfflineOutcome.NOT_DEALT else 200
        return JSONResponse({"text": text, "done": outcome is not OfflineOutcome.WRONG}, status)

    async def _share_result(self, request: Request) -> Response:
        """Store a result at Telegram for sharing and respond with its id; 409 if no round is over."""
        place, person = await self._load_telegram_user(request, SUBMIT_RATE)
        chosen = await schemas.read_json_object(request, schemas.ChosenRound)
        preparing = self._submissions.prepare_shared_result(self._needs.bot, place, person, chosen.round)
        try:
            message_id = await await_database(preparing)
        except TelegramError as error:
            log.info("a result can't be prepared for sharing: %s", type(error).__name__)
            raise HTTPException(503, headers=make_retry_after_header(seconds=5)) from None
        if message_id is None:
            raise HTTPException(409)
        return JSONResponse({"message": message_id})

    async def _make_spectator_link(self, request: Request) -> Response:
        """Respond with a spectator's link to the chosen round, else to the page's first; 409 without any."""
        place, person = await self._load_telegram_user(request, READ_RATE)
        chosen = await schemas.read_json_object(request, schemas.ChosenRound)
        loading = self._live_views.load_state(place, choose_language(person.language), person.id)
        state: PageState = await await_database(loading)
        shown_ids = [part.round.id for part in state.parts if part.round]
        if not shown_ids:
            raise HTTPException(409)
        round_id = chosen.round if chosen.round in shown_ids else shown_ids[0]
        place = replace(place, round_id=round_id)
        link = self._needs.links.make_spectator_link(place, self._needs.now())
        return JSONResponse({"url": link})


async def _redirect_to_root(path: str, request: Request) -> Response:
    """Redirect to the root with a slash at its end: the page's addresses are relative."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{path}/{query}", 308)


def _choose_language(session: Session, request: Request) -> str:
    """Return the player's language; for spectators the browser's."""
    if session.person:
        return choose_language(session.person.language)
    return choose_browser_language(request)


def make_board_links(settings: Settings, username: str) -> BoardLinks:
    """Return a maker of links whose tokens all bots with the same Telegram token can read."""
    tokens = PlaceTokens(_get_secret(settings))
    return BoardLinks(tokens, settings.web_url or "", username, settings.web_app)


def make_board(
    services: Services, changes: ChangeNotifier, inbox: Inbox, run_transaction: TransactionRunner
) -> Board | None:
    """Return the board at the settings' WEB_URL; its submissions go into the inbox. None without WEB_URL."""
    settings = services.settings
    bot = services.bot
    if settings.web_url is None:
        return None
    url = urlsplit(settings.web_url)
    needs = BoardDependencies(
        store=services.store,
        bot=bot,
        changes=changes,
        accept_submissions=inbox.accept,
        run_transaction=run_transaction,
        private_chat_link=GroupLinks(bot.username, secret=settings.token or ""),
        now=inbox.now,
        bot_token=settings.token or "",
        session_secret=_get_secret(settings),
        links=make_board_links(settings, bot.username),
        classes=ClassNeeds(services.solver_pool, services.make_seed, settings.web_url),
    )
    return Board(needs, path=url.path, origin=f"{url.scheme}://{url.netloc}")


def _get_secret(settings: Settings) -> bytes:
    """Return the secret of sessions and links: the Telegram token, which all bots on one database share."""
    return (settings.token or "").encode()
