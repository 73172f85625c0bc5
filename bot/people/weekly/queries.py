"""A group's week: who played, and what there is to tell of it."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, exists, func, select

from bot.database import Tx
from bot.database.columns import NOBODY, sound
from bot.database.schema import awards, chats, rounds
from bot.delivery import scheduled
from bot.games.rounds.rules import State
from bot.groups.settings import rules as preferences
from bot.people import queries as people
from bot.people.weekly.rules import Week, due, in_season
from bot.spans import DAY, WEEK

WHAT = "week"
"""The kind of the posts that are claimed for it."""
UNFOUND = (State.EXPIRED.value, State.SKIPPED.value)


@dataclass(frozen=True, slots=True)
class Story:
    """What happened in a group's week."""

    winners: tuple[int, ...]
    """Who scored most; several where they are equal."""
    points: int
    """That each of them scored."""
    fastest: int | None
    """Whose right answer took least time, None where no time was taken …"""
    seconds: float
    """… and how long that was."""
    unfound: str | None
    """The line of the hardest hand that nobody found."""


def waiting(tx: Tx, now: float) -> list[tuple[int, Week]]:
    """The groups that are due a word at `now` and have played in their week."""
    name = in_season(now)
    if name is None:
        return []
    scored = exists().where(awards.c.chat_id == chats.c.id, awards.c.at >= now - WEEK - 3 * DAY)
    told = scheduled.was_claimed(chats.c.id, WHAT, name)
    found = select(chats.c.id).where(chats.c.kind != "private", chats.c.gone == 0, scored, ~told)
    weeks = ((number, week_of(tx, number, now)) for number in tx.scalars(found).all())
    return [(number, week) for number, week in weeks if week and _played(tx, number, week)]


def week_of(tx: Tx, chat_id: int, now: float) -> Week | None:
    """The week about which the group is due a word, as it chose."""
    return due(preferences.of(people.find_chat(tx, chat_id, "supergroup")), now)


def _played(tx: Tx, chat_id: int, week: Week) -> bool:
    here = (awards.c.chat_id == chat_id, awards.c.at >= week.since, awards.c.at < week.until)
    return tx.execute(select(awards.c.id).where(*here).limit(1)).first() is not None


def story(tx: Tx, chat_id: int, week: Week) -> Story | None:
    """What happened in the group's week; None where nobody scored who is known."""
    known, points = _known(chat_id, week), scores(tx, chat_id, week)
    quick = select(awards.c.player_id, awards.c.seconds).where(*known, sound(awards.c.seconds))
    fastest = tx.execute(quick.order_by(awards.c.seconds, awards.c.id).limit(1)).first()
    if not points:
        return None
    most = max(points.values())
    winners = tuple(sorted(who for who, n in points.items() if n == most))
    who, took = (fastest.player_id, fastest.seconds) if fastest else (None, 0.0)
    return Story(winners, most, who, took, _unfound(tx, chat_id, week))


def scores(tx: Tx, chat_id: int, week: Week) -> dict[int, int]:
    """What everybody scored in the group's week, by player."""
    total = func.sum(awards.c.points).label("total")
    scored = select(awards.c.player_id, total).where(*_known(chat_id, week)).group_by(awards.c.player_id)
    return {row.player_id: int(row.total) for row in tx.execute(scored)}


def _known(chat_id: int, week: Week) -> tuple[ColumnElement[bool], ...]:
    """The awards of a group's week, but for those of people who were forgotten."""
    here = (awards.c.chat_id == chat_id, awards.c.at >= week.since, awards.c.at < week.until)
    return (*here, awards.c.player_id != NOBODY)


def _unfound(tx: Tx, chat_id: int, week: Week) -> str | None:
    over = (rounds.c.chat_id == chat_id, rounds.c.closed >= week.since, rounds.c.closed < week.until)
    nobody = ~exists().where(awards.c.round_id == rounds.c.id)
    found = select(rounds.c.line).where(*over, rounds.c.state.in_(UNFOUND), nobody, rounds.c.line != "")
    line = tx.scalar(found.order_by(rounds.c.expected.desc(), rounds.c.id.desc()).limit(1))
    return None if line is None else str(line)
