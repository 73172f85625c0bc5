"""The bot in its own process against a Bot API server, by long polling and by webhook."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

import solver
from bot.formats import format_expression
from tests.stories.conftest import read_reactions
from tests.telegram import BotApi, Chat, Message, User, World

ROOT = Path(__file__).parent.parent.parent
SECRET = "made-up_0123456789"  # noqa: S105 - not a real secret
START = 60.0  # Seconds that a busy machine may take to start a process


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def make_webhook_settings(mode: str) -> dict[str, str]:
    """Return the environment variables for polling or for a webhook."""
    if mode == "polling":
        return {}
    port = find_free_port()
    return {
        "WEBHOOK_URL": f"http://127.0.0.1:{port}/updates/telegram",
        "WEBHOOK_LISTEN": f"127.0.0.1:{port}",
        "WEBHOOK_SECRET": SECRET,
    }


@asynccontextmanager
async def run_process(
    world: World, api: BotApi, database: Path, mode: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run the bot's process; stop it by a signal at the end, unless the test has killed it."""
    own = {
        "BOT_TOKEN": world.token,
        "BOT_API_URL": api.url,
        "DATABASE_URL": f"sqlite:///{database}",
        "LOG_LEVEL": "WARNING",
        "SOLVER_WORKERS": "1",
        "SOLVER_DEADLINE": "60",
    }
    keep = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        cwd=ROOT,
        env={**keep, **own, **make_webhook_settings(mode)},
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
        if process.returncode is None:
            process.terminate()
            assert await asyncio.wait_for(process.wait(), 60) == 0
            assert await _kill_and_read_errors(process) == ""
    except AssertionError as error:
        error.add_note(
            f"the process (exit code {process.returncode}) wrote: {await _kill_and_read_errors(process)}"
        )
        raise
    finally:
        await _kill_and_read_errors(process)


async def _kill_and_read_errors(process: asyncio.subprocess.Process) -> str:
    """Kill the process if it still runs, and return the text of its standard error."""
    if process.returncode is None:
        process.kill()
        await process.wait()
    return (await process.stderr.read()).decode() if process.stderr else ""


def solve_deal(deal: Message) -> str:
    """Return a right answer to a deal."""
    line = next(line for line in deal.text.splitlines() if line.endswith(" → 24"))
    return str(next(solver.solve([int(n) for n in line.removesuffix(" → 24").split()])))


async def play_round(world: World, group: Chat, ann: User, bob: User, li: User) -> Message:
    """Play a round in a group with privacy mode, won by 李雷; return the next deal, still open."""
    me = world.bot.username
    world.say(ann, group, f"/play@{me}")
    deal = await world.next_post(group, "→ 24")
    world.say(bob, group, solve_deal(deal))  # ordinary talk: privacy mode keeps it from the bot
    world.say(bob, group, "1+1", reply_to=deal)
    await world.wait_until(lambda: ": 1+1 = 2" in deal.text, what="a note")  # whatever was dealt
    assert " = 24" not in deal.text
    first = world.say(li, group, f"/a@{me} {solve_deal(deal)}")
    await world.wait_until(lambda: " = 24" in deal.text, what="a win")
    assert f"🏆 \u2068李雷\u2069: {format_expression(solve_deal(deal))} = 24" in deal.text.splitlines()
    late = world.say(bob, group, solve_deal(deal), reply_to=deal)
    await world.wait_until(lambda: late.reactions and first.reactions, what="both reactions")
    assert (read_reactions(first), read_reactions(late)) == ("🏆", "👏")
    press = world.press(bob, deal)
    after = await world.next_post(group, "→ 24")
    assert await world.answer_to(press) == ""
    return after


async def load_leaderboard(world: World, user: User, chat: Chat) -> list[str]:
    """Send /leaderboard and return the ranked lines of the reply."""
    world.say(user, chat, f"/leaderboard@{world.bot.username}")
    post = await world.next_post(chat, " — ")
    return [line for line in post.text.splitlines() if line[:1].isdigit()]


@pytest.mark.long
@pytest.mark.parametrize("mode", ["polling", "webhook"])
async def test_group_plays_over_http(mode: str, tmp_path: Path) -> None:
    world = World(privacy=True)
    ann, bob, li = world.user("Ann"), world.user("Bob"), world.user("李雷", language_code="zh-hans")
    group = world.group("Family", ann, bob, li)
    async with BotApi(world) as api, run_process(world, api, tmp_path / "games.sqlite3", mode) as process:
        deal = await play_round(world, group, ann, bob, li)
        assert len(await load_leaderboard(world, bob, group)) == 1
        asked, solution = ("3 8 3 8", "8/(3-8/3)")
        if solve_deal(deal) == "8/(3-8/3)":
            asked, solution = ("1 5 5 5", "5*(5-1/5)")  # the former is live, by chance
        world.say(li, li, f"/solve {asked}")
        assert f"{format_expression(solution)} = 24" in (await world.next_post(li, " = 24")).text
        workers = psutil.Process(process.pid).children(recursive=True)
        assert workers, "the solver has processes of its own"
        world.say(ann, group, solve_deal(deal), reply_to=deal)
        await world.wait_until(lambda: " = 24" in deal.text, what="a second win")
    _, alive = psutil.wait_procs(workers, timeout=60)
    assert alive == [], "a clean stop takes them along"
    assert not world.violations


@pytest.mark.long
async def test_round_continues_after_a_kill(tmp_path: Path) -> None:
    world = World()
    ann, bob = world.user("Ann"), world.user("Bob")
    group = world.group("Family", ann, bob)
    async with BotApi(world) as api:
        async with run_process(world, api, tmp_path / "games.sqlite3", "polling") as process:
            world.say(ann, group, f"/play@{world.bot.username}")
            deal = await world.next_post(group, "→ 24")
            process.kill()
            await process.wait()
        world.say(bob, group, solve_deal(deal), reply_to=deal)
        async with run_process(world, api, tmp_path / "games.sqlite3", "polling"):
            # Killed before it knew that its deal had arrived, the bot may show it a second time.
            await world.wait_until(
                lambda: any(" = 24" in post.text for post in world.posts(group)), START, "the round going on"
            )
            assert len(await load_leaderboard(world, bob, group)) == 1
    assert not world.violations
