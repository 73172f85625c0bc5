"""This machine's clock may be wrong, or be set while people play: deadlines and looks go by Telegram's."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bot.delivery.arrivals import Arrivals, uptime
from bot.delivery.inbox import AHEAD
from bot.people import queries as people
from bot.service import build
from bot.settings import read
from tests.stories.conftest import Evening, Opened, Restarted, SolvingHere
from tests.stories.hours import Hours
from tests.stories.test_deadlines import SOLUTION, looked, slow_deals
from tests.telegram import World, WorldRequest


def set_clock(this: Evening, hours: Hours, by: float) -> None:
    """Somebody sets the machine's clock; Telegram's goes on as before."""
    this.service.inbox.wall = lambda: hours() + by
    this.service.outbox._wall = this.service.timers._wall = this.service.inbox.wall


async def test_a_clock_that_is_ahead_takes_nobodys_time(opened: Opened) -> None:
    """Deadlines count by Telegram's dates; this machine's clock is twenty seconds ahead of them."""
    hours = Hours()
    world = World(clock=hours)
    ann = world.user("Ann")
    family = world.group("Family", ann)
    this = await opened(world)
    set_clock(this, hours, 20)
    deal = await this.dealt(ann, family, 3, 8, 3, 8)
    hours.pass_(590)
    await looked(this)
    assert SOLUTION not in deal.text
    await this.says(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text


async def test_how_far_the_clock_is_ahead_survives_a_restart(restarted: Restarted) -> None:
    hours = Hours()
    world = World(clock=hours)
    ann = world.user("Ann")
    family = world.group("Family", ann)
    this = await restarted(world)
    this.service.inbox.wall = this.service.outbox._wall = lambda: hours() + 60
    await this.dealt(ann, family, 3, 8, 3, 8)
    await this.settled()
    this = await restarted(world)
    assert 55 < this.service.inbox.arrivals.ahead <= 60


@pytest.mark.parametrize("ahead", [60.0, -60.0])
async def test_a_look_at_a_hand_is_dated_as_its_answers_are(opened: Opened, ahead: float) -> None:
    """Whatever this machine's clock says: who looked the hand up before the answer scores nothing."""
    hours = Hours()
    world = World(clock=hours)
    ann, bob = world.user("Ann"), world.user("Bob")
    family = world.group("Family", bob, ann)
    this = await opened(world)
    this.service.inbox.wall = this.service.outbox._wall = lambda: hours() + ahead
    await this.dealt(bob, family, 1, 2, 3, 4)
    await this.says(bob, family, "1*2*3*4")
    deal = await this.dealt(bob, family, 3, 8, 3, 8)
    hours.pass_(3)
    world.inline(ann, "3 8 3 8")
    await this.settled()
    hours.pass_(3)
    await this.says(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" not in deal.text


@pytest.mark.parametrize("jump", [60, 200, 3600, -200])
@pytest.mark.parametrize("deals", [0, 2])
async def test_a_clock_that_is_set_takes_nobodys_time(opened: Opened, jump: int, deals: int) -> None:
    hours = Hours()
    world = World(clock=hours)
    ann = world.user("Ann")
    family = world.group("Family", ann)
    this = await opened(world)
    for _ in range(deals):
        deal = await this.dealt(ann, family, 4, 4, 7, 7)
        await this.says(ann, family, "7*(4-4/7)", reply_to=deal)
        hours.pass_(10)
    deal = await this.dealt(ann, family, 3, 8, 3, 8)
    await this.settled()
    set_clock(this, hours, jump)
    hours.pass_(590)
    await looked(this)
    assert SOLUTION not in deal.text
    await this.says(ann, family, SOLUTION, reply_to=deal)
    assert f"\u2068Ann\u2069: {SOLUTION} = 24" in deal.text


@pytest.mark.parametrize("jump", [60, -60])
async def test_a_clock_that_is_set_keeps_no_hand_open(opened: Opened, jump: int) -> None:
    hours = Hours()
    world = World(clock=hours)
    ann = world.user("Ann")
    family = world.group("Family", ann)
    this = await opened(world)
    deal = await this.dealt(ann, family, 3, 8, 3, 8)
    await this.settled()
    set_clock(this, hours, jump)
    hours.pass_(604)
    await looked(this)
    assert f"💭 {SOLUTION} = 24" in deal.text


@pytest.mark.parametrize("ahead", [250, 3600, 90_000])
async def test_a_clock_that_is_far_ahead_from_the_start(opened: Opened, ahead: int) -> None:
    hours = Hours()
    world = World(clock=hours)
    ann = world.user("Ann")
    family = world.group("Family", ann)
    this = await opened(world)
    set_clock(this, hours, ahead)
    deal = await this.dealt(ann, family, 3, 8, 3, 8)
    await this.settled()
    hours.pass_(590)
    await looked(this)
    assert SOLUTION not in deal.text
    await this.says(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text


async def test_a_clock_that_is_set_right_at_last_leaves_no_chat_waiting(opened: Opened) -> None:
    """The machine stood still for an hour, and its clock was set after that: it looks as if it ran ahead."""
    hours = Hours()
    world = World(clock=hours)
    ann = world.user("Ann")
    family = world.group("Family", ann)
    this = await opened(world)
    deal = await this.dealt(ann, family, 3, 8, 3, 8)
    await this.settled()
    this.service.inbox.uptime = lambda: hours() - 3600
    hours.pass_(3600)
    await this.says(ann, world.place(ann), "/help")
    await looked(this)
    assert f"💭 {SOLUTION} = 24" in deal.text


@pytest.mark.parametrize("jump", [10, 60, 3600])
async def test_a_look_at_a_hand_after_the_clock_was_set(opened: Opened, jump: int) -> None:
    hours = Hours()
    world = World(clock=hours)
    ann, bob = world.user("Ann"), world.user("Bob")
    family = world.group("Family", bob, ann)
    this = await opened(world)
    deal = await this.dealt(bob, family, 3, 8, 3, 8)
    await this.settled()
    set_clock(this, hours, jump)
    hours.pass_(5)
    asked = world.inline(ann, "3 8 3 8")
    await this.settled()
    assert SOLUTION in str(asked.results)
    hours.pass_(3)
    await this.says(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" not in deal.text


@pytest.mark.parametrize("jump", [0, 10])
async def test_a_look_after_an_answer_was_sent_costs_nothing(opened: Opened, jump: int) -> None:
    """The answer is heard only after the look, since its chat waited for something slow."""
    hours = Hours()
    world = World(clock=hours)
    ann, bob = world.user("Ann"), world.user("Bob")
    family = world.group("Family", bob, ann, forum=True)
    elsewhere = world.topic(family, "Elsewhere", bob)
    this = await opened(world)
    deal = await this.dealt(bob, family, 3, 8, 3, 8)
    await this.settled()
    set_clock(this, hours, jump)
    free = asyncio.Event()
    slow_deals(this, free)
    world.say(bob, family, "/play@TwentyFourTestBot", topic=elsewhere)
    world.say(ann, family, SOLUTION, reply_to=deal)
    await world.taken()
    hours.pass_(5)
    asked = world.inline(ann, "3 8 3 8")
    await world.until(lambda: asked.results, 60, "the look")
    free.set()
    await this.settled()
    assert f"\u2068Ann\u2069: {SOLUTION} = 24" in deal.text


async def test_the_time_left_tells_how_far_the_clock_is_ahead(opened: Opened) -> None:
    """The bot was started anew with a clock that is ahead, and nobody deals; its edits are dated as well."""
    hours = Hours()
    world = World(clock=hours)
    ann = world.user("Ann")
    family = world.group("Family", ann)
    this = await opened(world)
    await this.dealt(ann, family, 3, 8, 3, 8)
    await this.settled()
    this.service.inbox.arrivals = Arrivals()  # nothing is known, as after a start
    set_clock(this, hours, 60)
    hours.pass_(70)
    await looked(this)
    assert 58 < this.service.inbox.arrivals.ahead <= 60


@pytest.mark.parametrize("stored", ["nan", "inf", "-inf", "1e12", "x", ""])
async def test_a_stored_lead_that_no_clock_can_have(restarted: Restarted, stored: str) -> None:
    hours = Hours()
    world = World(clock=hours)
    ann = world.user("Ann")
    family = world.group("Family", ann)
    this = await restarted(world)
    await this.services.store.write(lambda tx: people.remember(tx, AHEAD, stored))
    this = await restarted(world)
    assert this.service.inbox.arrivals.ahead == 0.0
    deal = await this.dealt(ann, family, 3, 8, 3, 8)
    await this.says(ann, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text


async def test_a_post_that_was_looked_for_tells_nothing_of_clocks(opened: Opened) -> None:
    """It has no date that is Telegram's; the hand's time counts from when it went out all the same."""
    hours = Hours()
    world = World(clock=hours)
    ann = world.user("Ann")
    family = world.group("Family", ann)
    this = await opened(world)
    set_clock(this, hours, 60)
    first = await this.dealt(ann, family, 4, 4, 7, 7)
    await this.says(ann, family, "7*(4-4/7)", reply_to=first)
    hours.pass_(10)
    world.faults.add("sendMessage", effect=True, count=1, status=502)
    this.rig(3, 8, 3, 8)
    world.say(ann, family, "/play@TwentyFourTestBot")
    deal = await world.next_post(family, "3 8 3 8")
    await this.settled()
    assert 58 < this.service.inbox.arrivals.ahead <= 60
    hours.pass_(604)
    await looked(this)
    assert f"💭 {SOLUTION} = 24" in deal.text


async def test_the_bot_looks_at_a_clock_that_nobody_sets(database: Path) -> None:
    world = World()
    settings = read({"BOT_TOKEN": world.token, "DATABASE_URL": f"sqlite:///{database}"})
    async with AsyncExitStack() as stack:
        service = await build(settings, WorldRequest(world), stack, solving=SolvingHere())
        assert service.inbox.uptime is uptime


async def test_a_clock_that_is_set_back_lets_nothing_lie(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is let go of after a time is looked at every hour, also while the clock shows a time before."""
    hours, tidied = Hours(), list[float]()
    this = await opened(World(clock=hours))
    monkeypatch.setattr("bot.delivery.queries.forget_old", lambda tx, now: tidied.append(now))
    await looked(this)
    set_clock(this, hours, -36 * 3600)
    await looked(this)
    hours.pass_(1800)
    await looked(this)
    assert len(tidied) == 2
    hours.pass_(1801)
    await looked(this)
    assert len(tidied) == 3
