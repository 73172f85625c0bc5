"""Pages that look on and tap, in a process of their own: `python -m bench.watching_pages ROOT HANDS`.

Each line of stdin is a session's key. Once all pages have their first state it prints "ready", and goes on by
a line on stdin. Then one page after the other taps: the answer of a hand, the next hand. It prints, as JSON,
the seconds from each tap until each page had the state that shows it.
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
def parsed(state: bytes) -> dict[str, Any]:
    """Parse a state, once for all who were sent the same: in life each page is read by a machine of
    its own, and none of them is the bot's.
    """
    found: dict[str, Any] = json.loads(state)
    return found


class Page:
    """A page's live connection, and the newest state that it has shown."""

    def __init__(self, http: aiohttp.ClientSession, root: str, key: str) -> None:
        self.http, self.root = http, root
        self.headers = {"Authorization": f"Bearer {key}"}
        self.state: dict[str, Any] = {}
        self.changed = asyncio.Event()

    async def read(self) -> None:
        """Take what comes, for ever."""
        async with self.http.get(f"{self.root}/events", headers=self.headers) as answer:
            answer.raise_for_status()
            left = b""
            async for some in answer.content.iter_any():
                *events, left = (left + some).split(b"\n\n")
                for event in events:
                    _, found, state = event.partition(b"event: state\ndata: ")
                    if found:
                        self.state = parsed(state)
                        self.changed.set()

    async def shows(self, number: int, state: str) -> float:
        """Return when the page showed that round in that state."""
        while self._at() != (number, state):
            self.changed.clear()
            await self.changed.wait()
        return time.perf_counter()

    def _at(self) -> tuple[int, str]:
        standing = self.state.get("round") or {"id": 0, "state": ""}
        return standing["id"], standing["state"]

    async def tap(self, **what: Any) -> None:
        """Hand in, or press."""
        entry = {"id": f"{random.getrandbits(160):040x}", **what}
        async with self.http.post(f"{self.root}/entry", json=entry, headers=self.headers) as answer:
            assert answer.status == 202, answer.status


async def tapped(pages: Sequence[Page], page: Page, number: int, state: str, **what: Any) -> list[float]:
    """Seconds until each page shows what a tap did."""
    began = time.perf_counter()
    shown = [asyncio.create_task(each.shows(number, state)) for each in pages]
    await page.tap(**what)
    return [at - began for at in await asyncio.wait_for(asyncio.gather(*shown), 30)]


async def play(pages: Sequence[Page], hands: int) -> dict[str, list[float]]:
    """Win hands and go on to the next one, each time by another page."""
    found: dict[str, list[float]] = {"win": [], "next": []}
    for hand in range(WARM + hands):
        began, page = time.perf_counter(), pages[hand % len(pages)]
        standing = page.state["round"]
        answer = str(next(iter(solver.solve([int(n) for n in standing["numbers"]]))))
        won = await tapped(pages, page, standing["id"], "over", round=standing["id"], answer=answer)
        press = next(b["press"] for row in page.state["buttons"] for b in row if b["press"].startswith("n"))
        following = await tapped(pages, page, standing["id"] + 1, "open", press=press)
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
        reading = [asyncio.create_task(page.read()) for page in pages]
        await asyncio.gather(*(page.changed.wait() for page in pages))
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        print(json.dumps(await play(pages, hands)), flush=True)
        for task in reading:
            task.cancel()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
