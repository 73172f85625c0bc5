"""Databases of released versions are upgraded, and their evening is played on.

`tests/released_databases.py` has made them; each release adds its own.
"""

import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]
import pytest
from sqlalchemy import func, select

from bot.database import Store
from bot.database.schema import rounds
from tests.bot.postgres import fresh_database
from tests.released_databases import FOLDER, MENTION, Scores, load_scores, make_cast, make_store_url
from tests.stories.classes import WEB_URL
from tests.stories.clock import Clock
from tests.stories.conftest import read_reactions, run_bot
from tests.stories.test_race import HANDS
from tests.telegram import Message, World

FILES = sorted(path.name for path in (*FOLDER.glob("*.sqlite3.gz"), *FOLDER.glob("*.sql")))


@pytest.fixture(params=FILES)
async def released(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[str, Scores]]:
    """Yield the address of a copy of a released database, and the points in it."""
    source = FOLDER / request.param
    version = ".".join(source.name.split(".")[:3])
    scores: Scores = json.loads((FOLDER / f"{version}.json").read_text())
    if source.suffix == ".gz":
        file = tmp_path / "games.sqlite3"
        file.write_bytes(gzip.decompress(source.read_bytes()))
        yield f"sqlite:///{file}", scores
        return
    async with fresh_database() as address:
        url = address.set(drivername="postgresql").render_as_string(hide_password=False)
        connection = await asyncpg.connect(url)
        await connection.execute(source.read_text())
        await connection.close()
        yield url, scores


async def test_evening_of_a_released_version_is_played_on(released: tuple[str, Scores]) -> None:
    url, scores = released
    store = await Store.open(make_store_url(url))  # migrates
    assert await store.read(load_scores) == scores
    # Go on when the evening ended. The queue's times don't say: PostgreSQL writes those by its own clock.
    ended = await store.read(lambda tx: tx.scalar(select(func.max(rounds.c.opened))))
    world = World(clock=Clock(ended), privacy=False)
    cast = make_cast(world)
    shown = await store.read(lambda tx: tx.execute(select(rounds.c.chat_id, rounds.c.message_id)).all())
    await store.close()
    for chat_id, number in shown:  # the bot's messages, which Telegram still has
        if chat_id in world.chats and number is not None:
            chat = world.chats[chat_id]
            chat.messages[number] = Message(chat, number, world.now, world.bot, f"message {number}")
            chat.last_id = max(chat.last_id, number + 100)  # people wrote as well
    before = set(world.posts(cast.family))
    async with run_bot(world, url, web_url=WEB_URL) as bot:
        await bot.settle()
        assert len(world.posts(cast.omar)) == 1
        (stats,) = set(world.posts(cast.family)) - before
        assert "李梅" in stats.text
        right = await bot.say(cast.ann, cast.family, "(10*10-4)/4")
        assert read_reactions(right) == "🏆"
        for _, solution in HANDS[1:]:
            right = await bot.say(cast.mei, cast.big_club, solution)
            assert read_reactions(right) == "🏆"
        race = world.posts(cast.big_club)[-1]
        assert "🏅" in race.text
        later = await bot.services.store.read(load_scores)
        gains = {key: points - scores.get(key, 0) for key, points in later.items()}
        assert gains[f"{cast.family.id} {cast.ann.id}"] > 0
        assert gains[f"{cast.big_club.id} {cast.mei.id}"] > 0
        await bot.say(cast.ann, cast.family, f"/leaderboard{MENTION}")
        points = later[f"{cast.family.id} {cast.ann.id}"]
        assert f"Zoë-Ann\u2069 — {points}" in world.posts(cast.family)[-1].text
    posted = len(world.calls("sendMessage"))
    async with run_bot(world, url, web_url=WEB_URL) as bot:
        await bot.settle()
    assert len(world.calls("sendMessage")) == posted, "nothing is sent twice"
