"""Updates that can't be handled are set aside after three tries, and the chat goes on."""

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.faults.conftest import BotFactory, fetch_rows, report, wait_until_empty
from tests.telegram import BotApi, Chat, User, World

pytestmark = pytest.mark.faults


def make_bad_messages(world: World, user: User, chat: Chat) -> list[dict[str, Any]]:
    """Return messages that Telegram should never send."""
    message = world.say(user, chat, "/play", hear=False).json()
    without = [{k: v for k, v in message.items() if k != part} for part in ("date", "message_id", "chat")]
    bad = [{**message, "from": {**message["from"], "id": huge}} for huge in (2**63, -(2**70))]
    bad += [{**message, "text": 5}, {**message, "from": "Ann"}, {**message, "entities": 7}]
    bad += [{**message, "date": 2**63}, {**message, "chat": {**message["chat"], "id": 2**63}}]
    half = copy.deepcopy(message)
    half["text"], half["from"]["first_name"] = "/help \ud83c", "\udfff"
    return [*without, *bad, half]


@pytest.mark.exhaustive
async def test_bad_update_is_set_aside_and_the_chat_goes_on(make_bot: BotFactory, database: Path) -> None:
    world = World()
    ann, bob = world.user("Ann"), world.user("Bob")
    family = world.group("Family", ann, bob)
    async with BotApi(world) as api:
        process = make_bot(world, api.url)
        process.start()
        await process.wait_for_log("is ready")
        bad = make_bad_messages(world, ann, family)
        for message in bad:
            world.updates.publish("message", message, family.id)
        world.updates.publish("callback_query", {"id": 5, "data": ["x"]}, family.id)
        world.say(bob, bob, "/help")
        await world.next_post(bob, "/play")
        world.say(ann, family, f"/play@{world.bot.username}")
        await world.next_post(family, "→ 24")
        await wait_until_empty(database, process, "inbox WHERE state = 'waiting'")
        dead = fetch_rows(database, "SELECT tries, trouble, body FROM inbox WHERE state = 'dead'")
        listed = await process.run_command("dead")
        retried = await process.run_command("dead", "--retry")
        assert retried == f"{len(dead)} will be tried again\n"
        assert process.process.poll() is None
    report(f"{len(dead)} of {len(bad) + 1} poison updates set aside, each after 3 tries; the others answered")
    assert len(dead) == len(bad) - 2 + 1  # two messages can be handled; one more update is the press
    assert all(tries == 3 and trouble and body for tries, trouble, body in dead)
    assert len(listed.splitlines()) == len(dead)
    assert "Sorry, something went wrong here. It is noted." in [post.text for post in world.posts(family)]
