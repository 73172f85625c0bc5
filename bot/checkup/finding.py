"""Findings: lines of the report, with the next steps."""

from dataclasses import dataclass
from enum import StrEnum
from functools import partial


class Mark(StrEnum):
    GOOD = "✓"
    NOTE = "·"  # worth knowing; the bot runs
    WRONG = "✗"  # the bot will not start, not play as it should, or accept forged updates


@dataclass(frozen=True, slots=True)
class Finding:
    mark: Mark
    subject: str  # a variable's name, or a word
    state: str  # without secrets
    remedy: str = ""  # the next step for the operator

    @property
    def lines(self) -> list[str]:
        remedies = [f"    → {self.remedy}"] if self.remedy else []
        return [f"{self.mark} {self.subject}: {self.state}", *remedies]


# Make a finding of something in order, of something that might be better, or of a problem.
good, note, wrong = partial(Finding, Mark.GOOD), partial(Finding, Mark.NOTE), partial(Finding, Mark.WRONG)
