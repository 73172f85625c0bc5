"""Functions that the outbox calls: Telegram's API, and what features do while requests are delivered."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from bot.database import Tx
from bot.telegram.messages import Request
from bot.telegram.photo_messages import DescribedPicture

# Calls a method with its parameters and returns Telegram's result. Raises TelegramError.
ApiCall = Callable[[str, dict[str, Any]], Awaitable[Any]]
# Makes the request to send from the stored one; None if it is no longer wanted.
DrawFunction = Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]
# Returns what is sent instead of a private answer whose current way has failed for this reason.
FallbackFunction = Callable[[Tx, dict[str, Any], str], list[Request]]
# Finds the picture of a message by what was stored with the request; None for a message without one.
PictureLookup = Callable[[Tx, Mapping[str, Any]], DescribedPicture | None]


class Clocks(NamedTuple):
    """The two clocks of delivery, in seconds."""

    wall: Callable[[], float]  # Since 1970, corrected by Telegram's clock; it can jump
    monotonic: Callable[[], float]


async def assume_token_known() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class OutboxHooks:
    """Functions of features that are called while requests are delivered."""

    renderers: Mapping[str, DrawFunction]  # By pseudo-method
    load_names: Callable[[Tx, list[int]], Mapping[int, str]]  # Loads the names that a request mentions
    # Records that a post is about to be sent from which somebody's time runs, and returns whether this is the
    # first time. Then `on_delivered` follows, with an empty result if the post has not arrived.
    before_send: Callable[[Tx, str], bool]
    on_delivered: Callable[[Tx, str, dict[str, Any]], None]  # Stores a result, by the request's `about`
    # Records that the message that a request was to edit no longer exists, and returns whether to post its
    # content anew. The flag says that the edit was only to show the time.
    on_message_gone: Callable[[Tx, dict[str, Any], bool], bool]
    on_chat_migrated: Callable[[Tx, int, int], None]  # Moves what is stored from the old to the new chat id
    is_chat_known: Callable[[Tx, int], bool] = lambda *_: False  # By an id that may be outdated
    find_picture: PictureLookup = lambda *_: None
    choose_fallback: FallbackFunction = lambda *_: []
    on_reaction_forbidden: Callable[[Tx, int, str], None] = lambda *_: None  # Chat and emoji
    # Records that the topic of a chat was deleted or closed, and returns what to say about it.
    on_topic_gone: Callable[[Tx, int, int], list[Request]] = lambda *_: []
    on_chat_gone: Callable[[Tx, int], None] = lambda *_: None  # Nothing can be sent to this chat any more
