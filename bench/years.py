"""Years of play: the time of each operation with a million stored wins, while old rows are deleted.

`python -m bench.years 10000000 20000` plays 20 000 hands with ten million stored wins in 100 000 chats. That
takes half an hour for each database, and 10 GB of disk; add `sqlite` or `postgresql` for one database only.
Wins of three years are inserted directly into the tables. Then hands are dealt, missed and won through the
bot's own transactions and commits, while old rows are deleted at the rate of a million updates a day. At the
end the whole bot plays there and handles all commands (`bench.transactions`).
"""

# ruff: noqa: S608 - all parts of these statements are constants

import asyncio
import gc
import os
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import psutil
from sqlalchemy import text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine

from bench import transactions
from bench.report import Row, compute_p99, format_time, print_rows
from bot import zones
from bot.database import Store, Tx
from bot.durations import DAY
from bot.players import queries as people
from bot.queue import queries
from bot.rounds import attempts, ledger
from bot.rounds import queries as rounds
from bot.rounds.rules import Award, State
from bot.standings import chat_records as records
from bot.standings.achievements import WINS_NEEDED
from bot.standings.leaderboard import queries as boards
from bot.standings.leaderboard import totals as board_totals
from bot.standings.stats import queries as stats
from bot.telegram.messages import post_message
from tests.bot.postgres import fresh_database
from tests.sample_rounds import make_round

WINS, HANDS = 1_000_000, 2_000
WHOLE_BOT = 20  # One hand in so many is also played through the whole bot
EVENING_HANDS = 10
MEMBERS = 5  # People of a group
EVENING_WINS = 2  # Wins of each of them on an evening
GROUP_WINS = 100  # Wins of a group in all years
DAYS = 1095  # Over which the wins are spread
KEPT_DAYS, OVERDUE_DAYS = 365, 2  # Days for which rounds are kept, and further days not deleted yet
NOW = 1_763_726_400.0  # 21 November 2025, 12:00 UTC
UPDATES_A_SECOND = 12  # Of a million a day; old rows are deleted once a second
BAR = 0.010
BARE = "a bare commit"  # Of one changed row: the part of each time that is the disk's
# Operations that only read.
READS = (
    *("/stats", "/leaderboard, month", "/leaderboard of all, month", "/leaderboard of all, ever"),
    "/records",
)
KEPT_INDEXES = {"last_win_in_chat"}  # Used while filling
COUNTED_TABLES = ("rounds", "tries", "inbox", "outbox", "totals", "awards")


def measure_rows(wins: int = WINS, hands: int = HANDS, names: Sequence[str] = ()) -> Iterator[Row]:
    """Measure on the databases with these names, or on both."""
    for name, open_database in (("SQLite", _make_file), ("PostgreSQL", fresh_database)):
        if names and name.lower() not in names:
            continue
        try:
            yield from asyncio.run(_measure_database(name, open_database, wins, hands))
        except (OSError, SQLAlchemyError, BaseException) as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            yield Row(name, "", "", "", f"not measured: {type(error).__name__}: {error}")


@asynccontextmanager
async def _make_file() -> AsyncIterator[URL]:
    with tempfile.TemporaryDirectory() as folder:
        yield make_url(f"sqlite:///{Path(folder) / 'years.sqlite3'}")


async def _measure_database(name: str, open_database: Any, wins: int, hands: int) -> list[Row]:
    async with open_database() as url:
        store = await Store.open(url)
        began = time.perf_counter()
        async with _open_for_filling(store, url) as run:
            await _fill_database(store, run, wins)
        made = Row(
            f"{name}: write {wins:,} wins",
            format_time(time.perf_counter() - began),
            "",
            "",
            _describe_data(wins),
        )
        before, first, disk = await _count_rows(store), _measure_memory(), await _measure_disk(store)
        players = Players(store, wins)
        await players.play(hands)
        after = await _count_rows(store)
        await store.close()
        grown = ", ".join(f"{key} {before[key]:,} → {after[key]:,}" for key in COUNTED_TABLES)
        tables = Row(f"{name}: rows", "", "", "", grown)
        memory = f"{first >> 20} → {_measure_memory() >> 20} MiB"
        whole = await transactions.measure(name, url, players.now, max(hands // WHOLE_BOT, 1))
        return [
            made,
            *players.make_rows(name),
            *whole,
            tables,
            Row(f"{name}: disk", f"{disk >> 20} MiB", "", "", f"{disk / wins:.0f} bytes for each win"),
            Row(f"{name}: memory", memory, "", "", "of this process"),
        ]


def _describe_data(wins: int) -> str:
    groups = wins // GROUP_WINS
    return f"{groups * MEMBERS:,} people in {groups:,} chats, over {DAYS} days"


def _measure_memory() -> int:
    gc.collect()
    return int(psutil.Process(os.getpid()).memory_info().rss)


async def _measure_disk(store: Store) -> int:
    """Return the bytes of all tables and indexes."""
    of_file = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    query = of_file if store.dialect == "sqlite" else "SELECT pg_database_size(current_database())"
    return int(await store.read(lambda tx: tx.scalar(text(query))) or 0)


async def _count_rows(store: Store) -> dict[str, int]:
    def count_all(tx: Tx) -> dict[str, int]:
        counts = {name: text(f"SELECT count(*) FROM {name}") for name in COUNTED_TABLES}
        return {name: int(tx.scalar(count) or 0) for name, count in counts.items()}

    return await store.read(count_all)


class Players:
    """Play hands through the store, and measure each kind of transaction."""

    def __init__(self, store: Store, wins: int) -> None:
        self.store, self.groups = store, wins // GROUP_WINS
        self.times = defaultdict[str, list[float]](list)
        self.cpu_times = defaultdict[str, list[float]](list)  # Processor seconds of the transaction's thread
        self.random = random.Random(24)
        self.now, self.updates = NOW, 0

    async def play(self, hands: int) -> None:
        """Play so many hands; after every fourth somebody reads statistics and leaderboards."""
        for hand in range(hands):
            group = _choose_group(self.random, self.groups)
            player = 1 + group * MEMBERS + self.random.randrange(MEMBERS)
            await self._play_hand(player, -1 - group)
            if hand % 4 == 0:
                await self._read_statistics(player, -1 - group)

    async def _play_hand(self, player: int, chat: int) -> None:
        self.now += 60
        dealt = await self._handle_update("a hand is dealt", chat, lambda tx: self._deal(tx, chat, player))
        await self._measure("its message is delivered", lambda tx: self._record_delivery(tx, *dealt))
        await self._handle_update(
            "a wrong answer", chat, lambda tx: attempts.count_answer(tx, dealt[0].id, player, "wrong")
        )
        won = replace(
            dealt[0], state=State.WON, closed=self.now, winner_id=player, answer="8/(3-8/3)", streak=1
        )
        await self._handle_update("a win", chat, lambda tx: self._store_win(tx, won, player))

    def _deal(self, tx: Tx, chat: int, player: int) -> tuple[Any, Any]:
        people.load_or_insert_chat(tx, chat, "supergroup")
        people.insert_or_update_player(tx, people.Player(player, f"Player {player}"))
        new = rounds.open_round(
            tx, make_round(chat_id=chat, dealer_id=player, opened=self.now, deadline=None)
        )
        deal = post_message(chat, "3 8 3 8")
        assert new
        return new, queries.insert_request(tx, deal, self.now)

    def _record_delivery(self, tx: Tx, round: Any, request: Any) -> None:
        queries.delete_requests(tx, [request])
        rounds.record_deal_message(tx, round.id, round.id, self.now)

    def _store_win(self, tx: Tx, won: Any, player: int) -> None:
        assert rounds.close_round(tx, won)
        ledger.insert_award(tx, won, Award(player, 3, 9.0, "8/(3-8/3)", ""), won.id, self.now)

    async def _handle_update(self, what: str, chat: int, effect: Callable[[Tx], Any]) -> Any:
        self.updates += 1
        number = self.updates
        update = queries.QueuedUpdate(number, chat, "{" + "x" * 300 + "}")
        await self._measure("an update is stored", lambda tx: queries.insert_updates(tx, [update], self.now))

        def handle(tx: Tx) -> Any:
            assert queries.mark_done(tx, number, self.now)
            return effect(tx)

        found = await self._measure(what, handle)
        if number % UPDATES_A_SECOND == 0:
            await self._measure(
                "old rounds are deleted", lambda tx: rounds.delete_old_rounds(tx, self.now - KEPT_DAYS * DAY)
            )
            await self._measure(
                "ended leaderboards are deleted", lambda tx: board_totals.delete_ended_periods(tx, self.now)
            )
            await self._measure(BARE, lambda tx: people.store_fact(tx, BARE, str(number)))
            await self._measure(
                "a quiet chat is excluded", lambda tx: board_totals.stop_counting_a_quiet_chat(tx, self.now)
            )
            await self._measure(
                "expired rows are deleted", lambda tx: queries.delete_expired_rows(tx, self.now)
            )
        return found

    async def _read_statistics(self, player: int, chat: int) -> None:
        all_time, month, *_ = board_totals.get_periods(self.now)
        reads: Sequence[Callable[[Tx], object]] = (
            lambda tx: stats.load_profile(tx, chat, player, self.now, "24", all_chats=True),
            lambda tx: boards.load_leaderboard_since(
                tx, chat, zones.find_period_start(zones.UTC, "m", self.now), "24", player
            ),
            lambda tx: boards.load_leaderboard(tx, board_totals.ALL_CHATS, f"24 {month}", player),
            lambda tx: boards.load_leaderboard(tx, board_totals.ALL_CHATS, f"24 {all_time}", player),
            lambda tx: records.load_records(tx, chat),
        )
        for what, read in zip(READS, reads, strict=True):
            await self._measure(what, read, self.store.read)

    async def _measure(
        self,
        what: str,
        work: Callable[[Tx], Any],
        run: Callable[[Callable[[Tx], Any]], Awaitable[Any]] | None = None,
    ) -> Any:
        spent = self.cpu_times[what]

        def run_measured(tx: Tx) -> Any:
            began = time.thread_time()
            try:
                return work(tx)
            finally:
                spent.append(time.thread_time() - began)

        began = time.perf_counter()
        found = await (run or self.store.write)(run_measured)
        self.times[what].append(time.perf_counter() - began)
        return found

    def make_rows(self, name: str) -> Iterator[Row]:
        """Yield a row for each kind of transaction; the baseline of those that write is a bare commit."""
        bare = format_time(compute_p99(self.times[BARE])) if BARE in self.times else ""
        for what, times in self.times.items():
            whole = compute_p99(times)
            note = f"{len(times):,} times; half within {format_time(median(times))}"
            note += f", worst {format_time(max(times))}"
            if self.store.dialect == "sqlite":  # a server uses other processes
                note += f"; computing {format_time(compute_p99(self.cpu_times[what]))} at p99"
            bar = format_time(BAR) if what != BARE else ""
            remark = "" if whole < BAR or not bar else "; not met"
            baseline = bare if bar and what not in READS else ""
            yield Row(f"{name}: {what}, p99", format_time(whole), bar, baseline, note + remark)


def _choose_group(chance: random.Random, groups: int) -> int:
    """Return a group; some are chosen far more often than others."""
    return int(chance.random() ** 2 * groups)


Run = Callable[..., Awaitable[None]]  # Runs a statement, once or for each row


@asynccontextmanager
async def _open_for_filling(store: Store, url: URL) -> AsyncIterator[Run]:
    """Yield a function that runs a statement without the bot's time limit."""

    async def write(statement: str, rows_: list[dict[str, Any]] | None = None) -> None:
        await store.write(lambda tx: tx.execute(text(statement), rows_).rowcount)

    async def send(statement: str, rows_: list[dict[str, Any]] | None = None) -> None:
        async with engine.begin() as server:
            await server.execute(text("SET LOCAL maintenance_work_mem = '1GB'"))
            await server.execute(text("SET LOCAL work_mem = '512MB'"))
            await server.execute(text(statement), rows_)

    if store.dialect == "sqlite":
        yield write
        return
    engine = create_async_engine(url)
    yield send
    async with engine.connect() as server:  # a server in use does this by itself
        await server.execution_options(isolation_level="AUTOCOMMIT")
        await server.execute(text("VACUUM ANALYZE"))
    await engine.dispose()


async def _fill_database(store: Store, run: Run, wins: int) -> None:
    on_sqlite = store.dialect == "sqlite"
    await run("CREATE TABLE days (back INTEGER PRIMARY KEY, at FLOAT, month TEXT, week TEXT, day TEXT)")
    days = [_make_day(back) for back in range(DAYS)]
    await run("INSERT INTO days VALUES (:back, :at, :month, :week, :day)", days)
    indexes = await _load_indexes(store)
    if on_sqlite:
        await run("PRAGMA cache_size = -1000000")  # kilobytes; rows arrive in no order of the indexes
    for name in indexes:
        await run(f"DROP INDEX {name}")
    for statement in _list_statements(wins, on_sqlite=on_sqlite):
        await run(statement)
    for definition in indexes.values():
        await run(definition)
    if on_sqlite:
        await run("PRAGMA cache_size = -2000")  # the default
    if not on_sqlite:
        for table in ("awards", "rounds"):
            sequence = f"pg_get_serial_sequence('{table}', 'id')"
            await run(f"SELECT setval({sequence}, (SELECT max(id) FROM {table}))")


async def _load_indexes(store: Store) -> dict[str, str]:
    """Return names and definitions of the indexes to build after filling: those without a constraint."""
    on_sqlite = store.dialect == "sqlite"
    query = (
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        if on_sqlite
        else "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT IN"
        " (SELECT conname FROM pg_constraint)"
    )
    unique = " AND sql NOT LIKE '%UNIQUE%'" if on_sqlite else " AND indexdef NOT LIKE '%UNIQUE%'"
    found = await store.read(lambda tx: tx.execute(text(query + unique)).all())
    return {name: definition for name, definition in found if name not in KEPT_INDEXES}


def _make_day(back: int) -> dict[str, Any]:
    at = NOW - DAY * back
    _, month, week, day = board_totals.get_periods(at)
    return {"back": back, "at": at, "month": month, "week": week, "day": day}


def _list_statements(wins: int, *, on_sqlite: bool) -> Iterator[str]:
    """Yield the statements that insert so many wins, and the rows that belong to them."""
    evenings, groups = wins // EVENING_HANDS, wins // GROUP_WINS

    def build_series(count: int) -> str:
        if on_sqlite:
            more = f"SELECT i + 1 FROM k WHERE i < {count - 1}"
            return f"(WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL {more}) SELECT i FROM k) AS k"
        return f"generate_series(0::bigint, {count - 1}) AS k(i)"

    yield f"""
        INSERT INTO players (id, name)
        SELECT i + 1, 'Player ' || (i + 1) FROM {build_series(groups * MEMBERS)}"""
    # Which group played on which evening: by a square, so that some play far more often.
    place = f"((i * 7919) % {groups})"
    yield f"""
        CREATE TABLE evenings AS
        SELECT i AS id, {place} * {place} / {groups} AS team, 1 + i % 3 AS points,
               d.at, d.back, d.month, d.week, d.day
        FROM {build_series(evenings)} JOIN days d ON d.back = {DAYS - 1} - i * {DAYS} / {evenings}"""
    who = f"1 + team * {MEMBERS} + k.i % {MEMBERS}"
    yield f"""
        INSERT INTO awards (round_id, idea, chat_id, player_id, points, seconds, level, expected, expression,
                            message_id, at, game, kind)
        SELECT e.id * {EVENING_HANDS} + k.i + 1, '', -1 - team, {who}, e.points, 5.0 + k.i, 'medium', 20.0,
               '8/(3-8/3)', e.id * {EVENING_HANDS} + k.i + 1, e.at + 60.0 * k.i, '24', 'first'
        FROM evenings e CROSS JOIN {build_series(EVENING_HANDS)} ORDER BY 1"""
    yield f"""
        INSERT INTO rounds (id, chat_id, kind, line, level, expected, state, dealer_id, opened, closed,
                            winner_id, streak, message_id, puzzle)
        SELECT round_id, chat_id, 'first', '3 8 3 8 → 24', level, expected, 'won', player_id, at, at,
               player_id, 1, round_id, '{{"v": 1, "numbers": [3, 8, 3, 8], "target": 24, "ideas": []}}'
        FROM awards WHERE at > {NOW - (KEPT_DAYS + OVERDUE_DAYS) * DAY} ORDER BY 1"""
    yield """
        INSERT INTO tries (round_id, player_id, wrong)
        SELECT id, winner_id + 1, 1 FROM rounds WHERE id % 2 = 0 ORDER BY 1"""
    members = f"FROM evenings CROSS JOIN {build_series(MEMBERS)}"
    earned = f"{EVENING_WINS} * sum(points), {EVENING_WINS} * count(*) {members}"
    yield f"""
        INSERT INTO totals (chat_id, period, player_id, points, wins)
        SELECT -1 - team, '24 all', {who}, {earned} GROUP BY 1, 3"""
    yield """
        INSERT INTO tallies (chat_id, player_id, game, rounds, streak, streak_at)
        SELECT chat_id, player_id, '24', count(*), 1, max(at) FROM awards GROUP BY 1, 2"""
    yield f"""
        INSERT INTO best_days (chat_id, player_id, game, points, day, last_points, last_day)
        SELECT -1 - team, {who}, '24', {EVENING_WINS} * max(points), min(day),
               {EVENING_WINS} * max(points), max(day)
        {members} GROUP BY 1, 2"""
    yield f"""
        INSERT INTO last_wins (chat_id, player_id, at)
        SELECT -1 - team, {who}, max(at) {members} GROUP BY 1, 2"""
    yield f"""
        INSERT INTO chats (id, kind, counted, counted_until)
        SELECT -1 - i, 'supergroup', 0, 0 FROM {build_series(groups)}"""
    winners = "SELECT at FROM last_wins WHERE chat_id = chats.id ORDER BY at DESC"
    third = f"{winners} LIMIT 1 OFFSET {board_totals.WINNERS_NEEDED - 1}"
    until = f"coalesce(({third}) + {board_totals.WINNERS_WINDOW}, {board_totals.NEVER})"
    yield f"UPDATE chats SET counted_until = {until}"
    yield f"UPDATE chats SET counted = 1 WHERE counted_until >= {NOW}"
    yield """
        INSERT INTO totals (chat_id, period, player_id, points, wins)
        SELECT 0, period, player_id, sum(points), sum(wins)
        FROM totals JOIN chats ON chats.id = chat_id AND counted = 1 GROUP BY 2, 3"""
    for period, running in zip(("month", "week", "day"), board_totals.get_periods(NOW)[1:], strict=True):
        yield f"""
            INSERT INTO totals (chat_id, period, player_id, points, wins)
            SELECT 0, '24 {running}', {who}, {earned}
            JOIN chats ON chats.id = -1 - team AND counted = 1 WHERE {period} = '{running}' GROUP BY 3"""
    yield """
        INSERT INTO histogram (chat_id, period, points, players)
        SELECT chat_id, period, points, count(*) FROM totals GROUP BY 1, 2, 3"""
    yield """
        INSERT INTO ratings (player_id, mu, sigma, hands, at)
        SELECT id, 15.0 + (id * 7919 % 2000) / 100.0, 2.0 + (id % 500) / 100.0, 1 + id % 100, 1763726400.0
        FROM players"""
    yield """
        INSERT INTO achievements (player_id, name, at) SELECT id, 'fiendish', 0 FROM players"""
    yield f"""
        INSERT INTO achievements (player_id, name, at)
        SELECT player_id, 'hundred', 0 FROM totals
        WHERE period = '24 all' AND chat_id < 0 AND wins >= {WINS_NEEDED}"""
    yield "DROP TABLE evenings"
    yield "DROP TABLE days"


if __name__ == "__main__":
    wins, hands, *only = sys.argv[1:]
    # A table for each, so that the first one is printed after half the time.
    for each in only or ("sqlite", "postgresql"):
        print_rows(f"Years of play with {int(wins):,} wins", measure_rows(int(wins), int(hands), [each]))
