"""The Bot API's methods, each implemented by a part of the world.

The parts' methods have the API's names and take (parameters, files). Methods without an implementation are
answered from the schema.
"""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from tests.telegram.access import ChatAccess
from tests.telegram.compose import FormattedText
from tests.telegram.posts import Posts
from tests.telegram.schema import Schema
from tests.telegram.uploads import Files, Params

Method = Callable[[Params, Files], Any]


class Methods:
    """The implemented methods by name."""

    def __init__(self, schema: Schema, parts: Iterable[object], schema_answers: "SchemaAnswers") -> None:
        self._known: dict[str, Method] = {
            name: getattr(part, name)
            for part in parts
            for name in dir(part)
            if schema.find_method(name) == name
        }
        self._schema_answers = schema_answers

    async def call(self, name: str, params: Params, files: Files) -> Any:
        """Call a method and return its result; ApiError if Telegram refuses."""
        known = self._known.get(name)
        if known is None:
            return self._schema_answers.answer(name, params)
        result = known(params, files)
        return await result if inspect.isawaitable(result) else result


class SchemaAnswers:
    """Answers from the schema; methods that send also add a message."""

    def __init__(self, schema: Schema, access: ChatAccess, posts: Posts) -> None:
        self._schema = schema
        self._access = access
        self._posts = posts

    def answer(self, method: str, params: Params) -> Any:
        """Return a possible result of the method."""
        kinds = self._schema.result_types(method)
        if "chat_id" in params:
            self._access.find_chat(params, posting=method.startswith("send"))
        if method.startswith("send") and kinds == ["Message"]:
            return self._posts.post(params, FormattedText(), self._make_content(method)).json()
        return True if "Boolean" in kinds else self._schema.make_sample(kinds[0])

    def _make_content(self, method: str) -> dict[str, Any]:
        """Return a message's content, such as a `poll` for `sendPoll`."""
        name = method.removeprefix("send").lower()
        kinds = self._schema.field_types("Message").get(name)
        return {name: self._schema.make_sample(kinds[0])} if kinds else {}
