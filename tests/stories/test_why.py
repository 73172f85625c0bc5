"""/why: the steps of any expression in the chat."""

import pytest

import solver
from bot.games.expressions.answer_parser import find_computation
from bot.games.twentyfour.view import render_steps
from bot.i18n import get_words
from bot.telegram.messages import post_message
from tests.stories.conftest import LiveBot
from tests.telegram import Chat, User, World

FRACTIONS = ["1. 8 ÷ 3 = 2 2/3", "2. 3 − 2 2/3 = 1/3", "3. 8 ÷ 1/3 = 24"]


@pytest.mark.parametrize("privacy", [False])
async def test_why_explains_the_message_replied_to(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    lena = world.user("Лена", language_code="ru")
    club = world.group("Клуб", lena)
    for person, chat in ((bob, family), (lena, club)):
        message = await bot.say(person, chat, "I say 8/(3-8/3) = 24 :)")
        await bot.say(person, chat, f"/why@{world.bot.username}", reply_to=message)
        assert world.posts(chat)[-1].text.splitlines()[1:] == FRACTIONS
    await bot.say(ann, family, f"/why@{world.bot.username} (1+2")
    assert len(world.posts(family)[-1].text.splitlines()) == 1
    await bot.say(ann, family, f"/why@{world.bot.username}", reply_to=await bot.say(ann, family, "Hm?"))
    assert len(world.posts(family)[-1].text.splitlines()) == 1
    await bot.say(ann, family, f"/why@{world.bot.username}")
    assert "/why 8/(3-8/3)" in world.posts(family)[-1].text


async def test_why_explains_a_message_of_the_bot(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    await bot.say(ann, family, f"/why@{world.bot.username}", reply_to=deal)
    assert world.posts(family)[-1].text.splitlines()[1:] == FRACTIONS


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "ru", "zh-hant"])
async def test_why_ignores_a_date_beside_the_expression(bot: LiveBot, world: World, ann: User) -> None:
    private = world.chat_of(ann)
    bot.rig(3, 8, 3, 8)
    await bot.say(ann, private, "/daily")
    await bot.say(ann, private, "8/(3-8/3)")
    result = world.posts(ann)[-1]
    await bot.say(ann, private, "/why", reply_to=result)
    assert world.posts(ann)[-1].text.splitlines()[1:] == FRACTIONS
    await bot.say(ann, private, "/why", reply_to=await bot.say(ann, private, "2026-11-21"))
    assert "1994" in world.posts(ann)[-1].text
    await bot.say(ann, private, "/why see you at 8:30-9")
    reply = world.posts(ann)[-1].text
    assert ("see" in reply, "=" in reply, len(reply.splitlines())) == (True, False, 1)


@pytest.mark.parametrize("privacy", [False])
async def test_why_finds_no_date_in_records(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    await bot.say(ann, family, f"/records@{world.bot.username}")
    records = world.posts(family)[-1]
    assert "21 Nov" in records.text
    await bot.say(ann, family, f"/why@{world.bot.username}", reply_to=records)
    reply = world.posts(family)[-1].text
    assert ("8÷(3−8÷3)" in records.text) == (reply.splitlines()[1:] == FRACTIONS), records.text
    assert "1994" not in reply


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("8/(3-8/3)", "8/(3-8/3)"),
        ("8 ÷ (3 − 8 ÷ 3) = 24", "8/(3-8/3)"),
        ("3*7 = 21", "3*7"),
        ("7×3+3=?", "7*3+3"),
        ("🏆 Ann: 8/(3-8/3) = 24\n9 seconds · +5 points", "8/(3-8/3)"),
        ("is it (1+2)*8 or not", "(1+2)*8"),
        ("３×８", "3*8"),
        ("K-A", "13-1"),
        ("2026-11-21 party, 8/(1/3)", "8/(1/3)"),
        ("call 555-123-4567 or 8/(3-8/3)", "8/(3-8/3)"),
        ("at 8:30-9:30, 8/(3-8/3)", "8/(3-8/3)"),
        ("$3-8: 2*3", "2*3"),
        ("2026-11-21, 2*3", "2*3"),
        ("2026-11-21", "2026-11-21"),
        ("8:30-9", "8/30-9"),
        ("what is 10-3?", "10-3"),
        ("is 24/2/3 = 4?", "24/2/3"),
        ("1 1/2 + 2", "1+1/2+2"),
        ("is 2 1/2*4 ten?", "(2+1/2)*4"),
        ("(1+2+3)4", "(1+2+3)*4"),
        ("8∶(3−8∶3)", "8/(3-8/3)"),
    ],
)
def test_expression_is_found_in_a_message(text: str, expression: str) -> None:
    assert find_computation(text) == solver.parse(expression)


@pytest.mark.long
@pytest.mark.parametrize(
    ("question", "reply"),
    [
        (
            "100 75 50 25 1 1 = 0",
            "A target is a whole number from 101 to 999: /why 100 75 50 25 1 1 = 573",
        ),
        ("25 50 7 3 9 1 = 24", "A target is a whole number from 101 to 999: /why 25 50 7 3 9 1 = 573"),
        ("25, 50, 7, 3, 9, 1", "A target is a whole number from 101 to 999: /why 25 50 7 3 9 1 = 573"),
        (
            "100 75 50 25 1 1 = 12345678",
            "The target “12345678” is no whole number from 0 to 1000000.",
        ),
        ("25 50 7 3 9 1 573?", "Write = before the target: /why 25 50 7 3 9 1 = 573"),
        ("1 1 1 1 1 1 = 999", "That is a hand: /solve 1 1 1 1 1 1 = 999 shows how it is done."),
        ("3 8 3 8", "That is a hand: /solve 3 8 3 8 shows how it is done."),
        ("3 8 3 8 = 24", "That is a hand: /solve 3 8 3 8 shows how it is done."),
        ("A J Q K → 36", "That is a hand: /solve 1 11 12 13 = 36 shows how it is done."),
        ("3838", "Numbers need spaces between them: /solve 3 8 3 8"),
        ("24", "A sign such as × is missing before “24”."),
    ],
)
async def test_numbers_without_operators_get_a_suggestion(
    bot: LiveBot, world: World, ann: User, question: str, reply: str
) -> None:
    await bot.say(ann, world.chat_of(ann), f"/why {question}")
    assert world.posts(ann)[-1].text == reply


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(1+2", "unclosed"),
        ("hello", "no name"),
        ("24", "no operator"),
        ("1/0", "division by zero"),
        ("see you at 8:30-9", "no name"),
        ("call 555-123-4567", "no name"),
        ("1 2 + 3", "no operator"),
        ("8 3/2 + 2", "no operator"),
    ],
)
def test_reason_for_an_unreadable_expression(text: str, reason: str) -> None:
    computation = find_computation(text)
    assert isinstance(computation, solver.ExpressionError)
    assert computation.reason == reason


def test_steps_of_negative_and_longest_expressions() -> None:
    steps = render_steps(get_words("en"), solver.parse("3-8/3*4"))
    assert steps.splitlines()[1:] == [
        "1. 8 ÷ 3 = 2 2/3",
        "2. 2 2/3 × 4 = 10 2/3",
        "3. 3 − 10 2/3 = −7 2/3",
    ]
    long = render_steps(get_words("en"), solver.parse("/".join(["999999999"] * 25)))
    assert long.count("\n") == 24
    assert len(post_message(1, long).params["text"]) <= 4096


WORKED = {
    "1/2": ["1÷2 = 1/2", "1. 1 ÷ 2 = 1/2"],
    "-5+3": ["−5+3 = −2", "1. −5 + 3 = −2"],
    "3.5*2": ["3.5×2 = 7", "1. 3 1/2 × 2 = 7"],
    "(-2)*(-3)": ["−2×(−3) = 6", "1. −2 × (−3) = 6"],
    "0,5+0,5": ["0.5+0.5 = 1", "1. 1/2 + 1/2 = 1"],
    "1.5*1.5": ["1.5×1.5 = 2 1/4", "1. 1 1/2 × 1 1/2 = 2 1/4"],
    "－５＋３": ["−5+3 = −2", "1. −5 + 3 = −2"],
    "2*-3 lol": ["2×(−3) = −6", "1. 2 × (−3) = −6"],
}


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("text", WORKED)
async def test_signs_and_decimals_are_worked_out(bot: LiveBot, world: World, ann: User, text: str) -> None:
    await bot.say(ann, world.chat_of(ann), f"/why {text}")
    head, *lines = world.posts(ann)[-1].text.splitlines()
    whole, *expected = WORKED[text]
    assert head.startswith(whole)
    assert lines == expected


@pytest.mark.parametrize(
    "text",
    [
        "(-8)/(8/3-3)",
        "-8/(-3+8/3)",
        "-(8/(8/3-3))",
        "8.0/(3-8/3)",
        "(-1)*8/(8/3-3)",
    ],
)
async def test_why_with_signs_or_decimals_keeps_open_hands_secret(
    bot: LiveBot, world: World, ann: User, family: Chat, text: str
) -> None:
    await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, world.chat_of(ann), f"/why {text}")
    assert world.posts(ann)[-1].text == "That hand is on the table in a chat where you play: no peeking!"


async def test_why_without_an_answer_explains_its_use(bot: LiveBot, ann: User, family: Chat) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "/why@TwentyFourTestBot", reply_to=deal)
    reply = bot.world.posts(family)[-1].text
    assert reply == "Reply to an answer with /why, or write it: /why 8/(3-8/3)"
