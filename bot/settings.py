"""The environment, read once and cast: a bad value ends the start with one line that names its key."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from platformdirs import user_data_path
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

TARGET_VARIABLE = "TARGET_DATABASE_URL"  # Where `move` goes to; the bot itself does not read it
# Each names a file that holds the value of the variable without _FILE, as container secrets do.
IN_FILES = ("BOT_TOKEN_FILE", "DATABASE_URL_FILE", "WEBHOOK_SECRET_FILE")
# The bot's variables.
VARIABLES = (
    *IN_FILES,
    TARGET_VARIABLE,
    *("BOT_TOKEN", "BOT_API_URL", "DATABASE_URL", "WEBHOOK_URL", "WEBHOOK_LISTEN", "WEBHOOK_SECRET"),
    *("SOLVER_WORKERS", "SOLVER_DEADLINE", "HEALTH_LISTEN", "LOG_LEVEL"),
    *("LOG_FORMAT", "KEEP_DAYS", "WEB_URL", "WEB_LISTEN", "WEB_APP"),
)
BYTE_ORDER_MARK = "\ufeff"  # The byte-order mark, with which some editors begin a file
QUOTED = "it stands in quotes, which docker's --env-file keeps; leave out the quotes"
NO_APP = "not a Mini App's short name, which has 3 to 30 of A-Z a-z 0-9 _"
APP, ROOT = r"[A-Za-z0-9_]{3,30}", re.compile(r"(/[A-Za-z0-9._~-]+)*/?")
TOKEN, SECRET = r"[0-9]{1,20}:[A-Za-z0-9_-]{1,128}", r"[A-Za-z0-9_-]{16,256}"
MOST_SECRETS = 2  # Secrets of the webhook at once: while one takes the other's place, both are taken
TELEGRAM_API_URL = "https://api.telegram.org"
DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+asyncpg", "postgres": "postgresql+asyncpg"}
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
FORMATS = ("text", "json")
# Where each is served unless an address names another port; browsers never write these.
PORTS = {"http": 80, "https": 443}
HIGHEST = 65535
# Days for which rounds must be kept: what the last month's words and boards tell is told of these.
FEWEST_DAYS = 40
Number = TypeVar("Number", int, float)


class SettingsError(Exception):
    """A variable that can't be used; the message is one line, names the variable and never holds a secret."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen."""

    host: str
    port: int  # 0 lets the system choose a free port


# Where what has a public address is served, unless the settings say otherwise.
DEFAULT_ADDRESS = Address("127.0.0.1", 8080)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that the environment decides. Secrets stay out of the repr."""

    token: str | None = field(repr=False)  # The bot's token; None opens the console chat
    api_url: str  # Root of the Bot API server, without a slash at its end
    database: URL = field(repr=False)  # The database with its async driver
    # The public address that Telegram posts to; None: long polling.
    webhook_url: str | None = field(repr=False)
    webhook_listen: Address
    # What proves that Telegram posts, any of them: the one that it is to be told first.
    webhook_secrets: tuple[str, ...] = field(repr=False)
    solver_workers: int
    solver_deadline: float  # Seconds that one task of the solver may take before its worker is killed
    health_listen: Address | None
    web_url: str | None  # The public root of the board, without a slash at its end; None: there is no board
    web_listen: Address
    web_app: str  # The short name of the Mini App at BotFather; empty for the bot's main one
    keep_days: int  # Days for which rounds are kept once they are over; 0: for ever
    log_level: str
    log_format: str  # `text` for people, `json` for tools
    # BOT_TOKEN is there and empty, as in a file of settings that nobody has filled in.
    token_left_empty: bool = field(compare=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every text that must not reach a log."""
        return tuple(s for s in (self.token, *self.webhook_secrets, self.database.password) if s)


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings in `environment`. Raises SettingsError for the first value that can't be used."""
    given = {key: value.strip() for key, value in environment.items() if value.strip()}
    for key in VARIABLES:
        if is_quoted(given.get(key, "")):
            raise SettingsError(f"{key}: {QUOTED}")
    given |= {key.removesuffix("_FILE"): _read_file(given, key) for key in IN_FILES if key in given}
    settings = Settings(
        token=_matching(given, "BOT_TOKEN", TOKEN, "not a bot token; BotFather's look like 123456789:AAE…"),
        api_url=_web_address(given, "BOT_API_URL") or TELEGRAM_API_URL,
        database=_database(given),
        webhook_url=_web_address(given, "WEBHOOK_URL"),
        webhook_listen=_address(given, "WEBHOOK_LISTEN") or DEFAULT_ADDRESS,
        webhook_secrets=_secrets(given, "WEBHOOK_SECRET"),
        solver_workers=_number(given, "SOLVER_WORKERS", 2, 1, 64),
        solver_deadline=_number(given, "SOLVER_DEADLINE", 5.0, 0.1, 600.0),
        health_listen=_address(given, "HEALTH_LISTEN"),
        web_url=_board(given, "WEB_URL"),
        web_listen=_address(given, "WEB_LISTEN") or _address(given, "WEBHOOK_LISTEN") or DEFAULT_ADDRESS,
        web_app=_matching(given, "WEB_APP", APP, "not a Mini App's short name: 3 to 30 of A-Z a-z 0-9 _")
        or "",
        keep_days=_days(given, "KEEP_DAYS", 365, FEWEST_DAYS),
        log_level=_one_of(given, "LOG_LEVEL", LEVELS, "INFO"),
        log_format=_one_of(given, "LOG_FORMAT", FORMATS, "text"),
        token_left_empty="BOT_TOKEN" in environment and "BOT_TOKEN" not in given,
    )
    if settings.webhook_url and not settings.webhook_secrets:
        raise SettingsError(
            "WEBHOOK_SECRET: missing; WEBHOOK_URL needs one, or anyone could post forged updates"
        )
    return settings


def _read_file(given: Mapping[str, str], key: str) -> str:
    """Return what the file named by the variable `key` holds, without the space around it.

    Raises SettingsError where it can't be read or is empty, and where the variable itself is set as well.
    """
    path, name = given[key], key.removesuffix("_FILE")
    if name in given:
        raise SettingsError(f"{key}: {name} is set as well; leave one of them out")
    try:
        value = Path(path).read_text("utf-8-sig").strip()
    except OSError as error:
        raise SettingsError(f"{key}: {path!r} can't be read: {error.strerror}") from None
    except ValueError:  # whose words would quote it
        raise SettingsError(f"{key}: {path!r} can't be read: it is no text") from None
    if not value:
        raise SettingsError(f"{key}: {path!r} is empty")
    return value


def is_quoted(value: str) -> bool:
    """Whether it begins and ends with the same quote."""
    return len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"


def _matching(given: Mapping[str, str], key: str, shape: str, trouble: str) -> str | None:
    value = given.get(key)
    if value and not re.fullmatch(shape, value):
        raise SettingsError(f"{key}: {trouble}")
    return value


def _secrets(given: Mapping[str, str], key: str) -> tuple[str, ...]:
    """One, or a new one and the one before it."""
    value = given.get(key)
    if value is None:
        return ()
    secrets = [secret.strip() for secret in value.split(",")]
    if all(re.fullmatch(SECRET, secret) for secret in secrets) and len(secrets) <= MOST_SECRETS:
        return tuple(dict.fromkeys(secrets))
    allowed = "16 to 256 characters of A-Z a-z 0-9 _ -"
    if len(secrets) > 1:
        raise SettingsError(f"{key}: one, or two as in new,old; each has {allowed}")
    raise SettingsError(f"{key}: not {allowed}")


def _web_address(given: Mapping[str, str], key: str) -> str | None:
    value = given.get(key)
    if value is None:
        return None
    try:
        parts = urlsplit(value)
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or re.search(r"\s", value):
        raise SettingsError(f"{key}: not an http:// or https:// address")
    return value.rstrip("/") if key == "BOT_API_URL" else value


def _board(given: Mapping[str, str], key: str) -> str | None:
    """A root that people's browsers can be sent to: by https, but for this machine's own."""
    value = _web_address(given, key)
    if value is None:
        return None
    parts = urlsplit(value)
    if parts.query or parts.fragment or parts.username or parts.password or not ROOT.fullmatch(parts.path):
        raise SettingsError(f"{key}: a plain address, such as https://bot.example.org/board")
    if parts.scheme != "https" and not _is_own(parts.hostname or ""):
        raise SettingsError(
            f"{key}: not https://, and Telegram opens no other; http:// is for 127.0.0.1 alone"
        )
    port = f":{parts.port}" if parts.port and parts.port != PORTS[parts.scheme] else ""
    host = _as_browsers_write_it(key, parts.hostname or "")
    return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"


def _as_browsers_write_it(key: str, host: str) -> str:
    """The host as a browser says where a request comes from: https://url.spec.whatwg.org/#host-serializing."""
    if ":" in host:
        return f"[{host}]"
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        raise SettingsError(f"{key}: a plain address, such as https://bot.example.org/board") from None


def _is_own(host: str) -> bool:
    """Whether it is this machine by any network."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _database(given: Mapping[str, str]) -> URL:
    value = given.get("DATABASE_URL")
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
    if driver.startswith("sqlite") and (not url.database or url.database == ":memory:"):
        raise SettingsError("DATABASE_URL: sqlite needs a file, as in sqlite:///twentyfour.sqlite3")
    if driver.startswith("sqlite") and url.host:
        raise SettingsError(
            "DATABASE_URL: a file takes three slashes, or four where its path begins with one, as in"
            " sqlite:////var/lib/twentyfour.sqlite3"
        )
    if driver.startswith("sqlite") and "?" in value:
        told = "a file has no options here; leave out the question mark and the rest; in a path it is %3F"
        raise SettingsError(f"DATABASE_URL: {told}")
    if url.port is not None and not 1 <= url.port <= HIGHEST:
        raise SettingsError(f"DATABASE_URL: its port is not a number from 1 to {HIGHEST}")
    if driver.startswith("sqlite") and _is_folder(Path(str(url.database))):
        raise SettingsError(f"DATABASE_URL: {url.database!r} is a folder, not a file")
    return url.set(drivername=driver, host=url.host and unquote(url.host))  # a socket's folder, as %2Frun


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # nobody can say: as in another user's folder
        return False


def _address(given: Mapping[str, str], key: str) -> Address | None:
    value = given.get(key)
    if value is None:
        return None
    host, colon, port = value.rpartition(":")
    if not colon or not re.fullmatch(r"[0-9]{1,5}", port) or int(port) > HIGHEST or re.search(r"[\s/]", host):
        raise SettingsError(f"{key}: {value!r} is not host:port, as in 127.0.0.1:8080")
    return Address(host.strip("[]") or "127.0.0.1", int(port))


def _number(given: Mapping[str, str], key: str, default: Number, least: Number, most: Number) -> Number:
    value = given.get(key)
    if value is None:
        return default
    try:
        number = type(default)(value)
        if not least <= number <= most:
            raise ValueError(value)
    except ValueError:
        raise SettingsError(f"{key}: {value!r} is not a number from {least} to {most}") from None
    return number


def _days(given: Mapping[str, str], key: str, default: int, fewest: int) -> int:
    """A number of days, or 0."""
    days = _number(given, key, default, 0, 100_000)
    if 0 < days < fewest:
        raise SettingsError(f"{key}: at least {fewest} days; 0 keeps everything")
    return days


def _one_of(given: Mapping[str, str], key: str, known: Sequence[str], default: str) -> str:
    """One of the words, in capitals or not."""
    value = given.get(key, default)
    found = next((word for word in known if word.lower() == value.lower()), None)
    if found is None:
        raise SettingsError(f"{key}: {value!r} is none of {', '.join(known)}")
    return found
