"""Replies to answers: a reaction, a reason or silence."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import Chat, Message, User, World

SOLVED, WRONG, OTHER = "8/(3-8/3)", "8*3-8/3", "1+2+3+4"


class Table:
    """A group of Ann and Bob in which the bot hears everything."""

    def __init__(self, run_bot: LiveBot, clock: Clock) -> None:
        self.bot, self.clock, world = run_bot, clock, run_bot.world
        self.ann, self.bob = world.user("Ann"), world.user("Bob")
        self.chat: Chat = world.group("Family", self.ann, self.bob)

    async def deal(self, *numbers: int, kind: str = "") -> Message:
        """Deal a hand; return its message."""
        self.bot.rig(*numbers)
        await self.get_reaction(self.ann, f"/play@{self.bot.world.bot.username} {kind}")
        return self.posts[-1]

    async def get_reaction(self, who: User, text: str, to: Message | None = None) -> str:
        """Send the text; return the bot's reactions."""
        result = await self.bot.say(who, self.chat, text, reply_to=to)
        return "".join(each for given in result.reactions.values() for each in given)

    async def get_posts(self, who: User, text: str, to: Message | None = None) -> list[str]:
        """Send the text; return what the bot posts."""
        before = len(self.posts)
        await self.bot.say(who, self.chat, text, reply_to=to)
        return [post.text for post in self.posts[before:]]

    @property
    def posts(self) -> list[Message]:
        return self.bot.world.posts(self.chat)


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    clock = Clock()
    async with run_bot(World(clock=clock, privacy=False), tmp_path / "games.sqlite3") as opened:
        yield Table(opened, clock)


async def test_every_reply_to_the_deal_is_judged(table: Table) -> None:
    deal = await table.deal(3, 8, 3, 8)
    result = [
        await table.get_reaction(table.bob, text, deal)
        for text in (OTHER, WRONG, "lovely", "/a lovely", SOLVED)
    ]
    assert result == ["👎", "👎", "", "🤔", "🏆"]


async def test_plain_message_is_judged_only_with_the_hands_numbers(table: Table) -> None:
    await table.deal(3, 8, 3, 8)
    result = [await table.get_reaction(table.bob, text) for text in (OTHER, WRONG, "lovely", SOLVED)]
    assert result == ["", "👎", "", "🏆"]


async def test_reply_to_message_quoting_the_hand_counts(table: Table) -> None:
    await table.deal(3, 8, 3, 8)
    for _ in range(15):
        await table.get_reaction(table.bob, "hm")
    table.clock.advance(10)
    (shown,) = await table.get_posts(table.bob, f"/play@{table.bot.world.bot.username}")
    assert shown.splitlines()[1] == "3 8 3 8 → 24"
    assert await table.get_reaction(table.bob, OTHER, table.posts[-1]) == "👎"


async def test_wrong_answer_after_end_gets_reaction_and_talk_nothing(table: Table) -> None:
    deal = await table.deal(3, 8, 3, 8)
    await table.get_reaction(table.ann, SOLVED, deal)
    table.clock.advance(100)
    posts = len(table.posts)
    result = [
        await table.get_reaction(table.bob, text, deal) for text in (WRONG, OTHER, "lovely", "/a lovely")
    ]
    assert result == ["👎", "👎", "", "🤔"]
    assert len(table.posts) == posts


async def test_answer_long_after_end_gets_reply_and_talk_nothing(table: Table) -> None:
    deal = await table.deal(3, 8, 3, 8)
    await table.get_reaction(table.ann, SOLVED, deal)
    table.clock.advance(121)
    assert await table.get_posts(table.bob, "lovely", deal) == []
    assert await table.get_posts(table.bob, WRONG, deal) == ["That hand is over. /play deals a hand."]
    assert await table.get_posts(table.bob, f"/a {WRONG}", deal) == [
        "No hand is on the table. /play deals a hand."
    ]
    assert await table.get_posts(table.bob, WRONG) == []


async def test_without_hand_only_the_command_is_answered(table: Table) -> None:
    assert await table.get_posts(table.bob, f"/a {WRONG}") == ["No hand is on the table. /play deals a hand."]
    assert await table.get_posts(table.bob, WRONG) == []


@pytest.mark.long
async def test_repeated_idea_names_both_answers(table: Table) -> None:
    deal = await table.deal(1, 2, 3, 4, kind="all")
    assert await table.get_reaction(table.ann, "1*2*3*4", deal) == "🏆"
    for who, answer, note in (
        (table.ann, "1*2*3*4", "You have found that one already"),
        (table.ann, "4*3*2/1", "You have that way already, written differently: 1×2×3×4 and 4×3×2÷1"),
        (table.bob, "1*2*3*4", "Right as well! \u2068Ann\u2069 was first"),
    ):
        assert await table.get_reaction(who, answer, deal) == "🤝"
        assert f"🤝 \u2068{who.first_name}\u2069: {note}" in deal.text.splitlines()
