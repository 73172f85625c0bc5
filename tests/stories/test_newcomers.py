"""Messages of newcomers: answers without a reply, after the end, and in unusual signs."""

import pytest

from bot.players import queries as people
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, read_reactions
from tests.telegram import Chat, User, World


@pytest.fixture
def privacy() -> bool:
    return False


async def test_answer_in_card_letters_needs_no_reply(
    bot: LiveBot, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 1, 11, 12, 13)
    assert not (await bot.say(bob, family, "a q k")).reactions
    assert not (await bot.say(bob, family, "ha!")).reactions
    answer = await bot.say(bob, family, "(K-J)xQxA")
    assert read_reactions(answer) == "🏆"
    assert "🏆 \u2068Bob\u2069: (13−11)×12×1 = 24" in deal.text.splitlines()


async def test_wrong_answer_after_the_end_gets_a_reaction_only(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    posts = len(world.posts(family))
    assert read_reactions(await bot.say(bob, family, "/a 1+1")) == "👎"
    assert read_reactions(await bot.say(bob, family, "8*3-8/3", reply_to=deal)) == "👎"
    assert not (await bot.say(bob, family, "well done", reply_to=deal)).reactions
    assert len(world.posts(family)) == posts


async def test_answer_to_an_old_deal_points_to_the_live_one(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    old = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=old)
    clock.advance(300)
    live = await bot.deal(ann, family, 1, 2, 3, 4)
    posts = len(world.posts(family))
    assert not (await bot.say(bob, family, "what a hand that was", reply_to=old)).reactions
    assert len(world.posts(family)) == posts
    assert read_reactions(await bot.say(bob, family, "8/(3-8/3)", reply_to=old)) == "👀"
    assert "👀 \u2068Bob\u2069: This hand is still open" in live.text.splitlines()


async def test_late_answer_to_a_doubled_deal_gets_a_reaction(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    twin = world.say(world.bot, family, deal.text, hear=False)
    await bot.say(ann, family, "8/(3-8/3)", reply_to=deal)
    assert read_reactions(await bot.say(bob, family, "8/(3-8/3)", reply_to=twin)) == "👏"


async def test_wrong_answer_in_private_after_the_end_gets_a_reply(
    bot: LiveBot, world: World, ann: User
) -> None:
    home = world.chat_of(ann)
    await bot.deal(ann, home, 3, 8, 3, 8)
    await bot.say(ann, home, "8/(3-8/3)")
    await bot.say(ann, home, "8+8")
    assert "/play" in world.posts(home)[-1].text


@pytest.mark.parametrize(
    "hand", ["3、8、3、8", "３，８，３，８", "3;8;3;8 ＝ ２４", "3 8 3 8 -> 24", "3 8 3 8 ="]
)
async def test_solve_reads_commas_of_any_keyboard(bot: LiveBot, world: World, ann: User, hand: str) -> None:
    home = world.chat_of(ann)
    await bot.say(ann, home, f"/solve {hand}")
    assert "8÷(3−8÷3) = 24" in world.posts(home)[-1].text.splitlines()


async def test_steps_name_each_value_once(bot: LiveBot, world: World, ann: User) -> None:
    home = world.chat_of(ann)
    await bot.say(ann, home, "/why 8/(3-8/3)")
    steps = world.posts(home)[-1].text.splitlines()[1:]
    assert steps == ["1. 8 ÷ 3 = 2 2/3", "2. 3 − 2 2/3 = 1/3", "3. 8 ÷ 1/3 = 24"]


async def test_repeated_answer_is_not_called_the_same_idea(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    bot.rig(8, 12, 2, 6)
    await bot.say(ann, family, f"/play@{world.bot.username} all")
    deal = world.posts(family)[-1]
    await bot.say(ann, family, "6*8-2*12", reply_to=deal)
    await bot.say(bob, family, "6×8−2×12", reply_to=deal)
    assert "🤝 \u2068Bob\u2069: Right as well! \u2068Ann\u2069 was first" in deal.text.splitlines()
    await bot.say(ann, family, "6*8-2*12", reply_to=deal)
    assert "🤝 \u2068Ann\u2069: You have found that one already" in deal.text.splitlines()


async def test_same_hand_twice_in_a_row_scores_twice(
    bot: LiveBot, ann: User, bob: User, family: Chat
) -> None:
    for player in (ann, bob):
        deal = await bot.deal(ann, family, 3, 8, 3, 8)
        await bot.say(player, family, "8/(3-8/3)", reply_to=deal)
        assert f"🏆 \u2068{player.first_name}\u2069" in deal.text


async def test_press_counts_if_telegram_omits_the_keyboard(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    hint, deal.markup = deal.button("Hint")["callback_data"], None
    await world.answer_to(world.press(ann, deal, data=hint))
    await bot.settle()
    assert "💡" in deal.text


async def test_language_survives_a_blocked_private_chat(bot: LiveBot, world: World, clock: Clock) -> None:
    zoe = world.user("Zoe")
    private = world.chat_of(zoe)
    await bot.say(zoe, private, "/start")
    await bot.services.store.write(lambda tx: people.load_or_insert_chat(tx, zoe.id, "private"))
    await bot.services.store.write(lambda tx: people.store_language(tx, zoe.id, "es"))
    world.block(zoe)
    await bot.settle()
    assert (await bot.services.store.read(lambda tx: people.can_write_to_player(tx, zoe.id))) is False
    world.unblock(zoe)
    await bot.settle()
    await bot.say(zoe, private, "/help")
    assert (await bot.services.store.read(lambda tx: people.can_write_to_player(tx, zoe.id))) is True
    assert "una vez" in world.posts(private)[-1].text
