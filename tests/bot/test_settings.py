"""Settings from the environment; a bad value is named in one line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.settings import TELEGRAM_API_URL, VARIABLES, Address, Settings, SettingsError, read_settings

TOKEN = "123456789:AAE-a_token_made_up_for_tests_0123456"  # noqa: S105 - opens nothing
HOOK = {"WEBHOOK_URL": "https://bot.example.org/telegram"}


def test_empty_environment_opens_the_console_with_the_default_file() -> None:
    settings = read_settings({})
    assert settings.token is None
    assert settings.api_url == TELEGRAM_API_URL
    assert settings.database.drivername == "sqlite"
    assert Path(str(settings.database.database)).name == "twentyfour.sqlite3"
    assert settings.webhook_url is None
    assert settings.webhook_listen == Address("127.0.0.1", 8080)
    assert (settings.solver_workers, settings.solver_deadline) == (2, 5.0)
    assert settings.health_listen is None
    assert (settings.web_url, settings.web_listen, settings.web_app) == (None, Address("127.0.0.1", 8080), "")
    assert settings.log_level == "INFO"
    assert settings.log_format == "text"
    assert settings.keep_days == 365


# What a folder may be called, and an address takes for something else.
ODD = "%41é#b?c d"


def test_default_file_is_in_the_data_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / ODD))
    file = tmp_path / ODD / "twentyfour" / "twentyfour.sqlite3"
    assert read_settings({}).database.database == str(file)


@pytest.mark.parametrize("path", ["%2541é%23b%3Fc d", "%2541é#b%3Fc%20d"])
def test_path_in_a_database_url_is_unquoted(path: str) -> None:
    assert (
        read_settings({"DATABASE_URL": f"sqlite:////srv/{path}/x.db"}).database.database == f"/srv/{ODD}/x.db"
    )
    assert read_settings({"DATABASE_URL": "sqlite:////srv/100%/x.db"}).database.database == "/srv/100%/x.db"


@pytest.mark.parametrize("key", VARIABLES)
@pytest.mark.parametrize("quote", ['"', "'"])
def test_quoted_value_is_refused(key: str, quote: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read_settings({key: f" {quote}2{quote}"})
    expected = "it stands in quotes, which docker's --env-file keeps; leave out the quotes"
    assert str(refused.value) == f"{key}: {expected}"


def test_all_variables_are_read() -> None:
    settings = read_settings(
        {
            "BOT_TOKEN": TOKEN,
            "BOT_API_URL": "http://127.0.0.1:8090/",
            "DATABASE_URL": "postgresql://ann:pass@db.example.org/games",
            "WEBHOOK_URL": "https://bot.example.org/telegram",
            "WEBHOOK_LISTEN": "0.0.0.0:8443",
            "WEBHOOK_SECRET": "s3cret_-s3cret_-",
            "SOLVER_WORKERS": "4",
            "SOLVER_DEADLINE": "0.5",
            "HEALTH_LISTEN": "[::1]:9000",
            "WEB_URL": "https://bot.example.org/board/",
            "WEB_LISTEN": "127.0.0.1:8082",
            "WEB_APP": "play_24",
            "LOG_LEVEL": "debug",
            "LOG_FORMAT": "JSON",
            "KEEP_DAYS": "40",
        }
    )
    assert settings.token == TOKEN
    assert settings.api_url == "http://127.0.0.1:8090"
    assert settings.database.drivername == "postgresql+asyncpg"
    assert settings.webhook_url == "https://bot.example.org/telegram"
    assert settings.webhook_listen == Address("0.0.0.0", 8443)  # noqa: S104 - what was asked for
    assert (settings.solver_workers, settings.solver_deadline) == (4, 0.5)
    assert settings.health_listen == Address("::1", 9000)
    assert settings.web_url == "https://bot.example.org/board"
    assert (settings.web_listen, settings.web_app) == (Address("127.0.0.1", 8082), "play_24")
    assert settings.log_level == "DEBUG"
    assert settings.log_format == "json"
    assert settings.keep_days == 40
    assert settings.secrets == (TOKEN, "s3cret_-s3cret_-", "pass")


@pytest.mark.parametrize("blank", ["", " ", "\t\n"])
def test_blank_value_counts_as_missing(blank: str) -> None:
    keys = ("BOT_TOKEN", "BOT_API_URL", "DATABASE_URL", "WEBHOOK_URL", "WEBHOOK_LISTEN", "WEBHOOK_SECRET")
    rest = (
        "SOLVER_WORKERS",
        "SOLVER_DEADLINE",
        "HEALTH_LISTEN",
        "LOG_LEVEL",
        "LOG_FORMAT",
    )
    assert read_settings(dict.fromkeys(keys + rest, blank)) == read_settings({})


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("sqlite:///games.db", "games.db"),
        ("sqlite:////var/lib/games.db", "/var/lib/games.db"),
        ("sqlite+aiosqlite:///games.db", "games.db"),
    ],
)
def test_sqlite_addresses_are_read(given: str, path: str) -> None:
    database = read_settings({"DATABASE_URL": given}).database
    assert (database.drivername, database.database) == ("sqlite", path)


@pytest.mark.parametrize("given", ["postgres://h/d", "postgresql://h/d", "postgresql+asyncpg://h/d"])
def test_postgresql_addresses_are_read(given: str) -> None:
    assert read_settings({"DATABASE_URL": given}).database.drivername == "postgresql+asyncpg"


def test_postgresql_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.settings.find_spec", lambda name: None)
    with pytest.raises(SettingsError, match=r"run pip install '\.\[bot,postgresql\]'$"):
        read_settings({"DATABASE_URL": "postgresql://h/d"})


def test_socket_folder_may_be_the_host() -> None:
    database = read_settings({"DATABASE_URL": "postgresql://ann@%2Frun%2Fpostgresql/games"}).database
    assert (database.host, database.database) == ("/run/postgresql", "games")


NO_TOKEN = "not a bot token; BotFather's look like 123456789:AAE…"  # noqa: S105 - opens nothing
NO_ADDRESS = "not an http:// or https:// address"
NO_DATABASE = "not an address; try sqlite:///path or postgresql://…"
NO_FILE = "sqlite needs a file, as in sqlite:///twentyfour.sqlite3"
NO_SLASHES = (
    "a file takes three slashes, or four where its path begins with one, as in"
    " sqlite:////var/lib/twentyfour.sqlite3"
)
NO_PORT = "its port is not a number from 1 to 65535"
NO_OPTIONS = "a file has no options here; leave out the question mark and the rest; in a path it is %3F"
NEW, OLD = "the-new-secret-of-today", "the-old-secret-of-today"
NO_SECRETS = "one, or two as in new,old; each has 16 to 256 characters of A-Z a-z 0-9 _ -"
NO_SECRET = "not 16 to 256 characters of A-Z a-z 0-9 _ -"  # noqa: S105 - opens nothing

BAD = [
    ("BOT_TOKEN", "secretive", NO_TOKEN),
    ("BOT_TOKEN", "123:with space", NO_TOKEN),
    ("BOT_TOKEN", "１２３:AAE", NO_TOKEN),
    ("BOT_TOKEN", f"bot{TOKEN}", NO_TOKEN),
    ("BOT_API_URL", "ftp://127.0.0.1", NO_ADDRESS),
    ("BOT_API_URL", "127.0.0.1:8081", NO_ADDRESS),
    ("BOT_API_URL", "http://", NO_ADDRESS),
    ("BOT_API_URL", "http://host:99999", NO_ADDRESS),
    ("BOT_API_URL", "http://host:port", NO_ADDRESS),
    ("BOT_API_URL", "http://[::1", NO_ADDRESS),
    ("DATABASE_URL", "games.db", NO_DATABASE),
    (
        "DATABASE_URL",
        "mysql://ann:hunter2@localhost/games",
        "'mysql' is not known; try sqlite:///path or postgresql://…",
    ),
    ("DATABASE_URL", "sqlite://", NO_FILE),
    ("DATABASE_URL", "sqlite:///:memory:", NO_FILE),
    ("DATABASE_URL", "sqlite://var/lib/games.db", NO_SLASHES),
    ("DATABASE_URL", "sqlite:////", "'/' is a folder, not a file"),
    ("DATABASE_URL", "postgresql://ann:hunter2@localhost:port/games", NO_DATABASE),
    *(
        ("DATABASE_URL", f"postgresql://ann:hunter2@localhost:{port}/games", NO_PORT)
        for port in ("0", "65536", "99999")
    ),
    *(
        ("DATABASE_URL", f"sqlite:///games.db?{option}", NO_OPTIONS)
        for option in ("mode=ro", "timeout=abc", "timeout=5", "nolock")
    ),
    ("WEBHOOK_URL", "bot.example.org/telegram", NO_ADDRESS),
    ("WEBHOOK_URL", "https://bot.example.org/a b", NO_ADDRESS),
    ("WEBHOOK_LISTEN", "8080", "'8080' is not host:port, as in 127.0.0.1:8080"),
    ("WEBHOOK_LISTEN", "localhost:", "'localhost:' is not host:port, as in 127.0.0.1:8080"),
    ("WEBHOOK_LISTEN", "localhost:65536", "'localhost:65536' is not host:port, as in 127.0.0.1:8080"),
    ("WEBHOOK_LISTEN", "http://localhost:80", "'http://localhost:80' is not host:port, as in 127.0.0.1:8080"),
    ("WEBHOOK_SECRET", "pässwörd-of-many-letters", NO_SECRET),
    ("WEBHOOK_SECRET", "x" * 15, NO_SECRET),
    ("WEBHOOK_SECRET", "x" * 257, NO_SECRET),
    ("WEBHOOK_SECRET", "more than two words", NO_SECRET),
    *(
        ("WEBHOOK_SECRET", bad, NO_SECRETS)
        for bad in (f"{NEW},{OLD},{NEW}2", f"{NEW},", f",{OLD}", f"more than two words,{OLD}", f"{NEW},short")
    ),
    ("SOLVER_WORKERS", "0", "'0' is not a number from 1 to 64"),
    ("SOLVER_WORKERS", "65", "'65' is not a number from 1 to 64"),
    ("SOLVER_WORKERS", "2.5", "'2.5' is not a number from 1 to 64"),
    ("SOLVER_WORKERS", "many", "'many' is not a number from 1 to 64"),
    ("SOLVER_DEADLINE", "0", "'0' is not a number from 0.1 to 600.0"),
    ("SOLVER_DEADLINE", "nan", "'nan' is not a number from 0.1 to 600.0"),
    ("SOLVER_DEADLINE", "inf", "'inf' is not a number from 0.1 to 600.0"),
    ("SOLVER_DEADLINE", "-1", "'-1' is not a number from 0.1 to 600.0"),
    ("HEALTH_LISTEN", "127.0.0.1", "'127.0.0.1' is not host:port, as in 127.0.0.1:8080"),
    ("LOG_LEVEL", "LOUD", "'LOUD' is none of DEBUG, INFO, WARNING, ERROR, CRITICAL"),
    ("LOG_FORMAT", "xml", "'xml' is none of text, json"),
    ("KEEP_DAYS", "39", "at least 40 days; 0 keeps everything"),
    ("KEEP_DAYS", "-1", "'-1' is not a number from 0 to 100000"),
    ("KEEP_DAYS", "ever", "'ever' is not a number from 0 to 100000"),
]


@pytest.mark.parametrize(("key", "value", "expected"), BAD)
def test_bad_value_names_its_variable_and_no_secret(key: str, value: str, expected: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings({key: value})
    assert str(caught.value) == f"{key}: {expected}"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    return tmp_path / "secret"


@pytest.mark.parametrize(
    ("name", "value", "taken"),
    [
        ("BOT_TOKEN", TOKEN, lambda settings: settings.token),
        ("DATABASE_URL", "postgresql+asyncpg://h/d", lambda settings: str(settings.database)),
        ("WEBHOOK_SECRET", OLD, lambda settings: settings.webhook_secrets[0]),
    ],
)
@pytest.mark.parametrize("written", ["{}", "{}\n", "{}\r\n", "\ufeff{}\n"])
def test_value_is_read_from_a_file(
    name: str, value: str, taken: Callable[[Settings], str], written: str, secret: Path
) -> None:
    secret.write_text(written.format(value), "utf-8", newline="")
    assert taken(read_settings({f"{name}_FILE": str(secret), name: " "})) == value


@pytest.mark.parametrize("name", ["BOT_TOKEN", "DATABASE_URL", "WEBHOOK_SECRET"])
def test_unusable_file_is_named(name: str, secret: Path) -> None:
    def read_error(**more: str) -> str:
        with pytest.raises(SettingsError) as caught:
            read_settings({f"{name}_FILE": str(secret), **more})
        assert caught.value.__cause__ is None
        return str(caught.value)

    assert read_error() == f"{name}_FILE: {str(secret)!r} can't be read: No such file or directory"
    secret.mkdir()
    assert read_error() == f"{name}_FILE: {str(secret)!r} can't be read: Is a directory"
    secret.rmdir()
    secret.write_text(" \n")
    assert read_error() == f"{name}_FILE: {str(secret)!r} is empty"
    secret.write_bytes(b"canary\xff")
    assert read_error() == f"{name}_FILE: {str(secret)!r} can't be read: it is no text"
    secret.write_text("canary of two words")
    assert read_error().startswith(f"{name}: ")
    assert "canary" not in read_error()
    assert read_error(**{name: "canary"}) == f"{name}_FILE: {name} is set as well; leave one of them out"


def test_webhook_requires_a_secret() -> None:
    with pytest.raises(SettingsError, match=r"^WEBHOOK_SECRET: missing"):
        read_settings(HOOK)
    assert read_settings({**HOOK, "WEBHOOK_SECRET": "x" * 256}).webhook_url == HOOK["WEBHOOK_URL"]


@pytest.mark.parametrize(
    ("given", "secrets"),
    [
        ("", ()),
        (OLD, (OLD,)),
        (f"{NEW},{OLD}", (NEW, OLD)),
        (f" {NEW} , {OLD} ", (NEW, OLD)),
        (f"{OLD},{OLD}", (OLD,)),
    ],
)
def test_two_webhook_secrets_are_accepted(given: str, secrets: tuple[str, ...]) -> None:
    settings = read_settings({"WEBHOOK_SECRET": given})
    assert settings.webhook_secrets == settings.secrets == secrets


def test_repr_holds_no_secret() -> None:
    shown = repr(
        read_settings(
            {
                **HOOK,
                "BOT_TOKEN": TOKEN,
                "WEBHOOK_SECRET": "canary-one-of-three,canary-two-of-three",
                "DATABASE_URL": "postgresql://ann:canary-two@h/d",
            }
        )
    )
    assert TOKEN not in shown
    assert "canary" not in shown


def test_folder_is_refused_as_database(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=f"^DATABASE_URL: '{tmp_path}' is a folder, not a file$"):
        read_settings({"DATABASE_URL": f"sqlite:///{tmp_path}"})


@pytest.mark.parametrize(
    ("given", "empty"), [({}, False), ({"BOT_TOKEN": " "}, True), ({"BOT_TOKEN": TOKEN}, False)]
)
def test_empty_token_is_distinguished_from_none(given: dict[str, str], empty: bool) -> None:
    assert read_settings(given).token_left_empty is empty


def test_repr_holds_no_webhook_address() -> None:
    assert HOOK["WEBHOOK_URL"] not in repr(read_settings({**HOOK, "WEBHOOK_SECRET": OLD}))


BOUNDS = [
    ("SOLVER_WORKERS", "1", "0"),
    ("SOLVER_WORKERS", "64", "65"),
    ("SOLVER_DEADLINE", "0.1", "0.09"),
    ("SOLVER_DEADLINE", "600", "600.1"),
    ("HEALTH_LISTEN", "localhost:0", "localhost:-1"),
    ("HEALTH_LISTEN", "localhost:65535", "localhost:65536"),
    ("BOT_API_URL", "http://localhost:1", "http://localhost:0"),
    ("BOT_API_URL", "http://localhost:65535", "http://localhost:65536"),
]


@pytest.mark.parametrize(("given", "good", "bad"), BOUNDS)
def test_bounds_of_numbers_are_accepted(given: str, good: str, bad: str) -> None:
    assert read_settings({given: good}).token is None
    with pytest.raises(SettingsError, match=given):
        read_settings({given: bad})


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("https://bot.example.org", "https://bot.example.org"),
        ("https://Bot.Example.org:8443/a/b/", "https://bot.example.org:8443/a/b"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://localhost/x", "http://localhost/x"),
        ("http://127.0.0.1:80/", "http://127.0.0.1"),
        ("https://bot.example.org:443/board", "https://bot.example.org/board"),
        ("https://xn--bcher-kva.example/board", "https://xn--bcher-kva.example/board"),
    ],
)
def test_board_root_is_normalized(given: str, used: str) -> None:
    assert read_settings({"WEB_URL": given}).web_url == used


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://bot.example.org/board", "WEB_URL: not https"),
        ("http://10.0.0.1", "WEB_URL: not https"),
        ("https://bot.example.org/board?x=1", "WEB_URL: a plain address"),
        ("https://bot.example.org/#x", "WEB_URL: a plain address"),
        ("https://ann:pass@bot.example.org", "WEB_URL: a plain address"),
        ("https://bot.example.org/a//b", "WEB_URL: a plain address"),
        ("https://bot.example.org/{x}", "WEB_URL: a plain address"),
        ("https://bücher.example/board", "WEB_URL: a plain address"),
        ("https://b..example.org", "WEB_URL: a plain address"),
        ("bot.example.org", "WEB_URL: not an"),
    ],
)
def test_unusable_board_root_is_refused(url: str, expected: str) -> None:
    with pytest.raises(SettingsError, match=f"^{expected}") as raised:
        read_settings({"WEB_URL": url})
    assert "pass" not in str(raised.value)


@pytest.mark.parametrize("name", ["ab", "x" * 31, "my-app", "my app"])
def test_mini_app_name_is_checked(name: str) -> None:
    with pytest.raises(SettingsError, match=r"^WEB_APP: not a Mini App's short name"):
        read_settings({"WEB_APP": name})


def test_board_listens_at_the_webhooks_address_by_default() -> None:
    given = {"WEB_URL": "https://bot.example.org", "WEBHOOK_LISTEN": "0.0.0.0:8443"}
    assert read_settings(given).web_listen == Address("0.0.0.0", 8443)  # noqa: S104 - what was asked for
