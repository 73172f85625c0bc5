"""A file that the version before wrote, in the midst of an evening, is opened and played on.

`r0003.sql` was dumped by that version: a won round and a live one with a hint and a wrong answer in the
family, a round for all ideas with one find in the club, a race after its first hand, a daily hand with a
wrong answer, and somebody who looked a live hand up.
"""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.stories.conftest import Evening, evening
from tests.stories.hours import Hours
from tests.telegram import Chat, User, World

DUMP = Path(__file__).parents[1] / "bot" / "database" / "data" / "r0003.sql"


@dataclass
class Place:
    """The people and groups of that evening, a minute later at most."""

    world: World
    hours: Hours
    people: list[User]
    family: Chat
    club: Chat
    run: Chat


@pytest.fixture
def place() -> Place:
    hours = Hours()
    world = World(clock=hours)
    people = [world.user(name) for name in ("Ann", "Bob", "Cem")]
    family, club, _, run = (world.group(title, *people) for title in ("Family", "Club", "Office", "Run"))
    hours.pass_(33)
    return Place(world, hours, people, family, club, run)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(DUMP.read_text("utf-8"))
    return path


async def says(this: Evening, user: User, chat: Chat, text: str) -> str:
    """What the last post of the chat says after that."""
    await this.says(user, chat, f"/a@{this.world.bot.username} {text}" if chat.id < 0 else text)
    return this.world.posts(chat)[-1].text if this.world.posts(chat) else ""


async def test_every_kind_of_round_goes_on(old: Path, place: Place) -> None:
    ann, bob, _ = place.people
    async with evening(place.world, old) as this:
        won = await says(this, bob, place.family, "8/(3-8/3)")
        assert "8/(3-8/3) = 24" in won
        assert "+4 points" in won  # the hint that was bought before costs its point
        assert "8*3-8/3 = 21 1/3" in won  # and the nearest miss is remembered
        found = await says(this, ann, place.club, "8*(1+4-2)")
        assert "2 of 4" in found
        assert "1*2*(4+8) = 24" in found
        second = await says(this, ann, place.run, "2*6+2*6")
        assert "hand 3 of 3" in second
        assert "3 8 3 8 → 24" in second
        over = await says(this, bob, place.run, "8/(3-8/3)")
        assert "1*8*(1+2) = 24" in over
        solved = await says(this, ann, place.world.place(ann), "6*(1+7-4)")
        assert "6*(1+7-4) = 24" in solved
        await this.says(bob, place.family, f"/leaderboard@{place.world.bot.username}")
        assert "Bob" in place.world.posts(place.family)[-1].text


async def test_who_looked_a_hand_up_before_has_seen_it(old: Path, place: Place) -> None:
    cem = place.people[2]
    async with evening(place.world, old) as this:
        told = await says(this, cem, place.family, "8/(3-8/3)")
        assert "no points" in " ".join(post.text for post in place.world.posts(place.family))
        assert "8/(3-8/3)" not in told


async def test_what_nobody_answers_closes(old: Path, place: Place) -> None:
    async with evening(place.world, old) as this:
        for _ in range(3):  # the race has two more hands
            place.hours.pass_(700)
            await this.looked()
        states = await this.services.store.read(
            lambda tx: list(tx.exec_driver_sql("SELECT state FROM rounds WHERE state = 'open'"))
        )
        assert states == []
