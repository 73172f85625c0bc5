"""Play the test game and print what is shown; run where the package `bot` has it."""

import asyncio
import tempfile
from pathlib import Path

from sqlalchemy import text

from tests.databases import empty
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import Chat, Message, User, World


def add_up(deal: Message) -> str:
    """Return the right answer to a deal."""
    line = next(line for line in deal.text.splitlines() if "→" in line)
    return str(sum(map(int, line.partition("→")[0].split())))


def join_lines(text: str) -> str:
    return text.replace("\n", " | ")


async def print_latest_message(this: LiveBot, chat: Chat, what: str) -> None:
    """Print the latest message of a chat."""
    print(f"{what}: {join_lines(this.world.posts(chat)[-1].text)}")


async def send_command(this: LiveBot, user: User, chat: Chat, command: str) -> str:
    """Return the latest message of a chat after a command."""
    await this.say(user, chat, command)
    return join_lines(this.world.posts(chat)[-1].text)


async def print_secrecy(this: LiveBot, bob: User, family: Chat) -> None:
    """Print what Bob, who plays in the group, and Cem, who never played there, see of an open sum."""
    world, mine = this.world, f"@{this.world.bot.username}"
    cem, deal = world.user("Cem"), world.posts(family)[-1]
    world.join(cem, family)
    line = next(line for line in deal.text.splitlines() if "→" in line)
    numbers = sorted(map(int, line.partition("→")[0].split()))
    spelled, added = " ".join(map(str, numbers)), "+".join(map(str, numbers))
    for number, command in enumerate(
        (f"/solve{mine} {spelled}", f"/solve{mine} {spelled} 1 = {add_up(deal)}", f"/why{mine} 1+{added}")
    ):
        for where, chat in (("here", family), ("alone", world.chat_of(bob))):
            print(f"peeking {number} {where}: {await send_command(this, bob, chat, command)}")
    print(f"stranger: {await send_command(this, cem, world.chat_of(cem), f'/why {added}')}")
    print(f"copied: {await send_command(this, cem, family, f'/a{mine} {add_up(deal)}')}")
    print(f"void: {join_lines(deal.text)}")
    print(f"afterwards: {await send_command(this, bob, world.chat_of(bob), f'/why {added}')}")


async def main(folder: Path) -> None:
    """Deal, answer, race, list, give up and expire sums, and print each message."""
    path, clock = empty(folder / "sums.sqlite3"), Clock()
    world = World(clock=clock)
    ann, bob = world.user("Ann"), world.user("Bob")
    family, mine = world.group("Family", ann, bob), f"@{world.bot.username}"
    async with run_bot(world, path) as this:
        await this.say(ann, family, f"/sum{mine}")
        deal = world.posts(family)[-1]
        await this.say(bob, family, "1", reply_to=deal)
        await print_latest_message(this, family, "wrong")
        await this.say(bob, family, add_up(deal), reply_to=deal)
        print(f"won: {join_lines(deal.text)}")
        await this.say(ann, family, f"/race{mine} 2 sum")
        race = world.posts(family)[-1]
        for player in (ann, bob):
            await this.say(player, family, add_up(race), reply_to=race)
        print(f"raced: {join_lines(race.text)}")
        await this.say(ann, family, f"/race{mine} 2 hard sum")
        await print_latest_message(this, family, "no level")
        await this.say(ann, family, f"/race{mine} 2 sum")
        skipped = world.posts(family)[-1]
        for player in (ann, bob):
            await this.say(player, family, f"/skip{mine}")
        print(f"skipped: {join_lines(skipped.text)}")
        for player in (ann, bob):
            await this.say(player, family, f"/stop{mine}")
        await this.say(ann, family, f"/duel{mine} sum")
        await print_latest_message(this, family, "duel")
        await this.say(ann, family, f"/sum{mine} hard")
        await print_latest_message(this, family, "no more")
        await this.say(ann, family, f"/leaderboard{mine}")
        await print_latest_message(this, family, "board")
        await this.say(bob, family, f"/stats{mine}")
        await print_latest_message(this, family, "stats")
        await this.say(ann, family, f"/sum{mine}")
        late = world.posts(family)[-1]
        sum_ = add_up(late)
        clock.advance(700)
        await this.timers.run_all()
        await this.settle()
        print(f"expired: {join_lines(late.text)} (it was {sum_})")
        await this.say(ann, family, f"/sum{mine}")
        await print_secrecy(this, bob, family)
        games = await this.services.store.read(
            lambda tx: tx.execute(text("SELECT game, state FROM rounds ORDER BY id")).all()
        )
        print(f"rounds: {[tuple(row) for row in games]}")
    print(f"violations: {world.violations}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        asyncio.run(main(Path(made)))
