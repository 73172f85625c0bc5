"""Pages that are served at one address, each at its path: whether two would have the same."""

from collections.abc import Collection, Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from bot.settings import Settings
from bot.web.addresses import meet
from bot.web.health import PAGES

HEALTHS, BOARDS = "health's pages", "the board's"


class Clash(NamedTuple):
    """A path that two have at one address."""

    about: str
    """The variable that names it."""
    path: str
    whose: str
    """Of which pages it is one."""
    listen: str
    """The variable that puts these at that address."""


def of_webhook(url: str) -> set[str]:
    """The paths at which Telegram's posts are taken."""
    path = urlsplit(url).path.rstrip("/")
    return {path or "/", f"{path}/"}


def clashes(settings: Settings, board: Collection[str]) -> Iterator[Clash]:
    """What would be at one address twice; `board` are the board's paths, none where there is no board."""
    health, web, hook = settings.health_listen, settings.web_listen, settings.webhook_listen
    posts = of_webhook(settings.webhook_url) if settings.webhook_url else set[str]()
    if health and meet(health, web):
        yield from _both("WEB_URL", board, PAGES, HEALTHS, "HEALTH_LISTEN")
    if health and meet(health, hook):
        yield from _both("WEBHOOK_URL", posts, PAGES, HEALTHS, "HEALTH_LISTEN")
    if meet(web, hook):
        yield from _both("WEBHOOK_URL", posts, board, BOARDS, "WEB_LISTEN")


def _both(
    about: str, paths: Collection[str], others: Collection[str], whose: str, listen: str
) -> Iterator[Clash]:
    if same := sorted(set(paths).intersection(others)):
        yield Clash(about, same[0], whose, listen)
