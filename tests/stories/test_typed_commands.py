"""Commands and hands typed on other keyboards, and without spaces."""

import pytest

from bot.features import FEATURES
from bot.i18n import get_words
from bot.telegram.menus import make_menu
from bot.telegram.routes import merge_routes
from tests.stories.conftest import LiveBot, read_reactions
from tests.telegram import Chat, User, World


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("command", ["/play１３", "/play　１３", "/play １３", "/PLAY１３"])
async def test_target_in_wide_digits_is_read(bot: LiveBot, world: World, ann: User, command: str) -> None:
    await bot.say(ann, world.chat_of(ann), command)
    assert "→ 13" in world.posts(ann)[-1].text


@pytest.mark.texts
@pytest.mark.long
@pytest.mark.parametrize("privacy", [False])
@pytest.mark.parametrize("command", ["/play{}３６　５", "/play{}　３６ ５", "/play３６　５"])
async def test_target_in_wide_digits_is_read_in_groups(
    bot: LiveBot, world: World, ann: User, family: Chat, command: str
) -> None:
    await bot.say(ann, family, command.format(f"@{world.bot.username}"))
    line = world.posts(family)[-1].text.splitlines()[1]
    assert line.endswith(" → 36")
    assert line.count(" ") == 6


@pytest.mark.parametrize("privacy", [False])
async def test_similar_commands_are_ignored(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    for text in ("/playing１３", "/pla１３", "/ban１３", "/\u017folve１３"):
        await bot.say(ann, family, text)
    assert world.posts(family) == []


async def test_digits_may_touch_the_command(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.say(ann, world.chat_of(ann), "/play13")
    assert "→ 13" in world.posts(ann)[-1].text
    deal = await bot.deal(ann, family, 1, 2, 3, 4)
    wrong = await bot.say(bob, family, "/a1+2+3+4")
    assert read_reactions(wrong) == "👎"
    assert "👎 \u2068Bob\u2069: 1+2+3+4 = 10" in deal.text.splitlines()
    assert read_reactions(await bot.say(bob, family, "/a4*(1+2+3)")) == "🏆"
    assert "4×(1+2+3) = 24" in deal.text


@pytest.mark.parametrize("privacy", [False])
async def test_commands_to_another_bot_are_ignored(
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
async def test_wide_digits_are_read_by_race_solve_and_why(bot: LiveBot, world: World, ann: User) -> None:
    private = world.chat_of(ann)
    await bot.say(ann, private, "/solve３ ８ ３ ８")
    assert world.posts(ann)[-1].text.splitlines()[:2] == ["3 8 3 8 → 24", "8÷(3−8÷3) = 24"]
    await bot.say(ann, private, "/why８÷（３－８÷３）")
    assert world.posts(ann)[-1].text.splitlines()[1:] == [
        "1. 8 ÷ 3 = 2 2/3",
        "2. 3 − 2 2/3 = 1/3",
        "3. 8 ÷ 1/3 = 24",
    ]
    await bot.say(ann, private, "/race２")
    assert "3" not in world.posts(ann)[-1].text.splitlines()[0]
    assert "2" in world.posts(ann)[-1].text.splitlines()[0]


SUGGESTIONS = {
    "en": "Numbers need spaces between them: /solve {}",
    "zh-hans": "数字之间请加空格：/solve {}",
    "zh-hant": "數字之間請加空格：/solve {}",
    "es": "Los números van separados por espacios: /solve {}",
    "ru": "Между числами нужны пробелы: /solve {}",
}


@pytest.mark.long
@pytest.mark.parametrize("language", SUGGESTIONS)
async def test_hand_without_spaces_is_suggested_with_spaces(
    bot: LiveBot, world: World, ann: User, language: str
) -> None:
    private = world.chat_of(ann)
    for command, hand in (
        ("/solve 3838", "3 8 3 8"),
        ("/solve３８３８", "3 8 3 8"),
        ("/solve 101044", "10 10 4 4"),
        ("/solve ajqk", "A J Q K"),
        ("/solve 3838 = 36", "3 8 3 8 = 36"),
        ("3838", "3 8 3 8"),
    ):
        await bot.say(ann, private, command)
        assert world.posts(ann)[-1].text == SUGGESTIONS[language].format(hand)


@pytest.mark.parametrize("command", ["/solve 24", "/solve 1000", "/solve 38 38"])
async def test_solve_makes_no_suggestion_for_numbers(
    bot: LiveBot, world: World, ann: User, command: str
) -> None:
    await bot.say(ann, world.chat_of(ann), command)
    assert "/solve" not in world.posts(ann)[-1].text


async def test_word_in_private_is_no_hand(bot: LiveBot, world: World, ann: User) -> None:
    await bot.say(ann, world.chat_of(ann), "jajaja")
    assert world.posts(ann)[-1].text.startswith("Twenty-Four: I deal four numbers.")


async def test_aliases_do_what_their_commands_do(bot: LiveBot, world: World, ann: User) -> None:
    home = world.chat_of(ann)
    for alias, command in (
        *(("/rules", "/help"), ("/score", "/leaderboard"), ("/giveup", "/skip"), ("/solution", "/solve")),
        *(("/ratings", "/top"), ("/me", "/stats"), ("/badges", "/stats")),
    ):
        for typed in (alias, command):
            await bot.say(ann, home, typed)
        assert world.posts(home)[-2].text == world.posts(home)[-1].text
    deal = await bot.deal(ann, home, 3, 8, 3, 8)
    await bot.say(ann, home, "/solution")
    assert world.posts(home)[-1].text == "That hand is on the table here: no peeking! /giveup shows it."
    await bot.say(ann, home, "/giveup")
    assert "8÷(3−8÷3)" in deal.text


@pytest.mark.parametrize("language", ["es"])
async def test_commands_have_spanish_names(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    for alias, command in (("/ayuda", "/help"), ("/puntos", "/leaderboard"), ("/ajustes", "/settings")):
        for typed in (alias, command):
            await bot.say(ann, family, typed)
        assert world.posts(family)[-2].text == world.posts(family)[-1].text
    await bot.say(ann, family, "/jugar 36")
    deal = world.posts(family)[-1]
    assert "→ 36" in deal.text
    await bot.say(ann, family, "/rendirse")
    assert "💭" in deal.text


async def test_next_deals_what_was_played_last(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    mention = f"@{world.bot.username}"
    await bot.say(ann, family, f"/next{mention}")
    assert "→ 24" in world.posts(family)[-1].text
    await bot.say(ann, family, f"/skip{mention}")
    await bot.say(ann, family, f"/play{mention} 36")
    await bot.say(ann, family, f"/skip{mention}")
    await bot.say(ann, family, f"/next{mention}")
    assert "→ 36" in world.posts(family)[-1].text
    await bot.say(ann, family, f"/skip{mention}")
    await bot.say(ann, family, f"/next{mention} 100")
    assert "→ 100" in world.posts(family)[-1].text


@pytest.mark.parametrize("group", [True, False])
def test_aliases_are_in_no_menu(group: bool) -> None:
    commands = merge_routes(FEATURES).commands
    listed = {name for name, _ in make_menu(commands, get_words("en"), group=group)}
    assert listed.isdisjoint({"next", *(command.name for command in commands if command.alias_of)})
