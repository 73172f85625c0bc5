"""Whatever was dealt was committed to, and its seed is shown once all is over: anybody can check it."""

import pytest

import solver
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.stories.test_countdown import read_draw
from tests.telegram import Chat, Message, User, World

MINE = "@TwentyFourTestBot"


def _hash(message: Message) -> str:
    return next(line[2:] for line in message.text.splitlines() if line.startswith("🔒 "))


def _proofs(message: Message) -> list[str]:
    return [line[2:] for line in message.text.splitlines() if line.startswith("🔑 ")]


def _line(message: Message) -> str:
    return next(line for line in message.text.splitlines() if " → " in line)


def _idea(line: str) -> str:
    numbers, _, target = line.partition(" → ")
    return str(next(solver.solve(list(map(int, numbers.split())), int(target))))


@pytest.mark.parametrize("language", ["en", "ru"])
async def test_a_race_shows_the_seeds_of_all_its_hands_at_its_end(
    bot: LiveBot, ann: User, bob: User, family: Chat, language: str
) -> None:
    ann.language_code = language
    await bot.say(ann, family, f"/race{MINE} 3")
    race = bot.world.posts(family)[-1]
    dealt = []
    for _ in range(3):
        dealt.append((_hash(race), _line(race)))
        assert _proofs(race) == []
        await bot.say(bob, family, _idea(_line(race)), reply_to=race)
    assert [(solver.commitment(proof), *solver.dealt(proof)) for proof in _proofs(race)] == dealt


async def test_a_duel_does_too(bot: LiveBot, world: World, ann: User, bob: User, family: Chat) -> None:
    await bot.say(ann, family, f"/duel{MINE}")
    challenge = world.posts(family)[-1]
    world.press(bob, challenge, "Accept")
    await bot.settle()
    dealt = []
    for _ in range(3):
        duel = world.posts(family)[-1]
        dealt.append((_hash(duel), _line(duel)))
        await bot.say(ann, family, _idea(_line(duel)), reply_to=duel)
    assert [(solver.commitment(proof), *solver.dealt(proof)) for proof in _proofs(duel)] == dealt


async def test_a_race_in_countdown(bot: LiveBot, clock: Clock, ann: User, family: Chat) -> None:
    await bot.say(ann, family, f"/race{MINE} countdown 2")
    race = bot.world.posts(family)[-1]
    dealt = []
    for _ in range(2):
        dealt.append((_hash(race), _line(race)))
        tiles, target = read_draw(race)
        await bot.say(ann, family, str(solver.nearest(tiles, target).expression), reply_to=race)
        clock.advance(130)
        await bot.run_timers()
    assert [(solver.commitment(p), *solver.dealt(p)) for p in _proofs(race)] == dealt
