"""A class in stories: its teacher and pupils, who send requests to the bot's pages on loopback."""

import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp

from bot.board.endpoints import Board, make_board
from bot.settings import Address
from bot.web.server import Server
from tests.stories.conftest import LiveBot
from tests.telegram import User

WEB_URL = "https://bot.example.org/board"


@dataclass
class School:
    """The pages of classes, as a running bot serves them."""

    bot: LiveBot
    board: Board
    http: aiohttp.ClientSession
    root: str

    async def request(self, method: str, path: str, key: str = "", body: object = None) -> tuple[int, Any]:
        """Return the status, and the body if it is JSON, else its text."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        async with self.http.request(method, f"{self.root}/{path}", headers=headers, json=body) as response:
            text = await response.text()
            is_json = response.content_type == "application/json"
            return response.status, json.loads(text) if is_json else text

    async def read_event(self, path: str, key: str) -> dict[str, Any]:
        """Return the first event of a stream."""
        async with self.http.get(
            f"{self.root}/{path}", headers={"Authorization": f"Bearer {key}"}
        ) as response:
            return await read_next_event(response)

    async def open_class(self, user: User) -> "Teacher":
        """Send /class as `user`, and open the teacher's page that the reply leads to."""
        await self.bot.say(user, self.bot.world.chat_of(user), "/class")
        page, join, *_others = self.bot.world.posts(user)[-1].buttons
        key = page["url"].removeprefix(f"{WEB_URL}/teacher#key=")
        link = join["url"].removeprefix(f"{WEB_URL}/class#link=")
        teacher = Teacher(self, key, link, code="")
        teacher.code = (await teacher.load_state())["door"]["code"]
        return teacher


async def read_next_event(response: aiohttp.ClientResponse) -> dict[str, Any]:
    """Return the next state of an event stream."""
    while True:
        event = (await response.content.readuntil(b"\n\n")).decode()
        data = [line for line in event.splitlines() if line.startswith("data: ")]
        if data:
            state: dict[str, Any] = json.loads(data[0].removeprefix("data: "))["state"]
            return state


@dataclass
class Teacher:
    school: School
    key: str
    link: str  # The key in the link for pupils
    code: str

    async def load_state(self) -> dict[str, Any]:
        status, body = await self.school.request("GET", "class/state", self.key)
        assert status == 200
        state: dict[str, Any] = body["state"]
        return state

    async def load_projector_state(self) -> dict[str, Any]:
        _, body = await self.school.request("GET", "class/state", self.key)
        key = body["addresses"]["projector"].removeprefix(f"{WEB_URL}/projector#key=")
        return await self.school.read_event("class/wall", key)

    async def load_report(self) -> dict[str, Any]:
        status, report = await self.school.request("GET", "class/report", self.key)
        assert status == 200
        loaded: dict[str, Any] = report
        return loaded

    async def load_names(self) -> list[str]:
        return [pupil["name"] for pupil in (await self.load_state())["pupils"]]

    async def load_cells(self, name: str) -> list[dict[str, Any]]:
        """Return what the teacher sees of a pupil's hands."""
        (pupil,) = [pupil for pupil in (await self.load_state())["pupils"] if pupil["name"] == name]
        cells: list[dict[str, Any]] = pupil["cells"]
        return cells

    async def find_id(self, name: str) -> int:
        """Return the id of a pupil."""
        (found,) = [pupil["id"] for pupil in (await self.load_state())["pupils"] if pupil["name"] == name]
        assert isinstance(found, int)
        return found

    async def act(self, action: str, **details: Any) -> str:
        """Carry out a move; return the reason why it can't be done, empty if it was done."""
        status, body = await self.school.request(
            "POST", "class/action", self.key, {"action": action, **details}
        )
        assert status in (200, 409)
        return str(body.get("text", ""))

    async def begin(self, *hands: str, **details: Any) -> str:
        """Begin a lesson of these hands; return the reason why it can't begin, empty if it did."""
        plan = {"game": "24", "pace": "together", "level": "", "count": 0, "seconds": 0, "due": 0}
        body = {**plan, "hands": "\n".join(hands), **details}
        status, answer = await self.school.request("POST", "class/lesson", self.key, body)
        assert status in (200, 409)
        return str(answer.get("text", ""))

    async def enter(self, name: str) -> "Pupil":
        """Let a pupil join by the code, and open the pupil's page."""
        status, body = await self.school.request("POST", "class/join", body={"code": self.code, "name": name})
        assert status == 200, body
        return await self.open_page(body["pupil"], body["name"])

    async def open_page(self, key: str, name: str = "") -> "Pupil":
        """Open a pupil's page with the pupil's key."""
        status, body = await self.school.request("POST", "open", body={"pupil": key})
        assert status == 200
        return Pupil(self.school, key, name, body["session"])


@dataclass
class Pupil:
    school: School
    key: str
    name: str
    session: str

    async def load_page(self) -> dict[str, Any]:
        status, state = await self.school.request("GET", "state", self.session)
        assert status == 200
        loaded: dict[str, Any] = state
        return loaded

    async def submit(self, **content: Any) -> int:
        """Send an answer or a press, and return the status once it is handled."""
        body = {"id": secrets.token_urlsafe(16), **content}
        status, _ = await self.school.request("POST", "entry", self.session, body)
        await self.school.bot.settle()
        return status

    async def answer(self, text: str) -> None:
        """Answer the hand on the page."""
        round_id = (await self.load_page())["round"]["id"]
        assert await self.submit(round=round_id, answer=text) == 202

    async def press(self, label: str) -> None:
        """Press the button with this label."""
        buttons = [button for row in (await self.load_page())["buttons"] for button in row]
        (data,) = [button["press"] for button in buttons if button["label"] == label]
        assert await self.submit(press=data) == 202

    async def list_labels(self) -> list[str]:
        return [button["label"] for row in (await self.load_page())["buttons"] for button in row]


@asynccontextmanager
async def open_school(bot: LiveBot) -> AsyncIterator[School]:
    """Serve the bot's pages on loopback."""
    service = bot.service
    board = make_board(service.services, service.changes, service.inbox, service.dispatcher.run_transaction)
    assert board is not None
    server = Server(board.routes)
    await server.listen(Address("127.0.0.1", 0))
    async with aiohttp.ClientSession() as http:
        yield School(bot, board, http, f"http://127.0.0.1:{server.port}/board")
        board.close()
        await server.close()
