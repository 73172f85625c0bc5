"""Rounds and boards of long ago are summed up and let go, a few at a time.

A round ages out once it has been over for as long as `KEEP_DAYS` says, with all tries, entries and votes.
What figures need of it is added to `past`, or noted in its awards, in the same transaction, so every total,
record and achievement is the same before and after. The last rounds of a chat stay: its row of wins goes on
from them. So do the boards of months; those of single days and weeks go, and the best days are kept.

Both go through what there is in the order of its key, and write down how far they have come. Nothing is ever
looked for in a whole table.
"""

from bot.database import Tx, need_versions_from, read_number
from bot.delivery.timers import Running, TimedWork
from bot.people import queries as people
from bot.people.past import boards, rounds
from bot.people.ratings.played import ALL, REPLAYED
from bot.spans import DAY, HOUR
from bot.telegram.routes import Routes

BEGINS, GRACE, REVISION = "summing up begins", 7 * DAY, "0017"
"""The fact that says when it begins; how long after the first start of a version that can; its revision."""


def age_rounds(tx: Tx, now: float, kept: float) -> bool:
    """Sum up a few rounds that were over `kept` seconds before `now`; whether there may be more just now."""
    return _may_begin(tx, now) and rounds.age(tx, now, kept)


def age_boards(tx: Tx, now: float, kept: float) -> bool:
    """Let a few lines go of boards that were over `kept` seconds before `now`; likewise."""
    return _may_begin(tx, now) and boards.age(tx, now, kept)


def _may_begin(tx: Tx, now: float) -> bool:
    """Whether ratings have no more use for old rounds, and no version is left that does not know of this."""
    return people.fact(tx, REPLAYED) == ALL and _all_know_of_it(tx, now)


def _all_know_of_it(tx: Tx, now: float) -> bool:
    """Whether no bot of a version before is left that would not find what is summed up.

    One may still run beside this one while it takes its place, and none starts any more afterwards.
    """
    begins = read_number(people.fact(tx, BEGINS) or "")
    if begins is None:
        people.remember(tx, BEGINS, str(round(now + GRACE)))
        return False
    if now < begins:
        return False
    if begins:
        need_versions_from(tx, REVISION)
        people.remember(tx, BEGINS, "0")
    return True


async def _pieces(running: Running, now: float) -> bool:
    """A piece of each in its own transaction; False where more is left, so that the next look goes on."""
    if not running.kept:
        return True
    more = await running.store.write(lambda tx: age_rounds(tx, now, running.kept))
    return not await running.store.write(lambda tx: age_boards(tx, now, running.kept)) and not more


ROUTES = Routes(timed=[TimedWork("what was over long ago", HOUR, _pieces)])
