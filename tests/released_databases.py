"""Write a database of this version for `tests/data/released`, from where later versions must upgrade it.

`python -m tests.released_databases 1.0.0` plays an evening on SQLite and again on PostgreSQL (the server at
TEST_POSTGRES_URL, or that of this machine; pg_dump must be on the PATH). It writes both databases, the points
that they hold, and the hashes of all migrations, which are not edited from then on.
`tests/stories/test_released_databases.py` upgrades them and plays on.
"""

import asyncio
import gzip
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.engine import URL, make_url

from bot.database import Store, Tx, migrations
from bot.database.schema import awards
from bot.queue.queries import QueuedUpdate, insert_updates
from tests.bot.postgres import fresh_database
from tests.stories.classes import WEB_URL, open_school
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, run_bot
from tests.stories.test_daily import invite_to_daily, open_daily
from tests.stories.test_practice import find_solution
from tests.stories.test_race import HANDS, start_race
from tests.telegram import Chat, User, World

FOLDER = Path(__file__).parent / "data" / "released"
REVISIONS = "revisions.sha256"  # hashes of the migrations, as sha256sum writes them
MENTION = "@TwentyFourTestBot"


@dataclass(frozen=True, slots=True)
class Cast:
    """The people and groups of the evening, with the same ids in each world."""

    ann: User
    bob: User
    mei: User
    omar: User
    family: Chat
    club: Chat  # a basic group, which became the supergroup `big_club`
    big_club: Chat


def make_cast(world: World) -> Cast:
    """Add the people and groups to a new world."""
    ann, bob = world.user("Zoë-Ann", username="ann"), world.user("Bob <b>&amp;</b>")
    mei = world.user("李梅", language_code="zh-hans")
    omar = world.user("عمر 🎲", language_code="ru")
    for user in (ann, bob, mei, omar):
        # Begins the private chat: the bot can't
        world.history.add(world.history.make_message(world.chat_of(user), user, "hello"))
    family = world.group("Familie Ünal 👪", ann, bob, mei, omar)
    club = world.group("Клуб", ann, bob, mei, basic=True)
    return Cast(ann, bob, mei, omar, family, club, world.directory.add_supergroup(club))


Scores = dict[str, int]  # points by "chat player"


def load_scores(tx: Tx) -> Scores:
    """Return the points of each player in each chat."""
    points = select(awards.c.chat_id, awards.c.player_id, func.sum(awards.c.points))
    rows = tx.execute(points.group_by(awards.c.chat_id, awards.c.player_id).order_by("chat_id", "player_id"))
    return {f"{chat_id} {player_id}": int(total) for chat_id, player_id, total in rows}


async def play_evening(url: str) -> Scores:
    """Play in an empty database, and leave a round, a race, a request and an update unfinished."""
    clock = Clock()
    world = World(clock=clock, privacy=False, seed=24)
    cast = make_cast(world)
    async with run_bot(world, url, web_url=WEB_URL) as bot:
        await _play_rounds(bot, clock, cast)
        await _play_alone(bot, clock, cast)
        await _teach(bot, clock, cast.ann)
        await _leave_rounds_open(bot, clock, cast)
        # A request that Telegram has not taken
        failure = world.faults.add("sendMessage", chat=cast.omar.id, status=500)
        world.start(cast.omar)
        await world.wait_until(lambda: failure.hits)
    return await _store_update(url, world, cast)


async def _play_rounds(bot: LiveBot, clock: Clock, cast: Cast) -> None:
    """Play rounds in three chats, a migration among them, and a duel."""
    world, ann, bob, family = bot.world, cast.ann, cast.bob, cast.family
    await bot.choose(family, "language", "es")
    await bot.deal(ann, cast.club, 1, 1, 2, 8)
    await bot.say(bob, cast.club, "1*8*(1+2)")
    world.history.add_service_message(cast.club, ann, migrate_to_chat_id=cast.big_club.id)
    world.history.add_service_message(cast.big_club, ann, migrate_from_chat_id=cast.club.id)
    cast.club.migrated_to = cast.big_club
    await bot.settle()
    for winner, numbers in ((ann, (1, 5, 5, 5)), (cast.mei, (1, 3, 4, 6)), (ann, (2, 2, 6, 6))):
        deal = await bot.deal(bob, family, *numbers)
        clock.advance(9)
        await bot.say(bob, family, "+".join(map(str, numbers)))
        await bot.say(winner, family, find_solution(deal))
    for numbers, _ in HANDS:
        bot.rig(*numbers)
    await bot.say(ann, family, f"/duel{MENTION}")
    duel = world.posts(family)[-1]
    world.press(bob, duel, 0)
    await bot.settle()
    for _, solution in HANDS:
        clock.advance(5)
        await bot.say(bob, family, solution, reply_to=world.posts(family)[-1])
    await bot.deal(bob, family, 2, 3, 5, 12)
    for who in (ann, bob, cast.mei):
        await bot.say(who, family, f"/skip{MENTION}")


async def _play_alone(bot: LiveBot, clock: Clock, cast: Cast) -> None:
    """Play the hand of the day, a storm that ends, and a practice hand."""
    world, ann, bob = bot.world, cast.ann, cast.bob
    hand = await open_daily(bot, ann, await invite_to_daily(bot, ann, cast.family))
    await bot.say(ann, world.chat_of(ann), "1+1")
    await bot.say(ann, world.chat_of(ann), find_solution(hand))
    await bot.say(bob, world.chat_of(bob), "/storm")
    for _ in range(3):
        clock.advance(2)
        await bot.say(bob, world.chat_of(bob), find_solution(world.posts(bob)[-1]))
    clock.advance(200)
    await bot.run_timers()
    await bot.say(bob, world.chat_of(bob), "/practice")
    await bot.say(bob, world.chat_of(bob), find_solution(world.posts(bob)[-1]))


async def _teach(bot: LiveBot, clock: Clock, teacher_user: User) -> None:
    """Open a class of two pupils, who answer in a lesson that goes on."""
    async with open_school(bot) as school:
        teacher = await school.open_class(teacher_user)
        pupils = [await teacher.enter(name) for name in ("Łucja", "Ян")]
        await teacher.begin("3 8 3 8", "1 2 3 4")
        clock.advance(5)
        await pupils[0].answer("8/(3-8/3)")
        await pupils[1].answer("8*3")


async def _leave_rounds_open(bot: LiveBot, clock: Clock, cast: Cast) -> None:
    """Deal a round in the family, and start a race of three hands in the club; one is solved."""
    await bot.deal(cast.bob, cast.family, 4, 4, 10, 10)
    await bot.say(cast.bob, cast.family, "4+4+10+10")
    race = await start_race(bot, cast.ann, cast.big_club)
    clock.advance(3)
    await bot.say(cast.bob, cast.big_club, HANDS[0][1], reply_to=race)


async def _store_update(url: str, world: World, cast: Cast) -> Scores:
    """Store an update that no bot has handled yet; return the points of all."""
    world.say(cast.mei, cast.family, f"/stats{MENTION}")
    (update,) = list(world.updates.pending.values())[-1:]
    queued = QueuedUpdate(update.id, cast.family.id, json.dumps(update.body))
    store = await Store.open(make_store_url(url))
    try:
        await store.write(lambda tx: insert_updates(tx, [queued], world.clock()))
        return await store.read(load_scores)
    finally:
        await store.close()


def make_store_url(url: str) -> URL:
    """Return a database's address with the driver that the bot uses."""
    return make_url(url.replace("postgresql://", "postgresql+asyncpg://", 1))


def main(version: str) -> None:
    """Write the files of a version."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "games.sqlite3"
        scores = asyncio.run(play_evening(f"sqlite:///{file}"))
        with closing(sqlite3.connect(file)) as database:
            database.execute("PRAGMA journal_mode = DELETE")
            database.execute("VACUUM")
        (FOLDER / f"{version}.sqlite3.gz").write_bytes(gzip.compress(file.read_bytes(), mtime=0))
    dump, server_scores = asyncio.run(_play_on_server())
    assert server_scores == scores
    (FOLDER / f"{version}.postgresql.sql").write_text(dump)
    (FOLDER / f"{version}.json").write_text(json.dumps(scores, indent=1) + "\n")
    revisions = sorted((Path(migrations.__file__).parent / "versions").glob("r*.py"))
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in revisions]
    (FOLDER / REVISIONS).write_text("".join(lines))


async def _play_on_server() -> tuple[str, Scores]:
    """Play in a new database on the server; return its dump and the points."""
    async with fresh_database() as address:
        url = address.set(drivername="postgresql").render_as_string(hide_password=False)
        scores = await play_evening(url)
        command = ["pg_dump", "--inserts", "--no-owner", "--no-privileges", url]
        dump = await asyncio.to_thread(
            lambda: subprocess.run(command, check=True, capture_output=True, text=True).stdout
        )
    return "\n".join(filter(_is_portable, dump.splitlines())) + "\n", scores


# Beginnings of lines that depend on pg_dump's version, or that only psql understands
UNPORTABLE_STARTS = ("--", "\\", "SET ")


def _is_portable(line: str) -> bool:
    return bool(line) and not line.startswith(UNPORTABLE_STARTS)


if __name__ == "__main__":
    os.environ["TZ"] = "UTC"
    main(sys.argv[1])
