"""SIGKILL between an ephemeral message and the record that it was sent."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.faults.conftest import BotFactory, choose_amount, fetch_rows, report, wait_until_empty
from tests.telegram import BotApi, Chat, Message, User, World

pytestmark = pytest.mark.faults

KILLS = choose_amount(30, 4)
MARK = "4321"  # In every verdict, since it is no tile, and nowhere else


def visible_posts(world: World, chat: Chat, *others: User) -> list[Message]:
    """Return the bot's messages that these people can or could read in a chat."""
    ephemeral = [m for m in world.ephemerals.messages if m.receiver in others]
    return [m for m in (*chat.messages.values(), *ephemeral) if m.sender is world.bot and m.chat is chat]


@pytest.mark.exhaustive
@pytest.mark.parametrize("old", [False, True])
async def test_verdict_is_neither_lost_nor_shown_to_others(
    make_bot: BotFactory, tmp_path: Path, *, old: bool
) -> None:
    """Kill the bot after the first ephemeral message of a chat, which is a trial, or after a later one.

    The bot remembers for a day what a server can do, so each kill uses a new database.
    """
    world = World(seed=3)
    ann, bob = world.user("Ann"), world.user("Bob")
    async with BotApi(world) as api:
        for number in range(KILLS):
            database = tmp_path / f"games{number}.sqlite3"
            process = make_bot(world, api.url, database=database)
            group = world.group(f"Group {number}", ann, bob)
            world.promote(world.bot, group)
            world.ephemerals.old = old
            process.start()
            world.say(ann, group, f"/countdown@{world.bot.username}")
            deal = await world.next_post(group, "→")
            await world.wait_until(lambda d=deal: d.labels, 60)  # type: ignore[misc]
            if number % 2 and not old:
                world.faults.add(
                    "sendMessage", chat=group.id, count=1
                )  # makes the trial fail, so that the next message is killed
            held = asyncio.Event()
            fault = world.faults.add("sendMessage", chat=group.id, close=True, effect=True, held=held)
            world.say(bob, group, f"{MARK}+1", reply_to=deal)
            await world.wait_until(lambda f=fault: f.hits, 60, "a post to kill at")  # type: ignore[misc]
            process.kill()
            held.set()
            world.faults.remove(fault)
            process.start()
            await wait_until_empty(database, process, "outbox WHERE state = 'waiting'")
            assert any(MARK in m.text for m in world.told(bob, group)) != old
            assert not any(MARK in m.text for m in visible_posts(world, group, ann))
            assert world.posts(group) == [deal]
            await process.wait_for_log("is ready")
            process.process.terminate()
            assert await process.wait_for_exit(8) == 0, process.read_log()[-3000:]
            assert ("📬" in deal.text) == old
            assert fetch_rows(database, "SELECT count(*) FROM outbox WHERE state != 'sent'") == [(0,)]
    public = [call for call in world.requests if call.chat is not None and call.chat < 0]
    shown = [call for call in public if MARK in json.dumps(call.params) and not _is_ephemeral(call.params)]
    assert not shown
    server = "old" if old else "new"
    report(f"{server} server: {KILLS} kills after ephemeral posts, no verdict lost or shown to others")
    assert not world.violations


def _is_ephemeral(params: dict[str, object]) -> bool:
    return "ephemeral_message_parameters" in params
