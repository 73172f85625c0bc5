"""Rounds and boards of long ago are summed up and let go, a few at a time.

A round ages out once it has been over for as long as `KEEP_DAYS` says, with all tries, entries and votes.
What figures need of it is added to `past`, or noted in its awards, in the same transaction, so every total,
record and achievement is the same before and after. The last rounds of a chat stay: its row of wins goes on
from them. So do the boards of months; those of single days and weeks go, and the best days are kept.

Both go through what there is in the order of its key, and write down how far they have come. Nothing is ever
looked for in a whole table.
"""

import asyncio
import logging
from functools import partial

from bot.database import Tx, come_to_know
from bot.delivery.timers import Running, TimedWork
from bot.durations import DAY, HOUR
from bot.people import queries as people
from bot.people.past import boards, rounds
from bot.people.past.piece import NOTHING, Piece
from bot.people.ratings.played import ALL, REPLAYED
from bot.telegram.routes import Routes

log = logging.getLogger(__name__)

LONGEST = 0.2
"""Seconds for which one look goes on, piece by piece: so more goes than a million hands a day bring, and what
else is done by the clock waits no longer than that.
"""
BEGINS, REVISION = "summing up begins", "0017"
"""The fact that says when it begins, once all that use the database are of this revision or a later one."""


def age_rounds(tx: Tx, now: float, kept: float) -> Piece:
    """Sum up a few rounds that were over `kept` seconds before `now`."""
    return rounds.age(tx, now, kept) if _may_begin(tx, now) else NOTHING


def age_boards(tx: Tx, now: float, kept: float) -> Piece:
    """Let a few lines go of boards that were over `kept` seconds before `now`."""
    return boards.age(tx, now, kept) if _may_begin(tx, now) else NOTHING


def _may_begin(tx: Tx, now: float) -> bool:
    """Whether ratings have no more use for old rounds, and no version is left that does not know of this."""
    return people.fact(tx, REPLAYED) == ALL and come_to_know(tx, now, BEGINS, REVISION)


async def _pieces(running: Running, now: float) -> bool:
    """Pieces of each, one to a transaction; False where more is left, so that the next look goes on."""
    if not running.kept:
        return True
    clock = asyncio.get_running_loop().time
    until, left = clock() + LONGEST, {"rounds": age_rounds, "lines": age_boards}
    while left:
        for what, age in list(left.items()):
            piece = await running.store.write(partial(age, now=now, kept=running.kept))
            running.tally[what] += piece.gone
            if not piece.more:
                del left[what]
        if left and clock() >= until:
            return False
    _tell(running)
    return True


def _tell(running: Running) -> None:
    """Say what the pieces since the last rest have come to, if that is anything."""
    if running.tally.total():
        told = running.tally["rounds"], running.tally["lines"], running.kept / DAY
        log.info(
            "summed up and let go: %d rounds and %d lines of boards, over for more than %.0f days", *told
        )
    running.tally.clear()


ROUTES = Routes(timed=[TimedWork("what was over long ago", HOUR, _pieces)])
