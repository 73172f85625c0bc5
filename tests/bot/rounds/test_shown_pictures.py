"""Messages of rounds that are photos."""

from dataclasses import replace

from sqlalchemy import StaticPool, create_engine

from bot.database.schema import metadata
from bot.queue.rendering import UNKNOWN_CONTENT
from bot.rounds import queries as rounds
from bot.rounds.rules import State, mark_ended
from tests.sample_rounds import make_round
from tests.stories.clock import NOON


def test_picture_of_latest_hand_in_message_counts() -> None:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    metadata.create_all(engine)
    with engine.begin() as tx:
        first = rounds.open_round(tx, replace(make_round(), message_id=40))
        assert first is not None
        assert rounds.load_shown_picture(tx, first.chat_id, 40) == ""
        assert rounds.load_shown_picture(tx, first.chat_id, None) == ""
        rounds.update_shown_picture(tx, first.id, 40, "abc")
        assert rounds.load_shown_picture(tx, first.chat_id, 40) == "abc"
        second = rounds.open_round(tx, replace(make_round(), topic=5, message_id=40))
        assert second is not None
        assert rounds.load_shown_picture(tx, first.chat_id, 40) == "abc"
        rounds.update_shown_picture(tx, second.id, 40, "def")
        assert rounds.load_shown_picture(tx, first.chat_id, 40) == "def"
        rounds.update_shown_picture(tx, second.id, 41, "ghi")  # it has another message by now
        assert rounds.load_shown_picture(tx, first.chat_id, 40) == "def"
        assert rounds.load_shown_picture(tx, first.chat_id, 41) == ""


def test_picture_is_forgotten_a_day_after_the_end() -> None:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    metadata.create_all(engine)
    with engine.begin() as tx:
        first = rounds.open_round(tx, replace(make_round(), message_id=40))
        assert first is not None
        rounds.update_shown_picture(tx, first.id, 40, "abc")
        rounds.forget_old_pictures(tx, NOON + 9 * rounds.PICTURE_LIFETIME)
        assert rounds.load_shown_picture(tx, first.chat_id, 40) == "abc"  # it is open
        rounds.close_round(tx, mark_ended(first, State.EXPIRED, NOON + 600))
        rounds.forget_old_pictures(tx, NOON + rounds.PICTURE_LIFETIME)
        assert rounds.load_shown_picture(tx, first.chat_id, 40) == "abc"
        rounds.forget_old_pictures(tx, NOON + 601 + rounds.PICTURE_LIFETIME)
        assert rounds.load_shown_picture(tx, first.chat_id, 40) == UNKNOWN_CONTENT
