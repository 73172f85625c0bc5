"""A member floods a group with commands while another member plays."""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.queue.replicas.replica import LEASE_SECONDS
from tests.faults.conftest import (
    FULL,
    BotFactory,
    choose_amount,
    fetch_rows,
    relax_limit,
    report,
    solve_deal,
)
from tests.on_postgresql import ON_POSTGRESQL
from tests.telegram import BotApi, Chat, Limits, Message, User, World

pytestmark = pytest.mark.faults
COMMANDS, SECONDS = 200, 2.0
DEALT_WITHIN = relax_limit(3.0)
HOPELESS = "solve 999983 912917 833341 760723 694391 633877 578603 528163 482117 {n} = 7"
FLOODS: dict[str, tuple[str, ...]] = {
    "help": ("help",),
    "searches": (HOPELESS,),
    "a bit of all": (
        *("help", "stats", "leaderboard", HOPELESS, "why 8/(3-8/3)", "settings", "doctor", "daily"),
        *("play 99999", "hint", "race 99", "privacy", "export", "start", "skip", "cancel"),
    ),
    "deals": ("play", "skip"),
    "deals and questions": ("help", "play", "skip", "play", "skip"),
    "answers": ("a 1+1",),
    "hopeless deals": ("play fiendish 6 7",),
    "hopeless deals of many kinds": tuple(
        f"{command} {target}" for target in range(7, 20) for command in ("play 6 fiendish", "play all 6")
    ),
    "deals of three cards": ("play 997 fiendish 3",),
    "deals for all": ("play all 6",),
}


@dataclass
class FloodedGroup:
    """A group with a member who floods it, and one who plays."""

    world: World
    group: Chat
    shouter: User
    player: User

    def send_command(self, user: User, command: str) -> Message:
        name, _, rest = command.partition(" ")
        return self.world.say(user, self.group, f"/{name}@{self.world.bot.username} {rest}".rstrip())

    async def flood(self, commands: tuple[str, ...], count: int, seconds: float) -> None:
        """Send `count` commands, evenly over `seconds`."""
        began = time.monotonic()
        for number in range(count):
            await asyncio.sleep(max(0.0, began + seconds * number / count - time.monotonic()))
            self.send_command(self.shouter, commands[number % len(commands)].format(n=number))

    async def measure_deal(self) -> float:
        """Return the seconds from the player's /play to a hand, or to the reaction if one is in sight."""
        began = time.monotonic()
        request = self.send_command(self.player, "play")

        def is_answered() -> bool:
            posts = self.world.posts(self.group, since=request.id)
            return bool(request.reactions) or any("→" in post.text for post in posts)

        await self.world.wait_until(is_answered, what="a hand or a reaction")
        return time.monotonic() - began


def make_flooded_group() -> FloodedGroup:
    world = World()
    world.limits = Limits(chat_burst=1000)
    creator, shouter, player = (world.user(name) for name in ("Creator", "Shouter", "Player"))
    return FloodedGroup(world, world.group("Group", creator, shouter, player), shouter, player)


@pytest.mark.parametrize("commands", FLOODS if FULL else ["a bit of all"])
async def test_flood_of_one_member_delays_no_deal(make_bot: BotFactory, commands: str) -> None:
    here = make_flooded_group()
    async with BotApi(here.world) as api:
        process = make_bot(here.world, api.url)
        process.start()
        await process.wait_for_log("is ready")
        await here.flood(FLOODS[commands], COMMANDS, SECONDS)
        took = await here.measure_deal()
        minute = here.world.pace(here.group)
    report(
        f"{COMMANDS} commands ({commands}) in {SECONDS:.0f} s, /play: dealt in {took:.2f} s, {minute} posts"
    )
    assert took < DEALT_WITHIN
    assert minute <= 20
    assert here.world.limits is not None
    assert here.world.limits.refusals == 0


@pytest.mark.exhaustive
async def test_six_hundred_commands_leave_no_queue(make_bot: BotFactory, database: Path) -> None:
    here = make_flooded_group()
    async with BotApi(here.world) as api:
        process = make_bot(here.world, api.url)
        process.start()
        await process.wait_for_log("is ready")
        here.send_command(here.player, "stats")
        await here.world.next_post(here.group)  # now this replica owns the group
        await here.flood(("help",), 600, 1.0)
        took = await here.measure_deal()
        deal = next(post for post in here.world.posts(here.group) if "→" in post.text)
        await here.world.wait_until_taken()
        await asyncio.sleep(1)
        waiting = fetch_rows(database, "SELECT count(*) FROM outbox WHERE state = 'waiting'")[0][0]
        kept = fetch_rows(database, "SELECT count(*) FROM inbox")[0][0]
        began = time.monotonic()
        here.world.say(here.player, here.group, solve_deal(deal), reply_to=deal)
        await here.world.wait_until(lambda: "Player" in deal.text, 60, "the win")
        won = time.monotonic() - began
    report(
        f"600 /help in 1 s: dealt in {took:.2f} s, won in {won:.2f} s; "
        f"{kept} updates were written, {waiting} requests wait"
    )
    assert took < DEALT_WITHIN
    assert won < DEALT_WITHIN
    assert waiting <= 4
    assert kept < 60


async def test_commands_of_many_members_delay_no_deal(make_bot: BotFactory) -> None:
    """Each of them asks for little, but all of them for more than a group's pace allows."""
    here = make_flooded_group()
    crowd = [here.world.user(f"P{n}") for n in range(60)]
    async with BotApi(here.world) as api:
        process = make_bot(here.world, api.url)
        process.start()
        await process.wait_for_log("is ready")
        for user in crowd:
            here.send_command(user, "help")
        took = await here.measure_deal()
        answered = sum("/race" in post.text for post in here.world.posts(here.group))
    report(f"/help of {len(crowd)} people at once: {answered} answered, a deal within {took:.2f} s")
    assert took < DEALT_WITHIN
    assert 1 <= answered <= 16


@pytest.mark.exhaustive
@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("commands", ["play fiendish 6 {n}", "play all fiendish 6 {n}"])
async def test_slow_deals_of_several_members_delay_no_deal(
    make_bot: BotFactory, commands: str, workers: str
) -> None:
    here = make_flooded_group()
    members = [here.world.user(f"P{n}") for n in range(5)]
    async with BotApi(here.world) as api:
        process = make_bot(here.world, api.url, SOLVER_WORKERS=workers)
        process.start()
        await process.wait_for_log("is ready")
        for number in range(10):
            here.send_command(members[number % 5], commands.format(n=number + 7))
        await here.world.wait_until_taken()
        took = await here.measure_deal()
    report(f"two of {commands!r} by each of five members ({workers} workers): another's deal in {took:.2f} s")
    assert took < DEALT_WITHIN


async def test_answer_behind_a_flood_is_counted(make_bot: BotFactory, tmp_path: Path) -> None:
    """Neither an answer of another player nor one of the member who floods."""
    tries = choose_amount(20, 2)
    times = []
    for number in range(tries):
        here = make_flooded_group()
        async with BotApi(here.world) as api:
            process = make_bot(here.world, api.url, database=tmp_path / f"{number}.sqlite3")
            process.start()
            await process.wait_for_log("is ready")
            here.send_command(here.player, "play")
            deal = await here.world.next_post(here.group, "→ 24")
            await here.flood(("help", "stats", HOPELESS), 600, 0.5)
            began = time.monotonic()
            winner = (here.player, here.shouter)[number % 2]
            here.world.say(winner, here.group, solve_deal(deal), reply_to=deal)
            await here.world.wait_until(lambda: winner.first_name in deal.text, 60, "the win")  # noqa: B023
            times.append(time.monotonic() - began)
            process.stop()
    report(f"a right answer behind 600 questions, {tries} times: counted and shown within {max(times):.2f} s")
    assert max(times) < DEALT_WITHIN


@pytest.mark.exhaustive
async def test_all_presses_of_a_flood_are_answered(make_bot: BotFactory) -> None:
    here = make_flooded_group()
    async with BotApi(here.world) as api:
        process = make_bot(here.world, api.url)
        process.start()
        await process.wait_for_log("is ready")
        here.send_command(here.shouter, "leaderboard")
        board = await here.world.next_post(here.group)
        presses = [here.world.press(here.shouter, board, number % 4) for number in range(COMMANDS)]
        took = await here.measure_deal()
        await here.world.wait_until(lambda: all(p.answer is not None for p in presses), 60, "all answers")
        edits = len(here.world.calls("editMessageText"))
    report(f"{COMMANDS} presses of one person: all answered, {edits} edits; another's deal in {took:.2f} s")
    assert took < DEALT_WITHIN


@pytest.mark.exhaustive
async def test_flood_rules_hold_after_a_restart(make_bot: BotFactory) -> None:
    """With replicas the chats wait until the lease of the killed bot has ended."""
    here = make_flooded_group()
    async with BotApi(here.world) as api:
        process = make_bot(here.world, api.url)
        process.start()
        await process.wait_for_log("is ready")
        await here.flood(("help", "stats"), COMMANDS, 0.5)
        process.kill()
        process.start()
        await process.wait_for_log("is ready")
        took = await here.measure_deal()
        minute = here.world.pace(here.group)
    report(f"a kill in the midst of {COMMANDS} commands: another's deal in {took:.2f} s, {minute} posts")
    assert took < DEALT_WITHIN + (LEASE_SECONDS if ON_POSTGRESQL else 0)
    assert minute <= 20
