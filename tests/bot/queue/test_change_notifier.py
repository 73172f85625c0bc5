"""Pages are woken once for all changes of their chats since the last time."""

import asyncio

from bot.queue.change_notifier import ChangeNotifier, Subscription
from tests.fake_time import advance_time, with_fake_time

GROUP, OTHER, ANN, BOB = -5, -6, 1, 2


async def is_woken(subscription: Subscription) -> bool:
    try:
        async with asyncio.timeout(0.001):
            await subscription.wait()
    except TimeoutError:
        return False
    return True


async def test_change_wakes_the_pages_of_its_chat() -> None:
    changes = ChangeNotifier()
    anns, bobs = changes.subscribe([GROUP, ANN]), changes.subscribe([OTHER, BOB])
    watcher = changes.subscribe([GROUP])
    for _ in range(3):
        changes.notify_chat(GROUP)
    assert [await is_woken(each) for each in (anns, bobs, watcher)] == [True, False, True]
    assert not await is_woken(anns)
    changes.notify_chat(BOB)
    changes.notify_chat(ANN)  # a card
    assert [await is_woken(each) for each in (anns, bobs, watcher)] == [True, True, False]


async def test_closed_subscription_is_not_woken() -> None:
    changes = ChangeNotifier()
    first, second = changes.subscribe([GROUP, ANN]), changes.subscribe([GROUP, ANN])
    first.close()
    changes.notify_chat(GROUP)
    assert [await is_woken(first), await is_woken(second)] == [False, True]
    second.close()


async def test_changes_are_exchanged_with_other_bots() -> None:
    changes, forwarded = ChangeNotifier(), list[int]()
    changes.forward_change = forwarded.append
    anns, bobs = changes.subscribe([GROUP, ANN]), changes.subscribe([OTHER, BOB])
    changes.notify_chat(GROUP)
    changes.notify_chat(BOB)
    assert forwarded == [GROUP, BOB]
    assert [await is_woken(each) for each in (anns, bobs)] == [True, True]
    changes.wake_chat(OTHER)
    assert [await is_woken(each) for each in (anns, bobs)] == [False, True]
    assert forwarded == [GROUP, BOB]


async def test_change_in_another_thread_wakes_pages() -> None:
    changes = ChangeNotifier()
    changes.notify_chat_threadsafe(GROUP)  # nobody has subscribed
    anns = changes.subscribe([GROUP, ANN])
    await asyncio.to_thread(changes.notify_chat_threadsafe, GROUP)
    async with asyncio.timeout(60):
        await anns.wait()


@with_fake_time
async def test_pages_are_woken_each_second_without_changes() -> None:
    changes = ChangeNotifier()
    anns, running = changes.subscribe([GROUP, ANN]), asyncio.ensure_future(changes.run())
    await advance_time(0.9)
    assert not await is_woken(anns)
    await advance_time(0.2)
    assert await is_woken(anns)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
