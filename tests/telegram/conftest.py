"""A world, and a function that calls the Bot API in a bot's place."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.telegram import Gate, World
from tests.telegram.errors import ApiError

Call = Callable[..., Awaitable[Any]]


@pytest.fixture
def world() -> World:
    return World(seed=7)


@pytest.fixture
def call(world: World) -> Call:
    return make_caller(world)


def make_caller(world: World) -> Call:
    """Return a function to call a method: `await call("sendMessage", chat_id=…, text=…)`.

    It returns the result, or raises ApiError for `ok: false`.
    """
    gate = Gate(world)

    async def method(name: str, **params: Any) -> Any:
        answer = await gate.answer(world.token, name, params, {})
        body = json.loads(answer.body)
        if body["ok"]:
            return body["result"]
        raise ApiError(body["error_code"], body["description"], **body.get("parameters", {}))

    return method
