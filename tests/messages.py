"""Messages sent while a hand is open, with the verdicts they must get: `tests/data/messages.toml`."""

import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

FILE = Path(__file__).parent / "data" / "messages.toml"
LANGUAGES = ("en", "zh-Hans", "zh-Hant", "es", "ru")


@dataclass(frozen=True, slots=True)
class MessageCase:
    """One message, sent in one way."""

    text: str
    language: str
    numbers: tuple[int, ...]
    target: int
    how: str  # plain, reply, command, private, daily or race
    must: str  # win, value, numbers, reason or silence
    value: str = ""  # the value that the reply must name


def _read_cases() -> list[MessageCase]:
    cases = []
    for entry in tomllib.loads(FILE.read_text("utf-8"))["messages"]:
        dealt, _, target = entry["hand"].partition(" → ")
        must, _, value = entry["must"].partition(" ")
        hand = tuple(map(int, dealt.split())), int(target)
        ways = [entry["how"]] if isinstance(entry["how"], str) else entry["how"]
        for language, how in product(LANGUAGES, ways):
            texts = entry.get(language, ())
            cases += [MessageCase(text, language, *hand, how, must, value) for text in texts]
    return cases


MESSAGES = _read_cases()


def count_by_verdict(cases: Iterable[MessageCase]) -> str:
    """Render how many messages must get each verdict, in a line."""
    kinds = Counter(case.must for case in cases)
    return ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
