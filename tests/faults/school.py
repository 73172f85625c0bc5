"""A class over HTTP: its process, its teacher, pupils with event streams, and a tally of what they do.

Teacher and pupils go on through a kill of the process as their pages do: they open streams again, and send
each submission with one id until it is accepted.
"""

import asyncio
import json
import os
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import aiohttp

import solver
from tests.faults.conftest import Process

WAIT = 60.0  # Seconds
RETRY_PAUSE = 0.05  # Seconds before a request is sent again to a process that does not answer
PERSONAL = {"BOT_TOKEN", "DATABASE_URL", "WEB_URL", "WEBHOOK_URL", "LANG", "LANGUAGE"}

State = dict[str, Any]


def make_class_process(folder: Path, port: int, database_url: str) -> Process:
    """Prepare `twentyfour-bot class` on a port of loopback."""
    environment = {key: value for key, value in os.environ.items() if key not in PERSONAL}
    environment |= {"DATABASE_URL": database_url, "SOLVER_WORKERS": "1"}
    arguments = ("-m", "bot", "class", "--listen", f"127.0.0.1:{port}", "--no-browser")
    return Process(environment, folder / "class.log", arguments)


class LiveState:
    """The newest state of an event stream, which is opened again after each break."""

    def __init__(self, http: aiohttp.ClientSession, url: str, key: str) -> None:
        self._http, self._url, self._key = http, url, key
        self._changed = asyncio.Condition()
        self.state: State = {}
        self.opened = 0  # Streams so far
        self.on_state: Callable[[State], object] = bool  # Called with each state
        self._following = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        while True:
            with suppress(aiohttp.ClientError, ConnectionError):
                await self._read_stream()
            await asyncio.sleep(RETRY_PAUSE)

    async def _read_stream(self) -> None:
        headers = {"Authorization": f"Bearer {self._key}"}
        async with self._http.get(self._url, headers=headers) as answer:
            answer.raise_for_status()
            self.opened += 1
            left = b""
            async for chunk in answer.content.iter_any():
                *events, left = (left + chunk).split(b"\n\n")
                for event in events:
                    _, is_state, data = event.partition(b"event: state\ndata: ")
                    if is_state:
                        await self._take_state(json.loads(data))

    async def _take_state(self, state: State) -> None:
        async with self._changed:
            self.state = state
            self.on_state(state)
            self._changed.notify_all()

    async def wait_for(self, condition: Callable[[State], object], what: str) -> State:
        """Return the first state with that condition, at once if it is the present one."""
        try:
            async with asyncio.timeout(WAIT), self._changed:
                await self._changed.wait_for(lambda: self.state and condition(self.state))
                return self.state
        except TimeoutError:
            raise AssertionError(f"waited in vain for {what}; last seen: {str(self.state)[:2000]}") from None

    async def close(self) -> None:
        self._following.cancel()
        await asyncio.gather(self._following, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class HandPlan:
    """What a pupil does with a hand."""

    hints: int
    wrong: tuple[str, ...]  # Answers
    right: str  # An answer; empty to give up


def plan_hand(rng: random.Random, numbers: Sequence[int], *, is_tapped: bool = False) -> HandPlan:
    """Plan how a pupil plays a hand; `is_tapped` for tiles, on which every answer has all numbers."""
    wrong = list(_list_wrong_answers(numbers, is_tapped=is_tapped))
    rng.shuffle(wrong)
    solutions = sorted(map(str, solver.solve(numbers)))
    right = rng.choice(solutions) if rng.random() < 0.8 else ""
    return HandPlan(rng.choice((0, 0, 0, 1)), tuple(wrong[: rng.choice((0, 0, 1, 1, 2))]), right)


def _list_wrong_answers(numbers: Sequence[int], *, is_tapped: bool) -> Iterator[str]:
    first, second, third, fourth = numbers
    candidates = [f"{first}+{second}+{third}-{fourth}", f"{fourth}*{third}+{second}+{first}"]
    if not is_tapped:
        candidates += [f"{first}*{second}", f"{first}+{second}*({third}-{fourth}", f"({first}+13)*{third}"]
    for text in candidates:
        if not isinstance(solver.check(text, numbers), solver.Correct):
            yield text


@dataclass
class HandTally:
    """What the report should say of a pupil's hand."""

    line: str
    solved: bool = False
    tries: int = 0
    hints: int = 0
    last_wrong: str = ""


class Player(Protocol):
    """A pupil who plays over HTTP or in a browser."""

    name: str

    async def read_hand(self, number: int) -> list[int]:
        """Wait for the open hand with this number, and return what lies on the table."""

    async def take_hint(self) -> bool:
        """Take a hint; return False if there is none."""

    async def answer(self, text: str, *, is_right: bool) -> str:
        """Give an answer, and return it as it was sent; after a right one wait for the end of the hand."""

    async def give_up(self) -> None: ...

    async def go_on(self) -> None:
        """Ask for the next hand."""


async def play_hand(
    player: Player, number: int, rng: random.Random, *, is_tapped: bool = False, gives_up: bool = True
) -> HandTally:
    """Play a hand by a plan; with `gives_up` an unsolved one is ended by the pupil."""
    numbers = await player.read_hand(number)
    plan = plan_hand(rng, numbers, is_tapped=is_tapped)
    tally = HandTally(f"{' '.join(map(str, numbers))} → 24")
    for _ in range(plan.hints):
        tally.hints += await player.take_hint()
    for text in plan.wrong:
        tally.last_wrong = await player.answer(text, is_right=False)
        tally.tries += 1
    if plan.right:
        await player.answer(plan.right, is_right=True)
        tally.tries, tally.solved = tally.tries + 1, True
    elif gives_up:
        await player.give_up()
    return tally


@dataclass
class Pupil:
    """A pupil over HTTP."""

    school: "School"
    name: str
    session: str
    live: LiveState
    statuses: Counter[int] = field(default_factory=Counter)  # Of the responses; 0 for none

    async def send(self, **content: Any) -> None:
        """Send a submission with one id until it is accepted."""
        entry = {"id": f"{random.getrandbits(160):040x}", **content}
        while (status := await self._post(entry)) != 202:
            assert status in (0, 429, 503), (self.name, status, content)
            self.statuses[status] += 1
            await asyncio.sleep(RETRY_PAUSE if status == 0 else 1.0)

    async def _post(self, entry: dict[str, Any]) -> int:
        return (await self.school.post("entry", entry, self.session))[0]

    async def read_hand(self, number: int) -> list[int]:
        state = await self.live.wait_for(lambda state: _is_open(state, number), f"hand {number}")
        return [int(each) for each in state["round"]["numbers"]]

    @property
    def _round(self) -> State:
        found: State = self.live.state["round"]
        return found

    async def take_hint(self) -> bool:
        press = self._find_press("h:")
        if press is None:
            return False
        before = len(self._round["hints"])
        await self.send(press=press)
        await self.live.wait_for(lambda state: len(state["round"]["hints"]) > before, "a hint")
        return True

    async def answer(self, text: str, *, is_right: bool) -> str:
        await self.send(round=self._round["id"], answer=text)
        if is_right:
            await self._wait_for_end()
        return text

    async def give_up(self) -> None:
        press = self._find_press("s:")
        assert press
        await self.send(press=press)
        await self._wait_for_end()

    async def go_on(self) -> None:
        press = self._find_press("cn:")
        assert press
        await self.send(press=press)

    async def _wait_for_end(self) -> None:
        await self.live.wait_for(lambda state: state["round"]["state"] == "over", "the end of the hand")

    def _find_press(self, start: str) -> str | None:
        presses = [button["press"] for row in self.live.state["buttons"] for button in row]
        return next((press for press in presses if press.startswith(start)), None)


def _is_open(state: State, number: int) -> bool:
    round = state["round"]
    return bool(round and round["state"] == "open" and round["race_hand"].startswith(f"Hand {number} of"))


class School:
    """The process of a class, with the teacher's key and stream, and the pupils who joined."""

    def __init__(self, process: Process, http: aiohttp.ClientSession, port: int) -> None:
        self.process, self.http = process, http
        self.root = f"http://127.0.0.1:{port}"
        self.code = self.key = ""
        self.teacher: LiveState
        self.pupils: list[Pupil] = []
        self.refused = 0  # Joins under a taken name
        self._posted = asyncio.Event()

    async def start(self) -> None:
        """Start the process, also again after a kill, and open the teacher's stream the first time."""
        self.process.start()
        await self.process.wait_for_log_count("Ctrl-C ends", self.process.starts)
        if not self.key:
            log = self.process.read_log()
            self.code, self.key = (
                re.findall(pattern, log)[0] for pattern in (r"type (\w{6})", r"teacher#key=(\S+)")
            )
            self.teacher = LiveState(self.http, f"{self.root}/class/events", self.key)

    async def kill_and_restart(self, posts: int) -> None:
        """Kill the process while about the next so many submissions are on their way, and start it again."""
        with suppress(TimeoutError):  # everybody waits
            async with asyncio.timeout(2):
                for _ in range(posts):
                    self._posted.clear()
                    await self._posted.wait()
        await asyncio.sleep(random.uniform(0, 0.02))
        self.process.kill()
        await self.start()

    async def post(self, path: str, body: Any, key: str = "") -> tuple[int, Any]:
        """Return status and body; 0 and None if the process does not answer."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._posted.set()
        try:
            async with self.http.post(f"{self.root}/{path}", json=body, headers=headers) as answer:
                text = await answer.text()
                return answer.status, json.loads(text) if answer.status in (200, 202, 409) and text else None
        except (aiohttp.ClientError, ConnectionError):
            return 0, None

    async def act(self, action: str, **fields: Any) -> None:
        """Have the teacher make a move, until the process answers."""
        answer = await self.post_until_answered("class/action", {"action": action, **fields}, self.key)
        assert answer == {}

    async def begin_lesson(self, pace: str, count: int, hands: str = "") -> None:
        plan = {"game": "24", "pace": pace, "level": "easy", "count": count, "hands": hands}
        status, body = await self.post("class/lesson", {**plan, "seconds": 0, "due": 0}, self.key)
        assert status == 200, body

    async def join(self, name: str) -> Pupil:
        """Let a pupil in by the code, and open the stream of the pupil's page.

        Where a response was lost, the name is taken: the teacher lets the pupil in again.
        """
        knock = {"code": self.code, "name": name}
        while not (joined := await self.post_until_answered("class/join", knock)).get("pupil"):
            assert joined == {"problem": "taken"}
            self.refused += 1
            state = await self.wait_for_class(partial(_has_pupil, name), name)
            (pupil_id,) = [each["id"] for each in state["pupils"] if each["name"] == name]
            await self.act("readmit", pupil_id=pupil_id)
        opened = await self.post_until_answered("open", {"pupil": joined["pupil"]})
        session = str(opened["session"])
        pupil = Pupil(self, name, session, LiveState(self.http, f"{self.root}/events", session))
        self.pupils.append(pupil)
        return pupil

    async def post_until_answered(self, path: str, body: Any, key: str = "") -> Any:
        """Send a request again until it is answered with 200 or 409, and return the body."""
        status, answer = 0, None
        while status in (0, 503):
            status, answer = await self.post(path, body, key)
            await asyncio.sleep(0 if status == 200 else RETRY_PAUSE)
        assert status in (200, 409), (path, status)
        return answer

    async def wait_for_class(self, condition: Callable[[State], object], what: str) -> State:
        """Wait for a state on the teacher's stream; return it without the server's time."""
        seen = await self.teacher.wait_for(lambda event: condition(event["state"]), what)
        state: State = seen["state"]
        return state

    async def fetch(self, path: str) -> str:
        """Return what the teacher gets."""
        headers = {"Authorization": f"Bearer {self.key}"}
        async with self.http.get(f"{self.root}/{path}", headers=headers) as answer:
            answer.raise_for_status()
            return await answer.text(encoding="utf-8-sig")

    async def close(self) -> None:
        for live in (self.teacher, *(pupil.live for pupil in self.pupils)):
            await live.close()
        self.process.stop()


@asynccontextmanager
async def open_school(process: Process, port: int) -> AsyncIterator[School]:
    """Start a class, and kill it at the end."""
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(None)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as http:
        school = School(process, http, port)
        await school.start()
        try:
            yield school
        finally:
            await school.close()


def _has_pupil(name: str, state: State) -> bool:
    return any(pupil["name"] == name for pupil in state["pupils"])


def find_cell(state: State, name: str, number: int) -> State:
    """Return a pupil's hand in the teacher's state; an empty one before it is dealt."""
    cells = [cell for pupil in state["pupils"] if pupil["name"] == name for cell in pupil["cells"]]
    return next((cell for cell in cells if cell["number"] == number), {})
