"""Board served on loopback; its pages show what a test puts on the table."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import aiohttp
from sqlalchemy import text
from telegram import Bot, ChatMember, ChatMemberLeft, ChatMemberMember, User
from telegram.error import NetworkError, TelegramError

from bot.board import queries as board
from bot.board import submissions, view
from bot.board.authentication import OneTimeKeys, Session, SessionKeys
from bot.board.chat_cache import TitleCache
from bot.board.endpoints import Board, BoardDependencies
from bot.board.page_state import Button, PageState, Part, PlaceView, RoundView
from bot.board.rules import OfflineOutcome, Person, Place, StoredReply
from bot.board.tokens import BoardLinks, PlaceTokens
from bot.database import Store, Tx
from bot.modes.daily.group_tables import GroupLinks
from bot.players import queries as people
from bot.queue import queries as delivery
from bot.queue.change_notifier import ChangeNotifier
from bot.queue.outgoing import Outgoing
from bot.queue.updates import Submission, make_queued_update
from bot.rounds.puzzle import Kind
from bot.settings import Address, read_settings
from bot.telegram.api import call_api
from bot.telegram.messages import edit_message
from bot.web.server import Server
from tests.bot.board.signing import TOKEN, make_init_data
from tests.databases import write_database

GROUP, ANN, BOB, EVE = -1001234567890, 7, 8, 666
SECRET, URL = b"made up for tests", "https://bot.example.org/board"
JSON = {"Content-Type": "application/json"}
PRIVATE_CHAT_LINKS = GroupLinks("TwentyFourBot", TOKEN)
TABLE_EDIT = edit_message(GROUP, 9, "the table of the day, drawn anew")
ID = "A" * 22
NOW = 1_790_000_000.0


class Telegram:
    """A Bot API that knows one group's members and title, and counts requests."""

    def __init__(self) -> None:
        self.members = {ANN, BOB}
        self.member_request_count, self.is_away = 0, False
        self.refusal: TelegramError = NetworkError("away")  # Raised while it is away
        self.delay = 0.0
        self.late = asyncio.Event()  # Holds back the first answer until it is set
        self.late.set()
        self.title, self.title_request_count = "", 0
        self.base_url, self.request = "", self

    async def post(self, url: str, form: Any) -> Any:
        assert url == "/getChat"
        self.title_request_count += 1
        if self.is_away or not self.title:
            raise NetworkError("away")
        return {"title": self.title}

    async def get_chat_member(self, chat_id: int, user_id: int) -> ChatMember:
        self.member_request_count += 1
        await asyncio.sleep(self.delay)
        if self.is_away:
            raise self.refusal
        user = User(user_id, "x", is_bot=False)
        there = chat_id == GROUP and user_id in self.members
        if self.member_request_count == 1:
            await self.late.wait()
        return ChatMemberMember(user) if there else ChatMemberLeft(user)


@dataclass
class Table:
    """The table that pages show, and `replies` by player."""

    round: RoundView | None = field(default_factory=lambda: RoundView(123, "", Kind.FIRST, "open"))
    presses: list[str] = field(default_factory=lambda: ["h:123"])
    beside: Part | None = None  # What goes on beside that
    note: str = ""
    replies: dict[int, list[StoredReply]] = field(default_factory=dict)
    read_count: int = 0
    shared_result: dict[str, Any] | None = None
    outcome: OfflineOutcome = OfflineOutcome.KEPT  # Of a day's hand that was solved offline

    def judge_offline_solution(
        self, _tx: Tx, person: Person, *_: Any
    ) -> tuple[tuple[OfflineOutcome, str], list[Outgoing]]:
        return (self.outcome, f"{person.language} {self.outcome}"), [TABLE_EDIT]

    def load_shared_view(
        self, _tx: Tx, place: Place, language: str, now: float, title: str = "", _present: object = ()
    ) -> Any:
        self.read_count += 1
        return view.SharedView(place, language, now, title, part=Part(solution=self.note))

    def build_state(self, _tx: Tx, shown: Any, player: int | None) -> PageState:
        """Return a state whose notice is the reader's id."""
        buttons = [] if player is None else [tuple(Button("x", press) for press in self.presses)]
        kind = "watch" if shown.place.watch_only else "group" if shown.place.chat_id < 0 else "private"
        main = replace(shown.part, round=self.round, buttons=tuple(buttons), notice=str(player))
        place = PlaceView(kind, shown.title)
        return PageState(shown.now, shown.language, place, player, None, (), main, beside=self.beside)

    def build_states(self, tx: Tx, shown: Any, players: Collection[int | None]) -> dict[Any, PageState]:
        return {player: self.build_state(tx, shown, player) for player in players}

    def is_round_on_table(self, _tx: Tx, _place: Place, round_id: int) -> bool:
        return self.round is not None and round_id == self.round.id

    def load_replies(
        self, tx: Tx, player: int, after: int | None
    ) -> tuple[list[StoredReply], int, str | None]:
        chosen, replies = people.load_chat(tx, player, "private").language, self.replies.get(player, [])
        found = [] if after is None else [word for word in replies if word.id > after]
        return found, max((word.id for word in replies), default=0), chosen


class Harness:
    """A served board with a client for its endpoints."""

    def __init__(self, store: Store, http: aiohttp.ClientSession) -> None:
        self.store, self.http = store, http
        self.telegram, self.changes, self.table = Telegram(), ChangeNotifier(), Table()
        self.now, self.monotonic_now = NOW, 0.0
        self.submissions, self.failure = list[Submission](), cast("Exception | None", None)
        self.links = BoardLinks(PlaceTokens(SECRET), URL, "TwentyFourBot", "play")
        self.keys = OneTimeKeys()
        self.requests = list[Outgoing]()
        self.server = Server([])
        self.board: Board

    def make_needs(self) -> BoardDependencies:
        return BoardDependencies(
            store=self.store,
            bot=cast("Bot", self.telegram),
            changes=self.changes,
            accept_submissions=self.accept_submissions,
            run_transaction=self.run_transaction,
            private_chat_link=PRIVATE_CHAT_LINKS,
            now=lambda: self.now,
            bot_token=TOKEN,
            session_secret=SECRET,
            links=self.links,
            monotonic=lambda: self.monotonic_now,
        )

    async def open(self, needs: BoardDependencies | None = None, **more: Any) -> None:
        self.board = Board(needs or self.make_needs(), "/board", "https://bot.example.org", **more)
        self.server = Server(self.board.routes)
        await self.server.listen(Address("127.0.0.1", 0))

    async def close(self) -> None:
        self.board.close()
        await self.server.close()

    async def run_transaction(self, work: Callable[[Tx], tuple[Any, list[Outgoing]]]) -> Any:
        answer, requests = await self.store.write(work)
        self.requests += requests
        return answer

    async def accept_submissions(self, submissions: Sequence[Submission]) -> None:
        if self.failure:
            raise self.failure
        rows = [make_queued_update(raw, self.now, b"") for raw in submissions]
        fresh = {
            row.update_id
            for row in await self.store.write(lambda tx: delivery.insert_updates(tx, rows, self.now))
        }
        self.submissions += [each for each in submissions if each.update_id in fresh]

    def make_title_cache(self) -> TitleCache:
        return TitleCache(partial(call_api, cast("Bot", self.telegram)), lambda: self.monotonic_now)

    def make_url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server.port}/board/{path}"

    async def get(self, path: str, **headers: str) -> tuple[int, bytes, Any]:
        asked = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.http.get(self.make_url(path), headers=asked, allow_redirects=False) as answer:
            return answer.status, await answer.read(), answer.headers

    async def post(
        self, path: str, body: object, session: str = "", headers: dict[str, str] = JSON
    ) -> tuple[int, Any]:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        known = headers | ({"Authorization": f"Bearer {session}"} if session else {})
        async with self.http.post(self.make_url(path), data=raw, headers=known) as answer:
            content = await answer.read()
            says = answer.status < 300 or answer.content_type == "application/json"
            result = json.loads(content) if says else answer.headers
            return answer.status, result

    def make_token(self, place: Place | None = None, lasts: float = 100) -> str:
        return self.links.tokens.make_token(place or Place(GROUP, 3, 123), self.now + lasts)

    async def open_page(
        self, user: int = ANN, place: Place | None = None, at: float = 0.0
    ) -> tuple[int, Any]:
        """Open the page as a user who follows a link in the group."""
        raw = make_init_data(
            at=self.now + at, user={"id": user, "first_name": f"U{user}", "language_code": "es"}
        )
        return await self.post("open", {"init_data": raw, "start": self.make_token(place)})

    def make_session(self, user: int | None = ANN, place: Place | None = None, lasts: float = 1000) -> str:
        person = None if user is None else Person(user, f"U{user}", None, "es")
        return SessionKeys(SECRET).encode_session(
            Session(person, place or Place(GROUP, 3), int(self.now + lasts))
        )

    async def load_all_rows(self) -> dict[str, list[Any]]:
        def look(tx: Tx) -> dict[str, list[Any]]:
            names = tx.scalars(text("SELECT name FROM sqlite_master WHERE type = 'table'")).all()
            return {name: sorted(map(repr, tx.execute(text(f'SELECT * FROM "{name}"')))) for name in names}  # noqa: S608

        return await self.store.read(look)


@asynccontextmanager
async def make_harness(folder: Path, monkeypatch: Any) -> AsyncIterator[Harness]:
    """Yield a harness that is not open yet; its pages show its `table`."""
    settings = read_settings({"DATABASE_URL": f"sqlite:///{write_database(folder / 'board.sqlite3')}"})
    store = await Store.open(settings.database)
    async with aiohttp.ClientSession(auto_decompress=False) as http:
        made = Harness(store, http)
        monkeypatch.setattr(view, "load_shared_view", made.table.load_shared_view)
        monkeypatch.setattr(view, "build_state", made.table.build_state)
        monkeypatch.setattr(view, "build_states", made.table.build_states)
        monkeypatch.setattr(submissions, "build_shared_result", lambda *_: made.table.shared_result)
        monkeypatch.setattr(submissions, "judge_offline_solution", made.table.judge_offline_solution)
        monkeypatch.setattr(board, "is_round_on_table", made.table.is_round_on_table)
        monkeypatch.setattr(board, "load_board_replies_since", made.table.load_replies)
        yield made
        await made.close()
    await store.close()
