"""Which messages of rounds are photos."""

from dataclasses import replace

from sqlalchemy import StaticPool, create_engine

from bot.database.schema import metadata
from bot.rounds import photos
from bot.rounds import queries as rounds
from bot.rounds.rules import State, ended
from bot.telegram.captions import SOME
from tests.hands import deal
from tests.stories.hours import NOON


def test_a_message_is_what_the_latest_hand_in_it_says() -> None:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    metadata.create_all(engine)
    with engine.begin() as tx:
        first = rounds.open_round(tx, replace(deal(), message_id=40))
        assert first is not None
        assert photos.shown(tx, first.chat_id, 40) == ""
        assert photos.shown(tx, first.chat_id, None) == ""
        photos.posted(tx, first.id, 40, "abc")
        assert photos.shown(tx, first.chat_id, 40) == "abc"
        second = rounds.open_round(tx, replace(deal(), topic=5, message_id=40))
        assert second is not None
        assert photos.shown(tx, first.chat_id, 40) == "abc"
        photos.posted(tx, second.id, 40, "def")
        assert photos.shown(tx, first.chat_id, 40) == "def"
        photos.posted(tx, second.id, 41, "ghi")  # it has another message by now
        assert photos.shown(tx, first.chat_id, 40) == "def"
        assert photos.shown(tx, first.chat_id, 41) == ""


def test_what_a_photo_showed_is_forgotten_a_day_after_the_end_and_not_that_it_is_one() -> None:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    metadata.create_all(engine)
    with engine.begin() as tx:
        first = rounds.open_round(tx, replace(deal(), message_id=40))
        assert first is not None
        photos.posted(tx, first.id, 40, "abc")
        photos.sweep(tx, NOON + 9 * photos.KEPT)
        assert photos.shown(tx, first.chat_id, 40) == "abc"  # it is open
        rounds.close(tx, ended(first, State.EXPIRED, NOON + 600))
        photos.sweep(tx, NOON + photos.KEPT)
        assert photos.shown(tx, first.chat_id, 40) == "abc"
        photos.sweep(tx, NOON + 601 + photos.KEPT)
        assert photos.shown(tx, first.chat_id, 40) == SOME
