"""The command line: read the settings, carry out one command, and return an exit code."""

import argparse
import asyncio
import logging
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from bot import logs
from bot.checkup import environment, machine, report
from bot.checkup.database import LOGIN_REFUSAL_CODES, find_remedy
from bot.checkup.finding import Mark
from bot.console.chat import detect_language, run_console
from bot.console.classroom import run_class, use_own_file
from bot.console.streams import OutputError, print_lines
from bot.database import (
    INSUFFICIENT_PRIVILEGE,
    READ_ONLY,
    AccessMode,
    Store,
    StoreError,
    UnreachableError,
    describe_error,
    get_error_code,
    is_database_failure,
)
from bot.database.address import describe_database
from bot.database.backup import (
    BackupError,
    record_backup_time,
    restore_backup,
    write_backup,
    write_daily_backup,
)
from bot.database.move import MoveError, move_database
from bot.database.sqlite import explain_unreachable
from bot.ingress import TOKEN_LOST_ERRORS
from bot.queue import dead_letters
from bot.service import serve_telegram
from bot.settings import (
    DEFAULT_ADDRESS,
    TARGET_VARIABLE,
    Settings,
    SettingsError,
    read_address,
    read_settings,
)
from bot.supervision import PartEndedError
from bot.telegram.polling import PollingError
from bot.telegram.startup import StartError
from solver import __version__

log = logging.getLogger(__name__)

# Errors that a person must correct, after which nothing restarts the bot by itself.
PERMANENT_ERRORS = (
    SettingsError,
    StoreError,
    StartError,
    *TOKEN_LOST_ERRORS,
    BackupError,
    MoveError,
    dead_letters.DeadLetterError,
)
# Errors that a restart may get over.
TRANSIENT_ERRORS = (UnreachableError, PollingError, PartEndedError, OutputError)
TRANSIENT_EXIT_CODE, PERMANENT_EXIT_CODE = 1, 2
NO_WRITES = "DATABASE_URL: the database takes no writes; is it a standby, or set to be read only?"


def run_command(arguments: Sequence[str]) -> int:
    """Run the command line, or the bot if it names no command; print errors, and return the exit code."""
    options = _make_parser().parse_args(arguments)
    try:
        if options.command == "check":
            return asyncio.run(_check(with_fix=options.fix))
        if os.environ.get("LOG_FORMAT", "").strip().lower() == "json":
            # So that an error of `read_settings` is JSON, too
            logs.configure_logging("INFO", secrets=(), form="json")
        settings = read_settings(os.environ)
        logs.configure_logging(settings.log_level, settings.secrets, settings.log_format)
        return _carry_out(options, settings)
    except TRANSIENT_ERRORS as error:
        return _print_error(error, TRANSIENT_EXIT_CODE)
    except PERMANENT_ERRORS as error:
        return _print_error(error, PERMANENT_EXIT_CODE)
    except KeyboardInterrupt:
        return 130  # as a shell reports SIGINT
    except Exception as error:  # noqa: BLE001 - it is logged
        return _print_unforeseen_error(error)


def _print_unforeseen_error(error: Exception) -> int:
    """Print that the database failed, or log any other error with its traceback. Return the exit code."""
    code = get_error_code(error)
    if code == READ_ONLY:
        return _print_error(StoreError(NO_WRITES), TRANSIENT_EXIT_CODE)
    if is_database_failure(error):
        failure = StoreError(f"the database failed: {describe_error(error)}")
        is_permanent = code == INSUFFICIENT_PRIVILEGE  # a person must grant it
        return _print_error(failure, PERMANENT_EXIT_CODE if is_permanent else TRANSIENT_EXIT_CODE)
    log.critical("the bot ends: something unforeseen happened", exc_info=error)
    return TRANSIENT_EXIT_CODE


def _print_error(error: Exception, exit_code: int) -> int:
    """Print why the process ends; if the database refused the login, also the remedy. Return `exit_code`."""
    refusal = error if isinstance(error, StoreError) else error.__cause__  # a MoveError's cause, for one
    remedy = ""
    if (
        isinstance(refusal, StoreError)
        and refusal.url is not None
        and refusal.error_code in LOGIN_REFUSAL_CODES
    ):
        remedy = f"; {find_remedy(refusal, refusal.url)}"
    logs.print_line(logging.CRITICAL, f"{error}{remedy}")
    return exit_code


def _carry_out(options: argparse.Namespace, settings: Settings) -> int:
    """Carry out any command but `check`, or run the bot without one; return the exit code."""
    if options.command not in (None, "class") and environment.lacks_database(os.environ):
        _warn_of_default_database(options.command, settings)
    match options.command:
        case "backup":
            return _back_up(options, settings)
        case "migrate":
            return asyncio.run(_migrate(settings))
        case "move":
            return asyncio.run(_move(settings, options.target or os.environ.get(TARGET_VARIABLE, "")))
        case "restore":
            former = restore_backup(options.file, settings.database)
            note = f"; the former one is kept as {former}" if former else ""
            return print_lines([f"{settings.database.database}: restored and checked{note}"])
        case "dead":
            return print_lines(asyncio.run(_handle_dead_letters(options, settings)))
        case "class":
            return _run_class(options, settings)
        case _:  # no command
            return asyncio.run(_run_bot(settings))


def _warn_of_default_database(command: str, settings: Settings) -> None:
    """Warn that without DATABASE_URL the command uses the default file of the user who runs it: the operator
    may have meant the bot's database. Raises SettingsError if that file can't be reached, or does not exist
    and the command does not create it, as `migrate` and `restore` do.
    """
    path = Path(str(settings.database.database))
    problem = explain_unreachable(path)
    if not problem and command not in {"migrate", "restore"} and not path.exists():
        problem = f"there is no database {str(path)!r} (DATABASE_URL may name that, too)"
    if problem:
        why = f"not set, so a file of whoever runs this would be taken, and {problem}"
        raise SettingsError(f"DATABASE_URL: {why}; {environment.LOAD_SETTINGS_HINT}")
    note = f"DATABASE_URL is not set, so {str(path)!r} is taken, a file of whoever runs this"
    logs.print_line(logging.WARNING, f"{note}; {environment.LOAD_SETTINGS_HINT}")


async def _run_bot(settings: Settings) -> int:
    """Log doubtful settings, and serve Telegram or, without a token, the terminal. Return the exit code."""
    for finding in (*environment.check_secret(settings), *machine.check_workers(settings)):
        log.warning("%s: %s; %s", finding.subject, finding.state, finding.remedy)
    if settings.token is None:
        return await run_console(settings)
    await serve_telegram(settings)
    return 0


def _run_class(options: argparse.Namespace, settings: Settings) -> int:
    """Serve a class, in a file of its own unless DATABASE_URL names one; return the exit code."""
    listen = read_address({"--listen": options.listen}, "--listen") or DEFAULT_ADDRESS
    if environment.lacks_database(os.environ):
        settings = use_own_file(settings)
    language = detect_language(os.environ)
    return asyncio.run(
        run_class(settings, listen, language, is_new=options.new, opens_browser=not options.no_browser)
    )


def _back_up(options: argparse.Namespace, settings: Settings) -> int:
    """Write a backup, or today's with `--keep`; record its time in the database, and print its size."""
    file = options.file
    if options.keep is None:
        write_backup(settings.database, file, force=options.force)
    else:
        file = write_daily_backup(settings.database, file, options.keep, time.strftime("%Y-%m-%d"))
    record_backup_time(settings.database, time.time())
    return print_lines([f"{file}: {file.stat().st_size} bytes, checked"])


async def _migrate(settings: Settings) -> int:
    """Bring the database to this version's tables; older bots may run on a server's, but not on a file."""
    store = await Store.open(settings.database, AccessMode.SHARED)  # migrates
    await store.close()
    return print_lines([f"the database {describe_database(settings.database)} has this version's tables"])


async def _move(settings: Settings, target: str) -> int:
    """Copy everything to another database. Raises MoveError."""
    if not target.strip():  # `read_settings` would take an empty one for the default file
        raise MoveError(f"the target: it is empty; set {TARGET_VARIABLE}, as to postgresql://user@host/games")
    try:
        target_url = read_settings({"DATABASE_URL": target}).database
    except SettingsError as error:
        raise MoveError(f"the target: {str(error).removeprefix('DATABASE_URL: ')}") from None
    await move_database(settings.database, target_url, lambda line: print_lines([line]))
    return print_lines(["all is moved and checked: set DATABASE_URL to it; the former one is left as it was"])


async def _check(*, with_fix: bool) -> int:
    """Print a report on settings and surroundings, also where a variable is wrong. Return 1 if something is
    wrong, 0 if not, or the exit code for an output that can't be written. `with_fix` changes the bot's
    settings at Telegram.
    """
    settings, findings = environment.check_variables(os.environ)
    logs.configure_logging("CRITICAL", settings.secrets)  # the report says everything
    wrong_names = {
        finding.subject.removesuffix("_FILE") for finding in findings if finding.mark is Mark.WRONG
    }
    checked = await report.run_checks(settings, time.time, wrong_names, with_fix=with_fix)
    # `settings` holds the default of a wrong variable: findings about that say nothing.
    findings += [finding for finding in checked.findings if finding.subject not in wrong_names]
    output_exit_code = print_lines(report.render_report(replace(checked, findings=findings)))
    if output_exit_code != 0:
        return output_exit_code
    return 1 if any(finding.mark is Mark.WRONG for finding in findings) else 0


async def _handle_dead_letters(options: argparse.Namespace, settings: Settings) -> list[str]:
    """Try again, delete or list dead letters; return the lines to print. An option without ids means all."""
    store = await Store.open_without_lock(settings.database)
    try:
        if options.retry is not None:
            count = await store.write(partial(dead_letters.retry_dead_letters, names=options.retry))
            return [f"{count} will be tried again"]
        if options.drop is not None:
            count = await store.write(partial(dead_letters.delete_dead_letters, names=options.drop))
            return [f"{count} dropped"]
        return await store.read(dead_letters.list_dead_letters) or ["nothing was set aside"]
    finally:
        await store.close()


COMMANDS_NOTE = "Use them while the bot runs, unless they say to stop it first."


def _make_parser() -> argparse.ArgumentParser:
    """Make the parser of the command line; its `command` is None to run the bot."""
    version = argparse.ArgumentParser(add_help=False)  # an option of every command
    text = f"twentyfour-bot {__version__}"
    version.add_argument("-V", "--version", action="version", version=text, help="print the version")
    parser = argparse.ArgumentParser(
        "twentyfour-bot",
        parents=[version],
        description="Runs the bot. Without BOT_TOKEN in the environment a chat opens in the terminal; "
        "deploy/bot.env.example explains every variable.",
    )
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", description=COMMANDS_NOTE
    )
    _add_commands(partial(commands.add_parser, parents=[version]))
    return parser


def _add_commands(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add all commands and their options, each by a call of `add` with its name and help."""
    backup = add("backup", help="write a checked copy of the SQLite database")
    backup.add_argument("file", type=Path, metavar="FILE")
    backup.add_argument("--force", action="store_true", help="replace an older backup of that name")
    keep = "FILE is a folder: write or replace today's backup there, and delete all but the newest N of them"
    backup.add_argument("--keep", type=int, metavar="N", help=keep)
    add("migrate", help="upgrade the database's tables and exit; bots on PostgreSQL may keep running")
    move = add("move", help="copy everything to another, empty database; stop the bot first")
    target = f"by default the value of {TARGET_VARIABLE}, where other users can't see the password"
    move.add_argument("target", nargs="?", metavar="URL", help=target)
    restore = add("restore", help="replace the database with a backup; stop the bot first")
    restore.add_argument("file", type=Path, metavar="FILE")
    school_class = add(
        "class", help="serve a class on the local network; pupils need no account and no Telegram"
    )
    school_class.add_argument(
        "--listen", metavar="HOST:PORT", default="0.0.0.0:8024", help="%(default)s if not given"
    )
    school_class.add_argument("--new", action="store_true", help="open another class; the others go on")
    school_class.add_argument("--no-browser", action="store_true", help="don't open the teacher's page")
    check = add(
        "check", help="check settings, database, token, clock and disk, and say how to solve each problem"
    )
    fix = "at Telegram switch privacy mode off, so that the bot reads answers in groups, and inline mode on"
    check.add_argument("--fix", action="store_true", help=fix)
    dead = add("dead", help="list failed updates and requests, try them again or delete them")
    action = dead.add_mutually_exclusive_group()
    action.add_argument("--retry", nargs="*", metavar="ID", help="all if none is named")
    action.add_argument("--drop", nargs="*", metavar="ID", help="all if none is named")
