"""Who an update is from, where it belongs, and what it may do."""

import asyncio
from typing import Any

import pytest
from telegram import Update

from bot.i18n import NAME_LIMIT, clean_name
from bot.players import queries as people
from bot.queue.watermark import MAX_DATE_ERROR, resolve_sent_time
from bot.telegram.context import Context, do_nothing, make_context, make_player, send_only

ANN = {"id": 5_000_000_001, "is_bot": False, "first_name": "Ann", "language_code": "es"}
GROUP = {"id": -1_001, "type": "supergroup", "title": "Family"}
ANONYMOUS = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}


class Shelf:
    """A store without a database: the chat is as a new one would be, or speaks `language`."""

    def __init__(self, language: str | None = None) -> None:
        self.language = language

    async def read(self, _: Any) -> people.Chat:
        return people.Chat(-1_001, "supergroup", self.language)


class Shop:
    """What a turn may call on, as far as it is needed here."""

    def __init__(self, language: str | None = None) -> None:
        self.store = Shelf(language)
        self.bot = None
        self.commands = ()


def taken(body: dict[str, Any], language: str | None = None) -> Context | None:
    update = Update.de_json({"update_id": 1, **body}, None)
    return asyncio.run(make_context(Shop(language), update, 99.5))  # type: ignore[arg-type]


def message(**parts: Any) -> dict[str, Any]:
    return {"message": {"message_id": 7, "date": 50, "chat": GROUP, "from": ANN, "text": "hi"} | parts}


def heard(**parts: Any) -> Context:
    this = taken(message(**parts))
    assert this is not None
    return this


def test_context_of_a_plain_message() -> None:
    this = heard(text=" 8/(3-8/3) ")
    assert (this.sent_at, this.topic, this.argument, this.is_new_message) == (50.0, 0, "8/(3-8/3)", True)
    assert this.player == people.Player(ANN["id"], "Ann")  # type: ignore[arg-type]
    assert this.words.language == "es"
    assert this.button_data == ""
    assert this.answer_press("psst") == []


@pytest.mark.parametrize(("text", "argument"), [("/a", ""), ("/a 1 + 2", "1 + 2"), ("/a@Bot\n1+2", "1+2")])
def test_argument_is_the_text_after_the_command(text: str, argument: str) -> None:
    assert heard(text=text).argument == argument


def test_chats_language_overrides_the_senders() -> None:
    this = taken(message(), language="ru")
    assert this is not None
    assert this.words.language == "ru"


def test_thread_is_a_topic_only_in_a_forum() -> None:
    assert heard(message_thread_id=9, is_topic_message=True).topic == 9
    assert heard(message_thread_id=9).topic == 0


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
    assert not heard(**parts).is_new_message


def test_press_is_dated_when_handled_and_checked_for_forgery() -> None:
    button = {"inline_keyboard": [[{"text": "Hint", "callback_data": "h:1"}]]}
    query = {"id": "q", "from": ANN, "chat_instance": "1", "data": "h:1"}
    query["message"] = message(reply_markup=button, text="/a 1")["message"]
    this = taken({"callback_query": query})
    assert this is not None
    assert (this.sent_at, this.argument, this.button_data, this.is_genuine_press, this.is_new_message) == (
        99.5,
        "",
        "h:1",
        True,
        False,
    )
    (answer,) = this.answer_press("x" * 300)
    assert (answer.lane, answer.body["params"]["text"]) == (ANN["id"], "x" * 200)
    forged = taken({"callback_query": query | {"data": "s:1"}})
    assert forged is not None
    assert not forged.is_genuine_press


def test_inline_query_belongs_to_the_private_chat() -> None:
    this = taken({"inline_query": {"id": "i", "from": ANN, "query": " 3 8 3 8", "offset": ""}})
    assert this is not None
    assert (this.argument, this.message, this.is_new_message) == ("3 8 3 8", None, False)


@pytest.mark.parametrize(
    "body",
    [
        {"channel_post": {"message_id": 1, "date": 1, "chat": {"id": -2, "type": "channel", "title": "N"}}},
        {"poll_answer": {"poll_id": "1", "option_ids": [], "option_persistent_ids": [], "user": ANN}},
    ],
)
def test_update_outside_player_chats_has_no_context(body: dict[str, Any]) -> None:
    assert taken(body) is None


async def test_anonymous_admin_is_admin_and_channel_is_not() -> None:
    async def runs(**parts: Any) -> bool:
        update = Update.de_json({"update_id": 1, **message(**parts)}, None)
        this = await make_context(Shop(), update, 1.0)  # type: ignore[arg-type]
        return this is not None and await this.is_admin()

    assert await runs(sender_chat=GROUP, **{"from": ANONYMOUS})
    channel = {"id": 136817688, "is_bot": True, "first_name": "Channel"}
    assert not await runs(sender_chat={"id": -5, "type": "channel", "title": "News"}, **{"from": channel})


@pytest.mark.parametrize(
    ("first", "shown"),
    [
        ("Ann", "Ann"),
        ("", "•"),
        ("\u200b", "•"),
        ("a\x00b", "ab"),
        ("\ud800x", "x"),
        ("é" * 700, "é" * NAME_LIMIT),
    ],
)
def test_clean_name_is_storable_and_visible(first: str, shown: str) -> None:
    assert clean_name(first) == shown


def test_missing_user_is_no_player() -> None:
    assert make_player(None) is None
    assert do_nothing(None) == send_only()(None) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("dated", "counts"), [(1e9, 1e9), (1e9 - 86_400, 1e9 - 86_400), (0, 1e9), (2e9, 1e9)]
)
def test_impossible_date_is_replaced_by_ours(dated: float, counts: float) -> None:
    assert resolve_sent_time(dated, 1e9) == counts
    assert abs(resolve_sent_time(dated, 1e9) - 1e9) <= MAX_DATE_ERROR


def secretly_said(**parts: Any) -> Context:
    return heard(message_id=0, ephemeral_message_id=5, text="/a 1+2", **parts)


def test_ephemeral_message_has_its_own_id() -> None:
    assert heard().ephemeral_id == 0
    assert secretly_said().ephemeral_id == 5
    assert heard(ephemeral_message_id="x").ephemeral_id == 0


def test_ephemeral_window_is_twelve_seconds() -> None:
    assert (secretly_said().ephemeral_until, heard().ephemeral_until) == (12.0, 30.0)


def test_reply_to_an_ephemeral_message_is_private() -> None:
    """It is never a reply to message 0, and never public where nothing else rests on it."""
    this = secretly_said()
    said = this.reply("psst", reply_to=0, keyboard=[[("Next", "n")]])
    assert (said.lane, said.body["method"], said.body["to"]) == (GROUP["id"], "to one", ANN["id"])
    rests = this.reply("a table", about="daily:7")
    assert rests.body["method"] == "sendMessage"
    assert "reply_parameters" not in rests.body["params"]
    assert heard().reply("hi").body["params"]["reply_parameters"]["message_id"] == 7


def test_private_text_to_another_person_uses_no_window() -> None:
    this = secretly_said()
    assert this.tell_privately("psst", player_id=77).body["reply"] == 0
    assert this.tell_privately("psst").body["reply"] == 5
    with_key = this.tell_privately("psst", key="card:1", round_id=3, heading="3 8 3 8 → 24").body
    assert (with_key["key"], with_key["round"], with_key["above"]) == ("card:1", 3, "3 8 3 8 → 24")
