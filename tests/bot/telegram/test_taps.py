"""What is tapped on a page becomes an update that the library reads as it reads Telegram's."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from telegram import Update

from bot.board.rules import Person, Place
from bot.database import LARGEST
from bot.queue.intake import Kinds, Work, kind_of
from bot.queue.order import TAPS_FROM
from bot.queue.updates import lane_of, number_of
from bot.telegram import taps
from bot.telegram.context import Context, context_of
from tests.bot.telegram.test_context import Shop

ANN = Person(5_000_000_001, "Ann", "ann24", "es")
GROUP, TOPIC, ALONE = Place(-1_001), Place(-1_001, 7), Place(ANN.id)
PRESS, NOW = "p" * 22, 1_795_262_400.9


def context(raw: dict[str, Any]) -> Context:
    found = asyncio.run(context_of(Shop(), Update.de_json(raw, None), NOW))  # type: ignore[arg-type]
    assert found
    return found


def test_an_answer_in_a_group_is_a_command_that_nobody_else_sees() -> None:
    raw = taps.answered(TOPIC, "supergroup", ANN, PRESS, "8/(3-8/3)", NOW, round_id=12)
    this = context(raw)
    assert (this.chat.id, this.topic, this.argument, this.fresh) == (-1_001, 7, "8/(3-8/3)", True)
    assert (this.board, this.board_round, bool(this.ephemeral)) == (PRESS, 12, True)
    assert (this.now, this.player and this.player.id) == (1_795_262_400.0, ANN.id)
    assert this.message
    assert this.message.entities[0].type == "bot_command"
    assert kind_of(raw, Kinds({"a": Work.ANSWER}), "bot") == (Work.ANSWER, ANN.id)


def test_alone_with_the_bot_it_is_the_answer_itself() -> None:
    this = context(taps.answered(ALONE, "private", ANN, PRESS, "8/(3-8/3)", NOW))
    assert (this.argument, this.board_round, this.topic) == ("8/(3-8/3)", 0, 0)
    assert this.message
    assert this.message.text == "8/(3-8/3)"


def test_an_answer_to_the_hand_of_a_day_is_the_persons_own_and_no_other_command() -> None:
    for text in ("8/(3-8/3)", "/forgetme", "hello"):
        raw = taps.of_day(ANN, PRESS, "2026-11-21", text, NOW)
        this = context(raw)
        assert raw["message"]["chat"] == {"id": ANN.id, "type": "private"}
        assert (this.topic, this.argument) == (0, text)
        assert (this.board, this.board_round, this.board_day) == (PRESS, 0, "2026-11-21")
        assert (this.ephemeral, this.fresh, lane_of(raw)) == (0, True, ANN.id)
        assert this.message
        assert this.message.entities[0].type == "bot_command"
        assert kind_of(raw, Kinds({"a": Work.ANSWER}), "bot") == (Work.ANSWER, ANN.id)


def test_a_press_is_one_of_a_button_that_is_there() -> None:
    this = context(taps.pressed(GROUP, "supergroup", ANN, PRESS, "h:12", NOW))
    assert (this.pressed, this.offered, this.board, this.chat.id) == ("h:12", True, PRESS, -1_001)


def test_what_is_put_on_a_card_is_pressed_in_ones_own_chat() -> None:
    raw = taps.pressed(TOPIC, "supergroup", ANN, PRESS, "ct:12:0:3", NOW)
    this = context(raw)
    chat = this.update.effective_chat
    assert chat
    assert (chat.id, chat.type, this.topic) == (ANN.id, "private", 0)
    assert lane_of(raw) == ANN.id


def test_the_same_tap_has_the_same_number_and_no_other_has() -> None:
    other = replace(ANN, id=ANN.id + 1)
    made = [
        taps.answered(GROUP, "supergroup", who, press, text, at)["update_id"]
        for who in (ANN, other)
        for press in (PRESS, "q" * 22)
        for text, at in (("1+1", NOW), ("2+2", NOW + 9))
    ]
    assert made[::2] == made[1::2]
    assert len(set(made)) == 4
    assert taps.pressed(GROUP, "supergroup", ANN, PRESS, "h:1", NOW)["update_id"] == made[0]
    assert taps.of_day(ANN, PRESS, "2026-11-21", "1+1", NOW)["update_id"] == made[0]
    assert all(TAPS_FROM <= number <= LARGEST and number_of({"update_id": number}) for number in made)


@pytest.mark.parametrize("said", [{}, {"board": None}, {"board": "x"}])
def test_what_says_nothing_of_a_tap_is_none(said: dict[str, Any]) -> None:
    raw = taps.answered(GROUP, "supergroup", ANN, PRESS, "1+1", NOW)
    raw["message"].pop("board")
    raw["message"] |= said
    assert context(raw).board == ""
