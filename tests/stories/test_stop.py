"""/stop: a race or a duel ends before its last hand."""

import pytest

from bot.i18n import choose_language, get_words, list_languages
from bot.telegram.menus import make_menu
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.telegram import Chat, Message, User, World

MINE = "@TwentyFourTestBot"
IN_TWO = pytest.mark.parametrize("language", ["en", "es"])
STOPPED = "🏁 The race is over."


@pytest.fixture
def cid(world: World, language: str | None) -> User:
    return world.user("Cid", language_code=language)


@pytest.fixture
def dan(world: World, language: str | None) -> User:
    return world.user("Dan", language_code=language)


@pytest.fixture
def club(world: World, ann: User, bob: User, cid: User, dan: User) -> Chat:
    """A group that Ann made."""
    return world.group("Club", ann, bob, cid, dan)


async def raced(bot: LiveBot, user: User, chat: Chat) -> Message:
    """`user` starts a race, wins its first hand, and the second is on the table."""
    for numbers in ((1, 1, 2, 8), (2, 2, 6, 6), (3, 8, 3, 8)):
        bot.rig(*numbers)
    await bot.say(user, chat, f"/race{MINE} 3")
    race = bot.world.posts(chat)[-1]
    await bot.say(user, chat, "1*8*(1+2)", reply_to=race)
    assert "2 2 6 6 → 24" in race.text.splitlines()
    return race


async def fought(bot: LiveBot, one: User, other: User, chat: Chat) -> Message:
    """`one` challenges, `other` accepts and wins the first hand."""
    await bot.say(one, chat, f"/duel{MINE}")
    duel = bot.world.posts(chat)[-1]
    for numbers in ((1, 1, 2, 8), (2, 2, 6, 6), (3, 8, 3, 8), (1, 5, 5, 5), (1, 3, 4, 6)):
        bot.rig(*numbers)
    bot.world.press(other, duel, 0)
    await bot.settle()
    await bot.say(other, chat, "1*8*(1+2)", reply_to=duel)
    assert "2 2 6 6 → 24" in duel.text.splitlines()
    return duel


def is_over(race: Message) -> bool:
    """Whether the message shows the end, with how each hand went."""
    return hands(race)[-1] == "#2 — 2*6+2*6 = 24"


def hands(race: Message) -> list[str]:
    """The lines of the hands, without what somebody earned by one."""
    return [line for line in race.text.splitlines() if not line.startswith("🏅")]


@IN_TWO
async def test_whoever_started_a_race_ends_it_at_once(
    bot: LiveBot, world: World, bob: User, club: Chat, language: str
) -> None:
    race = await raced(bot, bob, club)
    await bot.say(bob, club, f"/stop{MINE}")
    lines, said = race.text.splitlines(), get_words(choose_language(language))
    assert lines[:2] == [f"🏁 {said.translate_plain('The race is over.')}", "1. \u2068Bob\u2069 — 2"]
    assert is_over(race)
    assert race.labels == [said.translate_plain("Race again")]
    assert len(world.posts(club)) == 1
    deal = await bot.deal(bob, club, 3, 8, 3, 8)
    assert deal is not race, "the table is free"


@pytest.mark.parametrize("who", ["admin", "anonymous"])
async def test_so_does_an_admin(
    bot: LiveBot, world: World, ann: User, bob: User, club: Chat, who: str
) -> None:
    race = await raced(bot, bob, club)
    if who == "admin":
        await bot.say(ann, club, f"/stop{MINE}")
    else:
        world.say_anonymously(club, f"/stop{MINE}")
        await bot.settle()
    assert is_over(race)


@pytest.mark.long
@IN_TWO
async def test_others_end_it_by_two_votes_which_the_message_shows(
    world: World, restart_bot: RestartBot, bob: User, cid: User, dan: User, club: Chat, language: str
) -> None:
    bot = await restart_bot(world)
    race = await raced(bot, bob, club)
    labels = race.labels
    for _ in range(2):
        vote = await bot.say(cid, club, f"/stop{MINE}")
        assert read_reactions(vote) == "👌"
    stop = get_words(choose_language(language)).translate_plain("Stop {votes}/{needed}", votes=1, needed=2)
    assert race.labels == [*labels, stop]
    bot = await restart_bot(world)
    told = await bot.world.answer_to(world.press(cid, race, stop))
    await bot.settle()
    assert told == stop, "one person has one vote"
    assert not is_over(race)
    await bot.say(dan, club, f"/stop{MINE}")
    assert is_over(race)


async def test_the_button_is_a_vote_too(
    bot: LiveBot, world: World, bob: User, cid: User, dan: User, club: Chat
) -> None:
    race = await raced(bot, bob, club)
    await bot.say(cid, club, f"/stop{MINE}")
    assert await world.answer_to(world.press(dan, race, "Stop 1/2")) == "Stop 2/2"
    await bot.settle()
    assert is_over(race)
    late = world.press(dan, race, data=race.button(0)["callback_data"].replace("r:", "x:"))
    assert await world.answer_to(late) == "That is over already."


@pytest.mark.long
async def test_votes_outlive_the_hand(
    bot: LiveBot, clock: Clock, bob: User, cid: User, dan: User, club: Chat
) -> None:
    race = await raced(bot, bob, club)
    await bot.say(cid, club, f"/stop{MINE}")
    await bot.say(bob, club, "2*6+2*6", reply_to=race)
    assert race.labels[-1] == "Stop 1/2"
    await bot.say(dan, club, f"/stop{MINE}")
    assert hands(race)[-1] == "#3 — 8/(3-8/3) = 24"


async def test_an_answer_in_time_still_counts_after_the_race_was_stopped_at_its_deadline(
    bot: LiveBot, world: World, clock: Clock, bob: User, cid: User, club: Chat
) -> None:
    race = await raced(bot, bob, club)
    clock.advance(61)
    await bot.say(bob, club, f"/stop{MINE}")
    assert race.text.splitlines()[0] == STOPPED
    assert "2*6+2*6" not in race.text, "answers may still be on their way"
    in_time = world.say(cid, club, "2*6+2*6", reply_to=race, date=int(clock()) - 2)
    await bot.settle()
    assert read_reactions(in_time) == "🏆"
    assert hands(race)[-1].startswith("#2 🏆 \u2068Cid\u2069: 2*6+2*6 = 24")
    assert "→" not in race.text


async def test_in_private_one_stops_ones_own(bot: LiveBot, world: World, ann: User) -> None:
    for numbers in ((1, 1, 2, 8), (2, 2, 6, 6)):
        bot.rig(*numbers)
    await bot.say(ann, world.chat_of(ann), "/race 2")
    race = world.posts(ann)[-1]
    await bot.say(ann, world.chat_of(ann), "/stop")
    assert race.text.splitlines() == [STOPPED, "", "#1 — 1*8*(1+2) = 24"]
    assert race.labels == ["Race again"]


@IN_TWO
async def test_where_there_is_neither_one_line_says_so(
    bot: LiveBot, world: World, ann: User, club: Chat, language: str
) -> None:
    line = get_words(choose_language(language)).translate_plain(
        "No race or duel is on here. /skip gives up a hand."
    )
    await bot.say(ann, club, f"/stop{MINE}")
    deal = await bot.deal(ann, club, 3, 8, 3, 8)
    await bot.say(ann, club, f"/stop{MINE}")
    assert [post.text for post in world.posts(club) if post is not deal] == [line] * 2
    assert "3 8 3 8 → 24" in deal.text
    assert "8/(3-8/3)" not in deal.text


@IN_TWO
@pytest.mark.parametrize("who", ["challenger", "opponent"])
async def test_who_stops_a_duel_gives_it_up(
    bot: LiveBot, world: World, ann: User, bob: User, club: Chat, language: str, who: str
) -> None:
    duel = await fought(bot, ann, bob, club)
    loser, winner, score = (ann, bob, "0:1") if who == "challenger" else (bob, ann, "1:0")
    await bot.say(loser, club, f"/stop{MINE}")
    said = get_words(choose_language(language))
    line = said.translate_plain(
        "{other} gives up at {score}: {name} wins the duel.",
        other=f"\u2068{loser.first_name}\u2069",
        name=f"\u2068{winner.first_name}\u2069",
        score=score,
    )
    assert duel.text.splitlines()[0] == f"⚔️ {line}"
    assert is_over(duel)
    assert duel.labels == [said.translate_plain("Rematch")]
    assert len(world.posts(club)) == 1


async def test_an_admin_ends_a_duel_without_a_winner(
    bot: LiveBot, ann: User, bob: User, cid: User, club: Chat
) -> None:
    duel = await fought(bot, bob, cid, club)
    await bot.say(ann, club, f"/stop{MINE}")
    assert duel.text.splitlines()[0] == "⚔️ The duel of \u2068Bob\u2069 and \u2068Cid\u2069 was ended at 0:1."
    assert is_over(duel)


async def test_whoever_watches_a_duel_has_a_vote(
    bot: LiveBot, world: World, ann: User, bob: User, cid: User, dan: User, club: Chat
) -> None:
    duel = await fought(bot, ann, bob, club)
    await bot.say(cid, club, f"/stop{MINE}")
    assert duel.labels[-1] == "Stop 1/2"
    assert await world.answer_to(world.press(dan, duel, "Stop 1/2")) == "Stop 2/2"
    await bot.settle()
    assert duel.text.splitlines()[0] == "⚔️ The duel of \u2068Ann\u2069 and \u2068Bob\u2069 was ended at 0:1."


@pytest.mark.parametrize("language", list_languages())
def test_every_menu_lists_it(bot: LiveBot, language: str) -> None:
    for group in (True, False):
        listed = dict(make_menu(bot.service.routes.commands, get_words(language), group=group))
        assert listed["stop"]
        assert ("duel" in listed) is group
