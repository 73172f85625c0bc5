"""Two right answers at the same time have one winner; in one process the earlier message wins."""

import asyncio
import sys
from pathlib import Path

import pytest

from bot.database import Store, Tx
from bot.queue.pacing import Pace
from bot.settings import read_settings
from tests.faults.conftest import ROOT, choose_amount, fetch_rows, report, solve_deal
from tests.on_postgresql import make_database_url
from tests.sample_rounds import make_round, store_round
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import Chat, World

pytestmark = pytest.mark.faults

UNPACED = Pace(posts_a_minute=10**6, redraw_gap=0.0)


async def test_earlier_message_wins(database: Path) -> None:
    world = World(seed=3, validate=False)
    groups = [world.group(f"Group {n}", world.user("Ann"), world.user("Bob")) for n in range(20)]
    races = choose_amount(10_000, 100)
    async with run_bot(world, database, UNPACED) as table:
        played = races // len(groups)
        earlier = await asyncio.gather(*(_play_races(table, group, played) for group in groups))
        await table.settle()
    winners = fetch_rows(
        database, "SELECT r.chat_id, a.player_id FROM awards a JOIN rounds r ON r.id = a.round_id"
    )
    expected = [(group.id, first) for group, firsts in zip(groups, earlier, strict=True) for first in firsts]
    report(f"{len(expected)} races in one process: {len(winners)} winners, all of them earlier")
    assert sorted(winners) == sorted(expected)


async def _play_races(table: LiveBot, group: Chat, races: int) -> list[int]:
    """Play races and return the id of the first player of each."""
    members = [member.user for member in group.members.values() if not member.user.is_bot]
    firsts = []
    for _ in range(races):
        deal = await table.deal(members[0], group)
        right = solve_deal(deal)
        table.world.rng.shuffle(members)
        for member in members:
            table.world.say(member, group, right, reply_to=deal)
        await table.world.wait_until(lambda: "🏆" in deal.text, 60, "a winner")  # noqa: B023
        firsts.append(members[0].id)
    return firsts


RACER = """
import asyncio, sys
from sqlalchemy.engine import make_url
from bot.rounds.rules import win_round
from bot.database import AccessMode, Store
from bot.rounds import ledger
from bot.rounds import queries as rounds
import bot.features  # registers the games

async def main(url, player, races):
    store = await Store.open(make_url(url), AccessMode.UNLOCKED)
    print("ready", flush=True)
    for number in range(1, races + 1):
        sys.stdin.readline()
        def answer(tx):
            result = win_round(rounds.load_round(tx, number), player, "8/(3-8/3)", 10.0)
            if result is None:
                return False
            closed, award = result
            return rounds.close_round(tx, closed) and ledger.insert_award(tx, closed, award, number, 10.0)
        print("won" if await store.write_with_retries(answer) else "late", flush=True)
    await store.close()

asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
"""


async def test_two_processes_agree_on_one_winner(database: Path) -> None:
    races = choose_amount(2_000, 200)
    shared = read_settings({"DATABASE_URL": make_database_url(database)}).database
    url = shared.render_as_string(hide_password=False)
    store = await Store.open(shared)
    for number in range(1, races + 1):
        await store.write(lambda tx: _insert_round(tx, number))  # noqa: B023
    await store.close()
    racers = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", RACER, url, str(player), str(races)), stdin=-1, stdout=-1, cwd=ROOT
        )
        for player in (1, 2)
    ]
    answers = await asyncio.gather(*(_read_line(racer) for racer in racers))
    assert answers == ["ready", "ready"]
    won = [0, 0]
    for _ in range(races):
        for racer in racers:
            racer.stdin.write(b"\n")  # type: ignore[union-attr]
        answers = await asyncio.gather(*(_read_line(racer) for racer in racers))
        assert sorted(answers) == ["late", "won"]
        won[answers.index("won")] += 1
    await asyncio.gather(*(racer.wait() for racer in racers))
    awards = fetch_rows(database, "SELECT count(*), count(DISTINCT round_id) FROM awards")
    report(f"{races} races across two processes: {won[0]} + {won[1]} winners")
    assert awards == [(races, races)]
    assert min(won) > 0


async def _read_line(racer: asyncio.subprocess.Process) -> str:
    assert racer.stdout is not None
    return (await racer.stdout.readline()).decode().strip()


def _insert_round(tx: Tx, number: int) -> None:
    assert store_round(tx, make_round(chat_id=-number, level="hard", opened=0.0, deadline=None)).id == number
