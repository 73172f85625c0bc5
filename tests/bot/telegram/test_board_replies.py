"""What is said to whoever tapped is a word on their page; all else goes its way."""

from typing import Any

import pytest
from telegram import Update

from bot.board.rules import Person, Place
from bot.database import Tx
from bot.i18n import Html, make_mention
from bot.players import queries as people
from bot.telegram import board_updates, messages
from bot.telegram.board_replies import extract_board_reply, is_visible_on_board
from bot.telegram.messages import Request
from tests.bot.databases import Database

ANN, BOB, GROUP = 5_000_000_001, 5_000_000_002, -1_001
PRESS, NOW = "p" * 22, 1_795_262_400.0
WHO = Person(ANN, "Ann", None, "en")


def tapped() -> Update:
    raw = board_updates.make_answer_update(Place(GROUP), "supergroup", WHO, PRESS, "1+1", NOW)
    return Update.de_json(raw, None)


def to(player_id: int, text: str) -> Request:
    return messages.tell_privately(GROUP, player_id, Html(text), 0.0, language="en")


class Told:
    """What was kept."""

    def __init__(self) -> None:
        self.words: list[tuple[int, str, str, bool | None, float]] = []

    def __call__(self, _: Tx, *word: Any) -> None:
        self.words.append(word)


SHOWN, POSTED = messages.show_round_by_id(GROUP, 7), messages.post_message(GROUP, "all")


@pytest.mark.parametrize(
    ("caused", "text", "right"),
    [
        ([messages.react_on_board(ANN, "🏆")], "", True),
        ([messages.react_on_board(ANN, "👎"), to(ANN, "<b>22</b>, not 24.")], "22, not 24.", False),
        ([to(ANN, "1 &lt; 2")], "1 < 2", None),
        ([messages.answer_press(ANN, "board:1", "That hand is over.")], "That hand is over.", None),
        ([to(ANN, "one"), to(ANN, "two")], "one\ntwo", None),
        ([messages.react_on_board(ANN, "🌵")], "", None),
    ],
)
async def test_requests_to_the_sender_become_one_reply(
    db: Database, caused: list[Request], text: str, right: bool | None
) -> None:
    told = Told()
    left = await db(lambda tx: extract_board_reply(tx, tapped(), [SHOWN, *caused, POSTED], told, NOW))
    assert left == [SHOWN, POSTED]
    assert told.words == [(ANN, PRESS, text, right, NOW)]


async def test_reply_holds_names_in_isolates(db: Database) -> None:
    def story(tx: Tx, told: Told) -> None:
        people.insert_or_update_player(tx, people.Player(BOB, "<b>Bob", None))
        extract_board_reply(
            tx, tapped(), [to(ANN, f"Right as well! {make_mention(BOB)} was first.")], told, NOW
        )

    told = Told()
    await db(lambda tx: story(tx, told))
    assert told.words[0][2] == "Right as well! \u2068<b>Bob\u2069 was first."


async def test_requests_to_others_are_kept_and_those_to_message_0_dropped(db: Database) -> None:
    told, others = Told(), to(BOB, "psst")
    gone = [
        messages.react_to_message(GROUP, 0, "👀"),
        messages.delete_message(GROUP, 0),
        messages.edit_message(GROUP, 0, "x"),
    ]
    answered = messages.answer_press(ANN, "board:1")
    left = await db(lambda tx: extract_board_reply(tx, tapped(), [others, *gone, answered], told, NOW))
    assert left == [others]
    assert told.words == []


async def test_update_from_telegram_leaves_no_board_reply(db: Database) -> None:
    raw = board_updates.make_answer_update(Place(GROUP), "supergroup", WHO, PRESS, "1+1", NOW)
    raw["message"].pop("board")
    told, caused = Told(), [to(ANN, "psst"), messages.answer_press(ANN, "7")]
    assert (
        await db(lambda tx: extract_board_reply(tx, Update.de_json(raw, None), caused, told, NOW)) == caused
    )
    assert told.words == []


def test_rounds_and_cards_are_visible_on_board_and_posts_are_not() -> None:
    assert is_visible_on_board(SHOWN.body)
    assert is_visible_on_board({"method": "post card"})
    assert is_visible_on_board({"method": "editMessageText", "table": True})
    assert not is_visible_on_board(POSTED.body)
