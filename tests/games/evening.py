"""An evening with the test game, told line by line: run where the package `bot` holds it."""

import asyncio
import tempfile
from pathlib import Path

from sqlalchemy import text

from tests.databases import empty
from tests.stories.conftest import Evening, evening
from tests.stories.hours import Hours
from tests.telegram import Chat, Message, User, World


def total(deal: Message) -> str:
    """The right answer, as anybody reads it off the deal."""
    line = next(line for line in deal.text.splitlines() if "→" in line)
    return str(sum(map(int, line.partition("→")[0].split())))


def in_a_line(text: str) -> str:
    """A message without its line ends."""
    return text.replace("\n", " | ")


async def told(this: Evening, chat: Chat, what: str) -> None:
    """Print the latest message of a chat."""
    print(f"{what}: {in_a_line(this.world.posts(chat)[-1].text)}")


async def asked(this: Evening, user: User, chat: Chat, command: str) -> str:
    """What the bot shows after that."""
    await this.says(user, chat, command)
    return in_a_line(this.world.posts(chat)[-1].text)


async def secrets(this: Evening, bob: User, family: Chat) -> None:
    """Print what is shown of an open sum: to Bob, who plays there, and to Cem, who was never seen there."""
    world, mine = this.world, f"@{this.world.bot.username}"
    cem, deal = world.user("Cem"), world.posts(family)[-1]
    world.join(cem, family)
    line = next(line for line in deal.text.splitlines() if "→" in line)
    numbers = sorted(map(int, line.partition("→")[0].split()))
    spelled, added = " ".join(map(str, numbers)), "+".join(map(str, numbers))
    for number, command in enumerate(
        (f"/solve{mine} {spelled}", f"/solve{mine} {spelled} 1 = {total(deal)}", f"/why{mine} 1+{added}")
    ):
        for where, chat in (("here", family), ("alone", world.place(bob))):
            print(f"peeking {number} {where}: {await asked(this, bob, chat, command)}")
    print(f"stranger: {await asked(this, cem, world.place(cem), f'/why {added}')}")
    print(f"copied: {await asked(this, cem, family, f'/a{mine} {total(deal)}')}")
    print(f"void: {in_a_line(deal.text)}")
    print(f"afterwards: {await asked(this, bob, world.place(bob), f'/why {added}')}")


async def main(folder: Path) -> None:
    """Dealt, answered wrong and right, raced, listed, given up, closed by time, forgotten."""
    path, hours = empty(folder / "sums.sqlite3"), Hours()
    world = World(clock=hours)
    ann, bob = world.user("Ann"), world.user("Bob")
    family, mine = world.group("Family", ann, bob), f"@{world.bot.username}"
    async with evening(world, path) as this:
        await this.says(ann, family, f"/sum{mine}")
        deal = world.posts(family)[-1]
        await this.says(bob, family, "1", reply_to=deal)
        await told(this, family, "wrong")
        await this.says(bob, family, total(deal), reply_to=deal)
        print(f"won: {in_a_line(deal.text)}")
        await this.says(ann, family, f"/race{mine} 2 sum")
        race = world.posts(family)[-1]
        for player in (ann, bob):
            await this.says(player, family, total(race), reply_to=race)
        print(f"raced: {in_a_line(race.text)}")
        await this.says(ann, family, f"/race{mine} 2 hard sum")
        await told(this, family, "no level")
        await this.says(ann, family, f"/race{mine} 2 sum")
        skipped = world.posts(family)[-1]
        for player in (ann, bob):
            await this.says(player, family, f"/skip{mine}")
        print(f"skipped: {in_a_line(skipped.text)}")
        for player in (ann, bob):
            await this.says(player, family, f"/stop{mine}")
        await this.says(ann, family, f"/duel{mine} sum")
        await told(this, family, "duel")
        await this.says(ann, family, f"/sum{mine} hard")
        await told(this, family, "no more")
        await this.says(ann, family, f"/leaderboard{mine}")
        await told(this, family, "board")
        await this.says(bob, family, f"/stats{mine}")
        await told(this, family, "stats")
        await this.says(ann, family, f"/sum{mine}")
        late = world.posts(family)[-1]
        sum_ = total(late)
        hours.pass_(700)
        await this.timers.look()
        await this.settled()
        print(f"expired: {in_a_line(late.text)} (it was {sum_})")
        await this.says(ann, family, f"/sum{mine}")
        await secrets(this, bob, family)
        games = await this.services.store.read(
            lambda tx: tx.execute(text("SELECT game, state FROM rounds ORDER BY id")).all()
        )
        print(f"rounds: {[tuple(row) for row in games]}")
    print(f"violations: {world.violations}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        asyncio.run(main(Path(made)))
