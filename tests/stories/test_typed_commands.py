"""Commands and hands as they are typed on other keyboards and in a hurry."""

import pytest

from tests.stories.conftest import LiveBot, read_reactions
from tests.telegram import Chat, User, World


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("asked", ["/play１３", "/play　１３", "/play １３", "/PLAY１３"])
async def test_a_target_in_wide_digits(bot: LiveBot, world: World, ann: User, asked: str) -> None:
    await bot.say(ann, world.chat_of(ann), asked)
    assert "→ 13" in world.posts(ann)[-1].text


@pytest.mark.long
@pytest.mark.parametrize("privacy", [False])
@pytest.mark.parametrize("asked", ["/play{}３６　５", "/play{}　３６ ５", "/play３６　５"])
async def test_in_a_group_too(bot: LiveBot, world: World, ann: User, family: Chat, asked: str) -> None:
    await bot.say(ann, family, asked.format(f"@{world.bot.username}"))
    line = world.posts(family)[-1].text.splitlines()[1]
    assert line.endswith(" → 36")
    assert line.count(" ") == 6


@pytest.mark.parametrize("privacy", [False])
async def test_another_command_is_not_ours(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    for text in ("/playing１３", "/pla１３", "/ban１３", "/\u017folve１３"):
        await bot.say(ann, family, text)
    assert world.posts(family) == []


async def test_digits_touch_the_command(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(ann, world.chat_of(ann), "/play13")
    assert "→ 13" in world.posts(ann)[-1].text
    deal = await bot.deal(ann, family, 1, 2, 3, 4)
    wrong = await bot.say(bob, family, "/a1+2+3+4")
    assert (read_reactions(wrong), world.posts(family)[-1].text) == ("👎", "1+2+3+4 = 10, not 24.")
    assert read_reactions(await bot.say(bob, family, "/a4*(1+2+3)")) == "🏆"
    assert "4*(1+2+3) = 24" in deal.text


@pytest.mark.parametrize("privacy", [False])
async def test_where_another_bot_is_named_it_is_none_of_ours(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    await bot.deal(ann, family, 1, 2, 3, 4)
    posts = len(world.posts(family))
    for text in (
        "/a4@other_bot",
        "/a4@other_bot *(1+2)",
        "/play13@other_bot",
        "/race2@other_bot",
        "/a4b",
        "/ban13",
    ):
        assert read_reactions(await bot.say(ann, family, text)) == ""
    assert len(world.posts(family)) == posts


@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_a_race_a_solution_and_steps(bot: LiveBot, world: World, ann: User) -> None:
    place = world.chat_of(ann)
    await bot.say(ann, place, "/solve３ ８ ３ ８")
    assert world.posts(ann)[-1].text.splitlines()[:2] == ["3 8 3 8 → 24", "8/(3-8/3) = 24"]
    await bot.say(ann, place, "/why８÷（３－８÷３）")
    assert world.posts(ann)[-1].text.splitlines()[1:] == [
        "1. 8/3 = 2 2/3",
        "2. 3-8/3 = 1/3",
        "3. 8/(1/3) = 24",
    ]
    await bot.say(ann, place, "/race２")
    assert "3" not in world.posts(ann)[-1].text.splitlines()[0]
    assert "2" in world.posts(ann)[-1].text.splitlines()[0]


SUGGESTED = {
    "en": "Numbers need spaces between them: /solve {}",
    "zh-hans": "数字之间请加空格：/solve {}",
    "zh-hant": "數字之間請加空格：/solve {}",
    "es": "Los números van separados por espacios: /solve {}",
    "ru": "Между числами нужны пробелы: /solve {}",
}


@pytest.mark.long
@pytest.mark.parametrize("language", SUGGESTED)
async def test_a_hand_in_one_word_is_suggested_with_spaces(
    bot: LiveBot, world: World, ann: User, language: str
) -> None:
    place = world.chat_of(ann)
    for asked, hand in (
        ("/solve 3838", "3 8 3 8"),
        ("/solve３８３８", "3 8 3 8"),
        ("/solve 101044", "10 10 4 4"),
        ("/solve ajqk", "A J Q K"),
        ("/solve 3838 = 36", "3 8 3 8 = 36"),
        ("3838", "3 8 3 8"),
    ):
        await bot.say(ann, place, asked)
        assert world.posts(ann)[-1].text == SUGGESTED[language].format(hand)


@pytest.mark.parametrize("asked", ["/solve 24", "/solve 1000", "/solve 38 38"])
async def test_a_number_is_a_number_as_well(bot: LiveBot, world: World, ann: User, asked: str) -> None:
    await bot.say(ann, world.chat_of(ann), asked)
    assert "/solve" not in world.posts(ann)[-1].text


async def test_a_word_in_private_is_no_hand(bot: LiveBot, world: World, ann: User) -> None:
    await bot.say(ann, world.chat_of(ann), "jajaja")
    assert world.posts(ann)[-1].text == "No hand is on the table. /play deals one."
