"""A board to tap: where it stands, who sits at it, and what becomes of a day's hand that was solved offline.

Nothing here reads a clock or a database.

A board is a page that shows one *place*: the table of a chat and topic, or for somebody who only *watches*,
one round of it and what comes in its place. What is tapped on it is an ordinary update of the person.

The hand of a day may be solved while the page has no way to the bot. It is judged once it comes in, and kept
as solved *offline*, at the time by the page's own clock: no points, no rank, no streak. It is

- *kept* once, as long as the day's hand is one of the last few and the person has not done with it;
- *known* where the person has sent one of that day before;
- *done* where the person has solved it in the chat, or given it up there;
- *over* where the day is long gone, or *unknown* where nobody was ever dealt its hand;
- *unopened* where the person was not, who would else learn what solves it before their time runs;
- *wrong* where it is no right answer.
"""

from dataclasses import dataclass
from enum import StrEnum

MAX_OFFLINE_DAYS = 3  # Days for which a hand of a day may come in that was solved offline


@dataclass(frozen=True, slots=True)
class Place:
    """What a page shows."""

    chat_id: int
    topic: int = 0  # The topic's thread, 0 where there is none
    # The round whose message led here, 0 for none. Who watches sees that one, or what took its place.
    round_id: int = 0
    watch_only: bool = False  # Whether whoever looks only looks


@dataclass(frozen=True, slots=True)
class Person:
    """Whoever sits at the page, as Telegram says."""

    id: int
    name: str
    username: str | None
    language: str  # The tag of the person's language, such as `pt-br`


@dataclass(frozen=True, slots=True)
class BoardReply:
    """What the bot says to one person alone about what they tapped."""

    id: int  # Its number: later words have higher ones
    press_id: str  # What the page calls the tap
    text: str  # Without any tags; empty where only `right` is told
    is_right: bool | None  # Whether what was handed in counts; None where that is not the question


class OfflineOutcome(StrEnum):
    """What becomes of a hand of a day that was solved offline."""

    KEPT = "kept"
    DUPLICATE = "known"
    FINISHED = "done"
    EXPIRED = "over"
    UNKNOWN = "unknown"
    NOT_DEALT = "unopened"
    WRONG = "wrong"
