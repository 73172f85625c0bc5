"""Two groups that share a member: what one of them hears about a hand of the other."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.stories.conftest import Evening, evening
from tests.telegram import Chat, Message, User, World

HAND, SOLUTION = (3, 8, 3, 8), "8/(3-8/3)"
WORTH = 6
"""Points of that hand: a fiendish one, and the day's first."""


@dataclass
class Two:
    """Two groups with Ann in both, Bob in the first and Cid in the second."""

    world: World
    evening: Evening
    ann: User
    bob: User
    cid: User
    here: Chat
    there: Chat

    async def asks(self, user: User, place: Chat | User) -> str:
        """The reply to `/solve` of the hand."""
        chat = self.world.place(place)
        await self.evening.says(user, chat, f"/solve@{self.world.bot.username} 8 3 8 3")
        return self.world.posts(chat)[-1].text

    async def answers(self, user: User, deal: Message) -> None:
        await self.evening.says(user, deal.chat, SOLUTION, reply_to=deal)

    async def points(self, user: User, chat: Chat) -> int:
        """The user's points there."""
        await self.evening.says(user, chat, f"/leaderboard@{self.world.bot.username}")
        (*_, line) = self.world.posts(chat)[-1].text.splitlines()
        own = re.fullmatch(rf"\d+\. \u2068{user.first_name}\u2069 — (\d+)", line)
        return int(own[1]) if own else 0


@asynccontextmanager
async def neighbours(folder: Path, world: World | None = None) -> AsyncIterator[Two]:
    world = world or World()
    ann, bob, cid = world.user("Ann"), world.user("Bob"), world.user("Cid")
    here, there = world.group("Here", bob, ann), world.group("There", cid, ann)
    async with evening(world, folder / "twentyfour.sqlite3") as opened:
        yield Two(world, opened, ann, bob, cid, here, there)
