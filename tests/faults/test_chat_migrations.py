"""Groups become supergroups during a round, with several bots and kills."""

import asyncio
import random
from collections.abc import Iterator

import asyncpg  # type: ignore[import-untyped]
import pytest

from tests.faults import postgres
from tests.faults.conftest import BotFactory, choose_amount, report, solve_deal
from tests.faults.test_kill import PATIENCE, Table
from tests.faults.test_replicas import start_bots, stop_bots, wait_until_empty
from tests.telegram import BotApi, Chat, User, World

pytestmark = pytest.mark.faults
AROUND = ["answer", "answer", "/leaderboard", "/hint", "migrate"]


@pytest.fixture
def server(free_port: int) -> Iterator[postgres.Server]:
    with postgres.run_server(free_port) as made:
        yield made


async def play_through_migration(world: World, player: User, group: Chat, rng: random.Random) -> Chat:
    """Play a round with an answer, questions and the migration in random order.

    Returns the supergroup once the round is won.
    """
    table = Table(world, player, group)
    deal = await table.deal()
    right, here, answered = solve_deal(deal), group, False
    steps = rng.sample(AROUND, len(AROUND))
    for what in steps:
        await asyncio.sleep(rng.choice([0.0, 0.0, 0.05, 0.3]))
        if what == "migrate":
            here = world.migrate(group)
        elif what == "answer" and not answered and here is group:
            world.say(player, group, right, reply_to=deal)
            answered = True
        elif what != "answer":
            world.say(player, here, f"{what}@{world.bot.username}")
    if not answered:  # the hand is dealt once more where the group is now
        line = next(line for line in deal.text.splitlines() if line.endswith("→ 24"))
        dealt = lambda: next((p for p in world.posts(here) if line in p.text.splitlines()), None)  # noqa: E731
        anew = await world.wait_until(dealt, PATIENCE, "the deal in the supergroup")
        world.say(player, here, right, reply_to=anew)
    places = (group, here)
    await world.wait_until(
        lambda: any("🏆" in p.text for c in places for p in world.posts(c)), PATIENCE, "the win"
    )
    return here


def count_repeated_deals(world: World, club: Chat) -> int:
    """Return how many deals of the chat repeat an earlier one."""
    deals = [
        line
        for request in world.requests
        if request.status == 200 and request.method == "sendMessage" and request.chat == club.id
        for line in str(request.params.get("text")).splitlines()
        if line.endswith("→ 24")
    ]
    return len(deals) - len(set(deals))


@pytest.mark.exhaustive
@pytest.mark.parametrize("post_seconds", [0.0, 0.3])
async def test_answers_and_deals_survive_chat_migrations(
    post_seconds: float, make_bot: BotFactory, server: postgres.Server
) -> None:
    world, rng, hands, twice = World(seed=1), random.Random(4), 0, 0
    players = [world.user(f"P{n}") for n in range(24)]
    async with BotApi(world) as api:
        bots = [make_bot(world, api.url, DATABASE_URL=server.url) for _ in range(3)]
        await start_bots(bots)
        if post_seconds:
            world.faults.add("send*", delay=post_seconds)
        kills = 0
        for n in range(choose_amount(20, 1)):
            groups = [world.group(f"G{n} {player.first_name}", player, basic=True) for player in players]
            evenings = asyncio.gather(
                *(
                    play_through_migration(world, player, group, rng)
                    for player, group in zip(players, groups, strict=True)
                )
            )
            if n % 2:
                await asyncio.sleep(rng.uniform(0.1, 1.0))
                bots[n % 3].kill()
                kills += 1
                await start_bots([bots[n % 3]])
            clubs = await evenings
            hands += len(clubs)
            await wait_until_empty(server, "inbox WHERE state = 'waiting'", bots[0])
            await wait_until_empty(server, "outbox WHERE state = 'waiting'", bots[0])
            twice += sum(count_repeated_deals(world, club) for club in clubs)
        database = await asyncpg.connect(server.url)
        won = await database.fetchval("SELECT count(DISTINCT round_id) FROM awards")
        await database.close()
        await stop_bots(bots)
    report(
        f"{post_seconds} s a post: {hands} groups moved, {kills} kills: {hands - won} lost, {twice} doubled"
    )
    assert won == hands
    assert twice <= kills
    assert all("Traceback" not in each.read_log() for each in bots)
