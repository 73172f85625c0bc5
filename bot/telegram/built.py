"""What every handler may call on: built once at the start, and passed down."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from telegram import Bot, User

from bot.database import Store, Tx
from bot.i18n import Words
from bot.pictures.values import Picture
from bot.queue.standing import BotPermissionCache
from bot.settings import Settings
from bot.telegram.messages import MakeBoardUrl, Request, make_no_board_url
from bot.workers.pool import SolverPool


class CommandInfo(Protocol):
    """A command as others may speak of it."""

    @property
    def name(self) -> str:
        """Without its slash."""

    @property
    def menu(self) -> Callable[[Words], str] | None:
        """Its line in the command menu; None where the menu does not list it."""

    @property
    def groups_only(self) -> bool:
        """Whether only the menu of groups lists it."""


def ignore_picture(_chat_id: int, _picture: Picture, _language: str) -> None:
    """Nothing is drawn."""


async def ignore_effect(_effect: Callable[[Tx], list[Request]]) -> None:
    """Nothing is changed."""


@dataclass(frozen=True, slots=True)
class Services:
    """What is built once at the start and passed down."""

    store: Store
    solver_pool: SolverPool  # The pool as the person may use it
    bot: Bot
    me: User
    settings: Settings
    make_seed: Callable[[], int]  # A fresh seed for each deal
    commands: Sequence[CommandInfo] = ()  # All that the bot answers to, in the order of the menu
    # What the bot may do in a group; None where it may do nothing more than any member.
    permissions: BotPermissionCache | None = None
    make_board_url: MakeBoardUrl = make_no_board_url  # Where the page is that shows a table to be tapped
    # Told of a picture that a chat will soon be shown, in a language: it may be drawn meanwhile.
    prefetch_picture: Callable[[int, Picture, str], None] = ignore_picture
    # Commits an effect at once, before that of the update, and sends its requests.
    run_effect_now: Callable[[Callable[[Tx], list[Request]]], Awaitable[None]] = ignore_effect
