"""A machine whose clock is 400 days ahead, until it is set right."""

import asyncio
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.faults.conftest import BotFactory, Process, fetch_rows, solve_deal, wait_until_empty
from tests.telegram import BotApi, Chat, Message, User, World

pytestmark = pytest.mark.faults

AHEAD = 400 * 86_400
HISTORY = (
    "SELECT count(*) FROM inbox WHERE state = 'done'",
    "SELECT count(*) FROM rounds",
    "SELECT count(*) FROM rounds WHERE state = 'open'",
)


def count_history(database: Path) -> list[int]:
    """Return the numbers of finished updates, rounds and open rounds."""
    return [fetch_rows(database, query)[0][0] for query in HISTORY]


async def deal_hand(world: World, player: User, group: Chat) -> Message:
    world.say(player, group, f"/play@{world.bot.username}")
    return await world.next_post(group, "→ 24", timeout=60)


async def win_hand(world: World, player: User, group: Chat, deal: Message, timeout: float = 60.0) -> None:
    world.say(player, group, solve_deal(deal), reply_to=deal)
    await world.wait_until(lambda: "🏆" in deal.text, timeout, "the win")


def read_health(port: int) -> str:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz") as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        return error.read().decode()


def shift_clock(process: Process, seconds: float) -> None:
    """Set by how many seconds the process's clock is ahead."""
    shift = process.log.with_suffix(".shift")
    shift.write_text(str(seconds))
    process.environment["SHIFT"] = str(shift)


@pytest.mark.exhaustive
async def test_clock_400_days_ahead_deletes_and_ends_nothing(
    make_bot: BotFactory, database: Path, free_port: int
) -> None:
    world = World(seed=7)
    ann = world.user("Ann")
    club, other = world.group("Club", ann), world.group("Other", ann)
    async with BotApi(world) as api:
        process = make_bot(world, api.url, HEALTH_LISTEN=f"127.0.0.1:{free_port}")
        process.arguments = ("-m", "tests.faults.bot_with_wrong_clock")
        shift_clock(process, 0)
        process.start()
        for _ in range(3):
            await win_hand(world, ann, club, await deal_hand(world, ann, club))
        waiting = await deal_hand(world, ann, other)
        await world.wait_until_taken()
        await wait_until_empty(database, process, "outbox WHERE state = 'waiting'")
        process.kill()
        before = count_history(database)
        assert before[2] == 1

        shift_clock(process, AHEAD)
        process.start()
        await process.wait_for_log("s ahead of Telegram's: set it right")
        before_that = process.read_log().partition("ahead of Telegram's")[0]
        assert before_that.count("is ready") == 1, "the warning comes before the second start is ready"
        deal = await deal_hand(world, ann, club)
        assert "⏳ 10 min left" in deal.text
        await win_hand(world, ann, club, deal)
        assert "ahead of Telegram's" in await asyncio.to_thread(read_health, free_port)
        after = count_history(database)
        assert after[0] > before[0], "no update's id was forgotten"
        assert after[1:] == [before[1] + 1, 1], "no round was summed up, and none has ended"
        with pytest.raises(subprocess.CalledProcessError) as caught:
            await process.run_command("check")
        assert "s ahead of Telegram's" in caught.value.output
        assert "timedatectl set-ntp true" in caught.value.output

        shift_clock(process, 0)
        await win_hand(world, ann, other, waiting, timeout=5.0)
        await process.wait_for_log("this machine's clock agrees with Telegram's again", 5.0)
        await win_hand(world, ann, club, await deal_hand(world, ann, club), timeout=5.0)
        assert await asyncio.to_thread(read_health, free_port) == "ok\n"
    assert not world.violations
