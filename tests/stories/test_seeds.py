"""Every seed of what chance dealt is told in the end, also where a caption has no room for it."""

import re

import pytest

import solver
from bot.telegram.photo_messages import CAPTION_LIMIT, count_utf16_units
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, Message, User, World

SEED = re.compile("🔒 [0-9a-f]{32}\n🔑 .+")


@pytest.fixture
def pictures() -> bool:
    return True


def told(world: World, chat: Chat) -> list[str]:
    return [seed for post in world.posts(chat) for seed in SEED.findall(post.text)]


def nearest(message: Message) -> str:
    """The best there is for the draw that a message shows."""
    line = next(line for line in message.text.splitlines() if " → " in line)
    tiles, _, target = line.partition(" → ")
    return str(solver.nearest([int(tile) for tile in tiles.split()], int(target)).expression)


async def raced(
    bot: LiveBot, world: World, clock: Clock, people: list[User], group: Chat, draws: int
) -> Message:
    """A race of Countdown in which everybody makes every target."""
    await bot.say(people[0], group, f"/race@{world.bot.username} {draws} countdown")
    race = world.posts(group)[-1]
    for _ in range(draws):
        best = nearest(race)
        for each in people:
            world.say(each, group, best, reply_to=race)
        await bot.settle()
        clock.advance(80)
        for _ in range(3):
            await bot.run_timers()
        await bot.settle()
    return race


@pytest.mark.parametrize(
    ("many", "draws", "long"),
    [
        pytest.param(20, 5, 60, marks=pytest.mark.long),
        pytest.param(20, 4, 60, marks=pytest.mark.long),
        (2, 2, 3),
        (2, 4, 3),
    ],
)
async def test_of_a_race_with_many_winners(
    bot: LiveBot, world: World, clock: Clock, many: int, draws: int, long: int
) -> None:
    people = [world.user(chr(65 + n) * long) for n in range(many)]
    group = world.group("Group", *people)
    race = await raced(bot, world, clock, people, group, draws)
    assert race.is_photo
    assert count_utf16_units(race.text) <= CAPTION_LIMIT
    assert len(set(told(world, group))) == len(told(world, group)) == draws
    replies = [post for post in world.posts(group) if "🔑" in post.text and post is not race]
    assert len(replies) == (0 if SEED.search(race.text) else 1)
    assert draws > 2 or not replies
    assert all(post.reply_to is race for post in replies)
