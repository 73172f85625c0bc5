"""What every answer says to a browser."""

import pytest
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from bot.web.guards import ALWAYS, Guarded


async def head(answer: Response) -> list[tuple[str, str]]:
    """The headers with which it goes out."""
    sent = list[Message]()

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        await answer(scope, receive, send)

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    await Guarded(application)({"type": "http", "method": "GET"}, receive, send)
    return [(name.decode(), value.decode()) for name, value in sent[0]["headers"]]


async def test_what_says_nothing_itself_says_all_of_it() -> None:
    told = dict(await head(Response("x", 404)))
    assert {name: told[name.lower()] for name in ALWAYS} == ALWAYS


@pytest.mark.parametrize("name", ALWAYS)
async def test_what_is_said_otherwise_holds(name: str) -> None:
    told = await head(Response("x", headers={name: "other"}))
    assert [value for each, value in told if each == name.lower()] == ["other"]
    assert len(told) == len(dict(told))
