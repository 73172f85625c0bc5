"""A family plays in a group: the real bot in a small Telegram, with fixed hands and a fixed clock."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from unittest import mock

from tests.databases import write_database
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, read_reactions, run_bot
from tests.telegram import Message, World

READER = "Ann"  # Her messages stand on the right
ROUND = ((3, 8, 3, 8), "8*3-8/3", "8/(3-8/3)")  # The hand, a wrong answer and the right one
BOARD_HAND, BOARD_SOLUTION = (7, 3, 8, 2), "(7-3)*(8-2)"
RACE = (
    ((1, 1, 2, 8), "Bob", "1*8*(1+2)"),
    ((2, 3, 4, 8), "Mia", "8*(2+4-3)"),
    ((3, 6, 6, 9), "Mia", "6*6-3-9"),
    ((1, 5, 5, 5), "Ann", "5*(5-1/5)"),
    ((4, 4, 7, 8), "Bob", "7*(8-4)-4"),
)


@dataclass(frozen=True)
class Bubble:
    """A message as a member of the group sees it."""

    author: str
    text: str
    reply_to: str = ""  # The author of the message that it answers
    quote: str = ""  # The first line of that message
    photo: bytes = b""
    buttons: tuple[tuple[str, ...], ...] = ()
    reaction: str = ""


View = tuple[Bubble, ...]  # The messages of the group, oldest first


@dataclass
class Family:
    """Ann, Bob and Mia, and the bot in their group."""

    bot: LiveBot
    clock: Clock

    def __post_init__(self) -> None:
        world = self.bot.world
        self.people = {name: world.user(name) for name in ("Ann", "Bob", "Mia")}
        self.group = world.group("Family", *self.people.values())

    def say(self, name: str, text: str, reply_to: Message | None = None, *, after: float = 0) -> Message:
        """Send a message `after` seconds; the bot has not answered yet."""
        self.clock.advance(after)
        return self.bot.world.say(self.people[name], self.group, text, reply_to=reply_to)

    async def look(self) -> View:
        """Wait until the bot has answered, and return the group's messages."""
        await self.bot.settle()
        return self.get_view()

    def get_view(self) -> View:
        return tuple(map(_make_bubble, self.group.said))

    async def deal(self, name: str, command: str, *hands: tuple[int, ...]) -> Message:
        """Send a command that deals these hands, and return the bot's message."""
        for numbers in hands:
            self.bot.rig(*numbers)
        self.say(name, command)
        message = await self.bot.world.next_post(self.group, "→ 24")
        await self.bot.settle()
        return message


def _make_bubble(message: Message) -> Bubble:
    rows = message.markup["inline_keyboard"] if message.markup else []
    answered = message.reply_to
    return Bubble(
        author=message.sender.first_name if message.sender else "",
        text=message.text,
        reply_to=answered.sender.first_name if answered and answered.sender else "",
        quote=answered.text.splitlines()[0] if answered else "",
        photo=message.file or b"",
        buttons=tuple(tuple(str(button["text"]) for button in row) for row in rows),
        reaction=read_reactions(message),
    )


@asynccontextmanager
async def open_family() -> AsyncIterator[Family]:
    """Start the bot with an empty database; it stops at the end."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder, _fix_seeds():
        database = write_database(Path(folder) / "family.sqlite3")
        world = World(clock=clock, seed=24)
        async with run_bot(world, database, pictures=True, web_url="https://24.example.org/board") as bot:
            yield Family(bot, clock)


@contextmanager
def _fix_seeds() -> Iterator[None]:
    """Deal and hint the same in every run."""
    seeds = count(24)
    with (
        mock.patch("bot.service.make_seed", side_effect=seeds),
        mock.patch("bot.rounds.chains.derive_seed", side_effect=seeds),
    ):
        yield


async def play_round(family: Family) -> list[View]:
    """Play a round; return the group before it and after each step, ten views."""
    numbers, wrong, right = ROUND
    family.say("Mia", "A game while the rice cooks?")
    views = [await family.look()]
    family.bot.rig(*numbers)
    family.say("Ann", "/play", after=20)
    views.append(family.get_view())
    deal = await family.bot.world.next_post(family.group, "→ 24")
    views.append(await family.look())
    for name, text, reply_to, after in (
        ("Bob", wrong, deal, 8),
        ("Mia", "/hint", None, 6),
        ("Bob", right, deal, 9),
    ):
        family.say(name, text, reply_to, after=after)
        views += [family.get_view(), await family.look()]
    return views


ASKED, DEALT, TRIED, REFUSED, HINT_ASKED, HINTED, SOLVED, WON = range(1, 9)  # Indices of `play_round`


async def play_race(family: Family) -> tuple[View, View]:
    """Play a race of five hands; return its message in the fourth hand, and at the end."""
    race = await family.deal("Ann", "/race 5", *(numbers for numbers, _, _ in RACE))
    views = list[Bubble]()
    for number, (_, winner, answer) in enumerate(RACE, 1):
        if number == len(RACE) - 1:
            views.append(_make_bubble(race))
        family.say(winner, answer, race, after=6 + 3 * number)
        await family.look()
    return (views[0],), (_make_bubble(race),)


def format_transcript(*views: View) -> str:
    """Return what the views show as plain text, without pictures."""
    return "\n\n".join("\n".join(map(_format_bubble, view)) for view in views)


def _format_bubble(bubble: Bubble) -> str:
    rows = [" ".join(f"[{label}]" for label in row) for row in bubble.buttons]
    return "\n".join([f"{bubble.author}: {bubble.text} {bubble.reaction}".strip(), *rows])
