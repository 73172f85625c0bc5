"""Who is served at once, and that waiting for the solver keeps nobody else from it."""

import asyncio

from bot.workers.places import Place, away


async def test_a_place_is_given_back_while_its_holder_is_away() -> None:
    places = asyncio.Semaphore(1)
    async with Place(places).held():
        assert places.locked()
        async with away():
            assert not places.locked()
        assert places.locked()
    assert not places.locked()


async def test_after_its_time_a_place_is_neither_given_back_nor_taken() -> None:
    places = asyncio.Semaphore(1)
    async with Place(places).held():
        pass
    async with away():
        assert not places.locked()
    assert not places.locked()


async def test_two_tasks_that_come_back_take_one_place() -> None:
    places, go = asyncio.Semaphore(2), asyncio.Event()

    async def back_later() -> None:
        async with away():
            await go.wait()

    async def back_at_once() -> None:
        await go.wait()
        async with away():
            pass

    async with Place(places).held():
        tasks = [asyncio.create_task(back_later()), asyncio.create_task(back_at_once())]
        await asyncio.sleep(0)
        for _ in range(2):
            await places.acquire()  # others have both meanwhile
        go.set()
        for _ in range(5):
            await asyncio.sleep(0)
        for _ in range(2):
            places.release()
        await asyncio.gather(*tasks)
    assert places._value == 2


async def test_without_a_place_nothing_is_given_back() -> None:
    places = asyncio.Semaphore(0)
    async with away():
        assert places.locked()


async def test_who_comes_back_waits_for_a_place() -> None:
    places, order = asyncio.Semaphore(1), list[str]()

    async def other() -> None:
        async with Place(places).held():
            order.append("other")
            back.set()
            await asyncio.sleep(0)
            order.append("over")

    back = asyncio.Event()
    async with Place(places).held():
        task = asyncio.create_task(other())
        async with away():
            await back.wait()
        order.append("back")
    await task
    assert order == ["other", "over", "back"]


async def test_tasks_of_one_holder_share_its_place() -> None:
    places = asyncio.Semaphore(1)

    async def look(rounds: int) -> None:
        for _ in range(rounds):
            async with away():
                await asyncio.sleep(0)

    async with Place(places).held():
        await asyncio.gather(*(look(n) for n in range(1, 8)))
        assert places.locked()
    assert not places.locked()
    await places.acquire()
    assert places.locked()


async def test_who_is_cancelled_while_away_leaves_the_place_to_others() -> None:
    places = asyncio.Semaphore(1)

    async def wait() -> None:
        async with Place(places).held(), away():
            await asyncio.Event().wait()

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await places.acquire()
    assert places.locked()


async def test_a_task_that_outlives_its_holder_takes_no_place() -> None:
    places, over = asyncio.Semaphore(1), asyncio.Event()

    async def later() -> None:
        await over.wait()
        async with away():
            await asyncio.sleep(0)

    async with Place(places).held():
        task = asyncio.create_task(later())
    over.set()
    await task
    assert places._value == 1


async def test_a_task_that_waits_for_its_place_while_the_holder_ends_gives_it_back() -> None:
    places, go = asyncio.Semaphore(1), asyncio.Event()

    async def back() -> None:
        async with away():
            await go.wait()

    async with Place(places).held():
        task = asyncio.create_task(back())
        await asyncio.sleep(0)
        await places.acquire()  # another has it meanwhile
        go.set()
        await asyncio.sleep(0)
    places.release()
    await task
    assert places._value == 1
