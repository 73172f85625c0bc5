"""Two bots on one token: how each learns of the other, and which one ends. Nothing here reads a clock.

Telegram answers a request for updates with a *conflict* when another one arrives after it. So of two bots
one always asks last, and only the other hears of it: each conflict is caused by a bot that goes on. Whoever
gives up when it hears of a conflict therefore leaves the other alone, and both can never give up.

How many conflicts a bot bears goes by how long it asked undisturbed before the first of them: a newcomer
few, one that has been here for a moment more, an old one many. So the newcomer ends, of two newcomers the one
that has borne its share first, and a bot that is alone never ends for the stray conflict that a former run
leaves behind. A refusal that comes at once, with no time in which another bot could have asked, is none of
this: it is waited out.
"""

from dataclasses import dataclass
from enum import Enum

NEWCOMER_TIME = 0.9  # Seconds of asking undisturbed after which a bot was here before one that comes now
# Seconds without a conflict after which the other bot is gone; without any answer, our own place is.
QUIET_TIME = 30.0
# Seconds within which a refusal says nothing of another bot: every bot waits longer after a conflict.
AT_ONCE_TIME = 0.2
# Conflicts at which a newcomer ends, a bot that was here for less than `ALONE`, and one for longer. The last
# is more than a newcomer causes that is started again and again; two old bots meet only when one could not
# reach Telegram for a while.
NEWCOMER_CONFLICTS, YOUNG_CONFLICTS, OLD_CONFLICTS = 3, 5, 40
# Seconds of nothing but refusals at once after which a bot that never got through ends. More than a request
# of a former run can linger at Telegram.
MAX_REFUSED_TIME = 35.0


class ConflictDecision(Enum):
    """What follows from a conflict."""

    RETRY_LATER = "wait"  # Refused at once: ask again, each time a little later
    RETRY_SOON = "contest"  # Ask again soon, so that the other bot hears of this one
    END = "end"


@dataclass(slots=True)
class Contest:
    """What one bot knows of others on its token. All times are on the monotonic clock."""

    undisturbed_since: float  # When it began to ask, or to ask undisturbed
    last_answer_at: float  # When Telegram last answered anything that makes sense
    asked_at: float = -1.0  # When it asked first since the last conflict; negative if it hasn't
    conflicts: int = 0  # In the present contest
    last_conflict_at: float = -QUIET_TIME  # When the last of them came
    max_conflicts: int = NEWCOMER_CONFLICTS  # How many of them end this bot
    got_through: bool = False  # Whether any request was answered with updates, be it none

    def record_request(self, now: float) -> None:
        """A request goes out."""
        if now - self.last_answer_at > QUIET_TIME:
            self.undisturbed_since = self.last_answer_at = now  # out of touch for so long, the place may be another's
        if self.asked_at < 0:
            self.asked_at = now

    def record_failure(self) -> None:
        """The request came to nothing: what comes next tells nothing of the time before."""
        self.asked_at = -1.0

    def record_answer(self, now: float) -> None:
        """Updates came back, or that there are none."""
        self.last_answer_at, self.got_through = now, True

    def handle_conflict(self, now: float) -> ConflictDecision:
        """Telegram reports a conflict."""
        at_once = self.asked_at < 0 or now - self.asked_at < AT_ONCE_TIME
        if now - self.last_conflict_at >= QUIET_TIME and not at_once:
            self.conflicts, self.max_conflicts = 0, _bears(now - self.undisturbed_since)
        self.last_answer_at, self.asked_at = now, -1.0
        if at_once:
            stuck = not self.got_through and now - self.undisturbed_since > MAX_REFUSED_TIME
            return ConflictDecision.END if stuck else ConflictDecision.RETRY_LATER
        self.last_conflict_at = self.undisturbed_since = now
        self.conflicts += 1
        return ConflictDecision.END if self.conflicts >= self.max_conflicts else ConflictDecision.RETRY_SOON


def _bears(undisturbed: float) -> int:
    if undisturbed < NEWCOMER_TIME:
        return NEWCOMER_CONFLICTS
    return YOUNG_CONFLICTS if undisturbed < QUIET_TIME else OLD_CONFLICTS
