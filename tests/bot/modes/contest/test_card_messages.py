"""Requests that show a card."""

from dataclasses import replace

from bot.database import Tx
from bot.modes.contest import card_messages
from bot.modes.contest import queries as contests
from bot.modes.contest.rules import PlayerCard
from bot.players import queries as people
from bot.queue.rendering import RenderedRequest
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
        assert moved.params["message_id"] == 5
        assert moved.params["text"] == "🎲 Tu hoja está abajo. ⬇️"
        assert "reply_markup" not in moved.params
        assert shown == card_messages.build_card_request(present, ANN)

    await db(story)


async def test_card_is_not_posted_without_a_private_chat(db: Database) -> None:
    def render(tx: Tx, present: Round) -> RenderedRequest | None:
        return card_messages.render_card_message(tx, present.id, ANN, make_no_board_url)

    def story(tx: Tx) -> None:
        present = open_contest(tx)
        contests.store_card(tx, present, replace(make_card(ANN, 2), message_id=None))
        assert render(tx, present) is None
        contests.store_card(tx, present, make_card(ANN, 2))
        changed = render(tx, present)
        assert changed
        assert changed.outgoing.method == "editMessageText"
        contests.store_card(tx, present, replace(make_card(ANN, 2), message_id=None))
        people.load_or_insert_chat(tx, ANN, "private")
        posted = render(tx, present)
        assert posted
        assert posted.outgoing.method == "sendMessage"

    await db(story)
