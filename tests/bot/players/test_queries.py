"""Queries of players and chats."""

import json
from typing import Any

import pytest
from sqlalchemy import event, insert, select, update

from bot.admin import chat_migration
from bot.database import Tx
from bot.database.schema import (
    attempts,
    awards,
    chats,
    lost_messages,
    players,
    races,
    rounds,
    seats,
    tallies,
    votes,
)
from bot.players import queries as people
from bot.players.choices import NO_CHOICES, StoredChoices
from bot.players.queries import Chat, Player
from tests.bot.databases import Database

NOON = 1_763_726_400.0
ANN, BOB = 5_000_000_001, 5_000_000_002
OLD, NEW = -4_000_000_001, -1_001_000_000_001
ROUND: dict[str, Any] = {"kind": "first", "level": "easy", "expected": 9.0, "opened": NOON, "dealer_id": 9}

RACE: dict[str, Any] = {
    "starter_id": 9,
    "state": "open",
    "length": 2,
    "hands": "[]",
    "seconds": 60.0,
    "opened": NOON,
}
AWARD: dict[str, Any] = {
    **dict.fromkeys(("round_id", "points", "seconds", "expected", "message_id", "at"), 1),
    **dict.fromkeys(("idea", "level", "expression", "game", "kind"), "1+1"),
    "chat_id": OLD,
    "player_id": ANN,
}


def load_ids(tx: Tx, table: Any) -> list[int]:
    """Return the ids in the table."""
    return list(tx.scalars(select(table.c.id).order_by(table.c.id)))


def insert_round(tx: Tx, chat: int, topic: int = 0, **facts: Any) -> int:
    """Insert a round; return its id."""
    row = {**ROUND, "chat_id": chat, "topic": topic, "state": "won"} | facts
    (number,) = tx.execute(insert(rounds).values(row)).inserted_primary_key or (0,)
    return int(number)


async def test_loading_a_chat_does_not_store_it(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert people.load_chat(tx, OLD, "group") == Chat(OLD, "group", None, NO_CHOICES)
        assert load_ids(tx, chats) == []

    await db(story)


async def test_chat_is_stored_once(db: Database) -> None:
    def story(tx: Tx) -> None:
        new = Chat(OLD, "group", None, NO_CHOICES)
        for look in (people.load_or_insert_chat, people.load_or_insert_chat, people.load_chat):
            assert look(tx, OLD, "group") == new
        assert load_ids(tx, chats) == [OLD]
        people.load_or_insert_chat(tx, NEW, "supergroup")
        people.store_setting(tx, OLD, "hints", 0)
        people.store_language(tx, OLD, "ru")
        people.regain_post_budget(tx, OLD)
        chosen = Chat(OLD, "group", "ru", StoredChoices({"hints": 0}))
        assert people.load_or_insert_chat(tx, OLD, "group") == people.load_chat(tx, OLD, "group") == chosen
        assert people.load_chat(tx, NEW, "supergroup") == Chat(NEW, "supergroup")

    await db(story)


async def test_gone_chat_is_back_when_it_writes(db: Database) -> None:
    def load_chats(tx: Tx) -> list[tuple[int, str, int]]:
        found = tx.execute(select(chats.c.id, chats.c.kind, chats.c.gone).order_by(chats.c.id))
        return [tuple(row) for row in found]

    def story(tx: Tx) -> None:
        for chat in (NEW, OLD):
            people.load_or_insert_chat(tx, chat, "group")
        people.mark_chat_gone(tx, OLD)
        people.load_chat(tx, OLD, "group")
        assert load_chats(tx) == [(NEW, "group", 0), (OLD, "group", 1)]
        people.load_or_insert_chat(tx, OLD, "group")
        assert load_chats(tx) == [(NEW, "group", 0), (OLD, "group", 0)]
        people.load_or_insert_chat(tx, NEW, "supergroup")
        assert load_chats(tx) == [(NEW, "supergroup", 0), (OLD, "group", 0)]

    await db(story)


@pytest.mark.parametrize("stored", ["", "{", "[1]", "3"])
async def test_broken_settings_count_as_empty(db: Database, stored: str) -> None:
    def story(tx: Tx) -> None:
        people.load_or_insert_chat(tx, OLD, "group")
        tx.execute(update(chats).values(settings=stored))
        assert people.load_chat(tx, OLD, "group").settings == NO_CHOICES
        people.store_setting(tx, OLD, "hints", 0)
        assert people.load_chat(tx, OLD, "group").settings == StoredChoices({"hints": 0})

    await db(story)


async def test_storing_none_deletes_a_setting(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat in (OLD, NEW):
            people.load_or_insert_chat(tx, chat, "group")
        for key, value in (("plain", 0), ("hints", 1), ("hints", None)):
            people.store_setting(tx, OLD, key, value)
        assert people.load_chat(tx, OLD, "group").settings == StoredChoices({"plain": 0})
        assert people.load_chat(tx, NEW, "group").settings == NO_CHOICES
        people.store_setting(tx, ANN, "hints", 0)
        assert load_ids(tx, chats) == [NEW, OLD]

    await db(story)


async def test_language_is_chosen_by_each_chat(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat in (OLD, NEW):
            people.load_or_insert_chat(tx, chat, "group")
            people.store_language(tx, chat, "es")
        people.store_language(tx, OLD, None)
        assert [people.load_chat(tx, chat, "group").language for chat in (OLD, NEW)] == [None, "es"]

    await db(story)


async def test_player_has_the_latest_name(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert people.insert_or_update_player(tx, Player(ANN, "Ann", "ann"))
        assert people.insert_or_update_player(tx, Player(BOB, "Bob"))
        assert not people.insert_or_update_player(tx, Player(ANN, "Ann", "ann"))
        assert not people.insert_or_update_player(tx, Player(ANN, "Anna", "ann"))
        assert people.load_names(tx, [ANN, BOB, ANN, 7]) == {ANN: "Anna", BOB: "Bob"}
        assert people.load_names(tx, []) == {}

    await db(story)


async def test_updating_a_known_player_stores_no_stranger(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.insert_or_update_player(tx, Player(BOB, "Bob", "ann"))
        assert not people.update_known_player(tx, Player(ANN, "Ann", "Ann"))
        assert people.load_names(tx, [ANN, BOB]) == {BOB: "Bob"}
        assert tx.scalar(select(players.c.username)) is None  # Ann holds it now
        assert people.update_known_player(tx, Player(BOB, "Robert", "bob"))
        assert people.load_names(tx, [BOB]) == {BOB: "Robert"}
        assert tx.scalar(select(players.c.username)) == "bob"

    await db(story)


async def test_unchanged_player_is_not_written_again(db: Database) -> None:
    def story(tx: Tx) -> None:
        result: list[str] = []
        people.insert_or_update_player(tx, Player(ANN, "Ann", "ann"))
        event.listen(tx, "before_cursor_execute", lambda *told: result.append(told[2]))
        people.insert_or_update_player(tx, Player(ANN, "Ann", "ann"))
        assert [statement.split()[0] for statement in result] == ["SELECT"]

    await db(story)


async def test_username_belongs_to_the_last_person_seen_with_it(db: Database) -> None:
    def load_usernames(tx: Tx) -> list[str | None]:
        return list(tx.scalars(select(players.c.username).order_by(players.c.id)))

    def story(tx: Tx) -> None:
        people.insert_or_update_player(tx, Player(ANN, "Ann", "Winner"))
        people.insert_or_update_player(tx, Player(BOB, "Bob", "bob"))
        people.clear_username_of_others(tx, 7, None)
        people.clear_username_of_others(tx, ANN, "winner")
        assert load_usernames(tx) == ["Winner", "bob"]
        people.insert_or_update_player(tx, Player(BOB, "Bob", "wINNER"))
        assert load_usernames(tx) == [None, "wINNER"]
        people.clear_username_of_others(tx, 7, "WINNER")
        assert load_usernames(tx) == [None, None]

    await db(story)


@pytest.mark.parametrize(("typed", "count"), [("O'Brien", 1), ("o’brien", 1), (" Ó’BRIEN", 1), ("Brien", 0)])
async def test_player_is_found_by_name_whatever_the_apostrophe(db: Database, typed: str, count: int) -> None:
    def story(tx: Tx) -> None:
        tx.execute(insert(players).values(id=ANN, name="O’Brien"))
        tx.execute(insert(tallies).values(chat_id=OLD, player_id=ANN, game="24"))
        assert len(people.find_players_by_name(tx, OLD, typed)) == count

    await db(story)


async def test_names_are_masked_unless_their_owner_wants_them_shown(db: Database) -> None:
    def story(tx: Tx) -> None:
        for player in (ANN, BOB):
            people.insert_or_update_player(tx, Player(player, "?"))
        tx.execute(update(players).where(players.c.id == BOB).values(masked=0))
        assert [people.is_name_masked(tx, player) for player in (ANN, BOB, 7)] == [True, False, True]

    await db(story)


async def test_inactive_players_are_deleted(db: Database) -> None:
    def story(tx: Tx) -> None:
        for player in (ANN, BOB, 7):
            people.insert_or_update_player(tx, Player(player, "?"))
            people.load_or_insert_chat(tx, player, "private")
        people.delete_inactive_player(tx, ANN)
        assert load_ids(tx, players) == load_ids(tx, chats) == [7, BOB]

    await db(story)


PLAYS: dict[str, tuple[Any, dict[str, Any]]] = {
    "deals": (rounds, {**ROUND, "chat_id": OLD, "state": "won", "dealer_id": ANN}),
    "answers": (tallies, {"chat_id": OLD, "player_id": ANN, "game": "24", "rounds": 1}),
    "votes": (votes, {"round_id": 1, "player_id": ANN}),
    "plays the daily hand": (
        attempts,
        {"day": "2025-11-21", "player_id": ANN, "state": "open", "opened": NOON},
    ),
}


@pytest.mark.parametrize("what", PLAYS)
async def test_players_who_played_are_kept_with_their_chat(db: Database, what: str) -> None:
    def story(tx: Tx) -> None:
        insert_round(tx, OLD)
        for player in (ANN, BOB):
            people.insert_or_update_player(tx, Player(player, "?"))
            people.load_or_insert_chat(tx, player, "private")
        table, row = PLAYS[what]
        tx.execute(insert(table).values(row))
        for player in (ANN, BOB):
            people.delete_inactive_player(tx, player)
        assert load_ids(tx, players) == load_ids(tx, chats) == [ANN]

    await db(story)


async def test_players_who_chose_something_are_kept(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.insert_or_update_player(tx, Player(ANN, "Ann"))
        tx.execute(update(players).values(masked=0))
        for chat in (1, 2, 3, 4):
            people.load_or_insert_chat(tx, chat, "private")
        people.load_or_insert_chat(tx, OLD, "group")
        people.store_setting(tx, 1, "hints", 0)
        people.store_language(tx, 2, "es")
        insert_round(tx, 3)
        for chat in (ANN, 1, 2, 3, 4, OLD):
            people.delete_inactive_player(tx, chat)
        assert (load_ids(tx, players), load_ids(tx, chats)) == ([ANN], [OLD, 1, 2, 3])

    await db(story)


async def test_budget_is_two_posts_and_a_quarter_for_each_deal(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat in (OLD, NEW):
            people.load_or_insert_chat(tx, chat, "group")
        assert [people.spend_budget(tx, OLD) for _ in range(3)] == [True, True, False]
        for _ in range(3):
            people.regain_post_budget(tx, OLD)
        assert not people.spend_budget(tx, OLD)
        people.regain_post_budget(tx, OLD)
        assert [people.spend_budget(tx, OLD) for _ in range(2)] == [True, False]
        assert not people.spend_budget(tx, ANN)

    await db(story)


async def test_fact_has_the_latest_value(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert people.load_fact(tx, "key") is None
        for key, value in (("key", "a"), ("other", "b"), ("key", "c")):
            people.store_fact(tx, key, value)
        assert [people.load_fact(tx, key) for key in ("key", "other")] == ["c", "b"]

    await db(story)


def load_rounds(tx: Tx) -> list[tuple[Any, ...]]:
    columns = (rounds.c.chat_id, rounds.c.topic, rounds.c.state, rounds.c.message_id, rounds.c.asked_id)
    return [tuple(row) for row in tx.execute(select(*columns).order_by(rounds.c.id))]


async def test_rounds_move_with_a_group(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.load_or_insert_chat(tx, OLD, "group")
        for chat in (OLD, -7):
            insert_round(tx, chat, message_id=5, asked_id=4)
            insert_round(tx, chat, state="open", message_id=6)
            tx.execute(insert(races).values({**RACE, "chat_id": chat}))
            tx.execute(insert(lost_messages).values(chat_id=chat, message_id=5, round_id=1))
        tx.execute(insert(awards).values(AWARD))
        tx.execute(insert(seats).values(day="2025-11-21", chat_id=OLD, player_id=ANN))
        chat_migration.move_chat(tx, OLD, NEW)
        for place in (awards.c.chat_id, seats.c.chat_id):
            assert list(tx.scalars(select(place))) == [NEW]
        moved = [(NEW, 0, "won", None, None), (NEW, 0, "open", None, None)]
        assert load_rounds(tx) == [*moved, (-7, 0, "won", 5, 4), (-7, 0, "open", 6, None)]
        assert list(tx.scalars(select(races.c.chat_id).order_by(races.c.id))) == [NEW, -7]
        assert list(tx.scalars(select(lost_messages.c.chat_id))) == [-7]
        assert load_ids(tx, chats) == [NEW]

    await db(story)


async def test_old_groups_open_round_ends_if_the_topic_has_one(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat in (OLD, NEW):
            people.load_or_insert_chat(tx, chat, "supergroup")
        for chat, topic in ((OLD, 0), (OLD, 3), (NEW, 0), (-7, 0)):
            insert_round(tx, chat, topic, state="open", message_id=1)
        insert_round(tx, NEW, 3)
        chat_migration.move_chat(tx, OLD, NEW)
        assert [row[:3] for row in load_rounds(tx)] == [
            *((NEW, 0, "skipped"), (NEW, 3, "open")),
            *((NEW, 0, "open"), (-7, 0, "open"), (NEW, 3, "won")),
        ]
        closed = tx.scalars(select(rounds.c.closed).order_by(rounds.c.id))
        assert list(closed) == [NOON, None, None, None, None]

    await db(story)


async def test_unknown_chat_or_the_same_id_moves_nothing(db: Database) -> None:
    def story(tx: Tx) -> None:
        chat_migration.move_chat(tx, OLD, NEW)
        assert load_ids(tx, chats) == []
        people.load_or_insert_chat(tx, OLD, "group")
        insert_round(tx, OLD, message_id=1)
        chat_migration.move_chat(tx, OLD, OLD)
        assert load_ids(tx, chats) == [OLD]
        assert load_rounds(tx) == [(OLD, 0, "won", 1, None)]

    await db(story)


async def test_choices_move_with_a_group(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.load_or_insert_chat(tx, OLD, "group")
        people.store_language(tx, OLD, "es")
        for key, value in (("plain", 0), ("asked", 7)):
            people.store_setting(tx, OLD, key, value)
        assert people.spend_budget(tx, OLD)
        chat_migration.move_chat(tx, OLD, NEW)
        assert people.load_chat(tx, NEW, "supergroup") == Chat(
            NEW, "supergroup", "es", StoredChoices({"plain": 0})
        )
        assert tx.scalar(select(chats.c.kind)) == "supergroup"

    await db(story)


async def test_choices_of_the_supergroup_take_precedence(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat, language, hints in ((OLD, "es", 0), (NEW, "ru", 1)):
            people.load_or_insert_chat(tx, chat, "supergroup")
            people.store_language(tx, chat, language)
            people.store_setting(tx, chat, "hints", hints)
        people.store_setting(tx, OLD, "plain", 0)
        assert people.spend_budget(tx, OLD)
        chat_migration.move_chat(tx, OLD, NEW)
        both = Chat(NEW, "supergroup", "ru", StoredChoices({"hints": 1, "plain": 0}))
        assert people.load_chat(tx, NEW, "supergroup") == both
        assert json.loads(tx.scalar(select(chats.c.settings)) or "") == both.settings.values

    await db(story)


async def test_only_the_first_webhook_on_a_new_database_is_first(db: Database) -> None:
    assert [await db(people.record_webhook_setup) for _ in range(2)] == [True, False]


async def test_database_with_a_chat_is_not_new(db: Database) -> None:
    await db(lambda tx: people.load_or_insert_chat(tx, OLD, "group"))
    assert not await db(people.record_webhook_setup)


async def test_usernames_are_found_in_any_case(db: Database) -> None:
    def story(tx: Tx) -> None:
        ann = people.Player(7, "Ann", "Ann24")
        people.insert_or_update_player(tx, ann)
        assert people.find_player_by_username(tx, "aNN24") == ann
        assert people.find_player_by_username(tx, "ann") is None

    await db(story)
