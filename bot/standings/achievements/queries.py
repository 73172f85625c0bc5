"""The achievements that players have, and the round or daily hand whose message announces each."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, bindparam, case, exists, func, literal_column, select

from bot.admin.settings import preferences
from bot.database import Tx, build_insert_if_new, parse_object
from bot.database.schema import achievements, awards, chats, tries
from bot.rounds.puzzle import LEVELS, Find, Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import PLACE_PREFIX, Award, Round
from bot.standings import tallies
from bot.standings.achievements.rules import CONDITIONS, UNKNOWN_SECONDS, WINS_NEEDED, Feat

# A player, and the names of achievements of theirs that one message announces.
PlayerAchievements = tuple[int, tuple[str, ...]]

# Statements are built once: building one takes longer than running it, and each win needs them
PLAYER: BindParameter[int] = bindparam("player")
ROUND: BindParameter[int] = bindparam("round")
OF_PLAYER = achievements.c.player_id == PLAYER
CHAT_SETTINGS = select(chats.c.settings).where(chats.c.id == bindparam("chat"))
WRONG_ANSWERS = select(tries.c.wrong).where(tries.c.round_id == ROUND, tries.c.player_id == PLAYER)
HAS_HUNDRED = exists().where(OF_PLAYER, achievements.c.name == "hundred")
WON_ROUNDS = (
    select(awards.c.round_id)
    .where(awards.c.player_id == PLAYER, ~awards.c.idea.startswith(PLACE_PREFIX))
    .distinct()
    .limit(WINS_NEEDED)
)
WINS = select(func.count()).select_from(WON_ROUNDS.subquery())
# One statement reads all that a win needs: a row for each achievement of the player (one without a name if
# there is none); the other columns are the same in all rows
WIN_CONTEXT = select(
    achievements.c.name,
    WRONG_ANSWERS.scalar_subquery().label("wrong_answers"),
    CHAT_SETTINGS.scalar_subquery().label("settings"),
    case((HAS_HUNDRED, 0), else_=WINS.scalar_subquery()).label("wins"),  # not counted once they were enough
).select_from(select(literal_column("1")).subquery().outerjoin(achievements, OF_PLAYER))


def insert_win_achievements(tx: Tx, round: Round, award: Award, at: float) -> None:
    """Store what a right answer earned, for the round's message to announce."""
    parameters = {"round": round.id, "player": award.player_id, "chat": round.chat_id}
    rows = tx.execute(WIN_CONTEXT, parameters).all()
    known = {row.name for row in rows if row.name is not None}
    if len(known) < len(CONDITIONS):
        feat = _make_feat(tx, round, award, at, known, rows[0])
        _insert_earned(tx, award.player_id, feat, at, known, round_id=round.id, chat_id=round.chat_id)


def _make_feat(tx: Tx, round: Round, award: Award, at: float, known: Collection[str], context: Any) -> Feat:
    """Describe a right answer; what only matters for achievements that the player has is left out."""
    player_id, is_exact = award.player_id, round.kind is not Kind.BEST
    first_wins = 0
    if round.day_first and "early bird" not in known:
        first_wins = tallies.load_tally_sums(tx, player_id).first_wins_of_day
    return Feat(
        is_fiendish=is_exact and round.level == LEVELS[-1],
        seconds=award.seconds if is_exact and at >= round.opened else UNKNOWN_SECONDS,
        wrong_answers=context.wrong_answers or 0,
        win_streak=round.streak if round.winner_id == player_id else 0,
        found_every_idea="every idea" not in known and _has_found_every_idea(tx, round, player_id),
        wins=int(context.wins),
        first_wins_of_day=first_wins,
        hour=None if "night owl" in known else _get_local_hour(context.settings, at),
    )


FINDS = select(awards).where(awards.c.round_id == ROUND).order_by(awards.c.id)


def _has_found_every_idea(tx: Tx, round: Round, player_id: int) -> bool:
    """Whether every idea of the hand is found, all by this player."""
    if round.kind is not Kind.ALL:
        return False
    rows = tx.execute(FINDS, {"round": round.id})
    finds = [Find(row.player_id, row.expression, row.idea, row.points) for row in rows]
    is_alone = all(find.player_id == player_id for find in finds)
    return is_alone and GAMES[round.game].is_everything_found(round, finds)


def insert_daily_achievements(tx: Tx, player_id: int, day: str, feat: Feat, at: float) -> None:
    """Store what a solved daily hand earned, for its result to announce."""
    _insert_earned(tx, player_id, feat, at, load_achievements(tx, player_id), day=day)


def _insert_earned(
    tx: Tx, player_id: int, feat: Feat, at: float, known: Collection[str], **announced_in: int | str
) -> None:
    """Store the achievements of a feat that are not `known` yet, with the columns of what announces them."""
    new = [name for name, is_earned in CONDITIONS.items() if is_earned(feat) and name not in known]
    rows = [{"player_id": player_id, "name": name, "at": at, **announced_in} for name in new]
    if rows:
        tx.execute(build_insert_if_new(tx.dialect.name, achievements), rows)


NAMES = select(achievements.c.name).where(OF_PLAYER).order_by(achievements.c.at.desc(), achievements.c.name)
NAMES_IN_CHAT = NAMES.where(achievements.c.chat_id == bindparam("chat"))


def load_achievements(tx: Tx, player_id: int, chat_id: int | None = None) -> list[str]:
    """Return the names of a player's achievements, the latest first; with a chat, those earned in it."""
    statement = NAMES if chat_id is None else NAMES_IN_CHAT
    return list(tx.scalars(statement, {"player": player_id, "chat": chat_id}))


OF_ROUNDS = (
    select(achievements)
    .where(achievements.c.round_id.in_(bindparam("rounds")))
    .order_by(achievements.c.at, achievements.c.player_id)
)


def load_round_achievements(tx: Tx, round_ids: Collection[int]) -> list[PlayerAchievements]:
    """Return what the message of these rounds announces; the player who earned first stands first."""
    names = dict[int, set[str]]()
    for row in tx.execute(OF_ROUNDS, {"rounds": list(round_ids)}):
        names.setdefault(row.player_id, set()).add(row.name)
    return [
        (player_id, tuple(filter(earned.__contains__, CONDITIONS))) for player_id, earned in names.items()
    ]


OF_DAY = select(achievements.c.name).where(OF_PLAYER, achievements.c.day == bindparam("day"))


def load_daily_achievements(tx: Tx, day: str, player_id: int) -> list[str]:
    """Return the names of the achievements that the result of a daily hand announces."""
    earned = set(tx.scalars(OF_DAY, {"player": player_id, "day": day}))
    return [name for name in CONDITIONS if name in earned]


def load_local_hour(tx: Tx, chat_id: int, at: float) -> int | None:
    """Return the hour in the chat's time zone; None if the chat chose none."""
    return _get_local_hour(tx.scalar(CHAT_SETTINGS, {"chat": chat_id}), at)


def _get_local_hour(settings: str | None, at: float) -> int | None:
    chosen = preferences.read_group_preferences(parse_object(settings))
    has_zone = preferences.TIMEZONE_KEY in chosen.stored
    return datetime.fromtimestamp(at, chosen.zone).hour if has_zone else None
