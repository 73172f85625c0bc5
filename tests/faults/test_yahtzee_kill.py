"""`kill -9` in the middle of cards: nothing that was put is lost, and nothing is put twice."""

import asyncio
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.bot.games.yahtzee.test_rules import refereed
from tests.faults.conftest import Started, figure, rows, show
from tests.faults.test_kill import PATIENCE, kill_again_and_again
from tests.telegram import BotApi, Chat, Message, User, World

pytestmark = pytest.mark.faults

ROLL = re.compile(r"[1-6](?: [1-6]){4}")
RANK = re.compile(r"\d+\. \u2068(.+)\u2069 — (\d+)")
Turn = tuple[tuple[int, ...], int]


@dataclass
class Players:
    """Two who play in a group, game after game, for as long as the test runs."""

    world: World
    people: Sequence[User]
    chat: Chat
    # Every card that was filled, turn by turn.
    cards: list[tuple[User, list[Turn]]] = field(default_factory=list)
    results: int = 0

    async def play(self, over: asyncio.Event, rng: random.Random) -> None:
        """Deal, fill both cards, end it; each step is waited for."""
        while not over.is_set():
            game = await self._dealt()
            number = str(game.buttons[0]["callback_data"]).partition(":")[2]
            filled = [(user, await self._filled(user, number, rng)) for user in self.people]
            await self._ended(filled)
            self.cards += filled
            self.results += 1

    async def _dealt(self) -> Message:
        since = self.chat.last_id
        self.world.say(self.people[0], self.chat, f"/yahtzee@{self.world.bot.username}")

        def dealt() -> Message | None:
            new = [post for post in self.world.posts(self.chat) if post.id > since]
            return next((post for post in new if post.labels[:1] == ["🎲 Play"]), None)

        game = await self.world.wait_until(dealt, PATIENCE, "the deal")
        assert game is not None
        return game

    async def _filled(self, user: User, number: str, rng: random.Random) -> list[Turn]:
        """One card, from the link to its end; pressed wherever it stands, twice now and then."""
        alone, turns = self.world.chat_of(user), list[Turn]()
        since = alone.last_id
        self.world.start(user, f"card_{number}")
        while len(turns) < 13:

            def next_turn() -> Message | None:
                posts = [post for post in self.world.posts(alone) if post.id > since]
                return next((post for post in posts if _turn(post) == len(turns)), None)

            card = await self.world.wait_until(next_turn, PATIENCE, f"turn {len(turns) + 1} of {number}")
            assert card is not None
            button = rng.choice(card.buttons)
            (line,) = (line for line in card.text.splitlines() if ROLL.fullmatch(line))
            press = self.world.press(user, card, data=button["callback_data"])
            if rng.random() < 0.3:
                self.world.press_again(press)
            turns.append((tuple(map(int, line.split())), int(button["callback_data"].rpartition(":")[2])))

        def is_full() -> bool:
            """A kill may have sent the first turn twice; the copy stays as it is, and one of them is full."""
            return any(post.text.startswith("🏁") for post in self.world.posts(alone) if post.id > since)

        await self.world.wait_until(is_full, PATIENCE, f"the last turn of {number}")
        return turns

    async def _ended(self, filled: list[tuple[User, list[Turn]]]) -> None:
        """By /stop, and by a minute's silence where a kill has come between; the ranks are the referee's."""
        since = self.chat.last_id
        totals = {user.first_name: total(turns) for user, turns in filled}
        self.world.say(self.people[0], self.chat, f"/stop@{self.world.bot.username}")

        def ended() -> bool:
            posts = [post for post in self.world.posts(self.chat) if post.id > since]
            return any(ranks(post) == totals for post in posts)

        await self.world.wait_until(ended, PATIENCE, f"the ranks {totals}")


def _turn(post: Message) -> int:
    """Which turn a card asks for, from 0; -1 for any other message."""
    asked = {
        str(button.get("callback_data", "")).split(":")[2] for button in post.buttons if "ct:" in str(button)
    }
    return int(next(iter(asked), -1))


def total(turns: list[Turn]) -> int:
    """What a card comes to, by the referee."""
    return refereed([roll for roll, _ in turns], tuple(category for _, category in turns))


def ranks(post: Message) -> dict[str, int]:
    """The names and totals of a result; nothing of a game that still runs."""
    found = (RANK.fullmatch(line) for line in post.text.splitlines())
    return {line[1]: int(line[2]) for line in found if line} if "🔑" in post.text else {}


@pytest.mark.exhaustive
async def test_cards_outlive_any_kill(bot: Started, database: Path) -> None:
    world, rng = World(seed=8), random.Random(3)
    tables = []
    for n in range(3):
        people = [world.user(f"Ann{n}"), world.user(f"Bob{n}")]
        tables.append(Players(world, people, world.group(f"Group {n}", *people)))
    kills = figure(100, 5)
    async with BotApi(world) as api:
        process, over = bot(world, api.url), asyncio.Event()
        async with asyncio.TaskGroup() as evening:
            for table in tables:
                evening.create_task(table.play(over, rng))
            await kill_again_and_again(world, process, kills, random.Random(9))
            process.start()
            over.set()
        await world.wait_until_taken()
        waiting = "SELECT count(*) FROM outbox WHERE state = 'waiting'"
        await world.wait_until(lambda: rows(database, waiting) == [(0,)], PATIENCE, "the last requests")
        process.process.terminate()
        assert await process.ended(8) == 0, process.said()[-3000:]
    cards = [card for table in tables for card in table.cards]
    told = sorted((user.id, [category for _, category in turns]) for user, turns in cards)
    kept = rows(database, "SELECT player_id, answer FROM entries")
    stored = sorted((player, json.loads(answer)["card"]["put"]) for player, answer in kept)
    worth = sorted((user.id, total(turns) // 10) for user, turns in cards)
    awards = rows(database, "SELECT player_id, points FROM awards")
    (sums,) = rows(database, "SELECT sum(points) FROM totals WHERE period = 'all' AND chat_id != 0")
    games = rows(database, "SELECT state, count(*) FROM rounds GROUP BY state")
    (left,) = rows(database, "SELECT count(*) FROM inbox WHERE state != 'done'")
    (unsent,) = rows(database, "SELECT count(*) FROM outbox WHERE state = 'waiting'")
    show(
        f"{kills} kills, {len(cards)} cards, {13 * len(cards)} turns: "
        f"{sum(one != other for one, other in zip(told, stored, strict=True))} cards differ"
    )
    assert cards
    assert stored == told
    assert sorted(awards) == worth
    assert sums[0] == sum(points for _, points in worth)
    assert games == [("over", sum(table.results for table in tables))]
    assert (left, unsent) == ((0,), (0,))
    assert not world.violations
