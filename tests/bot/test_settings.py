"""The environment becomes settings, or one line that names what is wrong."""

from pathlib import Path

import pytest

from bot.settings import TELEGRAM, Address, SettingsError, read

TOKEN = "123456789:AAE-a_token_made_up_for_tests_0123456"  # noqa: S105 - opens nothing
HOOK = {"WEBHOOK_URL": "https://bot.example.org/telegram"}


def test_nothing_set_is_the_console_with_a_file_of_its_own() -> None:
    settings = read({})
    assert settings.token is None
    assert settings.api_url == TELEGRAM
    assert settings.database.drivername == "sqlite"
    assert Path(str(settings.database.database)).name == "twentyfour.sqlite3"
    assert settings.webhook_url is None
    assert settings.webhook_listen == Address("127.0.0.1", 8080)
    assert (settings.solver_workers, settings.solver_deadline) == (2, 5.0)
    assert settings.health_listen is None
    assert settings.log_level == "INFO"


def test_everything_set() -> None:
    settings = read(
        {
            "BOT_TOKEN": TOKEN,
            "BOT_API_URL": "http://127.0.0.1:8090/",
            "DATABASE_URL": "postgresql://ann:pass@db.example.org/games",
            "WEBHOOK_URL": "https://bot.example.org/telegram",
            "WEBHOOK_LISTEN": "0.0.0.0:8443",
            "WEBHOOK_SECRET": "s3cret_-",
            "SOLVER_WORKERS": "4",
            "SOLVER_DEADLINE": "0.5",
            "HEALTH_LISTEN": "[::1]:9000",
            "LOG_LEVEL": "debug",
        }
    )
    assert settings.token == TOKEN
    assert settings.api_url == "http://127.0.0.1:8090"
    assert settings.database.drivername == "postgresql+asyncpg"
    assert settings.webhook_url == "https://bot.example.org/telegram"
    assert settings.webhook_listen == Address("0.0.0.0", 8443)  # noqa: S104 - what was asked for
    assert (settings.solver_workers, settings.solver_deadline) == (4, 0.5)
    assert settings.health_listen == Address("::1", 9000)
    assert settings.log_level == "DEBUG"
    assert settings.secrets == (TOKEN, "s3cret_-", "pass")


@pytest.mark.parametrize("blank", ["", " ", "\t\n"])
def test_a_blank_value_is_none(blank: str) -> None:
    keys = ("BOT_TOKEN", "BOT_API_URL", "DATABASE_URL", "WEBHOOK_URL", "WEBHOOK_LISTEN", "WEBHOOK_SECRET")
    rest = ("SOLVER_WORKERS", "SOLVER_DEADLINE", "HEALTH_LISTEN", "LOG_LEVEL")
    assert read(dict.fromkeys(keys + rest, blank)) == read({})


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("sqlite:///games.db", "games.db"),
        ("sqlite:////var/lib/games.db", "/var/lib/games.db"),
        ("sqlite+aiosqlite:///games.db", "games.db"),
    ],
)
def test_sqlite_addresses(given: str, path: str) -> None:
    database = read({"DATABASE_URL": given}).database
    assert (database.drivername, database.database) == ("sqlite", path)


@pytest.mark.parametrize("given", ["postgres://h/d", "postgresql://h/d", "postgresql+asyncpg://h/d"])
def test_postgresql_addresses(given: str) -> None:
    assert read({"DATABASE_URL": given}).database.drivername == "postgresql+asyncpg"


BAD = [
    ("BOT_TOKEN", "secretive"),
    ("BOT_TOKEN", "123:with space"),
    ("BOT_TOKEN", "１２３:AAE"),
    ("BOT_TOKEN", f"bot{TOKEN}"),
    ("BOT_API_URL", "ftp://127.0.0.1"),
    ("BOT_API_URL", "127.0.0.1:8081"),
    ("BOT_API_URL", "http://"),
    ("BOT_API_URL", "http://host:99999"),
    ("BOT_API_URL", "http://host:port"),
    ("BOT_API_URL", "http://[::1"),
    ("DATABASE_URL", "games.db"),
    ("DATABASE_URL", "mysql://ann:hunter2@localhost/games"),
    ("DATABASE_URL", "sqlite://"),
    ("DATABASE_URL", "sqlite:///:memory:"),
    ("DATABASE_URL", "sqlite:////"),
    ("DATABASE_URL", "postgresql://ann:hunter2@localhost:port/games"),
    ("WEBHOOK_URL", "bot.example.org/telegram"),
    ("WEBHOOK_URL", "https://bot.example.org/a b"),
    ("WEBHOOK_LISTEN", "8080"),
    ("WEBHOOK_LISTEN", "localhost:"),
    ("WEBHOOK_LISTEN", "localhost:65536"),
    ("WEBHOOK_LISTEN", "http://localhost:80"),
    ("WEBHOOK_SECRET", "päss"),
    ("WEBHOOK_SECRET", "x" * 257),
    ("WEBHOOK_SECRET", "two words"),
    ("SOLVER_WORKERS", "0"),
    ("SOLVER_WORKERS", "65"),
    ("SOLVER_WORKERS", "2.5"),
    ("SOLVER_WORKERS", "many"),
    ("SOLVER_DEADLINE", "0"),
    ("SOLVER_DEADLINE", "nan"),
    ("SOLVER_DEADLINE", "inf"),
    ("SOLVER_DEADLINE", "-1"),
    ("HEALTH_LISTEN", "127.0.0.1"),
    ("LOG_LEVEL", "LOUD"),
]


@pytest.mark.parametrize(("key", "value"), BAD)
def test_a_bad_value_is_one_line_that_names_the_key(key: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read({key: value})
    line = str(caught.value)
    assert line.startswith(f"{key}: ")
    assert "\n" not in line
    assert "hunter2" not in line
    if key in {"BOT_TOKEN", "WEBHOOK_SECRET"}:
        assert value not in line


def test_a_webhook_needs_a_secret() -> None:
    with pytest.raises(SettingsError, match=r"^WEBHOOK_SECRET: missing"):
        read(HOOK)
    assert read({**HOOK, "WEBHOOK_SECRET": "x" * 256}).webhook_url == HOOK["WEBHOOK_URL"]


def test_no_secret_in_the_repr() -> None:
    shown = repr(
        read(
            {
                **HOOK,
                "BOT_TOKEN": TOKEN,
                "WEBHOOK_SECRET": "canary-one",
                "DATABASE_URL": "postgresql://ann:canary-two@h/d",
            }
        )
    )
    assert TOKEN not in shown
    assert "canary" not in shown


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"DATABASE_URL: .* is a folder"):
        read({"DATABASE_URL": f"sqlite:///{tmp_path}"})


@pytest.mark.parametrize(
    ("given", "empty"), [({}, False), ({"BOT_TOKEN": " "}, True), ({"BOT_TOKEN": TOKEN}, False)]
)
def test_a_token_that_was_left_empty_is_told_from_none(given: dict[str, str], empty: bool) -> None:
    assert read(given).token_left_empty is empty


def test_the_webhooks_address_is_not_shown() -> None:
    assert HOOK["WEBHOOK_URL"] not in repr(read({**HOOK, "WEBHOOK_SECRET": "s3cret"}))


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
def test_the_bounds_of_a_number_are_good(given: str, good: str, bad: str) -> None:
    assert read({given: good}).token is None
    with pytest.raises(SettingsError, match=given):
        read({given: bad})
