"""Duels: two players, the same hands, best of five, in one message."""

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
from tests.stories.test_practice import find_solution
from tests.telegram import Chat, Message, User, World

MENTION = "@TwentyFourTestBot"
IN_TWO_LANGUAGES = pytest.mark.parametrize("language", ["en", "ru"])
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
    """A group of Ann (its owner), Bob, Cid and the bot."""

    world: World
    clock: Clock
    ann: User
    bob: User
    cid: User
    chat: Chat
    language: str

    def translate(self, sentence: str, **parts: object) -> str:
        """Translate a sentence into the club's language."""
        return get_words(choose_language(self.language)).translate_plain(sentence, **parts)

    @property
    def posts(self) -> list[Message]:
        """The bot's messages that are not deleted."""
        return self.world.posts(self.chat)


@pytest.fixture
def language() -> str | None:
    return "en"


@pytest.fixture
def club(world: World, clock: Clock, ann: User, bob: User, language: str) -> Club:
    cid = world.user("Cid", language_code=language)
    return Club(world, clock, ann, bob, cid, world.group("Club", ann, bob, cid), language)


def rig_hands(bot: LiveBot, hands: int = 5) -> None:
    """Let the next deals be the first of `HANDS`."""
    for numbers, _ in HANDS[:hands]:
        bot.rig(*numbers)


async def press_button(bot: LiveBot, user: User, message: Message, button: str) -> str:
    """Press a button and return the alert that the user gets."""
    alert = await bot.world.answer_to(bot.world.press(user, message, button))
    await bot.settle()
    return alert


async def send_challenge(
    bot: LiveBot, club: Club, text: str = "", reply_to: Message | None = None
) -> Message:
    """Let Ann send /duel and return the bot's message."""
    await bot.say(club.ann, club.chat, f"/duel{MENTION} {text}".rstrip(), reply_to=reply_to)
    return club.posts[-1]


async def start_duel(bot: LiveBot, club: Club) -> Message:
    """Let Ann challenge Bob and Bob accept; return the message of the duel."""
    message = club.world.say(club.bob, club.chat, "who plays?")
    offer = await send_challenge(bot, club, reply_to=message)
    rig_hands(bot)
    assert await press_button(bot, club.bob, offer, club.translate("Accept")) == ""
    return offer


def read_score(duel: Message) -> tuple[int, int]:
    """Return the score in the first line of a duel's message."""
    first = duel.text.splitlines()[0]
    left, _, right = first.partition(" : ")
    return int(left.split()[-1]), int(right.split()[0])


@IN_TWO_LANGUAGES
async def test_duel_is_played_in_one_message(bot: LiveBot, club: Club) -> None:
    message = club.world.say(club.bob, club.chat, "who plays?")
    duel = await send_challenge(bot, club, reply_to=message)
    assert duel.labels == [club.translate("Accept"), club.translate("No, thanks")]
    assert duel.text.splitlines()[0] == "⚔️ " + club.translate(
        "{name} challenges {other}!", name=ANN, other=BOB
    )
    rig_hands(bot)
    assert await press_button(bot, club.bob, duel, club.translate("Accept")) == ""
    assert read_time_left(duel) == 1
    for number, (winner, (numbers, right)) in enumerate(
        zip((club.bob, club.ann, club.ann, club.ann), HANDS, strict=False)
    ):
        assert f"{' '.join(map(str, numbers))} → 24" in duel.text.splitlines()
        assert read_score(duel) == (max(0, number - 1), min(1, number))
        hand = club.translate("Hand {number} of {length}", number=number + 1, length=5)
        assert duel.text.splitlines()[0].endswith(f" · {hand}")
        club.clock.advance(7)
        answer = await bot.say(winner, club.chat, right, reply_to=duel)
        assert read_reactions(answer) == "🏆"
    lines = duel.text.splitlines()
    assert lines[:2] == [
        "⚔️ "
        + club.translate("{name} wins the duel against {other}, {score}!", name=ANN, other=BOB, score="3:1"),
        "",
    ]
    assert lines.pop().startswith(f"🏅 {ANN}: "), "the first fiendish hand"
    words = get_words(choose_language(club.language))
    seconds = words.translate("{n} s", n=7)
    one, five = (words.translate_plural("{n} point", "{n} points", n) for n in (1, 5))
    first = words.translate("{points} (🌅 one more in the leaderboard)", points=f"+{one}")
    assert lines[2:] == [
        f"#1 🏆 {BOB}: 1×8×(1+2) = 24 · {seconds} · {first}",
        f"#2 🏆 {ANN}: 2×6+2×6 = 24 · {seconds} · +{one}",
        f"#3 🏆 {ANN}: 8÷(3−8÷3) = 24 · {seconds} · +{five}",
        f"#4 🏆 {ANN}: 5×(5−1÷5) = 24 · {seconds} · +{five}",
    ]
    assert duel.labels == [club.translate("Rematch"), club.translate("Review")]
    assert len(club.posts) == 1


async def test_open_hand_is_given_up_for_a_duel(bot: LiveBot, club: Club) -> None:
    deal = await bot.deal(club.ann, club.chat, 3, 8, 3, 8)
    said = await bot.say(club.bob, club.chat, "8+8+3+3", reply_to=deal)
    await bot.say(club.cid, club.chat, f"/duel{MENTION}", reply_to=said)
    alert = await press_button(bot, club.cid, deal, "Give up and duel")
    assert alert == "1 of 2 agree: 1 more needed."
    assert club.posts == [deal]
    await press_button(bot, club.ann, deal, "Give up and duel")
    assert "Given up." in deal.text.splitlines()
    assert "Give up and duel" not in deal.labels
    duel = club.posts[-1]
    assert duel.text.splitlines()[0] == f"⚔️ {CID} challenges {BOB}!"
    rig_hands(bot)
    await press_button(bot, club.bob, duel, "Accept")
    assert "1 1 2 8 → 24" in duel.text.splitlines()


async def test_duel_for_a_hand_that_is_solved_is_forgotten(bot: LiveBot, club: Club) -> None:
    deal = await bot.deal(club.ann, club.chat, 3, 8, 3, 8)
    await bot.say(club.bob, club.chat, f"/duel{MENTION}")
    await bot.say(club.ann, club.chat, "8/(3-8/3)", reply_to=deal)
    assert "Give up and duel" not in deal.labels
    assert club.posts == [deal]
    await bot.say(club.bob, club.chat, f"/duel{MENTION}")
    assert club.posts[-1].text.splitlines()[0] == f"⚔️ {BOB} challenges whoever dares!"


async def test_duel_points_count_on_the_leaderboard(bot: LiveBot, club: Club) -> None:
    duel = await start_duel(bot, club)
    for _, right in HANDS[:3]:
        await bot.say(club.bob, club.chat, right, reply_to=duel)
    await bot.say(club.ann, club.chat, f"/leaderboard{MENTION}")
    assert f"1. {BOB} — 8" in club.posts[-1].text.splitlines()


@IN_TWO_LANGUAGES
async def test_challenge_and_duel_survive_restarts(world: World, restart_bot: RestartBot, club: Club) -> None:
    bot = await restart_bot(world)
    message = world.say(club.bob, club.chat, "who plays?")
    duel = await send_challenge(bot, club, reply_to=message)
    bot = await restart_bot(world)
    rig_hands(bot)
    assert await press_button(bot, club.bob, duel, club.translate("Accept")) == ""
    for _, right in HANDS[:3]:
        bot = await restart_bot(world)
        await bot.say(club.ann, club.chat, right, reply_to=duel)
    assert duel.text.splitlines()[0] == "⚔️ " + club.translate(
        "{name} wins the duel against {other}, {score}!", name=ANN, other=BOB, score="3:0"
    )
    bot = await restart_bot(world)
    await press_button(bot, club.bob, duel, club.translate("Rematch"))
    again = club.posts[-1]
    bot = await restart_bot(world)
    rig_hands(bot)
    assert await press_button(bot, club.ann, again, club.translate("Accept")) == ""
    assert read_score(again) == (0, 0)
    assert "1 1 2 8 → 24" in again.text.splitlines()


@pytest.mark.long
@IN_TWO_LANGUAGES
async def test_challenge_expires_after_five_minutes_despite_a_restart(
    world: World, restart_bot: RestartBot, club: Club
) -> None:
    bot = await restart_bot(world)
    message = world.say(club.bob, club.chat, "who plays?")
    offer = await send_challenge(bot, club, reply_to=message)
    club.clock.advance(299)
    await bot.run_timers()
    assert len(offer.labels) == 2
    bot = await restart_bot(world)
    club.clock.advance(3)
    await bot.run_timers()
    assert offer.text == "⚔️ " + club.translate("Nobody took {name}’s challenge in time.", name=ANN)
    assert offer.labels == []
    await send_challenge(bot, club)
    assert len(club.posts) == 2, "another challenge may be sent"


@IN_TWO_LANGUAGES
@pytest.mark.parametrize("named_by", ["reply", "username"])
@pytest.mark.parametrize("decliner", ["bob", "ann"])
async def test_challenge_is_declined_or_withdrawn(
    bot: LiveBot, club: Club, named_by: str, decliner: str
) -> None:
    if named_by == "reply":
        offer = await send_challenge(bot, club, reply_to=club.world.say(club.bob, club.chat, "who plays?"))
        name = BOB
    else:
        club.bob.username = "bob_24"
        offer = await send_challenge(bot, club, "@bob_24")
        name = "\u2068@bob_24\u2069"
    alert = await press_button(bot, club.cid, offer, club.translate("No, thanks"))
    assert alert == club.translate("This challenge is for {name}.", name=name)
    assert await press_button(bot, getattr(club, decliner), offer, club.translate("No, thanks")) == ""
    declined = club.translate("{name} would rather not duel just now.", name=name)
    withdrawn = club.translate("{name} has withdrawn the challenge.", name=ANN)
    assert offer.text == "⚔️ " + (declined if decliner == "bob" else withdrawn)
    assert offer.labels == []


@IN_TWO_LANGUAGES
async def test_open_challenge_is_accepted_by_anybody_else(bot: LiveBot, club: Club) -> None:
    offer = await send_challenge(bot, club)
    assert offer.text.splitlines()[0] == "⚔️ " + club.translate("{name} challenges whoever dares!", name=ANN)
    assert offer.labels == [club.translate("Accept"), club.translate("Withdraw the challenge")]
    alert = await press_button(bot, club.ann, offer, club.translate("Accept"))
    assert alert == club.translate("Somebody else has to accept your challenge.")
    rig_hands(bot)
    rig_hands(bot)
    for user in (club.cid, club.bob):
        club.world.press(user, offer, club.translate("Accept"))
    await bot.settle()
    answers = [press.answer_text for press in club.world.answered[-2:]]
    assert answers == ["", club.translate("That challenge is over.")]
    assert CID in offer.text.splitlines()[0]
    assert BOB not in offer.text


@IN_TWO_LANGUAGES
async def test_duel_button_challenges_the_winner_of_a_hand(bot: LiveBot, club: Club) -> None:
    deal = await bot.deal(club.ann, club.chat, 3, 8, 3, 8)
    await bot.say(club.bob, club.chat, "8/(3-8/3)", reply_to=deal)
    assert deal.labels == [club.translate("Next hand"), club.translate("Duel")]
    assert await press_button(bot, club.cid, deal, club.translate("Duel")) == ""
    offer = club.posts[-1]
    assert offer.text.splitlines()[0] == "⚔️ " + club.translate(
        "{name} challenges {other}!", name=CID, other=BOB
    )
    assert await press_button(bot, club.bob, offer, club.translate("No, thanks")) == ""
    assert await press_button(bot, club.bob, deal, club.translate("Duel")) == ""
    assert club.posts[-1].text.splitlines()[0] == "⚔️ " + club.translate(
        "{name} challenges whoever dares!", name=BOB
    )


async def test_duel_button_keeps_the_level_of_the_hand(bot: LiveBot, club: Club) -> None:
    bot.rig(3, 8, 3, 8)
    await bot.say(club.ann, club.chat, f"/play{MENTION} fiendish")
    deal = club.posts[-1]
    await bot.say(club.bob, club.chat, "8/(3-8/3)", reply_to=deal)
    await press_button(bot, club.cid, deal, "Duel")
    rig_hands(bot)
    await press_button(bot, club.bob, club.posts[-1], "Accept")
    assert bot.solving.recipes == [("draw_hand", 4, 13, 24, "fiendish")] * 11


@pytest.mark.long
@pytest.mark.parametrize("state", ["open", "given up", "private", "all", "race"])
async def test_duel_button_needs_a_winner_in_a_group(
    bot: LiveBot, world: World, club: Club, state: str
) -> None:
    place = world.chat_of(club.ann) if state == "private" else club.chat
    bot.rig(1, 1, 2, 8)
    bot.rig(2, 2, 6, 6)
    asked = {"race": "/race 2", "all": "/play all"}.get(state, "/play")
    await bot.say(club.ann, place, asked.replace(" ", f"{MENTION} ") if place is club.chat else asked)
    deal = world.posts(place)[-1]
    if state == "given up":
        await bot.say(club.ann, place, f"/skip{MENTION}")
    elif state != "open":
        for right in ("1*8*(1+2)", "2*6+2*6"):
            await bot.say(club.ann, place, right, reply_to=deal)
    assert "Duel" not in deal.labels


async def test_challenge_may_name_a_level(bot: LiveBot, club: Club) -> None:
    club.bob.username = "bob_24"
    await bot.say(club.bob, club.chat, f"/skip{MENTION}")  # this stores nothing about him
    deal = await bot.deal(club.bob, club.chat, 3, 8, 3, 8)
    await bot.say(club.bob, club.chat, "8/(3-8/3)", reply_to=deal)
    offer = await send_challenge(bot, club, "@bob_24 hard")
    assert offer.text.splitlines()[-1] == "hard"
    bot.solving.recipes.clear()
    rig_hands(bot)
    await press_button(bot, club.bob, offer, "Accept")
    assert bot.solving.recipes == [("draw_hand", 4, 13, 24, "hard")] * 10


async def test_challenge_names_a_player_of_the_group(bot: LiveBot, world: World, club: Club) -> None:
    deal = await bot.deal(club.bob, club.chat, 3, 8, 3, 8)
    await bot.say(club.bob, club.chat, "8/(3-8/3)", reply_to=deal)
    offer = await send_challenge(bot, club, "bob hard")
    assert offer.text.splitlines()[0] == f"⚔️ {ANN} challenges {BOB}!"
    assert offer.text.splitlines()[-1] == "hard"
    twin = world.user("Bob")
    world.join(twin, club.chat)
    await press_button(bot, club.bob, offer, "No, thanks")
    deal = await bot.deal(club.bob, club.chat, 1, 1, 2, 8)
    await bot.say(twin, club.chat, "1*8*(1+2)", reply_to=deal)
    club.clock.advance(121)  # later than notes stand below an ended hand
    refused = await send_challenge(bot, club, "Bob")
    several = f"Several people here are called {BOB}. Reply with /duel to one of their messages."
    assert refused.text == several


async def test_text_mention_challenges_a_user_without_username(bot: LiveBot, club: Club) -> None:
    text = f"/duel{MENTION} Bob hard"
    message = club.world.say(club.ann, club.chat, text, hear=False)
    named = {"type": "text_mention", "offset": text.index("Bob"), "length": 3, "user": club.bob.json()}
    message.entities.append(named)
    club.world.publish("message", message.json(), club.chat.id)
    await bot.settle()
    assert club.posts[-1].text.splitlines()[0] == f"⚔️ {ANN} challenges {BOB}!"
    assert club.posts[-1].text.splitlines()[-1] == "hard"


@pytest.mark.long
@IN_TWO_LANGUAGES
async def test_impossible_challenge_is_refused_with_a_reason(bot: LiveBot, world: World, club: Club) -> None:
    deal = await bot.deal(club.bob, club.chat, 3, 8, 3, 8)
    club.bob.username = "bob_24"
    message = world.say(club.ann, club.chat, "I am here")
    taken = await send_challenge(bot, club, reply_to=None)
    assert "3 8 3 8 → 24" in taken.text
    await bot.say(club.bob, club.chat, "8/(3-8/3)", reply_to=deal)
    for text, replied, line in (
        ("", message, club.translate("Nobody duels with themselves: /duel alone challenges anybody.")),
        ("", deal, club.translate("Only people duel. Reply to somebody else with /duel.")),
        (MENTION, None, club.translate("Only people duel. Reply to somebody else with /duel.")),
        (
            "@bob_24 5",
            None,
            club.translate(
                "“{fragment}”? Challenge somebody by name, /duel Ann, or reply to their message with /duel."
                " A level or a game may follow: /duel Ann {hard}, /duel Ann {game}",
                fragment="5",
                hard=club.translate("hard"),
                game="countdown",
            ),
        ),
    ):
        club.clock.advance(121)  # later than notes stand below an ended hand
        refused = await send_challenge(bot, club, text, reply_to=replied)
        assert refused.text == line
        assert refused.labels == []
    await bot.say(club.ann, world.chat_of(club.ann), "/duel @bob_24")
    assert world.posts(club.ann)[-1].text == club.translate("A duel takes two: write /duel in a group.")


async def test_player_outside_the_group_cannot_be_challenged(bot: LiveBot, world: World, club: Club) -> None:
    dan = world.user("Dan", username="dan_24")
    other = world.group("Other", dan)
    deal = await bot.deal(dan, other, 3, 8, 3, 8)
    await bot.say(dan, other, "8/(3-8/3)", reply_to=deal)
    refused = await send_challenge(bot, club, "@dan_24")
    assert refused.text == "@dan_24 is not in this group."
    world.join(dan, club.chat)
    world.mute(dan, club.chat)
    world.leave(dan, club.chat)
    assert (await send_challenge(bot, club, "@dan_24")).text == refused.text
    world.join(dan, club.chat)
    offer = await send_challenge(bot, club, "@dan_24")
    assert offer.text.splitlines()[0] == f"⚔️ {ANN} challenges \u2068Dan\u2069!"


# Challenges by username


@pytest.fixture
def dan(world: World, club: Club, language: str) -> User:
    """A member of the club who has never played."""
    dan = world.user("Dan", username="Dan_24", language_code=language)
    world.join(dan, club.chat)
    return dan


@pytest.mark.long
@IN_TWO_LANGUAGES
async def test_username_challenge_reaches_a_new_player(bot: LiveBot, club: Club, dan: User) -> None:
    offer = await send_challenge(bot, club, "@dAN_24 hard")
    shown = "\u2068@dAN_24\u2069"
    assert offer.text.splitlines()[0] == "⚔️ " + club.translate(
        "{name} challenges {other}!", name=ANN, other=shown
    )
    assert offer.labels == [club.translate("Accept"), club.translate("No, thanks")]
    for decliner, button in ((club.bob, "Accept"), (club.ann, "Accept"), (club.bob, "No, thanks")):
        alert = await press_button(bot, decliner, offer, club.translate(button))
        assert alert == club.translate("This challenge is for {name}.", name=shown)
    rig_hands(bot)
    assert await press_button(bot, dan, offer, club.translate("Accept")) == ""
    assert "\u2068Dan\u2069" in offer.text.splitlines()[0]
    for _, right in HANDS[:3]:
        await bot.say(dan, club.chat, right, reply_to=offer)
    await press_button(bot, club.ann, offer, club.translate("Rematch"))
    assert club.posts[-1].text.splitlines()[0] == "⚔️ " + club.translate(
        "{name} challenges {other}!", name=ANN, other="\u2068Dan\u2069"
    )


async def test_username_challenge_is_for_its_owner_at_the_press(bot: LiveBot, club: Club, dan: User) -> None:
    offer = await send_challenge(bot, club, "@dan_24")
    dan.username, club.bob.username = None, "dan_24"
    assert await press_button(bot, dan, offer, "Accept") == "This challenge is for \u2068@dan_24\u2069."
    rig_hands(bot)
    assert await press_button(bot, club.bob, offer, "Accept") == ""
    assert BOB in offer.text.splitlines()[0]


async def test_username_challenge_ignores_a_former_owner(bot: LiveBot, club: Club, dan: User) -> None:
    deal = await bot.deal(dan, club.chat, 3, 8, 3, 8)
    await bot.say(dan, club.chat, "8/(3-8/3)", reply_to=deal)
    dan.username, club.bob.username = "dan_25", "dan_24"
    offer = await send_challenge(bot, club, "@dan_24")
    assert offer.text.splitlines()[0] == f"⚔️ {ANN} challenges \u2068@dan_24\u2069!"
    assert await press_button(bot, dan, offer, "Accept") == "This challenge is for \u2068@dan_24\u2069."
    rig_hands(bot)
    assert await press_button(bot, club.bob, offer, "Accept") == ""


async def test_username_challenge_is_posted_if_membership_is_unknown(
    bot: LiveBot, world: World, club: Club, dan: User
) -> None:
    other = world.group("Other", dan)
    deal = await bot.deal(dan, other, 3, 8, 3, 8)
    await bot.say(dan, other, "8/(3-8/3)", reply_to=deal)
    world.faults.add("getChatMember", status=400)
    offer = await send_challenge(bot, club, "@dan_24")
    assert offer.text.splitlines()[0] == f"⚔️ {ANN} challenges \u2068@dan_24\u2069!"


async def test_first_name_like_a_username_is_only_a_name(bot: LiveBot, world: World, club: Club) -> None:
    eve, mallory = world.user("@dan_24"), world.user("Mallory", username="dan_24")
    for user in (eve, mallory):
        world.join(user, club.chat)
    offer = await send_challenge(bot, club, reply_to=world.say(eve, club.chat, "hm"))
    assert offer.text.splitlines()[0] == f"⚔️ {ANN} challenges \u2068@dan_24\u2069!"
    assert await press_button(bot, mallory, offer, "Accept") == "This challenge is for \u2068@dan_24\u2069."
    rig_hands(bot)
    assert await press_button(bot, eve, offer, "Accept") == ""


@IN_TWO_LANGUAGES
async def test_username_challenge_to_oneself_is_refused(bot: LiveBot, club: Club, dan: User) -> None:
    await bot.say(dan, club.chat, f"/duel{MENTION} @DAN_24")
    line = "Nobody duels with themselves: /duel alone challenges anybody."
    assert club.posts[-1].text == club.translate(line)


async def test_forged_accept_from_another_message_is_refused(
    bot: LiveBot, world: World, club: Club, dan: User
) -> None:
    offer = await send_challenge(bot, club, "@dan_24")
    deal = await bot.deal(club.cid, world.group("Den", club.cid, dan), 3, 8, 3, 8)
    data = offer.button(0)["callback_data"]
    assert await world.answer_to(world.press(dan, deal, data=data)) == "That challenge is over."
    await bot.say(club.cid, club.chat, f"/help{MENTION}")
    alert = await world.answer_to(world.press(dan, club.posts[-1], data=data))
    assert alert == "That challenge is over."
    assert len(offer.labels) == 2


@pytest.mark.long
async def test_username_challenge_survives_restart_and_migration(
    world: World, restart_bot: RestartBot
) -> None:
    ann, dan = world.user("Ann"), world.user("Dan", username="dan_24")
    family = world.group("Family", ann, dan, basic=True)
    bot = await restart_bot(world)
    await bot.say(ann, family, f"/duel{MENTION} @Dan_24")
    bot = await restart_bot(world)
    club = world.migrate(family)
    offer = await world.next_post(club, "@Dan_24")
    await bot.settle()
    alert = await press_button(bot, ann, offer, "Accept")
    assert alert == "This challenge is for \u2068@Dan_24\u2069."
    rig_hands(bot)
    assert await press_button(bot, dan, offer, "Accept") == ""


@pytest.mark.long
@pytest.mark.parametrize("end", ["lapse", "decline", "forget"])
async def test_challenged_username_is_not_kept(
    bot: LiveBot, world: World, club: Club, dan: User, database: Path, end: str
) -> None:
    offer = await send_challenge(bot, club, "@DAN_24")
    if end == "lapse":
        club.clock.advance(301)
        await bot.run_timers()
        assert offer.text == f"⚔️ Nobody took {ANN}’s challenge in time."
    elif end == "decline":
        await press_button(bot, dan, offer, "No, thanks")
    else:
        await bot.say(dan, world.chat_of(dan), "/forgetme")
        await press_button(bot, dan, world.posts(dan)[-1], "Forget me")
        assert await press_button(bot, dan, offer, "Accept") == "This challenge is for \u2068•\u2069."
    await bot.run_timers()
    with closing(sqlite3.connect(database)) as connection:
        assert "dan_24" not in "".join(connection.iterdump()).lower()


async def test_rematch_button_accepts_a_username_challenge(bot: LiveBot, club: Club, dan: User) -> None:
    offer = await send_challenge(bot, club, "@dan_24")
    rig_hands(bot)
    await press_button(bot, dan, offer, "Accept")
    for _, right in HANDS[:3]:
        await bot.say(club.ann, club.chat, right, reply_to=offer)
    dan.username = "dan_25"
    again = await send_challenge(bot, club, "@dan_25")
    assert again.text.splitlines()[0] == f"⚔️ {ANN} challenges \u2068@dan_25\u2069!"
    rig_hands(bot)
    assert await press_button(bot, dan, offer, "Rematch") == ""
    assert read_score(again) == (0, 0)


# Withdrawn challenges


@IN_TWO_LANGUAGES
async def test_open_challenge_is_withdrawn_by_its_button(bot: LiveBot, club: Club) -> None:
    offer = await send_challenge(bot, club)
    alert = await press_button(bot, club.bob, offer, club.translate("Withdraw the challenge"))
    assert alert == club.translate("Only the one who challenged can withdraw it.")
    assert await press_button(bot, club.ann, offer, club.translate("Withdraw the challenge")) == ""
    assert offer.text == "⚔️ " + club.translate("{name} has withdrawn the challenge.", name=ANN)
    assert offer.labels == []
    assert len((await send_challenge(bot, club)).labels) == 2, "another challenge may be sent"


@pytest.mark.long
@IN_TWO_LANGUAGES
@pytest.mark.parametrize("named", ["", "@dan_24"])
async def test_stop_withdraws_a_challenge(bot: LiveBot, club: Club, named: str) -> None:
    offer = await send_challenge(bot, club, named)
    await bot.say(club.bob, club.chat, f"/stop{MENTION}")
    assert len(offer.labels) == 2, "Bob cannot withdraw it"
    assert club.posts[-1].text == club.translate("No race, duel or run is on here.")
    message = await bot.say(club.ann, club.chat, f"/stop{MENTION}")
    assert read_reactions(message) == "👌"
    assert offer.text == "⚔️ " + club.translate("{name} has withdrawn the challenge.", name=ANN)
    assert offer.labels == []


async def test_stop_ends_a_race_before_a_challenge(bot: LiveBot, club: Club) -> None:
    offer = await send_challenge(bot, club)
    rig_hands(bot)
    await bot.say(club.ann, club.chat, f"/race{MENTION} 3")
    race = club.posts[-1]
    await bot.say(club.ann, club.chat, f"/stop{MENTION}")
    assert race.labels == ["Race again", "Review"]
    assert len(offer.labels) == 2
    await bot.say(club.ann, club.chat, f"/stop{MENTION}")
    assert offer.labels == []


async def test_player_in_a_duel_cannot_start_another(bot: LiveBot, world: World, club: Club) -> None:
    other = world.group("Other", club.ann, club.bob, club.cid)
    await start_duel(bot, club)
    message = world.say(club.bob, other, "hm")
    await bot.say(club.cid, other, f"/duel{MENTION}", reply_to=message)
    assert world.posts(other)[-1].text == f"{BOB} is in a duel just now."
    await bot.say(club.cid, other, f"/duel{MENTION}")
    offer = world.posts(other)[-1]
    assert await press_button(bot, club.bob, offer, "Accept") == "You are in a duel already."
    await bot.say(club.cid, other, f"/duel{MENTION}")
    assert world.posts(other)[-1].text == "Your challenge is still open: it waits for five minutes."


async def test_accepting_is_refused_while_a_hand_is_open(bot: LiveBot, club: Club) -> None:
    offer = await send_challenge(bot, club)
    deal = await bot.deal(club.cid, club.chat, 3, 8, 3, 8)
    alert = await press_button(bot, club.bob, offer, "Accept")
    assert alert == "A hand is on the table: 3 8 3 8 → 24"
    await bot.say(club.cid, club.chat, "8/(3-8/3)", reply_to=deal)
    rig_hands(bot)
    assert await press_button(bot, club.bob, offer, "Accept") == ""


# A challenge answered by a command


@pytest.mark.parametrize("reply", ["", "bob", "Bob hard"])
async def test_duel_command_accepts_a_standing_challenge(bot: LiveBot, club: Club, reply: str) -> None:
    deal = await bot.deal(club.bob, club.chat, 3, 8, 3, 8)
    await bot.say(club.bob, club.chat, "8/(3-8/3)", reply_to=deal)
    await bot.say(club.bob, club.chat, f"/duel{MENTION}")
    offer = club.posts[-1]
    rig_hands(bot)
    answer = await bot.say(club.ann, club.chat, f"/duel{MENTION} {reply}".rstrip())
    if reply == "Bob hard":  # another duel than the one that Bob wants
        assert club.posts[-1].text.splitlines()[0] == f"⚔️ {ANN} challenges {BOB}!"
        return
    assert club.posts[-1] is offer
    assert read_reactions(answer) == "👌"
    assert read_score(offer) == (0, 0)
    assert "1 1 2 8 → 24" in offer.text.splitlines()


async def test_duel_button_accepts_a_standing_challenge(bot: LiveBot, club: Club) -> None:
    deal = await bot.deal(club.bob, club.chat, 3, 8, 3, 8)
    await bot.say(club.bob, club.chat, "8/(3-8/3)", reply_to=deal)
    assert await press_button(bot, club.bob, deal, "Duel") == ""
    offer = club.posts[-1]
    rig_hands(bot)
    assert await press_button(bot, club.ann, deal, "Duel") == ""
    assert club.posts[-1] is offer
    assert read_score(offer) == (0, 0)


async def test_duel_command_leaves_challenges_to_others(bot: LiveBot, club: Club) -> None:
    await send_challenge(bot, club, reply_to=club.world.say(club.bob, club.chat, "who plays?"))
    await bot.say(club.cid, club.chat, f"/duel{MENTION}")
    assert club.posts[-1].text.splitlines()[0] == f"⚔️ {CID} challenges whoever dares!"


async def test_duel_is_refused_if_the_hour_has_no_room_for_it(bot: LiveBot, club: Club) -> None:
    await bot.choose(club.chat, "rounds_an_hour", 4)
    refused = await send_challenge(bot, club)
    assert refused.text == "A duel takes up to five hands, and this hour has room for 4."
    await bot.choose(club.chat, "rounds_an_hour", 5)
    offer = await send_challenge(bot, club)
    rig_hands(bot)
    assert await press_button(bot, club.bob, offer, "Accept") == ""


async def test_duel_is_refused_in_quiet_hours(bot: LiveBot, club: Club) -> None:
    offer = await send_challenge(bot, club)
    minute = int(club.world.clock() // 60 % 1440)
    await bot.choose(club.chat, "quiet", [minute, (minute + 90) % 1440])
    alert = await press_button(bot, club.bob, offer, "Accept")
    assert alert.startswith("Quiet hours here until ")


# Spectators


@pytest.mark.long
@IN_TWO_LANGUAGES
@pytest.mark.parametrize("privacy", [True, False])
async def test_spectator_answer_scores_nothing_and_replaces_the_hand(
    bot: LiveBot, world: World, club: Club, privacy: bool
) -> None:
    duel = await start_duel(bot, club)
    club.clock.advance(10)
    right = await bot.say(club.cid, club.chat, HANDS[0][1], reply_to=duel)
    assert read_reactions(right) == "👏"
    no_points = club.translate("Right, but this is {one} and {other}’s duel: no points.", one=ANN, other=BOB)
    lines = duel.text.splitlines()
    assert f"👏 \u2068Cid\u2069: {no_points.rstrip('.')}" in lines
    too_early = club.translate("{name} was quicker: this hand is replaced.", name=CID)
    assert f"#1 — {too_early}" in lines
    assert "2 2 6 6 → 24" in lines
    assert "1 1 2 8 → 24" not in lines
    assert read_score(duel) == (0, 0)
    assert lines[0].endswith(club.translate("Hand {number} of {length}", number=1, length=5))
    late = await bot.say(club.bob, club.chat, HANDS[0][1], reply_to=duel)
    assert read_reactions(late) == "👏"
    mine = await bot.say(club.bob, club.chat, HANDS[1][1], reply_to=duel)
    assert read_reactions(mine) == "🏆"
    assert read_score(duel) == (0, 1)
    for _, solution in HANDS[2:4]:
        await bot.say(club.bob, club.chat, solution, reply_to=duel)
    assert f"#1 — {too_early}" in duel.text.splitlines(), "also in the final table"
    await bot.say(club.cid, club.chat, f"/leaderboard{MENTION}")
    assert f"1. {BOB} — 12" in club.posts[-1].text.splitlines()
    assert f"{CID} — " not in club.posts[-1].text


async def test_duel_with_a_replaced_hand_is_still_won_by_three(bot: LiveBot, club: Club) -> None:
    bot.rig(1, 2, 3, 4)
    duel = await start_duel(bot, club)
    await bot.say(club.cid, club.chat, "1*2*3*4", reply_to=duel)
    for winner, (_, right) in zip((club.ann, club.bob) * 2, HANDS, strict=False):
        await bot.say(winner, club.chat, right, reply_to=duel)
    assert read_score(duel) == (2, 2)
    assert "1 3 4 6 → 24" in duel.text.splitlines()
    await bot.say(club.ann, club.chat, HANDS[4][1], reply_to=duel)
    lines = duel.text.splitlines()
    assert lines[0] == f"⚔️ {ANN} wins the duel against {BOB}, 3:2!"
    assert f"#1 — {CID} was quicker: this hand is replaced." in lines
    assert any(line.startswith(f"#1 🏆 {ANN}") for line in lines)


async def test_duel_ends_when_spectators_solve_every_hand(bot: LiveBot, club: Club) -> None:
    duel = await start_duel(bot, club)
    for _ in range(10):
        await bot.say(club.cid, club.chat, find_solution(duel), reply_to=duel)
    assert duel.text.splitlines()[0] == f"⚔️ {ANN} and {BOB} drew the duel, 0:0."


@pytest.mark.long
async def test_wrong_answers_of_spectators_are_ignored(bot: LiveBot, club: Club) -> None:
    duel = await start_duel(bot, club)
    before = duel.text
    for text in ("1+1+2+8", "1+1+2", "hm (", f"/a{MENTION} 1+1+2+8", "2*6+2*6"):
        message = await bot.say(club.cid, club.chat, text, reply_to=None if text[0] == "/" else duel)
        assert read_reactions(message) == ""
    assert duel.text == before
    assert len(club.posts) == 1
    wrong = await bot.say(club.bob, club.chat, "1+1+2+8", reply_to=duel)
    assert read_reactions(wrong) == "👎"


@pytest.mark.parametrize("privacy", [False])
async def test_partial_expression_of_a_spectator_is_no_answer(
    bot: LiveBot, club: Club, privacy: bool
) -> None:
    duel = await start_duel(bot, club)
    await bot.say(club.ann, club.chat, HANDS[0][1], reply_to=duel)
    await bot.say(club.ann, club.chat, HANDS[1][1], reply_to=duel)
    await bot.say(club.cid, club.chat, "maybe 3-8/3 helps?")
    assert "3 8 3 8 → 24" in duel.text.splitlines(), "a step of the solution is no answer"
    await bot.say(club.cid, club.chat, "ah, 8/(3-8/3)")
    assert "1 5 5 5 → 24" in duel.text.splitlines()


async def test_duel_players_cannot_solve_the_open_hand(bot: LiveBot, world: World, club: Club) -> None:
    duel = await start_duel(bot, club)
    for _, right in HANDS[:2]:
        await bot.say(club.ann, club.chat, right, reply_to=duel)
    await bot.say(club.bob, world.chat_of(club.bob), "/solve 3 8 3 8")
    assert world.posts(club.bob)[-1].text == "That hand is on the table in a chat where you play: no peeking!"


# Hands that nobody finds


@pytest.mark.long
@IN_TWO_LANGUAGES
async def test_expired_hand_of_a_duel_counts_for_nobody(bot: LiveBot, club: Club) -> None:
    duel = await start_duel(bot, club)
    for n, (_, right) in enumerate(HANDS):
        if n == 2:
            await bot.say(club.bob, club.chat, "8+8+3+3", reply_to=duel)
            club.clock.advance(63)
            await bot.run_timers()
            assert read_score(duel) == (1, 1)
        else:
            winner = club.ann if n in (0, 4) else club.bob
            await bot.say(winner, club.chat, right, reply_to=duel)
    lines = duel.text.splitlines()
    draw = club.translate("{name} and {other} drew the duel, {score}.", name=ANN, other=BOB, score="2:2")
    assert lines[0] == f"⚔️ {draw}"
    assert lines[4] == "#3 — 8÷(3−8÷3) = 24"
    assert any(line.startswith("🏅") for line in lines[7:])


@pytest.mark.long
async def test_abandoned_duel_ends_with_the_current_score(bot: LiveBot, club: Club) -> None:
    duel = await start_duel(bot, club)
    await bot.say(club.bob, club.chat, HANDS[0][1], reply_to=duel)
    for _ in range(400):
        club.clock.advance(1)
        await bot.timers.run_all()
        await bot.service.outbox.wait_until_idle()
    lines = duel.text.splitlines()
    assert lines[:2] == [
        f"⚔️ {BOB} wins the duel against {ANN}, 1:0!",
        "Nobody tried the last 3 hands, so it ends here.",
    ]
    assert sum(line.startswith("#") for line in lines) == 4
    assert len(club.posts) == 1


@IN_TWO_LANGUAGES
async def test_hand_of_a_duel_is_given_up_by_both_players(bot: LiveBot, club: Club) -> None:
    duel = await start_duel(bot, club)
    alert = await press_button(bot, club.cid, duel, duel.labels[-1])
    assert alert == club.translate(
        "Only the two who duel can give this hand up. /stop votes to end the duel."
    )
    await press_button(bot, club.ann, duel, duel.labels[-1])
    assert "1 1 2 8 → 24" in duel.text.splitlines()
    await press_button(bot, club.bob, duel, duel.labels[-1])
    assert "2 2 6 6 → 24" in duel.text.splitlines()
    assert read_score(duel) == (0, 0)


async def test_duel_has_no_hints(bot: LiveBot, club: Club) -> None:
    duel = await start_duel(bot, club)
    assert len(duel.labels) == 1
    await bot.say(club.bob, club.chat, f"/hint{MENTION}")
    assert "💡" not in duel.text
    assert f"👀 {BOB}: A duel is played without hints" in duel.text.splitlines()


# Rematches


async def test_rematch_must_be_accepted_by_the_other_player(bot: LiveBot, club: Club) -> None:
    duel = await start_duel(bot, club)
    for _, right in HANDS[:3]:
        await bot.say(club.ann, club.chat, right, reply_to=duel)
    alert = await press_button(bot, club.cid, duel, "Rematch")
    assert alert == "Only the two who duelled can ask for a rematch."
    assert await press_button(bot, club.bob, duel, "Rematch") == ""
    again = club.posts[-1]
    assert again.text.splitlines()[0] == f"⚔️ {BOB} challenges {ANN}!"
    alert = await press_button(bot, club.bob, duel, "Rematch")
    assert alert == "Your challenge is still open: it waits for five minutes."
    rig_hands(bot)
    assert await press_button(bot, club.ann, duel, "Rematch") == "", (
        "a press of both players starts the rematch"
    )
    assert read_score(again) == (0, 0)
    assert again.text.splitlines()[0].startswith(f"⚔️ {BOB}")
    assert len(club.posts) == 2


async def test_simultaneous_rematch_requests_make_one_challenge(
    bot: LiveBot, world: World, club: Club
) -> None:
    duel = await start_duel(bot, club)
    for _, right in HANDS[:3]:
        await bot.say(club.ann, club.chat, right, reply_to=duel)
    before, held = len(club.posts), asyncio.Event()
    world.faults.add("sendMessage", held=held)  # so the first challenge is not posted yet
    presses = [world.press(user, duel, "Rematch") for user in (club.ann, club.bob)]
    alerts = [await world.answer_to(press) for press in presses]
    held.set()
    await bot.settle()
    assert len(club.posts) == before + 1
    assert alerts == ["", f"{ANN} has just challenged you. Accept that!"]


# The message of a duel


async def test_duel_moves_below_a_long_conversation(bot: LiveBot, club: Club) -> None:
    duel = await start_duel(bot, club)
    for n in range(25):
        club.world.say(club.cid, club.chat, f"so much to say ({n})")
    await bot.say(club.ann, club.chat, HANDS[0][1], reply_to=duel)
    below = club.posts[-1]
    assert below is not duel
    assert duel.text == "⚔️ The duel goes on below. ⬇️"
    assert duel.labels == []
    assert read_score(below) == (1, 0)
    assert "2 2 6 6 → 24" in below.text.splitlines()


async def test_duel_stays_in_its_topic(bot: LiveBot, world: World, club: Club) -> None:
    forum = world.group("Forum", club.ann, club.bob, forum=True)
    maths, chess = world.topic(forum, "Maths", club.ann), world.topic(forum, "Chess", club.ann)
    world.say(club.ann, forum, f"/duel{MENTION}", topic=maths)
    await bot.settle()
    duel = world.posts(forum)[-1]
    assert duel.text.splitlines()[0] == f"⚔️ {ANN} challenges whoever dares!"
    rig_hands(bot)
    await press_button(bot, club.bob, duel, "Accept")
    assert duel.topic is maths
    bot.rig(3, 8, 3, 8)
    world.say(club.ann, forum, f"/play{MENTION}", topic=chess)
    other = await world.next_post(forum, "3 8 3 8 → 24")
    await bot.settle()
    assert other.topic is chess
    await bot.say(club.ann, forum, HANDS[0][1], reply_to=duel)
    assert read_score(duel) == (1, 0)


async def test_deleted_duel_message_is_posted_again(bot: LiveBot, world: World, club: Club) -> None:
    duel = await start_duel(bot, club)
    world.delete(duel)
    await bot.say(club.ann, club.chat, f"/a{MENTION} {HANDS[0][1]}")
    below = club.posts[-1]
    assert below is not duel
    assert read_score(below) == (1, 0)
    assert "2 2 6 6 → 24" in below.text.splitlines()


async def test_challenge_moves_to_the_supergroup(bot: LiveBot, world: World) -> None:
    ann, bob = world.user("Ann"), world.user("Bob")
    family = world.group("Family", ann, bob, basic=True)
    await bot.say(ann, family, f"/duel{MENTION}")
    club = world.migrate(family)
    await world.next_post(club, "whoever dares")
    await bot.settle()
    (offer,) = world.posts(club)  # although both chats report the migration
    rig_hands(bot)
    assert await press_button(bot, bob, offer, "Accept") == ""
    assert read_score(offer) == (0, 0)
    assert "1 1 2 8 → 24" in offer.text.splitlines()


async def test_unsent_challenge_is_posted_once_after_migration(bot: LiveBot, world: World) -> None:
    ann, bob = world.user("Ann"), world.user("Bob")
    family = world.group("Family", ann, bob, basic=True)
    world.faults.add("sendMessage", chat=family.id, status=500)
    world.say(ann, family, f"/duel{MENTION}")
    await world.wait_until(lambda: world.calls("sendMessage"))
    club = world.migrate(family)
    world.faults.clear()
    await world.next_post(club, "whoever dares")
    await bot.settle()
    assert len(world.posts(club)) == 1


async def test_running_duel_moves_to_the_supergroup(bot: LiveBot, world: World) -> None:
    ann, bob = world.user("Ann"), world.user("Bob")
    family = world.group("Family", ann, bob, basic=True)
    await bot.say(ann, family, f"/duel{MENTION}")
    offer = world.posts(family)[-1]
    rig_hands(bot)
    await press_button(bot, bob, offer, "Accept")
    await bot.say(bob, family, HANDS[0][1], reply_to=offer)
    club = world.migrate(family)
    duel = await world.next_post(club, "2 2 6 6 → 24")
    await bot.settle()
    assert read_score(duel) == (0, 1)
    for _, right in HANDS[1:3]:
        await bot.say(bob, club, right, reply_to=duel)
    assert duel.text.splitlines()[0] == f"⚔️ {BOB} wins the duel against {ANN}, 3:0!"


async def test_challenged_user_who_never_plays_is_not_stored(bot: LiveBot, world: World, club: Club) -> None:
    message = world.say(club.bob, club.chat, "who plays?")
    await send_challenge(bot, club, reply_to=message)
    club.clock.advance(301)
    await bot.run_timers()
    for user in (club.bob, club.ann):
        await bot.say(user, world.chat_of(user), "/export")
    assert [any(json.loads(file).values()) for file in world.documents] == [False, False]


async def test_duel_against_a_forgotten_player_ends_anonymously(
    bot: LiveBot, world: World, club: Club
) -> None:
    duel = await start_duel(bot, club)
    await bot.say(club.bob, club.chat, HANDS[0][1], reply_to=duel)
    await bot.say(club.bob, world.chat_of(club.bob), "/forgetme")
    page = world.posts(club.bob)[-1]
    await press_button(bot, club.bob, page, "Forget me")
    for _, right in HANDS[1:4]:
        await bot.say(club.ann, club.chat, right, reply_to=duel)
    assert duel.text.splitlines()[0] == f"⚔️ {ANN} wins the duel against \u2068•\u2069, 3:1!"
    assert await press_button(bot, club.ann, duel, "Rematch") == "That button is out of date."


async def test_challenge_of_a_forgotten_player_ends(bot: LiveBot, world: World, club: Club) -> None:
    offer = await send_challenge(bot, club)
    await bot.say(club.ann, world.chat_of(club.ann), "/forgetme")
    await press_button(bot, club.ann, world.posts(club.ann)[-1], "Forget me")
    assert await press_button(bot, club.bob, offer, "Accept") == "That challenge is over."
    club.clock.advance(301)
    await bot.run_timers()
    assert offer.text == "⚔️ Nobody took \u2068•\u2069’s challenge in time."


@pytest.mark.parametrize("data", ["da:1", "dn:1", "da:0", "da:x", "da:999999999999999999999", "dr:1", "d:1"])
async def test_forged_duel_buttons_do_nothing(bot: LiveBot, world: World, club: Club, data: str) -> None:
    deal = await bot.deal(club.ann, club.chat, 3, 8, 3, 8)
    alert = await world.answer_to(world.press(club.bob, deal, data=data))
    await bot.settle()
    assert alert in {"That challenge is over.", "That button is out of date."}
    assert len(club.posts) == 1
