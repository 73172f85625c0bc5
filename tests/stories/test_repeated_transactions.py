"""Transactions that run twice because another one in the same commit has failed."""

import contextlib
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from bot.database import Tx
from bot.database.schema import awards, histogram, meta, players, rounds, totals, tries, votes
from bot.database.sqlite import Sqlite
from tests.databases import write_database
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import World

COUNTED = (awards, histogram, players, rounds, totals, tries, votes)


class UndoneError(Exception):
    """Rolls back a transaction that will run again."""


def run_transactions_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run every transaction, roll it back, and run it again."""
    commit = Sqlite._commit

    def commit_twice(self: Sqlite, jobs: Sequence[Any]) -> None:
        with contextlib.suppress(Exception), self._writer.begin() as tx:
            for job in jobs:
                job.work(tx)
            raise UndoneError
        commit(self, jobs)

    monkeypatch.setattr(Sqlite, "_commit", commit_twice)


def load_rows(tx: Tx) -> list[Any]:
    known = select(meta.c.key).order_by(meta.c.key)
    return [list(map(tuple, tx.execute(select(table)))) for table in COUNTED] + [list(tx.scalars(known))]


async def play_evening(bot: LiveBot) -> tuple[list[Any], list[str]]:
    """Use most features; return the stored rows and all posted texts."""
    world = bot.world
    ann, bob = world.user("Ann"), world.user("Bob")
    club = world.group("Club", ann, bob)
    deal = await bot.deal(ann, club, 3, 8, 3, 8)
    for text in ("3*8+3-8", "3*8", "8/(3-8/3)", "8/(3-8/3)"):
        await bot.say(bob, club, text, reply_to=deal)
    await bot.deal(bob, club, 1, 2, 3, 4)
    for text in ("/hint", "/skip", "/leaderboard", "/stats", "/race", "/skip", "/settings"):
        await bot.say(ann, club, text)
    bot.rig(2, 3, 4, 1)  # Otherwise it depends on a random key in the database
    for text in ("/daily", "/help", "/privacy", "/export", "/forgetme"):
        await bot.say(ann, world.chat_of(ann), text)
    world.press(ann, world.posts(ann)[-1], "Forget me")
    await bot.settle()
    texts = [
        message.text
        for place in (club, world.chat_of(ann), world.chat_of(bob))
        for message in world.posts(place)
    ]
    return await bot.services.store.read(load_rows), [*texts, *map(str, world.files.values())]


@pytest.mark.long
async def test_transactions_that_run_twice_count_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evenings = []
    for times in (1, 2):
        seeds = count(24)
        monkeypatch.setattr("bot.service.make_seed", seeds.__next__)
        monkeypatch.setattr("bot.rounds.chains.derive_seed", lambda *_, seeds=seeds: next(seeds))
        monkeypatch.setattr("bot.rounds.chains.token_bytes", bytes)
        if times == 2:
            run_transactions_twice(monkeypatch)
        file = write_database(tmp_path / f"{times}.sqlite3")
        async with run_bot(World(clock=lambda: 1_763_726_400.0), file) as bot:
            evenings.append(await play_evening(bot))
    (rows_once, texts_once), (rows_twice, texts_twice) = evenings
    assert texts_twice == texts_once
    assert rows_twice == rows_once
    assert len(texts_once) >= 14
