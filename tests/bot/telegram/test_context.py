"""The context of an update: person, chat, topic, language, and times."""

import asyncio
from typing import Any

import pytest
from telegram import Update

from bot.i18n import NAME_LIMIT, clean_name
from bot.players import queries as people
from bot.telegram.context import Context, do_nothing, make_context, make_player, send_only

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
    update = Update.de_json({"update_id": 1, **body}, None)
    return asyncio.run(make_context(Services(language), update, 99.5))  # type: ignore[arg-type]


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
    (answer,) = context.answer_press("x" * 300)
    assert (answer.lane, answer.body["params"]["text"]) == (ANN["id"], "x" * 200)
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
        update = Update.de_json({"update_id": 1, **make_message(**parts)}, None)
        context = await make_context(Services(), update, 1.0)  # type: ignore[arg-type]
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
    assert do_nothing(None) == send_only()(None) == []  # type: ignore[arg-type]


def make_ephemeral_context(**parts: Any) -> Context:
    return make_message_context(message_id=0, ephemeral_message_id=5, text="/a 1+2", **parts)


def test_ephemeral_message_has_its_own_id() -> None:
    assert make_message_context().ephemeral_id == 0
    assert make_ephemeral_context().ephemeral_id == 5
    assert make_message_context(ephemeral_message_id="x").ephemeral_id == 0


def test_ephemeral_window_is_twelve_seconds() -> None:
    assert (make_ephemeral_context().ephemeral_until, make_message_context().ephemeral_until) == (12.0, 30.0)


def test_reply_to_an_ephemeral_message_is_private() -> None:
    """It never replies to message 0, and is public only if something depends on it."""
    context = make_ephemeral_context()
    reply = context.reply("psst", reply_to=0, keyboard=[[("Next", "n")]])
    assert (reply.lane, reply.body["method"], reply.body["to"]) == (GROUP["id"], "to one", ANN["id"])
    dependent = context.reply("a table", about="daily:7")
    assert dependent.body["method"] == "sendMessage"
    assert "reply_parameters" not in dependent.body["params"]
    assert make_message_context().reply("hi").body["params"]["reply_parameters"]["message_id"] == 7


def test_private_text_answers_the_ephemeral_message() -> None:
    context = make_ephemeral_context()
    assert context.tell_privately("psst").body["reply"] == 5
    of_round = context.tell_privately("psst", round_id=3, heading="3 8 3 8 → 24").body
    assert (of_round["round"], of_round["above"]) == (3, "3 8 3 8 → 24")
