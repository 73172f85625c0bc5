"""Who speaks in the terminal: a name is a person there, with an id and a username of its own."""

import re
import zlib
from typing import Any

HOST = "Player"
"""Whoever speaks before anybody is named."""
FORMERLY = {"player": "you"}
"""Under which name versions before kept what somebody played, where it was another one."""
USERNAME = re.compile(r"\w{1,64}")


def player_id(name: str) -> int:
    """A person's id, the same whenever that name speaks."""
    folded = name.casefold()
    return 10_000 + zlib.crc32(FORMERLY.get(folded, folded).encode())


def person(name: str, language: str) -> dict[str, Any]:
    """The sender of an update, as Telegram describes one; with a username where the name can be one."""
    username = name.casefold()
    known = {"username": username} if USERNAME.fullmatch(username) else {}
    return {
        "id": player_id(name),
        "is_bot": False,
        "first_name": name,
        "language_code": language,
    } | known
