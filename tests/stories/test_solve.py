"""/solve reads hands as people write them, and points to /why for an expression."""

import pytest

from bot.i18n import choose_language, get_words
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, User

WHY_HINT = "That is an expression: /why {expression} shows it step by step."


async def send_solve(bot: LiveBot, ann: User, text: str) -> list[str]:
    """Send /solve in private and return the lines of the reply."""
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
async def test_words_around_a_hand_are_ignored(bot: LiveBot, ann: User, text: str) -> None:
    assert await send_solve(bot, ann, text) == ["3 8 3 8 → 24", "8÷(3−8÷3) = 24", "1 way"]


@pytest.mark.parametrize(
    ("text", "line"), [("1 2 =3", "1 2 → 3"), ("a k 2", "1 13 2 → 24"), ("36 = 4 9", "4 9 → 36")]
)
async def test_hand_of_letters_or_with_a_target_is_read(
    bot: LiveBot, ann: User, text: str, line: str
) -> None:
    assert (await send_solve(bot, ann, text))[0] == line


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "word"),
    [
        *(("3 8 dog 3 8", "dog"), ("hello", "hello"), ("7 lol", "lol"), ("3.5 8", "3.5")),
        *(("-3 8", "-3"), ("3 8 = x", "x"), ("3 8 = 24 25", "24 25"), ("a lot", "lot"), ("3 8 y", "y")),
    ],
)
async def test_unreadable_word_is_quoted(bot: LiveBot, ann: User, text: str, word: str) -> None:
    (line,) = await send_solve(bot, ann, text)
    assert f"“{word}” is no whole number" in line


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "es", "ru", "zh-hans", "zh-hant"])
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("8/(3-8/3)", "8÷(3−8÷3)"),
        ("24 = 8 ÷ (3 − 8 ÷ 3) lol", "8÷(3−8÷3)"),
        ("2*-1.5", "2×(−1.5)"),
    ],
)
async def test_expression_is_answered_with_the_why_command(
    bot: LiveBot, ann: User, language: str, text: str, shown: str
) -> None:
    assert await send_solve(bot, ann, text) == [
        get_words(choose_language(language)).translate_plain(WHY_HINT, expression=shown)
    ]


async def test_expression_over_an_open_hand_is_not_repeated(bot: LiveBot, ann: User, family: Chat) -> None:
    await bot.deal(ann, family, 3, 8, 3, 8)
    for text in ("8/(3-8/3)", "(-8)/(8/3-3)", "1*8/(3-8/3) lol"):
        (line,) = await send_solve(bot, ann, text)
        assert line == "That hand is on the table in a chat where you play: no peeking!"
        assert "8÷3" not in line
