"""What the outbox needs of Telegram and of the features, passed in by the wiring."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from bot.database import Tx
from bot.queue.refusals import Gone
from bot.telegram.messages import Request
from bot.telegram.photo_messages import DescribedPicture

# Sends a method with its parameters; returns Telegram's result. Raises TelegramError.
Ask = Callable[[str, dict[str, Any]], Awaitable[Any]]
# Makes the request that is sent of the one that is stored; None for one that isn't wanted any more.
Draw = Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]
# What is sent instead of a request to one person whose present way failed, and why it did.
Falls = Callable[[Tx, dict[str, Any], str], list[Request]]

# What a message shows, by what was asked for as it was stored; None for nothing.
Look = Callable[[Tx, Mapping[str, Any]], DescribedPicture | None]


async def undoubted() -> bool:
    """Nobody doubts that Telegram knows the token."""
    return True


def let_fall(_tx: Tx, _body: dict[str, Any], _why: str) -> list[Request]:
    """Nothing is sent instead."""
    return []


def unheeded(_tx: Tx, *_of: object) -> None:
    """Nothing is stored."""


def nothing_follows(_tx: Tx, _chat_id: int, _topic: int) -> list[Request]:
    """Nothing is sent."""
    return []


def unseen(_tx: Tx, _asked: Mapping[str, Any]) -> None:
    """There is nothing to look at."""


class Clock(NamedTuple):
    """The two clocks that delivery goes by, in seconds."""

    wall: Callable[[], float]  # This machine's, since 1970: it can be set
    monotonic: Callable[[], float]  # One that nobody sets


@dataclass(frozen=True, slots=True)
class OutboxHooks:
    """What features do while requests are delivered."""

    draw_by_method: Mapping[str, Draw]  # By pseudo-method: what draws the request when its turn comes
    # The names of these people, put into a request when it is sent.
    load_names: Callable[[Tx, list[int]], Mapping[int, str]]
    # Told of a post from which somebody's time runs, before it is sent: the process may end before it knows
    # whether the post arrived. Where it says that this is the first time, the receipt follows, an empty one
    # if the post did not arrive.
    before_send: Callable[[Tx, str], bool]
    # Stores what came back of a request, known by its `about`.
    on_delivered: Callable[[Tx, str, dict[str, Any]], None]
    on_message_gone: Gone  # Told of a message that was deleted
    on_chat_migrated: Callable[
        [Tx, int, int], None
    ]  # Told of a chat, by its old id, that has another one now
    # Whether anything is known of a chat by that id: nobody was told that it has another one.
    is_chat_known: Callable[[Tx, int], bool] = lambda *_: False
    find_picture: Look = unseen  # Asked what a message shows beside its text
    choose_fallback: Falls = let_fall  # Asked for the next way of what is told to one person
    # Told of a chat and an emoji with which nobody may react there.
    on_reaction_forbidden: Callable[[Tx, int, str], None] = unheeded
    # Told of a chat and its topic that was deleted or closed; returns what is to be said of it.
    on_topic_gone: Callable[[Tx, int, int], list[Request]] = nothing_follows
    on_chat_gone: Callable[[Tx, int], None] = unheeded  # Told of a chat to which nothing more can be sent
