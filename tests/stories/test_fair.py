"""Provable deals: modes show a hash with each hand and all seeds at their end."""

import pytest

import solver
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot
from tests.stories.test_countdown import read_draw
from tests.telegram import Chat, Message, User, World

MINE = "@TwentyFourTestBot"


def _read_hash(message: Message) -> str:
    return next(line[2:] for line in message.text.splitlines() if line.startswith("🔒 "))


def _read_proofs(message: Message) -> list[str]:
    return [line[2:] for line in message.text.splitlines() if line.startswith("🔑 ")]


def _read_line(message: Message) -> str:
    return next(line for line in message.text.splitlines() if " → " in line)


def _solve_line(line: str) -> str:
    numbers, _, target = line.partition(" → ")
    return str(next(solver.solve(list(map(int, numbers.split())), int(target))))


@pytest.mark.parametrize("language", ["en", "ru"])
async def test_race_reveals_seeds_at_its_end(
    bot: LiveBot, ann: User, bob: User, family: Chat, language: str
) -> None:
    ann.language_code = language
    await bot.say(ann, family, f"/race{MINE} 3")
    race = bot.world.posts(family)[-1]
    dealt = []
    for _ in range(3):
        dealt.append((_read_hash(race), _read_line(race)))
        assert _read_proofs(race) == []
        await bot.say(bob, family, _solve_line(_read_line(race)), reply_to=race)
    assert [
        (solver.commitment(proof), *solver.list_dealt_lines(proof)) for proof in _read_proofs(race)
    ] == dealt


async def test_duel_reveals_seeds_at_its_end(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/duel{MINE}")
    challenge = world.posts(family)[-1]
    world.press(bob, challenge, "Accept")
    await bot.settle()
    dealt = []
    for _ in range(3):
        duel = world.posts(family)[-1]
        dealt.append((_read_hash(duel), _read_line(duel)))
        await bot.say(ann, family, _solve_line(_read_line(duel)), reply_to=duel)
    assert [
        (solver.commitment(proof), *solver.list_dealt_lines(proof)) for proof in _read_proofs(duel)
    ] == dealt


async def test_countdown_race_reveals_seeds_at_its_end(
    bot: LiveBot, clock: Clock, ann: User, family: Chat
) -> None:
    await bot.say(ann, family, f"/race{MINE} countdown 2")
    race = bot.world.posts(family)[-1]
    dealt = []
    for _ in range(2):
        dealt.append((_read_hash(race), _read_line(race)))
        tiles, target = read_draw(race)
        await bot.say(ann, family, str(solver.nearest(tiles, target).expression), reply_to=race)
        clock.advance(130)
        await bot.run_timers()
    assert [(solver.commitment(p), *solver.list_dealt_lines(p)) for p in _read_proofs(race)] == dealt
