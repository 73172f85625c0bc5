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
        lines = [f"{self.mark} {self.subject}: {self.state}"]
        if self.remedy:
            lines.append(f"    → {self.remedy}")
        return lines


# Make a finding of something in order, of something that might be better, or of a problem.
good = partial(Finding, Mark.GOOD)
note = partial(Finding, Mark.NOTE)
wrong = partial(Finding, Mark.WRONG)
