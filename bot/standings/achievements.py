"""Achievements: how players earn them, their titles, and the round or daily hand that announces each."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from sqlalchemy import BindParameter, bindparam, func, select

from bot.database import Tx, build_insert_if_new
from bot.database.schema import achievements, awards, tries
from bot.i18n import Html, Words
from bot.levels import LEVELS
from bot.modes.daily.queries import load_streak
from bot.modes.daily.rules import Attempt
from bot.players import queries as people
from bot.players.preferences import TIMEZONE_KEY, read_preferences
from bot.rounds import ledger
from bot.rounds.puzzle import Kind
from bot.rounds.queries import load_finds
from bot.rounds.registry import GAMES
from bot.rounds.rules import PLACE_PREFIX, Award, Round, State
from bot.rounds.view import EarnedTitles

UNKNOWN_SECONDS = float("inf")
WINS_NEEDED = 100  # Hands won for the achievement "hundred"


@dataclass(frozen=True, slots=True)
class Feat:
    """A right answer in a round, or a solved daily hand; the defaults earn nothing."""

    is_fiendish: bool = False  # Whether the hand has the hardest level
    seconds: float = UNKNOWN_SECONDS  # From the deal to the answer
    wrong_answers: int = 0  # Wrong answers to the same hand before the right one
    win_streak: int = 0  # Rounds won in a row in that chat, this one included
    found_every_idea: bool = False  # Whether the player alone found every idea of the hand
    wins: int = 0  # Hands won so far, in all chats
    first_wins_of_day: int = 0  # How many of the wins were the first of a day in their chat
    hour: int | None = None  # In the chat's time zone; None if the chat chose none
    daily_streak: int = 0  # Daily hands solved in a row


# By the name in the database, in the order in which messages list them
CONDITIONS: Mapping[str, Callable[[Feat], bool]] = {
    "fiendish": lambda feat: feat.is_fiendish,
    "lightning": lambda feat: 0 <= feat.seconds < 5,
    "undaunted": lambda feat: feat.wrong_answers >= 3,
    "row": lambda feat: feat.win_streak >= 10,
    "every idea": lambda feat: feat.found_every_idea,
    "hundred": lambda feat: feat.wins >= WINS_NEEDED,
    "early bird": lambda feat: feat.first_wins_of_day >= 10,
    "night owl": lambda feat: feat.hour in range(1, 5),
    "week": lambda feat: feat.daily_streak >= 7,
    "month": lambda feat: feat.daily_streak >= 30,
}


SEPARATOR = " · "


def get_achievement_titles(words: Words) -> dict[str, tuple[str, Html]]:
    """Return an emoji and a title for each achievement, by its name in the database."""
    return {
        "fiendish": ("🌰", words.translate("Hard nut")),
        "lightning": ("⚡", words.translate("Lightning")),
        "undaunted": ("🧗", words.translate("Undaunted")),
        "row": ("🔥", words.translate("Ten in a row")),
        "every idea": ("🧠", words.translate("Every way")),
        "hundred": ("💯", words.translate("A hundred hands")),
        "early bird": ("🐦", words.translate("Early bird")),
        "night owl": ("🦉", words.translate("Night owl")),
        "week": ("🗓", words.translate("Seven days")),
        "month": ("🌙", words.translate("Thirty days")),
    }


def get_achievement_reasons(words: Words) -> dict[str, Html]:
    """Return a few words on how each achievement is earned, without those whose title says it."""
    days_in_a_row = words.translate("daily hands in a row")
    return {
        "fiendish": words.translate("a very hard hand"),
        "lightning": words.translate("in under 5 s"),
        "undaunted": words.translate("after three wrong answers"),
        "every idea": words.translate("all found alone"),
        "early bird": words.translate("ten times first of the day"),
        "night owl": words.translate("solved at night"),
        "week": days_in_a_row,
        "month": days_in_a_row,
    }


def render_titles(words: Words, names: Collection[str]) -> str:
    """Return a line for each of these achievements: its title, and how it is earned."""
    reasons = get_achievement_reasons(words)
    lines = []
    for name, (_emoji, title) in get_achievement_titles(words).items():
        if name not in names:
            continue
        reason = reasons.get(name)
        lines.append(words.translate("{title} ({reason})", title=title, reason=reason) if reason else title)
    return "\n   ".join(lines)


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
        first_wins = ledger.load_tally_sums(tx, player_id).first_wins_of_day
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


def _has_found_every_idea(tx: Tx, round: Round, player_id: int) -> bool:
    if round.kind is not Kind.ALL:
        return False
    finds = load_finds(tx, round.id)
    if any(find.player_id != player_id for find in finds):
        return False
    game_finds = GAMES[round.game].finds
    return game_finds is not None and game_finds.is_complete(round, finds)


def insert_daily_achievements(tx: Tx, over: Round) -> None:
    """Store what a solved daily hand of the default game earns and the player lacks; its result shows it."""
    if not isinstance(over, Attempt) or over.state is not State.WON or over.game != GAMES.default.key:
        return
    ended_at = over.closed or over.opened
    feat = Feat(
        is_fiendish=over.level == LEVELS[-1],
        seconds=over.seconds,
        wrong_answers=over.wrong_answers,
        hour=load_local_hour(tx, over.player_id, ended_at),  # The private chat has the player's id
        daily_streak=load_streak(tx, over.player_id, over.day),
    )
    _insert_earned(tx, over.player_id, feat, ended_at, load_achievements(tx, over.player_id), day=over.day)


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


IN_ROUNDS = achievements.c.round_id.in_(bindparam("rounds"))
OF_ROUNDS = select(achievements).where(IN_ROUNDS).order_by(achievements.c.at, achievements.c.player_id)
OF_DAY = select(achievements).where(OF_PLAYER, achievements.c.day == bindparam("day"))


def load_titles(tx: Tx, shown: Sequence[Round]) -> list[EarnedTitles]:
    """Return the titles earned in the rounds that a message shows; who earned first stands first."""
    earned = load_earned_names(tx, shown).items()
    return [EarnedTitles(player_id, partial(render_titles, names=names)) for player_id, names in earned]


def load_earned_names(tx: Tx, shown: Sequence[Round]) -> dict[int, set[str]]:
    """Return the names of achievements earned in these rounds by player, in the order of `load_titles`."""
    first = shown[0] if shown else None
    if isinstance(first, Attempt):  # A daily hand, which is shown alone
        rows = tx.execute(OF_DAY, {"player": first.player_id, "day": first.day})
    else:
        rows = tx.execute(OF_ROUNDS, {"rounds": [round.id for round in shown]})
    names = dict[int, set[str]]()
    for row in rows:
        names.setdefault(row.player_id, set()).add(row.name)
    return names


def load_local_hour(tx: Tx, chat_id: int, at: float) -> int | None:
    """Return the hour in the chat's time zone; None if the chat chose none."""
    chat = people.load_group(tx, chat_id)
    if not chat.settings.get_text(TIMEZONE_KEY):
        return None
    return datetime.fromtimestamp(at, read_preferences(chat).zone).hour
