"""The seeds of random draws are shown at the end, also if the caption has no room for them."""

import re

import pytest

import solver
from bot.queue.rendering import CAPTION_LIMIT, count_utf16_units
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, Message, User, World

SEED = re.compile("🔒 [0-9a-f]{32}\n🔑 .+")


@pytest.fixture
def pictures() -> bool:
    return True


def list_seeds(world: World, chat: Chat) -> list[str]:
    """Return the seeds, with their hashes, shown in a chat's messages."""
    return [seed for post in world.posts(chat) for seed in SEED.findall(post.text)]


def find_best_answer(message: Message) -> str:
    """Return the best answer to the draw that a message shows."""
    line = next(line for line in message.text.splitlines() if " → " in line)
    tiles, _, target = line.partition(" → ")
    return str(solver.nearest([int(tile) for tile in tiles.split()], int(target)).expression)


async def run_race(
    bot: LiveBot, world: World, clock: Clock, people: list[User], group: Chat, draws: int
) -> Message:
    """Run a race of Countdown in which everybody sends the best answer to each draw."""
    await bot.say(people[0], group, f"/race@{world.bot.username} {draws} countdown")
    race = world.posts(group)[-1]
    for _ in range(draws):
        best = find_best_answer(race)
        for each in people:
            world.say(each, group, best, reply_to=race)
        await bot.settle()
        clock.advance(80)
        for _ in range(3):
            await bot.run_timers()
        await bot.settle()
    return race


@pytest.mark.parametrize(
    ("players", "draws", "name_length"),
    [
        pytest.param(20, 5, 60, marks=pytest.mark.long),
        pytest.param(20, 4, 60, marks=[pytest.mark.long, pytest.mark.exhaustive]),
        (2, 2, 3),
        (2, 4, 3),
    ],
)
async def test_every_seed_of_a_race_is_shown_at_the_end(
    bot: LiveBot, world: World, clock: Clock, players: int, draws: int, name_length: int
) -> None:
    people = [world.user(chr(65 + n) * name_length) for n in range(players)]
    group = world.group("Group", *people)
    race = await run_race(bot, world, clock, people, group, draws)
    assert race.is_photo
    assert count_utf16_units(race.text) <= CAPTION_LIMIT
    assert len(set(list_seeds(world, group))) == len(list_seeds(world, group)) == draws
    replies = [post for post in world.posts(group) if "🔑" in post.text and post is not race]
    assert len(replies) == (0 if SEED.search(race.text) else 1)
    assert draws > 2 or not replies
    assert all(post.reply_to is race for post in replies)
