"""A group's week: who played, and what there is to tell of it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import Select, and_, bindparam, exists, func, select

from bot.admin.settings import rules as preferences
from bot.database import Tx
from bot.database.schema import FORGOTTEN_PLAYER, awards, chats, equals_any, rounds, are_valid_times
from bot.durations import DAY, WEEK
from bot.players import queries as people
from bot.queue import scheduled
from bot.queue.scheduled import BEFORE_ALL_CHATS
from bot.rounds.rules import State
from bot.standings.weekly.rules import Week, get_due_week, get_week_to_post

POST_KIND = "week"  # The kind of the posts that are claimed for it
CHATS_PER_PAGE = 200  # Chats that one look goes through: on a Monday all are, minute by minute
UNFOUND = (State.EXPIRED.value, State.SKIPPED.value)


@dataclass(frozen=True, slots=True)
class WeekSummary:
    """What happened in a group's week."""

    winners: tuple[int, ...]  # Who scored most; several where they are equal
    points: int  # That each of them scored
    fastest_player_id: int | None  # Whose right answer took least time, None where no time was taken …
    fastest_seconds: float  # … and how long that was
    unfound_line: str | None  # The line of the hardest hand that nobody found


# Built once: building takes longer than the database does

HERE = and_(
    awards.c.chat_id == bindparam("chat"),
    *(awards.c.at >= bindparam("since"), awards.c.at < bindparam("until")),
)
# The awards of a group's week, but for those of people who were forgotten.
KNOWN = and_(HERE, awards.c.player_id != FORGOTTEN_PLAYER)
SCORED = select(awards.c.id).where(HERE).limit(1)
NEXT_CHATS = (
    select(chats.c.id).where(chats.c.id > bindparam("behind")).order_by(chats.c.id).limit(bindparam("most"))
)
FASTEST = (
    select(awards.c.player_id, awards.c.seconds)
    .where(KNOWN, are_valid_times(awards.c.seconds))
    .order_by(awards.c.seconds, awards.c.id)
    .limit(1)
)
SCORES = (
    select(awards.c.player_id, func.sum(awards.c.points).label("total"))
    .where(KNOWN)
    .group_by(awards.c.player_id)
)
# The hardest hand that nobody found.
HARDEST_UNFOUND = (
    select(rounds.c.line)
    .where(rounds.c.chat_id == bindparam("chat"), equals_any(rounds.c.state, *UNFOUND), rounds.c.line != "")
    .where(rounds.c.closed >= bindparam("since"), rounds.c.closed < bindparam("until"))
    .where(~exists().where(awards.c.round_id == rounds.c.id))
    .order_by(rounds.c.expected.desc(), rounds.c.id.desc())
    .limit(1)
)


def find_due_groups(
    tx: Tx, now: float, after_chat_id: int = BEFORE_ALL_CHATS, limit: int = CHATS_PER_PAGE
) -> tuple[list[int], int | None]:
    """Of the next few chats the groups that are due a word at `now` and have played in their week, `most` of
    them at most.

    With them the last of the chats that were looked at, behind which the next ones are; None: there are none.
    """
    name = get_week_to_post(now)
    some = {"behind": after_chat_id, "most": CHATS_PER_PAGE}
    here = tx.scalars(NEXT_CHATS, some).all() if name is not None else []
    if name is None or not here:
        return [], None
    asked = {"behind": after_chat_id, "last": here[-1], "lately": now - WEEK - 3 * DAY}
    found = list[int]()
    for number in tx.scalars(_untold(name), asked).all():
        if (week := find_due_week(tx, number, now)) and _played(tx, number, week):
            found.append(number)
        if len(found) == limit:
            return found, number
    return found, here[-1]


@lru_cache(maxsize=1)
def _untold(week: str) -> Select[Any]:
    """Of the chats from one to another those groups that played lately and were not told of that week."""
    scored = exists().where(awards.c.chat_id == chats.c.id, awards.c.at >= bindparam("lately"))
    told = scheduled.build_claimed_condition(chats.c.id, POST_KIND, week)
    of_some = select(chats.c.id).where(chats.c.id > bindparam("behind"), chats.c.id <= bindparam("last"))
    return of_some.where(chats.c.kind != "private", chats.c.gone == 0, scored, ~told).order_by(chats.c.id)


def find_due_week(tx: Tx, chat_id: int, now: float) -> Week | None:
    """The week about which the group is due a word, as it chose."""
    return get_due_week(preferences.read_preferences(people.load_chat(tx, chat_id, "supergroup")), now)


def _played(tx: Tx, chat_id: int, week: Week) -> bool:
    return tx.execute(SCORED, _in(chat_id, week)).first() is not None


def load_week_summary(tx: Tx, chat_id: int, week: Week) -> WeekSummary | None:
    """What happened in the group's week; None where nobody scored who is known."""
    points = load_week_points(tx, chat_id, week)
    fastest = tx.execute(FASTEST, _in(chat_id, week)).first()
    if not points:
        return None
    most = max(points.values())
    winners = tuple(sorted(who for who, n in points.items() if n == most))
    who, took = (fastest.player_id, fastest.seconds) if fastest else (None, 0.0)
    return WeekSummary(winners, most, who, took, _unfound(tx, chat_id, week))


def load_week_points(tx: Tx, chat_id: int, week: Week) -> dict[int, int]:
    """What everybody scored in the group's week, by player."""
    return {row.player_id: int(row.total) for row in tx.execute(SCORES, _in(chat_id, week))}


def _unfound(tx: Tx, chat_id: int, week: Week) -> str | None:
    line = tx.scalar(HARDEST_UNFOUND, _in(chat_id, week))
    return None if line is None else str(line)


def _in(chat_id: int, week: Week) -> dict[str, Any]:
    """What the statements about a group's week ask for."""
    return {"chat": chat_id, "since": week.since, "until": week.until}
