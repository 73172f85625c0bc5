"""Queries of a player's figures."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Select, create_engine, update

from bot.database import Tx
from bot.database.schema import metadata
from bot.database.schema import rounds as table
from bot.rounds import attempts, ledger
from bot.rounds import attempts as handing
from bot.rounds.puzzle import Entry, Match, Result
from bot.rounds.rules import Award
from bot.standings.ratings import updates
from bot.standings.stats import queries as records
from bot.standings.stats.queries import Profile, Score
from tests.bot.databases import Database
from tests.sample_rounds import make_round, store_round

NOW = 1_763_726_400.0


def insert_round(
    tx: Tx,
    chat: int,
    winner: int | None,
    seconds: float,
    level: str = "easy",
    *,
    streak: int = 1,
    game: str = "24",
) -> int:
    """Insert a round that `winner` wins after so many seconds; None: it is given up."""
    stored = store_round(tx, make_round(chat_id=chat, level=level, expected=30.0, opened=NOW, deadline=None))
    ended = {"state": "won" if winner else "skipped", "winner_id": winner, "streak": streak if winner else 0}
    ended["game"] = game
    tx.execute(update(table).where(table.c.id == stored.id).values(ended))
    if winner:
        won = replace(stored, game=game, winner_id=winner, streak=streak)
        assert ledger.insert_award(tx, won, Award(winner, 1, seconds, "8/(3-8/3)", ""), 7, NOW)
    return stored.id


def load_profile(tx: Tx, chat: int = -1, player: int = 7, *, across: bool = False) -> Profile:
    return records.load_profile(tx, chat, player, NOW, "24", all_chats=across)


async def test_profile_of_a_player_who_never_answered_is_empty(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_round(tx, -1, 2, 9.0)
        assert load_profile(tx).is_empty
        assert load_profile(tx, across=True).is_empty

    await db(story)


async def test_rounds_wins_times_and_streaks_are_counted(db: Database) -> None:
    def story(tx: Tx) -> None:
        for n, seconds in enumerate((10.0, 20.0), start=1):
            insert_round(tx, -1, 7, seconds, streak=n)
        insert_round(tx, -1, 7, 60.0, level="hard", streak=3)
        attempts.count_answer(tx, insert_round(tx, -1, 8, 5.0), 7, "wrong")
        attempts.count_answer(tx, insert_round(tx, -1, 7, 30.0), 7, "wrong")
        insert_round(tx, -2, 7, 1.0)
        here = load_profile(tx)
        assert here.in_chat == Score(5, 4, 4, 1)
        assert here.best_seconds == {"easy": 10.0, "hard": 60.0}
        assert list(here.best_seconds) == ["easy", "hard"]
        assert (here.win_streak, here.longest_win_streak) == (1, 3)
        insert_round(tx, -1, None, 0.0)
        assert (load_profile(tx).win_streak, load_profile(tx).longest_win_streak) == (0, 3)

    await db(story)


async def test_best_times_are_those_of_one_game(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_round(tx, -1, 7, 10.0)
        insert_round(tx, -1, 7, 1.0, game="countdown")
        assert load_profile(tx).best_seconds == {"easy": 10.0}
        assert records.load_profile(tx, -1, 7, NOW, "countdown", all_chats=False).best_seconds == {
            "easy": 1.0
        }

    await db(story)


async def test_figures_of_all_chats_are_sums(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_round(tx, -1, 7, 10.0)
        insert_round(tx, -2, 7, 4.0, streak=5)
        attempts.count_answer(tx, insert_round(tx, -2, 8, 5.0), 7, "wrong")
        insert_round(tx, 7, 7, 20.0, level="hard", streak=2)
        whole = load_profile(tx, across=True)
        assert (whole.in_chat, whole.in_all_chats) == (Score(1, 1, 1, 1), Score(4, 3, 3))
        assert whole.best_seconds == {"easy": 4.0, "hard": 20.0}
        assert (whole.win_streak, whole.longest_win_streak) == (2, 5)
        elsewhere = load_profile(tx, -3, across=True)
        assert (elsewhere.in_chat, elsewhere.in_all_chats) == (None, Score(4, 3, 3))
        assert load_profile(tx, -3).is_empty

    await db(story)


async def test_points_by_day_cover_the_last_thirty_days(db: Database) -> None:
    def story(tx: Tx) -> None:
        midnight = NOW - NOW % 86_400
        for at in (NOW, midnight, midnight - 1, midnight - 29 * 86_400, midnight - 29 * 86_400 - 1):
            stored = store_round(tx, make_round(chat_id=-1, level="easy", opened=at - 30, deadline=None))
            tx.execute(update(table).where(table.c.id == stored.id).values(state="won", winner_id=7))
            assert ledger.insert_award(tx, stored, Award(7, 2, 30.0, "8/(3-8/3)", ""), 7, at)
        assert list(load_profile(tx).points_by_day) == [2, *[0] * 27, 2, 4]

    await db(story)


async def test_entries_count_as_rounds_answered(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat, winner in ((-1, 8), (-1, None), (-1, 7), (-2, None)):
            handing.store_entry(tx, insert_round(tx, chat, winner, 5.0), Entry(7, "50", NOW))
        here = load_profile(tx, across=True)
        assert here.in_chat == Score(3, 1, 1, 1)
        assert here.in_all_chats == Score(4, 1, 1)

    await db(story)


async def test_figures_of_one_game_exclude_other_games(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_round(tx, -1, 7, 10.0)
        insert_round(tx, -1, 7, 4.0, game="countdown")
        attempts.count_answer(tx, insert_round(tx, -1, 8, 5.0), 7, "wrong")
        handing.store_entry(tx, insert_round(tx, -2, None, 5.0), Entry(7, "50", NOW))
        in_24 = records.load_profile(tx, -1, 7, NOW, "24", all_chats=True)
        assert (in_24.in_chat, in_24.in_all_chats, in_24.best_seconds) == (
            Score(2, 1, 1, 1),
            Score(3, 1, 1),
            {"easy": 10.0},
        )
        assert sum(in_24.points_by_day) == 1
        elsewhere = records.load_profile(tx, -1, 7, NOW, "countdown", all_chats=False)
        assert (elsewhere.in_all_chats, elsewhere.best_seconds) == (None, {"easy": 4.0})
        assert elsewhere.in_chat is not None
        assert (elsewhere.in_chat.rounds_answered, elsewhere.in_chat.wins, elsewhere.in_chat.points) == (
            1,
            1,
            1,
        )
        assert records.load_profile(tx, -1, 7, NOW, "yahtzee", all_chats=False).is_empty

    await db(story)


async def test_profile_holds_the_rating(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert load_profile(tx).rating is None
        updates.apply_match(tx, Match([Result(7, -1), Result(8, 1)]), NOW)
        assert load_profile(tx).rating == updates.load_rating(tx, 7) is not None

    await db(story)


def explain(asked: Select[Any]) -> list[str]:
    """Return SQLite's query plan of a statement."""
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    known = {"player": 7, "chat": -1, "game": "24", "since": 0.0}
    written = asked.compile(engine)
    values = written.construct_params({key: known[key] for key in known if key in written.params})
    with engine.connect() as connection:
        order = tuple(values[key] for key in written.positiontup or ())
        return [row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {written}", order)]


@pytest.mark.parametrize("here", [False, True])
def test_sums_of_awards_use_a_covering_index(here: bool) -> None:
    for shaped in (records.build_scores, records.build_points):
        of_wins = [line for line in explain(shaped(in_chat_only=here)) if "awards" in line]
        assert of_wins, shaped
        assert all("COVERING INDEX award_of_player" in line for line in of_wins), of_wins


@pytest.mark.parametrize("here", [False, True])
def test_best_times_use_the_index_in_order(here: bool) -> None:
    found = explain(records.build_best_seconds(in_chat_only=here))
    of_level = [line for line in found if "level=?" in line]
    assert of_level
    assert all(
        "award_of_player (player_id=? AND chat_id=? AND level=? AND seconds" in line for line in of_level
    )
    assert not [line for line in found if "ORDER BY" in line or line.startswith("SCAN rounds")]
