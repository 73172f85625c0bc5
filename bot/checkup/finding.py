"""Findings: lines of the report, with the next steps."""

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
    state: str  # without secrets
    remedy: str = ""  # the next step for the operator

    @property
    def lines(self) -> list[str]:
        """Its lines in the report."""
        return [
            f"{self.mark} {self.subject}: {self.state}",
            *([f"    → {self.remedy}"] if self.remedy else []),
        ]


def good(subject: str, state: str) -> Finding:
    """Make a finding of something in order."""
    return Finding(Mark.GOOD, subject, state)


def note(subject: str, state: str, remedy: str = "") -> Finding:
    """Make a finding of something that works and might be better."""
    return Finding(Mark.NOTE, subject, state, remedy)


def wrong(subject: str, state: str, remedy: str) -> Finding:
    """Make a finding of something that must be mended."""
    return Finding(Mark.WRONG, subject, state, remedy)
