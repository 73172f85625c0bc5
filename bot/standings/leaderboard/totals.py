"""The totals of boards, their histograms, and which chats count in the boards of all chats.

A board is what one chat (or 0: all chats) scored in one period, in all games or in one of them: `all`, or
`countdown 2026-11`. In `totals` a chat has the boards of all time; the other periods are summed up from the
ledger, since they go by the chat's time zone. All chats together also have months, weeks and days, by UTC:
those that are not over yet. `histogram` holds how many players have how many points in a board, so a rank is
a sum over the few different scores above one's own instead of a count of people.

What holds after every transaction: board 0 is the sum over the chats that count, which are those in which
`WINNERS` people won within `WINDOW`.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import product
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, delete, func, literal_column, select, text, update

from bot.database import Tx, build_insert_for, delete_batch
from bot.database.schema import FORGOTTEN_PLAYER, IS_COUNTED, awards, chats, histogram, last_wins, totals
from bot.durations import DAY
from bot.rounds.registry import GAMES

ALL_TIME = "all"
ALL_CHATS = 0  # stands for a chat's id in the boards of all chats
# The same written out: PostgreSQL plans a statement for an average chat unless it sees that it is this one,
# which has far more lines.
ALL_CHATS_LITERAL: ColumnElement[int] = literal_column(str(ALL_CHATS))
WINNERS_NEEDED = (
    3  # different people who must have won in a chat for it to count in the boards of all chats …
)
WINNERS_WINDOW = 30 * DAY  # … within this many seconds
NEVER = -1.0  # until then a chat counts in which too few have won


def get_periods(at: float) -> tuple[str, str, str, str]:
    """Return the periods in which points of that time count: all time, and the month, week and day in UTC."""
    day = datetime.fromtimestamp(at, UTC).date()
    week = day.isocalendar()
    return ALL_TIME, f"{day:%Y-%m}", f"{week.year}-W{week.week:02}", f"{day:%Y-%m-%d}"


def get_days_of_week(now: float) -> list[str]:
    """Return the days of the week of `now`, by UTC, Monday first."""
    monday = now - datetime.fromtimestamp(now, UTC).weekday() * DAY
    return [get_periods(monday + n * DAY)[-1] for n in range(7)]


def make_period_key(period: str, game: str | None) -> str:
    """Return the board of a period: of one game, or of all of them."""
    return f"{game} {period}" if game else period


def make_global_period_keys(game: str, at: float) -> list[str]:
    """Return the boards of all chats in which points count that were earned in a game at `at`."""
    return [make_period_key(period, of) for of in (None, game) for period in get_periods(at)]


def get_running_periods(now: float) -> list[str]:
    """Return the periods that are not over, but for all time."""
    _, month, week, _ = get_periods(now)
    return [month, week, *get_days_of_week(now)]


@dataclass(frozen=True, slots=True)
class TotalChange:
    """What is added to one player's total in a board."""

    chat_id: int
    period: str
    player_id: int
    points: int
    wins: int


# Built once, since each win needs them and building takes longer than the database does

LINE = ("chat_id", "period", "player_id")
BAR = ("chat_id", "period", "points")
EMPTY_BAR = delete(histogram).where(
    *(histogram.c[k] == bindparam(f"at_{k}") for k in BAR), histogram.c.players == 0
)
NO_WINS = delete(totals).where(*(totals.c[k] == bindparam(f"at_{k}") for k in LINE), totals.c.wins == 0)


@cache
def _adding(dialect: str) -> Any:
    """An INSERT that adds to totals, and returns what they are then."""
    statement = build_insert_for(dialect, totals)
    summed = {k: totals.c[k] + statement.excluded[k] for k in ("points", "wins")}
    return statement.on_conflict_do_update(index_elements=LINE, set_=summed).returning(*totals.c)


@cache
def _shifting(dialect: str) -> Any:
    """An INSERT that adds to the bars of histograms."""
    statement = build_insert_for(dialect, histogram)
    summed = {"players": histogram.c.players + statement.excluded.players}
    return statement.on_conflict_do_update(index_elements=BAR, set_=summed)


def add_to_totals(tx: Tx, lines: Sequence[TotalChange]) -> None:
    """Add points and wins to totals, or take them off where they are negative; each line to another total."""
    if not lines:
        return
    rows = tx.execute(_adding(tx.dialect.name), [asdict(line) for line in lines])
    after = {(row.chat_id, row.period, row.player_id): row for row in rows}
    bars, gone = Counter[tuple[int, str, int]](), list[TotalChange]()
    for line in lines:
        now = after[line.chat_id, line.period, line.player_id]
        bars[line.chat_id, line.period, now.points - line.points] -= now.wins > line.wins
        bars[line.chat_id, line.period, now.points] += now.wins > 0
        if now.wins == 0:
            gone.append(line)
    _shift(tx, {bar: more for bar, more in bars.items() if more})
    if gone:
        tx.execute(NO_WINS, [{f"at_{k}": getattr(line, k) for k in LINE} for line in gone])


def _shift(tx: Tx, bars: Mapping[tuple[int, str, int], int]) -> None:
    """Count so many more players of a board and period with these points."""
    if not bars:
        return
    rows = [{"chat_id": b, "period": w, "points": n, "players": more} for (b, w, n), more in bars.items()]
    tx.execute(_shifting(tx.dialect.name), rows)
    if fewer := [bar for bar, more in bars.items() if more < 0]:
        tx.execute(EMPTY_BAR, [{"at_chat_id": b, "at_period": w, "at_points": n} for b, w, n in fewer])


THIS_LINE = and_(*(totals.c[k] == bindparam(f"at_{k}") for k in LINE))
POINTS, WITHOUT = select(totals.c.points, totals.c.wins).where(THIS_LINE), delete(totals).where(THIS_LINE)


def remove_player(tx: Tx, board: int, period: str, player_id: int) -> None:
    """Take a player off one board."""
    here = {"at_chat_id": board, "at_period": period, "at_player_id": player_id}
    if (line := tx.execute(POINTS, here).first()) is not None:
        add_to_totals(tx, [TotalChange(board, period, player_id, -line.points, -line.wins)])


def move_totals(tx: Tx, old: int, new: int) -> None:
    """Add the totals of chat `old` to those of `new`."""
    rows = tx.execute(select(totals).where(totals.c.chat_id == old)).all()
    add_to_totals(tx, [TotalChange(new, row.period, row.player_id, row.points, row.wins) for row in rows])
    for table in (totals, histogram):
        tx.execute(delete(table).where(table.c.chat_id == old))


# Chats that count

THIS = chats.c.id == bindparam("this_chat")
LATEST = last_wins.c.chat_id == bindparam("this_chat")
LAST_WIN = select(func.max(last_wins.c.at)).where(LATEST)
THIRD = (
    select(last_wins.c.at).where(LATEST).order_by(last_wins.c.at.desc()).offset(WINNERS_NEEDED - 1).limit(1)
)
COUNTING = (
    update(chats)
    .where(THIS)
    .values(counted_until=func.coalesce(THIRD.scalar_subquery() + WINNERS_WINDOW, NEVER))
    .returning(chats.c.counted, chats.c.counted_until)
)
OTHERWISE = update(chats).where(THIS, chats.c.counted == bindparam("counted_before"))
COUNTS = select(chats.c.counted).where(THIS)


def is_chat_counted(tx: Tx, chat_id: int) -> bool:
    """Whether the chat counts in the boards of all chats."""
    return bool(tx.scalar(COUNTS, {"this_chat": chat_id}))


def update_counted_until(tx: Tx, chat_id: int) -> tuple[bool, float]:
    """Store until when a chat's last wins let it count; return whether it does now, and that time."""
    row = tx.execute(COUNTING, {"this_chat": chat_id}).first()
    return (False, NEVER) if row is None else (bool(row.counted), row.counted_until)


def update_chat_counted(tx: Tx, chat_id: int, now: float) -> None:
    """Let the chat count in the boards of all chats, or no more, as its last wins have it."""
    _, until = update_counted_until(tx, chat_id)
    set_chat_counted(tx, chat_id, until >= now, now)


def set_chat_counted(tx: Tx, chat_id: int, is_counted: bool, now: float) -> None:
    """Add the chat to the boards of all chats, or take it off; nothing if it already is so."""
    changed = {"counted_before": int(not is_counted), "counted": int(is_counted)}
    if tx.execute(OTHERWISE, {"this_chat": chat_id, **changed}).rowcount:
        sign = 1 if is_counted else -1
        own = tx.execute(select(totals).where(totals.c.chat_id == chat_id)).all()
        lines = [
            TotalChange(ALL_CHATS, row.period, row.player_id, sign * row.points, sign * row.wins)
            for row in own
        ]
        latest = tx.scalar(LAST_WIN, {"this_chat": chat_id}) or 0.0  # after `now` if a message came late
        add_to_totals(tx, [*lines, *_running_lines(tx, chat_id, sign, max(now, latest))])


def _running_lines(tx: Tx, chat_id: int, sign: int, now: float) -> list[TotalChange]:
    """Sum up the ledger of a chat for the boards whose periods are not over."""
    running = {
        make_period_key(period, game) for period in get_running_periods(now) for game in (None, *GAMES)
    }
    since = now - 38 * DAY  # the longest month, and the week that was not over when it began
    asked = select(awards.c.player_id, awards.c.points, awards.c.at, awards.c.game).where(
        *(awards.c.chat_id == chat_id, awards.c.at >= since, awards.c.player_id != FORGOTTEN_PLAYER)
    )
    sums = defaultdict[tuple[str, int], list[int]](lambda: [0, 0])
    for row in tx.execute(asked):
        for board in running.intersection(make_global_period_keys(row.game, row.at)):
            total = sums[board, row.player_id]
            total[0] += sign * row.points
            total[1] += sign
    return [TotalChange(ALL_CHATS, board, who, *total) for (board, who), total in sums.items()]


OVER = (
    select(chats.c.id)
    .where(text(IS_COUNTED), chats.c.counted_until < bindparam("now"))
    .order_by(chats.c.counted_until)
    .limit(1)
)


def stop_counting_a_quiet_chat(tx: Tx, now: float) -> bool:
    """Let a chat cease to count whose winners have stayed away for too long; return whether there was one."""
    chat_id = tx.scalar(OVER, {"now": now})
    if chat_id is not None:
        update_chat_counted(tx, chat_id, now)
    return chat_id is not None


def delete_ended_periods(tx: Tx, now: float) -> bool:
    """Delete some lines of boards whose periods are over; return whether there may be more."""
    running = get_running_periods(now)
    month, week, monday, *_ = running
    spans = (
        ("20", month),
        (f"{month}-", monday),
        (f"{month[:4]}-W", week),
    )  # hardly any line in them is not over
    left = []
    for table, game, (since, until) in product((totals, histogram), (None, *GAMES), spans):
        period = table.c.period
        within_span = (period >= make_period_key(since, game), period < make_period_key(until, game))
        dated = period.like(make_period_key("20__-%", game))  # and no game's of such a name
        over = (dated, period.not_in([make_period_key(each, game) for each in running]))
        left.append(delete_batch(tx, table, table.c.chat_id == ALL_CHATS, *within_span, *over))
    return any(left)
