"""The board of a real process: forged openings and keys, kills between taps, and pages at the end."""

import asyncio
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.board.rules import Place
from bot.board.tokens import PlaceTokens
from tests.bot.board.mutants import mutants
from tests.bot.board.signing import init_data
from tests.faults.conftest import Process, Started, answer_to, figure, rows, show
from tests.telegram import BotApi, Chat, Message, User, World

pytestmark = pytest.mark.faults
TABLES = ("board_openings", "board_words", "board_offline", "rounds", "awards", "tries", "players")


class Night:
    """A group plays, and pages are open."""

    def __init__(self, world: World, process: Process, http: aiohttp.ClientSession, port: int) -> None:
        self.world, self.process, self.http = world, process, http
        self.root = f"http://127.0.0.1:{port}/board"
        self.ann, self.bob = world.user("Ann"), world.user("Bob")
        self.group: Chat = world.group("Table", self.ann, self.bob)
        self.tokens = PlaceTokens(world.token.encode())

    async def begin(self) -> Message:
        """The bot starts, and deals."""
        await self.start()
        self.world.say(self.ann, self.group, f"/play@{self.world.bot.username}")
        return await self.world.next_post(self.group, "→ 24")

    async def start(self) -> None:
        self.process.start()
        await self.process.repeats("is ready", self.process.starts)

    def signed(self, user: User, at: float = 0.0) -> str:
        return init_data(self.world.token, time.time() + at, {"id": user.id, "first_name": user.first_name})

    def link(self) -> str:
        """Such a token as the deal's button has."""
        return self.tokens.make_token(Place(self.group.id), time.time() + 600)

    async def post(self, path: str, body: Any, session: str = "") -> tuple[int, Any]:
        """The status, and what is said; 0 where nobody answers."""
        known = {"Authorization": f"Bearer {session}"} if session else {}
        try:
            async with self.http.post(f"{self.root}/{path}", json=body, headers=known) as answer:
                return answer.status, await answer.json() if answer.status < 300 else None
        except (aiohttp.ClientError, ConnectionError):
            return 0, None

    async def session(self, user: User) -> str:
        status, said = await self.post("open", {"init_data": self.signed(user), "start": self.link()})
        assert status == 200
        return str(said["session"])

    async def state(self, session: str) -> Any:
        known = {"Authorization": f"Bearer {session}"}
        async with self.http.get(f"{self.root}/state", headers=known) as answer:
            assert answer.status == 200
            return await answer.json()


@pytest.fixture
async def night(bot: Started, free_port: int) -> AsyncIterator[Night]:
    world = World()
    async with BotApi(world) as api, aiohttp.ClientSession() as http:
        process = bot(
            world,
            api.url,
            WEB_URL=f"http://127.0.0.1:{free_port}/board",
            WEB_LISTEN=f"127.0.0.1:{free_port}",
        )
        yield Night(world, process, http, free_port)
        process.stop()


def counted(database: Path) -> list[tuple[Any, ...]]:
    return [rows(database, f"SELECT count(*) FROM {table}")[0] for table in TABLES]  # noqa: S608 - our own


async def test_nothing_forged_opens_it_and_nothing_is_changed(night: Night, database: Path) -> None:
    await night.begin()
    session, many = await night.session(night.ann), figure(250, 60)
    sound, link = night.signed(night.bob), night.link()
    forged = [{"init_data": f"{text}&x=1", "start": link} for text in mutants(sound, many)]
    forged += [{"init_data": sound, "start": text} for text in mutants(link, many, 25) if len(text) < 500]
    forged += [{"watch": text} for text in mutants(link, many, 26)]
    forged += [{"key": urlsafe_b64encode(text.encode()).decode()} for text in mutants(link, many, 27)]
    keys = [key for key in mutants(session, many, 28) if key.isascii() and key.isprintable()]
    before, statuses = counted(database), dict[int, int]()
    for body in forged:
        status = (await night.post("open", body))[0]
        statuses[status] = statuses.get(status, 0) + 1
    entry = {"id": "A" * 22, "round": 1, "answer": "8/(3-8/3)"}
    for key in (key for key in keys if key.strip() != session):
        status = (await night.post("entry", entry, key))[0]
        statuses[status] = statuses.get(status, 0) + 1
    show(f"{sum(statuses.values())} forged openings and keys: {statuses}")
    assert set(statuses) == {401}
    assert counted(database) == before
    assert (await night.post("open", {"init_data": sound, "start": link}))[0] == 200, "it was not used up"


async def test_what_opened_it_opens_nothing_after_a_kill(night: Night) -> None:
    await night.begin()
    raw = night.signed(night.ann)
    status, said = await night.post("open", {"init_data": raw, "start": night.link()})
    assert status == 200
    night.process.kill()
    await night.start()
    assert (await night.post("open", {"init_data": raw, "start": night.link()}))[0] == 403
    assert (await night.state(said["session"]))["round"], "who was in stays in"


async def test_the_deals_button_opens_it_for_members_alone(night: Night) -> None:
    deal = await night.begin()
    (link,) = [button["url"] for button in deal.buttons if "startapp=" in button.get("url", "")]
    start = str(link).partition("startapp=")[2]
    assert link.startswith(f"https://t.me/{night.world.bot.username}?startapp=")
    eve = night.world.user("Eve")
    refused = await night.post("open", {"init_data": night.signed(eve), "start": start})
    status, said = await night.post("open", {"init_data": night.signed(night.bob), "start": start})
    assert (refused[0], status) == (403, 200)
    assert (await night.state(said["session"]))["round"]["numbers"]
    night.world.say(night.bob, night.bob, f"/play@{night.world.bot.username}")
    private = await night.world.next_post(night.bob, "→ 24")
    assert not [button for button in private.buttons if "web_app" in button], "by http Telegram refuses it"
    status, said = await night.post("open", {"init_data": night.signed(night.bob, -1), "start": ""})
    assert status == 200
    assert (await night.state(said["session"]))["place"]["kind"] == "private"


async def test_a_tap_counts_once_through_kills(night: Night, database: Path) -> None:
    deal = await night.begin()
    session = await night.session(night.bob)
    number = (await night.state(session))["round"]["id"]
    entry = {"id": "B" * 22, "round": number, "answer": answer_to(deal)}
    for kills in range(figure(6, 2)):
        taps = [asyncio.create_task(night.post("entry", entry, session)) for _ in range(5)]
        await asyncio.sleep(0.005 * kills)
        night.process.kill()
        await asyncio.gather(*taps)
        await night.start()
    while (await night.post("entry", entry, session))[0] != 202:  # noqa: ASYNC110 - until it is there
        await asyncio.sleep(0.05)
    await night.world.wait_until(lambda: "🏆" in night.world.posts(night.group)[-1].text, 60, "a win")
    (wins,) = rows(database, "SELECT count(*) FROM awards")[0]
    show(f"one tap sent {5 * figure(6, 2) + 1} times through {figure(6, 2)} kills: {wins} win")
    assert wins == 1


async def test_pages_that_look_on_do_not_hold_the_exit(night: Night) -> None:
    await night.begin()
    sessions = [await night.session(night.ann), await night.session(night.bob)]

    async def look_on(session: str) -> None:
        known = {"Authorization": f"Bearer {session}"}
        with suppress(aiohttp.ClientError):
            async with night.http.get(f"{night.root}/events", headers=known) as answer:
                opened.append(answer.status)
                while await answer.content.readany():
                    pass

    opened = list[int]()
    pages = [asyncio.create_task(look_on(session)) for session in sessions for _ in range(8)]
    while len(opened) < len(pages):  # noqa: ASYNC110 - other tasks count
        await asyncio.sleep(0.01)
    began = time.monotonic()
    night.process.process.terminate()
    assert await night.process.ended(8) == 0
    await asyncio.gather(*pages)
    show(f"SIGTERM with {len(pages)} pages that look on: exit 0 after {time.monotonic() - began:.1f} s")
    assert set(opened) == {200}
