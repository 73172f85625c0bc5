"""The achievements that players have, and the round or daily hand whose message announces each."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import BindParameter, bindparam, func, select

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
WRONG_ANSWERS = select(tries.c.wrong).where(tries.c.round_id == ROUND, tries.c.player_id == PLAYER)
WON_ROUNDS = (
    select(awards.c.round_id)
    .where(awards.c.player_id == PLAYER, ~awards.c.idea.startswith(PLACE_PREFIX))
    .distinct()
    .limit(WINS_NEEDED)
)
WINS = select(func.count()).select_from(WON_ROUNDS.subquery())


def insert_win_achievements(tx: Tx, round: Round, award: Award, at: float) -> None:
    """Store what a right answer earns and the player lacks, for the round's message to announce."""
    player_id = award.player_id
    known = load_achievements(tx, player_id)
    if len(known) == len(CONDITIONS):
        return
    key = {"round": round.id, "player": player_id}
    is_exact = round.kind is not Kind.BEST  # There the nearest answer counts, so level and time mean little
    first_wins = 0
    if round.day_first and "early bird" not in known:
        first_wins = tallies.load_tally_sums(tx, player_id).first_wins_of_day
    feat = Feat(  # Nothing is looked up for achievements that are known already
        is_fiendish=is_exact and round.level == LEVELS[-1],
        seconds=award.seconds if is_exact and at >= round.opened else UNKNOWN_SECONDS,
        wrong_answers=tx.scalar(WRONG_ANSWERS, key) or 0,
        win_streak=round.streak if round.winner_id == player_id else 0,
        found_every_idea="every idea" not in known and _has_found_every_idea(tx, round, player_id),
        wins=0 if "hundred" in known else int(tx.scalar(WINS, key) or 0),
        first_wins_of_day=first_wins,
        hour=None if "night owl" in known else load_local_hour(tx, round.chat_id, at),
    )
    _insert_earned(tx, player_id, feat, at, known, round_id=round.id, chat_id=round.chat_id)


FINDS = select(awards).where(awards.c.round_id == ROUND).order_by(awards.c.id)


def _has_found_every_idea(tx: Tx, round: Round, player_id: int) -> bool:
    """Whether every idea of the hand is found, all by this player."""
    if round.kind is not Kind.ALL:
        return False
    rows = tx.execute(FINDS, {"round": round.id})
    finds = [Find(row.player_id, row.expression, row.idea, row.points) for row in rows]
    if any(find.player_id != player_id for find in finds):
        return False
    return GAMES[round.game].is_everything_found(round, finds)


def insert_daily_achievements(tx: Tx, player_id: int, day: str, feat: Feat, at: float) -> None:
    """Store the achievements that a solved daily hand earns and the player lacks; its result shows them."""
    _insert_earned(tx, player_id, feat, at, load_achievements(tx, player_id), day=day)


def _insert_earned(
    tx: Tx, player_id: int, feat: Feat, at: float, known: Collection[str], **announced_in: int | str
) -> None:
    """Store a feat's achievements not `known` yet; `announced_in` are columns naming the round or day."""
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
    """Return the achievements earned in these rounds, by player; the player who earned first stands first."""
    names = dict[int, set[str]]()
    for row in tx.execute(OF_ROUNDS, {"rounds": list(round_ids)}):
        names.setdefault(row.player_id, set()).add(row.name)
    # The names of each player in the order of `CONDITIONS`
    return [(player, tuple(name for name in CONDITIONS if name in own)) for player, own in names.items()]


OF_DAY = select(achievements.c.name).where(OF_PLAYER, achievements.c.day == bindparam("day"))


def load_daily_achievements(tx: Tx, day: str, player_id: int) -> list[str]:
    """Return the names of the achievements that the result of a daily hand announces."""
    earned = set(tx.scalars(OF_DAY, {"player": player_id, "day": day}))
    return [name for name in CONDITIONS if name in earned]


CHAT_SETTINGS = select(chats.c.settings).where(chats.c.id == bindparam("chat"))


def load_local_hour(tx: Tx, chat_id: int, at: float) -> int | None:
    """Return the hour in the chat's time zone; None if the chat chose none."""
    settings = parse_object(tx.scalar(CHAT_SETTINGS, {"chat": chat_id}))
    if preferences.TIMEZONE_KEY not in settings:
        return None
    zone = preferences.read_group_preferences(settings).zone
    return datetime.fromtimestamp(at, zone).hour
