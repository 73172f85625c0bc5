"""Updates that can't be handled: set aside after three tries, and the chat goes on."""

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.faults.conftest import Started, none, rows, show
from tests.telegram import BotApi, Chat, User, World

pytestmark = pytest.mark.faults


def poison(world: World, user: User, chat: Chat) -> list[dict[str, Any]]:
    """Messages that Telegram should never send."""
    message = world.say(user, chat, "/play", hear=False).json()
    without = [{k: v for k, v in message.items() if k != part} for part in ("date", "message_id", "chat")]
    odd = [{**message, "from": {**message["from"], "id": huge}} for huge in (2**63, -(2**70))]
    odd += [{**message, "text": 5}, {**message, "from": "Ann"}, {**message, "entities": 7}]
    odd += [{**message, "date": 2**63}, {**message, "chat": {**message["chat"], "id": 2**63}}]
    half = copy.deepcopy(message)
    half["text"], half["from"]["first_name"] = "/help \ud83c", "\udfff"
    return [*without, *odd, half]


@pytest.mark.exhaustive
async def test_it_is_set_aside_and_the_chat_goes_on(bot: Started, database: Path) -> None:
    world = World()
    ann, bob = world.user("Ann"), world.user("Bob")
    family = world.group("Family", ann, bob)
    async with BotApi(world) as api:
        process = bot(world, api.url)
        process.start()
        await process.says("is ready")
        odd = poison(world, ann, family)
        for message in odd:
            world.updates.publish("message", message, family.id)
        world.updates.publish("callback_query", {"id": 5, "data": ["x"]}, family.id)
        world.say(bob, bob, "/help")
        await world.next_post(bob, "/play")
        world.say(ann, family, f"/play@{world.bot.username}")
        await world.next_post(family, "→ 24")
        await none(database, process, "inbox WHERE state = 'waiting'")
        dead = rows(database, "SELECT tries, trouble, body FROM inbox WHERE state = 'dead'")
        listed = await process.operator("dead")
        retried = await process.operator("dead", "--retry")
        assert retried == f"{len(dead)} will be tried again\n"
        assert process.process.poll() is None
    show(f"{len(dead)} of {len(odd) + 1} poison updates set aside, each after 3 tries; the others answered")
    assert len(dead) == len(odd) - 2 + 1  # one is of no chat, half a sign is read; and the press
    assert all(tries == 3 and trouble and body for tries, trouble, body in dead)
    assert len(listed.splitlines()) == len(dead)
    assert "Sorry, something went wrong here. It is noted." in [post.text for post in world.posts(family)]
