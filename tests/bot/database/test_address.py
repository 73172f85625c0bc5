"""What is wrong with an address is said without a part of its password."""

import inspect

import asyncpg  # type: ignore[import-untyped]
import pytest
from sqlalchemy.engine import make_url

from bot.database import Store, StoreError
from bot.database.address import OPTIONS, mistaken, named, place


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
def test_it_is_named_without_a_password(address: str, name: str) -> None:
    url = make_url(address)
    assert (named(url), name.endswith(place(url))) == (name, True)
    assert mistaken(url) is None


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:can@ary@db/games",
        "postgresql://ann:can/a@ry@db:5432/games",
        "postgresql://ann:can@a/ry@db:5432/games",
        "postgresql://an/n:canary@db/games",
    ],
)
async def test_what_has_to_be_encoded_is_told_before_anything_is_tried(address: str) -> None:
    with pytest.raises(StoreError, match=r"^DATABASE_URL: an @ or a / .*; write each .*@ as %40") as caught:
        await Store.look_into(make_url(address.replace("postgresql", "postgresql+asyncpg")), str)
    told = str(caught.value)
    assert not [part for part in ("can", "ary", "ry@", "db") if part in told.replace("an @", "")]


@pytest.mark.parametrize("password", ["can%40ary", "can%2Fary", "can:ary", "can/ary", "can?ary", "can#ary"])
def test_what_can_be_read_is_left_alone(password: str) -> None:
    assert mistaken(make_url(f"postgresql://ann:{password}@db/games")) is None


def test_an_option_of_another_driver_is_told() -> None:
    said = mistaken(make_url("postgresql://db/games?sslmode=require"))
    assert (
        said == "'sslmode' is no option of the address here; write ssl=require, with the same words behind it"
    )
    said = mistaken(make_url("postgresql://db/games?channel_binding=require"))
    assert said == "'channel_binding' is no option of the address here; leave it out"


def test_every_option_is_one_of_the_drivers() -> None:
    known = set(inspect.signature(asyncpg.connect).parameters)
    assert OPTIONS - known == {"prepared_statement_cache_size"}
