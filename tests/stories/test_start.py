"""/start, /help and unknown commands."""

import pytest

from bot.i18n import Words, get_words
from bot.players.preferences import HEARS_ALL_KEY, SECRET_KEY
from tests.phone_screen import COLUMNS, measure_width
from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.telegram import Chat, Message, User, World

LANGUAGES = pytest.mark.parametrize(("language", "words"), [("en", get_words("en")), ("es", get_words("es"))])


@LANGUAGES
async def test_start_is_one_message(bot: LiveBot, world: World, ann: User, words: Words) -> None:
    await bot.say(ann, world.chat_of(ann), "/start")
    (first,) = world.posts(ann)
    assert len(first.text.splitlines()) == 4
    assert first.labels[1:] == [
        words.translate_plain(t) for t in ("Deal a hand", "Today’s hand", "Add me to a group")
    ]
    assert first.button(3)["url"] == "https://t.me/TwentyFourTestBot?startgroup=hello"
    bot.rig(3, 8, 3, 8)
    assert await world.answer_to(world.press(ann, first, 1)) == ""
    await bot.settle()
    assert "3 8 3 8 → 24" in world.posts(ann)[-1].text.splitlines()
    reply = await world.answer_to(world.press(ann, first, 1))
    assert reply == words.translate_plain("A hand is on the table: {line}", line="3 8 3 8 → 24")
    assert await world.answer_to(world.press(ann, first, 2)) == ""
    await bot.settle()
    assert world.posts(ann)[-1].text.startswith("🗓")


@LANGUAGES
async def test_group_added_by_button_is_greeted_once(
    bot: LiveBot, world: World, ann: User, bob: User, words: Words
) -> None:
    family = world.group("Family", ann, bob, bot=False)
    world.join(world.bot, family, by=ann)
    await bot.say(ann, family, "/start@TwentyFourTestBot hello")
    (greeting,) = world.posts(family)
    assert greeting.text.splitlines() == [
        words.translate_plain("Hi! Four numbers make 24. Who’s first?"),
        f"/play — {words.translate_plain('deal a hand')}",
        words.translate_plain("/help shows what else I can do."),
    ]
    assert greeting.labels == [words.translate_plain("Deal a hand")]
    bot.rig(3, 8, 3, 8)
    assert await world.answer_to(world.press(bob, greeting, 0)) == ""
    await bot.settle()
    assert "3 8 3 8 → 24" in world.posts(family)[-1].text.splitlines()
    assert len(world.posts(family)) == 2


async def test_start_payload_greets_if_join_update_was_lost(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    family = world.group("Family", ann, bob)
    for _ in range(2):
        await bot.say(ann, family, "/start@TwentyFourTestBot hello")
    (greeting,) = world.posts(family)
    assert greeting.text.startswith("Hi! Four numbers make 24. Who’s first?")


@LANGUAGES
async def test_help_opens_each_topic_in_place(
    bot: LiveBot, world: World, ann: User, family: Chat, words: Words
) -> None:
    for chat in (family, world.chat_of(ann)):
        await bot.say(ann, chat, "/help@TwentyFourTestBot" if chat is family else "/help")
        help_ = world.posts(chat)[-1]
        short, titles = help_.text, help_.labels
        told = short
        assert "/storm — " in short
        for title in titles:
            await press(bot, ann, help_, title)
            assert help_.text.startswith(title)
            told += help_.text
            await press(bot, ann, help_, words.translate_plain("‹ Back"))
            assert (help_.text, help_.labels) == (short, titles)
        assert ("/a — " in told) is (chat is family)
        public = [command for command in bot.services.commands if command.menu and command.name != "help"]
        expected = [c.name for c in public if chat is family or not c.groups_only]
        assert [name for name in expected if f"/{name} — " not in told] == []
        assert "/play all" in told
        assert words.translate_plain("Edits don’t count: send a new message.") in told
    assert len(world.posts(family)) == 1


async def press(bot: LiveBot, user: User, message: Message, label: str) -> None:
    assert await bot.world.answer_to(bot.world.press(user, message, label)) == ""
    await bot.settle()


MAX_LINES = 16  # A phone shows more than the lines of a deal while its keyboard is closed


@pytest.mark.long
@LANGUAGES
async def test_help_fits_a_phone(bot: LiveBot, world: World, ann: User, family: Chat, words: Words) -> None:
    await bot.choose(family, SECRET_KEY, True)
    await bot.say(ann, family, "/help@TwentyFourTestBot")
    help_ = world.posts(family)[-1]
    for title in help_.labels:
        await press(bot, ann, help_, title)
        assert sum(-(-measure_width(line) // COLUMNS) for line in help_.text.splitlines()) <= MAX_LINES, title
        await press(bot, ann, help_, words.translate_plain("‹ Back"))


async def test_help_speaks_only_of_buttons_that_are_there(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    await bot.say(ann, family, "/help@TwentyFourTestBot")
    help_ = world.posts(family)[-1]
    for is_secret in (False, True):
        await bot.choose(family, SECRET_KEY, is_secret)
        await press(bot, ann, help_, "How to play")
        assert ("🤫" in help_.text) is is_secret
        await press(bot, ann, help_, "‹ Back")
    await press(bot, ann, help_, "For teachers")
    assert "🔢" not in help_.text  # without a page to tap on


async def test_help_says_how_the_chat_answers(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    await bot.say(ann, family, "/help@TwentyFourTestBot")
    assert "Reply to the hand, or /a 8/(3-8/3)" in world.posts(family)[-1].text
    await bot.choose(family, HEARS_ALL_KEY, True)
    await bot.say(ann, family, "/help@TwentyFourTestBot")
    assert "Just send your answer." in world.posts(family)[-1].text


async def test_everything_in_private_is_answered(bot: LiveBot, world: World, ann: User) -> None:
    home = world.chat_of(ann)
    await bot.say(ann, home, "/start")
    (start,) = world.posts(ann)
    for text in ("how do I play?", "hi", "help", "¿cómo se juega?", "thanks"):
        await bot.say(ann, home, text)
        assert (world.posts(ann)[-1].text, world.posts(ann)[-1].labels) == (start.text, start.labels)
    assert len(world.posts(ann)) == 6
    deal = await bot.deal(ann, home, 3, 8, 3, 8)
    await bot.say(ann, home, "how do I play?")
    assert world.posts(ann)[-1].text.startswith("3 8 3 8 → 24\nUse all four numbers")
    await bot.say(ann, home, "8/(3-8/3)")
    await bot.say(ann, home, "great")
    assert world.posts(ann)[-1].labels == ["Deal a hand", "Today’s hand", "Add me to a group"]
    assert deal.labels
    posts = len(world.posts(ann))
    photo = {"file_id": "7", "file_unique_id": "7", "width": 9, "height": 9}
    world.say(ann, home, content={"photo": [photo]})
    await bot.settle()
    assert len(world.posts(ann)) == posts + 1


@pytest.mark.parametrize(
    ("give_up", "hint", "help_", "yes"),
    [
        ("I give up", "Hint please", "Help!", "Yes, please"),
        ("Me rindo", "¿Una pista, por favor?", "Ayuda", "¡Sí!"),
        ("Сдаюсь", "Подсказку, пожалуйста", "Помоги", "Давай ещё"),
        ("我放弃", "请给我提示", "帮助", "好啊"),
        ("我放棄", "提示", "幫助", "再來一題"),
    ],
)
async def test_phrases_in_private_do_what_they_ask_for(
    bot: LiveBot, world: World, ann: User, give_up: str, hint: str, help_: str, yes: str
) -> None:
    home = world.chat_of(ann)
    bot.rig(3, 8, 3, 8)
    await bot.say(ann, home, yes)
    deal = world.posts(ann)[-1]
    assert "3 8 3 8 → 24" in deal.text.splitlines()
    await bot.say(ann, home, hint)
    assert deal.text.count("💡") == 1
    await bot.say(ann, home, help_)
    assert "Contests" in world.posts(ann)[-1].labels
    await bot.say(ann, home, give_up)
    assert "💭 8÷(3−8÷3) = 24" in deal.text.splitlines()
    bot.rig(1, 2, 3, 4)
    await bot.say(ann, home, yes)
    assert "1 2 3 4 → 24" in world.posts(ann)[-1].text.splitlines()
    assert len(world.posts(ann)) == 3


@pytest.mark.long
@pytest.mark.parametrize("data", ["st:deal", "st:learn", "st:", "st:x", "he:play", "he:x"])
async def test_forged_press_is_refused(bot: LiveBot, world: World, ann: User, data: str) -> None:
    await bot.say(ann, world.chat_of(ann), "/why 8/(3-8/3)")
    reply = await world.answer_to(world.press(ann, world.posts(ann)[-1], data=data))
    assert reply == "That button is out of date."
    assert len(world.posts(ann)) == 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "typed", "reply"),
    [
        ("en", "/solv 3 8 3 8", "I don’t know that one. Did you mean /solve?"),
        ("en", "/SETINGS", "I don’t know that one. Did you mean /settings?"),
        ("en", "/xyzzy", "I don’t know that command. /help shows those I do."),
        ("en", "/sta", "I don’t know that one. Did you mean /stats or /start?"),
        ("ru", "/lead", "Такой команды нет. Может быть, /leaderboard?"),
        ("ru", "/3", "Такой команды нет. /help покажет, какие есть."),
    ],
)
async def test_unknown_private_command_gets_a_suggestion(
    bot: LiveBot, world: World, ann: User, typed: str, reply: str
) -> None:
    await bot.say(ann, world.chat_of(ann), typed)
    assert [post.text for post in world.posts(ann)] == [reply]
    await bot.say(ann, world.chat_of(ann), f"{typed.split()[0]}@SomeOtherBot")
    assert len(world.posts(ann)) == 1


@pytest.mark.parametrize("privacy", [False])
@LANGUAGES
async def test_unknown_group_command_is_answered_only_if_addressed(
    bot: LiveBot, world: World, ann: User, family: Chat, words: Words
) -> None:
    await bot.say(ann, family, "/solv 3 8 3 8")
    await bot.say(ann, family, "/solv@SomeOtherBot 3 8 3 8")
    assert world.posts(family) == []
    typed = [await bot.say(ann, family, "/solv@TwentyFourTestBot 3 8 3 8") for _ in range(4)]
    kind = words.translate_plain("I don’t know that one. Did you mean {commands}?", commands="/solve")
    assert [post.text for post in world.posts(family)] == [kind, kind]
    assert [read_reactions(message) for message in typed] == [""] * 4


@LANGUAGES
async def test_start_buttons_work_after_restart(
    world: World, ann: User, restart_bot: RestartBot, words: Words
) -> None:
    before = await restart_bot(world)
    await before.say(ann, world.chat_of(ann), "/start")
    first = world.posts(ann)[0]
    after = await restart_bot(world)
    await world.answer_to(world.press(ann, first, words.translate_plain("Deal a hand")))
    await after.settle()
    assert "→ 24" in world.posts(ann)[-1].text
