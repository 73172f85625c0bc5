"""A duel: two players, the same hands, best of five, in one message."""

import asyncio
import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.i18n import choose_language, get_words
from tests.stories.clock import Clock, read_time_left
from tests.stories.conftest import LiveBot, RestartBot, read_reactions
from tests.telegram import Chat, Message, User, World

MINE = "@TwentyFourTestBot"
IN_TWO = pytest.mark.parametrize("language", ["en", "ru"])
HANDS = [
    ((1, 1, 2, 8), "1*8*(1+2)"),
    ((2, 2, 6, 6), "2*6+2*6"),
    ((3, 8, 3, 8), "8/(3-8/3)"),
    ((1, 5, 5, 5), "5*(5-1/5)"),
    ((1, 3, 4, 6), "6/(1-3/4)"),
]
ANN, BOB, CID = "\u2068Ann\u2069", "\u2068Bob\u2069", "\u2068Cid\u2069"


@dataclass
class Club:
    """A group of Ann, Bob, Cid and the bot; Ann made it."""

    world: World
    clock: Clock
    ann: User
    bob: User
    cid: User
    chat: Chat
    language: str

    def plain(self, sentence: str, **parts: object) -> str:
        """The sentence in the club's language."""
        return get_words(choose_language(self.language)).translate_plain(sentence, **parts)

    @property
    def posts(self) -> list[Message]:
        """What the bot has posted, but for what was deleted."""
        return self.world.posts(self.chat)


@pytest.fixture
def language() -> str | None:
    return "en"


@pytest.fixture
def club(world: World, clock: Clock, ann: User, bob: User, language: str) -> Club:
    cid = world.user("Cid", language_code=language)
    return Club(world, clock, ann, bob, cid, world.group("Club", ann, bob, cid), language)


def rig(bot: LiveBot, hands: int = 5) -> None:
    """Let these be the next hands."""
    for numbers, _ in HANDS[:hands]:
        bot.rig(*numbers)


async def pressed(bot: LiveBot, user: User, message: Message, button: str) -> str:
    """What `user` is told who presses the button."""
    told = await bot.world.answer_to(bot.world.press(user, message, button))
    await bot.settle()
    return told


async def challenged(bot: LiveBot, club: Club, text: str = "", reply_to: Message | None = None) -> Message:
    """Ann challenges: the bot's post."""
    await bot.say(club.ann, club.chat, f"/duel{MINE} {text}".rstrip(), reply_to=reply_to)
    return club.posts[-1]


async def begun(bot: LiveBot, club: Club) -> Message:
    """Ann challenges Bob, who accepts."""
    said = club.world.say(club.bob, club.chat, "who plays?")
    offer = await challenged(bot, club, reply_to=said)
    rig(bot)
    assert await pressed(bot, club.bob, offer, club.plain("Accept")) == ""
    return offer


def score(duel: Message) -> tuple[int, int]:
    """How it stands, by its first line."""
    first = duel.text.splitlines()[0]
    left, _, right = first.partition(" : ")
    return int(left.split()[-1]), int(right.split()[0])


@IN_TWO
async def test_a_duel_is_offered_accepted_fought_and_told_in_one_message(bot: LiveBot, club: Club) -> None:
    said = club.world.say(club.bob, club.chat, "who plays?")
    duel = await challenged(bot, club, reply_to=said)
    assert duel.labels == [club.plain("Accept"), club.plain("No, thanks")]
    assert duel.text.splitlines()[0] == "⚔️ " + club.plain("{name} challenges {other}!", name=ANN, other=BOB)
    rig(bot)
    assert await pressed(bot, club.bob, duel, club.plain("Accept")) == ""
    assert read_time_left(duel) == 60
    for number, (winner, (numbers, right)) in enumerate(
        zip((club.bob, club.ann, club.ann, club.ann), HANDS, strict=False)
    ):
        assert f"{' '.join(map(str, numbers))} → 24" in duel.text.splitlines()
        assert score(duel) == (max(0, number - 1), min(1, number))
        hand = club.plain("Hand {number} of {length}", number=number + 1, length=5)
        assert duel.text.splitlines()[0].endswith(f" · {hand}")
        club.clock.advance(7)
        answer = await bot.say(winner, club.chat, right, reply_to=duel)
        assert read_reactions(answer) == "🏆"
    lines = duel.text.splitlines()
    assert lines[:2] == [
        "⚔️ " + club.plain("{name} wins the duel against {other}, {score}!", name=ANN, other=BOB, score="3:1"),
        "",
    ]
    seconds = get_words(choose_language(club.language)).translate_plural("{n} second", "{n} seconds", 7)
    assert lines.pop().startswith(f"🏅 {ANN}: "), "the first fiendish hand"
    assert lines[2:] == [
        f"#1 🏆 {BOB}: 1*8*(1+2) = 24 · {seconds} · +2",
        f"#2 🏆 {ANN}: 2*6+2*6 = 24 · {seconds} · +2",
        f"#3 🏆 {ANN}: 8/(3-8/3) = 24 · {seconds} · +5",
        f"#4 🏆 {ANN}: 5*(5-1/5) = 24 · {seconds} · +5",
    ]
    assert duel.labels == [club.plain("Rematch")]
    assert len(club.posts) == 1


async def test_its_points_count_on_the_board(bot: LiveBot, club: Club) -> None:
    duel = await begun(bot, club)
    for _, right in HANDS[:3]:
        await bot.say(club.bob, club.chat, right, reply_to=duel)
    await bot.say(club.ann, club.chat, f"/leaderboard{MINE}")
    assert f"1. {BOB} — 9" in club.posts[-1].text.splitlines()


@IN_TWO
async def test_a_challenge_and_a_duel_outlive_restarts(
    world: World, restart_bot: RestartBot, club: Club
) -> None:
    bot = await restart_bot(world)
    said = world.say(club.bob, club.chat, "who plays?")
    duel = await challenged(bot, club, reply_to=said)
    bot = await restart_bot(world)
    rig(bot)
    assert await pressed(bot, club.bob, duel, club.plain("Accept")) == ""
    for _, right in HANDS[:3]:
        bot = await restart_bot(world)
        await bot.say(club.ann, club.chat, right, reply_to=duel)
    assert duel.text.splitlines()[0] == "⚔️ " + club.plain(
        "{name} wins the duel against {other}, {score}!", name=ANN, other=BOB, score="3:0"
    )
    bot = await restart_bot(world)
    await pressed(bot, club.bob, duel, club.plain("Rematch"))
    again = club.posts[-1]
    bot = await restart_bot(world)
    rig(bot)
    assert await pressed(bot, club.ann, again, club.plain("Accept")) == ""
    assert score(again) == (0, 0)
    assert "1 1 2 8 → 24" in again.text.splitlines()


@pytest.mark.long
@IN_TWO
async def test_a_challenge_lapses_after_five_minutes_also_after_a_restart(
    world: World, restart_bot: RestartBot, club: Club
) -> None:
    bot = await restart_bot(world)
    said = world.say(club.bob, club.chat, "who plays?")
    offer = await challenged(bot, club, reply_to=said)
    club.clock.advance(299)
    await bot.run_timers()
    assert len(offer.labels) == 2
    bot = await restart_bot(world)
    club.clock.advance(3)
    await bot.run_timers()
    assert offer.text == "⚔️ " + club.plain("Nobody took {name}’s challenge in time.", name=ANN)
    assert offer.labels == []
    await challenged(bot, club)
    assert len(club.posts) == 2, "and another may be offered"


@IN_TWO
@pytest.mark.parametrize("who", ["bob", "ann"])
async def test_a_challenge_is_turned_down_or_taken_back(bot: LiveBot, club: Club, who: str) -> None:
    said = club.world.say(club.bob, club.chat, "who plays?")
    offer = await challenged(bot, club, reply_to=said)
    told = await pressed(bot, club.cid, offer, club.plain("No, thanks"))
    assert told == club.plain("This challenge is for {name}.", name=BOB)
    assert await pressed(bot, getattr(club, who), offer, club.plain("No, thanks")) == ""
    sentence = {
        "bob": "{name} would rather not duel just now.",
        "ann": "{name} has taken the challenge back.",
    }
    assert offer.text == "⚔️ " + club.plain(sentence[who], name=BOB if who == "bob" else ANN)
    assert offer.labels == []


@IN_TWO
async def test_anybody_accepts_an_open_challenge_but_its_challenger(bot: LiveBot, club: Club) -> None:
    offer = await challenged(bot, club)
    assert offer.text.splitlines()[0] == "⚔️ " + club.plain("{name} challenges whoever dares!", name=ANN)
    assert offer.labels == [club.plain("Accept"), club.plain("Take it back")]
    told = await pressed(bot, club.ann, offer, club.plain("Accept"))
    assert told == club.plain("Somebody else has to accept your challenge.")
    rig(bot)
    rig(bot)
    for user in (club.cid, club.bob):
        club.world.press(user, offer, club.plain("Accept"))
    await bot.settle()
    answers = [press.answer_text for press in club.world.answered[-2:]]
    assert answers == ["", club.plain("That challenge is over.")]
    assert CID in offer.text.splitlines()[0]
    assert BOB not in offer.text


@IN_TWO
async def test_the_winner_of_a_hand_is_challenged_by_a_button(bot: LiveBot, club: Club) -> None:
    deal = await bot.deal(club.ann, club.chat, 3, 8, 3, 8)
    await bot.say(club.bob, club.chat, "8/(3-8/3)", reply_to=deal)
    assert deal.labels == [club.plain("Next hand"), club.plain("Duel")]
    assert await pressed(bot, club.cid, deal, club.plain("Duel")) == ""
    offer = club.posts[-1]
    assert offer.text.splitlines()[0] == "⚔️ " + club.plain("{name} challenges {other}!", name=CID, other=BOB)
    assert await pressed(bot, club.bob, offer, club.plain("No, thanks")) == ""
    assert await pressed(bot, club.bob, deal, club.plain("Duel")) == ""
    assert club.posts[-1].text.splitlines()[0] == "⚔️ " + club.plain(
        "{name} challenges whoever dares!", name=BOB
    )


async def test_the_button_keeps_the_level_that_was_asked(bot: LiveBot, club: Club) -> None:
    bot.rig(3, 8, 3, 8)
    await bot.say(club.ann, club.chat, f"/play{MINE} fiendish")
    deal = club.posts[-1]
    await bot.say(club.bob, club.chat, "8/(3-8/3)", reply_to=deal)
    await pressed(bot, club.cid, deal, "Duel")
    rig(bot)
    await pressed(bot, club.bob, club.posts[-1], "Accept")
    assert bot.solving.recipes == [("draw_hand", 4, 13, 24, "fiendish")] * 6


@pytest.mark.long
@pytest.mark.parametrize("state", ["open", "given up", "private", "all", "race"])
async def test_only_a_hand_with_a_winner_in_a_group_has_the_button(
    bot: LiveBot, world: World, club: Club, state: str
) -> None:
    place = world.chat_of(club.ann) if state == "private" else club.chat
    bot.rig(1, 1, 2, 8)
    bot.rig(2, 2, 6, 6)
    asked = {"race": "/race 2", "all": "/play all"}.get(state, "/play")
    await bot.say(club.ann, place, asked.replace(" ", f"{MINE} ") if place is club.chat else asked)
    deal = world.posts(place)[-1]
    if state == "given up":
        await bot.say(club.ann, place, f"/skip{MINE}")
    elif state != "open":
        for right in ("1*8*(1+2)", "2*6+2*6"):
            await bot.say(club.ann, place, right, reply_to=deal)
    assert "Duel" not in deal.labels


async def test_a_level_is_asked_for_in_any_language(bot: LiveBot, club: Club) -> None:
    club.bob.username = "bob_24"
    await bot.say(club.bob, club.chat, f"/skip{MINE}")  # nothing is kept of him by that
    deal = await bot.deal(club.bob, club.chat, 3, 8, 3, 8)
    await bot.say(club.bob, club.chat, "8/(3-8/3)", reply_to=deal)
    offer = await challenged(bot, club, "@bob_24 hard")
    assert offer.text.splitlines()[-1] == "hard"
    bot.solving.recipes.clear()
    rig(bot)
    await pressed(bot, club.bob, offer, "Accept")
    assert bot.solving.recipes == [("draw_hand", 4, 13, 24, "hard")] * 5


async def test_somebody_without_a_username_is_mentioned_by_name(bot: LiveBot, club: Club) -> None:
    text = f"/duel{MINE} Bob hard"
    said = club.world.say(club.ann, club.chat, text, hear=False)
    named = {"type": "text_mention", "offset": text.index("Bob"), "length": 3, "user": club.bob.json()}
    said.entities.append(named)
    club.world.publish("message", said.json(), club.chat.id)
    await bot.settle()
    assert club.posts[-1].text.splitlines()[0] == f"⚔️ {ANN} challenges {BOB}!"
    assert club.posts[-1].text.splitlines()[-1] == "hard"


@pytest.mark.long
@IN_TWO
async def test_what_cannot_be_gets_one_kind_line(bot: LiveBot, world: World, club: Club) -> None:
    deal = await bot.deal(club.bob, club.chat, 3, 8, 3, 8)
    club.bob.username = "bob_24"
    said = world.say(club.ann, club.chat, "I am here")
    taken = await challenged(bot, club, reply_to=None)
    assert "3 8 3 8 → 24" in taken.text
    await bot.say(club.bob, club.chat, "8/(3-8/3)", reply_to=deal)
    for text, replied, line in (
        ("", said, club.plain("Nobody duels with themselves: /duel alone challenges anybody.")),
        ("", deal, club.plain("Only people duel. Reply to somebody else with /duel.")),
        (MINE, None, club.plain("Only people duel. Reply to somebody else with /duel.")),
        (
            "@bob_24 5",
            None,
            club.plain(
                "“{fragment}”? /duel takes a @name, and a level or a game: /duel @name hard, "
                "/duel @name {game}",
                fragment="5",
                game="countdown",
            ),
        ),
    ):
        club.clock.advance(60)
        refused = await challenged(bot, club, text, reply_to=replied)
        assert refused.text == line
        assert refused.labels == []
    await bot.say(club.ann, world.chat_of(club.ann), "/duel @bob_24")
    assert world.posts(club.ann)[-1].text == club.plain("A duel takes two: write /duel in a group.")


async def test_whoever_plays_elsewhere_alone_is_nobody_here(bot: LiveBot, world: World, club: Club) -> None:
    dan = world.user("Dan", username="dan_24")
    other = world.group("Other", dan)
    deal = await bot.deal(dan, other, 3, 8, 3, 8)
    await bot.say(dan, other, "8/(3-8/3)", reply_to=deal)
    refused = await challenged(bot, club, "@dan_24")
    assert refused.text == "@dan_24 is not in this group."
    world.join(dan, club.chat)
    world.mute(dan, club.chat)
    world.leave(dan, club.chat)
    assert (await challenged(bot, club, "@dan_24")).text == refused.text
    world.join(dan, club.chat)
    offer = await challenged(bot, club, "@dan_24")
    assert offer.text.splitlines()[0] == f"⚔️ {ANN} challenges \u2068Dan\u2069!"


# By a username


@pytest.fixture
def dan(world: World, club: Club, language: str) -> User:
    """Who never played, and is in the club."""
    dan = world.user("Dan", username="Dan_24", language_code=language)
    world.join(dan, club.chat)
    return dan


@pytest.mark.long
@IN_TWO
async def test_who_never_played_is_challenged_by_username(bot: LiveBot, club: Club, dan: User) -> None:
    offer = await challenged(bot, club, "@dAN_24 hard")
    shown = "\u2068@dAN_24\u2069"
    assert offer.text.splitlines()[0] == "⚔️ " + club.plain(
        "{name} challenges {other}!", name=ANN, other=shown
    )
    assert offer.labels == [club.plain("Accept"), club.plain("No, thanks")]
    for who, button in ((club.bob, "Accept"), (club.ann, "Accept"), (club.bob, "No, thanks")):
        told = await pressed(bot, who, offer, club.plain(button))
        assert told == club.plain("This challenge is for {name}.", name=shown)
    rig(bot)
    assert await pressed(bot, dan, offer, club.plain("Accept")) == ""
    assert "\u2068Dan\u2069" in offer.text.splitlines()[0]
    for _, right in HANDS[:3]:
        await bot.say(dan, club.chat, right, reply_to=offer)
    await pressed(bot, club.ann, offer, club.plain("Rematch"))
    assert club.posts[-1].text.splitlines()[0] == "⚔️ " + club.plain(
        "{name} challenges {other}!", name=ANN, other="\u2068Dan\u2069"
    )


@pytest.mark.long
@IN_TWO
@pytest.mark.parametrize("who", ["dan", "ann"])
async def test_they_turn_it_down_or_it_is_taken_back(bot: LiveBot, club: Club, dan: User, who: str) -> None:
    offer = await challenged(bot, club, "@dan_24")
    user, sentence, name = {
        "dan": (dan, "{name} would rather not duel just now.", "\u2068@dan_24\u2069"),
        "ann": (club.ann, "{name} has taken the challenge back.", ANN),
    }[who]
    assert await pressed(bot, user, offer, club.plain("No, thanks")) == ""
    assert offer.text == "⚔️ " + club.plain(sentence, name=name)
    assert offer.labels == []


async def test_the_username_is_that_of_whoever_has_it_when_they_press(
    bot: LiveBot, club: Club, dan: User
) -> None:
    offer = await challenged(bot, club, "@dan_24")
    dan.username, club.bob.username = None, "dan_24"
    assert await pressed(bot, dan, offer, "Accept") == "This challenge is for \u2068@dan_24\u2069."
    rig(bot)
    assert await pressed(bot, club.bob, offer, "Accept") == ""
    assert BOB in offer.text.splitlines()[0]


async def test_a_username_that_is_known_of_somebody_else_by_now(bot: LiveBot, club: Club, dan: User) -> None:
    deal = await bot.deal(dan, club.chat, 3, 8, 3, 8)
    await bot.say(dan, club.chat, "8/(3-8/3)", reply_to=deal)
    dan.username, club.bob.username = "dan_25", "dan_24"
    offer = await challenged(bot, club, "@dan_24")
    assert offer.text.splitlines()[0] == f"⚔️ {ANN} challenges \u2068@dan_24\u2069!"
    assert await pressed(bot, dan, offer, "Accept") == "This challenge is for \u2068@dan_24\u2069."
    rig(bot)
    assert await pressed(bot, club.bob, offer, "Accept") == ""


async def test_where_telegram_does_not_tell_a_challenge_is_posted_all_the_same(
    bot: LiveBot, world: World, club: Club, dan: User
) -> None:
    other = world.group("Other", dan)
    deal = await bot.deal(dan, other, 3, 8, 3, 8)
    await bot.say(dan, other, "8/(3-8/3)", reply_to=deal)
    world.faults.add("getChatMember", status=400)
    offer = await challenged(bot, club, "@dan_24")
    assert offer.text.splitlines()[0] == f"⚔️ {ANN} challenges \u2068@dan_24\u2069!"


async def test_a_name_that_looks_like_a_username_is_a_name(bot: LiveBot, world: World, club: Club) -> None:
    eve, mallory = world.user("@dan_24"), world.user("Mallory", username="dan_24")
    for user in (eve, mallory):
        world.join(user, club.chat)
    offer = await challenged(bot, club, reply_to=world.say(eve, club.chat, "hm"))
    assert offer.text.splitlines()[0] == f"⚔️ {ANN} challenges \u2068@dan_24\u2069!"
    assert await pressed(bot, mallory, offer, "Accept") == "This challenge is for \u2068@dan_24\u2069."
    rig(bot)
    assert await pressed(bot, eve, offer, "Accept") == ""


@IN_TWO
async def test_nobody_names_themselves(bot: LiveBot, club: Club, dan: User) -> None:
    await bot.say(dan, club.chat, f"/duel{MINE} @DAN_24")
    line = "Nobody duels with themselves: /duel alone challenges anybody."
    assert club.posts[-1].text == club.plain(line)


async def test_a_press_that_is_made_up_accepts_nothing(
    bot: LiveBot, world: World, club: Club, dan: User
) -> None:
    offer = await challenged(bot, club, "@dan_24")
    deal = await bot.deal(club.cid, world.group("Den", club.cid, dan), 3, 8, 3, 8)
    data = offer.button(0)["callback_data"]
    assert await world.answer_to(world.press(dan, deal, data=data)) == "That challenge is over."
    await bot.say(club.cid, club.chat, f"/help{MINE}")
    told = await world.answer_to(world.press(dan, club.posts[-1], data=data))
    assert told == "That challenge is over."
    assert len(offer.labels) == 2


@pytest.mark.long
async def test_a_username_outlives_a_restart_and_an_upgrade(world: World, restart_bot: RestartBot) -> None:
    ann, dan = world.user("Ann"), world.user("Dan", username="dan_24")
    family = world.group("Family", ann, dan, basic=True)
    bot = await restart_bot(world)
    await bot.say(ann, family, f"/duel{MINE} @Dan_24")
    bot = await restart_bot(world)
    club = world.migrate(family)
    offer = await world.next_post(club, "@Dan_24")
    await bot.settle()
    told = await pressed(bot, ann, offer, "Accept")
    assert told == "This challenge is for \u2068@Dan_24\u2069."
    rig(bot)
    assert await pressed(bot, dan, offer, "Accept") == ""


@pytest.mark.long
@pytest.mark.parametrize("end", ["lapse", "decline", "forget"])
async def test_nothing_is_kept_of_a_username(
    bot: LiveBot, world: World, club: Club, dan: User, database: Path, end: str
) -> None:
    offer = await challenged(bot, club, "@DAN_24")
    if end == "lapse":
        club.clock.advance(301)
        await bot.run_timers()
        assert offer.text == f"⚔️ Nobody took {ANN}’s challenge in time."
    elif end == "decline":
        await pressed(bot, dan, offer, "No, thanks")
    else:
        await bot.say(dan, world.chat_of(dan), "/forgetme")
        await pressed(bot, dan, world.posts(dan)[-1], "Forget me")
        assert await pressed(bot, dan, offer, "Accept") == "This challenge is for \u2068•\u2069."
    await bot.run_timers()
    with closing(sqlite3.connect(database)) as kept:
        assert "dan_24" not in "".join(kept.iterdump()).lower()


async def test_where_both_want_a_rematch_a_username_will_do(bot: LiveBot, club: Club, dan: User) -> None:
    offer = await challenged(bot, club, "@dan_24")
    rig(bot)
    await pressed(bot, dan, offer, "Accept")
    for _, right in HANDS[:3]:
        await bot.say(club.ann, club.chat, right, reply_to=offer)
    dan.username = "dan_25"
    again = await challenged(bot, club, "@dan_25")
    assert again.text.splitlines()[0] == f"⚔️ {ANN} challenges \u2068@dan_25\u2069!"
    rig(bot)
    assert await pressed(bot, dan, offer, "Rematch") == ""
    assert score(again) == (0, 0)


# Taken back


@IN_TWO
async def test_an_open_challenge_is_taken_back_by_its_button(bot: LiveBot, club: Club) -> None:
    offer = await challenged(bot, club)
    told = await pressed(bot, club.bob, offer, club.plain("Take it back"))
    assert told == club.plain("Only the one who challenged can take it back.")
    assert await pressed(bot, club.ann, offer, club.plain("Take it back")) == ""
    assert offer.text == "⚔️ " + club.plain("{name} has taken the challenge back.", name=ANN)
    assert offer.labels == []
    assert len((await challenged(bot, club)).labels) == 2, "and another may be offered"


@pytest.mark.long
@IN_TWO
@pytest.mark.parametrize("named", ["", "@dan_24"])
async def test_stop_takes_a_challenge_back(bot: LiveBot, club: Club, named: str) -> None:
    offer = await challenged(bot, club, named)
    await bot.say(club.bob, club.chat, f"/stop{MINE}")
    assert len(offer.labels) == 2, "of others it is not"
    assert club.posts[-1].text == club.plain("No race or duel is on here. /skip gives up a hand.")
    said = await bot.say(club.ann, club.chat, f"/stop{MINE}")
    assert read_reactions(said) == "👌"
    assert offer.text == "⚔️ " + club.plain("{name} has taken the challenge back.", name=ANN)
    assert offer.labels == []


async def test_a_race_is_stopped_before_a_challenge(bot: LiveBot, club: Club) -> None:
    offer = await challenged(bot, club)
    rig(bot)
    await bot.say(club.ann, club.chat, f"/race{MINE} 3")
    race = club.posts[-1]
    await bot.say(club.ann, club.chat, f"/stop{MINE}")
    assert race.labels == ["Race again"]
    assert len(offer.labels) == 2
    await bot.say(club.ann, club.chat, f"/stop{MINE}")
    assert offer.labels == []


async def test_who_is_in_a_duel_starts_no_other(bot: LiveBot, world: World, club: Club) -> None:
    other = world.group("Other", club.ann, club.bob, club.cid)
    await begun(bot, club)
    said = world.say(club.bob, other, "hm")
    await bot.say(club.cid, other, f"/duel{MINE}", reply_to=said)
    assert world.posts(other)[-1].text == f"{BOB} is in a duel just now."
    await bot.say(club.bob, other, f"/duel{MINE}")
    assert world.posts(other)[-1].text == "You are in a duel already."
    await bot.say(club.cid, other, f"/duel{MINE}")
    offer = world.posts(other)[-1]
    assert await pressed(bot, club.bob, offer, "Accept") == "You are in a duel already."
    await bot.say(club.cid, other, f"/duel{MINE}")
    assert world.posts(other)[-1].text == "Your challenge is still open: it waits for five minutes."


async def test_the_table_may_be_taken_when_somebody_accepts(bot: LiveBot, club: Club) -> None:
    offer = await challenged(bot, club)
    deal = await bot.deal(club.cid, club.chat, 3, 8, 3, 8)
    told = await pressed(bot, club.bob, offer, "Accept")
    assert told == "A hand is on the table: 3 8 3 8 → 24"
    await bot.say(club.cid, club.chat, "8/(3-8/3)", reply_to=deal)
    rig(bot)
    assert await pressed(bot, club.bob, offer, "Accept") == ""


async def test_an_hour_has_room_for_all_of_a_duel_or_for_none(bot: LiveBot, club: Club) -> None:
    await bot.choose(club.chat, "rounds_an_hour", 4)
    refused = await challenged(bot, club)
    assert refused.text == "A duel takes up to five hands, and this hour has room for 4."
    await bot.choose(club.chat, "rounds_an_hour", 5)
    offer = await challenged(bot, club)
    rig(bot)
    assert await pressed(bot, club.bob, offer, "Accept") == ""


async def test_in_quiet_hours_nobody_duels(bot: LiveBot, club: Club) -> None:
    offer = await challenged(bot, club)
    minute = int(club.world.clock() // 60 % 1440)
    await bot.choose(club.chat, "quiet", [minute, (minute + 90) % 1440])
    told = await pressed(bot, club.bob, offer, "Accept")
    assert told.startswith("Quiet hours here until ")


# Watched


@pytest.mark.long
@IN_TWO
@pytest.mark.parametrize("privacy", [True, False])
async def test_whoever_watches_scores_nothing_and_another_hand_comes(
    bot: LiveBot, world: World, club: Club, privacy: bool
) -> None:
    duel = await begun(bot, club)
    club.clock.advance(10)
    right = await bot.say(club.cid, club.chat, HANDS[0][1], reply_to=duel)
    assert read_reactions(right) == ""
    told = club.posts[-1]
    assert told.reply_to is right
    assert told.text == club.plain(
        "Right, but this is {one} and {other}’s duel: no points.", one=ANN, other=BOB
    )
    lines = duel.text.splitlines()
    assert "2 2 6 6 → 24" in lines
    assert "1 1 2 8 → 24" not in lines
    assert score(duel) == (0, 0)
    late = await bot.say(club.bob, club.chat, HANDS[0][1], reply_to=duel)
    assert read_reactions(late) == "👏"
    mine = await bot.say(club.bob, club.chat, HANDS[1][1], reply_to=duel)
    assert read_reactions(mine) == "🏆"
    assert score(duel) == (0, 1)
    await bot.say(club.cid, club.chat, f"/leaderboard{MINE}")
    assert f"1. {BOB} — 3" in club.posts[-1].text.splitlines()
    assert f"{CID} — " not in club.posts[-1].text


@pytest.mark.long
async def test_wrong_tries_of_whoever_watches_get_no_verdict(bot: LiveBot, club: Club) -> None:
    duel = await begun(bot, club)
    before = duel.text
    for text in ("1+1+2+8", "1+1+2", "hm (", f"/a{MINE} 1+1+2+8", "2*6+2*6"):
        said = await bot.say(club.cid, club.chat, text, reply_to=None if text[0] == "/" else duel)
        assert read_reactions(said) == ""
    assert duel.text == before
    assert len(club.posts) == 1
    wrong = await bot.say(club.bob, club.chat, "1+1+2+8", reply_to=duel)
    assert read_reactions(wrong) == "👎"


@pytest.mark.parametrize("privacy", [False])
async def test_who_watches_may_think_aloud(bot: LiveBot, club: Club, privacy: bool) -> None:
    duel = await begun(bot, club)
    await bot.say(club.ann, club.chat, HANDS[0][1], reply_to=duel)
    await bot.say(club.ann, club.chat, HANDS[1][1], reply_to=duel)
    await bot.say(club.cid, club.chat, "maybe 3-8/3 helps?")
    assert "3 8 3 8 → 24" in duel.text.splitlines(), "a step is no answer"
    await bot.say(club.cid, club.chat, "ah, 8/(3-8/3)")
    assert "1 5 5 5 → 24" in duel.text.splitlines()


async def test_who_duels_may_not_look_the_hand_up(bot: LiveBot, world: World, club: Club) -> None:
    duel = await begun(bot, club)
    for _, right in HANDS[:2]:
        await bot.say(club.ann, club.chat, right, reply_to=duel)
    await bot.say(club.bob, world.chat_of(club.bob), "/solve 3 8 3 8")
    assert world.posts(club.bob)[-1].text == "That hand is on the table in a chat where you play: no peeking!"


# Hands that nobody finds


@pytest.mark.long
@IN_TWO
async def test_a_hand_that_nobody_finds_counts_for_nobody(bot: LiveBot, club: Club) -> None:
    duel = await begun(bot, club)
    for n, (_, right) in enumerate(HANDS):
        if n == 2:
            await bot.say(club.bob, club.chat, "8+8+3+3", reply_to=duel)
            club.clock.advance(63)
            await bot.run_timers()
            assert score(duel) == (1, 1)
        else:
            winner = club.ann if n in (0, 4) else club.bob
            await bot.say(winner, club.chat, right, reply_to=duel)
    lines = duel.text.splitlines()
    draw = club.plain("{name} and {other} part in a draw, {score}.", name=ANN, other=BOB, score="2:2")
    assert lines[0] == f"⚔️ {draw}"
    assert lines[4] == "#3 — 8/(3-8/3) = 24"
    assert len(lines) == 9, "two earned something"
    assert all(line.startswith("🏅") for line in lines[7:])


@pytest.mark.long
async def test_a_duel_that_is_left_alone_ends_as_it_stands(bot: LiveBot, club: Club) -> None:
    duel = await begun(bot, club)
    await bot.say(club.bob, club.chat, HANDS[0][1], reply_to=duel)
    for _ in range(400):
        club.clock.advance(1)
        await bot.timers.run_all()
        await bot.service.outbox.wait_until_idle()
    lines = duel.text.splitlines()
    assert lines[:2] == [
        f"⚔️ {BOB} wins the duel against {ANN}, 1:0!",
        "Nobody tried the last 3 hands.",
    ]
    assert sum(line.startswith("#") for line in lines) == 4
    assert len(club.posts) == 1


@IN_TWO
async def test_a_hand_is_given_up_when_both_want_that(bot: LiveBot, club: Club) -> None:
    duel = await begun(bot, club)
    told = await pressed(bot, club.cid, duel, duel.labels[-1])
    assert told == club.plain("Only the two who duel can give this hand up. /stop votes to end the duel.")
    await pressed(bot, club.ann, duel, duel.labels[-1])
    assert "1 1 2 8 → 24" in duel.text.splitlines()
    await pressed(bot, club.bob, duel, duel.labels[-1])
    assert "2 2 6 6 → 24" in duel.text.splitlines()
    assert score(duel) == (0, 0)


async def test_there_are_no_hints(bot: LiveBot, club: Club) -> None:
    duel = await begun(bot, club)
    assert len(duel.labels) == 1
    await bot.say(club.bob, club.chat, f"/hint{MINE}")
    assert "💡" not in duel.text
    assert club.posts[-1].text == "A duel is played without hints."


# Again


async def test_a_rematch_has_to_be_accepted_by_the_other(bot: LiveBot, club: Club) -> None:
    duel = await begun(bot, club)
    for _, right in HANDS[:3]:
        await bot.say(club.ann, club.chat, right, reply_to=duel)
    told = await pressed(bot, club.cid, duel, "Rematch")
    assert told == "Only the two who duelled can ask for a rematch."
    assert await pressed(bot, club.bob, duel, "Rematch") == ""
    again = club.posts[-1]
    assert again.text.splitlines()[0] == f"⚔️ {BOB} challenges {ANN}!"
    told = await pressed(bot, club.bob, duel, "Rematch")
    assert told == "Your challenge is still open: it waits for five minutes."
    rig(bot)
    assert await pressed(bot, club.ann, duel, "Rematch") == "", "both want one: that is a rematch"
    assert score(again) == (0, 0)
    assert again.text.splitlines()[0].startswith(f"⚔️ {BOB}")
    assert len(club.posts) == 2


async def test_both_ask_for_a_rematch_in_the_same_second(bot: LiveBot, world: World, club: Club) -> None:
    duel = await begun(bot, club)
    for _, right in HANDS[:3]:
        await bot.say(club.ann, club.chat, right, reply_to=duel)
    before, held = len(club.posts), asyncio.Event()
    world.faults.add("sendMessage", held=held)  # so the first challenge is not there yet
    presses = [world.press(user, duel, "Rematch") for user in (club.ann, club.bob)]
    told = [await world.answer_to(press) for press in presses]
    held.set()
    await bot.settle()
    assert len(club.posts) == before + 1
    assert told == ["", f"{ANN} has just challenged you. Accept that!"]


# What may become of its message


async def test_where_talk_has_buried_it_the_duel_goes_on_below(bot: LiveBot, club: Club) -> None:
    duel = await begun(bot, club)
    for n in range(25):
        club.world.say(club.cid, club.chat, f"so much to say ({n})")
    await bot.say(club.ann, club.chat, HANDS[0][1], reply_to=duel)
    below = club.posts[-1]
    assert below is not duel
    assert duel.text == "⚔️ The duel goes on below. ⬇️"
    assert duel.labels == []
    assert score(below) == (1, 0)
    assert "2 2 6 6 → 24" in below.text.splitlines()


async def test_a_duel_stays_in_its_topic(bot: LiveBot, world: World, club: Club) -> None:
    forum = world.group("Forum", club.ann, club.bob, forum=True)
    maths, chess = world.topic(forum, "Maths", club.ann), world.topic(forum, "Chess", club.ann)
    world.say(club.ann, forum, f"/duel{MINE}", topic=maths)
    await bot.settle()
    duel = world.posts(forum)[-1]
    assert duel.text.splitlines()[0] == f"⚔️ {ANN} challenges whoever dares!"
    rig(bot)
    await pressed(bot, club.bob, duel, "Accept")
    assert duel.topic is maths
    bot.rig(3, 8, 3, 8)
    world.say(club.ann, forum, f"/play{MINE}", topic=chess)
    other = await world.next_post(forum, "3 8 3 8 → 24")
    await bot.settle()
    assert other.topic is chess
    await bot.say(club.ann, forum, HANDS[0][1], reply_to=duel)
    assert score(duel) == (1, 0)


async def test_a_deleted_message_of_a_duel_comes_again(bot: LiveBot, world: World, club: Club) -> None:
    duel = await begun(bot, club)
    world.delete(duel)
    await bot.say(club.ann, club.chat, f"/a{MINE} {HANDS[0][1]}")
    below = club.posts[-1]
    assert below is not duel
    assert score(below) == (1, 0)
    assert "2 2 6 6 → 24" in below.text.splitlines()


async def test_a_group_that_becomes_a_supergroup_takes_its_duel_along(bot: LiveBot, world: World) -> None:
    ann, bob = world.user("Ann"), world.user("Bob")
    family = world.group("Family", ann, bob, basic=True)
    await bot.say(ann, family, f"/duel{MINE}")
    club = world.migrate(family)
    await world.next_post(club, "whoever dares")
    await bot.settle()
    (offer,) = world.posts(club)  # both chats have told of it
    rig(bot)
    assert await pressed(bot, bob, offer, "Accept") == ""
    assert score(offer) == (0, 0)
    assert "1 1 2 8 → 24" in offer.text.splitlines()


async def test_a_challenge_that_could_not_be_posted_before_comes_once(bot: LiveBot, world: World) -> None:
    ann, bob = world.user("Ann"), world.user("Bob")
    family = world.group("Family", ann, bob, basic=True)
    world.faults.add("sendMessage", chat=family.id, status=500)
    world.say(ann, family, f"/duel{MINE}")
    await world.wait_until(lambda: world.calls("sendMessage"))
    club = world.migrate(family)
    world.faults.clear()
    await world.next_post(club, "whoever dares")
    await bot.settle()
    assert len(world.posts(club)) == 1


async def test_it_does_so_in_the_midst_of_the_duel(bot: LiveBot, world: World) -> None:
    ann, bob = world.user("Ann"), world.user("Bob")
    family = world.group("Family", ann, bob, basic=True)
    await bot.say(ann, family, f"/duel{MINE}")
    offer = world.posts(family)[-1]
    rig(bot)
    await pressed(bot, bob, offer, "Accept")
    await bot.say(bob, family, HANDS[0][1], reply_to=offer)
    club = world.migrate(family)
    duel = await world.next_post(club, "2 2 6 6 → 24")
    await bot.settle()
    assert score(duel) == (0, 1)
    for _, right in HANDS[1:3]:
        await bot.say(bob, club, right, reply_to=duel)
    assert duel.text.splitlines()[0] == f"⚔️ {BOB} wins the duel against {ANN}, 3:0!"


async def test_nothing_is_kept_of_who_is_challenged_and_never_plays(
    bot: LiveBot, world: World, club: Club
) -> None:
    said = world.say(club.bob, club.chat, "who plays?")
    await challenged(bot, club, reply_to=said)
    club.clock.advance(301)
    await bot.run_timers()
    for user in (club.bob, club.ann):
        await bot.say(user, world.chat_of(user), "/export")
    assert [any(json.loads(file).values()) for file in world.documents] == [False, False]


async def test_whoever_is_forgotten_duels_no_more(bot: LiveBot, world: World, club: Club) -> None:
    duel = await begun(bot, club)
    await bot.say(club.bob, club.chat, HANDS[0][1], reply_to=duel)
    await bot.say(club.bob, world.chat_of(club.bob), "/forgetme")
    page = world.posts(club.bob)[-1]
    await pressed(bot, club.bob, page, "Forget me")
    for _, right in HANDS[1:4]:
        await bot.say(club.ann, club.chat, right, reply_to=duel)
    assert duel.text.splitlines()[0] == f"⚔️ {ANN} wins the duel against \u2068•\u2069, 3:1!"
    assert await pressed(bot, club.ann, duel, "Rematch") == "That button is out of date."


async def test_the_challenge_of_whoever_is_forgotten_is_over(bot: LiveBot, world: World, club: Club) -> None:
    offer = await challenged(bot, club)
    await bot.say(club.ann, world.chat_of(club.ann), "/forgetme")
    await pressed(bot, club.ann, world.posts(club.ann)[-1], "Forget me")
    assert await pressed(bot, club.bob, offer, "Accept") == "That challenge is over."
    club.clock.advance(301)
    await bot.run_timers()
    assert offer.text == "⚔️ Nobody took \u2068•\u2069’s challenge in time."


@pytest.mark.parametrize("data", ["da:1", "dn:1", "da:0", "da:x", "da:999999999999999999999", "dr:1", "d:1"])
async def test_made_up_buttons_do_nothing(bot: LiveBot, world: World, club: Club, data: str) -> None:
    deal = await bot.deal(club.ann, club.chat, 3, 8, 3, 8)
    told = await world.answer_to(world.press(club.bob, deal, data=data))
    await bot.settle()
    assert told in {"That challenge is over.", "That button is out of date."}
    assert len(club.posts) == 1
