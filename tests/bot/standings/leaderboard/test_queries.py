"""Leaderboards agree with the ledger of awards."""

import random
from collections import Counter
from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import delete, select, update

from bot import zones
from bot.admin.privacy import queries as privacy
from bot.database import Tx
from bot.database.schema import FORGOTTEN_PLAYER, awards, chats, histogram, players, rounds, totals
from bot.players import queries as people
from bot.rounds import ledger
from bot.rounds.puzzle import Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import PLACE_PREFIX, Award, Round
from bot.standings.leaderboard import queries as boards
from bot.standings.leaderboard import totals as board_totals
from bot.zones import UTC
from tests.bot.databases import Database
from tests.sample_rounds import make_round, store_round

DAY = 86_400.0
START = 1_763_700_000.0  # 21 November 2025, a Friday

Sums = dict[tuple[int, str, int], tuple[int, int]]  # Points and wins by board, period and player
Bars = dict[tuple[int, str, int], int]  # Players by board, period and points


GAME_LIST = ("24", "countdown")
ALL_TIME = "24 all"


def insert_win(
    tx: Tx, chat: int, player: int, points: int, at: float, number: int = 0, game: str = "24"
) -> bool:
    """Let a player win a round of the chat; return whether the award is new."""
    people.load_or_insert_chat(tx, chat, "supergroup")
    people.insert_or_update_player(tx, people.Player(player, f"P{player}"))
    number = number or 1 + len(tx.execute(select(awards.c.id)).all())
    over = make_round(id=number, chat_id=chat, level="hard", dealer_id=player, opened=at, deadline=None)
    over = replace(over, game=game)
    return ledger.insert_award(tx, over, Award(player, points, 5.0, "8/(3-8/3)", ""), number, at)


def list_leaderboards(now: float) -> set[tuple[int, str]]:
    """Return the leaderboards that somebody may look at."""
    periods = {"all", *board_totals.get_running_periods(now)}
    of_all = {(0, f"{game} {period}") for game in GAMES for period in periods}
    return of_all | {(chat, f"{game} all") for chat in range(-9, 0) for game in GAMES}


def compute_totals(tx: Tx, now: float = START) -> tuple[Sums, Bars]:
    """Compute totals and histogram from the ledger and the chats that count."""
    sums: Sums = {}
    for row in tx.execute(select(awards).where(awards.c.player_id != FORGOTTEN_PLAYER)):
        for board in (row.chat_id, *((0,) if is_counted(tx, row.chat_id) else ())):
            for period in board_totals.make_global_period_keys(row.game, row.at):
                if (board, period) in list_leaderboards(now):
                    points, wins = sums.get((board, period, row.player_id), (0, 0))
                    sums[board, period, row.player_id] = (points + row.points, wins + 1)
    return sums, dict(Counter((board, period, points) for (board, period, _), (points, _) in sums.items()))


def is_counted(tx: Tx, chat: int) -> bool:
    return bool(tx.scalar(select(chats.c.counted).where(chats.c.id == chat)))


def load_totals(tx: Tx, now: float = START) -> tuple[Sums, Bars]:
    """Load the stored totals and histogram of leaderboards that somebody may look at."""
    rows = [row for row in tx.execute(select(totals)) if (row.chat_id, row.period) in list_leaderboards(now)]
    sums = {(r.chat_id, r.period, r.player_id): (r.points, r.wins) for r in rows}
    bars = [
        row for row in tx.execute(select(histogram)) if (row.chat_id, row.period) in list_leaderboards(now)
    ]
    return sums, {(r.chat_id, r.period, r.points): r.players for r in bars}


def test_periods_are_utc_days_weeks_and_months() -> None:
    assert board_totals.get_periods(START) == ("all", "2025-11", "2025-W47", "2025-11-21")
    assert board_totals.get_periods(1_767_139_200.0) == ("all", "2025-12", "2026-W01", "2025-12-31")


async def test_award_is_stored_once(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert insert_win(tx, -1, 7, 3, START, number=5)
        assert not insert_win(tx, -1, 8, 3, START, number=5)
        assert [(s.player_id, s.score) for s in boards.load_leaders(tx, -1, ALL_TIME)] == [(7, 3)]
        assert ledger.load_round_points(tx, 5) == {7: 3}

    await db(story)


async def test_equal_points_share_a_rank(db: Database) -> None:
    def story(tx: Tx) -> None:
        for player, points in ((1, 5), (2, 3), (3, 3), (4, 1)):
            insert_win(tx, -1, player, points, START)
        assert [s.rank for s in boards.load_leaders(tx, -1, ALL_TIME)] == [1, 2, 2, 4]
        read = boards.load_leaderboard(tx, -1, ALL_TIME, 4)
        assert read.own
        assert (read.own.rank, read.own.score) == (4, 1)
        assert boards.load_leaderboard(tx, -1, ALL_TIME, 9).own is None

    await db(story)


async def test_ranks_belong_to_a_chat_and_a_period(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat, player, at in ((-1, 1, 0.0), (-1, 2, DAY), (-1, 3, DAY), (-2, 4, DAY)):
            insert_win(tx, chat, player, 5 - player, START + at)
        own = [boards.load_standing(tx, *board) for board in ((-1, 2, ALL_TIME), (0, 2, "24 2025-11-22"))]
        assert [line and (line.rank, line.score) for line in own] == [(2, 3), (1, 3)]
        assert boards.load_standing(tx, 0, 2, "24 2025-11-21") is None
        assert boards.load_standing(tx, -1, 4, ALL_TIME) is None

    await db(story)


async def test_names_are_masked_unless_the_player_chose_otherwise(db: Database) -> None:
    def story(tx: Tx) -> None:
        for player in (1, 2, 3):
            insert_win(tx, -1, player, 9 - player, START)
        tx.execute(update(players).where(players.c.id == 2).values(masked=0))
        tx.execute(delete(players).where(players.c.id == 3))
        expected = [("P1", True), ("P2", False), ("", True)]
        assert [(line.name, line.masked) for line in boards.load_leaders(tx, -1, ALL_TIME)] == expected
        own = [boards.load_standing(tx, -1, player, ALL_TIME) for player in (1, 2, 3)]
        assert [line and (line.name, line.masked) for line in own] == expected

    await db(story)


async def test_chat_counts_while_three_players_won_lately(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_win(tx, -1, 1, 5, START)
        insert_win(tx, -1, 2, 3, START + 1)
        assert boards.load_leaders(tx, board_totals.ALL_CHATS, ALL_TIME) == []
        insert_win(tx, -1, 3, 1, START + 2)
        assert [s.score for s in boards.load_leaders(tx, board_totals.ALL_CHATS, ALL_TIME)] == [5, 3, 1]
        insert_win(tx, -2, 1, 9, START)
        assert [s.score for s in boards.load_leaders(tx, board_totals.ALL_CHATS, ALL_TIME)] == [5, 3, 1]
        board_totals.stop_counting_a_quiet_chat(tx, START + board_totals.WINNERS_WINDOW)
        assert len(boards.load_leaders(tx, board_totals.ALL_CHATS, ALL_TIME)) == 3
        board_totals.stop_counting_a_quiet_chat(tx, START + board_totals.WINNERS_WINDOW + 1)
        assert boards.load_leaders(tx, board_totals.ALL_CHATS, ALL_TIME) == []
        for player in (1, 2):
            insert_win(tx, -1, player, 2, START + board_totals.WINNERS_WINDOW + 1.5)
        assert [s.score for s in boards.load_leaders(tx, board_totals.ALL_CHATS, ALL_TIME)] == [7, 5, 1]

    await db(story)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
async def test_totals_and_histograms_equal_the_sums_of_the_ledger(db: Database, seed: int) -> None:
    rng = random.Random(seed)

    def story(tx: Tx) -> None:
        at = START
        for step in range(40):
            at += rng.choice((60.0, DAY / 3, 9 * DAY))
            game = rng.choice(GAME_LIST)
            insert_win(tx, rng.randint(-3, -1), rng.randint(1, 5), rng.randint(1, 3), at, game=game)
            if step % 3 == 2:
                board_totals.stop_counting_a_quiet_chat(tx, at)
            assert load_totals(tx, at) == compute_totals(tx, at)
            if step % 10 == 9:
                assert not board_totals.delete_ended_periods(tx, at)
                stored = tx.execute(select(totals.c.chat_id, totals.c.period)).all()
                assert {tuple(row) for row in stored} <= list_leaderboards(at)

    await db(story)


async def test_leaderboards_move_with_their_chat(db: Database) -> None:
    def story(tx: Tx) -> None:
        for player in (1, 2, 3):
            insert_win(tx, -1, player, player, START)
        insert_win(tx, -2, 3, 4, START)
        people.load_or_insert_chat(tx, -2, "supergroup")
        boards.move_awards(tx, -1, -2)
        assert [(s.player_id, s.score) for s in boards.load_leaders(tx, -2, ALL_TIME)] == [
            (3, 7),
            (2, 2),
            (1, 1),
        ]
        assert boards.load_leaders(tx, -1, ALL_TIME) == []
        assert [s.score for s in boards.load_leaders(tx, board_totals.ALL_CHATS, ALL_TIME)] == [7, 2, 1]
        assert load_totals(tx) == compute_totals(tx)
        people.load_or_insert_chat(tx, -3, "supergroup")
        boards.move_awards(tx, -2, -3)
        assert [s.score for s in boards.load_leaders(tx, board_totals.ALL_CHATS, ALL_TIME)] == [7, 2, 1]
        assert load_totals(tx) == compute_totals(tx)

    await db(story)


def insert_solved_round(tx: Tx, player: int, seconds: float, part: str = "", **fields: Any) -> Round:
    """Let a player solve a hand, by default a hard one of 24."""
    of = fields.pop("game", "24")
    dealt: dict[str, Any] = {"chat_id": -1, "level": "hard", "opened": START, "deadline": None} | fields
    stored = store_round(tx, make_round(**dealt))
    tx.execute(update(rounds).where(rounds.c.id == stored.id).values(state="won", game=of))
    over = replace(stored, game=of)
    assert ledger.insert_award(tx, over, Award(player, 1, seconds, "8/(3-8/3)", part), 7, START)
    return over


async def test_best_time_is_that_of_earlier_comparable_rounds(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert ledger.load_best_seconds(tx, insert_solved_round(tx, 1, 9.0), 1) is None
        for seconds in (7.0, 8.0):
            insert_solved_round(tx, 1, seconds)
        insert_solved_round(tx, 2, 6.0)
        insert_solved_round(tx, 1, 5.0, chat_id=-2)
        insert_solved_round(tx, 1, 4.0, level="easy")
        insert_solved_round(tx, 1, 3.0, part="one of several")
        insert_solved_round(tx, 1, 2.0, kind=Kind.ALL)
        insert_solved_round(tx, 1, 1.0, game="countdown")
        insert_solved_round(tx, 1, 0.0)  # its time is not known
        this = insert_solved_round(tx, 1, 0.5)
        insert_solved_round(tx, 1, 0.25)
        assert ledger.load_best_seconds(tx, this, 1) == 7.0
        assert ledger.load_best_seconds(tx, this, 2) == 6.0
        assert ledger.load_best_seconds(tx, this, 3) is None

    await db(story)


async def test_leaderboard_has_ten_lines(db: Database) -> None:
    def story(tx: Tx) -> None:
        for player in range(1, 12):
            insert_win(tx, -1, player, 20 - player, START)
        assert [line.player_id for line in boards.load_leaders(tx, -1, ALL_TIME)] == list(range(1, 11))
        assert len(boards.load_leaderboard(tx, -1, ALL_TIME, None).leaders) == 10
        assert boards.load_leaderboard(tx, -1, ALL_TIME, None).own is None
        assert boards.load_leaderboard(tx, -1, ALL_TIME, 11).own == boards.load_standing(tx, -1, 11, ALL_TIME)

    await db(story)


async def test_places_of_a_contest_do_not_make_a_chat_count(db: Database) -> None:
    def story(tx: Tx) -> None:
        insert_win(tx, -1, 1, 5, START)
        insert_win(tx, -1, 2, 3, START)
        third = make_round(id=8, chat_id=-1, opened=START)
        assert ledger.insert_award(tx, third, Award(3, 2, 5.0, "8", f"{PLACE_PREFIX}3"), 8, START)
        assert not is_counted(tx, -1)
        assert load_totals(tx) == compute_totals(tx)

    await db(story)


async def test_points_of_a_round_are_summed_by_player(db: Database) -> None:
    def story(tx: Tx) -> None:
        over = make_round(id=5, chat_id=-1, opened=START)
        people.load_or_insert_chat(tx, -1, "supergroup")
        for part, who, points in (("a", 1, 2), ("b", 1, 3), ("c", 2, 4)):
            assert ledger.insert_award(tx, over, Award(who, points, 5.0, part, part), 7, START)
        insert_win(tx, -1, 1, 50, START, number=6)
        assert ledger.load_round_points(tx, 5) == {1: 5, 2: 4}
        assert ledger.load_round_points(tx, 7) == {}

    await db(story)


async def test_older_win_does_not_replace_the_last_one(db: Database) -> None:
    def story(tx: Tx) -> None:
        for player in (1, 2, 3):
            insert_win(tx, -1, player, 1, START)
        insert_win(tx, -1, 1, 1, START - DAY)
        board_totals.stop_counting_a_quiet_chat(tx, START + board_totals.WINNERS_WINDOW)
        assert is_counted(tx, -1)
        board_totals.stop_counting_a_quiet_chat(tx, START + board_totals.WINNERS_WINDOW + 1)
        assert not is_counted(tx, -1)

    await db(story)


async def test_moved_chat_counts_by_its_last_wins(db: Database) -> None:
    def story(tx: Tx) -> None:
        for chat, player, at in (
            (-1, 1, START),
            (-1, 2, START + 1),
            (-2, 3, START + board_totals.WINNERS_WINDOW + 1),
        ):
            insert_win(tx, chat, player, player, at)
        boards.move_awards(tx, -1, -2)
        assert not is_counted(tx, -2)  # one has stayed away for too long
        insert_win(tx, -3, 3, 3, START + board_totals.WINNERS_WINDOW)
        people.load_or_insert_chat(tx, -4, "supergroup")
        boards.move_awards(tx, -3, -4)
        assert not is_counted(tx, -4)
        assert load_totals(tx) == compute_totals(tx)

    await db(story)


async def test_first_win_of_a_day_is_found_by_chat(db: Database) -> None:
    def story(tx: Tx) -> None:
        noon = START - START % DAY + DAY / 2
        assert ledger.is_first_win_of_day(tx, -7, UTC, noon)
        insert_win(tx, -7, 1, 3, noon)
        assert not ledger.is_first_win_of_day(tx, -7, UTC, noon + 60)
        assert ledger.is_first_win_of_day(tx, -8, UTC, noon + 60)
        assert ledger.is_first_win_of_day(tx, -7, UTC, noon + DAY / 2)

    await db(story)


SHANGHAI, NEW_YORK = ZoneInfo("Asia/Shanghai"), ZoneInfo("America/New_York")


def make_timestamp(text: str) -> float:
    """Return the timestamp of a time in UTC."""
    return datetime.fromisoformat(f"{text}+00:00").timestamp()


def load_points(tx: Tx, zone: ZoneInfo, period: str, now: float, game: str = "24") -> dict[int, int]:
    """Return the points by player on the chat's leaderboard of a period."""
    board = boards.load_leaderboard_since(tx, -1, zones.find_period_start(zone, period, now), game)
    return {line.player_id: line.score for line in board.leaders}


async def test_week_begins_on_monday_in_the_chats_zone(db: Database) -> None:
    def story(tx: Tx) -> None:
        now = make_timestamp("2026-11-22T16:30")  # half past midnight in Shanghai, on Monday
        for player, points, at in ((1, 5, "2026-11-22T15:59"), (2, 3, "2026-11-22T16:00")):
            insert_win(tx, -1, player, points, make_timestamp(at))
        assert load_points(tx, SHANGHAI, "d", now) == load_points(tx, SHANGHAI, "w", now) == {2: 3}
        assert load_points(tx, UTC, "d", now) == load_points(tx, UTC, "w", now) == {1: 5, 2: 3}
        assert load_points(tx, SHANGHAI, "m", now) == {1: 5, 2: 3}
        assert not ledger.is_first_win_of_day(tx, -1, SHANGHAI, now)
        assert ledger.is_first_win_of_day(tx, -1, SHANGHAI, make_timestamp("2026-11-23T16:00"))
        assert load_totals(tx) == compute_totals(tx)

    await db(story)


async def test_days_of_23_and_25_hours_are_whole(db: Database) -> None:
    def story(tx: Tx) -> None:
        spring, autumn = (
            make_timestamp("2026-03-09T03:59"),
            make_timestamp("2026-11-02T04:59"),
        )  # 23:59 in New York
        for player, at in enumerate(
            ("2026-03-08T04:59", "2026-03-08T05:00", "2026-11-01T03:59", "2026-11-01T04:00"), start=1
        ):
            insert_win(tx, -1, player, player, make_timestamp(at))
        assert load_points(tx, NEW_YORK, "d", autumn) == {4: 4}
        assert 2 in load_points(tx, NEW_YORK, "d", spring)
        assert 1 not in load_points(tx, NEW_YORK, "d", spring)
        assert load_points(tx, NEW_YORK, "d", spring + 60) == load_points(tx, NEW_YORK, "d", autumn - DAY) | {
            3: 3,
            4: 4,
        }

    await db(story)


async def test_leaderboard_of_a_running_period_ranks_ties_and_the_reader(db: Database) -> None:
    def story(tx: Tx) -> None:
        for player in range(1, 14):
            insert_win(tx, -1, player, max(2, 14 - player), START)
        insert_win(tx, -1, 13, 1, START - DAY)
        tx.execute(update(players).where(players.c.id == 2).values(masked=0))
        read = boards.load_leaderboard_since(tx, -1, START, "24", 13)
        assert [(line.rank, line.player_id) for line in read.leaders] == [(n, n) for n in range(1, 11)]
        assert [line.masked for line in read.leaders[:3]] == [True, False, True]
        assert read.own == boards.Standing(12, 13, "P13", 2)
        assert boards.load_leaderboard_since(tx, -1, START - DAY, "24", 13).own == boards.Standing(
            11, 13, "P13", 3
        )
        assert boards.load_leaderboard_since(tx, -1, START, "24", 99).own is None
        insert_win(tx, -1, 14, 1, START, game="countdown")
        in_game = boards.load_leaderboard_since(tx, -1, START, "countdown", None).leaders
        assert [line.player_id for line in in_game] == [14]
        tx.execute(update(awards).where(awards.c.player_id == 1).values(player_id=FORGOTTEN_PLAYER))
        assert boards.load_leaderboard_since(tx, -1, START, "24").leaders[0].player_id == 2

    await db(story)


async def test_new_time_zone_changes_days_but_no_total(db: Database) -> None:
    def story(tx: Tx) -> None:
        rng = random.Random(5)
        for n in range(40):
            insert_win(tx, -1, rng.randint(1, 4), rng.randint(1, 3), START + n * 3_600)
        before, now = load_totals(tx), START + 40 * 3_600
        for zone in (UTC, SHANGHAI, NEW_YORK):
            load_points(tx, zone, "d", now)
            ledger.is_first_win_of_day(tx, -1, zone, now)
        assert load_totals(tx) == before == compute_totals(tx)
        everything = sum(line.score for line in boards.load_leaders(tx, -1, ALL_TIME))
        for zone in (UTC, SHANGHAI, NEW_YORK):
            assert sum(load_points(tx, zone, "m", now).values()) == everything

    await db(story)


async def test_chat_that_starts_to_count_adds_its_earlier_points(db: Database) -> None:
    def story(tx: Tx) -> None:
        for day in range(60):
            insert_win(tx, -1, 1 + day % 2, 3, START - (60 - day) * DAY)
        insert_win(tx, -1, 3, 1, START)
        assert is_counted(tx, -1)
        assert [s.score for s in boards.load_leaders(tx, 0, ALL_TIME)] == [90, 90, 1]
        assert load_totals(tx) == compute_totals(tx)
        insert_win(tx, -1, 2, 2, START + 3 * DAY)  # on Monday
        assert [
            s.score
            for s in boards.load_leaders(tx, 0, f"24 {board_totals.get_periods(START + 3 * DAY).week}")
        ] == [2]
        assert load_totals(tx, START + 3 * DAY) == compute_totals(tx, START + 3 * DAY)

    await db(story)


async def test_forgotten_player_is_on_no_leaderboard(db: Database) -> None:
    def story(tx: Tx) -> None:
        for day in range(20):
            insert_win(tx, -1, 1 + day % 2, 3, START - day * DAY)
        insert_win(tx, -1, 3, 1, START)
        privacy.forget_player(tx, 1)
        assert not is_counted(tx, -1)  # two are left
        assert load_totals(tx) == compute_totals(tx)
        assert 1 not in set(tx.scalars(select(totals.c.player_id)))

    await db(story)


async def test_late_message_counts_for_the_day_it_was_sent(db: Database) -> None:
    def story(tx: Tx) -> None:
        midnight = START - START % DAY + 3 * DAY  # a Monday begins
        insert_win(tx, -1, 1, 5, midnight + 1)
        insert_win(tx, -1, 2, 3, midnight + 2)
        insert_win(tx, -1, 3, 1, midnight - 1)
        assert is_counted(tx, -1)
        assert load_totals(tx, midnight + 3) == compute_totals(tx, midnight + 3)

    await db(story)


async def test_usual_game_is_the_one_played_most(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert boards.load_usual_game(tx, -1) == "24"
        for player, game in ((1, "24"), (1, "countdown"), (2, "countdown"), (2, "yahtzee"), (2, "yahtzee")):
            stored = replace(store_round(tx, make_round(chat_id=-1)), game=game)
            tx.execute(update(rounds).where(rounds.c.id == stored.id).values(game=game, state="won"))
            assert ledger.insert_award(tx, stored, Award(player, 1, 5.0, "8", ""), 7, START)
        insert_solved_round(tx, 1, 5.0, chat_id=-2)
        assert boards.load_usual_game(tx, -1) == "countdown"
        assert boards.load_usual_game(tx, -1, 2) == "yahtzee"
        assert boards.load_usual_game(tx, 1) == "24"
        assert boards.load_usual_game(tx, -3) == "24"

    await db(story)
