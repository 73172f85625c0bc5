"""/play with a level, a target or a number of cards."""

import pytest

import solver
from bot.i18n import choose_language, get_words
from bot.levels import ANY_LEVEL, LEVELS, render_level
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, User, World


@pytest.mark.parametrize(
    ("options", "cards", "target", "level"),
    [
        ("hard", 4, 24, "hard"),
        ("36", 4, 36, None),
        ("5", 5, 24, None),
        ("fiendish 100 5", 5, 100, "fiendish"),
        ("困难 36", 4, 36, "hard"),
        ("any", 4, 24, None),
    ],
)
async def test_play_options_choose_the_hand(
    bot: LiveBot,
    world: World,
    ann: User,
    family: Chat,
    options: str,
    cards: int,
    target: int,
    level: str | None,
) -> None:
    ann.language_code = "zh-hans" if "困难" in options else "en"
    world.say(ann, family, f"/play@TwentyFourTestBot {options}")
    deal = await world.next_post(family, f"→ {target}")
    await bot.settle()
    line = next(line for line in deal.text.splitlines() if line.endswith(f" → {target}"))
    numbers = [int(n) for n in line.partition(" →")[0].split()]
    assert len(numbers) == cards
    if level:
        assert solver.rate(numbers, target).level == level


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "options", "level"),
    [
        ("es", "facil", "easy"),
        ("es", "Dificil", "hard"),
        ("es", "DIABÓLICA", "fiendish"),
        ("es", "Media", "medium"),
        ("ru", "ТРУДНО", "hard"),
        ("ru", "Ｅasy", "easy"),
        ("zh-hant", "困難", "hard"),
    ],
)
async def test_level_words_ignore_accents_and_case(
    bot: LiveBot, world: World, ann: User, family: Chat, options: str, level: str
) -> None:
    for command in (f"/PLAY@{world.bot.username} {options}", f"/race@{world.bot.username} {options} 2"):
        world.say(ann, family, command)
        deal = await world.next_post(family, "→ 24")
        await bot.settle()
        line = next(line for line in deal.text.splitlines() if line.endswith(" → 24"))
        assert solver.rate([int(n) for n in line.partition(" →")[0].split()]).level == level
        await bot.say(ann, family, f"/skip@{world.bot.username}")


@pytest.mark.parametrize(
    ("options", "reply"),
    [
        ("/play countdown", "Countdown is dealt by /countdown."),
        ("/play Numbers", "Countdown is dealt by /countdown."),
        ("/play hard countdown 2", "Countdown is dealt by /countdown."),
        ("/play YAHTZEE", "Yahtzee is dealt by /yahtzee."),
        ("/countdown yahtzee", "Yahtzee is dealt by /yahtzee."),
        ("/yahtzee countdown", "Countdown is dealt by /countdown."),
        ("/yahtzee play", "24 is dealt by /play."),
    ],
)
async def test_name_of_another_game_is_answered_with_its_command(
    bot: LiveBot, world: World, ann: User, options: str, reply: str
) -> None:
    await bot.say(ann, world.chat_of(ann), options)
    assert world.posts(ann)[-1].text == reply


async def test_word_for_all_ignores_accents_and_case(bot: LiveBot, world: World, ann: User) -> None:
    ann.language_code = "es"
    await bot.say(ann, world.chat_of(ann), "/play Tódas facil")
    assert "→ 24" in world.posts(ann)[-1].text


@pytest.mark.parametrize("language", ["en", "es", "ru", "zh-hans", "zh-hant"])
async def test_refusal_names_the_levels_in_the_readers_language(
    bot: LiveBot, world: World, ann: User, language: str
) -> None:
    words = get_words(choose_language(language))
    await bot.say(ann, world.chat_of(ann), "/play nonsense")
    reply = world.posts(ann)[-1].text
    assert all(str(render_level(words, level)) in reply for level in (*LEVELS, ANY_LEVEL))
    assert words.translate_plain("all") in reply
    example = reply.rpartition("/play ")[2]
    world.say(ann, world.chat_of(ann), f"/play {example}")
    deal = await world.next_post(world.chat_of(ann), "→ 36")
    await bot.settle()
    assert str(render_level(words, "hard")) in deal.text  # Its target is not 24: nobody counted who finds it


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("options", ["2", "1001", "hard easy", "5 6", "<b>"])
async def test_unreadable_option_is_quoted_in_one_line(
    bot: LiveBot, world: World, ann: User, family: Chat, options: str
) -> None:
    await bot.say(ann, family, f"/play@TwentyFourTestBot {options}")
    (answer,) = world.posts(family)
    assert "\n" not in answer.text
    assert f"“{options.split()[-1]}”" in answer.text
    assert "→" not in answer.text


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "es", "ru", "zh-hans", "zh-hant"])
@pytest.mark.parametrize(
    ("options", "hand"),
    [("3 8 3 8", "3 8 3 8"), ("3,8,3,8=36", "3 8 3 8 = 36"), ("A 5 J K", "1 5 11 13"), ("6 8 9", "6 8 9")],
)
async def test_play_with_own_numbers_explains_what_to_do(
    bot: LiveBot, world: World, ann: User, family: Chat, language: str, options: str, hand: str
) -> None:
    words = get_words(choose_language(language))
    await bot.say(ann, family, f"/play@{world.bot.username} {options}")
    (reply,) = world.posts(family)
    assert reply.text == words.translate_plain(
        "Numbers of your own? Send them to me in private, or see how it is done: /solve {hand}", hand=hand
    )
    await bot.say(ann, world.chat_of(ann), f"/play {options}")
    offered = world.posts(ann)[-1]
    assert offered.labels == [words.translate_plain("Show how"), words.translate_plain("Play it")]
    assert offered.text == (hand if "=" in hand else f"{hand} = 24").replace("=", "→")


async def test_own_numbers_are_played_by_the_button(bot: LiveBot, world: World, ann: User) -> None:
    await bot.say(ann, world.chat_of(ann), "/play 3 8 3 8")
    await world.answer_to(world.press(ann, world.posts(ann)[-1], "Play it"))
    await bot.settle()
    assert "3 8 3 8 → 24" in world.posts(ann)[-1].text.splitlines()


async def test_play_is_refused_if_no_such_hand_exists(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    await bot.choose(family, "highest", 9)
    command = await bot.say(ann, family, "/play@TwentyFourTestBot 3 1000")
    (answer,) = world.posts(family)
    assert "→" not in answer.text
    assert answer.reply_to is command


async def test_chat_settings_apply_without_options(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    await bot.choose(family, "target", 36)
    await bot.choose(family, "cards", 5)
    world.say(ann, family, "/play@TwentyFourTestBot")
    deal = await world.next_post(family, "→ 36")
    assert [len(line.split()) for line in deal.text.splitlines() if "→" in line] == [5 + 2]
    await bot.say(ann, family, "/skip@TwentyFourTestBot")
    world.say(ann, family, "/play@TwentyFourTestBot 48")
    await world.next_post(family, "→ 48")


async def test_play_is_refused_in_quiet_hours_and_full_hours(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    club = world.group("Club", ann)
    minute = int(world.clock() // 60 % 1440)
    await bot.choose(family, "quiet", [minute, (minute + 90) % 1440])
    await bot.say(ann, family, "/play@TwentyFourTestBot")
    hour, rest = divmod((minute + 90) % 1440, 60)
    assert f"{hour:02}:{rest:02}" in world.posts(family)[-1].text
    await bot.deal(ann, club, 3, 8, 3, 8)
    await bot.choose(club, "rounds_an_hour", 1)
    await bot.say(ann, club, "/skip@TwentyFourTestBot")
    await bot.say(ann, club, "/play@TwentyFourTestBot")
    (deal,) = world.posts(club)
    assert deal.text.endswith("That was plenty for one hour. The next hand in 1 h")
