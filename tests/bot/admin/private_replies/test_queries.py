"""Queries of private replies: ephemeral support and waiting replies."""

import pytest
from sqlalchemy import update

from bot.database.schema import private_words
from bot.durations import DAY
from bot.players import private_replies as private
from bot.players.private_replies import WAITING_LIFETIME
from tests.bot.databases import Database

GROUP, OTHER, ANN, BOB, NOW = -100, -200, 1, 2, 1.8e9
KEY = "round:7"


async def test_ephemeral_support_is_known_by_chat_and_server(db: Database) -> None:
    assert await db(lambda tx: private.is_ephemeral_supported(tx, GROUP, "one", NOW)) is None
    await db(lambda tx: private.record_ephemeral_success(tx, GROUP, "one"))
    assert await db(lambda tx: private.is_ephemeral_supported(tx, GROUP, "one", NOW)) is True
    assert await db(lambda tx: private.is_ephemeral_supported(tx, GROUP, "two", NOW)) is None
    assert await db(lambda tx: private.is_ephemeral_supported(tx, OTHER, "one", NOW)) is None
    await db(lambda tx: private.record_ephemeral_failure(tx, "one", NOW))
    later = NOW + DAY - 1
    for chat in (GROUP, OTHER):
        assert await db(lambda tx, to=chat: private.is_ephemeral_supported(tx, to, "one", later)) is False  # type: ignore[misc]
        assert await db(lambda tx, to=chat: private.is_ephemeral_supported(tx, to, "one", later + 1)) is None  # type: ignore[misc]
        assert await db(lambda tx, to=chat: private.is_ephemeral_supported(tx, to, "two", NOW)) is None  # type: ignore[misc]


async def test_latest_reply_waits_until_it_is_delivered(db: Database) -> None:
    for at, text in enumerate(("first", "last")):
        said = private.WaitingReply(GROUP, KEY, text)
        await db(
            lambda tx, said=said, at=at: private.store_waiting_reply(tx, ANN, said, NOW + at)  # type: ignore[misc]
        )
    assert await db(lambda tx: private.load_waiting_players(tx, GROUP, KEY)) == [ANN]
    words = await db(lambda tx: private.load_waiting_replies(tx, ANN))
    assert [(w.chat_id, w.key, w.text) for w in words] == [(GROUP, KEY, "last")]
    assert not await db(lambda tx: private.load_waiting_replies(tx, ANN, (OTHER, KEY)))
    assert not await db(lambda tx: private.load_waiting_replies(tx, BOB))
    await db(lambda tx: private.delete_waiting_replies(tx, ANN, words))
    assert not await db(lambda tx: private.load_waiting_players(tx, GROUP, KEY))


def test_key_is_parsed_for_rounds_only() -> None:
    keys = ("round:7", "round:x", "round:", "round", "", f"round:{2**63}", "word:7")
    assert [private.parse_round_key(key) for key in keys] == [7, *[None] * 6]


@pytest.mark.parametrize("stored", ["", "{", "5", "[1]", "{}", "[" * 60_000])
async def test_unreadable_reply_does_not_hide_others(db: Database, stored: str) -> None:
    for key in ("word:1", "word:2"):
        reply = private.WaitingReply(GROUP, key, key)
        await db(lambda tx, reply=reply: private.store_waiting_reply(tx, ANN, reply, NOW))  # type: ignore[misc]
    here = private_words.c.key == "word:1"
    await db(lambda tx: tx.execute(update(private_words).where(here).values(waiting=stored)))
    assert [word.text for word in await db(lambda tx: private.load_waiting_replies(tx, ANN))] == ["word:2"]


async def test_group_is_notified_once_of_waiting_replies(db: Database) -> None:
    assert await db(lambda tx: private.record_group_notice(tx, GROUP, NOW))
    assert not await db(lambda tx: private.record_group_notice(tx, GROUP, NOW + 1))
    assert await db(lambda tx: private.record_group_notice(tx, OTHER, NOW))
    assert not await db(lambda tx: private.load_waiting_players(tx, GROUP, private.UNRELATED_KEY))


async def test_old_replies_are_deleted(db: Database) -> None:
    expected = private.WaitingReply(GROUP, KEY, "psst")
    await db(lambda tx: private.store_waiting_reply(tx, ANN, expected, NOW))
    await db(lambda tx: private.record_group_notice(tx, GROUP, NOW))
    await db(lambda tx: private.delete_old_replies(tx, NOW + WAITING_LIFETIME))
    assert await db(lambda tx: private.load_waiting_replies(tx, ANN))
    await db(lambda tx: private.delete_old_replies(tx, NOW + WAITING_LIFETIME + 1))
    assert not await db(lambda tx: private.load_waiting_replies(tx, ANN))
    assert await db(lambda tx: private.record_group_notice(tx, GROUP, NOW))


async def test_waiting_replies_move_with_their_group(db: Database) -> None:
    await db(lambda tx: private.store_waiting_reply(tx, ANN, private.WaitingReply(GROUP, KEY, "psst"), NOW))
    await db(lambda tx: private.record_group_notice(tx, GROUP, NOW))
    await db(lambda tx: private.record_ephemeral_success(tx, GROUP, "one"))
    for _ in range(2):
        await db(lambda tx: private.move_replies(tx, GROUP, OTHER))
        late = private.WaitingReply(GROUP, KEY, "late")
        await db(lambda tx, late=late: private.store_waiting_reply(tx, ANN, late, NOW))  # type: ignore[misc]
    await db(lambda tx: private.move_replies(tx, GROUP, OTHER))
    assert [w.text for w in await db(lambda tx: private.load_waiting_replies(tx, ANN))] == ["psst"]
    assert await db(lambda tx: private.load_waiting_players(tx, OTHER, KEY)) == [ANN]
    assert await db(lambda tx: private.record_group_notice(tx, OTHER, NOW))
    assert await db(lambda tx: private.is_ephemeral_supported(tx, OTHER, "one", NOW)) is None
