"""Complete translation: menus, help, verdicts, errors, buttons and settings show no English.

A person sends every command and presses every button. Everything that the bot sends is then searched for
Latin words that are no name, command or expression. Sentences that wait for a translator are left out: `make
catalogues` lists them.
"""

import re
from collections.abc import AsyncIterator, Container, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.games.twentyfour.dealing import Solutions
from bot.i18n import choose_language, get_words, list_languages
from bot.queue.pacing import Pace
from bot.rounds.registry import GAMES
from bot.telegram.menus import set_command_menus
from bot.workers.pool import TooSlowError
from tests import catalogues
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, run_bot
from tests.telegram import Chat, Message, Request, User, World

NO_LIMITS = Pace(posts_a_minute=100_000, redraw_gap=0.0)
LANGUAGES = pytest.mark.parametrize(
    "code", ["zh-hans", *(pytest.param(code, marks=pytest.mark.long) for code in ("zh-hant", "ru"))]
)

LANGUAGE_NAMES = {get_words(language).name for language in list_languages()}
NAMES = "|".join(map(re.escape, [*(game.title for game in GAMES.values()), *LANGUAGE_NAMES]))
KEPT = re.compile(
    rf"""</?\w+(\s[^>]*)?> | https?://\S+ | @\w+ | /[a-z]+(\s(hard|all))?   # tags, links, names, commands
    | (?<![A-Za-z])(easy|medium|hard|fiendish|all|countdown)(?![A-Za-z])    # what commands take everywhere
    | {NAMES}
    | Telegram | Disable | UTC | ID | id | Ctrl-D | A[ ]J[ ]Q[ ]K""",
    re.VERBOSE,
)
LATIN = re.compile(r"[A-Za-z]{2,}")

WRONG = (
    *("1+1", "3*8", "8*3-8/3", "3*8*3*8*8", "8/(3-8/3", "8/3-8/3)", "8//3", "3 8", "2**3", "2^3", "8.5*3"),
    *(
        "-3+27",
        "8/(3-3)",
        "3+x1",
        "3#8",
        "(" * 20 + "3+8" + ")" * 20,
        "1234567890123+1",
        "+".join(["1"] * 40),
    ),
    *("9" * 300, "8/(3-8/3)=25", "3+", "根号(8)+3", "()", "²+3", "3! + 8"),
)
SAID = (
    *("/start", "/help", "/hint", "/skip", "/a", "/a ", "/cancel", "/privacy", "/export", "/stats", "/daily"),
    *(
        "/leaderboard",
        "/solve",
        "/solve 3 8 3 8",
        "/solve 1 1 1 1",
        "/solve 三 八",
        "/solve 1 2 = x",
        "/solve -1",
    ),
    *("/solve " + "7 " * 50, "/solve " + "9" * 4000, "/solve 3 8 3 8 = 99999999", "/solve 2 4 8 10"),
    *("/why", "/why 8/(3-8/3)", "/why 8/0", "/why 胡说", "/why 3*8", "/settings", "/doctor"),
    *("/play 胡说", "/play 99", "/play hard", "/play", "/hint", "/hint", "/hint", "/hint", "/skip"),
    *("/play all", "/skip", "/play 5", "/skip", "/race x", "/race 3", "/skip", "/race 99"),
)


def iterate_texts(value: Any) -> Iterator[str]:
    """Yield every text, label, title and description in a request."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in {"text", "description", "title", "caption", "message_text", "input_field_placeholder"}:
                yield str(inner)
            elif isinstance(inner, dict | list):
                yield from iterate_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from iterate_texts(inner)


CODE = re.compile("<code>.*?</code>")  # What to copy to verify a hand


def find_english_words(text: str, untranslated: Container[str]) -> list[str]:
    """Return the words that look English and are in no sentence that waits for a translator."""
    words = LATIN.findall(KEPT.sub(" ", CODE.sub(" ", text)))
    return [word for word in words if word not in untranslated]


def list_untranslated_words(code: str) -> set[str]:
    """Return the words of the sentences that wait for a translator into this language."""
    missing = catalogues.list_untranslated(catalogues.gather_catalogue(choose_language(code)))
    return {word for message in missing for word in LATIN.findall(str(message.id))}


class Walk:
    """A person who sends texts and presses every new button."""

    def __init__(self, bot: LiveBot, person: User, chat: Chat | User) -> None:
        self.bot = bot
        self.person = person
        self.chat = chat
        self.pressed: set[str] = set()

    async def say(self, text: str, reply_to: Message | None = None) -> None:
        """Send a text, then press every new button of the last two posts."""
        world = self.bot.world
        world.say(self.person, self.chat, text, reply_to=reply_to, hear=True)
        await self.bot.settle()
        for post in world.posts(self.chat)[-2:]:
            await self.press_buttons(post)

    async def press_buttons(self, post: Message, depth: int = 3) -> None:
        """Press each button of a new kind, except those that change the language."""
        rows = (post.markup or {}).get("inline_keyboard", ())
        for button in [button for row in rows for button in row]:
            data = str(button.get("callback_data", ""))
            kind = re.sub(r"\d+", "0", data) if not data.startswith("o:") else data
            if data and kind not in self.pressed and button["text"].strip("✓ ") not in LANGUAGE_NAMES:
                self.pressed.add(kind)
                self.bot.world.press(self.person, post, data=data)
                await self.bot.settle()
                if depth:
                    await self.press_buttons(post, depth - 1)


@asynccontextmanager
async def start_walk(code: str, database: Path) -> AsyncIterator[tuple[World, Clock, LiveBot, User]]:
    clock = Clock()
    world = World(clock=clock)
    person = world.user("李雷", language_code=code)
    async with run_bot(world, database, NO_LIMITS) as this:
        yield world, clock, this, person


def assert_no_english(requests: list[Request], code: str) -> None:
    """Fail if a request shows English words, which no player here has typed."""
    untranslated = list_untranslated_words(code)
    sent = [r for r in requests if r.method != "setMyCommands"]
    english_texts = {
        text: words
        for r in sent
        for text in iterate_texts(r.params)
        if (words := find_english_words(text.replace("Twenty-Four", ""), untranslated))
    }
    assert english_texts == {}


@pytest.mark.long
@LANGUAGES
async def test_private_chat_shows_no_english(code: str, database: Path) -> None:
    async with start_walk(code, database) as (world, clock, this, person):
        walk = Walk(this, person, person)
        for text in SAID:
            await walk.say(text)
            clock.advance(7)
        this.rig(3, 8, 3, 8)
        await walk.say("/play")
        for text in WRONG:
            await walk.say(text)
        await walk.say("8/(3-8/3)")
        await walk.say("8/(3-8/3)")
        await walk.say("/stats")
        await walk.say("/forgetme")
        assert_no_english(world.requests, code)


@pytest.mark.long
@LANGUAGES
async def test_group_chat_shows_no_english(code: str, database: Path) -> None:
    async with start_walk(code, database) as (world, clock, this, person):
        friend = world.user("王", language_code=code)
        group = world.group("数学", person, friend)
        walk, other = Walk(this, person, group), Walk(this, friend, group)
        this.rig(3, 8, 3, 8)
        await other.say("/play")
        deal = world.posts(group)[-1]
        for text in ("8*3-8/3", "3+8", "8/", *WRONG[4:8]):
            await walk.say(text, deal)
        await walk.say("/solve 3 8 3 8")
        await walk.say("8/(3-8/3)", deal)
        await other.say("8/(3-8/3)", deal)
        for text in SAID:
            await walk.say(text)
            clock.advance(7)
        for text in ("/settings", "/doctor", "/skip", "/privacy", "/export", "/forgetme", "/race 3"):
            await other.say(text)
        for _ in range(5):
            clock.advance(700)
            await this.run_timers()
        assert_no_english(world.requests, code)


@pytest.mark.long
@LANGUAGES
async def test_errors_show_no_english(code: str, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def too_slow(*_: object, **__: object) -> Solutions:
        raise TooSlowError

    async with start_walk(code, database) as (world, _, this, person):
        monkeypatch.setattr(this.solving, "run_task", too_slow)
        walk = Walk(this, person, person)
        for text in ("/play", "/play all", "/race", "/solve 3 8 3 8", "/solve 1 2 3 4 5 6 7 8"):
            await walk.say(text)
        for query in ("", "3 8 3 8", "x", "1 1 1 1", "9 " * 80):
            inline = world.inline(person, query)
            await world.wait_until(lambda i=inline: i.answer is not None, what="an answer")  # type: ignore[misc]
        world.press(person, world.posts(person)[-1], data="forged:1")
        await this.settle()
        assert_no_english(world.requests, code)


async def test_menus_are_translated(database: Path) -> None:
    async with start_walk("zh-hans", database) as (world, _, this, _person):
        await set_command_menus(this.services, this.service.routes.commands)
        menus = world.profile.commands
        for language in ("zh", "ru", "es"):
            untranslated = list_untranslated_words(language)
            listed = [entry for (_, code), menu in menus.items() if code == language for entry in menu]
            assert len({entry["command"] for entry in listed}) > 9
            english = {
                entry["description"] for (_, code), menu in menus.items() if not code for entry in menu
            }
            own = {entry["description"] for entry in listed}
            assert [text for text in own & english if not set(LATIN.findall(text)) <= untranslated] == []
            if language != "es":
                assert [words for text in own if (words := find_english_words(text, untranslated))] == []
