"""Checks of requests and updates by the Bot API's schema."""

from typing import Any

import pytest

from tests.telegram import bot_api

API = bot_api()
MESSAGE: dict[str, Any] = {"message_id": 1, "date": 1, "chat": {"id": 1, "type": "private"}}


def test_forms_are_parsed_to_values() -> None:
    raw = {
        "chat_id": "-5",
        "text": "12",
        "disable_notification": "true",
        "reply_parameters": '{"message_id": 3}',
    }
    values, problems = API.read("sendMessage", raw)
    assert problems == []
    assert values == {
        "chat_id": -5,
        "text": "12",
        "disable_notification": True,
        "reply_parameters": {"message_id": 3},
    }


@pytest.mark.parametrize(
    ("method", "raw", "problem"),
    [
        ("sendMessage", {"chat_id": 1}, "sendMessage.text: missing"),
        ("sendMessage", {"chat_id": 1, "text": "x", "txet": "y"}, "sendMessage.txet: unknown parameter"),
        ("sendMessage", {"chat_id": 1.5, "text": "x"}, "sendMessage.chat_id: not of type Integer: 1.5"),
        ("sendMessage", {"chat_id": True, "text": "x"}, "sendMessage.chat_id: not of type Integer: True"),
        ("sendMessage", {"chat_id": 1, "text": 2}, "sendMessage.text: not of type String: 2"),
        ("getUpdates", {"timeout": "soon"}, "getUpdates.timeout: not of type Integer: 'soon'"),
        (
            "answerCallbackQuery",
            {"callback_query_id": "1", "text": "x" * 201},
            "answerCallbackQuery.text: 201 characters, not 0-200",
        ),
        (
            "setMyCommands",
            {"commands": '[{"command": "a"}]'},
            "setMyCommands.commands[0].description: missing",
        ),
        (
            "setMyCommands",
            {"commands": [], "scope": {"type": "planet"}},
            "setMyCommands.scope: no known kind: {'type': 'planet'}",
        ),
        (
            "setMyCommands",
            {"commands": [], "scope": {"type": "chat"}},
            "setMyCommands.scope.chat_id: missing",
        ),
        (
            "editMessageReplyMarkup",
            {"reply_markup": {"inline_keyboard": [[{"text": "x", "colour": "red"}]]}},
            "editMessageReplyMarkup.reply_markup.inline_keyboard[0][0].colour: unknown field",
        ),
    ],
)
def test_bad_request_is_reported(method: str, raw: dict[str, Any], problem: str) -> None:
    _, problems = API.read(method, raw)
    assert problems == [problem]


def test_nested_types_are_checked() -> None:
    assert (
        API.find_problems("Update", {"update_id": 1, "message": MESSAGE | {"reply_to_message": MESSAGE}})
        == []
    )
    assert API.find_problems(
        "Update", {"update_id": 1, "message": MESSAGE | {"reply_to_message": {"date": 1}}}
    ) == [
        "Update.message.reply_to_message.message_id: missing",
        "Update.message.reply_to_message.chat: missing",
    ]
    assert API.find_problems("MaybeInaccessibleMessage", MESSAGE) == []
    assert API.find_problems("Array of MessageEntity", [{"type": "bold", "offset": 0}]) == [
        "Array of MessageEntity[0].length: missing"
    ]


def test_method_names_ignore_case() -> None:
    assert API.find_method("SENDMESSAGE") == "sendMessage"
    assert API.find_method("sendMassage") is None


@pytest.mark.parametrize(
    "kind", ["User", "ChatInviteLink", "Poll", "StickerSet", "Array of Message", "ChatMember"]
)
def test_samples_have_no_problems(kind: str) -> None:
    assert API.find_problems(kind, API.make_sample(kind)) == []
