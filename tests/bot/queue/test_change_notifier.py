"""Who shows a table elsewhere is woken once for all that has changed since."""

import asyncio

from bot.queue.change_notifier import ChangeNotifier, Subscription
from tests.jumping import jumping, passed

GROUP, OTHER, ANN, BOB = -5, -6, 1, 2


async def woken(subscription: Subscription) -> bool:
    try:
        async with asyncio.timeout(0.001):
            await subscription.wait()
    except TimeoutError:
        return False
    return True


async def test_what_changes_wakes_whoever_shows_it_and_nobody_else() -> None:
    changes = ChangeNotifier()
    anns, bobs = changes.subscribe([GROUP, ANN]), changes.subscribe([OTHER, BOB])
    watcher = changes.subscribe([GROUP])
    for _ in range(3):
        changes.notify_chat(GROUP)
    assert [await woken(each) for each in (anns, bobs, watcher)] == [True, False, True]
    assert not await woken(anns)
    changes.notify_chat(BOB)
    changes.notify_chat(ANN)  # a card
    assert [await woken(each) for each in (anns, bobs, watcher)] == [True, True, False]


async def test_whoever_has_left_is_not_kept() -> None:
    changes = ChangeNotifier()
    first, second = changes.subscribe([GROUP, ANN]), changes.subscribe([GROUP, ANN])
    first.close()
    changes.notify_chat(GROUP)
    assert [await woken(first), await woken(second)] == [False, True]
    second.close()
    second.close()
    assert changes._by_lane == {}


async def test_other_bots_hear_of_it_and_are_heard() -> None:
    changes, told = ChangeNotifier(), list[int]()
    changes.forward_change = told.append
    anns, bobs = changes.subscribe([GROUP, ANN]), changes.subscribe([OTHER, BOB])
    changes.notify_chat(GROUP)
    changes.notify_chat(BOB)
    assert told == [GROUP, BOB]
    assert [await woken(each) for each in (anns, bobs)] == [True, True]
    changes.wake_chat(OTHER)
    assert [await woken(each) for each in (anns, bobs)] == [False, True]
    assert told == [GROUP, BOB]


async def test_another_thread_wakes_where_somebody_waits() -> None:
    changes = ChangeNotifier()
    changes.notify_chat_threadsafe(GROUP)  # before anybody subscribes there is nothing to do
    anns = changes.subscribe([GROUP, ANN])
    await asyncio.to_thread(changes.notify_chat_threadsafe, GROUP)
    async with asyncio.timeout(60):
        await anns.wait()


@jumping
async def test_everybody_is_woken_each_second_since_a_change_may_get_lost() -> None:
    changes = ChangeNotifier()
    anns, running = changes.subscribe([GROUP, ANN]), asyncio.ensure_future(changes.run())
    await passed(0.9)
    assert not await woken(anns)
    await passed(0.2)
    assert await woken(anns)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
