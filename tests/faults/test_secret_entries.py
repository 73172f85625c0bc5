"""`kill -9` between an ephemeral message and the mark that it was sent, and every step before and after."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.faults.conftest import Started, figure, none, rows, show
from tests.telegram import BotApi, Chat, Message, User, World

pytestmark = pytest.mark.faults

KILLS = figure(30, 4)
MARK = "4321"  # Stands in every verdict, since it is no tile, and nowhere else


def seen(world: World, chat: Chat, *others: User) -> list[Message]:
    """The bot's messages that these people can read there, or could before."""
    ephemeral = [m for m in world.ephemerals.messages if m.receiver in others]
    return [m for m in (*chat.messages.values(), *ephemeral) if m.sender is world.bot and m.chat is chat]


@pytest.mark.exhaustive
@pytest.mark.parametrize("old", [False, True])
async def test_no_verdict_is_lost_or_shown_to_others(bot: Started, tmp_path: Path, *, old: bool) -> None:
    """A kill behind the trial, and where a second message follows that, behind it too.

    What is known of a server holds for a day, so each kill has a database of its own.
    """
    world = World(seed=3)
    ann, bob = world.user("Ann"), world.user("Bob")
    async with BotApi(world) as api:
        for number in range(KILLS):
            database = tmp_path / f"games{number}.sqlite3"
            process = bot(world, api.url, database=database)
            group = world.group(f"Group {number}", ann, bob)
            world.promote(world.bot, group)
            world.ephemerals.old = old
            process.start()
            world.say(ann, group, f"/countdown@{world.bot.username}")
            deal = await world.next_post(group, "→")
            await world.wait_until(lambda d=deal: d.labels, 60)  # type: ignore[misc]
            if number % 2 and not old:
                world.faults.add("sendMessage", chat=group.id, count=1)  # the trial is over
            held = asyncio.Event()
            fault = world.faults.add("sendMessage", chat=group.id, close=True, effect=True, held=held)
            world.say(bob, group, f"{MARK}+1", reply_to=deal)
            await world.wait_until(lambda f=fault: f.hits, 60, "a post to kill at")  # type: ignore[misc]
            process.kill()
            held.set()
            world.faults.remove(fault)
            process.start()
            await none(database, process, "outbox WHERE state = 'waiting'")
            assert any(MARK in m.text for m in world.told(bob, group)) != old
            assert not any(MARK in m.text for m in seen(world, group, ann))
            assert world.posts(group) == [deal]
            await process.says("is ready")
            process.process.terminate()
            assert await process.ended(8) == 0, process.said()[-3000:]
            assert ("📬" in deal.text) == old
            assert rows(database, "SELECT count(*) FROM outbox WHERE state != 'sent'") == [(0,)]
    public = [call for call in world.requests if call.chat is not None and call.chat < 0]
    shown = [call for call in public if MARK in json.dumps(call.params) and not _to_one(call.params)]
    assert not shown
    server = "old" if old else "new"
    show(f"{server} server: {KILLS} kills behind ephemeral posts, no verdict lost or shown to others")
    assert not world.violations


def _to_one(params: dict[str, object]) -> bool:
    return "ephemeral_message_parameters" in params
