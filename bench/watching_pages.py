"""Simulated pages that watch and tap: `python -m bench.watching_pages ROOT HANDS`.

Each line on stdin is the key of a session. When all pages have their first state, this prints "ready" and
waits for a line on stdin. Then the pages tap in turn: the answer of a hand, then the next hand. It prints as
JSON the seconds from each tap until each page shows its effect.
"""

import asyncio
import json
import random
import sys
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import aiohttp

import solver

PAUSE = 3.3  # Seconds between two hands: a group takes twenty posts a minute
WARM = 3  # Hands that are played before anything is measured


@lru_cache(maxsize=64)
def parse_state(state: bytes) -> dict[str, Any]:
    """Parse a state, once for all pages: real pages run on machines of their own."""
    parsed: dict[str, Any] = json.loads(state)
    return parsed


class Page:
    """The event stream of a page, and its newest state."""

    def __init__(self, http: aiohttp.ClientSession, root: str, key: str) -> None:
        self.http, self.root = http, root
        self.headers = {"Authorization": f"Bearer {key}"}
        self.state: dict[str, Any] = {}
        self.changed = asyncio.Event()

    async def receive_states(self) -> None:
        """Receive states until cancelled."""
        async with self.http.get(f"{self.root}/events", headers=self.headers) as answer:
            answer.raise_for_status()
            left = b""
            async for chunk in answer.content.iter_any():
                *events, left = (left + chunk).split(b"\n\n")
                for event in events:
                    _, found, state = event.partition(b"event: state\ndata: ")
                    if found:
                        self.state = parse_state(state)
                        self.changed.set()

    async def wait_for_state(self, number: int, state: str) -> float:
        """Wait until the page shows the round in that state; return the time."""
        while self._get_round_state() != (number, state):
            self.changed.clear()
            await self.changed.wait()
        return time.perf_counter()

    def _get_round_state(self) -> tuple[int, str]:
        round = self.state.get("round") or {"id": 0, "state": ""}
        return round["id"], round["state"]

    async def tap(self, **fields: Any) -> None:
        """Send an answer or the press of a button."""
        entry = {"id": f"{random.getrandbits(160):040x}", **fields}
        async with self.http.post(f"{self.root}/entry", json=entry, headers=self.headers) as answer:
            assert answer.status == 202, answer.status


async def measure_tap(
    pages: Sequence[Page], page: Page, number: int, state: str, **fields: Any
) -> list[float]:
    """Tap; return the seconds until each page shows the round in that state."""
    began = time.perf_counter()
    shown = [asyncio.create_task(each.wait_for_state(number, state)) for each in pages]
    await page.tap(**fields)
    return [at - began for at in await asyncio.wait_for(asyncio.gather(*shown), 30)]


async def play(pages: Sequence[Page], hands: int) -> dict[str, list[float]]:
    """Win hands and deal the next ones, each time from another page."""
    found: dict[str, list[float]] = {"win": [], "next": []}
    for hand in range(WARM + hands):
        began, page = time.perf_counter(), pages[hand % len(pages)]
        round = page.state["round"]
        answer = str(next(iter(solver.solve([int(n) for n in round["numbers"]]))))
        won = await measure_tap(pages, page, round["id"], "over", round=round["id"], answer=answer)
        press = next(b["press"] for row in page.state["buttons"] for b in row if b["press"].startswith("n"))
        following = await measure_tap(pages, page, round["id"] + 1, "open", press=press)
        if hand >= WARM:
            found["win"] += won
            found["next"] += following
        await asyncio.sleep(max(0.0, PAUSE - (time.perf_counter() - began)))
    return found


async def main(root: str, hands: int) -> None:
    keys = [line.strip() for line in iter(sys.stdin.readline, "\n")]
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(None)) as http:
        pages = [Page(http, root, key) for key in keys]
        reading = [asyncio.create_task(page.receive_states()) for page in pages]
        await asyncio.gather(*(page.changed.wait() for page in pages))
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        print(json.dumps(await play(pages, hands)), flush=True)
        for task in reading:
            task.cancel()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
