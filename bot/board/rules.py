"""Values that the board's modules share."""

from dataclasses import dataclass
from enum import StrEnum

from bot.players.guests import is_guest


@dataclass(frozen=True, slots=True)
class Place:
    """The table that a page shows: that of a chat and topic, or for a spectator a single round of it."""

    chat_id: int
    topic: int = 0  # the topic's thread id; 0 outside topics
    round_id: int = 0  # the round whose message led to the page; 0 for none
    watch_only: bool = False  # True for spectators: they see `round_id` alone and can't play

    @property
    def is_guests(self) -> bool:
        """Whether it is the place of a guest, who plays alone and has no chat."""
        return is_guest(self.chat_id)


@dataclass(frozen=True, slots=True)
class Person:
    """The Telegram user of a page, or a guest."""

    id: int
    name: str
    username: str | None
    language: str  # a language tag such as `pt-br`


@dataclass(frozen=True, slots=True)
class StoredReply:
    """The bot's reply to one person's submission, shown on that person's pages alone."""

    id: int  # later replies have higher ids
    press_id: str  # the page's id of the submission
    text: str  # without tags; empty if only `is_right` is reported
    is_right: bool | None  # whether an answer counts; None if the submission was no answer


MAX_OFFLINE_DAYS = 3  # days for which an offline solution of a daily hand is accepted


class OfflineOutcome(StrEnum):
    """The outcome of a daily hand that was solved while the page had no connection to the bot."""

    KEPT = "kept"  # stored without points, rank or streak, at the time of the page's clock
    DUPLICATE = "duplicate"  # the player has sent an offline solution of that day before
    FINISHED = "finished"  # the player has solved the hand in the chat, or has given it up
    EXPIRED = "expired"  # the hand is older than `MAX_OFFLINE_DAYS`
    UNKNOWN = "unknown"  # there is no hand of that day
    NOT_DEALT = "not dealt"  # a verdict would tell the answer before the player's time runs
    WRONG = "wrong"
