"""Posts leave one at a time, but none keeps the next waiting for long."""

import asyncio
from itertools import pairwise

import pytest

from bot.queue.send_mutex import SendMutex
from tests.jumping import START, jumping, now, passed


class Turns:
    def __init__(self) -> None:
        self.gate = SendMutex(0.5, 0.5)
        self.times: list[tuple[str, float]] = []

    async def take(self, name: str, takes: float, posts: bool = True) -> None:
        async with self.gate.take_turn(posts):
            self.times.append((name, now() - START))
            await asyncio.sleep(takes)


@jumping
async def test_a_post_waits_for_the_one_before() -> None:
    turns = Turns()
    await asyncio.gather(*(turns.take(name, 0.25) for name in "abc"))
    assert turns.times == [("a", 0.0), ("b", 0.25), ("c", 0.5)]


@jumping
async def test_a_slow_post_keeps_the_next_waiting_for_so_long() -> None:
    turns = Turns()
    await asyncio.gather(*(turns.take(name, 10.0) for name in "abc"))
    assert turns.times == [("a", 0.0), ("b", 0.5), ("c", 1.0)]


@jumping
async def test_those_who_wait_for_an_answer_share_their_patience() -> None:
    """One waits as long as all of it, four a quarter each: to the next look, each tenth of a second."""
    gate, times = SendMutex(0.1, 1.0), list[tuple[str, float]]()

    async def post(name: str, takes: float) -> None:
        async with gate.take_turn(True) as turn:
            await turn.prepare()
            turn.mark_sent()
            times.append((name, round(now() - START, 3)))
            await asyncio.sleep(takes)

    await asyncio.gather(*(post(name, 10.0) for name in "abcde"))
    assert times == [("a", 0.0), ("b", 0.3), ("c", 0.7), ("d", 1.2), ("e", 2.2)]
    times.clear()
    began = now() - START
    await asyncio.gather(post("alone", 0.9), post("next", 0.0))
    assert [(name, round(at - began, 3)) for name, at in times] == [("alone", 0.0), ("next", 0.9)]


@jumping
async def test_whoever_comes_while_nobody_waited_waits_no_longer_for_it() -> None:
    gate, times = SendMutex(0.1, 1.0), list[float]()

    async def post(after: float, takes: float) -> None:
        await asyncio.sleep(after)
        async with gate.take_turn(True) as turn:
            await turn.prepare()
            turn.mark_sent()
            times.append(round(now() - START, 3))
            await asyncio.sleep(takes)

    await asyncio.gather(post(0.0, 10.0), post(0.75, 0.0), post(3.0, 0.0))
    assert times == [0.0, 1.0, 3.0]


@jumping
async def test_what_telegram_has_answered_keeps_the_next_until_it_is_marked() -> None:
    turns, order = Turns(), list[tuple[str, float]]()

    async def post(name: str, *phases: float) -> None:
        async with turns.gate.take_turn(True) as turn:
            before, asking, marking = phases
            await asyncio.sleep(before)
            await turn.prepare()
            turn.mark_sent()
            order.append((name, now() - START))
            await asyncio.sleep(asking)
            turn.mark_answered()
            await asyncio.sleep(marking)

    await asyncio.gather(
        post("marked late", 0.4, 0.4, 1.5),
        post("answered late", 0.0, 0.75, 0.0),
        post("hardly marked", 0.0, 0.0, 10.0),
        post("last", 0.0, 0.0, 0.0),
    )
    assert [name for name, _ in order] == ["marked late", "answered late", "hardly marked", "last"]
    # 0.4 + 0.4 + 1.5; half a second for the answer; and no longer than that for the mark
    assert [at for _, at in order] == pytest.approx([0.4, 2.3, 2.8, 6.8])


@jumping
async def test_what_took_long_to_prepare_waits_again() -> None:
    """Where a database answers slowly, what others posted meanwhile is marked before it leaves."""
    gate, order = SendMutex(0.5, 0.5), list[tuple[str, float]]()

    async def post(name: str, before: float, marking: float, since: float = 0.0) -> None:
        await asyncio.sleep(since)
        async with gate.take_turn(True) as turn:
            await asyncio.sleep(before)
            await turn.prepare()
            turn.mark_sent()
            order.append((name, now() - START))
            turn.mark_answered()
            await asyncio.sleep(marking)
            order.append((f"{name} is marked", now() - START))

    await asyncio.gather(post("slow", 0.75, 0.5), post("quick", 0.0, 1.0), post("last", 0.0, 0.0, since=1.0))
    assert order == [
        ("quick", 0.5),
        ("quick is marked", 1.5),
        ("slow", 1.5),
        ("slow is marked", 2.0),
        ("last", 2.0),
        ("last is marked", 2.0),
    ]


@jumping
async def test_who_had_a_turn_before_comes_before_those_who_had_none() -> None:
    """Each keeps a place of all that are under way, and does not give it back before it has gone."""
    gate, places, order = SendMutex(0.1, 0.1), asyncio.Semaphore(3), list[tuple[int, float]]()

    async def post(number: int) -> None:
        async with gate.take_turn(True) as turn, places:
            await asyncio.sleep(0.15)  # the pace that it shares with other bots
            await turn.prepare()
            turn.mark_sent()
            order.append((number, round(now() - START, 2)))
            turn.mark_answered()

    await asyncio.gather(*map(post, range(40)))
    assert [number for number, _ in order] == list(range(40))
    gaps = [later - before for (_, before), (_, later) in pairwise(order)]
    assert max(gaps) <= 0.15


@jumping
async def test_whoever_is_cancelled_while_they_wait_is_passed_over() -> None:
    gate, order = SendMutex(0.5, 0.5), list[str]()

    async def post(name: str) -> None:
        async with gate.take_turn(True):
            order.append(name)
            await asyncio.sleep(0.25)

    tasks = {name: asyncio.create_task(post(name)) for name in "abcd"}
    await passed(0.1)
    tasks["b"].cancel()
    await passed(0.1)
    tasks["a"].cancel()  # the turn goes to c in this very moment, and c is cancelled, too
    await asyncio.sleep(0)
    tasks["c"].cancel()
    await asyncio.gather(*tasks.values(), return_exceptions=True)
    assert order == ["a", "d"]
    async with asyncio.timeout(60.0):
        await post("e")


@jumping
async def test_what_is_ready_has_time_to_write_something_down() -> None:
    turns, times = Turns(), list[float]()

    async def ready() -> None:
        async with turns.gate.take_turn(True) as turn:
            await turn.prepare()
            await asyncio.sleep(1.0)
            turn.mark_sent()
            times.append(now() - START)
            await asyncio.sleep(0.25)

    await asyncio.gather(ready(), turns.take("next", 0.0))
    assert (times, turns.times) == ([1.0], [("next", 1.25)])


@jumping
async def test_one_that_had_its_time_lets_no_two_go_at_its_end() -> None:
    turns = Turns()
    await asyncio.gather(
        turns.take("a", 0.75), turns.take("b", 10.0), turns.take("c", 0.1), turns.take("d", 0.1)
    )
    assert turns.times == [("a", 0.0), ("b", 0.5), ("c", 1.0), ("d", pytest.approx(1.1))]


@jumping
async def test_what_makes_no_message_waits_for_nobody() -> None:
    turns = Turns()
    await asyncio.gather(turns.take("a", 1.0), turns.take("edit", 1.0, posts=False))
    assert turns.times == [("a", 0.0), ("edit", 0.0)]


@jumping
async def test_who_is_cancelled_lets_the_next_go() -> None:
    turns = Turns()
    first = asyncio.create_task(turns.take("a", 10.0))
    await passed(0.25)
    first.cancel()
    await turns.take("b", 0.0)
    assert turns.times == [("a", 0.0), ("b", 0.25)]
    await passed(1.0)
    await turns.take("c", 0.0)


async def test_one_that_ends_with_those_who_wait_for_it_gives_its_turn_to_nobody() -> None:
    """All are cancelled in one go, and the one that has the turn is told first."""
    gate, has = SendMutex(5.0, 5.0), asyncio.Event()

    async def take() -> None:
        async with gate.take_turn(is_post=True):
            has.set()
            await asyncio.sleep(3600)

    tasks = [asyncio.create_task(take()) for _ in range(3)]
    await has.wait()
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(end) for end in ends] == [asyncio.CancelledError] * 3
    async with asyncio.timeout(60):
        await gate.acquire()
