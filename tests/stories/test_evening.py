"""A whole evening in a group: the bot's posts stay few and are not delayed."""

import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import solver
from bot.queue.pacing import Pace
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import Chat, Message, Request, User, World, busiest

PLAYERS, ROUNDS = 8, 60
MOST_POSTS_A_ROUND = 1.3
MOST_A_MINUTE = 20
LONGEST_WAIT = 1.0  # Seconds
# The evening's hours pass in seconds, so the limit is checked afterwards by the evening's own clock.
UNPACED = Pace(posts_a_minute=1_000_000, redraw_gap=0.0)


@dataclass
class Party:
    """Eight people who play, guess wrong, chat and duel."""

    bot: LiveBot
    clock: Clock
    chat: Chat
    people: list[User]
    rng: random.Random = field(default_factory=lambda: random.Random(24))
    counts: Counter[str] = field(default_factory=Counter)

    async def say(self, who: User, text: str, reply_to: Message | None = None) -> None:
        """Send a text after a few seconds."""
        self.clock.advance(self.rng.uniform(0.5, 4.0))
        await self.bot.say(who, self.chat, text, reply_to=reply_to)

    async def round(self) -> None:
        """Play one round: deal, guess, ask for hints, chat, and win or give up."""
        world = self.bot.world
        await self.say(self.rng.choice(self.people), f"/play@{world.bot.username}")
        deal = next(m for m in reversed(world.posts(self.chat)) if "→ 24" in m.text)
        line = next(text for text in deal.text.splitlines() if text.endswith("→ 24"))
        numbers = [int(n) for n in line.partition(" →")[0].split()]
        for _ in range(self.rng.randint(0, 9)):
            await self._fumble(deal, numbers)
        if "→ 24" not in deal.text or "Next hand" in deal.labels:
            return
        await self._end(deal, numbers)
        await self.bot.timers.run_all()

    async def duel(self) -> None:
        """Play one duel; the others guess along, and one of them may send the answer."""
        self.counts["duels"] += 1
        one, other = self.rng.sample(self.people, 2)
        await self.say(one, f"/duel@{self.bot.world.bot.username}")
        duel = self.bot.world.posts(self.chat)[-1]
        self.bot.world.press(other, duel, "Accept")
        await self.bot.settle()
        shouting = self.rng.randrange(3)
        while "Rematch" not in duel.labels:
            # Far below its message the duel goes on in a new one
            duel = next(post for post in reversed(self.bot.world.posts(self.chat)) if " · Hand " in post.text)
            line = next(text for text in duel.text.splitlines() if text.endswith("→ 24"))
            numbers = [int(n) for n in line.partition(" →")[0].split()]
            for _ in range(self.rng.randint(0, 4)):
                await self._fumble(duel, numbers)
            if line in duel.text.splitlines():
                watching = next(who for who in self.people if who not in (one, other))
                who = watching if shouting == 0 else self.rng.choice((one, other))
                await self.say(who, str(next(solver.ideas(numbers))), duel)
            shouting -= 1

    async def _fumble(self, deal: Message, numbers: list[int]) -> None:
        who = self.rng.choice(self.people)
        shuffled = self.rng.sample(numbers, len(numbers))
        signs = [self.rng.choice("+-*") for _ in numbers[1:]] + [""]
        text = "".join(f"{n}{sign}" for n, sign in zip(shuffled, signs, strict=True))
        match self.rng.randrange(10):
            case 0:
                self.counts["hints"] += 1
                await self.say(who, "/hint@TwentyFourTestBot")
            case 1:
                self.counts["talk"] += 1
                await self.say(who, "is there one at all?", deal)
            case 2:
                self.counts["wrong numbers"] += 1
                await self.say(who, f"{text}+{self.rng.randint(1, 9)}", deal)
            case _:
                self.counts["guesses"] += 1
                await self.say(who, text, deal)

    async def _end(self, deal: Message, numbers: list[int]) -> None:
        if self.rng.random() < 0.15:
            self.counts["skips"] += 1
            for who in self.rng.sample(self.people, 3):
                await self.say(who, "/skip@TwentyFourTestBot")
            return
        solution = str(next(solver.ideas(numbers)))
        winner, second = self.rng.sample(self.people, 2)
        await self.say(winner, solution, deal)
        if self.rng.random() < 0.4:
            self.counts["late"] += 1
            await self.say(second, solution, deal)


def compute_waits(posts: list[Request]) -> list[float]:
    """Return the seconds that each post waits under a limit of `MOST_A_MINUTE` posts in any minute."""
    sent: list[float] = []
    for post in posts:
        room = sent[-MOST_A_MINUTE] + 60 if len(sent) >= MOST_A_MINUTE else 0.0
        sent.append(max(post.at, room))
    return [at - post.at for at, post in zip(sent, posts, strict=True)]


@pytest.mark.long
@pytest.mark.exhaustive
async def test_evening_stays_within_post_limits(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    world = World(clock=clock, seed=24)
    people = [world.user(f"Player {n}") for n in range(PLAYERS)]
    chat = world.group("Club", *people)
    async with run_bot(world, database, UNPACED, pictures=False) as playing:
        party = Party(playing, clock, chat, people)
        for n in range(ROUNDS):
            await (party.duel() if n % 12 == 5 else party.round())
        await playing.settle()
    posts = [r for r in world.requests if r.method.startswith("send") and r.chat == chat.id]
    deals = [r for r in posts if "→ 24" in r.params["text"]]
    moments = [r.at for r in posts]
    longest = max(compute_waits(posts))
    with capsys.disabled():
        print(
            f"\n{ROUNDS} rounds in {(clock.now - moments[0]) / 60:.0f} min, {dict(party.counts)}: "
            f"{len(posts) / ROUNDS:.2f} posts a round, at most {busiest(moments)} a minute, "
            f"longest wait {longest:.2f} s"
        )
    assert len(deals) + party.counts["duels"] >= ROUNDS
    assert party.counts["duels"] == ROUNDS // 12
    assert len(posts) / ROUNDS <= MOST_POSTS_A_ROUND
    assert busiest(moments) < MOST_A_MINUTE
    assert longest <= LONGEST_WAIT


async def test_family_of_four_gets_few_posts_for_forty_lines(bot: LiveBot, clock: Clock) -> None:
    world = bot.world
    ann, bob, cem, dan = (world.user(name) for name in ("Ann", "Bob", "Cem", "Dan"))
    family = world.group("Family", ann, bob, cem, dan)
    asides = ("/hint", "/play", "/settings", "/race 3", "/skip", "/hint", "/stop", "what a hand")
    for aside in asides:
        deal = await bot.deal(ann, family, 2, 4, 8, 10)
        command, _, rest = aside.partition(" ")
        addressed = f"{command}@{world.bot.username} {rest}" if aside[0] == "/" else aside
        lines = ((bob, "2*4+8+10"), (cem, addressed), (dan, "8+4*4"), (bob, "2+4+8+10"))
        for who, text in lines:
            clock.advance(5)
            await bot.say(who, family, text, reply_to=deal)
    assert len(world.posts(family)) <= len(asides) * MOST_POSTS_A_ROUND
