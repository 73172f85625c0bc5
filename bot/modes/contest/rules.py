"""The rules of a contest. Nothing here reads a clock or a database.

A contest lies beside the table. It is *running* from its deal until it is *over*, and then never changes
again. Whoever begins has a card of their own, which can be left and taken up again for as long as it runs.
It is over

- a minute after the last of those who began has finished, if two or more have, and nobody begins meanwhile;
- a week after the deal, whoever is still playing: their cards don't count;
- at once where somebody ends it who may.

Somebody is *still playing* whose card is not full, who has not voted for the end, and whose last turn was not
refused because they had left the group; who comes back may go on. As long as nobody else is, who dealt it, an
admin, and whoever has finished may end it at once. Where others are, anybody has a vote, and two end it; so
does the /stop of an admin. Who ends it so, or has voted for that, gives their own card up: it earns nothing,
or whoever is ahead would end it. Where nobody else is playing, only a card that is not full is given up so.

Nobody sees another's total before the end. Who played a turn and gave their card up, or let the week run out,
is rated below all who finished; who was still playing when others ended it is not rated.

Alone with the bot it is over with the one card. Where two or more have finished each full card earns
what its game says, and the first place is a win; equals share it. Who finished alone has beaten nobody and
earns nothing, or points would be there for the dealing.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.rounds.rules import PLACE_PREFIX, UNTIMED_SECONDS, Award, rank_by_points

LAST_CALL_SECONDS = 60.0
CONTEST_LIFETIME = 7 * 86_400.0  # Seconds: after the last of several has finished, after the deal
CONFIRMATION_SECONDS = 60.0  # Seconds in which a second press says that somebody means it
MIN_FINISHED = 2  # Finished cards among which there are points, and the first place is a win


@dataclass(frozen=True, slots=True)
class PlayerCard:
    """Somebody's card, and the message that shows it."""

    player_id: int
    card: Any  # As the game has it
    changed_at: float  # When it changed last
    language: str = "en"  # What its message speaks
    # The message that shows it; None until it is delivered, or after it was lost.
    message_id: int | None = None
    posted_at: float = 0.0  # When that was posted …
    photo: str = ""  # … and whether it is a photo; empty for a text
    warned_at: float = 0.0  # When they were last told what it means to vote for the end
    # Whether they ended it while others were still playing, or before their own card was full.
    given_up: bool = False
    has_left: bool = False  # Whether their last turn was refused, since they were in the group no more


@dataclass(frozen=True, slots=True)
class LayoutLine:
    """One place of a card."""

    name: str
    score: int | None  # None where it is open
    preview: int | None = None  # What the present turn would score there, where it is open
    choice: int | None = None  # The number of that choice


@dataclass(frozen=True, slots=True)
class CardLayout:
    """A card as a page lays it out, with the present turn: nothing of any turn to come."""

    dice: tuple[int, ...]  # Of the present turn; empty once the card is full
    lines: tuple[LayoutLine, ...]
    total: int
    bonus: int = 0
    bonus_missing: int = 0  # What is lacking for the bonus


@dataclass(frozen=True, slots=True)
class CardProgress:
    """How far somebody has come, as far as the others may know."""

    player_id: int
    turns_played: int  # Turns played
    changed_at: float  # When the last one was
    total: int | None = None  # None until the card is full, and for one that was given up
    given_up: bool = False
    has_left: bool = False  # Whether they are in the group no more, and so not waited for


def have_all_finished(standings: Sequence[CardProgress]) -> bool:
    """Whether somebody has begun, and all who have, and have not left, have finished."""
    awaited = [each for each in standings if not each.has_left]
    return bool(awaited) and all(each.total is not None for each in awaited)


def compute_deadline(opened: float, standings: Sequence[CardProgress], *, alone: bool = False) -> float:
    """When the contest is over as things stand. `alone`: in the private chat of one player."""
    last = opened + CONTEST_LIFETIME
    if not have_all_finished(standings):
        return last
    if not alone and len(collect_totals(standings)) < MIN_FINISHED:
        return last
    return min(last, max(each.changed_at for each in standings) + (0.0 if alone else LAST_CALL_SECONDS))


def has_expired(opened: float, closed: float | None) -> bool:
    """Whether it was over because its week was, and not because somebody ended it."""
    return closed is not None and closed >= opened + CONTEST_LIFETIME


def count_still_playing(standings: Sequence[CardProgress], ending: Collection[int]) -> int:
    """How many are in the midst of a card, but for those who want the end."""
    return sum(
        each.total is None and not each.has_left and each.player_id not in ending for each in standings
    )


def collect_totals(standings: Sequence[CardProgress]) -> dict[int, int]:
    """The totals of those who have finished."""
    return {each.player_id: each.total for each in standings if each.total is not None}


def compute_awards(standings: Sequence[CardProgress], points: Mapping[int, int]) -> list[Award]:
    """What the finished cards earn, by player, the best first; `points` is what each is worth."""
    finished = collect_totals(standings)
    if len(finished) < MIN_FINISHED:
        return []
    return [
        Award(
            player_id=who,
            points=points[who],
            seconds=UNTIMED_SECONDS,
            answer=str(total),
            part=str(number) if rank == 1 else f"{PLACE_PREFIX}{number}",
        )
        for number, (rank, who, total) in enumerate(rank_by_points(finished))
    ]
