"""Three players answer at the same instant: one wins, in every round, however the updates come in."""

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
from bot.queue.pacing import Pace
from bot.service import build_service
from bot.settings import read_settings
from bot.telegram.polling import poll_updates
from bot.telegram.routes import ALLOWED_UPDATES
from bot.web.webhook import Webhook
from tests.stories.conftest import InProcessPool
from tests.telegram import Chat, Delivery, Message, User, World, WorldRequest

CHATS = 20
FULL_WIDTH = str.maketrans("0123456789()", "０１２３４５６７８９（）")
NO_LIMITS = Pace(posts_a_minute=100_000, redraw_gap=0.0)
WAYS = pytest.mark.parametrize("way", ["polling", "webhook"])


@asynccontextmanager
async def playing(world: World, database: Path, way: str, deals: int) -> AsyncIterator[Store]:
    """The bot with as many hands up its sleeve, fed in one of two ways."""
    solving = InProcessPool()
    solving.hands = different_hands(deals)
    environment = {"BOT_TOKEN": world.token, "DATABASE_URL": f"sqlite:///{database}"}
    if way == "webhook":
        port = _free_port()
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
            hook = Webhook(service.inbox, settings)
            await hook.start(service.services.bot, ALLOWED_UPDATES)
            stack.push_async_callback(hook.close)
            feed = asyncio.create_task(Delivery(ordered=False).run(world))
        else:
            feed = asyncio.create_task(poll_updates(service.services.bot, service.inbox, ALLOWED_UPDATES))
        stack.push_async_callback(_stopped, feed)
        yield service.services.store
        await world.wait_until_taken(timeout=60)
        await service.inbox.wait_until_idle()
        await service.outbox.wait_until_idle()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _stopped(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def different_hands(count: int) -> list[Hand]:
    """Hands that were not shown a moment ago: whoever has seen a hand's solution earns nothing with it."""
    drawn = (draw for draw in combinations_with_replacement(range(1, 14), 4))
    solvable = (draw for draw in drawn if next(solver.solve(draw), None) is not None)
    return [build_hand(draw, 24) for draw in islice(solvable, count)]


def answers(deal: Message) -> tuple[str, str, str]:
    """One solution as three people write it."""
    line = next(line for line in deal.text.splitlines() if line.endswith(" → 24"))
    found = str(next(solver.solve([int(n) for n in line.removesuffix(" → 24").split()])))
    return found, "".join(OPERATION_SIGNS.get(c, c) for c in found), f"{found.translate(FULL_WIDTH)} = 24"


async def plays(world: World, chat: Chat, people: list[User], times: int) -> None:
    """As many rounds in one chat, each answered by everybody at once."""
    for number in range(times):
        world.say(people[0], chat, f"/play@{world.bot.username}")
        deal = await world.next_post(chat, " → 24")
        for player, answer in zip(people[number % 3 :] + people[: number % 3], answers(deal), strict=True):
            world.say(player, chat, answer, reply_to=deal)
        await world.wait_until(lambda: " = 24" in deal.text, 60, "a win")  # noqa: B023 - awaited at once


def counted(tx: Tx) -> tuple[int, int, int, int]:
    """Rounds won, awards, rounds with an award, and wins in the totals of all chats' boards."""
    won = tx.scalar(select(func.count()).where(rounds.c.state == "won"))
    given = tx.scalar(select(func.count()).select_from(awards))
    with_award = tx.scalar(select(func.count(func.distinct(awards.c.round_id))))
    wins = tx.scalar(select(func.sum(totals.c.wins)).where(totals.c.period == "all", totals.c.chat_id != 0))
    return int(won or 0), int(given or 0), int(with_award or 0), int(wins or 0)


async def instant(way: str, database: Path, deals: int, *, validate: bool) -> None:
    """Play so many rounds; each has one winner, whose message came first."""
    world = World(validate=validate)
    people = [world.user(name) for name in ("Ann", "Bob", "李雷")]
    chats = [world.group(f"Group {n}", *people) for n in range(CHATS)]
    async with playing(world, database, way, deals) as store:
        await asyncio.gather(*(plays(world, chat, people, deals // CHATS) for chat in chats))
        await world.wait_until_taken(timeout=60)
    async with AsyncExitStack() as stack:
        again = await Store.open(read_settings({"DATABASE_URL": f"sqlite:///{database}"}).database)
        stack.push_async_callback(again.close)
        assert store is not again
        assert await again.read(counted) == (deals, deals, deals, deals)
    assert not world.violations


@pytest.mark.long
@WAYS
async def test_one_winner_each_time(way: str, tmp_path: Path) -> None:
    await instant(way, tmp_path / "games.sqlite3", CHATS, validate=True)


@WAYS
@pytest.mark.long
@pytest.mark.exhaustive
async def test_one_winner_in_each_of_a_thousand_rounds(way: str, tmp_path: Path) -> None:
    await instant(way, tmp_path / "games.sqlite3", 1000, validate=False)
