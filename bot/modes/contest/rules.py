"""The rules of a contest, without clock or database.

A contest runs beside the rounds of a chat. Each player who begins has a card of their own, which can be left
and resumed while the contest is *running*; once it is *over* it never changes. It is over

- a minute after the last of the players who began has finished, if two or more have and nobody begins
  meanwhile;
- a week after the deal: cards that are not full then don't count;
- at once if somebody ends it who may.

A player is *still playing* if their card is not full, they have not voted for the end, and their last turn
was not refused because they had left the group (they may come back and go on). If nobody else is still
playing, the dealer, an admin or a player who has finished may end the contest at once. Otherwise everybody
has a vote and two votes end it, as does an admin's /stop. Players who end it so, or voted for it, give their
own card up: it earns nothing, or the leader would end the contest. If nobody else is playing, only a card
that is not full is given up.

Nobody sees another player's total before the end. Players who gave their card up after a turn, or let the
week expire, are rated below all who finished; players who were still playing when others ended it are not
rated.

Alone with the bot the contest is over with the one card. If two or more have finished, each full card earns
points by its game and the first place is a win, which equals share. A player who finished alone has beaten
nobody and earns nothing; otherwise deals would be worth points.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.rounds.rules import PLACE_PREFIX, UNTIMED_SECONDS, Award, rank_by_points

LAST_CALL_SECONDS = 60.0  # After the last of several players has finished
CONTEST_LIFETIME = 7 * 86_400.0  # Seconds after the deal
CONFIRMATION_SECONDS = 60.0  # In which a second press on End confirms the first
MIN_FINISHED = 2  # Full cards that a contest needs for points and a win


@dataclass(frozen=True, slots=True)
class PlayerCard:
    """A player's card and the message that shows it."""

    player_id: int
    card: Any  # The game's own value
    changed_at: float
    language: str = "en"  # Of the message
    message_id: int | None = None  # None until the message is delivered, or after it was lost
    posted_at: float = 0.0
    photo: str = ""  # The key of the message's photo; empty for a text message
    warned_at: float = 0.0  # When the player last pressed End and was told what a vote means
    given_up: bool = False  # Whether the player ended the contest so that the card does not count
    has_left: bool = False  # Whether the last turn was refused because the player had left the group


@dataclass(frozen=True, slots=True)
class LayoutLine:
    """One category of a card on a page."""

    name: str
    score: int | None  # None for an open category
    preview: int | None = None  # The score of the present turn in an open category
    choice: int | None = None  # The number of that choice


@dataclass(frozen=True, slots=True)
class CardLayout:
    """A card with its present turn, as a page shows it."""

    dice: tuple[int, ...]  # Of the present turn; empty once the card is full
    lines: tuple[LayoutLine, ...]
    total: int
    bonus: int = 0
    bonus_missing: int = 0  # Points that lack for the bonus


@dataclass(frozen=True, slots=True)
class CardProgress:
    """A player's progress, as far as the others may know it."""

    player_id: int
    turns_played: int
    changed_at: float
    total: int | None = None  # None until the card is full, and for one that was given up
    given_up: bool = False
    has_left: bool = False

    @property
    def is_playing(self) -> bool:
        """Whether the card has no total yet and its player has not left the group."""
        return self.total is None and not self.has_left


def have_all_finished(progress: Sequence[CardProgress]) -> bool:
    """Whether at least one player began, and all who began and have not left have finished."""
    remaining = [p for p in progress if not p.has_left]
    return bool(remaining) and not any(p.is_playing for p in remaining)


def is_closing_soon(progress: Sequence[CardProgress]) -> bool:
    """Whether all have finished and at least two totals count, so that the contest ends within a minute."""
    return have_all_finished(progress) and len(collect_totals(progress)) >= MIN_FINISHED


def compute_deadline(opened: float, progress: Sequence[CardProgress], *, alone: bool = False) -> float:
    """Return when the contest ends by the present progress; `alone`, in private, that is the last turn."""
    expiry = opened + CONTEST_LIFETIME
    is_ending = have_all_finished(progress) if alone else is_closing_soon(progress)
    if not is_ending:
        return expiry
    last_change = max(p.changed_at for p in progress)
    if alone:
        return min(expiry, last_change)
    return min(expiry, last_change + LAST_CALL_SECONDS)


def collect_totals(progress: Sequence[CardProgress]) -> dict[int, int]:
    """Return the totals of the full cards that were not given up, by player."""
    return {p.player_id: p.total for p in progress if p.total is not None}


def compute_awards(progress: Sequence[CardProgress], points: Mapping[int, int]) -> list[Award]:
    """Return the awards of the totals, the best first, with these points; none for fewer than two totals."""
    totals = collect_totals(progress)
    if len(totals) < MIN_FINISHED:
        return []
    return [
        Award(
            player_id=player_id,
            points=points[player_id],
            seconds=UNTIMED_SECONDS,
            answer=str(total),
            # The awards of a round have different parts. One without the prefix, of a first place, is a win
            part=str(number) if rank == 1 else f"{PLACE_PREFIX}{number}",
        )
        for number, (rank, player_id, total) in enumerate(rank_by_points(totals))
    ]
