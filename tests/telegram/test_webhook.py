"""Delivery to a webhook: secret, order, retries, copies."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import tornado.httpserver
import tornado.netutil
import tornado.web

from tests.telegram import BotApi, Delivery, User, Webhook, World


@dataclass
class Hook:
    """A webhook with given answers."""

    url: str = ""
    answers: list[int] = field(default_factory=list)  # Statuses for the first posts; 200 afterwards
    # How many posts are answered together, none before the others are there.
    together: asyncio.Barrier | None = None
    bodies: list[dict[str, Any]] = field(default_factory=list)
    secrets: set[str | None] = field(default_factory=set)
    at_once: int = 0
    most_at_once: int = 0

    @property
    def texts(self) -> list[str]:
        return [body["message"]["text"] for body in self.bodies]


class HookHandler(tornado.web.RequestHandler):
    def initialize(self, hook: Hook) -> None:
        self._hook = hook

    async def post(self) -> None:
        hook = self._hook
        hook.at_once += 1
        hook.most_at_once = max(hook.most_at_once, hook.at_once)
        hook.secrets.add(self.request.headers.get("X-Telegram-Bot-Api-Secret-Token"))
        if hook.together is not None:
            await hook.together.wait()
        hook.at_once -= 1
        status = hook.answers.pop(0) if hook.answers else 200
        if status == 200:
            hook.bodies.append(json.loads(self.request.body))
        self.set_status(status)


@pytest.fixture
async def hook() -> AsyncIterator[Hook]:
    hook = Hook()
    application = tornado.web.Application(
        [("/hook", HookHandler, {"hook": hook})], log_function=lambda _: None
    )
    server = tornado.httpserver.HTTPServer(application)
    sockets = tornado.netutil.bind_sockets(0, "127.0.0.1")
    server.add_sockets(sockets)
    hook.url = f"http://127.0.0.1:{sockets[0].getsockname()[1]}/hook"
    yield hook
    server.stop()
    await server.close_all_connections()


@pytest.fixture
def people(world: World) -> list[User]:
    return [world.user(name) for name in ("Ann", "Bob", "Cy")]


async def test_chats_are_delivered_in_parallel_and_in_order(
    world: World, hook: Hook, people: list[User]
) -> None:
    hook.together = asyncio.Barrier(len(people))
    async with BotApi(world):
        world.updates.set_webhook(Webhook(hook.url, "s3cret", 40))
        for number in range(5):
            for user in people:
                world.say(user, user, f"{user.first_name} {number}")
        await world.wait_until_taken()
    for user in people:
        own = [text for text in hook.texts if text.startswith(user.first_name)]
        assert own == [f"{user.first_name} {number}" for number in range(5)]
    assert hook.secrets == {"s3cret"}
    assert hook.most_at_once == len(people)


async def test_connections_are_limited_without_order(world: World, hook: Hook, people: list[User]) -> None:
    hook.together = asyncio.Barrier(2)
    async with BotApi(world, delivery=Delivery(ordered=False)):
        world.updates.set_webhook(Webhook(hook.url, None, 2))
        for number in range(6):
            world.say(people[0], people[0], str(number))
        await world.wait_until_taken()
    assert sorted(hook.texts) == list("012345")
    assert (hook.most_at_once, hook.secrets) == (2, {None})


async def test_refused_update_is_posted_again(hook: Hook) -> None:
    world = World(clock=lambda: 1_800_000_000.0)
    ann = world.user("Ann")
    hook.answers = [500, 503, 401]
    delivery = Delivery(first_wait=0.001)
    async with BotApi(world, delivery=delivery):
        world.updates.set_webhook(Webhook(hook.url, None, 40))
        world.say(ann, ann, "one")
        world.say(ann, ann, "two")
        await world.wait_until_taken()
    assert hook.texts == ["one", "two"]
    assert delivery.statuses == [500, 503, 401, 200, 200]
    assert world.updates.last_error == (world.now, "Wrong response from the webhook: 401")


async def test_new_webhook_gets_waiting_updates(world: World, hook: Hook, people: list[User]) -> None:
    delivery = Delivery(first_wait=0.001)
    async with BotApi(world, delivery=delivery):
        world.updates.set_webhook(Webhook("http://127.0.0.1:9/hook", None, 40))
        world.say(people[0], people[0], "one")
        await world.wait_until(lambda: 599 in delivery.statuses)
        world.updates.set_webhook(Webhook(hook.url, None, 40))
        world.say(people[0], people[0], "two")
        await world.wait_until_taken()
    assert hook.texts == ["one", "two"]


async def test_updates_are_posted_in_copies(world: World, hook: Hook, people: list[User]) -> None:
    async with BotApi(world, delivery=Delivery(copies=3)):
        world.updates.set_webhook(Webhook(hook.url, None, 40))
        world.say(people[0], people[0], "one")
        await world.wait_until_taken()
    assert hook.texts == ["one"] * 3


async def test_replaced_webhook_keeps_the_order(world: World, hook: Hook, people: list[User]) -> None:
    """An update of the chat is being delivered at that moment."""
    hook.answers = [500]
    delivery = Delivery(first_wait=0.05)
    async with BotApi(world, delivery=delivery):
        world.updates.set_webhook(Webhook(hook.url, None, 40))
        for text in ("one", "two", "three"):
            world.say(people[0], people[0], text)
        await world.wait_until(lambda: delivery.statuses)
        world.updates.set_webhook(Webhook(hook.url, None, 40))
        await world.wait_until_taken()
    assert hook.texts == ["one", "two", "three"]
