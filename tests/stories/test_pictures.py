"""Rounds whose one message is a photo: the text is its caption, and the picture goes up once."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.queue import photos
from bot.telegram.photo_messages import CAPTION_LIMIT, count_utf16_units
from bot.workers.pool import TooSlowError, WorkerLostError
from tests.stories.clock import Clock, read_time_left
from tests.stories.conftest import QUICK, LiveBot, RestartBot, read_reactions, run_bot
from tests.stories.test_delivery_check import FAILURES, load_unsent_requests
from tests.stories.test_race import HANDS, start_race
from tests.telegram import Chat, Message, User, World
from tests.telegram.chats import PERMISSIONS

LINE, SOLUTION = "3 8 3 8 → 24", "8/(3-8/3)"
CHOSEN = "pictures"


@pytest.fixture
def pictures() -> bool:
    return True


def sent(world: World) -> list[str]:
    """The methods by which messages came about and changed."""
    return [r.method for r in world.requests if r.method.startswith(("sendM", "sendP", "editMessage"))]


async def test_a_round_is_one_photo_from_its_deal_to_its_end(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert deal.is_photo
    assert LINE in deal.text.splitlines()
    world.press(ann, deal, "Hint")
    await bot.settle()
    assert "💡" in deal.text
    wrong = await bot.say(bob, family, "3*8+3+8", reply_to=deal)
    assert read_reactions(wrong) == "👎"
    clock.advance(60)
    await bot.run_timers()
    assert read_time_left(deal) == 9
    right = await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert read_reactions(right) == "🏆"
    assert f"🏆 \u2068Bob\u2069: {SOLUTION} = 24" in deal.text
    assert [post.reply_to for post in world.posts(family)] == [None, wrong]
    assert world.uploads.count == 1
    assert set(sent(world)) == {"sendPhoto", "editMessageCaption", "sendMessage"}
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_where_all_is_shown_the_end_has_a_picture_of_its_own(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.choose(family, CHOSEN, "all")
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    before = deal.file
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert deal.file not in (None, before)
    assert "🏆" in deal.text
    assert sent(world) == ["sendPhoto", "editMessageMedia"]
    assert world.uploads.count == 2


@pytest.mark.long
@pytest.mark.parametrize("chosen", ["off", "cards", "all"])
async def test_a_chat_chooses(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, chosen: str
) -> None:
    world.say(ann, family, "/settings@TwentyFourTestBot")
    menu = await world.next_post(family, "Language")
    for button in ("More…", "Pictures", {"off": "off", "cards": "cards only", "all": "all"}[chosen]):
        world.press(ann, menu, button)
        await bot.settle()
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert deal.is_photo is (chosen != "off")
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert world.uploads.count == {"off": 0, "cards": 1, "all": 2}[chosen]


async def test_what_is_a_photo_stays_one_when_the_chat_chooses_otherwise(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.choose(family, CHOSEN, "off")
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text
    assert deal.is_photo


async def test_the_same_picture_goes_out_by_its_id_also_after_a_restart(
    restart_bot: RestartBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    bot = await restart_bot(world)
    for _ in range(2):
        deal = await bot.deal(ann, family, 3, 8, 3, 8)
        await bot.say(bob, family, SOLUTION, reply_to=deal)
    bot = await restart_bot(world)
    again = await bot.deal(bob, family, 3, 8, 3, 8)
    assert again.is_photo
    assert again.file == deal.file
    assert world.uploads.count == 1


async def test_a_restart_in_the_midst_of_a_round_changes_nothing(
    restart_bot: RestartBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    bot = await restart_bot(world)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    bot = await restart_bot(world)
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text
    assert world.posts(family) == [deal]
    assert world.uploads.count == 1


async def test_an_id_that_telegram_forgot_is_uploaded_again(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    world.files.clear()
    again = await bot.deal(ann, family, 3, 8, 3, 8)
    assert again.is_photo
    assert world.uploads.count == 2
    content = await bot.services.store.read(
        lambda tx: tx.exec_driver_sql("SELECT content FROM uploads").scalar()
    )
    shown = {"shown": str(content)}
    assert await bot.services.store.read(lambda tx: tx.scalar(photos.SELECT_FILE_ID, shown)) in world.files


async def test_a_photo_that_was_deleted_is_posted_anew(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    world.delete(deal)
    await bot.say(bob, family, f"/a@{world.bot.username} {SOLUTION}")
    (told,) = world.posts(family)
    assert told.is_photo
    assert "🏆 \u2068Bob\u2069" in told.text
    assert world.uploads.count == 1


async def test_a_chat_that_takes_no_photos_gets_text_at_once(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    world.permit(family, *(each for each in PERMISSIONS if each != "can_send_photos"))
    for _ in range(2):
        deal = await bot.deal(ann, family, 3, 8, 3, 8)
        assert not deal.is_photo
        await bot.say(bob, family, SOLUTION, reply_to=deal)
        assert "🏆" in deal.text
    assert sent(world).count("sendPhoto") == 1  # it is remembered
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_a_chat_in_slow_mode_gets_text(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    family.slow_mode = 30
    await bot.deal(ann, family, 3, 8, 3, 8)
    world.say(ann, family, "/skip@TwentyFourTestBot")
    await bot.settle()
    deal = await bot.deal(ann, family, 1, 1, 2, 8)
    assert not deal.is_photo


async def test_where_telegram_asked_to_wait_text_follows(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    world.faults.add("sendPhoto", retry_after=1, count=1)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert not deal.is_photo
    assert len(world.posts(family)) == 1


@pytest.mark.long
@pytest.mark.parametrize("how", FAILURES)
@pytest.mark.parametrize("talk", [0, 30])
async def test_an_upload_that_arrived_all_the_same_is_not_sent_twice(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, how: str, talk: int
) -> None:
    world.faults.add("sendPhoto", effect=True, count=1, **FAILURES[how])
    bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/play@TwentyFourTestBot")
    for _ in range(talk):
        world.say(bob, family, "nice weather", hear=False)
    deal = await world.next_post(family, "→ 24")
    await bot.settle()
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text
    assert deal.is_photo
    assert world.posts(family) == [deal]
    assert "sendMessage" not in sent(world)
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.long
@pytest.mark.parametrize("how", FAILURES)
async def test_an_upload_that_broke_off_is_followed_by_text(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, how: str
) -> None:
    world.faults.add("sendPhoto", count=1, **FAILURES[how])
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert not deal.is_photo
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text
    assert world.posts(family) == [deal]
    assert sent(world).count("sendPhoto") == 1
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_an_upload_that_is_too_large_for_a_proxy_is_followed_by_text(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    world.faults.add("sendPhoto", status=413, description="Request Entity Too Large")
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert not deal.is_photo


@pytest.mark.long
async def test_a_stop_in_the_midst_of_an_upload_is_looked_for(
    restart_bot: RestartBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    bot = await restart_bot(world)
    await bot.deal(ann, family, 3, 8, 3, 8)
    world.say(ann, family, "/skip@TwentyFourTestBot")
    await bot.settle()
    world.faults.add("sendPhoto", effect=True, count=1, close=True, held=asyncio.Event())
    bot.rig(1, 1, 2, 8)
    world.say(ann, family, "/play@TwentyFourTestBot")
    deal = await world.next_post(family, "1 1 2 8 → 24")
    bot = await restart_bot(world)
    await bot.settle()
    assert world.posts(family)[1:] == [deal]
    await bot.say(bob, family, "1*8*(1+2)", reply_to=deal)
    assert "🏆" in deal.text
    assert deal.is_photo


async def test_an_old_message_stays_a_text(
    world: World, database: Path, ann: User, bob: User, family: Chat
) -> None:
    """As after an upgrade from a version that had no pictures."""
    async with run_bot(world, database, pictures=False) as before:
        deal = await before.deal(ann, family, 3, 8, 3, 8)
    async with run_bot(world, database, pictures=True) as bot:
        world.press(ann, deal, "Hint")
        await bot.settle()
        await bot.say(bob, family, SOLUTION, reply_to=deal)
        assert "🏆" in deal.text
        assert not deal.is_photo
        assert (await bot.deal(ann, family, 3, 8, 3, 8)).is_photo


@pytest.mark.parametrize("error", [TooSlowError("late"), WorkerLostError("gone"), OSError("no art")])
async def test_a_pool_that_is_broken_keeps_nothing_waiting(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, error: Exception
) -> None:
    async def fail(picture: object, language: str) -> bytes:
        raise error

    bot.service.outbox.photos.painter = fail
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert not deal.is_photo
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text


async def test_a_pool_that_is_slow_is_waited_for_half_a_second(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    held = asyncio.Event()

    async def late(picture: object, language: str) -> bytes:
        await held.wait()
        return b""

    bot.service.outbox.photos.painter = late
    began = asyncio.get_running_loop().time()
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert not deal.is_photo
    assert 0.4 < asyncio.get_running_loop().time() - began < 2


async def test_while_a_picture_is_drawn_other_chats_are_posted_to(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    held, others = asyncio.Event(), world.group("Others", bob)
    drawn = bot.service.outbox.photos.painter
    assert drawn is not None

    async def late(picture: Any, language: str) -> bytes:
        await held.wait()
        return await drawn(picture, language)

    bot.service.outbox.photos.painter = late
    bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/play@TwentyFourTestBot")
    world.say(bob, others, "/help@TwentyFourTestBot")
    await world.next_post(others, "Twenty-Four")
    assert world.posts(family) == []
    held.set()
    assert (await world.next_post(family, "→ 24")).is_photo
    await bot.settle()


@pytest.mark.long
async def test_a_race_shows_each_hand_and_its_table(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.choose(family, CHOSEN, "all")
    race = await start_race(bot, ann, family)
    pictures = [race.file]
    for winner, (numbers, solution) in zip((bob, ann, bob), HANDS, strict=True):
        assert f"{' '.join(map(str, numbers))} → 24" in race.text.splitlines()
        await bot.say(winner, family, solution, reply_to=race)
        pictures.append(race.file)
    assert "1. \u2068Bob\u2069 — 7" in race.text
    assert len(set(pictures)) == 4
    assert world.uploads.count == 4
    assert world.posts(family) == [race]


async def test_a_race_that_moves_on_below_leaves_a_word_under_its_old_picture(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    race = await start_race(bot, ann, family)
    for _ in range(25):
        world.say(ann, family, "nice weather", hear=False)
    await bot.say(bob, family, HANDS[0][1], reply_to=race)
    below = await world.next_post(family, "2 2 6 6 → 24")
    await bot.settle()
    assert below.is_photo
    assert race.is_photo
    assert race.text.endswith("⬇️")
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.long
async def test_the_next_hand_of_a_race_shows_its_own_cards_also_where_they_come_late(
    world: World, database: Path, ann: User, bob: User, family: Chat
) -> None:
    async with run_bot(world, database, replace(QUICK, redraw_gap=0.3), pictures=True) as bot:
        race = await start_race(bot, ann, family)
        first, photos = race.file, bot.service.outbox.photos
        drawn = photos.painter
        assert drawn is not None

        async def late(picture: Any, language: str) -> bytes:
            await there.wait()
            return await drawn(picture, language)

        there, photos.painter = asyncio.Event(), late
        await asyncio.gather(*photos._tasks.values())
        photos._drawn.clear()  # as after a restart
        world.say(bob, family, HANDS[0][1], reply_to=race)
        await world.wait_until(lambda: "2 2 6 6 → 24" in race.text.splitlines())
        there.set()
        await bot.settle()
        assert race.file not in (None, first)
        methods = sent(world)
        assert methods[1] == "editMessageCaption"  # nobody waits to read what is dealt
        assert methods[-1] == "editMessageMedia"


@pytest.mark.long
async def test_a_duel_that_moves_on_below_leaves_a_word_under_its_old_picture(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.choose(family, CHOSEN, "all")
    for numbers, _ in [*HANDS, *HANDS]:
        bot.rig(*numbers)
    world.say(ann, family, "/duel@TwentyFourTestBot")
    challenge = await world.next_post(family, "challenges")
    world.press(bob, challenge, "Accept")
    await bot.settle()
    assert challenge.is_photo
    for _ in range(25):
        world.say(ann, family, "nice weather", hear=False)
    await bot.say(bob, family, HANDS[0][1], reply_to=challenge)
    duel = await world.next_post(family, "2 2 6 6 → 24")
    assert duel.is_photo
    for _, solution in HANDS[1:]:
        await bot.say(bob, family, solution, reply_to=duel)
    assert "wins the duel" in duel.text
    assert duel.is_photo
    assert world.uploads.count == 5
    assert challenge.is_photo
    assert challenge.text.endswith("⬇️")


async def test_countdown_shows_its_tiles_and_at_the_end_the_nearest_way(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await bot.choose(family, CHOSEN, "all")
    world.say(ann, family, "/countdown@TwentyFourTestBot 2")
    draw = await world.next_post(family, " → ")
    await bot.settle()
    assert draw.is_photo
    tiles = next(line for line in draw.text.splitlines() if " → " in line).partition(" → ")[0].split()
    await bot.say(ann, family, f"/a@{world.bot.username} {tiles[0]}")
    clock.advance(3600)
    await bot.run_timers()
    assert draw.is_photo
    assert world.posts(family) == [draw]


async def test_the_longest_names_and_many_notes_leave_what_must_be_said(
    bot: LiveBot, world: World, family: Chat
) -> None:
    crowd = [world.user("👩\u200d👩\u200d👧\u200d👦" * 16 + str(n)) for n in range(8)]
    table = world.group("Crowd", *crowd)
    deal = await bot.deal(crowd[0], table, 3, 8, 3, 8)
    for user in crowd:
        await bot.say(user, table, "(3+8)*(3+8)-3/8", reply_to=deal)
        assert count_utf16_units(deal.text) <= CAPTION_LIMIT
        assert LINE in deal.text.splitlines()
    await bot.say(crowd[7], table, SOLUTION, reply_to=deal)
    assert f"{SOLUTION} = 24" in deal.text
    assert "+" in deal.text
    assert LINE in deal.text.splitlines()
    assert count_utf16_units(deal.text) <= CAPTION_LIMIT


async def test_in_private_too(bot: LiveBot, world: World, ann: User) -> None:
    world.start(ann)
    await bot.settle()
    bot.rig(3, 8, 3, 8)
    world.say(ann, world.chat_of(ann), "/play")
    deal: Message = await world.next_post(ann, "→ 24")
    await bot.settle()
    assert deal.is_photo
