"""/solve reads hands as people write them, and knows an expression when it sees one."""

import pytest

from bot.i18n import choose_language, get_words
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, User

POINTING = "That is an expression: /why {expression} shows it step by step."


async def solved(bot: LiveBot, ann: User, text: str) -> list[str]:
    """The lines of the answer, in private."""
    await bot.say(ann, bot.world.chat_of(ann), f"/solve {text}")
    return bot.world.posts(ann)[-1].text.splitlines()


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        *("3 8 3 8 lol", "3 8 3 8 😀", "24 = 3 8 3 8", "24=3,8,3,8", "3, 8, 3, 8?", "3 8 3 8 = 24!"),
        *("what is 3 8 3 8", "3 8 3 8 a lot", "[3, 8, 3, 8] -> 24", "3♠ 8♥ 3♦ 8♣ ➡️ 24", "3️⃣ 8️⃣ 3️⃣ 8️⃣"),
        *("3 8 3 8 :3", "hand: 3 8 3 8", "¿3 8 3 8?", "3 8 3 8 => 24 pls", "请算3 8 3 8", "3 8 3 8 <3"),
        *("3 8 3 8 = ?", "(3 8 3 8)"),
    ],
)
async def test_what_stands_around_a_hand_is_no_trouble(bot: LiveBot, ann: User, text: str) -> None:
    assert await solved(bot, ann, text) == ["3 8 3 8 → 24", "8/(3-8/3) = 24", "1 idea"]


@pytest.mark.parametrize(
    ("text", "line"), [("1 2 =3", "1 2 → 3"), ("a k 2", "1 13 2 → 24"), ("36 = 4 9", "4 9 → 36")]
)
async def test_other_hands(bot: LiveBot, ann: User, text: str, line: str) -> None:
    assert (await solved(bot, ann, text))[0] == line


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "named"),
    [
        *(("3 8 dog 3 8", "dog"), ("hello", "hello"), ("7 lol", "lol"), ("3.5 8", "3.5")),
        *(("-3 8", "-3"), ("3 8 = x", "x"), ("3 8 = 24 25", "24 25"), ("a lot", "lot"), ("3 8 y", "y")),
    ],
)
async def test_what_cannot_be_read_is_still_named(bot: LiveBot, ann: User, text: str, named: str) -> None:
    (told,) = await solved(bot, ann, text)
    assert f"“{named}” is no whole number" in told


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "es", "ru", "zh-hans", "zh-hant"])
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("8/(3-8/3)", "8/(3-8/3)"),
        ("24 = 8 ÷ (3 − 8 ÷ 3) lol", "8/(3-8/3)"),
        ("2*-1.5", "2*(-1.5)"),
    ],
)
async def test_an_expression_is_shown_the_way_to_why(
    bot: LiveBot, ann: User, language: str, text: str, shown: str
) -> None:
    assert await solved(bot, ann, text) == [
        get_words(choose_language(language)).translate_plain(POINTING, expression=shown)
    ]


async def test_it_repeats_nothing_that_why_would_not_show(bot: LiveBot, ann: User, family: Chat) -> None:
    await bot.deal(ann, family, 3, 8, 3, 8)
    for text in ("8/(3-8/3)", "(-8)/(8/3-3)", "1*8/(3-8/3) lol"):
        (told,) = await solved(bot, ann, text)
        assert told == "That hand is on the table in a chat where you play: no peeking!"
        assert "8/3" not in told
