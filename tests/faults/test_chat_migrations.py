"""Groups that become supergroups in the midst of a hand, while several bots serve them and one is killed."""

import asyncio
import random
from collections.abc import Iterator

import asyncpg  # type: ignore[import-untyped]
import pytest

from tests.faults import postgres
from tests.faults.conftest import Started, answer_to, figure, show
from tests.faults.test_kill import PATIENCE, Table
from tests.faults.test_replicas import none, start, stopped
from tests.telegram import BotApi, Chat, User, World

pytestmark = pytest.mark.faults
AROUND = ["answer", "answer", "/leaderboard", "/hint", "migrate"]


@pytest.fixture
def server(free_port: int) -> Iterator[postgres.Server]:
    with postgres.server(free_port) as made:
        yield made


async def evening(world: World, player: User, group: Chat, rng: random.Random) -> Chat:
    """A deal, and then in any order an answer, questions, and the move; whatever is said goes where the group
    is by then. Returns the supergroup, once the hand is won.
    """
    table = Table(world, player, group)
    deal = await table.deal()
    right, here, answered = answer_to(deal), group, False
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


def doubled(world: World, club: Chat) -> int:
    """How often a hand was posted in a chat that was there already."""
    deals = [
        line
        for request in world.requests
        if request.status == 200 and request.method == "sendMessage" and request.chat == club.id
        for line in str(request.params.get("text")).splitlines()
        if line.endswith("→ 24")
    ]
    return len(deals) - len(set(deals))


@pytest.mark.exhaustive
@pytest.mark.parametrize("seconds", [0.0, 0.3])
async def test_every_answer_counts_and_every_hand_is_dealt_once(
    seconds: float, bot: Started, server: postgres.Server
) -> None:
    """`seconds` is how long Telegram takes for each post."""
    world, rng, hands, twice = World(seed=1), random.Random(4), 0, 0
    players = [world.user(f"P{n}") for n in range(24)]
    async with BotApi(world) as api:
        bots = [bot(world, api.url, DATABASE_URL=server.url) for _ in range(3)]
        await start(bots)
        if seconds:
            world.faults.add("send*", delay=seconds)
        kills = 0
        for n in range(figure(20, 1)):
            groups = [world.group(f"G{n} {player.first_name}", player, basic=True) for player in players]
            evenings = asyncio.gather(
                *(evening(world, player, group, rng) for player, group in zip(players, groups, strict=True))
            )
            if n % 2:
                await asyncio.sleep(rng.uniform(0.1, 1.0))
                bots[n % 3].kill()
                kills += 1
                await start([bots[n % 3]])
            clubs = await evenings
            hands += len(clubs)
            await none(server, "inbox WHERE state = 'waiting'", bots[0])
            await none(server, "outbox WHERE state = 'waiting'", bots[0])
            twice += sum(doubled(world, club) for club in clubs)
        database = await asyncpg.connect(server.url)
        won = await database.fetchval("SELECT count(DISTINCT round_id) FROM awards")
        await database.close()
        await stopped(bots)
    show(
        f"posts in {seconds} s: {hands} groups moved, {kills} kills: {hands - won} lost, {twice} dealt twice"
    )
    assert won == hands
    assert twice <= kills
    assert all("Traceback" not in each.said() for each in bots)
