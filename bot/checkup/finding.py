"""What a look found, as one line with the way to mend it."""

from dataclasses import dataclass
from enum import StrEnum


class Mark(StrEnum):
    """How it is."""

    GOOD = "✓"
    NOTE = "·"
    """Worth knowing; the bot runs."""
    WRONG = "✗"
    """The bot will not start, not play as it should, or take anybody for Telegram."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    mark: Mark
    about: str
    """What was looked at: a setting by its name, or a word."""
    told: str
    """How it is, without secrets."""
    remedy: str = ""
    """What a person does about it."""

    @property
    def lines(self) -> list[str]:
        """As an operator reads it."""
        return [f"{self.mark} {self.about}: {self.told}", *([f"    → {self.remedy}"] if self.remedy else [])]


def good(about: str, told: str) -> Finding:
    """It is as it should be."""
    return Finding(Mark.GOOD, about, told)


def note(about: str, told: str, remedy: str = "") -> Finding:
    """It works, and might be better."""
    return Finding(Mark.NOTE, about, told, remedy)


def wrong(about: str, told: str, remedy: str) -> Finding:
    """It must be mended."""
    return Finding(Mark.WRONG, about, told, remedy)
