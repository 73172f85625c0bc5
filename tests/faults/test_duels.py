"""Duels through SIGKILL at any moment: nothing is lost or counted twice."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.faults.conftest import BotFactory, choose_amount, fetch_rows, report, solve_deal
from tests.faults.test_kill import PATIENCE, kill_repeatedly
from tests.telegram import BotApi, Chat, Message, Press, User, World

pytestmark = pytest.mark.faults
UNSENT = "SELECT count(*) FROM outbox WHERE state = 'waiting'"

OVER = "wins the duel"
LEFT = "SELECT id, chat_id, state, message_id, race_id FROM duels WHERE state NOT IN ('won')"


@dataclass
class DuelPair:
    """Two people who play one duel after another in a group."""

    world: World
    players: tuple[User, User]
    chat: Chat
    database: Path
    wins: Counter[int] = field(default_factory=Counter)  # Hands won, by player
    won: Counter[int] = field(default_factory=Counter)  # Duels won, by player

    async def play(self, over: asyncio.Event, rng: random.Random) -> None:
        """Play duels until `over` is set; from the second on by the rematch button."""
        duel: Message | None = None
        while not over.is_set():
            challenger, opponent = rng.sample(self.players, 2)
            since = self.chat.last_id
            if duel is None:
                self.world.say(challenger, self.chat, f"/duel@{self.world.bot.username}")
            else:
                self.world.press(challenger, duel, "Rematch")
            duel = await self._play_duel(await self._accept_challenge(opponent, since), rng)

    async def _accept_challenge(self, opponent: User, since: int) -> Message:
        """Accept the challenge, of which a kill may have left copies, and return the duel's message."""
        pressed: dict[int, Press] = {}

        def find_next_post() -> Message | None:
            posts = [post for post in self.world.posts(self.chat) if post.id > since]
            begun = [post for post in posts if _parse_hand_line(post)]
            fresh = [post for post in posts if post.labels[:1] == ["Accept"] and post.id not in pressed]
            return next(iter([*begun, *fresh]), None)

        while True:
            try:
                found = await self.world.wait_until(find_next_post, PATIENCE, "a challenge, or its hand")
            except AssertionError as error:
                told = {number: press.answer for number, press in pressed.items()}
                error.add_note(f"answers to presses: {told}, {fetch_rows(self.database, LEFT)}")
                raise
            assert found is not None
            if _parse_hand_line(found):
                return found
            pressed[found.id] = self.world.press(opponent, found, "Accept")

    async def _play_duel(self, duel: Message, rng: random.Random) -> Message:
        """Play the duel's hands, each won by a random player; return its message."""
        score: Counter[int] = Counter()
        while max(score.values(), default=0) < 3:
            player, line = rng.choice(self.players), _parse_hand_line(duel)
            self.world.say(player, self.chat, solve_deal(duel), reply_to=duel)
            score[player.id] += 1
            await self.world.wait_until(
                lambda line=line: OVER in duel.text or _parse_hand_line(duel) not in ("", line),  # type: ignore[misc]
                PATIENCE,
                "the next hand, or the end",
            )
        assert OVER in duel.text
        self.wins += score
        self.won[score.most_common(1)[0][0]] += 1
        return duel


def _parse_hand_line(post: Message) -> str:
    return next((line for line in post.text.splitlines() if line.endswith("→ 24")), "")


@pytest.mark.exhaustive
async def test_duels_survive_kills(make_bot: BotFactory, database: Path) -> None:
    world, rng = World(seed=5), random.Random(7)
    pairs = []
    for n in range(3):
        one, other = world.user(f"Ann{n}"), world.user(f"Bob{n}")
        pairs.append(DuelPair(world, (one, other), world.group(f"Group {n}", one, other), database))
    kills = choose_amount(100, 4)
    async with BotApi(world) as api:
        process, over = make_bot(world, api.url), asyncio.Event()
        async with asyncio.TaskGroup() as evening:
            for pair in pairs:
                evening.create_task(pair.play(over, rng))
            await kill_repeatedly(world, process, kills, random.Random(9))
            process.start()
            over.set()
        await world.wait_until_taken()
        async with asyncio.timeout(60):  # a message that changes often is shown once a second
            while fetch_rows(database, UNSENT) != [(0,)]:  # noqa: ASYNC110 - rows tell nobody
                await asyncio.sleep(0.05)
        process.process.terminate()
        assert await process.wait_for_exit(8) == 0, process.read_log()[-3000:]
    hands = sum((pair.wins for pair in pairs), Counter[int]())
    fought = sum((pair.won for pair in pairs), Counter[int]())
    awards = fetch_rows(database, "SELECT player_id, count(*) FROM awards GROUP BY player_id")
    (once,) = fetch_rows(database, "SELECT count(*), count(DISTINCT round_id), sum(points) FROM awards")
    (total,) = fetch_rows(database, "SELECT sum(points) FROM totals WHERE period LIKE '%all' AND chat_id<>0")
    duels = fetch_rows(
        database, "SELECT winner_id, count(*) FROM duels WHERE state = 'won' GROUP BY winner_id"
    )
    (other_ends,) = fetch_rows(database, "SELECT count(*) FROM duels WHERE state != 'won'")
    (left,) = fetch_rows(database, "SELECT count(*) FROM inbox WHERE state != 'done'")
    (unsent,) = fetch_rows(database, UNSENT)
    posted = [*world.calls("sendMessage"), *world.calls("sendPhoto")]
    said = [r.params.get("text") or r.params.get("caption", "") for r in posted if r.status == 200]
    challenges = sum("challenges" in each for each in said)
    report(
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
