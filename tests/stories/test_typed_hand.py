"""Numbers alone, said to the bot in private: it offers to show how they are done, or to play them."""

import pytest

from bot.i18n import Words, words
from tests.stories.conftest import Evening, Restarted, emoji
from tests.telegram import Chat, Message, User, World

LANGUAGES = pytest.mark.parametrize(
    ("language", "said"), [("en", words("en")), ("zh-hans", words("zh_Hans"))]
)


async def typed(bot: Evening, ann: User, text: str) -> Message:
    await bot.says(ann, bot.world.place(ann), text)
    return bot.world.posts(ann)[-1]


async def press(bot: Evening, ann: User, message: Message, which: str | int) -> str:
    told = await bot.world.answer_to(bot.world.press(ann, message, which))
    await bot.settled()
    return told


@LANGUAGES
@pytest.mark.parametrize(
    ("text", "line", "solution"),
    [
        ("3 8 3 8", "3 8 3 8 → 24", "8/(3-8/3)"),
        ("3,8, 3;8", "3 8 3 8 → 24", "8/(3-8/3)"),
        ("３　８　３　８", "3 8 3 8 → 24", "8/(3-8/3)"),
        ("A 2 3 4", "1 2 3 4 → 24", "1*2*3*4"),
        ("3 8 3 8 = 36", "3 8 3 8 → 36", "3*8+3*(8-4)"),
        ("2 12", "2 12 → 24", "2*12"),
    ],
)
async def test_two_buttons_show_it_or_deal_it(
    bot: Evening, ann: User, said: Words, text: str, line: str, solution: str
) -> None:
    offered = await typed(bot, ann, text)
    assert offered.text == line
    assert offered.labels == [said.plain("Show how"), said.plain("Play it")]
    other = await typed(bot, ann, text)
    assert await press(bot, ann, offered, 0) == ""
    assert line in offered.text.splitlines()
    assert solution in offered.text or line.endswith("36")
    if line.endswith("36"):
        return
    assert await press(bot, ann, other, 1) == ""
    assert line in bot.world.posts(ann)[-1].text.splitlines()
    assert emoji(await bot.says(ann, bot.world.place(ann), solution)) != ""


@LANGUAGES
async def test_what_is_no_hand_of_cards_is_only_shown(bot: Evening, ann: User, said: Words) -> None:
    offered = await typed(bot, ann, "1 2 3 4 7 25 = 573")
    assert offered.labels == [said.plain("Show how")]
    await press(bot, ann, offered, 0)
    assert "1+4*(2*3*25-7) = 573" in offered.text


@LANGUAGES
async def test_it_keeps_the_secrets_that_solve_and_links_keep(
    bot: Evening, world: World, ann: User, family: Chat, said: Words
) -> None:
    await bot.dealt(ann, family, 3, 8, 3, 8)
    offered = await typed(bot, ann, "8 3 8 3")
    peeking = said.plain("That hand is on the table in a chat where you play: no peeking!")
    assert await press(bot, ann, offered, 0) == peeking
    assert await press(bot, ann, offered, 1) == peeking
    assert offered.text == "8 3 8 3 → 24"
    assert len(world.posts(ann)) == 1


@LANGUAGES
async def test_the_buttons_last_beyond_a_restart(
    world: World, ann: User, restarted: Restarted, said: Words
) -> None:
    offered = await typed(await restarted(world), ann, "3 8 3 8")
    after = await restarted(world)
    await press(after, ann, offered, said.plain("Play it"))
    assert "3 8 3 8 → 24" in world.posts(ann)[-1].text.splitlines()
    assert await press(after, ann, offered, said.plain("Play it")) == said.plain(
        "A hand is on the table: {line}", line="3 8 3 8 → 24"
    )


@pytest.mark.parametrize("text", ["24", "3 8 3 8 3 8 3", "A K", "8:30 7", "3 8 3 x 8", "3+8 3 8", "12345 6"])
async def test_other_texts_get_no_offer(bot: Evening, world: World, ann: User, text: str) -> None:
    await bot.says(ann, world.place(ann), text)
    assert [post.labels for post in world.posts(ann)] in ([], [[]])


async def test_in_a_group_numbers_alone_are_talk(bot: Evening, world: World, ann: User, family: Chat) -> None:
    await bot.says(ann, family, "3 8 3 8")
    assert world.posts(family) == []


@pytest.mark.parametrize("data", ["y:3-8-3-8-24", "y:14-8-3-8-24", "y:"])
async def test_forged_presses_deal_nothing(bot: Evening, world: World, ann: User, data: str) -> None:
    await bot.says(ann, world.place(ann), "/why 8/(3-8/3)")
    told = await world.answer_to(world.press(ann, world.posts(ann)[-1], data=data))
    assert told == "That button is out of date."
    assert len(world.posts(ann)) == 1
