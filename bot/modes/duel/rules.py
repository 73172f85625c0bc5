"""The rules of a duel: two players, the same hands, best of five. Nothing here reads a clock or a database.

A duel is *offered*, to one person or to whoever takes it first, and is gone when it was declined, taken back
or not taken in time. Once accepted it is *open*: a race of two, in which the first right answer wins a hand.
It ends in one of four ways, and then never changes again:

- *won*: somebody has won three hands, or more of the five than the other;
- *drawn*: both have won as many when no hand is left;
- *given up* by one of them: the other has won;
- *stopped* by somebody else: nobody has won.

A hand that nobody finds counts for nobody.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from bot.rounds.puzzle import Level, UnknownWordError, normalize_word, split_argument

MAX_HANDS, WINS_NEEDED = 5, 3  # Hands of a duel at most, and the won ones that end it
CHALLENGE_SECONDS = 300.0  # Seconds for which a challenge may be accepted


USERNAME_SIGN = "@"  # Begins what stands for the opponent's name where only a username is known


class DuelState(StrEnum):
    """Where a duel stands."""

    OFFERED = "offered"
    OPEN = "open"
    WON = "won"
    DRAWN = "drawn"
    GIVEN_UP = "given up"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Duel:
    """A challenge, or the duel that it became."""

    id: int  # 0 until it is stored
    chat_id: int
    topic: int
    challenger_id: int
    opponent_id: int | None  # None for whoever accepts first, or whoever has the username that `opponent` is
    game: str  # The key of its game
    expires_at: float  # When the challenge lapses
    # The opponent's name, while the challenge waits: it may be of somebody who never played. Without an
    # `opponent_id` it is a username, as it was written and with the sign before it.
    opponent_name: str = ""
    state: DuelState = DuelState.OFFERED
    language: str = "en"
    # What was asked of its hands, as its game packs that.
    options: Mapping[str, Any] = field(default_factory=dict)
    message_id: int | None = None  # The message of the challenge, once delivered
    race_id: int | None = None
    winner_id: int | None = None
    photo: str = ""  # What names the picture in the challenge's message; empty for a text

    @property
    def is_for_anybody(self) -> bool:
        """Whether anybody may accept."""
        return self.opponent_id is None and not self.opponent_name

    @property
    def player_ids(self) -> tuple[int, ...]:
        """The two of them; the challenger alone while it is not known who accepts."""
        opponent = () if self.opponent_id is None else (self.opponent_id,)
        return (self.challenger_id, *opponent)


@dataclass(frozen=True, slots=True)
class DuelOptions:
    """What was asked of a duel."""

    level: Level | None = None
    game: str | None = None  # The key of a game that was named


def parse_duel_options(text: str, levels: Mapping[str, Level], games: Mapping[str, str]) -> DuelOptions:
    """`hard` and a game's command, in any order, each at most once. Raises UnknownWordError.

    `levels` names the levels, and `games` the games by their commands.
    """
    found: dict[str, Any] = {}
    for word in split_argument(text):
        known = normalize_word(word)
        key = "level" if known in levels else "game" if known in games else None
        if key is None or key in found:
            raise UnknownWordError(word)
        found[key] = levels[known] if key == "level" else games[known]
    return DuelOptions(**found)


def is_challenged(duel: Duel, player_id: int, username: str | None) -> bool:
    """Whether it is the person, with the username that they have now, who is challenged by name."""
    if duel.opponent_id is not None:
        return duel.opponent_id == player_id
    return bool(username) and duel.opponent_name.casefold() == f"{USERNAME_SIGN}{username}".casefold()


def get_other_player(duel: Duel, player_id: int) -> int:
    """The one whom a player duels with."""
    return next((who for who in duel.player_ids if who != player_id), player_id)


def is_decided(score: Mapping[int, int]) -> bool:
    """Whether somebody has won enough hands; `score` holds those won, by player."""
    return max(score.values(), default=0) >= WINS_NEEDED


def settle_by_score(duel: Duel, score: Mapping[int, int]) -> Duel:
    """The duel as it is when no more hands are dealt; unchanged if it was over before."""
    if duel.state is not DuelState.OPEN:
        return duel
    first, second = (score.get(who, 0) for who in (*duel.player_ids, 0)[:2])
    if first == second:
        return replace(duel, state=DuelState.DRAWN)
    winner = duel.challenger_id if first > second else duel.opponent_id
    return replace(duel, state=DuelState.WON, winner_id=winner)


def mark_given_up(duel: Duel, player_id: int) -> Duel:
    """The duel that a player gives up; unchanged if it was over before."""
    if duel.state is not DuelState.OPEN:
        return duel
    return replace(duel, state=DuelState.GIVEN_UP, winner_id=get_other_player(duel, player_id))


def mark_stopped(duel: Duel) -> Duel:
    """The duel that somebody else ended; unchanged if it was over before."""
    return replace(duel, state=DuelState.STOPPED) if duel.state is DuelState.OPEN else duel
