"""The hand that an answer or a /hint refers to, in private chats and in groups."""

import pytest
from sqlalchemy import select

from bot.database.schema import attempts
from bot.formats import format_duration
from bot.i18n import choose_language, get_words
from bot.modes.daily.rules import format_utc_date
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.telegram import Chat, Message, User, World

DAY = 86_400.0


async def send_privately(bot: LiveBot, user: User, text: str, reply_to: Message | None = None) -> Message:
    return await bot.say(user, bot.world.chat_of(user), text, reply_to)


async def read_reply(bot: LiveBot, user: User, text: str) -> Message:
    """Send a text and return the latest post."""
    await send_privately(bot, user, text)
    return bot.world.posts(user)[-1]


async def load_attempt(bot: LiveBot) -> tuple[str, int, int]:
    """Return state, wrong answers and hints of the only attempt at a daily hand."""
    columns = select(attempts.c.state, attempts.c.wrong, attempts.c.hints)
    row = await bot.services.store.read(lambda tx: tx.execute(columns).one())
    return row.state, row.wrong, row.hints


@pytest.mark.parametrize("language", ["en", "es"])
async def test_private_answer_goes_to_hand_with_its_numbers(bot: LiveBot, world: World, ann: User) -> None:
    bot.rig(3, 8, 3, 8)
    await read_reply(bot, ann, "/daily")
    bot.rig(1, 2, 3, 4)
    deal = await read_reply(bot, ann, "/play")
    wrong = await send_privately(bot, ann, "8*3-8/3")
    assert (read_reactions(wrong), await load_attempt(bot)) == ("👎", ("open", 1, 0))
    assert "8×3−8÷3 = 21 1/3" in world.posts(ann)[-1].text
    neither = await send_privately(bot, ann, "5+6+7")
    assert (read_reactions(neither), await load_attempt(bot)) == ("👎", ("open", 1, 0)), (
        "the table's hand comes first"
    )
    right = await send_privately(bot, ann, "8/(3-8/3)")
    assert (read_reactions(right), await load_attempt(bot)) == ("🏆", ("solved", 1, 0))
    assert "1 2 3 4 → 24" in deal.text.splitlines()
    assert len(deal.buttons) == 2, "the hand on the table goes on"
    assert read_reactions(await send_privately(bot, ann, "1*2*3*4 😀")) == "🏆"
    assert "🏆 \u2068Ann\u2069: 1×2×3×4 = 24" in deal.text.splitlines()


@pytest.mark.parametrize("language", ["en", "ru"])
async def test_late_answer_in_private_gets_a_reply(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    bot.rig(3, 8, 3, 8)
    first = await read_reply(bot, ann, "/play")
    await send_privately(bot, ann, "/skip")
    bot.rig(1, 2, 3, 4)
    await read_reply(bot, ann, "/play")
    posts = len(world.posts(ann))
    late = await send_privately(bot, ann, "8/(3-8/3)")
    assert read_reactions(late) == "👏"
    assert len(world.posts(ann)) == posts + 1
    assert world.posts(ann)[-1].text.startswith("8÷(3−8÷3) = 24, ")
    assert read_reactions(await send_privately(bot, ann, "8*3-8/3")) == "👎"
    assert world.posts(ann)[-1].text.startswith("8×3−8÷3 = 21 1/3, ")
    clock.advance(121)
    assert read_reactions(await send_privately(bot, ann, "8/(3-8/3)")) == "👎"
    assert read_reactions(await send_privately(bot, ann, "8/(3-8/3)", reply_to=first)) == ""


async def test_late_answer_in_a_group_gets_a_reply(bot: LiveBot, ann: User, bob: User, family: Chat) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    await bot.deal(ann, family, 1, 2, 3, 4)
    late = await bot.say(bob, family, "/a@TwentyFourTestBot 8/(3-8/3)")
    assert read_reactions(late) == "👏"
    assert "👏 Right as well: \u2068Bob\u2069" in deal.text.splitlines()


async def test_late_wrong_answer_in_a_group_is_no_try_at_the_next_hand(
    bot: LiveBot, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    live = await bot.deal(ann, family, 1, 2, 3, 4)
    for text, replied in (("/a@TwentyFourTestBot 3+8+3+8", None), ("3+8+3+8", live), ("3+8+3+8", deal)):
        assert read_reactions(await bot.say(bob, family, text, reply_to=replied)) == "👎"
    assert "👎 \u2068Bob\u2069: 3+8+3+8 = 22, for the hand before" in live.text.splitlines()
    await bot.say(ann, family, "/skip@TwentyFourTestBot")
    assert "1×2×3×4 = 24" in live.text, "nobody else has tried it"


async def test_daily_hands_of_two_days_are_answered_by_their_numbers(
    bot: LiveBot, world: World, clock: Clock, ann: User
) -> None:
    bot.rig(3, 8, 3, 8)
    await read_reply(bot, ann, "/daily")
    clock.advance(50_000)
    bot.rig(1, 2, 3, 4)
    await read_reply(bot, ann, "/daily")
    assert read_reactions(await send_privately(bot, ann, "8/(3-8/3)")) == "🏆"
    assert read_reactions(await send_privately(bot, ann, "1*2*3*4")) == "🏆"


async def test_open_daily_hand_comes_before_an_ended_round(bot: LiveBot, world: World, ann: User) -> None:
    bot.rig(3, 8, 3, 8)
    await read_reply(bot, ann, "/daily")
    bot.rig(1, 2, 3, 4)
    await read_reply(bot, ann, "/play")
    await send_privately(bot, ann, "/skip")
    assert read_reactions(await send_privately(bot, ann, "1*2*3*4")) == "👏"
    assert await load_attempt(bot) == ("open", 0, 0)
    assert read_reactions(await send_privately(bot, ann, "3*8")) == "👎"
    assert await load_attempt(bot) == ("open", 1, 0)


async def test_talk_in_private_is_no_answer_but_told_how_to_play(
    bot: LiveBot, world: World, ann: User
) -> None:
    bot.rig(3, 8, 3, 8)
    await read_reply(bot, ann, "/daily")
    posts = len(world.posts(ann))
    for text in ("hello", "give me 5 minutes", "8:30?"):
        assert read_reactions(await send_privately(bot, ann, text)) == ""
        assert world.posts(ann)[-1].text.startswith("3 8 3 8 → 24\nUse each number once.")
    for text in ("24", "= 24!"):
        assert read_reactions(await send_privately(bot, ann, text)) == ""
        number_alone = "Tell me how you make 24 from 3 8 3 8, for example (7−3)×(4+2)"
        assert world.posts(ann)[-1].text == number_alone
    assert len(world.posts(ann)) == posts + 5
    assert await load_attempt(bot) == ("open", 0, 0)
    reply = await read_reply(bot, ann, "/a give me 5 minutes")
    assert reply.text == "I read only numbers and A J Q K, not “give”."
    assert await load_attempt(bot) == ("open", 0, 0)


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "zh-hans"])
async def test_daily_hints_are_shown_in_message_and_result(
    restart_bot: RestartBot, world: World, clock: Clock, language: str, ann: User, family: Chat
) -> None:
    bot = await restart_bot(world)
    bot.rig(3, 8, 3, 8)
    await bot.say(ann, family, f"/daily@{world.bot.username}")
    table = world.posts(family)[-1]
    world.open_link(ann, table, 0)
    await bot.settle()
    hand = world.posts(ann)[-1]
    posts = len(world.posts(ann))
    await send_privately(bot, ann, "/hint")
    assert hand.text.count("💡") == 1
    bot = await restart_bot(world)
    press = world.press(ann, hand, 0)
    assert await world.answer_to(press) == ""
    await bot.settle()
    assert hand.text.count("💡") == 2
    await send_privately(bot, ann, "/hint", reply_to=hand)
    assert (hand.text.count("💡"), len(hand.buttons)) == (3, 1)
    assert len(world.posts(ann)) == posts, "nothing was posted"
    await send_privately(bot, ann, "/hint")
    assert len(world.posts(ann)) == posts + 1
    assert await load_attempt(bot) == ("open", 0, 3)
    clock.advance(42)
    await send_privately(bot, ann, "8*3-8/3")
    result = await read_reply(bot, ann, "8/(3-8/3)")
    outcome = f"🟥💡💡💡🟩 ⏱ {format_duration(get_words(choose_language(language)), 42)} 🔥 1"
    assert outcome in str(result.markup)
    assert "💡 3 hints" in result.text or "💡 3 个提示" in result.text
    assert f"1. \u2068Ann\u2069 · {outcome}" in table.text.splitlines()
    await send_privately(bot, ann, "/hint", reply_to=hand)
    assert "/daily" in world.posts(ann)[-1].text


async def test_daily_hints_are_shown_in_the_latest_message(bot: LiveBot, world: World, ann: User) -> None:
    bot.rig(3, 8, 3, 8)
    first = await read_reply(bot, ann, "/daily")
    second = await read_reply(bot, ann, "/daily")
    await send_privately(bot, ann, "/hint")
    assert (first.text.count("💡"), second.text.count("💡")) == (0, 1)
    assert (await read_reply(bot, ann, "/daily")).text == second.text


async def test_hint_goes_to_the_round_unless_the_daily_hand_is_replied_to(
    bot: LiveBot, world: World, ann: User
) -> None:
    bot.rig(3, 8, 3, 8)
    hand = await read_reply(bot, ann, "/daily")
    bot.rig(1, 2, 3, 4)
    deal = await read_reply(bot, ann, "/play")
    await send_privately(bot, ann, "/hint")
    assert (hand.text.count("💡"), deal.text.count("💡")) == (0, 1)
    await send_privately(bot, ann, "/hint", reply_to=hand)
    assert (hand.text.count("💡"), deal.text.count("💡")) == (1, 1)


async def test_setting_without_hints_applies_to_the_daily_hand(bot: LiveBot, world: World, ann: User) -> None:
    await bot.choose(world.chat_of(ann), "hints", False)
    bot.rig(3, 8, 3, 8)
    hand = await read_reply(bot, ann, "/daily")
    assert len(hand.buttons) == 1
    assert (await read_reply(bot, ann, "/hint")).text == "This chat plays without hints."
    assert "💡" not in hand.text


async def test_forged_or_old_daily_button_is_out_of_date(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User
) -> None:
    bot.rig(3, 8, 3, 8)
    hand = await read_reply(bot, ann, "/daily")
    day = format_utc_date(world.clock())
    forged = world.press(bob, await read_reply(bot, bob, "/help"), data=f"dh:{day}")
    assert await world.answer_to(forged) == "That button is out of date."
    clock.advance(DAY + 1)
    assert await world.answer_to(world.press(ann, hand, 0)) == "That button is out of date."
    assert await load_attempt(bot) == ("open", 0, 0)


# Answers in replies to other messages


@pytest.fixture
def me(world: World) -> str:
    return f"@{world.bot.username}"


@pytest.mark.long
@pytest.mark.parametrize("command", ["/leaderboard", "/help", "/records"])
async def test_reply_to_any_message_of_the_bot_may_be_an_answer(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, me: str, command: str
) -> None:
    deal = await bot.deal(ann, family, 1, 2, 3, 4)
    await bot.say(ann, family, command + me)
    other = world.posts(family)[-1]
    posts = len(world.posts(family))
    for talk in ("lol", "2-1 for us!", "10:00-18:00", "3 8 3 8?", "8/(3-8/3)", "give me 5 minutes", "8/(3-"):
        assert read_reactions(await bot.say(bob, family, talk, reply_to=other)) == "", talk
    assert len(world.posts(family)) == posts
    wrong = await bot.say(bob, family, "1+2+3+4", reply_to=other)
    assert read_reactions(wrong) == "👎"
    assert "👎 \u2068Bob\u2069: 1+2+3+4 = 10" in deal.text.splitlines()
    note = world.posts(family)[-1]
    assert read_reactions(await bot.say(bob, family, "1*2*3*4", reply_to=note)) == "🏆"
    assert "🏆 \u2068Bob\u2069: 1×2×3×4 = 24" in deal.text.splitlines()
    late = await bot.say(ann, family, "(1+2+3)*4", reply_to=note)
    assert read_reactions(late) == "👏"
    assert "👏 Right as well: \u2068Ann\u2069" in deal.text.splitlines()
    await bot.deal(ann, family, 3, 8, 3, 8)
    assert read_reactions(await bot.say(ann, family, "4*3*2*1", reply_to=note)) == "👏", "to the hand before"
    assert read_reactions(await bot.say(ann, family, "4+3+2+1", reply_to=note)) == ""


async def test_reply_to_an_old_deal_answers_the_hand_with_its_numbers(
    bot: LiveBot, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    old = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=old)
    live = await bot.deal(ann, family, 1, 2, 3, 4)
    assert read_reactions(await bot.say(bob, family, "8/(3-8/3)", reply_to=old)) == "👏", (
        "what fits it goes to it"
    )
    assert read_reactions(await bot.say(bob, family, "1+2+3+4", reply_to=old)) == "👎"
    assert "👎 \u2068Bob\u2069: 1+2+3+4 = 10" in live.text.splitlines()
    clock.advance(10)
    assert read_reactions(await bot.say(bob, family, "1*2*3*4", reply_to=old)) == "🏆"
    assert "🏆 \u2068Bob\u2069: 1×2×3×4 = 24" in live.text.splitlines()


async def test_reply_in_topic_answers_hand_of_that_topic(
    bot: LiveBot, world: World, ann: User, bob: User
) -> None:
    forum = world.group("Forum", ann, bob, forum=True)
    one, two = world.topic(forum, "One", ann), world.topic(forum, "Two", ann)
    me = f"@{world.bot.username}"
    for topic, numbers in ((one, (1, 2, 3, 4)), (two, (3, 8, 3, 8))):
        bot.rig(*numbers)
        world.say(ann, forum, f"/play{me}", topic=topic)
        await bot.settle()
    deal = world.posts(forum)[-2]
    world.say(ann, forum, f"/help{me}", topic=one)
    await bot.settle()
    other = world.posts(forum)[-1]
    elsewhere = world.say(bob, forum, "8/(3-8/3)", reply_to=other, topic=one)
    here = world.say(bob, forum, "1*2*3*4", reply_to=other, topic=one)
    await bot.settle()
    assert (read_reactions(elsewhere), read_reactions(here)) == ("", "🏆")
    assert "1×2×3×4 = 24" in deal.text


async def test_reply_to_an_old_deal_answers_race_and_idea_rounds(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, me: str
) -> None:
    old = await bot.deal(ann, family, 1, 1, 11, 11)
    await bot.say(ann, family, "11+11+1+1", reply_to=old)
    bot.rig(3, 8, 3, 8)
    bot.rig(1, 2, 3, 4)
    await bot.say(ann, family, f"/race{me} 2")
    first = await bot.say(bob, family, "8/(3-8/3)", reply_to=old)
    clock.advance(5)
    second = await bot.say(bob, family, "1*2*3*4", reply_to=old)
    assert (read_reactions(first), read_reactions(second)) == ("🏆", "🏆")
    bot.rig(1, 2, 3, 4)
    clock.advance(5)
    await bot.say(ann, family, f"/play{me} all")
    found = await bot.say(bob, family, "1*2*3*4", reply_to=old)
    more = await bot.say(bob, family, "(1+3)*(2+4)", reply_to=old)
    assert (read_reactions(found), read_reactions(more)) == ("🏆", "🏆")


async def test_answer_sent_after_the_deadline_is_late_in_any_reply(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat, me: str
) -> None:
    old = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=old)
    live = await bot.deal(ann, family, 1, 2, 3, 4)
    clock.advance(DAY)
    late = await bot.say(bob, family, "1*2*3*4", reply_to=old)
    assert read_reactions(late) == "👏"
    assert "🏆" not in live.text


@pytest.mark.parametrize("language", ["en", "ru"])
async def test_private_reply_goes_to_the_hand_with_its_numbers(bot: LiveBot, world: World, ann: User) -> None:
    bot.rig(3, 8, 3, 8)
    hand = await read_reply(bot, ann, "/daily")
    bot.rig(1, 2, 3, 4)
    deal = await read_reply(bot, ann, "/play")
    neither = await send_privately(bot, ann, "5+6+7", reply_to=deal)
    assert (read_reactions(neither), await load_attempt(bot)) == ("👎", ("open", 0, 0))
    assert read_reactions(await send_privately(bot, ann, "1*2*3*4", reply_to=hand)) == "🏆"
    assert await load_attempt(bot) == ("open", 0, 0), "no wrong mark"
    assert "🏆 \u2068Ann\u2069: 1×2×3×4 = 24" in deal.text.splitlines()
    assert read_reactions(await send_privately(bot, ann, "4*3*2*1", reply_to=hand)) == "👏", "the hand before"
    bot.rig(2, 3, 4, 1)
    await read_reply(bot, ann, "/play")
    bot.rig(5, 5, 5, 1)
    await send_privately(bot, ann, "/skip")
    await read_reply(bot, ann, "/play")
    assert read_reactions(await send_privately(bot, ann, "4*3*2*1", reply_to=hand)) == "👏", (
        "and with another one live"
    )
    assert await load_attempt(bot) == ("open", 0, 0)
    neither = await send_privately(bot, ann, "5+6+7", reply_to=hand)
    assert (read_reactions(neither), await load_attempt(bot)) == ("👎", ("open", 1, 0))
    right = await send_privately(bot, ann, "8/(3-8/3)", reply_to=deal)
    assert (read_reactions(right), await load_attempt(bot)) == ("🏆", ("solved", 1, 0))
