"""Forgetting removes a player from every table and keeps the scores of others."""

import json
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Text, insert, select, update

from bot.admin.privacy import queries as privacy
from bot.database import Tx
from bot.database.schema import (
    awards,
    chats,
    classes,
    inbox,
    metadata,
    outbox,
    players,
    reveals,
    rounds,
    scheduled_posts,
    tries,
)
from bot.database.schema import chains as chains_
from bot.database.schema import duels as duels_
from bot.database.schema import races as races_
from bot.i18n import format_name, make_mention
from bot.modes.daily import queries as daily
from bot.modes.duel import queries as duels
from bot.modes.duel.rules import Duel, DuelState
from bot.modes.race import queries as races
from bot.players import queries as people
from bot.queue import queries
from bot.rounds import attempts as tried
from bot.rounds import ledger
from bot.rounds.rules import Award
from bot.standings.leaderboard import queries as boards
from bot.standings.leaderboard.totals import ALL_CHATS
from bot.standings.leaderboard.view import PROFILE_PREFIX
from bot.telegram.messages import post_message, tell_privately
from tests.bot.databases import Database
from tests.sample_rounds import make_daily_hand, make_round, store_round

NOW = 1_763_726_400.0
GONE, STAYS, THIRD = 5_000_000_001, 5_000_000_002, 5_000_000_003
NAME = "Zwentibold <&>"

# Columns that hold a person's id and are emptied by other means: the private chat's, and the boards'.
OTHERS = {
    *("rounds.chat_id", "awards.chat_id", "totals.chat_id", "histogram.chat_id", "last_wins.chat_id"),
    *("tallies.chat_id", "best_days.chat_id", "achievements.chat_id"),
    *("seats.chat_id", "daily_tables.chat_id", "races.chat_id", "chats.id", "inbox.lane", "outbox.lane"),
    *("lanes.lane", "reveals.reader", "chains.chat_id", "chains.seed_chat_id"),
    *(
        "scheduled_posts.chat_id",
        "totals.player_id",
        "rounds.winner_id",
        "lost_messages.chat_id",
        "duels.chat_id",
        "private_words.chat_id",
        "ephemeral_chats.chat_id",
        # Deleted with the teacher or the pupil by bot.modes.classroom
        "classes.teacher_id",
        "class_hands.pupil_id",
    ),
}
NO_PERSON = {
    "run_id",
    "group_id",
    "bot_id",
    "file_id",
    "id",
    "round_id",
    "race_id",
    "message_id",
    "asked_id",
    "chain_id",
    "update_id",
    "class_id",
    "lesson_id",
}


def insert_win(tx: Tx, chat: int, player: int, numbers: tuple[int, ...] = (3, 8, 3, 8)) -> None:
    people.insert_or_update_player(
        tx, people.Player(player, NAME if player == GONE else f"P{player}", f"u{player}")
    )
    stored = store_round(
        tx, make_round(chat_id=chat, numbers=numbers, dealer_id=player, opened=NOW, deadline=None)
    )
    tried.count_answer(tx, stored.id, player, "wrong")
    tried.vote_to_skip(tx, stored.id, player)
    tx.execute(update(rounds).where(rounds.c.id == stored.id).values(state="won", winner_id=player))
    assert ledger.insert_award(tx, stored, Award(player, 3, 9.0, "8/(3-8/3)", ""), 7, NOW)


def insert_evening(tx: Tx) -> None:
    """Store an evening of three players, with duels, a daily hand and dead letters."""
    for player in (STAYS, GONE, THIRD, GONE):
        insert_win(tx, -1, player)
    insert_win(tx, GONE, GONE)
    insert_duel(tx, GONE, STAYS, GONE)
    insert_duel(tx, THIRD, GONE, THIRD)
    offered = Duel(0, -1, 0, STAYS, GONE, "24", NOW, opponent_name=NAME)
    duels.insert_challenge(tx, offered)
    duels.insert_challenge(tx, replace(offered, challenger_id=GONE, opponent_id=None, opponent_name=""))
    daily.open_attempt(tx, make_daily_hand("2025-11-21"), GONE, NOW)
    daily.add_to_table(tx, "2025-11-21", -1, GONE)
    first = tx.execute(
        select(rounds.c.id).where(rounds.c.chat_id == -1, rounds.c.winner_id == GONE).limit(1)
    ).scalar_one()
    tried.set_note(tx, first, STAYS, f"Same idea as {make_mention(GONE)}’s.")
    raw = json.dumps({"update_id": 1, "message": {"from": {"id": GONE, "first_name": NAME}}})
    for number, (lane, state) in enumerate(((0, "done"), (-1, "dead"), (GONE, "dead")), start=1):
        body = "" if state == "done" else raw
        row = {"update_id": number, "lane": lane, "body": body, "state": state, "at": NOW}
        tx.execute(insert(inbox).values(row))
    for lane in (-1, GONE):
        dead = queries.insert_request(tx, post_message(lane, format_name(NAME)), NOW)
        queries.dead_letter_request(tx, dead, "refused")


def insert_duel(tx: Tx, challenger: int, opponent: int, winner: int) -> None:
    """Store a won duel that the forgotten player has voted to end."""
    offered = duels.insert_challenge(tx, Duel(0, -1, 0, challenger, opponent, "24", NOW))
    race_id = races.insert_race(tx, make_round(chat_id=-1, dealer_id=challenger), [])
    duels.begin_duel(tx, offered.id, opponent, race_id)
    tried.vote_to_stop(tx, race_id, GONE)
    duels.close_duel(tx, replace(offered, state=DuelState.WON, winner_id=winner))


def dump_tables(tx: Tx) -> str:
    """Return every value of every table."""
    rows = [list(tx.execute(select(t))) for t in metadata.sorted_tables]
    return repr(rows)


@pytest.mark.long
async def test_forgotten_person_is_in_no_table(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_evening(tx)
        needles = (str(GONE), "Zwentibold", f"u{GONE}")
        assert [needle in dump_tables(tx) for needle in needles] == [True] * 3
        for _ in range(2):
            privacy.forget_player(tx, GONE)
            assert [needle for needle in needles if needle in dump_tables(tx)] == []

    await db(story)


async def test_forgetting_keeps_the_scores_of_others(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_evening(tx)
        assert [(s.rank, s.score) for s in boards.load_leaders(tx, ALL_CHATS, "24 all")] == [
            (1, 6),
            (2, 3),
            (2, 3),
        ]
        privacy.forget_player(tx, GONE)
        assert [(s.rank, s.player_id, s.score) for s in boards.load_leaders(tx, -1, "24 all")] == [
            (1, STAYS, 3),
            (1, THIRD, 3),
        ]
        assert boards.load_standing(tx, -1, THIRD, "24 all") == boards.load_leaders(tx, -1, "24 all")[1]
        ledger = list(tx.execute(select(awards.c.player_id, awards.c.points).order_by(awards.c.id)))
        assert [tuple(row) for row in ledger] == [(STAYS, 3), (0, 3), (THIRD, 3), (0, 3)]
        assert tx.scalar(select(chats.c.counted).where(chats.c.id == -1)) == 0
        assert boards.load_leaders(tx, ALL_CHATS, "24 all") == []
        assert tx.scalar(select(tries.c.wrong).where(tries.c.player_id == STAYS)) == 1

    await db(story)


async def test_export_holds_what_is_stored(db: Database) -> None:
    def story(tx: Tx) -> str:
        insert_evening(tx)
        return privacy.load_export(tx, GONE)

    kept = json.loads(await db(story))
    assert kept["player"][0]["name"] == NAME
    assert [a["chat_id"] for a in kept["right_answers"]] == [-1, -1, GONE]
    assert kept["right_answers"][0]["at"] == "2025-11-21T12:00:00+00:00"
    assert len(kept["wrong_answers"]) == len(kept["votes_to_skip"]) == len(kept["rounds_dealt"]) == 3
    assert sorted((d["state"], bool(d["won"])) for d in kept["duels"]) == [
        *[("offered", False)] * 2,
        *(("won", False), ("won", True)),
    ]
    assert [v["chat_id"] for v in kept["votes_to_stop"]] == [-1, -1]
    assert [h["day"] for h in kept["daily_hands"]] == ["2025-11-21"]
    assert {(p["chat_id"], p["points"]) for p in kept["points"] if p["period"] == "24 all"} == {
        (-1, 6),
        (0, 6),
        (GONE, 3),
    }


PEOPLE = {
    *("player_id", "dealer_id", "starter_id", "challenger_id", "opponent_id", "winner_id", "reader"),
    "teacher_id",
}


def fill_exported_tables(tx: Tx, person: int, number: int) -> None:
    """Insert a row about the person into every exported table; rounds and races have this number."""
    looked_at = {owned.name for owned, _ in privacy.OWNED_ROWS}
    looked_at |= {
        table.name
        for table in (rounds, awards, races_, duels_, chats, scheduled_posts, reveals, chains_, classes)
    }
    for table in (table for table in metadata.sorted_tables if table.name in looked_at):
        row: dict[str, Any] = {}
        for column in table.c:
            if column.name in PEOPLE or (column.name == "id" and table in (players, chats)):
                row[column.name] = person
            elif column.name == "chat_id":
                row[column.name] = person if table in (scheduled_posts, chains_) else -number
            elif column.name.endswith("id"):
                row[column.name] = number
            else:
                row[column.name] = f"of {number}" if isinstance(column.type, Text) else number
        tx.execute(insert(table).values(row))


async def test_export_holds_the_persons_rows_of_every_table_only(db: Database) -> None:
    def story(tx: Tx) -> list[dict[str, Any]]:
        for number, person in enumerate((GONE, STAYS), start=1):
            fill_exported_tables(tx, person, number)
        return [json.loads(privacy.load_export(tx, person)) for person in (GONE, STAYS, THIRD)]

    *both, nothing = await db(story)
    assert {topic for topic, rows in nothing.items() if rows} == set()
    for (number, kept), other in zip(enumerate(both, start=1), (2, 1), strict=True):
        lengths = {topic: len(rows) for topic, rows in kept.items() if topic != "points"}
        assert lengths == dict.fromkeys(lengths, 1)
        assert f"of {number}" in str(kept)
        assert f"of {other}" not in str(kept)
        assert {rows[0].get("chat_id", -number) for topic, rows in kept.items() if rows} == {-number}


async def test_only_requests_with_the_exact_name_are_changed(db: Database) -> None:
    # `%` and `_` in a name mean any letters in a search.
    def story(tx: Tx) -> list[tuple[str, str]]:
        people.insert_or_update_player(tx, people.Player(GONE, "A_n%"))
        for expected in ("A_n%", "Aunt", "A_nt"):
            post = post_message(-1, f"well done, {format_name(expected)}!")
            queries.insert_request(tx, post, NOW)
            queries.dead_letter_request(tx, queries.insert_request(tx, post, NOW), "refused")
        privacy.forget_player(tx, GONE)
        rows = tx.execute(select(outbox.c.state, outbox.c.body).order_by(outbox.c.id))
        return [(row.state, json.loads(row.body)["params"]["text"]) for row in rows]

    left = [
        (state, f"well done, {format_name(said)}!")
        for said in ("Aunt", "A_nt")
        for state in ("waiting", "dead")
    ]
    assert await db(story) == [("waiting", f"well done, {format_name(None)}!"), *left]


async def test_waiting_requests_lose_the_name_or_are_deleted(db: Database) -> None:
    def story(tx: Tx) -> list[str]:
        people.insert_or_update_player(tx, people.Player(GONE, NAME))
        profile = post_message(-1, "a profile", keyboard=[[("24", f"{PROFILE_PREFIX}:{GONE}:")]])
        requests = [
            post_message(-1, f"{make_mention(GONE)} and {make_mention(STAYS)}"),
            tell_privately(-1, GONE, "psst", NOW, language="en"),
            tell_privately(-1, STAYS, "psst, you", NOW, language="en"),
            profile,
            post_message(GONE, "in private"),
            post_message(STAYS, "to another"),
        ]
        for request in requests:
            queries.insert_request(tx, request, NOW)
        privacy.forget_player(tx, GONE)
        kept = tx.scalars(select(outbox.c.body).order_by(outbox.c.id))
        return [json.loads(body)["params"]["text"] for body in kept]

    assert await db(story) == [f"{make_mention(0)} and {make_mention(STAYS)}", "psst, you", "to another"]


def test_every_column_with_a_person_is_exported_or_forgotten() -> None:
    # Fails for a new column with an id of which nothing is said.
    covered = {f"{t.name}.{c}" for t, c in (*privacy.OWNED_ROWS, *privacy.SHARED_ROWS)} | OTHERS
    suspects = {
        f"{t.name}.{c.name}"
        for t in metadata.sorted_tables
        for c in t.columns
        if (c.name.endswith("_id") and c.name not in NO_PERSON) or c.name in {"reader", "lane"}
    }
    assert suspects - covered == set()
