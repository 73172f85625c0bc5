"""The board of a real process: forged openings, kills during answers, and open pages at the exit."""

import asyncio
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import pytest

from bot.board.rules import Place
from bot.board.tokens import PlaceTokens
from tests.bot.board.mutants import make_mutants
from tests.bot.board.signing import make_init_data
from tests.faults.conftest import BotFactory, Process, choose_amount, fetch_rows, report, solve_deal
from tests.telegram import BotApi, Chat, Message, User, World

pytestmark = pytest.mark.faults
TABLES = ("board_openings", "board_words", "board_offline", "rounds", "awards", "tries", "players")


class BoardEvening:
    """A group that plays, and its board pages."""

    def __init__(self, world: World, process: Process, http: aiohttp.ClientSession, port: int) -> None:
        self.world, self.process, self.http = world, process, http
        self.root = f"http://127.0.0.1:{port}/board"
        self.ann, self.bob = world.user("Ann"), world.user("Bob")
        self.group: Chat = world.group("Table", self.ann, self.bob)
        self.tokens = PlaceTokens(world.token.encode())

    async def start_and_deal(self) -> Message:
        """Start the bot and return a deal."""
        await self.start()
        self.world.say(self.ann, self.group, f"/play@{self.world.bot.username}")
        return await self.world.next_post(self.group, "→ 24")

    async def start(self) -> None:
        self.process.start()
        await self.process.wait_for_log_count("is ready", self.process.starts)

    def sign_opening(self, user: User) -> str:
        """Return initData for one opening; Telegram, too, gives each opening its own query_id."""
        person = {"id": user.id, "first_name": user.first_name}
        return make_init_data(self.world.token, time.time(), person, query_id=uuid4().hex)

    def make_link(self) -> str:
        """Return a token as in the deal's button."""
        return self.tokens.make_token(Place(self.group.id), time.time() + 600)

    async def post(self, path: str, body: Any, session: str = "") -> tuple[int, Any]:
        """Return status and body; 0 and None if the bot does not answer."""
        known = {"Authorization": f"Bearer {session}"} if session else {}
        try:
            async with self.http.post(f"{self.root}/{path}", json=body, headers=known) as answer:
                return answer.status, await answer.json() if answer.status < 300 else None
        except (aiohttp.ClientError, ConnectionError):
            return 0, None

    async def open_session(self, user: User) -> str:
        status, said = await self.post(
            "open", {"init_data": self.sign_opening(user), "start": self.make_link()}
        )
        assert status == 200
        return str(said["session"])

    async def read_state(self, session: str) -> Any:
        known = {"Authorization": f"Bearer {session}"}
        async with self.http.get(f"{self.root}/state", headers=known) as answer:
            assert answer.status == 200
            return await answer.json()


@pytest.fixture
async def evening(make_bot: BotFactory, free_port: int) -> AsyncIterator[BoardEvening]:
    world = World()
    async with BotApi(world) as api, aiohttp.ClientSession() as http:
        process = make_bot(
            world,
            api.url,
            WEB_URL=f"http://127.0.0.1:{free_port}/board",
            WEB_LISTEN=f"127.0.0.1:{free_port}",
        )
        yield BoardEvening(world, process, http, free_port)
        process.stop()


def count_rows(database: Path) -> list[tuple[Any, ...]]:
    return [fetch_rows(database, f"SELECT count(*) FROM {table}")[0] for table in TABLES]  # noqa: S608 - our own


async def test_forged_openings_and_keys_are_refused(evening: BoardEvening, database: Path) -> None:
    await evening.start_and_deal()
    session, many = await evening.open_session(evening.ann), choose_amount(250, 60)
    sound, link = evening.sign_opening(evening.bob), evening.make_link()
    forged = [{"init_data": f"{text}&x=1", "start": link} for text in make_mutants(sound, many)]
    forged += [
        {"init_data": sound, "start": text} for text in make_mutants(link, many, 25) if len(text) < 500
    ]
    forged += [{"watch": text} for text in make_mutants(link, many, 26)]
    forged += [{"key": urlsafe_b64encode(text.encode()).decode()} for text in make_mutants(link, many, 27)]
    keys = [key for key in make_mutants(session, many, 28) if key.isascii() and key.isprintable()]
    before, statuses = count_rows(database), dict[int, int]()
    for body in forged:
        status = (await evening.post("open", body))[0]
        statuses[status] = statuses.get(status, 0) + 1
    entry = {"id": "A" * 22, "round": 1, "answer": "8/(3-8/3)"}
    for key in (key for key in keys if key.strip() != session):
        status = (await evening.post("entry", entry, key))[0]
        statuses[status] = statuses.get(status, 0) + 1
    report(f"{sum(statuses.values())} forged openings and keys: {statuses}")
    assert set(statuses) == {401}
    assert count_rows(database) == before
    assert (await evening.post("open", {"init_data": sound, "start": link}))[0] == 200, "it was not used up"


@pytest.mark.exhaustive
async def test_used_opening_is_refused_after_a_kill(evening: BoardEvening) -> None:
    await evening.start_and_deal()
    raw = evening.sign_opening(evening.ann)
    status, said = await evening.post("open", {"init_data": raw, "start": evening.make_link()})
    assert status == 200
    evening.process.kill()
    await evening.start()
    assert (await evening.post("open", {"init_data": raw, "start": evening.make_link()}))[0] == 403
    assert (await evening.read_state(said["session"]))["round"], "who was in stays in"


async def test_deal_button_opens_the_board_for_members_only(evening: BoardEvening) -> None:
    deal = await evening.start_and_deal()
    (link,) = [button["url"] for button in deal.buttons if "startapp=" in button.get("url", "")]
    start = str(link).partition("startapp=")[2]
    assert link.startswith(f"https://t.me/{evening.world.bot.username}?startapp=")
    eve = evening.world.user("Eve")
    refused = await evening.post("open", {"init_data": evening.sign_opening(eve), "start": start})
    status, said = await evening.post(
        "open", {"init_data": evening.sign_opening(evening.bob), "start": start}
    )
    assert (refused[0], status) == (403, 200)
    assert (await evening.read_state(said["session"]))["round"]["numbers"]
    evening.world.say(evening.bob, evening.bob, f"/play@{evening.world.bot.username}")
    private = await evening.world.next_post(evening.bob, "→ 24")
    assert not [button for button in private.buttons if "web_app" in button], "by http Telegram refuses it"
    status, said = await evening.post("open", {"init_data": evening.sign_opening(evening.bob), "start": ""})
    assert status == 200
    assert (await evening.read_state(said["session"]))["place"]["kind"] == "private"


async def test_answer_on_the_board_counts_once_through_kills(evening: BoardEvening, database: Path) -> None:
    deal = await evening.start_and_deal()
    session = await evening.open_session(evening.bob)
    number = (await evening.read_state(session))["round"]["id"]
    entry = {"id": "B" * 22, "round": number, "answer": solve_deal(deal)}
    for kills in range(choose_amount(6, 2)):
        taps = [asyncio.create_task(evening.post("entry", entry, session)) for _ in range(5)]
        await asyncio.sleep(0.005 * kills)
        evening.process.kill()
        await asyncio.gather(*taps)
        await evening.start()
    while (await evening.post("entry", entry, session))[0] != 202:  # noqa: ASYNC110 - until it is there
        await asyncio.sleep(0.05)
    await evening.world.wait_until(lambda: "🏆" in evening.world.posts(evening.group)[-1].text, 60, "a win")
    (wins,) = fetch_rows(database, "SELECT count(*) FROM awards")[0]
    report(
        f"one tap sent {5 * choose_amount(6, 2) + 1} times through {choose_amount(6, 2)} kills: {wins} win"
    )
    assert wins == 1


async def test_open_event_streams_do_not_delay_the_exit(evening: BoardEvening) -> None:
    await evening.start_and_deal()
    sessions = [await evening.open_session(evening.ann), await evening.open_session(evening.bob)]

    async def read_events(session: str) -> None:
        known = {"Authorization": f"Bearer {session}"}
        with suppress(aiohttp.ClientError):
            async with evening.http.get(f"{evening.root}/events", headers=known) as answer:
                opened.append(answer.status)
                while await answer.content.readany():
                    pass

    opened = list[int]()
    pages = [asyncio.create_task(read_events(session)) for session in sessions for _ in range(8)]
    while len(opened) < len(pages):  # noqa: ASYNC110 - other tasks count
        await asyncio.sleep(0.01)
    began = time.monotonic()
    evening.process.process.terminate()
    assert await evening.process.wait_for_exit(8) == 0
    await asyncio.gather(*pages)
    report(f"SIGTERM with {len(pages)} pages that look on: exit 0 after {time.monotonic() - began:.1f} s")
    assert set(opened) == {200}
