"""Posts with an unknown outcome: delivered ones are not sent again, missing ones are."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import text

from bot.database import Tx
from bot.queue.delivery_check import MAX_CHECKS
from bot.rounds import queries as rounds
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot
from tests.telegram import Chat, User, World

pytestmark = pytest.mark.long

FAILURES: dict[str, dict[str, Any]] = {
    "bad gateway": {"status": 502},
    "server error": {"status": 500},
    "a page": {"status": 503, "body": b"<html>busy</html>"},
    "no answer": {"close": True},
}


def load_unsent_requests(tx: Tx) -> list[Any]:
    """Return the rows of the waiting and dead requests."""
    return list(tx.execute(text("SELECT * FROM outbox WHERE state IN ('waiting', 'dead')")))


@pytest.mark.long
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("talk", [0, 30])
async def test_delivered_post_is_not_sent_again(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, failure: str, talk: int
) -> None:
    world.faults.add("sendMessage", effect=True, count=1, **FAILURES[failure])
    bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/play@TwentyFourTestBot")
    for _ in range(talk):
        world.say(bob, family, "nice weather", hear=False)  # message ids that the bot is not told of
    deal = await world.next_post(family, "→ 24")
    await bot.settle()
    await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    assert "🏆" in deal.text  # the post was found and edited
    assert len(world.posts(family)) == 1
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_post_is_found_among_messages_of_other_private_chats(
    bot: LiveBot, world: World, ann: User
) -> None:
    """Private chats share one sequence of message ids: ids in between may belong to other chats."""
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


@pytest.mark.long
@pytest.mark.parametrize("failure", ["bad gateway", "server error", "a page"])
async def test_undelivered_post_is_sent_again(
    bot: LiveBot, world: World, ann: User, family: Chat, failure: str
) -> None:
    world.faults.add("sendMessage", count=2, **FAILURES[failure])
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert "🏆" in deal.text
    assert len(world.posts(family)) == 1
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_later_post_is_not_taken_for_the_missing_one(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    """A deal is sent before the missing help and has the message id that the help would have had."""
    release = asyncio.Event()
    world.faults.add("sendMessage", count=1, held=release, **FAILURES["bad gateway"])
    bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/help@TwentyFourTestBot")
    await world.wait_until(lambda: world.calls("sendMessage"))
    world.say(bob, family, "/play@TwentyFourTestBot")
    await world.wait_until_taken()
    await bot.service.inbox.wait_until_idle()  # both posts are waiting
    release.set()
    deal = await world.next_post(family, "→ 24")
    await world.next_post(family, "Twenty-Four: I deal")
    await bot.settle()
    checked = [request.params["message_id"] for request in world.calls("editMessageText")]
    assert checked[0] == deal.id - 1  # its /play, the first number after the post that failed
    assert deal.id not in checked
    assert "→ 24" in deal.text
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.parametrize("failure", FAILURES)
async def test_post_is_found_above_messages_sent_before_the_error(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, failure: str
) -> None:
    """A gateway may answer after a minute: messages received meanwhile are below the post, not above it."""
    release = asyncio.Event()
    world.faults.add("sendMessage", effect=True, count=1, held=release, **FAILURES[failure])
    bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/play@TwentyFourTestBot")
    deal = await world.next_post(family, "→ 24")
    world.say(bob, family, "nice weather", hear=True)
    await world.wait_until_taken()
    await bot.service.inbox.wait_until_idle()
    release.set()
    await bot.settle()
    assert world.posts(family) == [deal]
    await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    assert "🏆" in deal.text
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_missing_deal_is_sent_again_after_no_answer(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    """Without a deal nobody could play; a mere reply is not sent again, since people can ask again."""
    world.faults.add("sendMessage", count=1, **FAILURES["no answer"])
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    assert world.posts(family) == [deal]
    assert len(world.calls("editMessageText")) > MAX_CHECKS
    assert await bot.services.store.read(load_unsent_requests) == []


INVALID_BODIES = {
    "broken JSON": b'{"ok": tru',
    "nothing": b"",
    "a page": b"<html>It works</html>",
    "no result": b'{"ok": true}',
    "a list": b"[]",
    "no text": b"\xff\xfe",
}


INVALID_RESPONSES = [
    (failure, status)
    for failure in INVALID_BODIES
    for status in (200, 400, 403, 404, 407, 520)
    if failure != "no result" or status not in {400, 403, 404}  # as Telegram itself refuses
]


@pytest.mark.long
@pytest.mark.parametrize("arrived", [True, False])
@pytest.mark.parametrize(("failure", "status"), INVALID_RESPONSES)
async def test_invalid_response_is_an_unknown_outcome(
    bot: LiveBot, world: World, ann: User, family: Chat, failure: str, arrived: bool, status: int
) -> None:
    world.faults.add("sendMessage", effect=arrived, count=1, body=INVALID_BODIES[failure], status=status)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.settle()
    assert world.posts(family) == [deal]
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.long
@pytest.mark.parametrize("failure", FAILURES)
async def test_failing_checks_do_not_double_a_post(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, failure: str
) -> None:
    world.faults.add("sendMessage", effect=True, count=1, **FAILURES[failure])
    checks = world.faults.add("editMessageText", count=6, **FAILURES[failure])
    bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/play@TwentyFourTestBot")
    deal = await world.next_post(family, "→ 24")
    await bot.settle()
    assert checks.hits == 6
    await bot.say(bob, family, "8/(3-8/3)", reply_to=deal)
    assert "🏆" in deal.text
    assert world.posts(family) == [deal]
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.parametrize("failure", FAILURES)
async def test_unknown_outcome_is_checked_after_restart(
    world: World, ann: User, family: Chat, restart_bot: RestartBot, failure: str
) -> None:
    bot = await restart_bot(world)
    bot.rig(3, 8, 3, 8)
    world.faults.add("sendMessage", effect=True, count=1, **FAILURES[failure])
    check = world.faults.add("editMessageText", status=502)
    world.say(ann, family, "/play@TwentyFourTestBot")
    deal = await world.next_post(family, "→ 24")
    await world.wait_until(lambda: check.hits, 60, "a look")
    await bot.service.outbox.close()
    world.faults.clear()
    bot = await restart_bot(world)
    await bot.settle()
    assert world.posts(family) == [deal]
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_stop_during_a_request_is_an_unknown_outcome(
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
async def test_later_post_is_not_taken_for_the_missing_one_after_restart(
    world: World, ann: User, bob: User, family: Chat, restart_bot: RestartBot, arrived: bool
) -> None:
    """The deal was posted before the restart, below the /help message."""
    bot = await restart_bot(world)
    bot.rig(3, 8, 3, 8)
    release = asyncio.Event()
    world.faults.add("sendMessage", count=1, held=release, retry_after=1)
    world.say(ann, family, "/help@TwentyFourTestBot")
    await world.wait_until(lambda: world.calls("sendMessage"))
    world.say(bob, family, "/play@TwentyFourTestBot")
    await world.wait_until_taken()
    await bot.service.inbox.wait_until_idle()
    release.set()
    deal = await world.next_post(family, "→ 24")
    refusal = world.faults.add("sendMessage", retry_after=60)
    await world.wait_until(lambda: refusal.hits, 60, "the help")
    await bot.service.outbox.close()
    world.faults.clear()
    world.faults.add("sendMessage", effect=arrived, status=502, count=1)
    bot = await restart_bot(world)
    await bot.settle()
    texts = [post.text for post in world.posts(family)]
    assert "→ 24" in deal.text
    assert [each.startswith("Twenty-Four: I deal") for each in texts] == [False, True]


async def test_reply_without_any_answer_is_not_sent_again(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    """The post may still arrive, and two copies would be worse than none."""
    world.faults.add("sendMessage", count=1, close=True)
    await bot.say(ann, family, "/help@TwentyFourTestBot")
    assert world.posts(family) == []
    assert [row.state for row in await bot.services.store.read(load_unsent_requests)] == ["dead"]


async def test_post_is_found_after_restart(
    world: World, ann: User, family: Chat, restart_bot: RestartBot
) -> None:
    bot = await restart_bot(world)
    bot.rig(3, 8, 3, 8)
    refusal = world.faults.add("sendMessage", retry_after=1)
    world.say(ann, family, "/play@TwentyFourTestBot")
    await world.wait_until(lambda: refusal.hits, 60, "the first try")
    await bot.service.outbox.close()
    world.faults.clear()
    world.faults.add("sendMessage", effect=True, status=502, count=1)
    bot = await restart_bot(world)
    deal = await world.next_post(family, "→ 24")
    await bot.settle()
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert "🏆" in deal.text
    assert len(world.posts(family)) == 1


async def test_deal_posted_twice_opens_with_its_first_copy(
    bot: LiveBot, world: World, clock: Clock, bob: User, family: Chat
) -> None:
    """Whoever looks the hand up between two copies was shown its solution after the deal."""
    bot.rig(3, 8, 3, 8)
    refusal = world.faults.add("editMessageText", status=400)  # it can't be found
    world.faults.add("sendMessage", effect=True, status=502, count=1)
    world.say(bob, family, "/play@TwentyFourTestBot")
    first = await world.next_post(family, "→ 24")
    clock.advance(5)
    await world.wait_until(lambda: len(world.posts(family)) == 2, 60, "the second copy")
    world.faults.remove(refusal)
    await bot.settle()
    stored = await bot.services.store.read(lambda tx: rounds.load_open_round(tx, family.id, 0))
    assert stored is not None
    assert stored.opened == first.date


@pytest.mark.parametrize("description", ["Request Entity Too Large", "file is too large"])
async def test_too_large_request_is_refused_for_good(
    bot: LiveBot, world: World, ann: User, description: str
) -> None:
    world.faults.add("sendMessage", status=413, description=description)
    await bot.say(ann, world.chat_of(ann), "/help")
    assert [row.trouble for row in await bot.services.store.read(load_unsent_requests)] == [description]
