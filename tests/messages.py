"""What people write while a hand is on the table, and what must happen: `tests/data/messages.toml`."""

import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

FILE = Path(__file__).parent / "data" / "messages.toml"
LANGUAGES = ("en", "zh-Hans", "zh-Hant", "es", "ru")


@dataclass(frozen=True, slots=True)
class Said:
    """One message."""

    text: str
    language: str
    numbers: tuple[int, ...]
    target: int
    how: str  # plain, reply, command, private, daily or race
    must: str  # win, value, numbers, reason or silence
    value: str = ""  # What a wrong value is told to be


def _read() -> list[Said]:
    found = []
    for entry in tomllib.loads(FILE.read_text("utf-8"))["messages"]:
        dealt, _, target = entry["hand"].partition(" → ")
        must, _, value = entry["must"].partition(" ")
        hand = tuple(map(int, dealt.split())), int(target)
        ways = [entry["how"]] if isinstance(entry["how"], str) else entry["how"]
        for language, how in product(LANGUAGES, ways):
            found += [Said(text, language, *hand, how, must, value) for text in entry.get(language, ())]
    return found


MESSAGES = _read()


def counted(said: Iterable[Said]) -> str:
    """How many of each kind, in a line."""
    kinds = Counter(one.must for one in said)
    return ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
