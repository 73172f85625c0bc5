"""Yahtzee through SIGKILL at any moment: no entry on a card is lost or doubled."""

import asyncio
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.bot.games.yahtzee.test_rules import compute_total
from tests.faults.conftest import BotFactory, choose_amount, fetch_rows, report
from tests.faults.test_kill import PATIENCE, kill_repeatedly
from tests.telegram import BotApi, Chat, Message, User, World

pytestmark = pytest.mark.faults

ROLL = re.compile(r"[1-6](?: [1-6]){4}")
RANK = re.compile(r"\d+\. \u2068(.+)\u2069 — (\d+)")
Turn = tuple[tuple[int, ...], int]


@dataclass
class CardTable:
    """A group in which two people play one game after another."""

    world: World
    people: Sequence[User]
    chat: Chat
    # Every card that was filled, turn by turn.
    cards: list[tuple[User, list[Turn]]] = field(default_factory=list)
    results: int = 0

    async def play(self, over: asyncio.Event, rng: random.Random) -> None:
        """Play games until `over` is set; wait for each step."""
        while not over.is_set():
            game = await self._deal_game()
            number = str(game.buttons[0]["callback_data"]).partition(":")[2]
            filled = [(user, await self._fill_card(user, number, rng)) for user in self.people]
            await self._end_game(filled)
            self.cards += filled
            self.results += 1

    async def _deal_game(self) -> Message:
        since = self.chat.last_id
        self.world.say(self.people[0], self.chat, f"/yahtzee@{self.world.bot.username}")

        def find_game() -> Message | None:
            new = [post for post in self.world.posts(self.chat) if post.id > since]
            return next((post for post in new if post.labels[:1] == ["🎲 Play"]), None)

        game = await self.world.wait_until(find_game, PATIENCE, "the deal")
        assert game is not None
        return game

    async def _fill_card(self, user: User, number: str, rng: random.Random) -> list[Turn]:
        """Fill one card by random presses, some of them sent twice; return its turns."""
        alone, turns = self.world.chat_of(user), list[Turn]()
        since = alone.last_id
        self.world.start(user, f"card_{number}")
        while len(turns) < 13:

            def next_turn() -> Message | None:
                posts = [post for post in self.world.posts(alone) if post.id > since]
                return next((post for post in posts if _parse_turn(post) == len(turns)), None)

            card = await self.world.wait_until(next_turn, PATIENCE, f"turn {len(turns) + 1} of {number}")
            assert card is not None
            button = rng.choice(card.buttons)
            (line,) = (line for line in card.text.splitlines() if ROLL.fullmatch(line))
            press = self.world.press(user, card, data=button["callback_data"])
            if rng.random() < 0.3:
                self.world.press_again(press)
            turns.append((tuple(map(int, line.split())), int(button["callback_data"].rpartition(":")[2])))

        def is_full() -> bool:
            """Whether one copy of the card is full; a kill may have sent the first turn twice."""
            return any(post.text.startswith("🏁") for post in self.world.posts(alone) if post.id > since)

        await self.world.wait_until(is_full, PATIENCE, f"the last turn of {number}")
        return turns

    async def _end_game(self, filled: list[tuple[User, list[Turn]]]) -> None:
        """End the game with /stop and wait until the result shows the referee's totals."""
        since = self.chat.last_id
        totals = {user.first_name: referee_card(turns) for user, turns in filled}
        self.world.say(self.people[0], self.chat, f"/stop@{self.world.bot.username}")

        def is_result_posted() -> bool:
            posts = [post for post in self.world.posts(self.chat) if post.id > since]
            return any(parse_ranks(post) == totals for post in posts)

        await self.world.wait_until(is_result_posted, PATIENCE, f"the ranks {totals}")


def _parse_turn(post: Message) -> int:
    """Return the turn that a card asks for, from 0; -1 for any other message."""
    asked = {
        str(button.get("callback_data", "")).split(":")[2] for button in post.buttons if "ct:" in str(button)
    }
    return int(next(iter(asked), -1))


def referee_card(turns: list[Turn]) -> int:
    """Return the total of a card by the referee."""
    return compute_total([roll for roll, _ in turns], tuple(category for _, category in turns))


def parse_ranks(post: Message) -> dict[str, int]:
    """Return the totals by name from a result; empty if the game still runs."""
    found = (RANK.fullmatch(line) for line in post.text.splitlines())
    return {line[1]: int(line[2]) for line in found if line} if "🏁" in post.text else {}


@pytest.mark.exhaustive
async def test_yahtzee_cards_survive_kills(make_bot: BotFactory, database: Path) -> None:
    world, rng = World(seed=8), random.Random(3)
    tables = []
    for n in range(3):
        people = [world.user(f"Ann{n}"), world.user(f"Bob{n}")]
        tables.append(CardTable(world, people, world.group(f"Group {n}", *people)))
    kills = choose_amount(100, 5)
    async with BotApi(world) as api:
        process, over = make_bot(world, api.url), asyncio.Event()
        async with asyncio.TaskGroup() as evening:
            for table in tables:
                evening.create_task(table.play(over, rng))
            await kill_repeatedly(world, process, kills, random.Random(9))
            process.start()
            over.set()
        await world.wait_until_taken()
        waiting = "SELECT count(*) FROM outbox WHERE state = 'waiting'"
        await world.wait_until(lambda: fetch_rows(database, waiting) == [(0,)], PATIENCE, "the last requests")
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0, process.read_log()[-3000:]
    cards = [card for table in tables for card in table.cards]
    told = sorted((user.id, [category for _, category in turns]) for user, turns in cards)
    kept = fetch_rows(database, "SELECT player_id, answer FROM entries")
    stored = sorted((player, json.loads(answer)["card"]["put"]) for player, answer in kept)
    worth = sorted((user.id, referee_card(turns) // 10) for user, turns in cards)
    awards = fetch_rows(database, "SELECT player_id, points FROM awards")
    (sums,) = fetch_rows(database, "SELECT sum(points) FROM totals WHERE period LIKE '%all' AND chat_id<>0")
    games = fetch_rows(database, "SELECT state, count(*) FROM rounds GROUP BY state")
    (left,) = fetch_rows(database, "SELECT count(*) FROM inbox WHERE state != 'done'")
    (unsent,) = fetch_rows(database, "SELECT count(*) FROM outbox WHERE state = 'waiting'")
    report(
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
