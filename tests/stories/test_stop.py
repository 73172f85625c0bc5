"""/stop: a race or a duel ends before its last hand."""

import pytest

from bot.i18n import Html, choose_language, get_words
from bot.rounds.votes import render_counted_vote, render_end_voters
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.telegram import Chat, Message, User, World

MINE = "@TwentyFourTestBot"
LANGUAGES = pytest.mark.parametrize("language", ["en", "es"])
STOPPED = "🏁 The race is over."


@pytest.fixture
def cid(world: World, language: str | None) -> User:
    return world.user("Cid", language_code=language)


@pytest.fixture
def dan(world: World, language: str | None) -> User:
    return world.user("Dan", language_code=language)


@pytest.fixture
def club(world: World, ann: User, bob: User, cid: User, dan: User) -> Chat:
    """A group whose admin is Ann."""
    return world.group("Club", ann, bob, cid, dan)


async def start_race(bot: LiveBot, user: User, chat: Chat) -> Message:
    """Start a race and win its first hand; return its message with the second hand."""
    for numbers in ((1, 1, 2, 8), (2, 2, 6, 6), (3, 8, 3, 8)):
        bot.rig(*numbers)
    await bot.say(user, chat, f"/race{MINE} 3")
    race = bot.world.posts(chat)[-1]
    await bot.say(user, chat, "1*8*(1+2)", reply_to=race)
    assert "2 2 6 6 → 24" in race.text.splitlines()
    return race


async def start_duel(bot: LiveBot, one: User, other: User, chat: Chat) -> Message:
    """Start a duel in which `other` wins the first hand; return its message."""
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
    """Whether the message shows the end and the result of each hand."""
    return list_hand_lines(race)[-1] == "#2 — 2×6+2×6 = 24"


def list_hand_lines(race: Message) -> list[str]:
    """Return the message's lines, without those about achievements."""
    return [line for line in race.text.splitlines() if not line.startswith("🏅")]


@LANGUAGES
async def test_starter_stops_race_at_once(
    bot: LiveBot, world: World, bob: User, club: Chat, language: str
) -> None:
    race = await start_race(bot, bob, club)
    await bot.say(bob, club, f"/stop{MINE}")
    lines, words = race.text.splitlines(), get_words(choose_language(language))
    assert lines[:2] == [f"🏁 {words.translate_plain('The race is over.')}", "1. \u2068Bob\u2069 — 1"]
    assert is_over(race)
    assert race.labels == [words.translate_plain(label) for label in ("Race again", "Review")]
    assert len(world.posts(club)) == 1
    deal = await bot.deal(bob, club, 3, 8, 3, 8)
    assert deal is not race, "the table is free"


@pytest.mark.parametrize("who", ["admin", "anonymous"])
async def test_admin_stops_race_at_once(
    bot: LiveBot, world: World, ann: User, bob: User, club: Chat, who: str
) -> None:
    race = await start_race(bot, bob, club)
    if who == "admin":
        await bot.say(ann, club, f"/stop{MINE}")
    else:
        world.say_anonymously(club, f"/stop{MINE}")
        await bot.settle()
    assert is_over(race)


@pytest.mark.long
@LANGUAGES
async def test_others_need_two_votes_to_stop_race(
    world: World, restart_bot: RestartBot, bob: User, cid: User, dan: User, club: Chat, language: str
) -> None:
    bot = await restart_bot(world)
    race = await start_race(bot, bob, club)
    labels = race.labels
    for _ in range(2):
        vote = await bot.say(cid, club, f"/stop{MINE}")
        assert read_reactions(vote) == "👌"
    words = get_words(choose_language(language))
    stop = f"{words.translate_plain('End')} 1/2"
    assert race.labels == [*labels, stop]
    assert render_end_voters(words, Html("\u2068Cid\u2069"), 1, 2, is_duel=False) in race.text.splitlines()
    bot = await restart_bot(world)
    reply = await bot.world.answer_to(world.press(cid, race, stop))
    await bot.settle()
    assert reply == render_counted_vote(words, 1, 2), "one person has one vote"
    assert not is_over(race)
    await bot.say(dan, club, f"/stop{MINE}")
    assert is_over(race)


async def test_stop_button_counts_as_vote(
    bot: LiveBot, world: World, bob: User, cid: User, dan: User, club: Chat
) -> None:
    race = await start_race(bot, bob, club)
    await bot.say(cid, club, f"/stop{MINE}")
    assert "🏁 \u2068Cid\u2069 wants to end the race. 1 more of 2 must agree." in race.text.splitlines()
    assert await world.answer_to(world.press(dan, race, "End 1/2")) == ""
    await bot.settle()
    assert is_over(race)
    late = world.press(dan, race, data=race.button(0)["callback_data"].replace("r:", "x:"))
    assert await world.answer_to(late) == "That is over already."


async def test_number_of_votes_to_stop_stays_as_first_told(bot: LiveBot, world: World) -> None:
    players = [world.user(f"P{n}") for n in range(60)]
    school = world.group("School", world.user("Teacher"), *players)
    race = await start_race(bot, players[0], school)
    for player in players[1:3]:
        await bot.say(player, school, "1*8*(1+2)", reply_to=race)
    await bot.say(players[3], school, f"/stop{MINE}")
    assert "🏁 \u2068P3\u2069 wants to end the race. 1 more of 2 must agree." in race.text.splitlines()
    await bot.say(players[4], school, f"/stop{MINE}")
    assert is_over(race)


@pytest.mark.long
async def test_stop_votes_last_beyond_the_hand(
    bot: LiveBot, clock: Clock, bob: User, cid: User, dan: User, club: Chat
) -> None:
    race = await start_race(bot, bob, club)
    await bot.say(cid, club, f"/stop{MINE}")
    await bot.say(bob, club, "2*6+2*6", reply_to=race)
    assert race.labels[-1] == "End 1/2"
    await bot.say(dan, club, f"/stop{MINE}")
    assert list_hand_lines(race)[-1] == "#3 — 8÷(3−8÷3) = 24"


async def test_answer_in_time_counts_after_race_was_stopped(
    bot: LiveBot, world: World, clock: Clock, bob: User, cid: User, club: Chat
) -> None:
    race = await start_race(bot, bob, club)
    clock.advance(61)
    await bot.say(bob, club, f"/stop{MINE}")
    assert race.text.splitlines()[0] == STOPPED
    assert "2×6+2×6" not in race.text, "answers may still be on their way"
    in_time = world.say(cid, club, "2*6+2*6", reply_to=race, date=int(clock()) - 2)
    await bot.settle()
    assert read_reactions(in_time) == "🏆"
    assert list_hand_lines(race)[-1].startswith("#2 🏆 \u2068Cid\u2069: 2×6+2×6 = 24")
    assert "→" not in race.text


async def test_private_race_is_stopped_by_its_player(bot: LiveBot, world: World, ann: User) -> None:
    for numbers in ((1, 1, 2, 8), (2, 2, 6, 6)):
        bot.rig(*numbers)
    await bot.say(ann, world.chat_of(ann), "/race 2")
    race = world.posts(ann)[-1]
    await bot.say(ann, world.chat_of(ann), "/stop")
    assert race.text.splitlines() == [STOPPED, "", "#1 — 1×8×(1+2) = 24"]
    assert race.labels == ["Race again", "Review"]


async def test_late_stop_says_that_the_race_is_over(bot: LiveBot, ann: User, bob: User, club: Chat) -> None:
    race = await start_race(bot, bob, club)
    for _ in range(2):
        await bot.say(ann, club, f"/stop{MINE}")
    assert "👀 \u2068Ann\u2069: That is over already" in race.text.splitlines()


@LANGUAGES
async def test_stop_without_race_or_duel_is_refused(
    bot: LiveBot, world: World, ann: User, club: Chat, language: str
) -> None:
    words = get_words(choose_language(language))
    await bot.say(ann, club, f"/stop{MINE}")
    deal = await bot.deal(ann, club, 3, 8, 3, 8)
    await bot.say(ann, club, f"/stop{MINE}")
    refusals = [post.text for post in world.posts(club) if post is not deal]
    assert refusals == [words.translate_plain("No race, duel or run is on here.")]
    line = words.translate_plain("No race, duel or run is on here. /giveup gives up a hand.")
    assert f"👀 \u2068Ann\u2069: {line.rstrip('.')}" in deal.text.splitlines()
    assert "3 8 3 8 → 24" in deal.text
    assert "8÷(3−8÷3)" not in deal.text


@LANGUAGES
@pytest.mark.parametrize("who", ["challenger", "opponent"])
async def test_stopping_own_duel_gives_it_up(
    bot: LiveBot, world: World, ann: User, bob: User, club: Chat, language: str, who: str
) -> None:
    duel = await start_duel(bot, ann, bob, club)
    loser, winner, score = (ann, bob, "0:1") if who == "challenger" else (bob, ann, "1:0")
    words = get_words(choose_language(language))
    question = await ask_to_give_up(bot, loser, club)
    assert question.text == words.translate_plain(
        "{name}, do you give up the duel? {other} wins then.",
        name=f"\u2068{loser.first_name}\u2069",
        other=f"\u2068{winner.first_name}\u2069",
    )
    assert await world.answer_to(world.press(winner, question, 0)) == words.translate_plain(
        "Only {name} can answer that.", name=f"\u2068{loser.first_name}\u2069"
    )
    world.press(loser, question, 0)
    await bot.settle()
    line = words.translate_plain(
        "{other} gives up at {score}: {name} wins the duel.",
        other=f"\u2068{loser.first_name}\u2069",
        name=f"\u2068{winner.first_name}\u2069",
        score=score,
    )
    assert duel.text.splitlines()[0] == f"⚔️ {line}"
    assert is_over(duel)
    assert duel.labels == [words.translate_plain(label) for label in ("Rematch", "Review")]
    assert len(world.posts(club)) == 1


async def ask_to_give_up(bot: LiveBot, player: User, chat: Chat) -> Message:
    """Let a player of a duel send /stop; return the question that follows."""
    await bot.say(player, chat, f"/stop{MINE}")
    return bot.world.posts(chat)[-1]


async def test_player_may_go_on_with_the_duel(
    bot: LiveBot, world: World, ann: User, bob: User, club: Chat
) -> None:
    duel = await start_duel(bot, ann, bob, club)
    question = await ask_to_give_up(bot, ann, club)
    world.press(ann, question, "No, thanks")
    await bot.settle()
    assert world.posts(club) == [duel]
    assert "2 2 6 6 → 24" in duel.text.splitlines()
    question = await ask_to_give_up(bot, ann, club)
    for solution in ("2*6+2*6", "8/(3-8/3)"):
        await bot.say(bob, club, solution, reply_to=duel)
    assert await world.answer_to(world.press(ann, question, "Yes, give up")) == "That is over already."
    await bot.settle()
    assert world.posts(club) == [duel]
    assert "wins the duel against" in duel.text


async def test_admin_stops_duel_without_winner(
    bot: LiveBot, ann: User, bob: User, cid: User, club: Chat
) -> None:
    duel = await start_duel(bot, bob, cid, club)
    await bot.say(ann, club, f"/stop{MINE}")
    assert duel.text.splitlines()[0] == "⚔️ The duel of \u2068Bob\u2069 and \u2068Cid\u2069 was ended at 0:1."
    assert is_over(duel)


async def test_watchers_stop_duel_by_two_votes(
    bot: LiveBot, world: World, ann: User, bob: User, cid: User, dan: User, club: Chat
) -> None:
    duel = await start_duel(bot, ann, bob, club)
    await bot.say(cid, club, f"/stop{MINE}")
    assert duel.labels[-1] == "End 1/2"
    assert "🏁 \u2068Cid\u2069 wants to end the duel. 1 more of 2 must agree." in duel.text.splitlines()
    assert await world.answer_to(world.press(dan, duel, "End 1/2")) == ""
    await bot.settle()
    assert duel.text.splitlines()[0] == "⚔️ The duel of \u2068Ann\u2069 and \u2068Bob\u2069 was ended at 0:1."
