"""What is tapped on a page becomes an update that the library reads as it reads Telegram's."""

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
from tests.bot.telegram.test_context import Shop

ANN = Person(5_000_000_001, "Ann", "ann24", "es")
GROUP, TOPIC, ALONE = Place(-1_001), Place(-1_001, 7), Place(ANN.id)
PRESS, NOW = "p" * 22, 1_795_262_400.9


def context(raw: dict[str, Any]) -> Context:
    found = asyncio.run(make_context(Shop(), Update.de_json(raw, None), NOW))  # type: ignore[arg-type]
    assert found
    return found


def test_answer_in_a_group_is_an_ephemeral_command() -> None:
    raw = board_updates.make_answer_update(TOPIC, "supergroup", ANN, PRESS, "8/(3-8/3)", NOW, round_id=12)
    this = context(raw)
    assert (this.chat.id, this.topic, this.argument, this.is_new_message) == (-1_001, 7, "8/(3-8/3)", True)
    assert (this.board_press_id, this.board_round_id, bool(this.ephemeral_id)) == (PRESS, 12, True)
    assert (this.sent_at, this.player and this.player.id) == (1_795_262_400.0, ANN.id)
    assert this.message
    assert this.message.entities[0].type == "bot_command"
    assert classify_update(raw, KindRules({"a": UpdateKind.ANSWER}), "bot") == (UpdateKind.ANSWER, ANN.id)


def test_answer_in_private_is_plain_text() -> None:
    this = context(board_updates.make_answer_update(ALONE, "private", ANN, PRESS, "8/(3-8/3)", NOW))
    assert (this.argument, this.board_round_id, this.topic) == ("8/(3-8/3)", 0, 0)
    assert this.message
    assert this.message.text == "8/(3-8/3)"


def test_daily_answer_is_a_private_command_whatever_its_text() -> None:
    for text in ("8/(3-8/3)", "/forgetme", "hello"):
        raw = board_updates.make_daily_answer_update(ANN, PRESS, "2026-11-21", text, NOW)
        this = context(raw)
        assert raw["message"]["chat"] == {"id": ANN.id, "type": "private"}
        assert (this.topic, this.argument) == (0, text)
        assert (this.board_press_id, this.board_round_id, this.board_day) == (PRESS, 0, "2026-11-21")
        assert (this.ephemeral_id, this.is_new_message, find_lane(raw)) == (0, True, ANN.id)
        assert this.message
        assert this.message.entities[0].type == "bot_command"
        assert classify_update(raw, KindRules({"a": UpdateKind.ANSWER}), "bot") == (UpdateKind.ANSWER, ANN.id)


def test_press_on_board_is_genuine() -> None:
    this = context(board_updates.make_press_update(GROUP, "supergroup", ANN, PRESS, "h:12", NOW))
    assert (this.button_data, this.is_genuine_press, this.board_press_id, this.chat.id) == (
        "h:12",
        True,
        PRESS,
        -1_001,
    )


def test_card_press_goes_to_the_private_chat() -> None:
    raw = board_updates.make_press_update(TOPIC, "supergroup", ANN, PRESS, "ct:12:0:3", NOW)
    this = context(raw)
    chat = this.update.effective_chat
    assert chat
    assert (chat.id, chat.type, this.topic) == (ANN.id, "private", 0)
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


@pytest.mark.parametrize("said", [{}, {"board": None}, {"board": "x"}])
def test_message_without_board_mark_has_no_press_id(said: dict[str, Any]) -> None:
    raw = board_updates.make_answer_update(GROUP, "supergroup", ANN, PRESS, "1+1", NOW)
    raw["message"].pop("board")
    raw["message"] |= said
    assert context(raw).board_press_id == ""
