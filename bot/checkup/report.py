"""Run all checks and print them as a report."""

from collections.abc import Callable, Collection

from bot.checkup import environment, machine, telegram
from bot.checkup.board import check_board
from bot.checkup.database import check_database
from bot.checkup.finding import Finding, Mark, note
from bot.settings import Settings

NOT_ASKED = "not asked, so nothing is said of the webhook, of groups and of the clock"


async def run_checks(
    settings: Settings, now: Callable[[], float], unreadable: Collection[str] = ()
) -> list[Finding]:
    """Run every check but those of the variables, in the order in which an operator repairs things.

    `now` is this machine's clock, and `unreadable` are variables that can't be used. Without BOT_API_URL no
    server is asked, since the token may not be meant for Telegram's own; without DATABASE_URL the default
    file is not checked.
    """
    found = list[Finding]()
    is_bot_running = False
    if "DATABASE_URL" not in unreadable:
        found, is_bot_running = await check_database(settings.database)
        found += machine.check_disk(settings)
    found += machine.check_ports(settings, is_bot_running=is_bot_running)
    found += [*environment.check_exposure(settings), *machine.check_workers(settings)]
    found += await check_board(settings, now(), is_bot_running=is_bot_running)
    if settings.token and "BOT_API_URL" not in unreadable:
        found += await telegram.check_account(settings, now())
        found += await telegram.check_clock(settings, now())
    else:
        found.append(note("Telegram", NOT_ASKED, "look again once the above is mended"))
    return found


def render_report(found: list[Finding]) -> list[str]:
    """Return the lines of the report; the last one counts the findings that must be mended."""
    count = sum(finding.mark is Mark.WRONG for finding in found)
    last = {0: "nothing is wrong", 1: "1 thing to mend"}.get(count, f"{count} things to mend")
    return [*(line for finding in found for line in finding.lines), last]
