"""All looks together, as an operator reads them."""

from collections.abc import Callable, Collection

from bot.checkup import account, beside, board, exposure, machine, storage
from bot.checkup.finding import Finding, Mark, note
from bot.settings import Settings

NOT_ASKED = "not asked, so nothing is said of the webhook, of groups and of the clock"


async def findings(
    settings: Settings, now: Callable[[], float], unread: Collection[str] = ()
) -> list[Finding]:
    """What there is to say beside the variables, in the order in which it is mended.

    `now` is this machine's clock, and `unread` are variables that can't be used: where BOT_API_URL is one,
    nobody is asked, since Telegram's own server may not be meant to hear of the token; where DATABASE_URL is
    one, nothing is said of the file that is meant without it.
    """
    looked, disk = storage.Looked([], running=False), None
    if "DATABASE_URL" not in unread:
        looked, disk = await storage.looked_at(settings.database), machine.disk(settings)
    stored, running, theirs = looked
    barred = beside.looked_at(settings, theirs)
    found = [*stored, *barred, *([disk] if disk else []), *machine.ports(settings, running=running)]
    found += [*exposure.looked_at(settings), *machine.workers(settings)]
    found += await board.looked_at(settings, now(), running=running)
    if settings.token and "BOT_API_URL" not in unread:
        asked = await account.looked_at(settings, now(), starts=not barred)
        found += asked
        if clock := await machine.clock(settings, now()):
            found.append(clock)
    else:
        found.append(note("Telegram", NOT_ASKED, "look again once the above is mended"))
    return found


def told(found: list[Finding]) -> list[str]:
    """The lines of a report, and how many things are to be mended."""
    lines = [line for finding in found for line in finding.lines]
    count = sum(finding.mark is Mark.WRONG for finding in found)
    last = "nothing is wrong" if not count else "1 thing to mend" if count == 1 else f"{count} things to mend"
    return [*lines, last]
