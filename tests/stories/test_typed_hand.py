"""Numbers sent in private: the bot offers to show a solution or to deal them."""

import pytest

from bot.formats import format_expression
from bot.games.twentyfour.game import TwentyFour
from bot.i18n import Words, choose_language, get_words
from bot.rounds.puzzle import Verdict, VerdictKind
from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.stories.test_secret_answers import choose_secret_answers
from tests.telegram import Chat, Message, User, World

LANGUAGES = pytest.mark.parametrize(
    ("language", "words"), [("en", get_words("en")), ("zh-hans", get_words("zh_Hans"))]
)


async def type_numbers(bot: LiveBot, ann: User, text: str) -> Message:
    await bot.say(ann, bot.world.chat_of(ann), text)
    return bot.world.posts(ann)[-1]


async def press(bot: LiveBot, ann: User, message: Message, which: str | int) -> str:
    reply = await bot.world.answer_to(bot.world.press(ann, message, which))
    await bot.settle()
    return reply


@pytest.mark.long
@LANGUAGES
@pytest.mark.parametrize(
    ("text", "line", "solution"),
    [
        ("3 8 3 8", "3 8 3 8 → 24", "8/(3-8/3)"),
        ("3,8, 3;8", "3 8 3 8 → 24", "8/(3-8/3)"),
        ("３　８　３　８", "3 8 3 8 → 24", "8/(3-8/3)"),
        ("A 2 3 4", "1 2 3 4 → 24", "1*2*3*4"),
        ("3 8 3 8 = 36", "3 8 3 8 → 36", "3*8+3*(8-4)"),
        ("2 3 4", "2 3 4 → 24", "2*3*4"),
        ("A J Q K", "1 11 12 13 → 24", "1*12*(13-11)"),
        ("3, 8, 3, 8?", "3 8 3 8 → 24", "8/(3-8/3)"),
        ("3 8 3 8 🙏🏽", "3 8 3 8 → 24", "8/(3-8/3)"),
        ("3 8 3 8 Please!", "3 8 3 8 → 24", "8/(3-8/3)"),
        ("¿Cómo, 3♠ 8♥ 3♦ 8♣ :)", "3 8 3 8 → 24", "8/(3-8/3)"),
        ("3 8 3 8怎么算", "3 8 3 8 → 24", "8/(3-8/3)"),
        ("24 = 3 8 3 8", "3 8 3 8 → 24", "8/(3-8/3)"),
    ],
)
async def test_typed_hand_offers_solution_and_deal(
    bot: LiveBot, ann: User, words: Words, text: str, line: str, solution: str
) -> None:
    offered = await type_numbers(bot, ann, text)
    assert offered.text == line
    assert offered.labels == [words.translate_plain("Show how"), words.translate_plain("Play it")]
    other = await type_numbers(bot, ann, text)
    assert await press(bot, ann, offered, 0) == ""
    assert line in offered.text.splitlines()
    assert line.endswith("36") or format_expression(solution) in offered.text
    if line.endswith("36"):
        return
    assert await press(bot, ann, other, 1) == ""
    assert line in bot.world.posts(ann)[-1].text.splitlines()
    assert read_reactions(await bot.say(ann, bot.world.chat_of(ann), solution)) == "🏆"


@LANGUAGES
async def test_typed_tiles_offer_solution_only(bot: LiveBot, ann: User, words: Words) -> None:
    offered = await type_numbers(bot, ann, "1 2 3 4 7 25 = 573")
    assert offered.labels == [words.translate_plain("Show how")]
    await press(bot, ann, offered, 0)
    assert "1+4×(2×3×25−7) = 573" in offered.text


@LANGUAGES
async def test_typed_live_hand_is_not_solved(
    bot: LiveBot, world: World, ann: User, family: Chat, words: Words
) -> None:
    await bot.deal(ann, family, 3, 8, 3, 8)
    offered = await type_numbers(bot, ann, "8 3 8 3")
    peeking = words.translate_plain("That hand is on the table in a chat where you play: no peeking!")
    assert await press(bot, ann, offered, 0) == peeking
    assert await press(bot, ann, offered, 1) == peeking
    assert offered.text == "8 3 8 3 → 24"
    assert len(world.posts(ann)) == 1


@LANGUAGES
async def test_typed_hand_buttons_work_after_restart(
    world: World, ann: User, restart_bot: RestartBot, words: Words
) -> None:
    offered = await type_numbers(await restart_bot(world), ann, "3 8 3 8")
    after = await restart_bot(world)
    await press(after, ann, offered, words.translate_plain("Play it"))
    assert "3 8 3 8 → 24" in world.posts(ann)[-1].text.splitlines()
    assert await press(after, ann, offered, words.translate_plain("Play it")) == words.translate_plain(
        "A hand is on the table: {line}", line="3 8 3 8 → 24"
    )


NO_HANDS = [
    *("24", "2 12", "3 8 3 8 3 8 3", "A K", "8:30 7", "3 8 3 x 8", "3+8 3 8", "12345 6", "3 8 3 8 = 12345"),
    *("1,000,000", "1,000 8 3 8", "600 123 456", "555 1234", "2026 11 21", "21.11.26", "8 30", "06 12 34 56"),
    *("3 8 3 8 and a dog", "8 4 7 kg", "3 8 3 8 = 24 = 24", "24 = 24", "3 8 3 101", "1 2 3 " + "!" * 100),
]


@pytest.mark.long
@pytest.mark.parametrize("text", NO_HANDS)
async def test_other_texts_get_no_offer(bot: LiveBot, world: World, ann: User, text: str) -> None:
    await bot.say(ann, world.chat_of(ann), text)
    assert not any("Play it" in post.labels for post in world.posts(ann))


@pytest.mark.long
@LANGUAGES
@pytest.mark.parametrize("text", ["2 4 8 10", "3 8 3 8 please", "A J Q K"])
async def test_other_hand_can_be_typed_during_open_hand(
    bot: LiveBot, world: World, ann: User, words: Words, text: str
) -> None:
    deal = await bot.deal(ann, world.chat_of(ann), 3, 8, 3, 8)
    offered = await type_numbers(bot, ann, text)
    assert offered.labels == [words.translate_plain("Show how"), words.translate_plain("Play it")]
    before = deal.text
    assert await press(bot, ann, offered, 1) == words.translate_plain(
        "A hand is on the table: {line}", line="3 8 3 8 → 24"
    )
    assert deal.text == before


@pytest.mark.parametrize("language", ["en", "es", "ru", "zh-hans", "zh-hant"])
async def test_unsolvable_typed_hand_is_not_dealt(bot: LiveBot, ann: User, language: str) -> None:
    words = get_words(choose_language(language))
    offered = await type_numbers(bot, ann, "1 1 1 1")
    no_way = words.translate_plain(
        "There is no way to make {target} from {numbers}.", target=24, numbers="1 1 1 1"
    )
    assert await press(bot, ann, offered, words.translate_plain("Play it")) == no_way
    assert len(bot.world.posts(ann)) == 1
    await bot.say(ann, bot.world.chat_of(ann), "/start hand_1-1-1-1-24")
    assert bot.world.posts(ann)[-1].text == no_way


async def test_numeric_answer_to_open_hand_is_no_typed_hand(
    bot: LiveBot, world: World, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bot.deal(ann, world.chat_of(ann), 3, 8, 3, 8)
    # Stands for a game whose answers are plain numbers
    monkeypatch.setattr(TwentyFour, "check", lambda *_: Verdict(VerdictKind.RIGHT, "8/(3-8/3)"))
    assert read_reactions(await bot.say(ann, world.chat_of(ann), "1 2 3")) == "🏆"


async def test_numeric_answer_to_daily_hand_is_no_typed_hand(
    bot: LiveBot, world: World, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bot.say(ann, world.chat_of(ann), "/daily")
    hand = world.posts(ann)[-1]
    assert hand.labels != []
    # Stands for a game whose answers are plain numbers
    monkeypatch.setattr(TwentyFour, "check", lambda *_: Verdict(VerdictKind.RIGHT, "8/(3-8/3)"))
    assert read_reactions(await bot.say(ann, world.chat_of(ann), "1 2 3")) == "🏆"


async def test_numeric_secret_answer_is_no_typed_hand(
    bot: LiveBot, world: World, ann: User, family: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.promote(world.bot, family)
    await choose_secret_answers(bot, ann, family, "1")
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    world.start(ann)
    world.open_link(ann, deal, "🤫")
    await bot.settle()
    # Stands for a game whose answers are plain numbers
    monkeypatch.setattr(TwentyFour, "check", lambda *_: Verdict(VerdictKind.RIGHT, "8/(3-8/3)"))
    assert read_reactions(await bot.say(ann, world.chat_of(ann), "1 2 3")) == "🏆"
    assert "🏆" in deal.text


async def test_five_of_a_rank_cannot_be_dealt(bot: LiveBot, ann: User) -> None:
    assert (await type_numbers(bot, ann, "1 1 1 1 8")).labels == ["Show how", "Play it"]
    assert (await type_numbers(bot, ann, "1 1 1 1 1")).labels == ["Show how"]


async def test_numbers_in_a_group_are_ignored(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    await bot.say(ann, family, "3 8 3 8")
    assert world.posts(family) == []


@pytest.mark.parametrize("data", ["y:3-8-3-8-24", "y:14-8-3-8-24", "y:"])
async def test_forged_press_deals_nothing(bot: LiveBot, world: World, ann: User, data: str) -> None:
    await bot.say(ann, world.chat_of(ann), "/why 8/(3-8/3)")
    reply = await world.answer_to(world.press(ann, world.posts(ann)[-1], data=data))
    assert reply == "That button is out of date."
    assert len(world.posts(ann)) == 1
