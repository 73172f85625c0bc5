"""Play the test game and print its messages; the package `bot` in the path must include the game."""

import asyncio
import tempfile
from pathlib import Path

from sqlalchemy import text

from tests.databases import write_database
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import Chat, Message, User, World


def add_up(deal: Message) -> str:
    """Return the right answer to a deal."""
    line = next(line for line in deal.text.splitlines() if "→" in line)
    return str(sum(map(int, line.partition("→")[0].split())))


def join_lines(text: str) -> str:
    return text.replace("\n", " | ")


async def print_latest_message(bot: LiveBot, chat: Chat, label: str) -> None:
    """Print the latest message of a chat."""
    print(f"{label}: {join_lines(bot.world.posts(chat)[-1].text)}")


async def send_command(bot: LiveBot, user: User, chat: Chat, command: str) -> str:
    """Return the latest message of a chat after a command."""
    await bot.say(user, chat, command)
    return join_lines(bot.world.posts(chat)[-1].text)


async def print_secrecy(bot: LiveBot, bob: User, family: Chat) -> None:
    """Print what Bob, who plays in the group, and Cem, who never played there, see of an open sum."""
    world, mine = bot.world, f"@{bot.world.bot.username}"
    cem, deal = world.user("Cem"), world.posts(family)[-1]
    world.join(cem, family)
    line = next(line for line in deal.text.splitlines() if "→" in line)
    numbers = sorted(map(int, line.partition("→")[0].split()))
    spelled, added = " ".join(map(str, numbers)), "+".join(map(str, numbers))
    for number, command in enumerate(
        (f"/solve{mine} {spelled}", f"/solve{mine} {spelled} 1 = {add_up(deal)}", f"/why{mine} 1+{added}")
    ):
        for where, chat in (("here", family), ("alone", world.chat_of(bob))):
            print(f"peeking {number} {where}: {await send_command(bot, bob, chat, command)}")
    print(f"stranger: {await send_command(bot, cem, world.chat_of(cem), f'/why {added}')}")
    print(f"copied: {await send_command(bot, cem, family, f'/a{mine} {add_up(deal)}')}")
    print(f"void: {join_lines(deal.text)}")
    print(f"afterwards: {await send_command(bot, bob, world.chat_of(bob), f'/why {added}')}")


async def main(folder: Path) -> None:
    """Deal, answer, race, list, give up and expire sums, and print each message."""
    path, clock = write_database(folder / "sums.sqlite3"), Clock()
    world = World(clock=clock)
    ann, bob = world.user("Ann"), world.user("Bob")
    family, mine = world.group("Family", ann, bob), f"@{world.bot.username}"
    async with run_bot(world, path) as bot:
        await bot.say(ann, family, f"/help{mine}")
        await print_latest_message(bot, family, "help")
        await bot.say(ann, family, f"/sum{mine}")
        deal = world.posts(family)[-1]
        await bot.say(bob, family, "1", reply_to=deal)
        await print_latest_message(bot, family, "wrong")
        await bot.say(bob, family, add_up(deal), reply_to=deal)
        print(f"won: {join_lines(deal.text)}")
        await bot.say(ann, family, f"/race{mine} 2 sum")
        race = world.posts(family)[-1]
        for player in (ann, bob):
            await bot.say(player, family, add_up(race), reply_to=race)
        print(f"raced: {join_lines(race.text)}")
        await bot.say(ann, family, f"/race{mine} 2 hard sum")
        await print_latest_message(bot, family, "no level")
        await bot.say(ann, family, f"/race{mine} 2 sum")
        skipped = world.posts(family)[-1]
        for player in (ann, bob):
            await bot.say(player, family, f"/skip{mine}")
        print(f"skipped: {join_lines(skipped.text)}")
        for player in (ann, bob):
            await bot.say(player, family, f"/stop{mine}")
        await bot.say(ann, family, f"/duel{mine} sum")
        await print_latest_message(bot, family, "duel")
        await bot.say(ann, family, f"/sum{mine} hard")
        await print_latest_message(bot, family, "no more")
        await bot.say(ann, family, f"/leaderboard{mine}")
        await print_latest_message(bot, family, "board")
        await bot.say(bob, family, f"/stats{mine}")
        await print_latest_message(bot, family, "stats")
        await bot.say(ann, family, f"/sum{mine}")
        late = world.posts(family)[-1]
        sum_ = add_up(late)
        clock.advance(700)
        await bot.timers.run_all()
        await bot.settle()
        print(f"expired: {join_lines(late.text)} (it was {sum_})")
        await bot.say(ann, family, f"/sum{mine}")
        await print_secrecy(bot, bob, family)
        games = await bot.services.store.read(
            lambda tx: tx.execute(text("SELECT game, state FROM rounds ORDER BY id")).all()
        )
        print(f"rounds: {[tuple(row) for row in games]}")
    print(f"violations: {world.violations}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        asyncio.run(main(Path(made)))
