"""The totals of leaderboards, their histograms, and which chats count in the leaderboards of all chats.

A leaderboard has a chat (0: all chats), a game and a period: `24 all`, or `countdown 2026-11`. `totals` holds
those of all time for each chat; for all chats together also those of months, weeks and days in UTC until
these end. `histogram` holds how many players have each total of a leaderboard: a rank is then a short sum
over the higher totals instead of a count of players.

After every transaction the leaderboards of all chats are the sums over the chats that count. A chat counts if
`WINNERS_NEEDED` players won in it within `WINNERS_WINDOW`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, bindparam, delete, func, literal_column, select, text, update

from bot.database import Tx, build_insert_for, delete_batch
from bot.database.schema import FORGOTTEN_PLAYER, IS_COUNTED, awards, chats, histogram, last_wins, totals
from bot.durations import DAY
from bot.rounds.registry import GAMES
from bot.rounds.rules import Award, Round

ALL_TIME = "all"
ALL_CHATS = 0  # Stands for a chat's id in the leaderboards of all chats
# PostgreSQL plans a statement with a parameter for an average chat; this one has far more lines, so its id is
# written out where it matters
ALL_CHATS_LITERAL: ColumnElement[int] = literal_column(str(ALL_CHATS))


class Periods(NamedTuple):
    """The periods in which the points of one time count, in UTC."""

    all_time: str
    month: str  # As 2026-11
    week: str  # As 2026-W47
    day: str  # As 2026-11-21


def get_periods(at: float) -> Periods:
    day = datetime.fromtimestamp(at, UTC).date()
    return Periods(ALL_TIME, f"{day:%Y-%m}", format_week(day), f"{day:%Y-%m-%d}")


def format_week(day: date) -> str:
    week = day.isocalendar()
    return f"{week.year}-W{week.week:02}"


def get_days_of_week(now: float) -> list[str]:
    """Return the seven days of this week in UTC, Monday first."""
    monday = now - datetime.fromtimestamp(now, UTC).weekday() * DAY
    return [get_periods(monday + n * DAY).day for n in range(7)]


def get_running_periods(now: float) -> list[str]:
    """Return the month, the week and the days of the week of `now`: the periods that may still change."""
    present = get_periods(now)
    return [present.month, present.week, *get_days_of_week(now)]


def make_period_key(period: str, game: str) -> str:
    """Return the stored name of a period of a game's leaderboard."""
    return f"{game} {period}"


def make_global_period_keys(game: str, at: float) -> list[str]:
    """Return the leaderboards of all chats in which points of a game count that were earned at `at`."""
    return [make_period_key(period, game) for period in get_periods(at)]


@dataclass(frozen=True, slots=True)
class TotalChange:
    """Points and wins to add to one player's total in a leaderboard."""

    chat_id: int
    period: str
    player_id: int
    points: int
    wins: int


class TotalKey(NamedTuple):
    chat_id: int
    period: str
    player_id: int


class Bar(NamedTuple):
    """A bar of a histogram, as high as the number of players with these points."""

    chat_id: int
    period: str
    points: int


# Statements are built once: building one takes longer than running it, and each win needs them
@cache
def _build_add_totals(dialect: str) -> Any:
    """Build the INSERT that adds to totals and returns the new ones."""
    insert = build_insert_for(dialect, totals)
    sums = {column: totals.c[column] + insert.excluded[column] for column in ("points", "wins")}
    return insert.on_conflict_do_update(index_elements=TotalKey._fields, set_=sums).returning(*totals.c)


@cache
def _build_add_bars(dialect: str) -> Any:
    """Build the INSERT that adds to the numbers of players in bars."""
    insert = build_insert_for(dialect, histogram)
    sums = {"players": histogram.c.players + insert.excluded.players}
    return insert.on_conflict_do_update(index_elements=Bar._fields, set_=sums)


IS_TOTAL = and_(*(totals.c[column] == bindparam(column) for column in TotalKey._fields))
IS_BAR = and_(*(histogram.c[column] == bindparam(column) for column in Bar._fields))
DELETE_TOTAL_WITHOUT_WINS = delete(totals).where(IS_TOTAL, totals.c.wins == 0)
DELETE_EMPTY_BAR = delete(histogram).where(IS_BAR, histogram.c.players == 0)


def add_to_totals(tx: Tx, changes: Sequence[TotalChange]) -> None:
    """Add points and wins, also negative, to different totals and to histograms; delete what has no wins."""
    if not changes:
        return
    rows = tx.execute(_build_add_totals(tx.dialect.name), [asdict(change) for change in changes])
    new_totals = {TotalKey(row.chat_id, row.period, row.player_id): row for row in rows}
    bars = Counter[Bar]()  # By how many players each gets higher
    emptied = list[TotalKey]()
    for change in changes:
        key = TotalKey(change.chat_id, change.period, change.player_id)
        new = new_totals[key]
        old_wins, old_points = new.wins - change.wins, new.points - change.points
        # A total is in the histogram while it has wins: take it from its old bar and add it to its new one
        if old_wins > 0:
            bars[Bar(change.chat_id, change.period, old_points)] -= 1
        if new.wins > 0:
            bars[Bar(change.chat_id, change.period, new.points)] += 1
        if new.wins == 0:
            emptied.append(key)
    _add_to_histograms(tx, bars)
    if emptied:
        tx.execute(DELETE_TOTAL_WITHOUT_WINS, [key._asdict() for key in emptied])


def _add_to_histograms(tx: Tx, changes: Mapping[Bar, int]) -> None:
    """Add to the number of players in each bar, and delete bars that become empty."""
    changed = {bar: players for bar, players in changes.items() if players != 0}
    rows = [{**bar._asdict(), "players": players} for bar, players in changed.items()]
    if rows:
        tx.execute(_build_add_bars(tx.dialect.name), rows)
    shrunk = [bar._asdict() for bar, players in changed.items() if players < 0]
    if shrunk:
        tx.execute(DELETE_EMPTY_BAR, shrunk)


def load_totals_of_player(tx: Tx, player_id: int) -> list[TotalChange]:
    """Return a player's total in each leaderboard, by chat and period.

    The ledger says which leaderboards there are: `totals` has no index by player, which each win would have
    to update.
    """
    ledger = select(awards.c.chat_id, awards.c.at, awards.c.game).where(awards.c.player_id == player_id)
    awards_by_day = {(row.chat_id, row.game, row.at // DAY) for row in tx.execute(ledger)}
    periods: dict[int, set[str]] = {ALL_CHATS: set()}  # By chat
    for chat_id, game, day in awards_by_day:
        periods[ALL_CHATS].update(make_global_period_keys(game, day * DAY))
        periods.setdefault(chat_id, set()).add(make_period_key(ALL_TIME, game))
    of_player = select(totals).where(totals.c.player_id == player_id).order_by(totals.c.period)
    found = list[TotalChange]()
    for chat_id in sorted(periods):
        in_chat = of_player.where(totals.c.chat_id == chat_id, totals.c.period.in_(periods[chat_id]))
        found += [TotalChange(**row) for row in tx.execute(in_chat).mappings()]
    return found


def remove_player(tx: Tx, player_id: int) -> None:
    """Take a player off all leaderboards."""
    found = load_totals_of_player(tx, player_id)
    add_to_totals(tx, [replace(total, points=-total.points, wins=-total.wins) for total in found])


def move_totals(tx: Tx, old: int, new: int) -> None:
    """Add the totals of chat `old` to those of chat `new`, and delete them from `old`."""
    rows = tx.execute(select(totals).where(totals.c.chat_id == old)).all()
    add_to_totals(tx, [TotalChange(new, row.period, row.player_id, row.points, row.wins) for row in rows])
    for table in (totals, histogram):
        tx.execute(delete(table).where(table.c.chat_id == old))


# Chats that count in the leaderboards of all chats

WINNERS_NEEDED = 3  # Different players who must have won in a chat …
WINNERS_WINDOW = 30 * DAY  # … within this many seconds
NEVER = -1.0  # The end of counting for a chat in which too few have won

IS_CHAT = chats.c.id == bindparam("this_chat")
COUNTED = select(chats.c.counted).where(IS_CHAT)


def is_chat_counted(tx: Tx, chat_id: int) -> bool:
    """Whether the chat counts in the leaderboards of all chats."""
    return bool(tx.scalar(COUNTED, {"this_chat": chat_id}))


WINS_OF_CHAT = last_wins.c.chat_id == bindparam("this_chat")
DECISIVE_WIN = (
    select(last_wins.c.at)
    .where(WINS_OF_CHAT)
    .order_by(last_wins.c.at.desc())
    .offset(WINNERS_NEEDED - 1)
    .limit(1)
)
UPDATE_COUNTED_UNTIL = (
    update(chats)
    .where(IS_CHAT)
    .values(counted_until=func.coalesce(DECISIVE_WIN.scalar_subquery() + WINNERS_WINDOW, NEVER))
    .returning(chats.c.counted, chats.c.counted_until)
)


def update_counted_until(tx: Tx, chat_id: int) -> tuple[bool, float]:
    """Store until when a chat's wins let it count; return whether it did so far, and that time or `NEVER`."""
    row = tx.execute(UPDATE_COUNTED_UNTIL, {"this_chat": chat_id}).first()
    if row is None:  # The chat is not stored
        return False, NEVER
    return bool(row.counted), row.counted_until


def update_chat_counted(tx: Tx, chat_id: int, now: float) -> None:
    """Add the chat to the leaderboards of all chats, or take it off, as its last wins say."""
    _, until = update_counted_until(tx, chat_id)
    set_chat_counted(tx, chat_id, now, is_counted=until >= now)


SET_COUNTED = update(chats).where(IS_CHAT, chats.c.counted == bindparam("counted_before"))
LAST_WIN = select(func.max(last_wins.c.at)).where(WINS_OF_CHAT)


def set_chat_counted(tx: Tx, chat_id: int, now: float, *, is_counted: bool) -> None:
    """Add all that the chat scored to the leaderboards of all chats, or take it off, unless that is done."""
    change = {"counted_before": int(not is_counted), "counted": int(is_counted)}
    is_changed = tx.execute(SET_COUNTED, {"this_chat": chat_id, **change}).rowcount > 0
    if not is_changed:
        return  # It was so before
    sign = 1 if is_counted else -1  # Take off what was added
    changes = [
        TotalChange(ALL_CHATS, row.period, row.player_id, points=sign * row.points, wins=sign * row.wins)
        for row in tx.execute(select(totals).where(totals.c.chat_id == chat_id)).all()
    ]
    last_win = tx.scalar(LAST_WIN, {"this_chat": chat_id}) or 0.0  # After `now` if a message came late
    add_to_totals(tx, [*changes, *_sum_running_periods(tx, chat_id, sign, max(now, last_win))])


def _sum_running_periods(tx: Tx, chat_id: int, sign: int, now: float) -> list[TotalChange]:
    """Return the points and wins of each player in a chat, times `sign`, in the running day, week and month.

    For the leaderboards of all chats; without players who were forgotten.
    """
    running = {make_period_key(period, game) for period in get_running_periods(now) for game in GAMES}
    since = now - 38 * DAY  # No running period began earlier
    ledger = select(awards.c.player_id, awards.c.points, awards.c.at, awards.c.game).where(
        *(awards.c.chat_id == chat_id, awards.c.at >= since, awards.c.player_id != FORGOTTEN_PLAYER)
    )
    points, wins = Counter[tuple[str, int]](), Counter[tuple[str, int]]()
    for row in tx.execute(ledger):
        for period in running.intersection(make_global_period_keys(row.game, row.at)):
            points[period, row.player_id] += sign * row.points
            wins[period, row.player_id] += sign  # Each award counts as a win
    return [
        TotalChange(ALL_CHATS, period, player_id, points[period, player_id], n)
        for (period, player_id), n in wins.items()
    ]


def add_award(tx: Tx, round: Round, award: Award, at: float) -> None:
    """Add an award to leaderboards of its chat and, if that counts, all chats; update whether it counts."""
    boards = [(round.chat_id, make_period_key(ALL_TIME, round.game))]
    is_counted, until = update_counted_until(tx, round.chat_id)
    if is_counted:
        boards += [(ALL_CHATS, period) for period in make_global_period_keys(round.game, at)]
    changes = [
        TotalChange(chat_id, period, award.player_id, award.points, wins=1) for chat_id, period in boards
    ]
    add_to_totals(tx, changes)
    should_count = until >= at  # After this award; the change adds or takes off all that the chat scored
    if should_count != is_counted:
        set_chat_counted(tx, round.chat_id, at, is_counted=should_count)


EXPIRED_CHAT = (
    select(chats.c.id)
    .where(text(IS_COUNTED), chats.c.counted_until < bindparam("now"))
    .order_by(chats.c.counted_until)
    .limit(1)
)


def stop_counting_a_quiet_chat(tx: Tx, now: float) -> bool:
    """Take one chat with few recent winners off the global leaderboards; return whether there was one."""
    chat_id = tx.scalar(EXPIRED_CHAT, {"now": now})
    if chat_id is None:
        return False
    update_chat_counted(tx, chat_id, now)
    return True


def delete_ended_periods(tx: Tx, now: float) -> bool:
    """Delete some lines of ended periods in all chats' leaderboards; return whether there may be more."""
    may_be_more = [
        delete_batch(tx, table, table.c.chat_id == ALL_CHATS, *is_ended)
        for table in (totals, histogram)
        for game in GAMES
        for is_ended in _make_ended_conditions(table.c.period, game, now)
    ]
    return any(may_be_more)


def _make_ended_conditions(
    period: ColumnElement[str], game: str, now: float
) -> Iterator[tuple[ColumnElement[bool], ...]]:
    """Yield the conditions for ended periods of a game in three ranges of names, which an index finds."""
    running = get_running_periods(now)
    present = get_periods(now)
    year = present.month[: len("2026")]
    first_days_of_month = (f"{present.month}-", get_days_of_week(now)[0])  # Those before this week's Monday
    first_weeks_of_year = (f"{year}-W", present.week)
    for since, until in (("20", present.month), first_days_of_month, first_weeks_of_year):
        yield (
            period >= make_period_key(since, game),
            period < make_period_key(until, game),
            period.like(make_period_key("20__-%", game)),  # Not one of a game whose name is in the range
            period.not_in([make_period_key(each, game) for each in running]),  # A few are in the ranges
        )
