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

from bot.rounds.contest_game import CONTEST_LIFETIME
from bot.rounds.rules import PLACE_PREFIX, UNTIMED_SECONDS, Award, rank_by_points

LAST_CALL_SECONDS = 60.0  # After the last of several players has finished
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
    # Of the card as it was loaded; not stored
    turns_played: int = 0
    total: int | None = None  # None until the card is full, and for one that was given up

    @property
    def is_playing(self) -> bool:
        """Whether the card has no total yet and its player has not left the group."""
        return self.total is None and not self.has_left


def have_all_finished(cards: Sequence[PlayerCard]) -> bool:
    """Whether at least one player began, and all who began and have not left have finished."""
    remaining = [card for card in cards if not card.has_left]
    return bool(remaining) and not any(card.is_playing for card in remaining)


def is_closing_soon(cards: Sequence[PlayerCard]) -> bool:
    """Whether all have finished and at least two totals count, so that the contest ends within a minute."""
    return have_all_finished(cards) and len(collect_totals(cards)) >= MIN_FINISHED


def compute_deadline(opened: float, cards: Sequence[PlayerCard], *, alone: bool = False) -> float:
    """Return when the contest ends by the present cards; `alone`, in private, that is the last turn."""
    expiry = opened + CONTEST_LIFETIME
    is_ending = have_all_finished(cards) if alone else is_closing_soon(cards)
    if not is_ending:
        return expiry
    last_change = max(card.changed_at for card in cards)
    if alone:
        return min(expiry, last_change)
    return min(expiry, last_change + LAST_CALL_SECONDS)


def collect_totals(cards: Sequence[PlayerCard]) -> dict[int, int]:
    """Return the totals of the full cards that were not given up, by player."""
    return {card.player_id: card.total for card in cards if card.total is not None}


def compute_awards(cards: Sequence[PlayerCard], points: Mapping[int, int]) -> list[Award]:
    """Return the awards of the totals, the best first, with these points; none for fewer than two totals."""
    totals = collect_totals(cards)
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
