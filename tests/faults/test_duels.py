"""`kill -9` at any moment of a duel: nothing of it is lost, and nothing counts twice."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.faults.conftest import Started, answer_to, figure, rows, show
from tests.faults.test_kill import PATIENCE, kill_again_and_again
from tests.telegram import BotApi, Chat, Message, Press, User, World

pytestmark = pytest.mark.faults
UNSENT = "SELECT count(*) FROM outbox WHERE state = 'waiting'"

OVER = "wins the duel"
LEFT = "SELECT id, chat_id, state, message_id, race_id FROM duels WHERE state NOT IN ('won')"


@dataclass
class Pair:
    """Two who duel in a group, again and again, for as long as the test runs."""

    world: World
    players: tuple[User, User]
    chat: Chat
    database: Path
    wins: Counter[int] = field(default_factory=Counter)  # Hands won, by player
    won: Counter[int] = field(default_factory=Counter)  # Duels won, by player

    async def play(self, over: asyncio.Event, rng: random.Random) -> None:
        """Challenge, accept, fight; from the second one on by the button under the last."""
        duel: Message | None = None
        while not over.is_set():
            challenger, opponent = rng.sample(self.players, 2)
            since = self.chat.last_id
            if duel is None:
                self.world.say(challenger, self.chat, f"/duel@{self.world.bot.username}")
            else:
                self.world.press(challenger, duel, "Rematch")
            duel = await self._fight(await self._accepted(opponent, since), rng)

    async def _accepted(self, opponent: User, since: int) -> Message:
        """The opponent accepts, on whatever copy of the challenge a kill may have left."""
        pressed: dict[int, Press] = {}

        def news() -> Message | None:
            posts = [post for post in self.world.posts(self.chat) if post.id > since]
            begun = [post for post in posts if _line(post)]
            fresh = [post for post in posts if post.labels[:1] == ["Accept"] and post.id not in pressed]
            return next(iter([*begun, *fresh]), None)

        while True:
            try:
                found = await self.world.wait_until(news, PATIENCE, "a challenge, or its hand")
            except AssertionError as error:
                told = {number: press.answer for number, press in pressed.items()}
                error.add_note(f"what presses were told: {told}, {rows(self.database, LEFT)}")
                raise
            assert found is not None
            if _line(found):
                return found
            pressed[found.id] = self.world.press(opponent, found, "Accept")

    async def _fight(self, duel: Message, rng: random.Random) -> Message:
        """Hand after hand, each by whoever is quicker; returns the message in which it ended."""
        score: Counter[int] = Counter()
        while max(score.values(), default=0) < 3:
            player, line = rng.choice(self.players), _line(duel)
            self.world.say(player, self.chat, answer_to(duel), reply_to=duel)
            score[player.id] += 1
            await self.world.wait_until(
                lambda line=line: OVER in duel.text or _line(duel) not in ("", line),  # type: ignore[misc]
                PATIENCE,
                "the next hand, or the end",
            )
        assert OVER in duel.text
        self.wins += score
        self.won[score.most_common(1)[0][0]] += 1
        return duel


def _line(post: Message) -> str:
    return next((line for line in post.text.splitlines() if line.endswith("→ 24")), "")


@pytest.mark.exhaustive
async def test_a_duel_outlives_any_kill(bot: Started, database: Path) -> None:
    world, rng = World(seed=5), random.Random(7)
    pairs = []
    for n in range(3):
        one, other = world.user(f"Ann{n}"), world.user(f"Bob{n}")
        pairs.append(Pair(world, (one, other), world.group(f"Group {n}", one, other), database))
    kills = figure(100, 4)
    async with BotApi(world) as api:
        process, over = bot(world, api.url), asyncio.Event()
        async with asyncio.TaskGroup() as evening:
            for pair in pairs:
                evening.create_task(pair.play(over, rng))
            await kill_again_and_again(world, process, kills, random.Random(9))
            process.start()
            over.set()
        await world.wait_until_taken()
        async with asyncio.timeout(60):  # a message that changes often is shown once a second
            while rows(database, UNSENT) != [(0,)]:  # noqa: ASYNC110 - rows tell nobody
                await asyncio.sleep(0.05)
        process.process.terminate()
        assert await process.ended(8) == 0, process.said()[-3000:]
    hands = sum((pair.wins for pair in pairs), Counter[int]())
    fought = sum((pair.won for pair in pairs), Counter[int]())
    awards = rows(database, "SELECT player_id, count(*) FROM awards GROUP BY player_id")
    (once,) = rows(database, "SELECT count(*), count(DISTINCT round_id), sum(points) FROM awards")
    (total,) = rows(database, "SELECT sum(points) FROM totals WHERE period = 'all' AND chat_id != 0")
    duels = rows(database, "SELECT winner_id, count(*) FROM duels WHERE state = 'won' GROUP BY winner_id")
    (other_ends,) = rows(database, "SELECT count(*) FROM duels WHERE state != 'won'")
    (left,) = rows(database, "SELECT count(*) FROM inbox WHERE state != 'done'")
    (unsent,) = rows(database, UNSENT)
    posted = [*world.calls("sendMessage"), *world.calls("sendPhoto")]
    said = [r.params.get("text") or r.params.get("caption", "") for r in posted if r.status == 200]
    challenges = sum("challenges" in each for each in said)
    show(
        f"{kills} kills, {fought.total()} duels, {hands.total()} hands: {hands.total() - once[0]} lost, "
        f"{once[0] - once[1]} doubled, {challenges - fought.total()} challenges repeated"
    )
    assert fought
    assert dict(awards) == dict(hands)
    assert once[0] == once[1]
    assert total[0] == once[2]
    assert dict(duels) == dict(fought)
    assert other_ends == (0,)
    assert (left, unsent) == ((0,), (0,))
    assert challenges - fought.total() <= kills
    assert not world.violations
