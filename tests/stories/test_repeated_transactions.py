"""What runs in a transaction may run twice, when it shared a commit with something that failed."""

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
    """Ends a transaction that is to run again."""


def run_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every transaction runs, is rolled back, and runs again."""
    commit = Sqlite._commit

    def again(self: Sqlite, jobs: Sequence[Any]) -> None:
        with contextlib.suppress(Exception), self._writer.begin() as tx:
            for job in jobs:
                job.work(tx)
            raise UndoneError
        commit(self, jobs)

    monkeypatch.setattr(Sqlite, "_commit", again)


def kept(tx: Tx) -> list[Any]:
    known = select(meta.c.key).order_by(meta.c.key)
    return [list(map(tuple, tx.execute(select(table)))) for table in COUNTED] + [list(tx.scalars(known))]


async def plays(bot: LiveBot) -> tuple[list[Any], list[str]]:
    """Much of what can be done; what is kept afterwards, and all that was posted."""
    world = bot.world
    ann, bob = world.user("Ann"), world.user("Bob")
    club = world.group("Club", ann, bob)
    deal = await bot.deal(ann, club, 3, 8, 3, 8)
    for said in ("3*8+3-8", "3*8", "8/(3-8/3)", "8/(3-8/3)"):
        await bot.say(bob, club, said, reply_to=deal)
    await bot.deal(bob, club, 1, 2, 3, 4)
    for said in ("/hint", "/skip", "/leaderboard", "/stats", "/race", "/skip", "/settings"):
        await bot.say(ann, club, said)
    bot.rig(2, 3, 4, 1)  # else the day's hand follows from a key that each database draws
    for said in ("/daily", "/help", "/privacy", "/export", "/forgetme"):
        await bot.say(ann, world.chat_of(ann), said)
    world.press(ann, world.posts(ann)[-1], "Forget me")
    await bot.settle()
    shown = [
        message.text
        for place in (club, world.chat_of(ann), world.chat_of(bob))
        for message in world.posts(place)
    ]
    return await bot.services.store.read(kept), [*shown, *map(str, world.files.values())]


@pytest.mark.long
async def test_an_evening_whose_transactions_all_run_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evenings = []
    for times in (1, 2):
        monkeypatch.setattr("bot.service.make_seed", count(24).__next__)
        if times == 2:
            run_twice(monkeypatch)
        file = write_database(tmp_path / f"{times}.sqlite3")
        async with run_bot(World(clock=lambda: 1_763_726_400.0), file) as bot:
            evenings.append(await plays(bot))
    (kept_once, shown_once), (kept_twice, shown_twice) = evenings
    assert shown_twice == shown_once
    assert kept_twice == kept_once
    assert len(shown_once) >= 15
