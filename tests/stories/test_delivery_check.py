"""Posts whose answer went wrong: what did arrive is not posted twice, what did not is posted."""

import asyncio
from typing import Any

import pytest

from bot.queue.delivery_check import MAX_CHECKS
from bot.rounds import queries as rounds
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot
from tests.telegram import Chat, User, World

FAILURES: dict[str, dict[str, Any]] = {
    "bad gateway": {"status": 502},
    "server error": {"status": 500},
    "a page": {"status": 503, "body": b"<html>busy</html>"},
    "no answer": {"close": True},
}


@pytest.mark.long
@pytest.mark.parametrize("how", FAILURES)
@pytest.mark.parametrize("talk", [0, 30])
async def test_what_did_arrive_is_not_posted_twice(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, how: str, talk: int
) -> None:
    world.faults.add("sendMessage", effect=True, count=1, **FAILURES[how])
    bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/play@TwentyFourTestBot")
    for _ in range(talk):
        world.say(bob, family, "nice weather", hear=False)  # numbers that the bot never hears of
    deal = await world.next_post(family, "→ 24")
    await bot.settle()
    await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    assert "🏆" in deal.text  # it was found, and is edited from then on
    assert len(world.posts(family)) == 1
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_in_private_others_who_speak_to_the_bot_meanwhile_don_t_hide_it(
    bot: LiveBot, world: World, ann: User
) -> None:
    """All private chats share one count, so that numbers between may be messages of others."""
    crowd = [world.user(f"Person {n}") for n in range(8)]
    ann.language_code = "es"
    world.faults.add("sendMessage", chat=ann.id, status=502, effect=True, delay=0.2, count=1)
    world.say(ann, world.chat_of(ann), "/help")
    for _ in range(2):
        for user in crowd:
            world.say(user, world.chat_of(user), "/help")
    await bot.settle()
    assert len(world.posts(ann)) == 1
    assert await bot.services.store.read(load_unsent_requests) == []


def load_unsent_requests(tx: Any) -> list[Any]:
    from sqlalchemy import text

    return list(tx.execute(text("SELECT * FROM outbox WHERE state IN ('waiting', 'dead')")))


@pytest.mark.long
@pytest.mark.parametrize("how", ["bad gateway", "server error", "a page"])
async def test_what_did_not_arrive_is_posted(
    bot: LiveBot, world: World, ann: User, family: Chat, how: str
) -> None:
    world.faults.add("sendMessage", count=2, **FAILURES[how])
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert "🏆" in deal.text
    assert len(world.posts(family)) == 1
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_what_was_posted_meanwhile_is_not_taken_for_it(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    """A deal goes before the help that is in doubt, and stands where that would have stood."""
    held = asyncio.Event()
    world.faults.add("sendMessage", count=1, held=held, **FAILURES["bad gateway"])
    bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/help@TwentyFourTestBot")
    await world.wait_until(lambda: world.calls("sendMessage"))
    world.say(bob, family, "/play@TwentyFourTestBot")
    await world.wait_until_taken()
    await bot.service.inbox.wait_until_idle()  # both wait to be posted
    held.set()
    deal = await world.next_post(family, "→ 24")
    await world.next_post(family, "Twenty-Four: I deal")
    await bot.settle()
    looked_at = [request.params["message_id"] for request in world.calls("editMessageText")]
    assert looked_at[0] == deal.id - 1  # its /play, the first number after the post that failed
    assert deal.id not in looked_at
    assert "→ 24" in deal.text
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.parametrize("how", FAILURES)
async def test_somebody_speaks_between_the_post_and_the_error(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, how: str
) -> None:
    """A gateway may think for a minute: what is heard meanwhile stands below the post, not above it."""
    held = asyncio.Event()
    world.faults.add("sendMessage", effect=True, count=1, held=held, **FAILURES[how])
    bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/play@TwentyFourTestBot")
    deal = await world.next_post(family, "→ 24")
    world.say(bob, family, "nice weather", hear=True)
    await world.wait_until_taken()
    await bot.service.inbox.wait_until_idle()
    held.set()
    await bot.settle()
    assert world.posts(family) == [deal]
    await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    assert "🏆" in deal.text
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_a_deal_that_stands_nowhere_is_posted_though_nothing_was_answered(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    """Nobody could play the hand; what only answers a question is asked again instead."""
    world.faults.add("sendMessage", count=1, **FAILURES["no answer"])
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    assert world.posts(family) == [deal]
    assert len(world.calls("editMessageText")) > MAX_CHECKS
    assert await bot.services.store.read(load_unsent_requests) == []


BROKEN = {
    "broken JSON": b'{"ok": tru',
    "nothing": b"",
    "a page": b"<html>It works</html>",
    "no result": b'{"ok": true}',
    "a list": b"[]",
    "no text": b"\xff\xfe",
}


NO_ANSWERS = [
    (how, status)
    for how in BROKEN
    for status in (200, 400, 403, 404, 407, 520)
    if how != "no result" or status not in {400, 403, 404}  # as Telegram itself refuses
]


@pytest.mark.long
@pytest.mark.parametrize("arrived", [True, False])
@pytest.mark.parametrize(("how", "status"), NO_ANSWERS)
async def test_an_answer_that_is_none_leaves_it_in_doubt(
    bot: LiveBot, world: World, ann: User, family: Chat, how: str, arrived: bool, status: int
) -> None:
    world.faults.add("sendMessage", effect=arrived, count=1, body=BROKEN[how], status=status)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    assert world.posts(family) == [deal]
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.long
@pytest.mark.parametrize("how", FAILURES)
async def test_trouble_that_lasts_does_not_make_it_twice(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, how: str
) -> None:
    """A look that nobody answers tells nothing."""
    world.faults.add("sendMessage", effect=True, count=1, **FAILURES[how])
    looks = world.faults.add("editMessageText", count=6, **FAILURES[how])
    bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/play@TwentyFourTestBot")
    deal = await world.next_post(family, "→ 24")
    await bot.settle()
    assert looks.hits == 6
    await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    assert "🏆" in deal.text
    assert world.posts(family) == [deal]
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.parametrize("how", FAILURES)
async def test_it_is_in_doubt_after_a_stop_as_well(
    world: World, ann: User, family: Chat, restart_bot: RestartBot, how: str
) -> None:
    bot = await restart_bot(world)
    bot.rig(3, 8, 3, 8)
    world.faults.add("sendMessage", effect=True, count=1, **FAILURES[how])
    looked = world.faults.add("editMessageText", status=502)
    world.say(ann, family, "/play@TwentyFourTestBot")
    deal = await world.next_post(family, "→ 24")
    await world.wait_until(lambda: looked.hits, 60, "a look")
    await bot.service.outbox.close()
    world.faults.clear()
    bot = await restart_bot(world)
    await bot.settle()
    assert world.posts(family) == [deal]
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_a_stop_while_it_is_on_its_way_leaves_it_in_doubt(
    world: World, ann: User, family: Chat, restart_bot: RestartBot
) -> None:
    bot = await restart_bot(world)
    bot.rig(3, 8, 3, 8)
    world.faults.add("sendMessage", effect=True, held=asyncio.Event(), count=1, status=502)
    world.say(ann, family, "/play@TwentyFourTestBot")
    deal = await world.next_post(family, "→ 24")
    await bot.service.outbox.close(0.0)
    bot = await restart_bot(world)
    await bot.settle()
    assert world.posts(family) == [deal]


@pytest.mark.parametrize("arrived", [True, False])
async def test_after_a_restart_no_other_post_is_taken_for_it(
    world: World, ann: User, bob: User, family: Chat, restart_bot: RestartBot, arrived: bool
) -> None:
    """The deal was posted before the restart, below the message that asks for help."""
    bot = await restart_bot(world)
    bot.rig(3, 8, 3, 8)
    held = asyncio.Event()
    world.faults.add("sendMessage", count=1, held=held, retry_after=1)
    world.say(ann, family, "/help@TwentyFourTestBot")
    await world.wait_until(lambda: world.calls("sendMessage"))
    world.say(bob, family, "/play@TwentyFourTestBot")
    await world.wait_until_taken()
    await bot.service.inbox.wait_until_idle()
    held.set()
    deal = await world.next_post(family, "→ 24")
    wait = world.faults.add("sendMessage", retry_after=60)
    await world.wait_until(lambda: wait.hits, 60, "the help")
    await bot.service.outbox.close()
    world.faults.clear()
    world.faults.add("sendMessage", effect=arrived, status=502, count=1)
    bot = await restart_bot(world)
    await bot.settle()
    shown = [post.text for post in world.posts(family)]
    assert "→ 24" in deal.text
    assert [text.startswith("Twenty-Four: I deal") for text in shown] == [False, True]


async def test_without_any_answer_it_is_looked_for_and_let_go(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    """It may still be on its way: two hands would be worse than one that is asked for again."""
    world.faults.add("sendMessage", count=1, close=True)
    await bot.say(ann, family, "/help@TwentyFourTestBot")
    assert world.posts(family) == []
    assert [row.state for row in await bot.services.store.read(load_unsent_requests)] == ["dead"]


async def test_it_is_looked_for_after_a_restart_as_well(
    world: World, ann: User, family: Chat, restart_bot: RestartBot
) -> None:
    """What asked for a post tells below which message it stands."""
    bot = await restart_bot(world)
    bot.rig(3, 8, 3, 8)
    wait = world.faults.add("sendMessage", retry_after=1)
    world.say(ann, family, "/play@TwentyFourTestBot")
    await world.wait_until(lambda: wait.hits, 60, "the first try")
    await bot.service.outbox.close()
    world.faults.clear()
    world.faults.add("sendMessage", effect=True, status=502, count=1)
    bot = await restart_bot(world)
    deal = await world.next_post(family, "→ 24")
    await bot.settle()
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert "🏆" in deal.text
    assert len(world.posts(family)) == 1


async def test_who_looks_a_hand_up_between_two_copies_was_shown_it(
    bot: LiveBot, world: World, clock: Clock, bob: User, family: Chat
) -> None:
    """The clock of a deal starts with the first copy that may have arrived."""
    bot.rig(3, 8, 3, 8)
    lost = world.faults.add("editMessageText", status=400)  # it can't be found
    world.faults.add("sendMessage", effect=True, status=502, count=1)
    world.say(bob, family, "/play@TwentyFourTestBot")
    first = await world.next_post(family, "→ 24")
    clock.advance(5)
    await world.wait_until(lambda: len(world.posts(family)) == 2, 60, "the second copy")
    world.faults.remove(lost)
    await bot.settle()
    stored = await bot.services.store.read(lambda tx: rounds.load_open_round(tx, family.id, 0))
    assert stored is not None
    assert stored.opened == first.date


@pytest.mark.parametrize("description", ["Request Entity Too Large", "file is too large"])
async def test_what_is_too_large_is_refused_and_not_in_doubt(
    bot: LiveBot, world: World, ann: User, description: str
) -> None:
    world.faults.add("sendMessage", status=413, description=description)
    await bot.say(ann, world.chat_of(ann), "/help")
    assert [row.trouble for row in await bot.services.store.read(load_unsent_requests)] == [description]
