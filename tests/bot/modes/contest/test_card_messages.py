"""Requests that show a card."""

from dataclasses import replace
from typing import Any

from bot.database import Tx
from bot.modes.contest import card_messages
from bot.modes.contest import queries as contests
from bot.modes.contest.rules import PlayerCard
from bot.players import queries as people
from bot.rounds.rules import Round
from bot.telegram.messages import make_no_board_url
from tests.bot.databases import Database
from tests.bot.modes.contest.test_queries import ANN, make_card, open_contest
from tests.stories.clock import NOON


async def test_recently_posted_card_is_not_posted_again(db: Database) -> None:
    def story(tx: Tx) -> None:
        present, sheet = open_contest(tx), make_card(ANN, 2)
        assert isinstance(sheet, PlayerCard)
        assert card_messages.show_card_below(tx, present, sheet, NOON + 5) == [
            card_messages.build_card_request(present, ANN)
        ]
        moved, shown = card_messages.show_card_below(tx, present, sheet, NOON + 61)
        assert moved.body["params"]["message_id"] == 5
        assert moved.body["params"]["text"] == "🎲 Tu hoja está abajo. ⬇️"
        assert "reply_markup" not in moved.body["params"]
        assert shown == card_messages.build_card_request(present, ANN)

    await db(story)


async def test_card_is_not_posted_without_a_private_chat(db: Database) -> None:
    def load_body(tx: Tx, present: Round) -> dict[str, Any] | None:
        return card_messages.load_card_body(tx, present.id, ANN, make_no_board_url)

    def story(tx: Tx) -> None:
        present = open_contest(tx)
        contests.store_card(tx, present, replace(make_card(ANN, 2), message_id=None))
        assert load_body(tx, present) is None
        contests.store_card(tx, present, make_card(ANN, 2))
        changed = load_body(tx, present)
        assert changed
        assert changed["method"] == "editMessageText"
        contests.store_card(tx, present, replace(make_card(ANN, 2), message_id=None))
        people.load_or_insert_chat(tx, ANN, "private")
        posted = load_body(tx, present)
        assert posted
        assert posted["method"] == "sendMessage"

    await db(story)
