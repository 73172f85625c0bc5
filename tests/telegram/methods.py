"""All methods that the double knows, each done by the part whose business it is.

A part's methods bear the API's own names and take (parameters, files). What no part knows is answered
by the schema.
"""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from tests.telegram.compose import Writing
from tests.telegram.posts import Posts
from tests.telegram.room import Room
from tests.telegram.schema import Schema
from tests.telegram.uploads import Files, Params

Method = Callable[[Params, Files], Any]


class Methods:
    """The methods by name."""

    def __init__(self, schema: Schema, parts: Iterable[object], unmodelled: "Unmodelled") -> None:
        self._known: dict[str, Method] = {
            name: getattr(part, name) for part in parts for name in dir(part) if schema.name(name) == name
        }
        self._unmodelled = unmodelled

    async def call(self, name: str, params: Params, files: Files) -> Any:
        """The result of a method; ApiError when Telegram refuses."""
        known = self._known.get(name)
        if known is None:
            return self._unmodelled.answer(name, params)
        result = known(params, files)
        return await result if inspect.isawaitable(result) else result


class Unmodelled:
    """Plausible answers from the schema, changing nothing; but what sends leaves a message behind."""

    def __init__(self, schema: Schema, room: Room, posts: Posts) -> None:
        self._schema = schema
        self._room = room
        self._posts = posts

    def answer(self, method: str, params: Params) -> Any:
        """What the method might give back."""
        kinds = self._schema.returns(method)
        if "chat_id" in params:
            self._room.chat(params, posting=method.startswith("send"))
        if method.startswith("send") and kinds == ["Message"]:
            return self._posts.post(params, Writing(), self._content(method)).json()
        return True if "Boolean" in kinds else self._schema.sample(kinds[0])

    def _content(self, method: str) -> dict[str, Any]:
        """`sendPoll` leaves a `poll` in the message, and so on."""
        name = method.removeprefix("send").lower()
        kinds = self._schema.fields("Message").get(name)
        return {name: self._schema.sample(kinds[0])} if kinds else {}
