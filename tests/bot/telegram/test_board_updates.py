"""Taps on the board become updates in Telegram's format."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from telegram import Update

from bot.board.rules import Person, Place
from bot.database import MAX_INTEGER
from bot.queue.admission import KindRules, UpdateKind, classify_update
from bot.queue.queries import FIRST_BOARD_UPDATE_ID
from bot.queue.updates import find_lane, find_update_id
from bot.telegram import board_updates
from bot.telegram.context import Context, make_context
from tests.bot.telegram.test_context import Services

ANN = Person(5_000_000_001, "Ann", "ann24", "es")
GROUP, TOPIC, ALONE = Place(-1_001), Place(-1_001, 7), Place(ANN.id)
PRESS, NOW = "p" * 22, 1_795_262_400.9


def make_context_of(raw: dict[str, Any]) -> Context:
    found = asyncio.run(make_context(Services(), Update.de_json(raw, None), NOW))  # type: ignore[arg-type]
    assert found
    return found


def test_answer_in_a_group_is_an_ephemeral_command() -> None:
    raw = board_updates.make_answer_update(TOPIC, "supergroup", ANN, PRESS, "8/(3-8/3)", NOW, round_id=12)
    context = make_context_of(raw)
    assert (context.chat.id, context.topic, context.argument, context.is_new_message) == (
        -1_001,
        7,
        "8/(3-8/3)",
        True,
    )
    assert (context.board_press_id, context.board_round_id, bool(context.ephemeral_id)) == (PRESS, 12, True)
    assert (context.sent_at, context.player and context.player.id) == (1_795_262_400.0, ANN.id)
    assert context.message
    assert context.message.entities[0].type == "bot_command"
    assert classify_update(raw, KindRules({"a": UpdateKind.ANSWER}), "bot") == (UpdateKind.ANSWER, ANN.id)


def test_answer_in_private_is_plain_text() -> None:
    context = make_context_of(
        board_updates.make_answer_update(ALONE, "private", ANN, PRESS, "8/(3-8/3)", NOW)
    )
    assert (context.argument, context.board_round_id, context.topic) == ("8/(3-8/3)", 0, 0)
    assert context.message
    assert context.message.text == "8/(3-8/3)"


def test_daily_answer_is_a_private_command_whatever_its_text() -> None:
    for text in ("8/(3-8/3)", "/forgetme", "hello"):
        raw = board_updates.make_daily_answer_update(ANN, PRESS, "2026-11-21", text, NOW)
        context = make_context_of(raw)
        assert raw["message"]["chat"] == {"id": ANN.id, "type": "private"}
        assert (context.topic, context.argument) == (0, text)
        assert (context.board_press_id, context.board_round_id, context.board_day) == (PRESS, 0, "2026-11-21")
        assert (context.ephemeral_id, context.is_new_message, find_lane(raw)) == (0, True, ANN.id)
        assert context.message
        assert context.message.entities[0].type == "bot_command"
        assert classify_update(raw, KindRules({"a": UpdateKind.ANSWER}), "bot") == (UpdateKind.ANSWER, ANN.id)


def test_press_on_board_is_genuine() -> None:
    context = make_context_of(board_updates.make_press_update(GROUP, "supergroup", ANN, PRESS, "h:12", NOW))
    assert (context.button_data, context.is_genuine_press, context.board_press_id, context.chat.id) == (
        "h:12",
        True,
        PRESS,
        -1_001,
    )


def test_card_press_goes_to_the_private_chat() -> None:
    raw = board_updates.make_press_update(TOPIC, "supergroup", ANN, PRESS, "ct:12:0:3", NOW)
    context = make_context_of(raw)
    chat = context.update.effective_chat
    assert chat
    assert (chat.id, chat.type, context.topic) == (ANN.id, "private", 0)
    assert find_lane(raw) == ANN.id


def test_update_id_depends_on_person_and_press_id_alone() -> None:
    other = replace(ANN, id=ANN.id + 1)
    made = [
        board_updates.make_answer_update(GROUP, "supergroup", who, press, text, at)["update_id"]
        for who in (ANN, other)
        for press in (PRESS, "q" * 22)
        for text, at in (("1+1", NOW), ("2+2", NOW + 9))
    ]
    assert made[::2] == made[1::2]
    assert len(set(made)) == 4
    assert (
        board_updates.make_press_update(GROUP, "supergroup", ANN, PRESS, "h:1", NOW)["update_id"] == made[0]
    )
    assert (
        board_updates.make_daily_answer_update(ANN, PRESS, "2026-11-21", "1+1", NOW)["update_id"] == made[0]
    )
    assert all(
        FIRST_BOARD_UPDATE_ID <= number <= MAX_INTEGER and find_update_id({"update_id": number})
        for number in made
    )


@pytest.mark.parametrize("mark", [{}, {"board": None}, {"board": "x"}])
def test_message_without_board_mark_has_no_press_id(mark: dict[str, Any]) -> None:
    raw = board_updates.make_answer_update(GROUP, "supergroup", ANN, PRESS, "1+1", NOW)
    raw["message"].pop("board")
    raw["message"] |= mark
    assert make_context_of(raw).board_press_id == ""
