"""`kill -9` at any moment, under play in several chats."""

import asyncio
import random
import time
from bisect import bisect
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.faults.conftest import Process, Started, answer_to, figure, hand_of, none, rows, show
from tests.telegram import BotApi, Chat, Message, User, World

pytestmark = pytest.mark.faults

PATIENCE = 300.0  # Seconds after which a reply counts as lost; a group's pace alone may take sixty
# What the bot says where the machine is so busy that no worker dealt in time.
TRY_AGAIN = "Sorry, that took too long. Please try again."


@dataclass
class Table:
    """Somebody who plays for as long as the test runs."""

    world: World
    player: User
    chat: Chat
    wins: int = 0
    again: int = 0  # How often there was no hand for want of a worker, and another one was asked for

    async def play(self, over: asyncio.Event) -> None:
        """Deal, answer, deal, answer; each reply is waited for."""
        while not over.is_set():
            deal = await self.deal()
            right = answer_to(deal)
            group = self.chat.type != "private"
            self.world.say(self.player, self.chat, right, reply_to=deal if group else None)
            await self.world.wait_until(lambda: self.won(deal), PATIENCE, "the win")  # noqa: B023
            self.wins += 1

    async def deal(self) -> Message:
        """Ask for a hand, and wait for it; ask again when told to, as people do."""
        last, refused = self.chat.last_id, 0
        while True:
            self.world.say(self.player, self.chat, f"/play@{self.world.bot.username}")
            met = partial(self._met, last, refused)
            if isinstance(deal := await self.world.wait_until(met, PATIENCE, "the deal"), Message):
                return deal
            refused += 1
            self.again += 1

    def _met(self, last: int, refused: int) -> Message | bool | None:
        """The hand dealt since; True if there were more refusals than those."""
        new = [m for m in self.world.posts(self.chat, since=last + 1) if "🏆" not in m.text]
        dealt = next((m for m in new if any(line.endswith("→ 24") for line in m.text.splitlines())), None)
        return dealt or [m.text for m in new].count(TRY_AGAIN) > refused or None

    def won(self, deal: Message) -> bool:
        """Whether somebody is said to have won it."""
        line = " ".join(map(str, hand_of(deal))) + " → 24"
        later = self.world.posts(self.chat, since=deal.id)
        return any("🏆" in m.text and line in m.text.splitlines() for m in later)


def repeated(world: World, kills: list[float]) -> Counter[int]:
    """How many deals stand in their chat again, by the kill before them; whether or not the bot was told."""
    asked = {
        (request.chat, request.result["message_id"]): request.at
        for request in world.requests
        if isinstance(request.result, dict) and "message_id" in request.result
    }
    count: Counter[int] = Counter()
    for chat in list(world.chats.values()):
        last = ""
        for message in (m for _, m in sorted(chat.messages.items()) if m.sender is world.bot):
            said = message.edits[0][0] if message.edits else message.text
            line = next((x for x in said.splitlines() if x.endswith("→ 24")), "")
            if line and line == last:
                count[bisect(kills, asked.get((chat.id, message.id), message.date))] += 1
            last = line or last
    return count


async def kill_again_and_again(world: World, bot: Process, kills: int, rng: random.Random) -> list[float]:
    """Start and kill it, each time after so many requests and a moment; when, on the world's clock.

    How long it may take to make them follows from how long it needs here to come up: where every core is
    taken that is many seconds, and a bot that is killed before that would never play.
    """
    moments = []
    coming_up = 0.0
    for _ in range(kills):
        began = time.monotonic()
        bot.start()
        seen = len(world.requests) + rng.randrange(40)
        if not coming_up:
            await world.signal.wait_until(lambda: world.calls("setMyCommands"), 120.0)
            coming_up = time.monotonic() - began
        try:
            patience = max(3.0, 3 * coming_up)
            await world.signal.wait_until(lambda: len(world.requests) >= seen, patience)  # noqa: B023
        except TimeoutError:
            assert bot.process.poll() is None, bot.said()[-3000:]
        await asyncio.sleep(rng.uniform(0, 0.1))
        bot.kill()
        moments.append(world.clock())
    return moments


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", ["polling", "webhook"])
async def test_nothing_is_lost_or_doubled(way: str, bot: Started, database: Path, free_port: int) -> None:
    world = World(seed=1)
    people = [world.user(name) for name in ("Ann", "Bob", "Cid", "Dora", "Eve")]
    chats = [world.chat_of(person) for person in people[:3]]
    chats += [world.group(person.first_name, person) for person in people[3:]]
    tables = [Table(world, person, chat) for person, chat in zip(people, chats, strict=True)]
    kills = figure(100, 5)
    async with BotApi(world) as api:
        address = f"127.0.0.1:{free_port}"
        webhook = {
            "WEBHOOK_URL": f"http://{address}/hook",
            "WEBHOOK_LISTEN": address,
            "WEBHOOK_SECRET": "s" * 40,
        }
        process = bot(world, api.url, **(webhook if way == "webhook" else {}))
        over = asyncio.Event()
        async with asyncio.TaskGroup() as evening:
            for table in tables:
                evening.create_task(table.play(over))
            moments = await kill_again_and_again(world, process, kills, random.Random(2))
            process.start()
            over.set()
        await world.wait_until_taken()
        await none(database, process, "outbox WHERE state = 'waiting'")
        process.process.terminate()
        assert await process.ended(8) == 0, process.said()[-3000:]
    wins = sum(table.wins for table in tables)
    (awards,) = rows(database, "SELECT count(*), count(DISTINCT round_id), sum(points) FROM awards")
    (total,) = rows(database, "SELECT sum(points) FROM totals WHERE period = 'all' AND chat_id != 0")
    (rated,) = rows(database, "SELECT sum(hands) FROM ratings")
    (left,) = rows(database, "SELECT count(*) FROM inbox WHERE state != 'done'")
    (unsent,) = rows(database, "SELECT count(*) FROM outbox WHERE state = 'waiting'")
    again = repeated(world, moments)
    worst = max(again.values(), default=0)
    show(
        f"{way}: {kills} kills, {wins} wins: {wins - awards[0]} lost, {awards[0] - awards[1]} doubled, "
        f"0 replies lost, {again.total()} repeated, at most {worst} a kill"
    )
    assert wins
    assert awards[0] == awards[1] == wins
    assert total[0] == awards[2]
    assert rated[0] == wins
    assert (left, unsent) == ((0,), (0,))
    assert worst <= 1
    assert not world.violations


async def test_the_librarys_own_queue_loses_some(bot: Started) -> None:
    """The control: it acknowledges what it has only put into its queue."""
    world = World()
    ann = world.user("Ann")
    async with BotApi(world) as api:
        process = bot(world, api.url, ECHO_SECONDS="0.02")
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
    show(f"control, the library's own queue: {lost} of {len(said)} lost")
    assert lost
