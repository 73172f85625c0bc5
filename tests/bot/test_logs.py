"""The log: its format, and secrets that never reach it."""

import json
import logging
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from urllib.parse import quote, unquote

import pytest
from telegram.error import TelegramError
from telegram.request import BaseRequest

from bot import logs

TOKEN = "7024000024:AAF-canary_of_the_token_0123456789abc"  # noqa: S105 - opens nothing
PASSWORD = "p@ss w\"örd/canary'\\%"  # noqa: S105 - opens nothing
SECRETS = (TOKEN, "canary_Secret-12345", PASSWORD)


@pytest.fixture
def read_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[[], str]]:
    """A function that returns new output of standard error; logging is restored at the end."""
    root = logging.getLogger()
    kept = (root.handlers, root.level)
    levels = {name: logging.getLogger(name).level for name in logs.QUIET_LIBRARIES}
    for hook in ("excepthook", "unraisablehook"):
        monkeypatch.setattr(sys, hook, getattr(sys, hook))
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    yield lambda: capsys.readouterr().err
    root.handlers, root.level = kept
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    "spelled",
    [
        str,
        repr,
        ascii,
        json.dumps,
        quote,
        lambda s: quote(s, safe=""),
        lambda s: f"https://x/{s}/y",
        lambda s: repr(s.encode()),
    ],
)
def test_secret_is_removed_in_every_spelling(secret: str, spelled: "type[str]") -> None:
    line = spelled(secret)
    shown = logs.RedactingFormatter(SECRETS).redact(f"before {line} after")
    assert shown == f"before {unquote(spelled('[secret]'))} after"


def test_token_part_after_the_colon_is_removed() -> None:
    assert logs.RedactingFormatter(SECRETS).redact(f"user:{TOKEN.partition(':')[2]}") == "user:[secret]"


def test_unknown_token_is_removed_by_its_shape() -> None:
    other = "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc"
    assert logs.RedactingFormatter(()).redact(f"/bot{other}/getMe") == "/bot[secret]/getMe"
    assert (
        logs.RedactingFormatter(()).redact(f"/bot{other.replace(':', '%3A')}/getMe") == "/bot[secret]/getMe"
    )


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("INFO bot.service: the bot starts", "INFO bot.service: the bot starts"),
        ("role 'bot' of robots at bot.example", "role 'bot' of robots at bot.example"),
        ("postgresql://bot:bot@bot:5432/bot", "postgresql://bot:[secret]@bot:5432/bot"),
        ("connect(user='bot', password='bot')", "connect(user='bot', password='[secret]')"),
        ('{"user": "bot", "password": "bot"}', '{"user": "bot", "password": "[secret]"}'),
        ("host=bot PASSWORD=bot dbname=bot", "host=bot PASSWORD=[secret] dbname=bot"),
    ],
)
def test_short_password_is_removed_only_as_a_password(line: str, shown: str) -> None:
    assert logs.RedactingFormatter(["bot"]).redact(line) == shown


def test_short_password_is_removed_in_every_spelling() -> None:
    assert (
        logs.RedactingFormatter(["p@s/s"]).redact("//u:p%40s%2Fs@h and //u:p@s/s@h")
        == "//u:[secret]@h and //u:[secret]@h"
    )


def test_short_token_is_removed_everywhere() -> None:
    assert logs.RedactingFormatter(["24:abc"]).redact("/bot24:abc/getMe") == "/bot[secret]/getMe"


def test_secrets_are_removed_from_tracebacks(read_stderr: Callable[[], str]) -> None:
    logs.configure_logging("DEBUG", SECRETS)
    try:
        try:
            raise ValueError(f"{PASSWORD!r} is wrong")
        except ValueError as error:
            raise RuntimeError(f"POST /bot{TOKEN}/x") from error
    except RuntimeError:
        logging.getLogger("bot.test").exception("failed with %s", SECRETS[1])
    lines = read_stderr()
    assert lines.splitlines()[-1] == "RuntimeError: POST /bot[secret]/x"
    assert "canary" not in lines


def test_secrets_are_removed_from_uncaught_errors(read_stderr: Callable[[], str]) -> None:
    logs.configure_logging("ERROR", SECRETS)

    def fail() -> None:
        raise OSError(TOKEN)

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    try:
        fail()
    except OSError as error:
        sys.excepthook(OSError, error, error.__traceback__)
    assert read_stderr().count("OSError: [secret]") == 2


def test_ctrl_c_logs_nothing(read_stderr: Callable[[], str]) -> None:
    logs.configure_logging("DEBUG", SECRETS)
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert read_stderr() == ""


def test_control_characters_cannot_forge_a_line(read_stderr: Callable[[], str]) -> None:
    logs.configure_logging("INFO", SECRETS)
    logging.getLogger("bot.test").info("said %s", "x\n2026-01-01 CRITICAL root: all is lost\r\x1b[2J\x85y")
    expected = r"bot.test: said x\n2026-01-01 CRITICAL root: all is lost\r\x1b[2J\x85y"
    assert read_stderr().partition(" INFO ")[2] == f"{expected}\n"


@pytest.mark.parametrize("level", ["DEBUG", "INFO", "WARNING", "ERROR"])
def test_libraries_log_only_warnings(read_stderr: Callable[[], str], level: str) -> None:
    logs.configure_logging(level, SECRETS)
    for name in (*logs.QUIET_LIBRARIES, "aiohttp.client", "telegram.ext.Updater", "sqlalchemy.engine.Engine"):
        logging.getLogger(name).info("request to %s", TOKEN)
        logging.getLogger(name).debug("request to %s", TOKEN)
    assert read_stderr() == ""
    logging.getLogger("telegram").error("of weight: %s", TOKEN)
    assert read_stderr().partition(" ERROR ")[2] == "telegram: of weight: [secret]\n"


def test_debug_level_shows_the_bots_own_lines(read_stderr: Callable[[], str]) -> None:
    logs.configure_logging("DEBUG", SECRETS)
    logging.getLogger("bot.test").debug("a detail")
    assert read_stderr().partition(" DEBUG ")[2] == "bot.test: a detail\n"


def test_same_warning_is_logged_once_a_minute(read_stderr: Callable[[], str]) -> None:
    logs.configure_logging("INFO", SECRETS)
    log = logging.getLogger("bot.test")
    record = log.makeRecord("bot.test", logging.WARNING, "", 0, "no network: %s", ("refused",), None)
    for second in (0.0, 1.0, 30.0, 59.0, 61.0):
        again = log.makeRecord("bot.test", logging.WARNING, "", 0, "no network: %s", ("refused",), None)
        again.created = record.created + second
        log.handle(again)
    log.warning("something else")
    log.info("an answer")
    log.info("an answer")
    result = [line.partition("bot.test: ")[2] for line in read_stderr().splitlines()]
    assert result == [
        "no network: refused",
        "no network: refused (and 3 times more before)",
        "something else",
        "an answer",
        "an answer",
    ]


def test_answer_that_is_no_json_is_not_logged_whole(read_stderr: Callable[[], str]) -> None:
    logs.configure_logging("DEBUG", SECRETS)
    with pytest.raises(TelegramError):
        BaseRequest.parse_json_payload(b"<html>a page</html>")
    assert read_stderr() == ""


def test_log_line_names_its_trace(read_stderr: Callable[[], str]) -> None:
    logs.configure_logging("INFO", SECRETS)
    log = logging.getLogger("bot.test")
    token = logs.current_trace.set("u12")
    log.info("one")
    logs.current_trace.reset(token)
    log.info("two")
    assert [line.partition(" INFO ")[2] for line in read_stderr().splitlines()] == [
        "bot.test: one [u12]",
        "bot.test: two",
    ]


class WordlessError(Exception):
    """An error without words."""


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (TimeoutError(), "timed out"),
        (ConnectionResetError(), "the connection was lost"),
        (WordlessError(" "), "WordlessError"),
        (WordlessError("\n one \ntwo"), "one"),
    ],
)
def test_error_reason_is_never_empty(error: Exception, expected: str) -> None:
    assert logs.get_error_reason(error) == expected


def test_json_lines_hold_no_secrets(read_stderr: Callable[[], str]) -> None:
    logs.configure_logging("INFO", SECRETS, "json")
    log = logging.getLogger("bot.test")
    token = logs.current_trace.set("u12")
    log.info("said %s", f"x\n\x85{TOKEN} {PASSWORD}")
    logs.current_trace.reset(token)
    try:
        raise ValueError(PASSWORD)
    except ValueError:
        log.exception("failed")
    one, two = map(json.loads, read_stderr().splitlines())
    assert datetime.fromisoformat(one.pop("time")).tzinfo is not None
    assert one.pop("process") == two["process"] == f"{socket.gethostname()}:{os.getpid()}"
    assert one == {
        "level": "INFO",
        "logger": "bot.test",
        "message": "said x\n\x85[secret] [secret]",
        "trace": "u12",
    }
    assert "trace" not in two
    assert two["error"].endswith("ValueError: [secret]")


def test_printed_line_has_the_format_of_the_log(read_stderr: Callable[[], str]) -> None:
    logs.configure_logging("ERROR", (TOKEN,), "json")
    logs.print_line(logging.WARNING, "no way in")
    assert read_stderr() == ""  # as was asked for
    logs.configure_logging("INFO", (TOKEN,), "json")
    logs.print_line(logging.WARNING, f"another way in: {TOKEN}")
    result = json.loads(read_stderr())
    assert (result["level"], result["message"]) == ("WARNING", "another way in: [secret]")
    logs.configure_logging("CRITICAL", (TOKEN,))
    logs.print_line(logging.WARNING, "no way in")
    assert read_stderr() == "twentyfour-bot: no way in\n"
