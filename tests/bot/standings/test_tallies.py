"""Old rounds are deleted without a change in any figure."""

import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from sqlalchemy import Table, func, insert, select, update

from bot.admin import chat_migration
from bot.admin.privacy import queries as privacy
from bot.database import Tx
from bot.database.schema import (
    FORGOTTEN_PLAYER,
    achievements,
    awards,
    best_days,
    entries,
    lost_messages,
    practised,
    rounds,
    tallies,
    tries,
    votes,
)
from bot.database.tx import DELETED_AT_ONCE
from bot.durations import DAY
from bot.players import queries as people
from bot.queue.timers import TimerContext
from bot.rounds import attempts as handing
from bot.rounds import attempts as tried
from bot.rounds import ledger, round_message, secrecy
from bot.rounds import queries as rounds_queries
from bot.rounds.puzzle import Entry, Kind
from bot.rounds.rules import Award, Round
from bot.standings import achievements as earned
from bot.standings import chat_records as records
from bot.standings.chat_records import Record
from bot.standings.leaderboard import queries as boards
from bot.standings.ratings import queries as ratings
from bot.standings.stats import queries as stats
from bot.zones import UTC
from tests.bot.databases import Database
from tests.sample_rounds import make_round, store_round
from tests.stories.clock import NOON

KEPT = 365 * DAY
CHATS, PEOPLE = (-1, -2, -3, 5), (5, 6, 7, 8)
YEARS = 3
GAMES = ("24", "countdown", "yahtzee")
LEVELS = ("easy", "medium", "hard", "fiendish")
KINDS = (Kind.FIRST, Kind.FIRST, Kind.FIRST, Kind.ALL, Kind.TUTORIAL, Kind.BEST, Kind.PRACTICE)


def insert_history(tx: Tx, random: Random, played: int = 120) -> None:
    """Insert random rounds of some years."""
    for player in PEOPLE:
        people.insert_or_update_player(tx, people.Player(player, f"P{player}", f"u{player}"))
    days = sorted(random.uniform(0, YEARS * 365) for _ in range(played))
    streaks: dict[int, tuple[int | None, int]] = {}
    for day in days:
        insert_random_round(tx, random, NOON - (YEARS * 365 - day) * DAY, streaks)


def insert_random_round(
    tx: Tx, random: Random, at: float, streaks: dict[int, tuple[int | None, int]]
) -> None:
    """Insert a random round with answers, entries and votes."""
    chat, kind = random.choice(CHATS), random.choice(KINDS)
    there = [5] if chat > 0 else list(PEOPLE)
    dealer, game = random.choice(there), random.choice(GAMES)
    new = make_round(
        chat_id=chat, kind=kind, dealer_id=dealer, level=random.choice(LEVELS), opened=at, deadline=None
    )
    stored = replace(store_round(tx, new), game=game)
    tx.execute(update(rounds).where(rounds.c.id == stored.id).values(game=game))
    for who in random.sample(there, random.randint(0, len(there))):
        tried.count_answer(tx, stored.id, who, random.choice(("wrong", "late")))
    for who in random.sample(there, random.randint(0, 1)):
        handing.store_entry(tx, stored.id, Entry(who, "25*4", at + 1))
        tried.vote_to_skip(tx, stored.id, who)
    if kind is Kind.PRACTICE:
        row = {"skill": "s", "level": "easy", "expected": 9.0, "wrong": 0, "hints": 0}
        tx.execute(insert(practised).values({"round_id": stored.id, "player_id": dealer, "at": at, **row}))
    winner = random.choice((None, *there)) if kind not in (Kind.PRACTICE, Kind.TUTORIAL) else None
    if kind is Kind.ALL and winner and random.random() < 0.5:
        ledger.insert_award(tx, stored, Award(winner, 1, 30.0, "4*6", "4*6"), 7, at)
        winner = None
    last, row_of_wins = streaks.get(chat, (None, 0))
    streak = 0 if winner is None else row_of_wins + 1 if winner == last else 1
    if kind is not Kind.PRACTICE:
        streaks[chat] = winner, streak
    is_first = winner is not None and ledger.is_first_win_of_day(tx, chat, UTC, at)
    over = replace(stored, streak=streak, winner_id=winner, day_first=is_first)
    values = {
        "state": "won" if winner else random.choice(("skipped", "expired")),
        "winner_id": winner,
        "streak": streak,
        "closed": at + 60,
        "day_first": int(is_first),
    }
    tx.execute(update(rounds).where(rounds.c.id == stored.id).values(values))
    for part in ["", *(["4*6"] if kind is Kind.ALL else [])] if winner else []:
        award = Award(winner or 0, random.randint(1, 5), random.uniform(1, 60), "8/(3-8/3)", part)
        ledger.insert_award(tx, over, award, 7, at + 60)


def load_figures(tx: Tx, now: float = NOON) -> dict[str, Any]:
    """Return all figures that anybody can see."""
    found: dict[str, Any] = {}
    for chat in CHATS:
        found[f"records {chat}"] = records.load_records(tx, chat)
        found[f"board {chat}"] = [boards.load_leaders(tx, chat, f"{game} all") for game in GAMES]
        found[f"best of {chat}"] = ratings.load_best_players(tx, ratings.RatingScope(chat), now)
        found[f"here {chat}"] = [player for player in PEOPLE if secrecy.has_played_in_chat(tx, player, chat)]
        for player in PEOPLE:
            found[f"{player} in {chat}"] = tuple(load_figures_of_player(tx, chat, player, now))
    for player in PEOPLE:
        found[f"{player} everywhere"] = stats.load_profile(tx, -1, player, now, "24", all_chats=True)
        found[f"{player} plays"] = set(tx.scalars(secrecy.CHATS_OF_PLAYER, {"player": player}))
        found[f"{player} has"] = earned.load_achievements(tx, player), ledger.load_tally_sums(tx, player)
        rows = json.loads(privacy.load_export(tx, player))["right_answers"]
        found[f"{player} may take"] = [{k: v for k, v in row.items() if k != "line"} for row in rows]
    return found


def load_figures_of_player(tx: Tx, chat: int, player: int, now: float) -> Iterator[Any]:
    """Yield the figures of a player in a chat."""
    for game in GAMES:
        yield stats.load_profile(tx, chat, player, now, game, all_chats=False)
        yield stats.load_profile(tx, chat, player, now, game, all_chats=True)
    for level in LEVELS:
        yield ledger.load_best_seconds(tx, make_round(id=10**9, chat_id=chat, level=level), player)
    yield secrecy.has_played_in_chat(tx, player, chat)
    yield earned.load_achievements(tx, player, chat)
    yield ledger.has_answered_in_chat(tx, player, chat)


def find_changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return the figures that differ."""
    return {key: (before[key], after[key]) for key in before if before[key] != after[key]}


def count_rows(tx: Tx, table: Table, *which: Any) -> int:
    return int(tx.scalar(select(func.count()).select_from(table).where(*which)) or 0)


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1])
async def test_figures_stay_when_old_rounds_are_deleted(db: Database, seed: int) -> None:
    def story(tx: Tx) -> None:
        insert_history(tx, Random(seed))
        before, points = load_figures(tx), count_rows(tx, awards)
        assert not rounds_queries.delete_old_rounds(tx, NOON - KEPT)
        assert count_rows(tx, rounds, rounds.c.closed < NOON - KEPT) == 0 < count_rows(tx, rounds) < 60
        assert find_changes(before, load_figures(tx)) == {}
        assert count_rows(tx, awards) == points

    await db(story)


async def test_round_counts_once_for_each_player_who_answers(db: Database) -> None:
    def story(tx: Tx) -> None:
        first, second, practice = (
            store_round(tx, make_round(chat_id=c, kind=k))
            for c, k in ((-1, Kind.BEST), (-2, Kind.FIRST), (5, Kind.PRACTICE))
        )
        for _ in range(2):
            tried.count_answer(tx, first.id, 5, "wrong")
            handing.store_entry(tx, first.id, Entry(5, "25*4", NOON))
        assert ledger.insert_award(tx, first, Award(5, 1, 9.0, "25*4", ""), 7, NOON)
        tried.count_answer(tx, second.id, 5, "misread")
        tried.count_answer(tx, second.id, 6, "wrong")
        tried.count_answer(tx, second.id, FORGOTTEN_PLAYER, "wrong")
        tried.count_answer(tx, practice.id, 5, "wrong")
        by_chat = [ledger.load_tally_sums(tx, 5, chat).rounds_answered for chat in (-1, -2, 5, None)]
        assert by_chat == [1, 1, 0, 2]
        by_game = [ledger.load_tally_sums(tx, 5, None, game).rounds_answered for game in ("24", "countdown")]
        assert by_game == [2, 0]
        assert count_rows(tx, tallies) == 3

    await db(story)


def insert_win(tx: Tx, player: int, points: int, at: float, *, streak: int = 0, first: bool = False) -> Round:
    stored = store_round(tx, make_round(chat_id=-1, opened=at))
    over = replace(stored, winner_id=player, streak=streak, day_first=first)
    tx.execute(update(rounds).where(rounds.c.id == stored.id).values(state="won", closed=at))
    assert ledger.insert_award(tx, over, Award(player, points, 9.0, "8/(3-8/3)", ""), 7, at)
    return over


async def test_first_player_with_most_points_in_a_day_holds_the_record(db: Database) -> None:
    def story(tx: Tx) -> None:
        for player, points, day in ((5, 3, 0), (5, 2, 0), (6, 5, 1), (5, 4, 2), (6, 1, 3)):
            insert_win(tx, player, points, NOON + day * DAY)
        assert records.load_records(tx, -1)[records.DAY_POINTS] == Record(5, 5, "2026-11-21")
        insert_win(tx, 6, 5, NOON + 3 * DAY)
        assert records.load_records(tx, -1)[records.DAY_POINTS] == Record(6, 6, "2026-11-24")

    await db(story)


async def test_win_streak_record_needs_two_wins(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_win(tx, 5, 1, NOON, streak=1, first=True)
        assert records.WIN_STREAK not in records.load_records(tx, -1)
        for player, streak, at in ((6, 2, 2), (7, 2, 1), (6, 1, 3)):
            insert_win(tx, player, 1, NOON + at, streak=streak)
        assert records.load_records(tx, -1)[records.WIN_STREAK] == Record(7, 2, "2026-11-21")
        sums = [ledger.load_tally_sums(tx, player) for player in (5, 6, 9)]
        assert [each.longest_win_streak for each in sums] == [1, 2, 0]
        assert [each.first_wins_of_day for each in sums] == [1, 0, 0]

    await db(story)


async def test_forgotten_player_has_no_figures(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_history(tx, Random(3), 40)
        rounds_queries.delete_old_rounds(tx, NOON - KEPT)
        result = json.loads(privacy.load_export(tx, 5))
        assert result["tallies"]
        assert result["best_days"]
        privacy.forget_player(tx, 5)
        for table in (tallies, best_days):
            assert count_rows(tx, table, table.c.player_id == 5) == 0
            assert count_rows(tx, table, table.c.chat_id == 5) == 0

    await db(story)


def load_best_days(tx: Tx, *chat_ids: int) -> dict[tuple[int, str], int]:
    """Return the points of the best day by player and game, in any of the chats."""
    key = best_days.c.player_id, best_days.c.game
    best = select(*key, func.max(best_days.c.points)).where(best_days.c.chat_id.in_(chat_ids)).group_by(*key)
    return {(player, game): points for player, game, points in tx.execute(best)}


async def test_tallies_move_with_their_chat(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat in (-1, -2):
            people.load_or_insert_chat(tx, chat, "group")
        insert_history(tx, Random(4), 60)
        first, second = records.load_records(tx, -1), records.load_records(tx, -2)
        answered = tx.scalar(select(func.sum(tallies.c.rounds)))
        expected_days = load_best_days(tx, -1, -2)
        chat_migration.move_chat(tx, -1, -2)
        both = records.load_records(tx, -2)
        streaks = [held[records.WIN_STREAK].value for held in (first, second, both)]
        assert streaks[2] == max(streaks)
        assert load_best_days(tx, -2) == expected_days
        assert tx.scalar(select(func.sum(tallies.c.rounds))) == answered
        for table in (tallies, best_days, achievements):
            assert count_rows(tx, table, table.c.chat_id == -1) == 0

    await db(story)


async def test_old_rounds_are_deleted_with_their_rows_and_no_others(db: Database) -> None:
    def story(tx: Tx) -> None:
        long_ago = NOON - 2 * KEPT
        for chat, values in (
            (-1, {"state": "skipped", "closed": long_ago + 60}),
            (-2, {"state": "open"}),
            (-3, {"state": "running", "kind": "contest"}),
            (-4, {"state": "skipped", "closed": NOON}),
        ):
            stored = store_round(tx, make_round(chat_id=chat, opened=long_ago, deadline=None))
            tried.count_answer(tx, stored.id, 5, "wrong")
            handing.store_entry(tx, stored.id, Entry(5, "25*4", long_ago))
            tried.vote_to_skip(tx, stored.id, 5)
            lost = {"chat_id": chat, "message_id": 7, "round_id": stored.id}
            tx.execute(insert(lost_messages).values(lost))
            tx.execute(update(rounds).where(rounds.c.id == stored.id).values(values))
        assert not rounds_queries.delete_old_rounds(tx, NOON - KEPT)
        assert sorted(tx.scalars(select(rounds.c.chat_id))) == [-4, -3, -2]
        for table in (tries, entries, votes, lost_messages):
            assert count_rows(tx, table) == 3

    await db(story)


@pytest.mark.long
@pytest.mark.parametrize(("days", "looks"), [(365.0, 3), (0.0, 1)])
async def test_old_rounds_are_deleted_in_batches(db: Database, days: float, looks: int) -> None:
    old = {"state": "skipped", "closed": NOON - 400 * DAY}
    many = 2 * DELETED_AT_ONCE + 1

    def story(tx: Tx) -> None:
        for number in range(many):
            tx.execute(
                update(rounds)
                .where(rounds.c.id == store_round(tx, make_round(chat_id=number)).id)
                .values(old)
            )

    class Shelf:
        async def write(self, work: Any) -> Any:
            return await db(work)

    await db(story)
    (work,) = (each for each in round_message.ROUTES.timed_tasks if each.name == "old rounds")
    nobody: Any = None
    running = TimerContext(Shelf(), nobody, nobody, keep_seconds=days * DAY)  # type: ignore[arg-type]
    rests = [await work.run(running, NOON) for _ in range(looks)]
    assert rests == [False] * (looks - 1) + [True]
    assert await db(lambda tx: count_rows(tx, rounds)) == (0 if days else many)
