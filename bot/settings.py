"""Read the settings from the environment; a bad value ends the start with a line that names its variable."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from platformdirs import user_data_path
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

TARGET_VARIABLE = "TARGET_DATABASE_URL"  # the target of `move`; the bot itself does not read it
# Each names a file that holds the value of the variable without _FILE, as container secrets do.
FILE_VARIABLES = ("BOT_TOKEN_FILE", "DATABASE_URL_FILE", "WEBHOOK_SECRET_FILE")
VARIABLES = (
    *FILE_VARIABLES,
    TARGET_VARIABLE,
    *("BOT_TOKEN", "BOT_API_URL", "DATABASE_URL", "WEBHOOK_URL", "WEBHOOK_LISTEN", "WEBHOOK_SECRET"),
    *("SOLVER_WORKERS", "SOLVER_DEADLINE", "HEALTH_LISTEN", "LOG_LEVEL"),
    *("LOG_FORMAT", "KEEP_DAYS", "WEB_URL", "WEB_LISTEN", "WEB_APP"),
)
TELEGRAM_API_URL = "https://api.telegram.org"
LOG_LEVELS, LOG_FORMATS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"), ("text", "json")


class SettingsError(Exception):
    """A variable can't be used; the message is one line, names the variable and never holds a secret."""


@dataclass(frozen=True, slots=True)
class Address:
    """An address to listen on."""

    host: str
    port: int  # 0 lets the system choose a free port


DEFAULT_ADDRESS = Address("127.0.0.1", 8080)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in the environment. Secrets stay out of the repr."""

    token: str | None = field(repr=False)  # None opens the console chat
    api_url: str  # root of the Bot API server, without a slash at its end
    database: URL = field(repr=False)  # with its async driver
    webhook_url: str | None = field(repr=False)  # the public address that Telegram posts to; None: polling
    webhook_listen: Address
    webhook_secrets: tuple[str, ...] = field(repr=False)  # accepted from Telegram, the new one first
    solver_workers: int
    solver_deadline: float  # seconds that one task of the solver may take
    health_listen: Address | None
    web_url: str | None  # the board's public root, without a slash at its end; None: no board
    web_listen: Address
    web_app: str  # the short name of the Mini App at BotFather; "" for the bot's main one
    keep_days: int  # days for which rounds are kept once they are over; 0: for ever
    log_level: str
    log_format: str  # `text` for people, `json` for tools
    token_left_empty: bool = field(compare=False)  # whether BOT_TOKEN is set, but empty

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every text that must not reach a log."""
        return tuple(s for s in (self.token, *self.webhook_secrets, self.database.password) if s)


MIN_KEEP_DAYS = 40  # since posts and boards tell of the last month


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Read the settings from the environment. Raises SettingsError for the first bad value."""
    variables = _collect_values(environment)
    settings = Settings(
        token=_read_pattern(
            variables, "BOT_TOKEN", TOKEN_PATTERN, "not a bot token; BotFather's look like 123456789:AAE…"
        ),
        api_url=(_read_http_url(variables, "BOT_API_URL") or TELEGRAM_API_URL).rstrip("/"),
        database=_read_database_url(variables),
        webhook_url=_read_http_url(variables, "WEBHOOK_URL"),
        webhook_listen=read_address(variables, "WEBHOOK_LISTEN") or DEFAULT_ADDRESS,
        webhook_secrets=_read_webhook_secrets(variables, "WEBHOOK_SECRET"),
        solver_workers=_read_number(variables, "SOLVER_WORKERS", default=2, least=1, most=64),
        solver_deadline=_read_number(variables, "SOLVER_DEADLINE", default=5.0, least=0.1, most=600.0),
        health_listen=read_address(variables, "HEALTH_LISTEN"),
        web_url=_read_board_url(variables, "WEB_URL"),
        web_listen=read_address(variables, "WEB_LISTEN")
        or read_address(variables, "WEBHOOK_LISTEN")
        or DEFAULT_ADDRESS,
        web_app=_read_pattern(
            variables, "WEB_APP", APP_PATTERN, "not a Mini App's short name: 3 to 30 of A-Z a-z 0-9 _"
        )
        or "",
        keep_days=_read_number(variables, "KEEP_DAYS", default=365, least=0, most=100_000),
        log_level=_read_choice(variables, "LOG_LEVEL", LOG_LEVELS, default="INFO"),
        log_format=_read_choice(variables, "LOG_FORMAT", LOG_FORMATS, default="text"),
        token_left_empty="BOT_TOKEN" in environment and "BOT_TOKEN" not in variables,
    )
    if settings.webhook_url and not settings.webhook_secrets:
        raise SettingsError(
            "WEBHOOK_SECRET: missing; WEBHOOK_URL needs one, or anyone could post forged updates"
        )
    if 0 < settings.keep_days < MIN_KEEP_DAYS:
        raise SettingsError(f"KEEP_DAYS: at least {MIN_KEEP_DAYS} days; 0 keeps everything")
    return settings


def _collect_values(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that are not empty, without the space around them. For one that ends with _FILE
    also return the content of that file, under the name without _FILE. Raises SettingsError for a value in
    quotes and for a file that can't be used.
    """
    variables = {key: value.strip() for key, value in environment.items() if value.strip()}
    for key in VARIABLES:
        if is_quoted(variables.get(key, "")):
            why = "it stands in quotes, which docker's --env-file keeps; leave out the quotes"
            raise SettingsError(f"{key}: {why}")
    from_files = {
        key.removesuffix("_FILE"): _read_file(variables, key) for key in FILE_VARIABLES if key in variables
    }
    return variables | from_files


def _read_file(variables: Mapping[str, str], key: str) -> str:
    """Return the content of the file that the variable `key` names, without the space around it. Raises
    SettingsError if it can't be read or is empty, or if the variable without _FILE is set as well.
    """
    path, name = variables[key], key.removesuffix("_FILE")
    if name in variables:
        raise SettingsError(f"{key}: {name} is set as well; leave one of them out")
    try:
        value = Path(path).read_text("utf-8-sig").strip()  # without an editor's byte order mark
    except OSError as error:
        raise SettingsError(f"{key}: {path!r} can't be read: {error.strerror}") from None
    except ValueError:  # whose message would quote the secret
        raise SettingsError(f"{key}: {path!r} can't be read: it is no text") from None
    if not value:
        raise SettingsError(f"{key}: {path!r} is empty")
    return value


def is_quoted(value: str) -> bool:
    """Whether the value begins and ends with the same quotation mark."""
    return len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"


TOKEN_PATTERN, APP_PATTERN = r"[0-9]{1,20}:[A-Za-z0-9_-]{1,128}", r"[A-Za-z0-9_]{3,30}"


def _read_pattern(variables: Mapping[str, str], key: str, pattern: str, problem: str) -> str | None:
    """Return the value of `key`; None if it is not set. Raises SettingsError unless it matches `pattern`."""
    value = variables.get(key)
    if value and not re.fullmatch(pattern, value):
        raise SettingsError(f"{key}: {problem}")
    return value


# Both secrets are accepted while one takes the other's place.
SECRET_PATTERN, MAX_SECRETS = r"[A-Za-z0-9_-]{16,256}", 2


def _read_webhook_secrets(variables: Mapping[str, str], key: str) -> tuple[str, ...]:
    """Return one secret, or a new one and the one before it; none if it is not set. Raises SettingsError."""
    value = variables.get(key)
    if value is None:
        return ()
    secrets = [secret.strip() for secret in value.split(",")]
    if all(re.fullmatch(SECRET_PATTERN, secret) for secret in secrets) and len(secrets) <= MAX_SECRETS:
        return tuple(dict.fromkeys(secrets))  # each once
    allowed = "16 to 256 characters of A-Z a-z 0-9 _ -"
    if len(secrets) > 1:
        raise SettingsError(f"{key}: one, or two as in new,old; each has {allowed}")
    raise SettingsError(f"{key}: not {allowed}")


def _read_http_url(variables: Mapping[str, str], key: str) -> str | None:
    """Return an address; None if it is not set. Raises SettingsError unless it is http:// or https://."""
    value = variables.get(key)
    if value is None:
        return None
    try:
        parts = urlsplit(value)
        is_valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid or re.search(r"\s", value):
        raise SettingsError(f"{key}: not an http:// or https:// address")
    return value


PLAIN_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*")
PLAIN_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*/?")
DEFAULT_PORTS = {"http": 80, "https": 443}  # browsers never write these


def _read_board_url(variables: Mapping[str, str], key: str) -> str | None:
    """Return the root that browsers are sent to, as they write it; None if it is not set. Raises
    SettingsError unless it is plain and https; this machine's own may be http.
    """
    value = _read_http_url(variables, key)
    if value is None:
        return None
    parts = urlsplit(value)
    host = parts.hostname or ""  # in small letters
    has_extras = bool(parts.query or parts.fragment or parts.username or parts.password)
    if has_extras or not PLAIN_HOST.fullmatch(host) or not PLAIN_PATH.fullmatch(parts.path):
        raise SettingsError(f"{key}: a plain address, such as https://bot.example.org/board")
    if parts.scheme != "https" and host not in {"localhost", "127.0.0.1"}:
        raise SettingsError(
            f"{key}: not https://, and Telegram opens no other; http:// is for 127.0.0.1 alone"
        )
    has_default_port = parts.port in {None, DEFAULT_PORTS[parts.scheme]}
    port = "" if has_default_port else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"


DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+asyncpg", "postgres": "postgresql+asyncpg"}
MAX_PORT = 65535


def _read_database_url(variables: Mapping[str, str]) -> URL:
    """Return the database's address with the driver to use; without one, a file in the user's data folder.
    Raises SettingsError for an address that the bot can't use.
    """
    value = variables.get("DATABASE_URL")
    if value is None:
        return URL.create("sqlite", database=str(user_data_path("twentyfour") / "twentyfour.sqlite3"))
    try:
        url = make_url(value)
    except (ArgumentError, ValueError):
        raise SettingsError("DATABASE_URL: not an address; try sqlite:///path or postgresql://…") from None
    driver = DRIVERS.get(url.drivername.partition("+")[0])
    if driver is None:
        raise SettingsError(
            f"DATABASE_URL: {url.drivername!r} is not known; try sqlite:///path or postgresql://…"
        )
    if driver == "sqlite":
        _require_file_url(url, value)
    elif find_spec("asyncpg") is None:
        install = "in a clone of the project run pip install '.[bot,postgresql]'"
        raise SettingsError(f"DATABASE_URL: PostgreSQL needs the package asyncpg; {install}")
    if url.port is not None and not 1 <= url.port <= MAX_PORT:
        raise SettingsError(f"DATABASE_URL: its port is not a number from 1 to {MAX_PORT}")
    host = unquote(url.host) if url.host else url.host  # the folder of a socket is given as %2Frun
    return url.set(drivername=driver, host=host)


def _require_file_url(url: URL, value: str) -> None:
    """Raise SettingsError if the address `value` of a SQLite database names no file, or more, or a folder."""
    if not url.database or url.database == ":memory:":
        raise SettingsError("DATABASE_URL: sqlite needs a file, as in sqlite:///twentyfour.sqlite3")
    if url.host:
        raise SettingsError(
            "DATABASE_URL: a file takes three slashes, or four where its path begins with one, as in"
            " sqlite:////var/lib/twentyfour.sqlite3"
        )
    if "?" in value:
        why = "a file has no options here; leave out the question mark and the rest; in a path it is %3F"
        raise SettingsError(f"DATABASE_URL: {why}")
    if os.path.isdir(url.database):  # noqa: PTH112 - in another's folder Path.is_dir raises
        raise SettingsError(f"DATABASE_URL: {url.database!r} is a folder, not a file")


def read_address(variables: Mapping[str, str], key: str) -> Address | None:
    """Return an address to listen on; None if it is not set. Raises SettingsError unless it is host:port."""
    value = variables.get(key)
    if value is None:
        return None
    host, colon, port = value.rpartition(":")
    is_port = bool(re.fullmatch(r"[0-9]{1,5}", port)) and int(port) <= MAX_PORT
    if not colon or not is_port or re.search(r"[\s/]", host):
        raise SettingsError(f"{key}: {value!r} is not host:port, as in 127.0.0.1:8080")
    # an IPv6 address is in brackets; without a host, this machine alone can connect
    return Address(host.strip("[]") or DEFAULT_ADDRESS.host, int(port))


Number = TypeVar("Number", int, float)


def _read_number(
    variables: Mapping[str, str], key: str, default: Number, least: Number, most: Number
) -> Number:
    """Return a number of the type of `default`. Raises SettingsError unless it is `least` to `most`."""
    value = variables.get(key)
    if value is None:
        return default
    problem = f"{key}: {value!r} is not a number from {least} to {most}"
    try:
        number = type(default)(value)
    except ValueError:
        raise SettingsError(problem) from None
    if not least <= number <= most:
        raise SettingsError(problem)
    return number


def _read_choice(variables: Mapping[str, str], key: str, choices: Sequence[str], default: str) -> str:
    """Return the choice that is set, whatever its capitals; `default` if none is. Raises SettingsError."""
    value = variables.get(key, default)
    for choice in choices:
        if choice.lower() == value.lower():
            return choice
    raise SettingsError(f"{key}: {value!r} is none of {', '.join(choices)}")
