"""SIGKILL at any moment while people play in several chats."""

import asyncio
import random
import time
from bisect import bisect
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.faults.conftest import (
    BotFactory,
    Process,
    choose_amount,
    fetch_rows,
    parse_hand,
    report,
    solve_deal,
    wait_until_empty,
)
from tests.telegram import BotApi, Chat, Message, User, World

pytestmark = pytest.mark.faults

PATIENCE = 300.0  # Seconds after which a reply counts as lost; a group's pace alone may take sixty
# The bot's reply on a busy machine where no worker dealt in time.
TRY_AGAIN = "Sorry, that took too long. Please try again."


@dataclass
class Table:
    """A person who plays one round after another in a chat."""

    world: World
    player: User
    chat: Chat
    wins: int = 0
    refused_deals: int = 0  # Deals that were asked for again because no worker was free

    async def play(self, over: asyncio.Event) -> None:
        """Play rounds until `over` is set; wait for each reply."""
        while not over.is_set():
            deal = await self.deal()
            right = solve_deal(deal)
            group = self.chat.type != "private"
            self.world.say(self.player, self.chat, right, reply_to=deal if group else None)
            await self.world.wait_until(lambda: self.is_won(deal), PATIENCE, "the win")  # noqa: B023
            self.wins += 1

    async def deal(self) -> Message:
        """Ask for a hand until one is dealt, and return its message."""
        last, refused = self.chat.last_id, 0
        while True:
            self.world.say(self.player, self.chat, f"/play@{self.world.bot.username}")
            met = partial(self._find_deal, last, refused)
            if isinstance(deal := await self.world.wait_until(met, PATIENCE, "the deal"), Message):
                return deal
            refused += 1
            self.refused_deals += 1

    def _find_deal(self, last: int, refused: int) -> Message | bool | None:
        """Return the hand dealt after message `last`; True after a further refusal; None before either."""
        new = [m for m in self.world.posts(self.chat, since=last + 1) if "🏆" not in m.text]
        dealt = next((m for m in new if any(line.endswith("→ 24") for line in m.text.splitlines())), None)
        return dealt or [m.text for m in new].count(TRY_AGAIN) > refused or None

    def is_won(self, deal: Message) -> bool:
        """Whether a post says that somebody has won this hand."""
        line = " ".join(map(str, parse_hand(deal))) + " → 24"
        later = self.world.posts(self.chat, since=deal.id)
        return any("🏆" in m.text and line in m.text.splitlines() for m in later)


def count_repeated_deals(world: World, kills: list[float]) -> Counter[tuple[int, int]]:
    """Count the repeated deals by chat and number of kills before them."""
    asked = {
        (request.chat, request.result["message_id"]): request.at
        for request in world.requests
        if isinstance(request.result, dict) and "message_id" in request.result
    }
    count: Counter[tuple[int, int]] = Counter()
    for chat in list(world.chats.values()):
        last = ""
        for message in (m for _, m in sorted(chat.messages.items()) if m.sender is world.bot):
            said = message.edits[0][0] if message.edits else message.text
            line = next((x for x in said.splitlines() if x.endswith("→ 24")), "")
            if line and line == last:
                kills_before = bisect(kills, asked.get((chat.id, message.id), message.date))
                count[chat.id, kills_before] += 1
            last = line or last
    return count


async def kill_repeatedly(world: World, bot: Process, kills: int, rng: random.Random) -> list[float]:
    """Start and kill the bot `kills` times, each after a random number of requests; return the times.

    The wait for the requests depends on how long a start takes: on a busy machine that is many seconds, and a
    bot that is always killed before it is ready never plays.
    """
    moments = []
    start_seconds = 0.0
    for _ in range(kills):
        began = time.monotonic()
        bot.start()
        seen = len(world.requests) + rng.randrange(40)
        if not start_seconds:
            await world.signal.wait_until(lambda: world.calls("setMyCommands"), 120.0)
            start_seconds = time.monotonic() - began
        try:
            patience = max(3.0, 3 * start_seconds)
            await world.signal.wait_until(lambda: len(world.requests) >= seen, patience)  # noqa: B023
        except TimeoutError:
            assert bot.process.poll() is None, bot.read_log()[-3000:]
        await asyncio.sleep(rng.uniform(0, 0.1))
        bot.kill()
        moments.append(world.clock())
    return moments


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", ["polling", "webhook"])
async def test_play_through_kills_loses_and_doubles_nothing(
    way: str, make_bot: BotFactory, database: Path, free_port: int
) -> None:
    world = World(seed=1)
    people = [world.user(name) for name in ("Ann", "Bob", "Cid", "Dora", "Eve")]
    chats = [world.chat_of(person) for person in people[:3]]
    chats += [world.group(person.first_name, person) for person in people[3:]]
    tables = [Table(world, person, chat) for person, chat in zip(people, chats, strict=True)]
    kills = choose_amount(100, 5)
    async with BotApi(world) as api:
        address = f"127.0.0.1:{free_port}"
        webhook = {
            "WEBHOOK_URL": f"http://{address}/hook",
            "WEBHOOK_LISTEN": address,
            "WEBHOOK_SECRET": "s" * 40,
        }
        process = make_bot(world, api.url, **(webhook if way == "webhook" else {}))
        over = asyncio.Event()
        async with asyncio.TaskGroup() as evening:
            for table in tables:
                evening.create_task(table.play(over))
            moments = await kill_repeatedly(world, process, kills, random.Random(2))
            process.start()
            over.set()
        await world.wait_until_taken()
        await wait_until_empty(database, process, "outbox WHERE state = 'waiting'")
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0, process.read_log()[-3000:]
    wins = sum(table.wins for table in tables)
    (awards,) = fetch_rows(database, "SELECT count(*), count(DISTINCT round_id), sum(points) FROM awards")
    (total,) = fetch_rows(database, "SELECT sum(points) FROM totals WHERE period LIKE '%all' AND chat_id<>0")
    (rated,) = fetch_rows(database, "SELECT sum(hands) FROM ratings")
    (left,) = fetch_rows(database, "SELECT count(*) FROM inbox WHERE state != 'done'")
    (unsent,) = fetch_rows(database, "SELECT count(*) FROM outbox WHERE state = 'waiting'")
    again = count_repeated_deals(world, moments)
    worst = max(again.values(), default=0)
    report(
        f"{way}: {kills} kills, {wins} wins: {wins - awards[0]} lost, {awards[0] - awards[1]} doubled, "
        f"0 replies lost, {again.total()} repeated, at most {worst} a kill and chat"
    )
    assert wins
    assert awards[0] == awards[1] == wins
    assert total[0] == awards[2]
    assert rated[0] == wins
    assert (left, unsent) == ((0,), (0,))
    assert worst <= 1
    assert not world.violations


async def test_control_queue_of_the_library_loses_updates(make_bot: BotFactory) -> None:
    """The library acknowledges updates that are only in its queue in memory."""
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = make_bot(world, api.url, ECHO_SECONDS="0.02")
        process.arguments = ("-m", "bench.echo")
        process.start()
        said = [world.say(ann, ann, f"word {n}") for n in range(60)]
        await world.next_post(ann)
        await world.wait_until_taken()
        process.kill()
        process.start()
        world.say(ann, ann, "the last word")
        await world.next_post(ann, "the last word")
    heard = {post.text for post in world.posts(ann)}
    lost = sum(message.text not in heard for message in said)
    report(f"control, the library's own queue: {lost} of {len(said)} lost")
    assert lost
