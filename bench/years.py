"""Years of play: how long each operation takes beside a million wins, and what ageing out leaves.

`python -m bench.years 10000000 20000` plays 20 000 hands beside ten million wins in 100 000 chats: that takes
half an hour for each database, and 10 GB of disk; `sqlite` or `postgresql` behind it takes one of them.
Wins of three years are written straight into the tables, set by set; then hands are dealt, missed and won
through the bot's own transactions, each committed as the bot commits, while what is old ages out at the pace
of a million updates a day. At last the whole bot plays there, and is asked all that can be asked
(`bench.transactions`).
"""

# ruff: noqa: S608 - all that is put together here is our own

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
from bench.table import Row, late, print_rows, written
from bot import zones
from bot.database import Store, Tx
from bot.durations import DAY
from bot.players import queries as people
from bot.queue import queries
from bot.rounds import attempts
from bot.rounds import queries as rounds
from bot.rounds.rules import Award, State
from bot.standings import chat_records as records
from bot.standings.achievements.rules import WINS_NEEDED
from bot.standings.leaderboard import queries as boards
from bot.standings.leaderboard import totals as board_totals
from bot.standings.stats import queries as stats
from tests.bot.postgres import fresh_database
from tests.sample_rounds import make_round

WINS, HANDS = 1_000_000, 2_000
WHOLE = 20  # Of so many hands, one more is played through the whole bot
# Hands of one evening; people of a group; how many of the hands each of them wins.
IN_A_ROW, TOGETHER, EACH = 10, 5, 2
A_GROUP = 100  # Wins of a group, all in all
# Days over which the wins are spread; for which days and rounds are kept; what has not aged out yet.
DAYS, KEPT, MORE = 1095, 365, 2
NOW = 1_763_726_400.0  # 21 November 2025, 12:00 UTC
UPDATES_A_LOOK = 12  # A million updates a day are so many each second, and each second some old rounds go
BAR = 0.010
BARE = "a bare commit"  # One row is changed, and nothing else: so much of each figure is the disk's
# What reads alone.
LOOKS = (
    *("/stats", "/leaderboard, month", "/leaderboard of all, month", "/leaderboard of all, ever"),
    "/records",
)
NEEDED = {"last_win_in_chat"}  # The index by which it is told while filling whether a chat counts
GROWING = ("rounds", "tries", "inbox", "outbox", "totals", "awards")


def rows(wins: int = WINS, hands: int = HANDS, names: Sequence[str] = ()) -> Iterator[Row]:
    """Measure on each database of these names, on both if none is named."""
    for name, opened in (("SQLite", _in_file), ("PostgreSQL", fresh_database)):
        if names and name.lower() not in names:
            continue
        try:
            yield from asyncio.run(_measured(name, opened, wins, hands))
        except (OSError, SQLAlchemyError, BaseException) as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            yield Row(name, "", "", "", f"not measured: {type(error).__name__}: {error}")


@asynccontextmanager
async def _in_file() -> AsyncIterator[URL]:
    with tempfile.TemporaryDirectory() as folder:
        yield make_url(f"sqlite:///{Path(folder) / 'years.sqlite3'}")


async def _measured(name: str, opened: Any, wins: int, hands: int) -> list[Row]:
    async with opened() as url:
        store = await Store.open(url)
        began = time.perf_counter()
        async with _filling(store, url) as run:
            await _fill(store, run, wins)
        made = Row(f"{name}: write {wins:,} wins", written(time.perf_counter() - began), "", "", _told(wins))
        before, first, disk = await _counts(store), _resident(), await _disk(store)
        played = Played(store, wins)
        await played.play(hands)
        after = await _counts(store)
        await store.close()
        grown = ", ".join(f"{key} {before[key]:,} → {after[key]:,}" for key in GROWING)
        tables = Row(f"{name}: rows", "", "", "", grown)
        memory = f"{first >> 20} → {_resident() >> 20} MiB"
        whole = await transactions.played(name, url, played.now, max(hands // WHOLE, 1))
        return [
            made,
            *played.rows(name),
            *whole,
            tables,
            Row(f"{name}: disk", f"{disk >> 20} MiB", "", "", f"{disk / wins:.0f} bytes a win, all in all"),
            Row(f"{name}: memory", memory, "", "", "of this process"),
        ]


def _told(wins: int) -> str:
    groups = wins // A_GROUP
    return f"{groups * TOGETHER:,} people in {groups:,} chats, over {DAYS} days"


def _resident() -> int:
    gc.collect()
    return int(psutil.Process(os.getpid()).memory_info().rss)


async def _disk(store: Store) -> int:
    """Bytes of all tables and their indexes."""
    in_file = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    asked = in_file if store.dialect == "sqlite" else "SELECT pg_database_size(current_database())"
    return int(await store.read(lambda tx: tx.scalar(text(asked))) or 0)


async def _counts(store: Store) -> dict[str, int]:
    def look(tx: Tx) -> dict[str, int]:
        every = {name: text(f"SELECT count(*) FROM {name}") for name in GROWING}
        return {name: int(tx.scalar(count) or 0) for name, count in every.items()}

    return await store.read(look)


class Played:
    """Hands that are played through the store, and how long each kind of transaction took."""

    def __init__(self, store: Store, wins: int) -> None:
        self.store, self.groups = store, wins // A_GROUP
        self.times = defaultdict[str, list[float]](list)
        self.computed = defaultdict[str, list[float]](list)
        """Seconds of each in which its thread computed: not the disk's, nor those of others here."""
        self.random = random.Random(24)
        self.now, self.updates = NOW, 0

    async def play(self, hands: int) -> None:
        """Play so many hands; of every fourth somebody looks at boards."""
        for hand in range(hands):
            met = _some_group(self.random, self.groups)
            player = 1 + met * TOGETHER + self.random.randrange(TOGETHER)
            await self._hand(player, -1 - met)
            if hand % 4 == 0:
                await self._looks(player, -1 - met)

    async def _hand(self, player: int, chat: int) -> None:
        self.now += 60
        dealt = await self._update("a hand is dealt", chat, lambda tx: self._deal(tx, chat, player))
        await self._timed("its message has come", lambda tx: self._delivered(tx, *dealt))
        await self._update(
            "a wrong answer", chat, lambda tx: attempts.count_answer(tx, dealt[0].id, player, "wrong")
        )
        won = replace(
            dealt[0], state=State.WON, closed=self.now, winner_id=player, answer="8/(3-8/3)", streak=1
        )
        await self._update("a win", chat, lambda tx: self._win(tx, won, player))

    def _deal(self, tx: Tx, chat: int, player: int) -> tuple[Any, Any]:
        people.load_or_insert_chat(tx, chat, "supergroup")
        people.insert_or_update_player(tx, people.Player(player, f"Player {player}"))
        new = rounds.open_round(
            tx, make_round(chat_id=chat, dealer_id=player, opened=self.now, deadline=None)
        )
        body = {"method": "sendMessage", "params": {"chat_id": chat, "text": "3 8 3 8"}}
        assert new
        return new, queries.insert_request(tx, chat, body, self.now)

    def _delivered(self, tx: Tx, round: Any, request: Any) -> None:
        queries.delete_requests(tx, [request])
        rounds.record_deal_message(tx, round.id, round.id, self.now)

    def _win(self, tx: Tx, won: Any, player: int) -> None:
        assert rounds.close_round(tx, won)
        boards.insert_award(tx, won, Award(player, 3, 9.0, "8/(3-8/3)", ""), won.id, self.now)

    async def _update(self, what: str, chat: int, effect: Callable[[Tx], Any]) -> Any:
        self.updates += 1
        number = self.updates
        came = queries.QueuedUpdate(number, chat, "{" + "x" * 300 + "}")
        await self._timed("an update is stored", lambda tx: queries.insert_updates(tx, [came], self.now))

        def whole(tx: Tx) -> Any:
            assert queries.mark_done(tx, number, self.now)
            return effect(tx)

        found = await self._timed(what, whole)
        if number % UPDATES_A_LOOK == 0:
            await self._timed("old rounds go", lambda tx: rounds.delete_old_rounds(tx, self.now - KEPT * DAY))
            await self._timed(
                "boards that are over go", lambda tx: board_totals.delete_ended_periods(tx, self.now)
            )
            await self._timed(BARE, lambda tx: people.store_fact(tx, BARE, str(number)))
            await self._timed(
                "a chat counts no more", lambda tx: board_totals.stop_counting_a_quiet_chat(tx, self.now)
            )
            await self._timed("a piece is forgotten", lambda tx: queries.delete_expired_rows(tx, self.now))
        return found

    async def _looks(self, player: int, chat: int) -> None:
        every, month, *_ = board_totals.get_periods(self.now)
        looks: Sequence[Callable[[Tx], object]] = (
            lambda tx: stats.load_profile(tx, chat, player, self.now, all_chats=True),
            lambda tx: boards.load_leaderboard_since(
                tx, chat, zones.find_period_start(zones.UTC, "m", self.now), "", player
            ),
            lambda tx: boards.load_leaderboard(tx, board_totals.ALL_CHATS, month, player),
            lambda tx: boards.load_leaderboard(tx, board_totals.ALL_CHATS, every, player),
            lambda tx: records.load_records(tx, chat),
        )
        for what, look in zip(LOOKS, looks, strict=True):
            await self._timed(what, look, self.store.read)

    async def _timed(
        self,
        what: str,
        work: Callable[[Tx], Any],
        run: Callable[[Callable[[Tx], Any]], Awaitable[Any]] | None = None,
    ) -> Any:
        spent = self.computed[what]

        def counted(tx: Tx) -> Any:
            began = time.thread_time()
            try:
                return work(tx)
            finally:
                spent.append(time.thread_time() - began)

        began = time.perf_counter()
        found = await (run or self.store.write)(counted)
        self.times[what].append(time.perf_counter() - began)
        return found

    def rows(self, name: str) -> Iterator[Row]:
        """A line for each kind of transaction; those that write stand beside a bare commit."""
        bare = written(late(self.times[BARE])) if BARE in self.times else ""
        for what, times in self.times.items():
            whole = late(times)
            note = f"{len(times):,} times; half within {written(median(times))}, worst {written(max(times))}"
            if self.store.dialect == "sqlite":  # a server computes elsewhere
                note += f"; computing {written(late(self.computed[what]))} at p99"
            bar = written(BAR) if what != BARE else ""
            met = "" if whole < BAR or not bar else "; not met"
            beside_it = bare if bar and what not in LOOKS else ""
            yield Row(f"{name}: {what}, p99", written(whole), bar, beside_it, note + met)


def _some_group(chance: random.Random, groups: int) -> int:
    """Some play far more than others."""
    return int(chance.random() ** 2 * groups)


Run = Callable[..., Awaitable[None]]  # Runs one statement, for each of some rows if it has any


@asynccontextmanager
async def _filling(store: Store, url: URL) -> AsyncIterator[Run]:
    """Statements for as long as they take: a server's connections have a limit while the bot plays."""

    async def written(statement: str, rows_: list[dict[str, Any]] | None = None) -> None:
        await store.write(lambda tx: tx.execute(text(statement), rows_).rowcount)

    async def sent(statement: str, rows_: list[dict[str, Any]] | None = None) -> None:
        async with engine.begin() as server:
            await server.execute(text("SET LOCAL maintenance_work_mem = '1GB'"))
            await server.execute(text("SET LOCAL work_mem = '512MB'"))
            await server.execute(text(statement), rows_)

    if store.dialect == "sqlite":
        yield written
        return
    engine = create_async_engine(url)
    yield sent
    async with engine.connect() as server:  # as a server is that looks after its tables by itself
        await server.execution_options(isolation_level="AUTOCOMMIT")
        await server.execute(text("VACUUM ANALYZE"))
    await engine.dispose()


async def _fill(store: Store, run: Run, wins: int) -> None:
    on_sqlite = store.dialect == "sqlite"
    await run("CREATE TABLE days (back INTEGER PRIMARY KEY, at FLOAT, month TEXT, week TEXT, day TEXT)")
    days = [_day(back) for back in range(DAYS)]
    await run("INSERT INTO days VALUES (:back, :at, :month, :week, :day)", days)
    indexes = await _indexes(store)
    if on_sqlite:
        await run("PRAGMA cache_size = -1000000")  # kilobytes: a row of each index falls anywhere
    for name in indexes:
        await run(f"DROP INDEX {name}")
    for statement in _statements(wins, on_sqlite=on_sqlite):
        await run(statement)
    for definition in indexes.values():
        await run(definition)
    if on_sqlite:
        await run("PRAGMA cache_size = -2000")  # as it is by itself
    if not on_sqlite:
        for table in ("awards", "rounds"):
            sequence = f"pg_get_serial_sequence('{table}', 'id')"
            await run(f"SELECT setval({sequence}, (SELECT max(id) FROM {table}))")


async def _indexes(store: Store) -> dict[str, str]:
    """Name and definition of what only makes reading quicker: it is built behind the rows, all at once."""
    on_sqlite = store.dialect == "sqlite"
    every = (
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        if on_sqlite
        else "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT IN"
        " (SELECT conname FROM pg_constraint)"
    )
    unique = " AND sql NOT LIKE '%UNIQUE%'" if on_sqlite else " AND indexdef NOT LIKE '%UNIQUE%'"
    found = await store.read(lambda tx: tx.execute(text(every + unique)).all())
    return {name: definition for name, definition in found if name not in NEEDED}


def _day(back: int) -> dict[str, Any]:
    at = NOW - DAY * back
    _, month, week, day = board_totals.get_periods(at)
    return {"back": back, "at": at, "month": month, "week": week, "day": day}


def _statements(wins: int, *, on_sqlite: bool) -> Iterator[str]:
    """Yield the statements that write so many wins, set by set, and the rows that belong to them."""
    evenings, groups = wins // IN_A_ROW, wins // A_GROUP

    def numbers(count: int) -> str:
        if on_sqlite:
            more = f"SELECT i + 1 FROM k WHERE i < {count - 1}"
            return f"(WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL {more}) SELECT i FROM k) AS k"
        return f"generate_series(0::bigint, {count - 1}) AS k(i)"

    yield f"""
        INSERT INTO players (id, name)
        SELECT i + 1, 'Player ' || (i + 1) FROM {numbers(groups * TOGETHER)}"""
    # who met on which evening: the square of a number that goes all over, so some meet far more often
    place = f"((i * 7919) % {groups})"
    yield f"""
        CREATE TABLE evenings AS
        SELECT i AS id, {place} * {place} / {groups} AS met, 1 + i % 3 AS points,
               d.at, d.back, d.month, d.week, d.day
        FROM {numbers(evenings)} JOIN days d ON d.back = {DAYS - 1} - i * {DAYS} / {evenings}"""
    who = f"1 + met * {TOGETHER} + k.i % {TOGETHER}"
    yield f"""
        INSERT INTO awards (round_id, idea, chat_id, player_id, points, seconds, level, expected, expression,
                            message_id, at, game, kind)
        SELECT e.id * {IN_A_ROW} + k.i + 1, '', -1 - met, {who}, e.points, 5.0 + k.i, 'medium', 20.0,
               '8/(3-8/3)', e.id * {IN_A_ROW} + k.i + 1, e.at + 60.0 * k.i, '24', 'first'
        FROM evenings e CROSS JOIN {numbers(IN_A_ROW)} ORDER BY 1"""
    yield f"""
        INSERT INTO rounds (id, chat_id, kind, line, level, expected, state, dealer_id, opened, closed,
                            winner_id, streak, message_id, puzzle)
        SELECT round_id, chat_id, 'first', '3 8 3 8 → 24', level, expected, 'won', player_id, at, at,
               player_id, 1, round_id, '{{"v": 1, "numbers": [3, 8, 3, 8], "target": 24, "ideas": []}}'
        FROM awards WHERE at > {NOW - (KEPT + MORE) * DAY} ORDER BY 1"""
    yield """
        INSERT INTO tries (round_id, player_id, wrong)
        SELECT id, winner_id + 1, 1 FROM rounds WHERE id % 2 = 0 ORDER BY 1"""
    earned = f"{EACH} * sum(points), {EACH} * count(*) FROM evenings CROSS JOIN {numbers(TOGETHER)}"
    for game in ("", "24 "):
        yield f"""
            INSERT INTO totals (chat_id, period, player_id, points, wins)
            SELECT -1 - met, '{game}all', {who}, {earned} GROUP BY 1, 3"""
    yield """
        INSERT INTO tallies (chat_id, player_id, game, rounds, streak, streak_at)
        SELECT chat_id, player_id, '24', count(*), 1, max(at) FROM awards GROUP BY 1, 2"""
    yield f"""
        INSERT INTO best_days (chat_id, player_id, points, day, last_points, last_day)
        SELECT -1 - met, {who}, {EACH} * max(points), min(day), {EACH} * max(points), max(day)
        FROM evenings CROSS JOIN {numbers(TOGETHER)} GROUP BY 1, 2"""
    yield f"""
        INSERT INTO last_wins (chat_id, player_id, at)
        SELECT -1 - met, {who}, max(at) FROM evenings CROSS JOIN {numbers(TOGETHER)} GROUP BY 1, 2"""
    yield f"""
        INSERT INTO chats (id, kind, counted, counted_until)
        SELECT -1 - i, 'supergroup', 0, 0 FROM {numbers(groups)}"""
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
        for game in ("", "24 "):
            yield f"""
                INSERT INTO totals (chat_id, period, player_id, points, wins)
                SELECT 0, '{game}{running}', {who}, {earned}
                JOIN chats ON chats.id = -1 - met AND counted = 1 WHERE {period} = '{running}' GROUP BY 3"""
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
        WHERE period = 'all' AND chat_id < 0 AND wins >= {WINS_NEEDED}"""
    yield "DROP TABLE evenings"
    yield "DROP TABLE days"


if __name__ == "__main__":
    of, played, *only = sys.argv[1:]
    # a table for each, so that the first is there after half the time
    for each in only or ("sqlite", "postgresql"):
        print_rows(f"Years of play beside {int(of):,} wins", rows(int(of), int(played), [each]))
