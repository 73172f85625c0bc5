"""A machine whose clock is 400 days ahead: nothing is lost by it, and it may be set right at any time."""

import asyncio
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.faults.conftest import Process, Started, answer_to, none, rows
from tests.telegram import BotApi, Chat, Message, User, World

pytestmark = pytest.mark.faults

AHEAD = 400 * 86_400
HISTORY = (
    "SELECT count(*) FROM inbox WHERE state = 'done'",
    "SELECT count(*) FROM rounds",
    "SELECT count(*) FROM rounds WHERE state = 'open'",
)


def counted(database: Path) -> list[int]:
    """How many finished updates, rounds and open rounds there are."""
    return [rows(database, query)[0][0] for query in HISTORY]


async def dealt(world: World, player: User, group: Chat) -> Message:
    world.say(player, group, f"/play@{world.bot.username}")
    return await world.next_post(group, "→ 24", timeout=60)


async def won(world: World, player: User, group: Chat, deal: Message, within: float = 60.0) -> None:
    world.say(player, group, answer_to(deal), reply_to=deal)
    await world.wait_until(lambda: "🏆" in deal.text, within, "the win")


def health(port: int) -> str:
    """What /healthz says."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz") as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        return error.read().decode()


def shown(process: Process, by: float) -> None:
    """Let the process's clock be ahead by so many seconds."""
    shift = process.log.with_suffix(".shift")
    shift.write_text(str(by))
    process.environment["SHIFT"] = str(shift)


async def test_a_clock_that_is_ahead_deletes_and_ends_nothing(
    bot: Started, database: Path, free_port: int
) -> None:
    world = World(seed=7)
    ann = world.user("Ann")
    club, other = world.group("Club", ann), world.group("Other", ann)
    async with BotApi(world) as api:
        process = bot(world, api.url, HEALTH_LISTEN=f"127.0.0.1:{free_port}")
        process.arguments = ("-m", "tests.faults.bot_with_wrong_clock")
        shown(process, 0)
        process.start()
        for _ in range(3):
            await won(world, ann, club, await dealt(world, ann, club))
        waiting = await dealt(world, ann, other)
        await world.wait_until_taken()
        await none(database, process, "outbox WHERE state = 'waiting'")
        process.kill()
        before = counted(database)
        assert before[2] == 1

        shown(process, AHEAD)
        process.start()
        await process.says("s ahead of Telegram's: set it right")
        before_that = process.said().partition("ahead of Telegram's")[0]
        assert before_that.count("is ready") == 1, "it is told before anything else is done"
        deal = await dealt(world, ann, club)
        assert "⏳ 10 minutes left" in deal.text
        await won(world, ann, club, deal)
        assert "ahead of Telegram's" in await asyncio.to_thread(health, free_port)
        after = counted(database)
        assert after[0] > before[0], "no update's id was forgotten"
        assert after[1:] == [before[1] + 1, 1], "no round was summed up, and none has ended"
        with pytest.raises(subprocess.CalledProcessError) as caught:
            await process.operator("check")
        assert "s ahead of Telegram’s" in caught.value.output
        assert "timedatectl set-ntp true" in caught.value.output

        shown(process, 0)
        await won(world, ann, other, waiting, within=5.0)
        await process.says("this machine's clock agrees with Telegram's again", 5.0)
        await won(world, ann, club, await dealt(world, ann, club), within=5.0)
        assert await asyncio.to_thread(health, free_port) == "ok\n"
    assert not world.violations
