"""One chat sends a thousand messages a second while others play; memory does not grow."""

import asyncio
import time
from dataclasses import dataclass, field

import psutil
import pytest

from tests.faults.conftest import FULL, BotFactory, Process, relax_limit, report
from tests.telegram import BotApi, Chat, User, World

pytestmark = pytest.mark.faults
RATE = 1000  # Messages a second
SECONDS = 30.0 if FULL else 6.0
QUIET = 12  # People who play in private meanwhile
# The bot with one queue for all chats.
ONE_QUEUE = """
from bot.queue import admission, inbox
inbox.find_lane_key = lambda update: 0
admission.Admission.admit = lambda self, update, now: self.count(update) or update
from bot.__main__ import main
main()
"""
PROMISED_MS, ALLOWED_MIB = 500, 96
ALLOWED_MS = relax_limit(PROMISED_MS)


@dataclass
class NoisyGroup:
    """A noisy group, and people who ask in private meanwhile."""

    world: World
    noisy: Chat
    shouter: User
    quiet: list[User]
    waits: list[float] = field(default_factory=list)  # Seconds from a question to its answer
    shouted: int = 0

    async def shout(self, until: float) -> None:
        """Send RATE messages a second, some of them expressions."""
        begun = time.monotonic()
        while (now := time.monotonic()) < until:
            while self.shouted < (now - begun) * RATE:
                text = ("10+11", "what a day", f"/a@{self.world.bot.username} 1+1")[self.shouted % 3]
                self.world.say(self.shouter, self.noisy, text, hear=True)
                self.shouted += 1
            await asyncio.sleep(0.02)

    async def ask(self, user: User, until: float) -> None:
        """Ask repeatedly and record how long each answer takes."""
        while time.monotonic() < until:
            begun = time.perf_counter()
            self.world.say(user, user, "/help")
            await self.world.next_post(user)
            self.waits.append(time.perf_counter() - begun)
            await asyncio.sleep(0.2)

    @property
    def p95(self) -> float:
        """Return the 95th percentile of the waits in milliseconds."""
        return sorted(self.waits)[int(len(self.waits) * 0.95)] * 1000


def make_noisy_group() -> NoisyGroup:
    world = World(privacy=False, validate=False)
    shouter = world.user("Shouter")
    return NoisyGroup(
        world, world.group("Noise", shouter), shouter, [world.user(f"Q{n}") for n in range(QUIET)]
    )


def measure_memory(process: Process) -> float:
    """Return the bot's memory in MiB, without its workers."""
    return float(psutil.Process(process.process.pid).memory_info().rss) / 2**20


async def play_beside_noise(
    make_bot: BotFactory, seconds: float, *arguments: str
) -> tuple[NoisyGroup, float]:
    """Run a bot beside `seconds` of noise; return the group and the growth of memory in MiB."""
    here = make_noisy_group()
    async with BotApi(here.world) as api:
        process = make_bot(here.world, api.url)
        process.arguments = arguments or process.arguments
        process.start()
        here.world.say(here.shouter, here.noisy, "/play")
        await here.world.next_post(here.noisy, "→ 24")
        for user in here.quiet:
            here.world.say(user, user, "/help")
            await here.world.next_post(user)
        before = measure_memory(process)
        until = time.monotonic() + seconds
        await asyncio.gather(here.shout(until), *(here.ask(user, until) for user in here.quiet))
        grown = measure_memory(process) - before
        assert process.process.poll() is None
        process.stop()
    return here, grown


@pytest.mark.exhaustive
async def test_noisy_chat_does_not_delay_other_chats(make_bot: BotFactory) -> None:
    here, grown = await play_beside_noise(make_bot, SECONDS)
    report(
        f"{here.shouted} messages of one chat in {SECONDS:.0f} s: the others' p95 {here.p95:.0f} ms "
        f"({ALLOWED_MS} allowed, {len(here.waits)} answers), {grown:+.0f} MiB ({ALLOWED_MIB} allowed)"
    )
    assert here.shouted > 0.9 * RATE * SECONDS
    assert here.p95 < ALLOWED_MS
    assert grown < ALLOWED_MIB


@pytest.mark.exhaustive
async def test_control_single_queue_delays_other_chats(make_bot: BotFactory) -> None:
    here, _ = await play_beside_noise(make_bot, 3.0, "-c", ONE_QUEUE)
    report(f"control, one queue for all chats: the others' p95 {here.p95:.0f} ms")
    assert here.p95 > PROMISED_MS
