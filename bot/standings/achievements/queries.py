"""Achievements: what a win has earned, each once a person, and in whose message it is told."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BindParameter,
    bindparam,
    case,
    exists,
    func,
    literal_column,
    select,
)

from bot.admin.settings import post_hours
from bot.admin.settings import preferences as preferences
from bot.database import Tx, build_insert_if_new, parse_object
from bot.database.schema import achievements, awards, chats, tries
from bot.rounds.puzzle import Find, Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import PLACE_PREFIX, Award, Round
from bot.standings import tallies
from bot.standings.achievements.rules import (
    CONDITIONS,
    UNKNOWN_SECONDS,
    WINS_NEEDED,
    Feat,
    find_earned_achievements,
)

FIENDISH = "fiendish"


@dataclass(frozen=True, slots=True)
class PlayerAchievements:
    """Somebody's achievements that one message tells."""

    player_id: int
    names: tuple[str, ...]


# Built once, since each win needs them and building takes longer than the database does

WHOSE: BindParameter[int] = bindparam("player")
ROUND: BindParameter[int] = bindparam("round")
HELD = (
    select(achievements.c.name)
    .where(achievements.c.player_id == WHOSE)
    .order_by(achievements.c.at.desc(), achievements.c.name)
)
EARNED_THERE = HELD.where(achievements.c.chat_id == bindparam("chat"))
TOLD_IN = (
    select(achievements)
    .where(achievements.c.round_id.in_(bindparam("rounds")))
    .order_by(achievements.c.at, achievements.c.player_id)
)
TOLD_ON = select(achievements).where(
    achievements.c.player_id == WHOSE, achievements.c.day == bindparam("day")
)
SETTINGS = select(chats.c.settings).where(chats.c.id == bindparam("chat"))
FOUND = select(awards).where(awards.c.round_id == ROUND).order_by(awards.c.id)
WON = select(awards.c.round_id).where(awards.c.player_id == WHOSE, ~awards.c.idea.startswith(PLACE_PREFIX))
WINS = select(func.count()).select_from(WON.distinct().limit(WINS_NEEDED).subquery())
HAS_HUNDRED = exists().where(achievements.c.player_id == WHOSE, achievements.c.name == "hundred")
ONE_ROW = select(literal_column("1")).subquery()
# A row for each achievement that somebody has, one without a name where they have none; the rest is the same
# in all of them.
KNOWN = select(
    achievements.c.name,
    select(tries.c.wrong).where(tries.c.round_id == ROUND, tries.c.player_id == WHOSE).scalar_subquery(),
    SETTINGS.scalar_subquery(),
    case((HAS_HUNDRED, 0), else_=WINS.scalar_subquery()),
).select_from(ONE_ROW.outerjoin(achievements, achievements.c.player_id == WHOSE))


def insert_win_achievements(tx: Tx, round: Round, award: Award, at: float) -> None:
    """A right answer has scored: keep what it earned, to be told in the round's message."""
    known = _known(tx, round, award.player_id)
    if len(known.before) == len(CONDITIONS):
        return
    feat = _feat(tx, round, award, at, known)
    _keep(tx, award.player_id, feat, at, known.before, round_id=round.id, chat_id=round.chat_id)


def insert_daily_achievements(tx: Tx, player_id: int, day: str, feat: Feat, at: float) -> None:
    """A daily hand is solved: keep what that earned, to be told in its result."""
    _keep(tx, player_id, feat, at, load_achievements(tx, player_id), day=day)


def load_achievements(tx: Tx, player_id: int, chat_id: int | None = None) -> list[str]:
    """The achievements that a person has, or earned in a chat, the latest first."""
    if chat_id is None:
        return list(tx.scalars(HELD, {"player": player_id}))
    return list(tx.scalars(EARNED_THERE, {"player": player_id, "chat": chat_id}))


def load_round_achievements(tx: Tx, round_ids: Collection[int]) -> list[PlayerAchievements]:
    """What the message of these rounds tells, by person."""
    return _by_person(tx.execute(TOLD_IN, {"rounds": list(round_ids)}).all())


def load_daily_achievements(tx: Tx, day: str, player_id: int) -> list[PlayerAchievements]:
    """What the result of a daily hand tells."""
    return _by_person(tx.execute(TOLD_ON, {"player": player_id, "day": day}).all())


def _by_person(rows: Collection[Any]) -> list[PlayerAchievements]:
    people = dict.fromkeys(row.player_id for row in rows)
    names = {who: {row.name for row in rows if row.player_id == who} for who in people}
    return [
        PlayerAchievements(who, tuple(name for name in CONDITIONS if name in names[who])) for who in people
    ]


def _keep(tx: Tx, player_id: int, feat: Feat, at: float, before: Collection[str], **told: int | str) -> None:
    names = set(find_earned_achievements(feat)) - set(before)
    rows = [{"player_id": player_id, "name": name, "at": at, **told} for name in CONDITIONS if name in names]
    if rows:
        tx.execute(build_insert_if_new(tx.dialect.name, achievements), rows)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of whoever answered and of where, read in one statement since each answer needs it."""

    before: Collection[str]  # The achievements that they have
    wrong: int  # Wrong answers of theirs in the round
    settings: str  # Of the chat
    wins: int  # Hands won, up to as many as are ever asked for; none of whoever was told so


def _known(tx: Tx, round: Round, player_id: int) -> _Known:
    asked = {"round": round.id, "player": player_id, "chat": round.chat_id}
    rows = tx.execute(KNOWN, asked).all()
    _, wrong, settings, wins = rows[0]
    before = {name for name, *_ in rows if name is not None}
    return _Known(before, wrong or 0, settings or "", int(wins))


def _feat(tx: Tx, round: Round, award: Award, at: float, known: _Known) -> Feat:
    """What a right answer is, as far as it may still earn something."""
    who, right, before = award.player_id, round.kind is not Kind.BEST, known.before
    return Feat(
        is_fiendish=right and round.level == FIENDISH,
        seconds=award.seconds if right and at >= round.opened else UNKNOWN_SECONDS,
        wrong_answers=known.wrong,
        win_streak=round.streak if round.winner_id == who else 0,
        found_every_idea="every idea" not in before and _alone(tx, round, who),
        wins=known.wins,
        first_wins_of_day=tallies.load_first_wins_of_day(tx, who)
        if round.day_first and "early bird" not in before
        else 0,
        hour=None if "night owl" in before else _hour(known.settings, at),
    )


def _alone(tx: Tx, round: Round, player_id: int) -> bool:
    """Whether every idea of the hand is found, each by this person."""
    if round.kind is not Kind.ALL:
        return False
    rows = tx.execute(FOUND, {"round": round.id})
    found = [Find(row.player_id, row.expression, row.idea, row.points) for row in rows]
    return all(f.player_id == player_id for f in found) and GAMES[round.game].is_everything_found(
        round, found
    )


def load_local_hour(tx: Tx, chat_id: int, at: float) -> int | None:
    """The hour by the chat's time zone; None where nobody chose one."""
    return _hour(tx.scalar(SETTINGS, {"chat": chat_id}) or "", at)


def _hour(settings: str, at: float) -> int | None:
    return post_hours.get_local_hour(preferences.read_group_preferences(parse_object(settings)), at)
