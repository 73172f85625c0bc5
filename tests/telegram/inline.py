"""Inline mode: people type `@bot …` in any chat and post one of the bot's results."""

# ruff: noqa: N802 - methods have the API's names

from dataclasses import dataclass
from random import Random

from tests.telegram.chats import Json, Message, User
from tests.telegram.clock import Clock
from tests.telegram.compose import MOST_CAPTION, check_keyboard, parse_text
from tests.telegram.directory import Directory, Place
from tests.telegram.errors import Violation, bad_request
from tests.telegram.feed import Feed
from tests.telegram.history import History
from tests.telegram.presses import TOO_OLD
from tests.telegram.uploads import Files, Params


@dataclass(slots=True, eq=False)
class Inline:
    """An inline query."""

    id: str
    user: User
    query: str
    at: float
    results: list[Json] | None = None
    answer: Json | None = None  # All parameters of `answerInlineQuery`


class InlineQueries:
    """Inline queries, and the messages posted from their results."""

    def __init__(
        self, bot: User, rng: Random, clock: Clock, directory: Directory, history: History, feed: Feed
    ) -> None:
        self._bot = bot
        self._rng = rng
        self._clock = clock
        self._directory = directory
        self._history = history
        self._feed = feed
        self._known: dict[str, Inline] = {}

    def inline(self, user: User, query: str, *, offset: str = "") -> Inline:
        """Send an inline query."""
        inline = Inline(str(self._rng.getrandbits(62)), user, query, self._clock())
        self._known[inline.id] = inline
        body = {"id": inline.id, "from": user.json(), "query": query, "offset": offset}
        self._feed.publish("inline_query", body, user.id)
        return inline

    def choose(self, inline: Inline, index: int, place: Place) -> Message:
        """Post a result of an inline query; its text is not parsed."""
        assert inline.results is not None, "the query isn't answered yet"
        result = inline.results[index]
        words = result.get("input_message_content", {}).get("message_text") or result.get("caption", "")
        message = self._history.make_message(self._directory.chat_of(place), inline.user, words)
        message.via_bot, message.markup = self._bot, result.get("reply_markup")
        chosen: Json = {"result_id": result["id"], "from": inline.user.json(), "query": inline.query}
        if message.markup is not None:
            self._history.add_inline(message)
            chosen["inline_message_id"] = message.inline_id
        self._history.deliver(message)
        self._feed.publish("chosen_inline_result", chosen, inline.user.id)
        return message

    def answerInlineQuery(self, params: Params, files: Files) -> bool:
        inline = self._known.get(params["inline_query_id"])
        if inline is None or inline.answer is not None:
            raise bad_request(TOO_OLD)
        results = params["results"]
        _check_results(results)
        inline.answer, inline.results = params, results
        return True


def _check_results(results: list[Json]) -> None:
    if len(results) > 50:
        raise Violation("too many inline results specified for the query")
    ids = [result["id"] for result in results]
    if len(set(ids)) < len(ids):
        raise Violation("RESULT_ID_DUPLICATE")
    for result in results:
        if not 1 <= len(result["id"].encode()) <= 64:
            raise Violation("RESULT_ID_INVALID")
        content = result.get("input_message_content", {})
        if "message_text" in content:
            parse_text(content, "message_text")
        parse_text(result, "caption", MOST_CAPTION)
        check_keyboard(result.get("reply_markup"))
