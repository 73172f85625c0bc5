"""Checks of database addresses; no error shows a password."""

import inspect
from collections.abc import AsyncIterator

import asyncpg  # type: ignore[import-untyped]
import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL, make_url

from bot.database import Store, StoreError
from bot.database.address import (
    KNOWN_OPTIONS,
    TLS_OPTIONS,
    describe_database,
    describe_location,
    find_address_mistake,
)
from tests.bot.postgres import fresh_database


@pytest.fixture
async def server() -> AsyncIterator[URL]:
    async with fresh_database() as made:
        yield made


FOR_USER = "is it there, for the bot's own user?"


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("sqlite:////var/lib/a.sqlite3", "'/var/lib/a.sqlite3'"),
        ("postgresql://ann:canary@db/games", "'games' at db:5432"),
        ("postgresql://ann:canary@db:6000/games?ssl=require", "'games' at db:6000"),
        ("postgresql://ann@/games?host=/run/postgresql", "'games' at /run/postgresql:5432"),
        ("postgresql://ann:canary@db", "'ann' at db:5432"),
        ("postgresql:///games", "'games' at localhost:5432"),
    ],
)
def test_descriptions_hold_no_password(address: str, name: str) -> None:
    url = make_url(address)
    assert (describe_database(url), name.endswith(describe_location(url))) == (name, True)
    assert find_address_mistake(url) is None


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:can@ary@db/games",
        "postgresql://ann:can/a@ry@db:5432/games",
        "postgresql://ann:can@a/ry@db:5432/games",
        "postgresql://an/n:canary@db/games",
    ],
)
async def test_unencoded_signs_are_refused_before_any_connection(address: str) -> None:
    with pytest.raises(StoreError, match=r"^DATABASE_URL: an @ or a / .*; write each .*@ as %40") as caught:
        await Store.read_any_version(make_url(address.replace("postgresql", "postgresql+asyncpg")), str)
    result = str(caught.value)
    assert not [part for part in ("can", "ary", "ry@", "db") if part in result.replace("an @", "")]


@pytest.mark.parametrize("password", ["can%40ary", "can%2Fary", "can:ary", "can/ary", "can?ary", "can#ary"])
def test_readable_passwords_are_no_mistake(password: str) -> None:
    assert find_address_mistake(make_url(f"postgresql://ann:{password}@db/games")) is None


def test_unknown_option_is_a_mistake() -> None:
    result = find_address_mistake(make_url("postgresql://db/games?channel_binding=require"))
    assert result == "'channel_binding' is no option of the address here; leave it out"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("sslmode=require", None),
        ("sslmode=verify-full&sslrootcert=system", None),
        (f"sslmode=verify-ca&sslrootcert={__file__}&sslcert={__file__}&sslkey={__file__}", None),
        (
            "sslmode=require&sslrootcert=system",
            "'sslrootcert=system' goes with sslmode=verify-full alone; write that, or name a file",
        ),
        (
            "sslmode=require&sslrootcert=/none/ca.crt",
            f"'sslrootcert' names a file that can't be read, '/none/ca.crt'; {FOR_USER}",
        ),
        (
            "sslcert=/none/bot.crt",
            f"'sslcert' names a file that can't be read, '/none/bot.crt'; {FOR_USER}",
        ),
    ],
)
def test_tls_options_are_checked(options: str, expected: str | None) -> None:
    assert find_address_mistake(make_url(f"postgresql://db/games?{options}")) == expected


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        (
            "statement_cache_size=abc",
            "'statement_cache_size' is no whole number; write statement_cache_size=0",
        ),
        (
            "prepared_statement_cache_size=-1",
            "'prepared_statement_cache_size' is no whole number; write prepared_",
        ),
        ("statement_cache_size=1&statement_cache_size=2", "'statement_cache_size' is no whole number; write"),
        ("port=abc", "the database at localhost:5432 can't be opened: Received non-integer port"),
        (
            "sslmode=verify",
            "the database at localhost:5432 can't be opened: `sslmode` parameter must be",
        ),
        ("host=a,b", "the database at a,b:5432 can't be opened: All ports are required"),
        ("host=a:99999", "the database at a:99999:5432 can't be opened: "),
    ],
)
async def test_unusable_options_are_explained_in_one_line(option: str, expected: str) -> None:
    url = make_url(f"postgresql+asyncpg://ann:canary@/games?{option}")
    for opening in (Store.open, Store.open_without_lock):
        with pytest.raises(StoreError) as caught:
            await opening(url)
        result = str(caught.value)
        assert result.startswith(f"DATABASE_URL: {expected}")
        assert len(result.splitlines()) == 1
        assert "canary" not in result


@pytest.mark.parametrize("option", ["statement_cache_size=0", "prepared_statement_cache_size=0"])
async def test_driver_gets_numbers_as_numbers(server: URL, option: str) -> None:
    given = server.update_query_string(option, append=True)
    assert await Store.read_any_version(given, lambda tx: tx.scalar(text("SELECT 24"))) == 24


def test_several_servers_may_be_named() -> None:
    several = make_url("postgresql://ann@/games?host=a,b&port=5432,5433&target_session_attrs=read-write")
    assert find_address_mistake(several) is None


def test_every_option_is_known_to_the_driver() -> None:
    known = set(inspect.signature(asyncpg.connect).parameters)
    assert KNOWN_OPTIONS - known == {"prepared_statement_cache_size", *TLS_OPTIONS}
