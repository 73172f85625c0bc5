"""Three players answer at the same instant: each round has one winner, by polling and by webhook."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import combinations_with_replacement, islice
from pathlib import Path

import pytest
from sqlalchemy import func, select

import solver
from bot.database import Store, Tx
from bot.database.schema import awards, rounds, totals
from bot.games.expressions.view import OPERATION_SIGNS
from bot.games.twentyfour.dealing import build_hand
from bot.games.twentyfour.rules import Hand
from bot.metrics import Pulse
from bot.queue.pacing import Pace
from bot.service import build_service
from bot.settings import read_settings
from bot.telegram.polling import poll_updates
from bot.telegram.routes import ALLOWED_UPDATES
from bot.web.webhook import Webhook
from tests.stories.conftest import InProcessPool
from tests.telegram import Chat, Delivery, Message, User, World, WorldRequest

pytestmark = pytest.mark.long

CHATS = 20
FULL_WIDTH = str.maketrans("0123456789()", "０１２３４５６７８９（）")
NO_LIMITS = Pace(posts_a_minute=100_000, redraw_gap=0.0)
WAYS = pytest.mark.parametrize("way", ["polling", "webhook"])


@asynccontextmanager
async def run_bot_by_way(world: World, database: Path, way: str, deals: int) -> AsyncIterator[Store]:
    """Run the bot with so many prepared hands, by polling or by webhook; yield its store."""
    solving = InProcessPool()
    solving.hands = build_different_hands(deals)
    environment = {"BOT_TOKEN": world.token, "DATABASE_URL": f"sqlite:///{database}"}
    if way == "webhook":
        port = find_free_port()
        environment |= {"WEBHOOK_URL": f"http://127.0.0.1:{port}/u", "WEBHOOK_LISTEN": f"127.0.0.1:{port}"}
        environment |= {"WEBHOOK_SECRET": "made-up_0123456789"}
    settings = read_settings(environment)
    async with AsyncExitStack() as stack:
        service = await build_service(
            settings,
            WorldRequest(world),
            stack,
            pace=NO_LIMITS,
            solver_pool=solving,
            wall=world.clock,
            uptime=world.clock,
        )
        stack.push_async_callback(service.outbox.close)
        stack.push_async_callback(service.inbox.close)
        if way == "webhook":
            hook = Webhook(service.services.bot, service.inbox, Pulse(0.0), settings)
            await hook.open()
            stack.push_async_callback(hook.close)
            feed = asyncio.create_task(Delivery(ordered=False).run(world))
        else:
            feed = asyncio.create_task(poll_updates(service.services.bot, service.inbox, ALLOWED_UPDATES))
        stack.push_async_callback(cancel_task, feed)
        yield service.services.store
        await world.wait_until_taken(timeout=60)
        await service.inbox.wait_until_idle()
        await service.outbox.wait_until_idle()


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def cancel_task(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def build_different_hands(count: int) -> list[Hand]:
    """Build so many different hands, since nobody scores with a solution seen a moment ago."""
    hands = (hand for hand in combinations_with_replacement(range(1, 14), 4))
    solvable = (hand for hand in hands if next(solver.solve(hand), None) is not None)
    return [build_hand(hand, 24) for hand in islice(solvable, count)]


def list_answers(deal: Message) -> tuple[str, str, str]:
    """Return one solution in three notations."""
    line = next(line for line in deal.text.splitlines() if line.endswith(" → 24"))
    found = str(next(solver.solve([int(n) for n in line.removesuffix(" → 24").split()])))
    return found, "".join(OPERATION_SIGNS.get(c, c) for c in found), f"{found.translate(FULL_WIDTH)} = 24"


async def play_rounds(world: World, chat: Chat, people: list[User], times: int) -> None:
    """Play so many rounds in one chat, each answered by all people at once."""
    for number in range(times):
        world.say(people[0], chat, f"/play@{world.bot.username}")
        deal = await world.next_post(chat, " → 24")
        for player, answer in zip(
            people[number % 3 :] + people[: number % 3], list_answers(deal), strict=True
        ):
            world.say(player, chat, answer, reply_to=deal)
        await world.wait_until(lambda: " = 24" in deal.text, 60, "a win")  # noqa: B023 - awaited at once


def count_wins(tx: Tx) -> tuple[int, int, int, int]:
    """Return the numbers of rounds won, awards, rounds with an award, and wins in the totals of all chats."""
    won_count = tx.scalar(select(func.count()).where(rounds.c.state == "won"))
    award_count = tx.scalar(select(func.count()).select_from(awards))
    with_award = tx.scalar(select(func.count(func.distinct(awards.c.round_id))))
    of_chats = (totals.c.period.like("% all"), totals.c.chat_id != 0)
    wins = tx.scalar(select(func.sum(totals.c.wins)).where(*of_chats))
    return int(won_count or 0), int(award_count or 0), int(with_award or 0), int(wins or 0)


async def play_simultaneously(way: str, database: Path, deals: int, *, validate: bool) -> None:
    """Play so many rounds and check that each has one winner."""
    world = World(validate=validate)
    people = [world.user(name) for name in ("Ann", "Bob", "李雷")]
    chats = [world.group(f"Group {n}", *people) for n in range(CHATS)]
    async with run_bot_by_way(world, database, way, deals) as store:
        await asyncio.gather(*(play_rounds(world, chat, people, deals // CHATS) for chat in chats))
        await world.wait_until_taken(timeout=60)
    async with AsyncExitStack() as stack:
        reopened = await Store.open(read_settings({"DATABASE_URL": f"sqlite:///{database}"}).database)
        stack.push_async_callback(reopened.close)
        assert store is not reopened
        assert await reopened.read(count_wins) == (deals, deals, deals, deals)
    assert not world.violations


@pytest.mark.long
@WAYS
async def test_each_round_has_one_winner(way: str, tmp_path: Path) -> None:
    await play_simultaneously(way, tmp_path / "games.sqlite3", CHATS, validate=True)


@WAYS
@pytest.mark.long
@pytest.mark.exhaustive
async def test_each_of_a_thousand_rounds_has_one_winner(way: str, tmp_path: Path) -> None:
    await play_simultaneously(way, tmp_path / "games.sqlite3", 1000, validate=False)
