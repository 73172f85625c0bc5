"""Run all checks and print them as a report."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from bot.admin.welcome import make_group_link
from bot.checkup import environment, machine, telegram
from bot.checkup.account_fix import READS_GROUPS
from bot.checkup.board import check_board
from bot.checkup.database import DatabaseReport, check_database
from bot.checkup.finding import Finding, Mark, note
from bot.settings import Settings

NOT_ASKED = "not asked, so the webhook, groups and the clock were not checked"


@dataclass(frozen=True, slots=True)
class Report:
    findings: list[Finding]
    database: DatabaseReport
    username: str  # the bot's; empty if Telegram could not be asked


async def run_checks(
    settings: Settings,
    now: Callable[[], float],
    wrong_names: Collection[str] = (),
    *,
    with_fix: bool = False,
) -> Report:
    """Run every check but those of the variables, in the order in which an operator repairs things.

    `now` is this machine's clock. `wrong_names` are variables that are set to a value that can't be used;
    `settings` has their defaults, as for variables that are not set. If BOT_API_URL is wrong, no server is
    asked, since the token may not be meant for Telegram's own; if DATABASE_URL is, no database is checked.
    `with_fix` changes the bot's settings at Telegram before they are checked.
    """
    findings = list[Finding]()
    database = DatabaseReport([])
    username = ""
    if "DATABASE_URL" not in wrong_names:
        database = await check_database(settings.database)
        findings += [*database.findings, *machine.check_disk(settings)]
    findings += machine.check_ports(settings, is_bot_running=database.is_bot_running)
    findings += environment.check_exposure(settings)
    findings += machine.check_workers(settings)
    findings += await check_board(settings, now(), is_bot_running=database.is_bot_running)
    if settings.token and "BOT_API_URL" not in wrong_names:
        account_findings, username = await telegram.check_account(settings, now(), with_fix=with_fix)
        findings += account_findings
        findings += await telegram.check_clock(settings, now())
    else:
        findings.append(note("Telegram", NOT_ASKED, "solve the problems above, then check again"))
    return Report(findings, database, username)


def render_report(report: Report) -> list[str]:
    """Return the lines of the report; the last two count the problems and name the one next step."""
    lines = list[str]()
    for finding in report.findings:
        lines += finding.lines
    problems = [finding for finding in report.findings if finding.mark is Mark.WRONG]
    if not problems:
        return [*lines, "nothing is wrong", f"Next: {_render_first_use(report)}"]
    first = problems[0]  # findings are in the order in which an operator repairs things
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    return [*lines, count, f"Next: {first.subject}: {first.remedy or first.state}"]


def _render_first_use(report: Report) -> str:
    if not report.database.is_group_known:
        step = f"add the bot to your group: {make_group_link(report.username)}, then write /play there"
    elif any(finding.state == READS_GROUPS.change for finding in report.findings):  # `--fix` did it just now
        step = "remove the bot from its groups and add it again, so that it reads plain answers"
    else:
        step = "write /play in your group"
    if report.database.is_bot_running:
        return step
    return f"start the bot (make run, twentyfour-bot, or its service) and {step}"
