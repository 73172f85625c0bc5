"""What stands behind /play and /race: the level, the cards, the target, the length. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.games.rounds.rules import LONGEST_RACE, RACE_LENGTH, SHORTEST_RACE, Kind
from bot.games.twentyfour.solving import Level

CARDS = range(3, 7)
"""A number in here is a count of cards …"""
TARGETS = range(CARDS.stop, 1001)
"""… and a bigger one is the target."""
ALL = "all"
LEVELS: Mapping[str, Level] = {"easy": "easy", "medium": "medium", "hard": "hard", "fiendish": "fiendish"}
"""The levels by their English names; a caller adds those of the language spoken."""
MOST_TEXT = 100


class OptionError(ValueError):
    """An option that can't be followed; `fragment` is the first such word."""

    def __init__(self, fragment: str) -> None:
        super().__init__(f"no such option: {fragment!r}")
        self.fragment = fragment


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for; None where nothing was."""

    level: Level | None = None
    cards: int | None = None
    target: int | None = None
    kind: Kind = Kind.FIRST


@dataclass(frozen=True, slots=True)
class RaceOptions:
    """What was asked of a race."""

    length: int = RACE_LENGTH
    level: Level | None = None


def play_options(text: str, levels: Mapping[str, Level] = LEVELS, everything: str = ALL) -> Options:
    """`hard`, `36` (a target), `5` (cards) and `all` in any order, each at most once.

    `levels` names the levels and `everything` is the word for `all`, both beside the English ones.
    Raises OptionError.
    """
    found: dict[str, str | int] = {}
    for word in _words(text):
        key, value = _read(word, {**LEVELS, **levels}, {ALL, everything.casefold()})
        if key in found:
            raise OptionError(word)
        found[key] = value
    return Options(**found)  # type: ignore[arg-type]


def _read(word: str, levels: Mapping[str, Level], everything: set[str]) -> tuple[str, str | int]:
    number = _number(word)
    if number in CARDS:
        return "cards", number
    if number in TARGETS:
        return "target", number
    if word.casefold() in levels:
        return "level", levels[word.casefold()]
    if word.casefold() in everything:
        return "kind", Kind.ALL
    raise OptionError(word)


def race_options(text: str, levels: Mapping[str, Level] = LEVELS) -> RaceOptions:
    """`5` (hands) and `hard` in any order, each at most once. Raises OptionError."""
    length: int | None = None
    level: Level | None = None
    known = {**LEVELS, **levels}
    for word in _words(text):
        if length is None and SHORTEST_RACE <= _number(word) <= LONGEST_RACE:
            length = _number(word)
        elif level is None and word.casefold() in known:
            level = known[word.casefold()]
        else:
            raise OptionError(word)
    return RaceOptions(length or RACE_LENGTH, level)


def _words(text: str) -> list[str]:
    if len(text) > MOST_TEXT:
        raise OptionError(text[:20] + "…")
    return text.replace(",", " ").split()


def _number(word: str) -> int:
    """The number that a word is; -1 for any other word."""
    return int(word) if word.isascii() and word.isdigit() and len(word) <= 4 else -1
