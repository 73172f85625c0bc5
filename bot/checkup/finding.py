"""A finding: one line of the report, and the next step."""

from dataclasses import dataclass
from enum import StrEnum


class Mark(StrEnum):
    """The weight of a finding."""

    GOOD = "✓"
    NOTE = "·"  # worth knowing; the bot runs
    WRONG = "✗"  # the bot will not start, not play as it should, or accept forged updates


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    mark: Mark
    subject: str  # a variable's name, or a word
    state: str  # the state, without secrets
    remedy: str = ""  # the next step for the operator

    @property
    def lines(self) -> list[str]:
        """The finding as the report prints it."""
        return [
            f"{self.mark} {self.subject}: {self.state}",
            *([f"    → {self.remedy}"] if self.remedy else []),
        ]


def good(about: str, told: str) -> Finding:
    """Make a finding about what is well."""
    return Finding(Mark.GOOD, about, told)


def note(about: str, told: str, remedy: str = "") -> Finding:
    """Make a finding about what works and might be better."""
    return Finding(Mark.NOTE, about, told, remedy)


def wrong(about: str, told: str, remedy: str) -> Finding:
    """Make a finding about what must be mended."""
    return Finding(Mark.WRONG, about, told, remedy)
