"""The rules of a duel, free of I/O: two players, the same hands, best of five.

A challenge to one player, or to anybody in the chat, is *offered*. It is deleted when it is declined,
withdrawn or not accepted in time. While a hand is open it is *awaited*: it is offered if the hand is given up
for it, and deleted when the hand ends otherwise. An accepted challenge is *open*: a race of two, in which the
first right answer wins a hand; a hand that a spectator solves is replaced. It ends *won* when a player has
won three hands, or more hands than the other when none is left; else *drawn*; *given up* when a player stops
it, so that the other player wins; or *stopped* by somebody else, without a winner.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

MAX_HANDS, WINS_NEEDED = 5, 3
SPARE_HANDS = 5  # Dealt in place of those that spectators solve
CHALLENGE_SECONDS = 300.0  # How long a challenge can be accepted
USERNAME_SIGN = "@"


class DuelState(StrEnum):
    AWAITED = "awaited"
    OFFERED = "offered"
    OPEN = "open"
    WON = "won"
    DRAWN = "drawn"
    GIVEN_UP = "given up"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Duel:
    """A challenge, and the duel that it becomes."""

    id: int  # 0 until it is stored
    chat_id: int
    topic: int
    challenger_id: int
    opponent_id: int | None  # None for a challenge to anybody, or to a username
    game: str  # The key of its game
    expires_at: float  # When the challenge can no longer be accepted
    # The challenged player's name while the challenge is open, since the player may be unknown. Without an
    # `opponent_id` it is a username with its sign; empty for a challenge to anybody.
    opponent_name: str = ""
    state: DuelState = DuelState.OFFERED
    language: str = "en"
    options: str = "{}"  # Of its hands, packed by its game
    message_id: int | None = None  # The delivered message of the challenge
    race_id: int | None = None
    winner_id: int | None = None
    photo: str = ""  # The key of the picture in the challenge's message; empty for a text message

    @property
    def is_for_anybody(self) -> bool:
        return self.opponent_id is None and not self.opponent_name

    @property
    def player_ids(self) -> tuple[int, ...]:
        """The challenger and the opponent; the challenger alone while the opponent is unknown."""
        opponent = () if self.opponent_id is None else (self.opponent_id,)
        return (self.challenger_id, *opponent)

    @property
    def player_pair(self) -> tuple[int, int]:
        """The challenger and the opponent; 0 for an unknown opponent."""
        return self.challenger_id, self.opponent_id or 0


def is_challenged(duel: Duel, player_id: int, username: str | None) -> bool:
    """Whether the challenge is to this player, by id or by the player's present username."""
    if duel.opponent_id is not None:
        return duel.opponent_id == player_id
    return bool(username) and duel.opponent_name.casefold() == f"{USERNAME_SIGN}{username}".casefold()


def get_other_player(duel: Duel, player_id: int) -> int:
    """Return the player's adversary; the player's own id if there is none yet."""
    return next((other for other in duel.player_ids if other != player_id), player_id)


def settle_by_score(duel: Duel, score: Mapping[int, int]) -> Duel:
    """Return the duel won or drawn by its score: the hands won by each player."""
    challenger, opponent = (score.get(player, 0) for player in duel.player_pair)
    if challenger == opponent:
        return replace(duel, state=DuelState.DRAWN)
    winner = duel.challenger_id if challenger > opponent else duel.opponent_id
    return replace(duel, state=DuelState.WON, winner_id=winner)


def mark_given_up(duel: Duel, player_id: int) -> Duel:
    """Return the duel given up by the player and won by the other."""
    return replace(duel, state=DuelState.GIVEN_UP, winner_id=get_other_player(duel, player_id))
