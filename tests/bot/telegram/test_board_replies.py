"""Requests to a person who tapped on the board become a reply on their page."""

from typing import Any

import pytest
from telegram import Update

from bot.board.rules import Person, Place
from bot.database import Tx
from bot.i18n import Html, make_mention
from bot.players import queries as people
from bot.telegram import board_updates, messages
from bot.telegram.board_replies import is_visible_on_board, store_board_reply
from bot.telegram.messages import Request
from tests.bot.databases import Database

ANN, BOB, GROUP = 5_000_000_001, 5_000_000_002, -1_001
PRESS, NOW = "p" * 22, 1_795_262_400.0
WHO = Person(ANN, "Ann", None, "en")


def make_tap() -> Update:
    raw = board_updates.make_answer_update(Place(GROUP), "supergroup", WHO, PRESS, "1+1", NOW)
    return Update.de_json(raw, None)


def make_private_request(player_id: int, text: str) -> Request:
    return messages.tell_privately(GROUP, player_id, Html(text), 0.0, language="en")


class StoredReplies:
    """The replies that were stored."""

    def __init__(self) -> None:
        self.words: list[tuple[int, str, str, bool | None, float]] = []

    def __call__(self, _: Tx, *word: Any) -> None:
        self.words.append(word)


SHOWN, POSTED = messages.show_round_by_id(GROUP, 7), messages.post_message(GROUP, "all")


@pytest.mark.parametrize(
    ("caused", "text", "right"),
    [
        ([messages.react_on_board(ANN, "🏆")], "", True),
        (
            [messages.react_on_board(ANN, "👎"), make_private_request(ANN, "<b>22</b>, not 24.")],
            "22, not 24.",
            False,
        ),
        ([make_private_request(ANN, "1 &lt; 2")], "1 < 2", None),
        ([messages.answer_press(ANN, "board:1", "That hand is over.")], "That hand is over.", None),
        ([make_private_request(ANN, "one"), make_private_request(ANN, "two")], "one\ntwo", None),
        ([messages.react_on_board(ANN, "🌵")], "", None),
    ],
)
async def test_requests_to_the_sender_become_one_reply(
    db: Database, caused: list[Request], text: str, right: bool | None
) -> None:
    replies = StoredReplies()
    remaining = await db(lambda tx: store_board_reply(tx, make_tap(), [SHOWN, *caused, POSTED], replies, NOW))
    assert remaining == [SHOWN, POSTED]
    assert replies.words == [(ANN, PRESS, text, right, NOW)]


async def test_reply_holds_names_in_isolates(db: Database) -> None:
    def extract(tx: Tx, replies: StoredReplies) -> None:
        people.insert_or_update_player(tx, people.Player(BOB, "<b>Bob", None))
        store_board_reply(
            tx,
            make_tap(),
            [make_private_request(ANN, f"Right as well! {make_mention(BOB)} was first.")],
            replies,
            NOW,
        )

    replies = StoredReplies()
    await db(lambda tx: extract(tx, replies))
    assert replies.words[0][2] == "Right as well! \u2068<b>Bob\u2069 was first."


async def test_requests_to_others_are_kept_and_those_to_message_0_dropped(db: Database) -> None:
    replies, to_bob = StoredReplies(), make_private_request(BOB, "psst")
    dropped = [
        messages.react_to_message(GROUP, 0, "👀"),
        messages.delete_message(GROUP, 0),
        messages.edit_message(GROUP, 0, "x"),
    ]
    answered = messages.answer_press(ANN, "board:1")
    remaining = await db(
        lambda tx: store_board_reply(tx, make_tap(), [to_bob, *dropped, answered], replies, NOW)
    )
    assert remaining == [to_bob]
    assert replies.words == []


async def test_update_from_telegram_leaves_no_board_reply(db: Database) -> None:
    raw = board_updates.make_answer_update(Place(GROUP), "supergroup", WHO, PRESS, "1+1", NOW)
    raw["message"].pop("board")
    replies, caused = StoredReplies(), [make_private_request(ANN, "psst"), messages.answer_press(ANN, "7")]
    assert (
        await db(lambda tx: store_board_reply(tx, Update.de_json(raw, None), caused, replies, NOW)) == caused
    )
    assert replies.words == []


def test_rounds_and_cards_are_visible_on_board_and_posts_are_not() -> None:
    assert is_visible_on_board(SHOWN.body)
    assert is_visible_on_board({"method": "post card"})
    assert is_visible_on_board({"method": "editMessageText", "table": True})
    assert not is_visible_on_board(POSTED.body)
