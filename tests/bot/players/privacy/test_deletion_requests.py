"""Wishes to be forgotten that were not delivered, as they are read back."""

import json

import pytest
from sqlalchemy import insert

from bot.database import Tx
from bot.database.schema import outbox
from bot.players.privacy import deletion_requests
from bot.players.privacy.deletion_requests import COPY, UndeliveredRequest
from tests.bot.databases import Database

ANN, NOW = 7, 1.8e9
BROKEN = ["", "{", "5", "[" * 60_000, "{}", *map(json.dumps, ({"about": 5}, {"about": "forget"}))]


@pytest.mark.parametrize("body", [*BROKEN, '{"about": "forget:x"}', '{"about": "forget:0"}'], ids=range(9))
async def test_an_unreadable_request_does_not_hide_others(db: Database, body: str) -> None:
    def story(tx: Tx) -> None:
        own = json.dumps(deletion_requests.make_copy_request(ANN, "ru"))
        for number, each in enumerate((body, own), start=1):
            row = {"id": number, "lane": ANN, "body": each, "state": "wish", "at": NOW}
            tx.execute(insert(outbox).values(**row, trouble=None))
        assert deletion_requests.load_undelivered_requests(tx) == [
            UndeliveredRequest(2, ANN, COPY, "", NOW, "ru")
        ]

    await db(story)
