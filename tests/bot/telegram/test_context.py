"""The context of an update: person, chat, topic, language, and times."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from bot.i18n import NAME_LIMIT, clean_name
from bot.players import queries as people
from bot.queue.outgoing import Outgoing
from bot.queue.updates import Submission
from bot.telegram.context import BoardReply, Context, Response, do_nothing, make_context, send_only
from bot.telegram.incoming import make_player, read_submission, read_update

BOT = 24
ANN = {"id": 5_000_000_001, "is_bot": False, "first_name": "Ann", "language_code": "es"}
GROUP = {"id": -1_001, "type": "supergroup", "title": "Family"}
ANONYMOUS = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}


class Store:
    """A store with one new chat, which may have a language."""

    def __init__(self, language: str | None = None) -> None:
        self.language = language

    async def read(self, _: Any) -> people.Chat:
        return people.Chat(-1_001, "supergroup", self.language)


class Services:
    """The services that a context needs."""

    def __init__(self, language: str | None = None) -> None:
        self.store = Store(language)
        self.bot = None
        self.commands = ()


def make_context_of(body: dict[str, Any], language: str | None = None) -> Context | None:
    incoming = read_update({"update_id": 1, **body}, BOT)
    return asyncio.run(make_context(Services(language), incoming, 99.5))  # type: ignore[arg-type]


def select_requests(responses: Iterable[Response]) -> list[Outgoing]:
    """Return the responses, which must all be requests to Telegram."""
    requests = [response for response in responses if isinstance(response, Outgoing)]
    assert requests == list(responses)
    return requests


def make_message(**parts: Any) -> dict[str, Any]:
    return {"message": {"message_id": 7, "date": 50, "chat": GROUP, "from": ANN, "text": "hi"} | parts}


def make_message_context(**parts: Any) -> Context:
    context = make_context_of(make_message(**parts))
    assert context is not None
    return context


def test_context_of_a_plain_message() -> None:
    context = make_message_context(text=" 8/(3-8/3) ")
    assert (context.sent_at, context.topic, context.argument, context.is_new_message) == (
        50.0,
        0,
        "8/(3-8/3)",
        True,
    )
    assert context.player == people.Player(ANN["id"], "Ann")  # type: ignore[arg-type]
    assert context.words.language == "es"
    assert context.button_data == ""
    assert context.answer_press("psst") == []


@pytest.mark.parametrize(("text", "argument"), [("/a", ""), ("/a 1 + 2", "1 + 2"), ("/a@Bot\n1+2", "1+2")])
def test_argument_is_the_text_after_the_command(text: str, argument: str) -> None:
    assert make_message_context(text=text).argument == argument


def test_chats_language_overrides_the_senders() -> None:
    context = make_context_of(make_message(), language="ru")
    assert context is not None
    assert context.words.language == "ru"


def test_thread_is_a_topic_only_in_a_forum() -> None:
    assert make_message_context(message_thread_id=9, is_topic_message=True).topic == 9
    assert make_message_context(message_thread_id=9).topic == 0


@pytest.mark.parametrize(
    "parts",
    [
        {"forward_origin": {"type": "hidden_user", "date": 1, "sender_user_name": "x"}},
        {"via_bot": {"id": 3, "is_bot": True, "first_name": "b", "username": "b"}},
        {"sender_chat": GROUP, "from": ANONYMOUS},
        {"sender_chat": {"id": -5, "type": "channel", "title": "News"}},
        {"is_automatic_forward": True},
        {"from": {"id": 3, "is_bot": True, "first_name": "b"}},
    ],
)
def test_only_a_persons_own_new_message_is_new(parts: dict[str, Any]) -> None:
    assert not make_message_context(**parts).is_new_message


def test_press_is_dated_when_handled_and_checked_for_forgery() -> None:
    button = {"inline_keyboard": [[{"text": "Hint", "callback_data": "h:1"}]]}
    query = {"id": "q", "from": ANN, "chat_instance": "1", "data": "h:1"}
    query["message"] = make_message(reply_markup=button, text="/a 1")["message"]
    context = make_context_of({"callback_query": query})
    assert context is not None
    assert (
        context.sent_at,
        context.argument,
        context.button_data,
        context.is_genuine_press,
        context.is_new_message,
    ) == (
        99.5,
        "",
        "h:1",
        True,
        False,
    )
    (answer,) = select_requests(context.answer_press("x" * 300))
    assert (answer.lane, answer.params["text"]) == (ANN["id"], "x" * 200)
    forged = make_context_of({"callback_query": query | {"data": "s:1"}})
    assert forged is not None
    assert not forged.is_genuine_press


def test_inline_query_belongs_to_the_private_chat() -> None:
    context = make_context_of({"inline_query": {"id": "i", "from": ANN, "query": " 3 8 3 8", "offset": ""}})
    assert context is not None
    assert (context.argument, context.message, context.is_new_message) == ("3 8 3 8", None, False)


@pytest.mark.parametrize(
    "body",
    [
        {"channel_post": {"message_id": 1, "date": 1, "chat": {"id": -2, "type": "channel", "title": "N"}}},
        {"poll_answer": {"poll_id": "1", "option_ids": [], "option_persistent_ids": [], "user": ANN}},
    ],
)
def test_update_outside_player_chats_has_no_context(body: dict[str, Any]) -> None:
    assert make_context_of(body) is None


async def test_anonymous_admin_is_admin_and_channel_is_not() -> None:
    async def is_admin_message(**parts: Any) -> bool:
        incoming = read_update({"update_id": 1, **make_message(**parts)}, BOT)
        context = await make_context(Services(), incoming, 1.0)  # type: ignore[arg-type]
        return context is not None and await context.is_admin()

    assert await is_admin_message(sender_chat=GROUP, **{"from": ANONYMOUS})
    channel = {"id": 136817688, "is_bot": True, "first_name": "Channel"}
    assert not await is_admin_message(
        sender_chat={"id": -5, "type": "channel", "title": "News"}, **{"from": channel}
    )


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ann", "Ann"),
        ("", "•"),
        ("\u200b", "•"),
        ("a\x00b", "ab"),
        ("\ud800x", "x"),
        ("é" * 700, "é" * NAME_LIMIT),
    ],
)
def test_clean_name_is_storable_and_visible(name: str, shown: str) -> None:
    assert clean_name(name) == shown


def test_missing_user_is_no_player() -> None:
    assert make_player(None) is None
    assert not do_nothing(None)  # type: ignore[arg-type]
    assert not send_only()(None)  # type: ignore[arg-type]


def make_ephemeral_context(**parts: Any) -> Context:
    return make_message_context(message_id=0, ephemeral_message_id=5, text="/a 1+2", **parts)


def test_ephemeral_message_is_hidden_from_others() -> None:
    assert not make_message_context().is_hidden
    assert make_ephemeral_context().is_hidden
    assert not make_message_context(ephemeral_message_id="x").is_hidden


def test_ephemeral_window_is_twelve_seconds() -> None:
    assert (make_ephemeral_context().ephemeral_until, make_message_context().ephemeral_until) == (12.0, 30.0)


def test_reply_to_an_ephemeral_message_is_private() -> None:
    """It never replies to message 0, and is public only if something depends on it."""
    context = make_ephemeral_context()
    keyboard = [[("Next", "n")]]
    (reply,) = select_requests([context.reply("psst", reply_to=0, keyboard=keyboard)])
    assert reply.private
    assert (reply.lane, reply.private.player_id) == (GROUP["id"], ANN["id"])
    (dependent,) = select_requests([context.reply("a table", about="daily:7")])
    assert dependent.method == "sendMessage"
    assert "reply_parameters" not in dependent.params
    (public,) = select_requests([make_message_context().reply("hi")])
    assert public.params["reply_parameters"]["message_id"] == 7


def test_private_text_answers_the_ephemeral_message() -> None:
    context = make_ephemeral_context()
    of_round = context.tell_privately("psst", round_id=3, heading="3 8 3 8 → 24")
    (request,) = select_requests([of_round])
    assert request.private
    private = request.private
    assert (private.ephemeral_id, private.shown_key, private.heading) == (5, 3, "3 8 3 8 → 24")


ON_BOARD = Submission(ANN["id"], "Ann", None, "es", -1_001, "supergroup", 7, "p" * 22, 50.0)  # type: ignore[arg-type]


def make_board_context(**parts: Any) -> Context:
    incoming = read_submission(replace(ON_BOARD, **parts))
    context = asyncio.run(make_context(Services(), incoming, 99.5))  # type: ignore[arg-type]
    assert context is not None
    return context


def test_answer_on_board_is_hidden_and_answered_on_its_page() -> None:
    context = make_board_context(answer="/forgetme", round_id=12)
    assert (context.argument, context.topic, context.sent_at, context.message_id) == ("/forgetme", 7, 50.0, 0)
    assert (context.is_new_message, context.is_command, context.is_hidden) == (True, True, True)
    assert context.words.language == "es"
    replies = [context.reply("<b>no</b>", reply_to=5), context.tell_privately("no")]
    assert replies == [BoardReply("<b>no</b>"), BoardReply("no")]
    assert context.answer_press("x") == []


def test_press_on_board_is_genuine_and_answered_on_its_page() -> None:
    context = make_board_context(button="h:12")
    assert (context.button_data, context.is_genuine_press, context.is_hidden) == ("h:12", True, False)
    assert (context.sent_at, context.is_new_message) == (99.5, False)
    assert context.answer_press("1 < 2", alert=True) == [BoardReply("1 &lt; 2")]
    assert context.answer_press() == []


def test_posts_of_what_is_done_on_board_go_to_the_chat() -> None:
    context = make_board_context(button="h:12")
    (post,) = select_requests([context.reply("a table", about="daily:7")])
    assert (post.lane, post.method, post.params["message_thread_id"]) == (-1_001, "sendMessage", 7)
