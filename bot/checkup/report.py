"""Run all checks and print them as a report."""

from collections.abc import Callable, Collection

from bot.checkup import environment, machine, telegram
from bot.checkup.board import check_board
from bot.checkup.database import check_database
from bot.checkup.finding import Finding, Mark, note
from bot.settings import Settings

NOT_ASKED = "not asked, so the webhook, groups and the clock were not checked"


async def run_checks(
    settings: Settings, now: Callable[[], float], wrong_names: Collection[str] = ()
) -> list[Finding]:
    """Run every check but those of the variables, in the order in which an operator repairs things.

    `now` is this machine's clock. `wrong_names` are variables that are set to a value that can't be used;
    `settings` has their defaults, as for variables that are not set. If BOT_API_URL is wrong, no server is
    asked, since the token may not be meant for Telegram's own; if DATABASE_URL is, no database is checked.
    """
    findings = list[Finding]()
    is_bot_running = False
    if "DATABASE_URL" not in wrong_names:
        findings, is_bot_running = await check_database(settings.database)
        findings += machine.check_disk(settings)
    findings += machine.check_ports(settings, is_bot_running=is_bot_running)
    findings += environment.check_exposure(settings)
    findings += machine.check_workers(settings)
    findings += await check_board(settings, now(), is_bot_running=is_bot_running)
    if settings.token and "BOT_API_URL" not in wrong_names:
        findings += await telegram.check_account(settings, now())
        findings += await telegram.check_clock(settings, now())
    else:
        findings.append(note("Telegram", NOT_ASKED, "solve the problems above, then check again"))
    return findings


def render_report(findings: list[Finding]) -> list[str]:
    """Return the lines of the report; the last one counts the problems."""
    lines = list[str]()
    for finding in findings:
        lines += finding.lines
    problems = [finding for finding in findings if finding.mark is Mark.WRONG]
    if not problems:
        return [*lines, "nothing is wrong"]
    return [*lines, "1 problem" if len(problems) == 1 else f"{len(problems)} problems"]
