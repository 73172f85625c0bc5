"""The first minutes: the first word with its buttons, the help, and commands that are none."""

import pytest

from bot.i18n import Words, get_words
from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.telegram import Chat, User, World

LANGUAGES = pytest.mark.parametrize(("language", "said"), [("en", get_words("en")), ("es", get_words("es"))])


@LANGUAGES
async def test_three_lines_and_three_ways_to_begin(
    bot: LiveBot, world: World, ann: User, said: Words
) -> None:
    await bot.say(ann, world.chat_of(ann), "/start")
    first = world.posts(ann)[0]
    assert len(first.text.splitlines()) == 3
    assert first.labels == [
        said.translate_plain(t) for t in ("Deal a hand", "Today’s hand", "Add me to a group")
    ]
    assert first.button(2)["url"] == "https://t.me/TwentyFourTestBot?startgroup=hello"
    bot.rig(3, 8, 3, 8)
    assert await world.answer_to(world.press(ann, first, 0)) == ""
    await bot.settle()
    assert "3 8 3 8 → 24" in world.posts(ann)[-1].text.splitlines()
    told = await world.answer_to(world.press(ann, first, 0))
    assert told == said.translate_plain("A hand is on the table: {line}", line="3 8 3 8 → 24")
    assert await world.answer_to(world.press(ann, first, 1)) == ""
    await bot.settle()
    assert world.posts(ann)[-1].text.startswith("🗓")


@LANGUAGES
async def test_a_group_that_adds_the_bot_by_its_button_is_greeted_once(
    bot: LiveBot, world: World, ann: User, bob: User, said: Words
) -> None:
    family = world.group("Family", ann, bob, bot=False)
    world.join(world.bot, family, by=ann)
    await bot.say(ann, family, "/start@TwentyFourTestBot hello")
    (greeting,) = world.posts(family)
    assert greeting.text == said.translate_plain("Hi! Four numbers make 24. Who’s first?")
    assert greeting.labels == [said.translate_plain("Deal a hand")]
    bot.rig(3, 8, 3, 8)
    assert await world.answer_to(world.press(bob, greeting, 0)) == ""
    await bot.settle()
    assert "3 8 3 8 → 24" in world.posts(family)[-1].text.splitlines()
    assert len(world.posts(family)) == 2


async def test_the_payload_greets_where_the_news_of_coming_was_lost(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    family = world.group("Family", ann, bob)
    for _ in range(2):
        await bot.say(ann, family, "/start@TwentyFourTestBot hello")
    assert [post.text for post in world.posts(family)] == ["Hi! Four numbers make 24. Who’s first?"]


@LANGUAGES
async def test_the_help_is_short_and_unfolds_in_its_own_message(
    bot: LiveBot, world: World, ann: User, family: Chat, said: Words
) -> None:
    for chat in (family, world.chat_of(ann)):
        await bot.say(ann, chat, "/help@TwentyFourTestBot" if chat is family else "/help")
        help_ = world.posts(chat)[-1]
        short = help_.text
        assert help_.labels == [said.translate_plain("All commands")]
        assert await world.answer_to(world.press(ann, help_, 0)) == ""
        await bot.settle()
        listed = [line.partition(" — ")[0] for line in help_.text.splitlines()]
        assert ("/a" in listed) is (chat is family)
        assert {"/play", "/solve", "/why", "/doctor", "/privacy", "/help"} < set(listed)
        assert said.translate_plain("An edited message doesn’t count: send a new one.") in help_.text
        assert help_.labels == [said.translate_plain("‹ Back")]
        await world.answer_to(world.press(ann, help_, 0))
        await bot.settle()
        assert help_.text == short
    assert len(world.posts(family)) == 1


@pytest.mark.long
@pytest.mark.parametrize("data", ["st:deal", "st:learn", "st:no", "st:", "st:x", "he:all", "he:x"])
async def test_forged_presses_do_nothing(bot: LiveBot, world: World, ann: User, data: str) -> None:
    await bot.say(ann, world.chat_of(ann), "/why 8/(3-8/3)")
    told = await world.answer_to(world.press(ann, world.posts(ann)[-1], data=data))
    assert told == "That button is out of date."
    assert len(world.posts(ann)) == 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "typed", "told"),
    [
        ("en", "/solv 3 8 3 8", "I don’t know that one. Did you mean /solve?"),
        ("en", "/SETINGS", "I don’t know that one. Did you mean /settings?"),
        ("en", "/xyzzy", "I don’t know that command. /help shows those I do."),
        ("ru", "/lead", "Такой команды нет. Может быть, /leaderboard?"),
        ("ru", "/3", "Такой команды нет. /help покажет, какие есть."),
    ],
)
async def test_an_unknown_command_in_private_gets_one_kind_line(
    bot: LiveBot, world: World, ann: User, typed: str, told: str
) -> None:
    await bot.say(ann, world.chat_of(ann), typed)
    assert [post.text for post in world.posts(ann)] == [told]
    await bot.say(ann, world.chat_of(ann), f"{typed.split()[0]}@SomeOtherBot")
    assert len(world.posts(ann)) == 1


@pytest.mark.parametrize("privacy", [False])
@LANGUAGES
async def test_in_a_group_only_where_the_bot_is_named(
    bot: LiveBot, world: World, ann: User, family: Chat, said: Words
) -> None:
    await bot.say(ann, family, "/solv 3 8 3 8")
    await bot.say(ann, family, "/solv@SomeOtherBot 3 8 3 8")
    assert world.posts(family) == []
    typed = [await bot.say(ann, family, "/solv@TwentyFourTestBot 3 8 3 8") for _ in range(4)]
    kind = said.translate_plain("I don’t know that one. Did you mean /{command}?", command="solve")
    assert [post.text for post in world.posts(family)] == [kind, kind]
    assert [read_reactions(message) for message in typed] == ["", "", "👀", "👀"]


@LANGUAGES
async def test_the_buttons_still_work_after_a_restart(
    world: World, ann: User, restart_bot: RestartBot, said: Words
) -> None:
    before = await restart_bot(world)
    await before.say(ann, world.chat_of(ann), "/start")
    first = world.posts(ann)[0]
    after = await restart_bot(world)
    await world.answer_to(world.press(ann, first, said.translate_plain("Deal a hand")))
    await after.settle()
    assert "→ 24" in world.posts(ann)[-1].text
