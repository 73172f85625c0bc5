"""The board of a bot, by its settings. Nothing of it is imported where they name none."""

from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

from telegram import Bot

from bot.database import Store
from bot.delivery.changes import Changes
from bot.delivery.inbox import Inbox
from bot.games.board.rules import Place
from bot.games.daily.tables import Door
from bot.settings import Settings
from bot.web.board.board import Board, Needs
from bot.web.board.entries import Answering
from bot.web.board.links import Links, Tokens


def links(settings: Settings, username: str) -> Links:
    """All links to the board, by keys that are made of the bot's token: so all bots that have it agree."""
    return Links(Tokens(_secret(settings)), settings.web_url or "", username, settings.web_app)


def addresses(settings: Settings, username: str, wall: Callable[[], float]) -> Callable[[int, int, int], str]:
    """The way from the message of a round, by its chat, topic and number, to its table."""
    known = links(settings, username)
    return lambda chat_id, topic, round_id: known.table(Place(chat_id, topic, round_id), wall())


def board(
    settings: Settings, store: Store, bot: Bot, changes: Changes, inbox: Inbox, answer: Answering
) -> Board:
    """The board at the settings' public address."""
    parts = urlsplit(settings.web_url or "")
    needs = Needs(
        store=store,
        bot=bot,
        changes=changes,
        accept=partial(inbox.accept, own=True),
        answer=answer,
        way=Door(bot.username, settings.token or ""),
        now=inbox.now,
        token=settings.token or "",
        secret=_secret(settings),
        links=links(settings, bot.username),
    )
    return Board(needs, parts.path, f"{parts.scheme}://{parts.netloc}")


def _secret(settings: Settings) -> bytes:
    return (settings.token or "").encode()
