"""Leaderboards: the time to read one and to store a win, in a database with a million wins.

`python -m bench.leaderboards 10000000` measures with ten million; that takes some minutes and 4 GB of disk.
"""

import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

from sqlalchemy import Connection, Engine, create_engine, event, text

import bot.features  # noqa: F401 - registers the games and what follows an award
from bench.report import Row, compute_p99, format_time, print_rows
from bot import zones
from bot.database.schema import awards, metadata, totals
from bot.database.sqlite import PRAGMAS
from bot.games.twentyfour.rules import Hand
from bot.rounds import ledger
from bot.rounds.puzzle import Kind
from bot.rounds.rules import Award, Round
from bot.standings.leaderboard import commands as leaderboard
from bot.standings.leaderboard import totals as board_totals
from bot.standings.leaderboard import view
from bot.standings.ratings import queries as best
from bot.standings.stats import queries as records

WINS = 1_000_000
GAME = "24"
IN_A_ROW = 10  # Wins of one player on one evening
DAYS = 365
READERS = 300  # Players for whom each leaderboard is read
NOW = 1_763_726_400.0  # 21 November 2025, 12:00 UTC; the last win is of that day
CLUB, CLUB_MEMBERS = -1, 5000  # The largest group, which plays one evening in twenty
BAR = "10 ms"


def measure_rows(wins: int = WINS) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        engine = _make_engine(Path(folder) / "boards.sqlite3")
        start = perf_counter()
        with engine.connect() as tx:
            people = _fill_database(tx, wins)
        took, size = perf_counter() - start, (Path(folder) / "boards.sqlite3").stat().st_size
        note = f"{people:,} players; {size / 2**30:.1f} GB, inserted directly into the tables"
        yield Row(f"make {wins:,} wins", format_time(took), "", "", note)
        with engine.connect() as tx:
            yield from _measure_reads(tx, people)
            yield from _measure_writes(tx, people)
        engine.dispose()


def _make_engine(path: Path) -> Engine:
    engine = create_engine(f"sqlite:///{path}")

    @event.listens_for(engine, "connect")
    def prepare(connection: object, _: object) -> None:
        cursor = connection.cursor()  # type: ignore[attr-defined]
        for pragma in PRAGMAS:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    return engine


def _measure_reads(tx: Connection, people: int) -> Iterator[Row]:
    names = {"today": "d", "week": "w", "month": "m", "all time": "a"}
    for scope, chat in (("all chats", board_totals.ALL_CHATS), (f"a club of {CLUB_MEMBERS}", CLUB)):
        for title, period in names.items():
            readers = _choose_players(people if chat == board_totals.ALL_CHATS else CLUB_MEMBERS)
            times = [_measure(partial(_read_leaderboard, tx, chat, period, reader)) for reader in readers]
            yield _make_row(f"read {scope}, {title}", times)
        board = best.RatingScope(chat)
        times = [_measure(partial(_read_ratings, tx, board, reader)) for reader in readers]
        yield _make_row(f"who plays best, {scope}", times, bar="30 ms")
    members = _choose_players(CLUB_MEMBERS)
    load_profile = partial(records.load_profile, tx, CLUB, now=NOW, game=GAME, all_chats=True)
    times = [_measure(partial(load_profile, player_id=each)) for each in members]
    yield _make_row("a player's profile across chats", times)


def _read_leaderboard(tx: Connection, chat: int, period: str, reader: int) -> None:
    """Read a leaderboard with the reader's own line."""
    chosen = view.LeaderboardChoice(
        chat, view.ALL_CHATS_SCOPE if chat == board_totals.ALL_CHATS else view.THIS_CHAT, period, GAME
    )
    leaderboard.load_chosen_leaderboard(tx, chosen, zones.UTC, NOW, reader)


def _read_ratings(tx: Connection, board: best.RatingScope, reader: int) -> None:
    """Read the list of best players with the reader's own line."""
    best.load_best_players(tx, board, NOW)
    best.load_rating_line(tx, board, reader, NOW)


def _measure_writes(tx: Connection, people: int) -> Iterator[Row]:
    number = iter(range(10**12, 10**13))
    members = _choose_players(CLUB_MEMBERS)
    times = [_measure(partial(_store_win, tx, next(number), member)) for member in members]
    yield _make_row("store a win in ledger and totals", times, without="the commit")
    excluded = _measure(lambda: board_totals.set_chat_counted(tx, CLUB, NOW, is_counted=False))
    included = _measure(lambda: board_totals.set_chat_counted(tx, CLUB, NOW, is_counted=True))
    moved = tx.execute(text("SELECT count(*) FROM totals WHERE chat_id = :club"), {"club": CLUB}).scalar()
    note = f"once in 30 days at most: {moved:,} totals change"
    yield Row("exclude that club from the leaderboard of all", format_time(excluded), "", "", note)
    yield Row("include it again", format_time(included), "", "", note)


def _store_win(tx: Connection, number: int, player: int) -> None:
    over = Round(
        number, CLUB, 0, Kind.FIRST, "24", Hand((3, 8, 3, 8), 24, "hard", 30.0, ()), player, NOW, None
    )
    ledger.insert_award(tx, over, Award(player, 3, 9.0, "8/(3-8/3)", ""), 1, NOW)


def _choose_players(most: int) -> list[int]:
    rng = random.Random(24)
    return [rng.randint(1, most) for _ in range(READERS)]


def _measure(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def _make_row(job: str, times: list[float], without: str = "", bar: str = BAR) -> Row:
    note = f"{len(times)} people; p99 {format_time(compute_p99(times))}, worst {format_time(max(times))}"
    return Row(job, format_time(median(times)), bar, "", note + (f"; without {without}" if without else ""))


def _fill_database(tx: Connection, wins: int) -> int:
    """Insert so many wins and their totals; return the number of players.

    Whole sets of rows go directly into the tables, then the indexes are built. One win after another would
    take hours.
    """
    people = max(CLUB_MEMBERS, wins // 20)
    later = [index for table in (awards, totals) for index in table.indexes]
    for pragma in ("journal_mode=OFF", "synchronous=OFF", "secure_delete=OFF", "cache_size=-400000"):
        tx.exec_driver_sql(f"PRAGMA {pragma}")
    metadata.create_all(tx)
    for index in later:
        index.drop(tx)
    _insert_people(tx, people)
    _insert_evenings(tx, wins // IN_A_ROW, people)
    tx.execute(text(LEDGER), {"row": IN_A_ROW})
    tx.execute(text(ROUNDS), {"club": CLUB})
    for statement in (TOTALS, TALLIES):
        tx.execute(text(statement), {"row": IN_A_ROW})
    for period in board_totals.get_periods(NOW):
        tx.execute(text(OF_ALL_CHATS), {"row": IN_A_ROW, "period": period})
    for statement in (HISTOGRAM, LAST_WINS, RATINGS, "DROP TABLE evenings"):
        tx.exec_driver_sql(statement)
    for index in later:
        index.create(tx)
    tx.commit()
    for pragma in ("journal_mode=WAL", "cache_size=-2000"):
        tx.exec_driver_sql(f"PRAGMA {pragma}")
    return people


def _insert_people(tx: Connection, people: int) -> None:
    tx.exec_driver_sql(PEOPLE, (people,))
    tx.exec_driver_sql(CHATS, (1 + people // 20, NOW + 86_400))


def _insert_evenings(tx: Connection, evenings: int, people: int) -> None:
    """Insert the winner of each evening: a member in the club, elsewhere one of twenty people of a group."""
    rng = random.Random(2025)
    days = [(NOW - 86_400 * n, board_totals.get_periods(NOW - 86_400 * n)) for n in range(DAYS)]
    tx.exec_driver_sql(
        "CREATE TEMP TABLE evenings (id INTEGER PRIMARY KEY, chat, player, at, points, day, week, month)"
    )

    def make_evenings() -> Iterator[tuple[object, ...]]:
        for number in range(evenings):
            at, (_, month, week, day) = days[int(rng.random() ** 2 * DAYS)]
            club = rng.random() < 0.05
            player = 1 + int(rng.random() * (CLUB_MEMBERS if club else people))
            chat = CLUB if club else -(2 + (player - 1) // 20)
            yield number, chat, player, at, (1, 2, 3, 5)[number % 4], day, week, month

    cursor = tx.connection.cursor()
    cursor.executemany("INSERT INTO evenings VALUES (?, ?, ?, ?, ?, ?, ?, ?)", make_evenings())  # type: ignore[arg-type]
    cursor.close()


PEOPLE = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
INSERT INTO players (id, name) SELECT i, 'Player ' || i FROM n
"""
CHATS = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
INSERT INTO chats (id, kind, counted, counted_until) SELECT -i, 'supergroup', i % 10 <> 0, ? FROM n
"""
LEDGER = """
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < :row - 1)
INSERT INTO awards (round_id, idea, chat_id, player_id, points, seconds, level, expected, expression,
                    message_id, at, game, kind)
SELECT e.id * :row + n.i, '', e.chat, e.player, e.points, 5.0 + n.i, 'medium', 20.0, '8/(3-8/3)',
       e.id * :row + n.i, e.at + 60.0 * n.i, '24', 'first'
FROM evenings e CROSS JOIN n
"""
ROUNDS = """
INSERT INTO rounds (id, chat_id, kind, line, level, expected, state, dealer_id, opened, closed, winner_id,
                    streak)
SELECT round_id, chat_id, 'first', '3 8 3 8 → 24', level, expected, 'won', player_id, at, at, player_id, 1
FROM awards WHERE chat_id = :club
"""
TOTALS = """
INSERT INTO totals (chat_id, period, player_id, points, wins)
SELECT chat, '24 all', player, :row * sum(points), :row * count(*) FROM evenings GROUP BY 1, 3
"""
OF_ALL_CHATS = """
INSERT INTO totals (chat_id, period, player_id, points, wins)
SELECT 0, '24 ' || :period, player, :row * sum(points), :row * count(*)
FROM evenings JOIN chats ON chats.id = chat AND counted = 1
WHERE :period IN ('all', day, week, month) GROUP BY 3
"""
TALLIES = """
INSERT INTO tallies (chat_id, player_id, game, rounds, streak, streak_at)
SELECT chat, player, '24', :row * count(*), 1, max(at) FROM evenings GROUP BY 1, 2
"""
HISTOGRAM = """
INSERT INTO histogram (chat_id, period, points, players)
SELECT chat_id, period, points, count(*) FROM totals GROUP BY 1, 2, 3
"""
RATINGS = """
INSERT INTO ratings (player_id, mu, sigma, hands, at)
SELECT id, 15.0 + (id * 7919 % 2000) / 100.0, 2.0 + (id * 104729 % 500) / 100.0, 1 + id % 100,
       1763726400.0 - id % 365 * 86400.0
FROM players
"""
LAST_WINS = """
INSERT INTO last_wins (chat_id, player_id, at) SELECT chat, player, max(at) FROM evenings GROUP BY 1, 2
"""


if __name__ == "__main__":
    print_rows(f"Leaderboards with {int(sys.argv[1]):,} wins", measure_rows(int(sys.argv[1])))
