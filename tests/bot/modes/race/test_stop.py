"""`/stop`: who may end a race, and what is stored."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import select

import solver
from bot.database import Tx
from bot.database.schema import entries, races, reveals
from bot.database.schema import rounds as table
from bot.players import aliases
from tests.stories.clock import NOON, Clock
from tests.stories.conftest import LiveBot, run_bot
from tests.stories.test_countdown import read_draw
from tests.telegram import Chat, Message, User, World

T = TypeVar("T")
NOTHING = "No race, duel or run is on here"
HANDS = ((1, 1, 2, 8), (2, 2, 6, 6), (3, 8, 3, 8), (1, 5, 5, 5), (1, 3, 4, 6))


class Club:
    """A group of Ann, its creator, Bob, Cid and Dan, with the bot."""

    def __init__(self, bot: LiveBot, clock: Clock) -> None:
        self.bot, self.clock, self.world = bot, clock, bot.world
        self.ann, self.bob, self.cid, self.dan = map(bot.world.user, ("Ann", "Bob", "Cid", "Dan"))
        self.chat = bot.world.group("Club", self.ann, self.bob, self.cid, self.dan)
        self.den = bot.world.group("Den", self.dan, self.bob)

    async def say(
        self, user: User, text: str, chat: Chat | None = None, to: Message | None = None
    ) -> Message:
        """Send a message and wait until the bot has handled it."""
        return await self.bot.say(user, chat or self.chat, text.replace("%", "@TwentyFourTestBot"), to)

    async def start_race(self, text: str = "3") -> Message:
        """Let Bob start a race; return its message."""
        for numbers in HANDS:
            self.bot.rig(*numbers)
        await self.say(self.bob, f"/race% {text}")
        return self.posts[-1]

    async def run_read(self, verb: Callable[[Tx], T]) -> T:
        return await self.bot.services.store.read(verb)

    async def load_race(self) -> tuple[int, str]:
        """Load the number of hands played and the state of the only race."""
        row = await self.run_read(lambda tx: tx.execute(select(races.c.played, races.c.state)).one())
        return row.played, row.state

    async def load_rounds(self) -> list[tuple[str, float | None]]:
        """Load the state and the end of each round in the club."""
        here = select(table.c.state, table.c.closed).where(table.c.chat_id == self.chat.id)
        rows = await self.run_read(lambda tx: tx.execute(here.order_by(table.c.id)).all())
        return [(row.state, row.closed) for row in rows]

    @property
    def posts(self) -> list[Message]:
        return self.world.posts(self.chat)


@pytest.fixture
async def club(tmp_path: Path) -> AsyncIterator[Club]:
    clock = Clock()
    async with run_bot(World(clock=clock), tmp_path / "games.sqlite3", pictures=False) as bot:
        yield Club(bot, clock)


@pytest.mark.long
async def test_open_hand_is_skipped_and_counts_as_played(club: Club) -> None:
    race = await club.start_race()
    await club.say(club.bob, "1*8*(1+2)", to=race)
    club.clock.advance(20)
    await club.say(club.bob, "/stop%")
    assert await club.load_race() == (2, "over")
    assert await club.load_rounds() == [("won", NOON), ("skipped", NOON + 20)]
    assert "2×6+2×6 = 24" in race.text
    assert race.labels == ["Race again", "Review"]


async def test_hand_whose_time_is_over_stays_open_for_late_answers(club: Club) -> None:
    race = await club.start_race()
    club.clock.advance(61)
    await club.say(club.bob, "/stop%")
    assert await club.load_race() == (1, "over")
    assert await club.load_rounds() == [("open", None)]
    assert "→" not in race.text
    await club.say(club.bob, "/stop%")
    assert NOTHING in race.text, "the race itself is over"


async def test_starter_ends_the_race_at_once_by_the_vote_button(club: Club) -> None:
    race = await club.start_race()
    await club.say(club.cid, "/stop%")
    assert await club.world.answer_to(club.world.press(club.bob, race, "End 1/2")) == ""
    await club.bot.settle()
    assert await club.load_race() == (1, "over")


@pytest.mark.long
async def test_channel_has_no_vote_but_an_anonymous_admin_ends_the_race(club: Club) -> None:
    await club.start_race()
    club.world.say_as_channel(club.chat, club.world.channel("News", club.cid), "/stop@TwentyFourTestBot")
    await club.bot.settle()
    assert await club.load_race() == (0, "open")
    assert len(club.posts) == 1
    club.world.say_anonymously(club.chat, "/stop@TwentyFourTestBot")
    await club.bot.settle()
    assert await club.load_race() == (1, "over")


async def test_player_who_ends_a_race_has_seen_the_solution(club: Club) -> None:
    await club.start_race()
    club.clock.advance(5)
    await club.say(club.bob, "/stop%")
    shown = select(reveals.c.numbers, reveals.c.reader, reveals.c.at)
    rows = await club.run_read(lambda tx: [tuple(row) for row in tx.execute(shown)])
    assert rows == [
        ("1 1 2 8", await club.run_read(lambda tx: aliases.make_alias(tx, club.bob.id)), NOON + 5)
    ]


@pytest.mark.long
@pytest.mark.parametrize("who", ["starter", "voters"])
async def test_players_who_end_a_race_withdraw_their_entries(club: Club, who: str) -> None:
    await club.say(club.bob, "/race% countdown 2")
    race = club.posts[-1]
    tiles, target = read_draw(race)
    nearest = str(solver.nearest(tiles, target).expression)
    everybody = (club.bob, club.cid, club.dan, club.ann)
    for user in everybody:
        await club.say(user, nearest, to=race)
    for user in (club.bob,) if who == "starter" else (club.cid, club.dan):
        await club.say(user, "/stop%")
    kept = await club.run_read(lambda tx: set(tx.scalars(select(entries.c.player_id))))
    out = {club.bob.id} if who == "starter" else {club.cid.id, club.dan.id}
    assert kept == {user.id for user in everybody} - out


async def test_challenge_is_withdrawn_before_a_contest_ends(club: Club) -> None:
    await club.say(club.bob, "/yahtzee%")
    await club.say(club.bob, "/duel%")
    offer = club.posts[-1]
    await club.say(club.bob, "/stop%")
    assert (offer.labels, await club.load_rounds()) == ([], [("running", None)])
    await club.say(club.bob, "/stop%")
    assert await club.load_rounds() == [("over", NOON)]
