"""Rounds whose message is a photo: the text is its caption, and the picture is uploaded once."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.formats import format_expression
from bot.queue import photos
from bot.queue.rendering import CAPTION_LIMIT, count_utf16_units
from bot.workers.pool import TooSlowError, WorkerLostError
from tests.stories.clock import Clock, read_time_left
from tests.stories.conftest import QUICK, LiveBot, RestartBot, read_reactions, run_bot
from tests.stories.test_delivery_check import FAILURES, load_unsent_requests
from tests.stories.test_race import HANDS, start_race
from tests.telegram import Chat, Message, User, World
from tests.telegram.chats import PERMISSIONS

LINE, SOLUTION = "3 8 3 8 → 24", "8/(3-8/3)"
SETTING = "pictures"


@pytest.fixture
def pictures() -> bool:
    return True


def list_sent_methods(world: World) -> list[str]:
    """Return the methods that sent and edited messages, in order."""
    return [r.method for r in world.requests if r.method.startswith(("sendM", "sendP", "editMessage"))]


async def test_round_is_one_photo_from_deal_to_end(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert deal.is_photo
    assert LINE in deal.text.splitlines()
    world.press(ann, deal, "Hint")
    await bot.settle()
    assert "💡" in deal.text
    assert read_reactions(await bot.say(bob, family, "3*8+3+8", reply_to=deal)) == "👎"
    assert "👎 \u2068Bob\u2069: 3×8+3+8 = 35" in deal.text.splitlines()
    clock.advance(60)
    await bot.run_timers()
    assert read_time_left(deal) == 9
    right = await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert read_reactions(right) == "🏆"
    assert f"🏆 \u2068Bob\u2069: {format_expression(SOLUTION)} = 24" in deal.text
    assert world.posts(family) == [deal]
    assert world.uploads.count == 2
    assert set(list_sent_methods(world)) == {"sendPhoto", "editMessageCaption", "editMessageMedia"}
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_end_has_its_own_picture(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    first_file = deal.file
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert deal.file not in (None, first_file)
    assert "🏆" in deal.text
    assert list_sent_methods(world) == ["sendPhoto", "editMessageMedia"]
    assert world.uploads.count == 2


@pytest.mark.long
@pytest.mark.parametrize("choice", ["off", "cards", "all"])
async def test_pictures_follow_the_setting_of_the_chat(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, choice: str
) -> None:
    world.say(ann, family, "/settings@TwentyFourTestBot")
    menu = await world.next_post(family, "Language")
    for button in ("Pictures", {"off": "off", "cards": "cards only", "all": "all"}[choice]):
        world.press(ann, menu, button)
        await bot.settle()
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert deal.is_photo is (choice != "off")
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert world.uploads.count == {"off": 0, "cards": 1, "all": 2}[choice]


async def test_open_photo_stays_a_photo_after_the_setting_changes(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.choose(family, SETTING, "off")
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text
    assert deal.is_photo


async def test_same_picture_is_sent_by_its_file_id_after_a_restart(
    restart_bot: RestartBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    bot = await restart_bot(world)
    await bot.choose(family, SETTING, "cards")
    for _ in range(2):
        deal = await bot.deal(ann, family, 3, 8, 3, 8)
        await bot.say(bob, family, SOLUTION, reply_to=deal)
    bot = await restart_bot(world)
    again = await bot.deal(bob, family, 3, 8, 3, 8)
    assert again.is_photo
    assert again.file == deal.file
    assert world.uploads.count == 1


async def test_photo_round_survives_a_restart(
    restart_bot: RestartBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    bot = await restart_bot(world)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    bot = await restart_bot(world)
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text
    assert world.posts(family) == [deal]
    assert world.uploads.count == 2


async def test_unknown_file_id_is_uploaded_again(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.choose(family, SETTING, "cards")
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    world.files.clear()
    again = await bot.deal(ann, family, 3, 8, 3, 8)
    assert again.is_photo
    assert world.uploads.count == 2
    content = await bot.services.store.read(
        lambda tx: tx.exec_driver_sql("SELECT content FROM uploads").scalar()
    )
    query = {"shown": str(content)}
    assert await bot.services.store.read(lambda tx: tx.scalar(photos.SELECT_FILE_ID, query)) in world.files


async def test_deleted_photo_is_posted_again(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    world.delete(deal)
    await bot.say(bob, family, f"/a@{world.bot.username} {SOLUTION}")
    (post,) = world.posts(family)
    assert post.is_photo
    assert "🏆 \u2068Bob\u2069" in post.text
    assert world.uploads.count == 2


async def test_chat_that_forbids_photos_gets_text(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    world.permit(family, *(each for each in PERMISSIONS if each != "can_send_photos"))
    for _ in range(2):
        deal = await bot.deal(ann, family, 3, 8, 3, 8)
        assert not deal.is_photo
        await bot.say(bob, family, SOLUTION, reply_to=deal)
        assert "🏆" in deal.text
    assert list_sent_methods(world).count("sendPhoto") == 1  # the refusal is remembered
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_chat_in_slow_mode_gets_text(bot: LiveBot, world: World, ann: User, family: Chat) -> None:
    family.slow_mode = 30
    await bot.deal(ann, family, 3, 8, 3, 8)
    world.say(ann, family, "/skip@TwentyFourTestBot")
    await bot.settle()
    deal = await bot.deal(ann, family, 1, 1, 2, 8)
    assert not deal.is_photo


async def test_text_is_sent_when_telegram_delays_photos(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    world.faults.add("sendPhoto", retry_after=1, count=1)
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert not deal.is_photo
    assert len(world.posts(family)) == 1


@pytest.mark.long
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("messages", [0, 30])
async def test_upload_with_a_lost_response_is_not_sent_twice(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, failure: str, messages: int
) -> None:
    world.faults.add("sendPhoto", effect=True, count=1, **FAILURES[failure])
    bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/play@TwentyFourTestBot")
    for _ in range(messages):
        world.say(bob, family, "nice weather", hear=False)
    deal = await world.next_post(family, "→ 24")
    await bot.settle()
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text
    assert deal.is_photo
    assert world.posts(family) == [deal]
    assert "sendMessage" not in list_sent_methods(world)
    assert await bot.services.store.read(load_unsent_requests) == []


@pytest.mark.long
@pytest.mark.parametrize("failure", FAILURES)
async def test_failed_upload_is_followed_by_text(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, failure: str
) -> None:
    world.faults.add("sendPhoto", count=1, **FAILURES[failure])
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert not deal.is_photo
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text
    assert world.posts(family) == [deal]
    assert list_sent_methods(world).count("sendPhoto") == 1
    assert await bot.services.store.read(load_unsent_requests) == []


async def test_upload_too_large_for_a_proxy_is_followed_by_text(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    world.faults.add("sendPhoto", status=413, description="Request Entity Too Large")
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert not deal.is_photo


@pytest.mark.long
async def test_upload_cut_by_a_restart_is_not_sent_twice(
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


async def test_text_message_from_before_pictures_stays_text(
    world: World, database: Path, ann: User, bob: User, family: Chat
) -> None:
    # As after an upgrade from a version without pictures.
    async with run_bot(world, database, pictures=False) as old_bot:
        deal = await old_bot.deal(ann, family, 3, 8, 3, 8)
    async with run_bot(world, database, pictures=True) as bot:
        world.press(ann, deal, "Hint")
        await bot.settle()
        await bot.say(bob, family, SOLUTION, reply_to=deal)
        assert "🏆" in deal.text
        assert not deal.is_photo
        assert (await bot.deal(ann, family, 3, 8, 3, 8)).is_photo


@pytest.mark.parametrize("error", [TooSlowError("late"), WorkerLostError("gone"), OSError("no art")])
async def test_text_is_sent_when_drawing_fails(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat, error: Exception
) -> None:
    async def fail(picture: object, language: str) -> bytes:
        raise error

    bot.service.outbox.photos.painter = fail
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert not deal.is_photo
    await bot.say(bob, family, SOLUTION, reply_to=deal)
    assert "🏆" in deal.text


async def test_text_is_sent_after_half_a_second_of_drawing(
    bot: LiveBot, world: World, ann: User, family: Chat
) -> None:
    drawing_allowed = asyncio.Event()

    async def paint_late(picture: object, language: str) -> bytes:
        await drawing_allowed.wait()
        return b""

    bot.service.outbox.photos.painter = paint_late
    began = asyncio.get_running_loop().time()
    deal = await bot.deal(ann, family, 3, 8, 3, 8)
    assert not deal.is_photo
    assert 0.4 < asyncio.get_running_loop().time() - began < 2


async def test_other_chats_are_served_while_a_picture_is_drawn(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    drawing_allowed, others = asyncio.Event(), world.group("Others", bob)
    paint = bot.service.outbox.photos.painter
    assert paint is not None

    async def paint_late(picture: Any, language: str) -> bytes:
        await drawing_allowed.wait()
        return await paint(picture, language)

    bot.service.outbox.photos.painter = paint_late
    bot.rig(3, 8, 3, 8)
    world.say(ann, family, "/play@TwentyFourTestBot")
    world.say(bob, others, "/help@TwentyFourTestBot")
    await world.next_post(others, "Twenty-Four")
    assert world.posts(family) == []
    drawing_allowed.set()
    assert (await world.next_post(family, "→ 24")).is_photo
    await bot.settle()


@pytest.mark.long
async def test_race_shows_a_picture_of_each_hand_and_the_result(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.choose(family, SETTING, "all")
    race = await start_race(bot, ann, family)
    pictures = [race.file]
    for winner, (numbers, solution) in zip((bob, ann, bob), HANDS, strict=True):
        assert f"{' '.join(map(str, numbers))} → 24" in race.text.splitlines()
        await bot.say(winner, family, solution, reply_to=race)
        pictures.append(race.file)
    assert "1. \u2068Bob\u2069 — 6" in race.text
    assert len(set(pictures)) == 4
    assert world.uploads.count == 4
    assert world.posts(family) == [race]


async def test_race_that_moves_below_leaves_a_note_on_its_old_photo(
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
async def test_late_picture_of_the_next_race_hand_replaces_the_old(
    world: World, database: Path, ann: User, bob: User, family: Chat
) -> None:
    async with run_bot(world, database, replace(QUICK, redraw_gap=0.3), pictures=True) as bot:
        race = await start_race(bot, ann, family)
        first, photos = race.file, bot.service.outbox.photos
        paint = photos.painter
        assert paint is not None

        async def paint_late(picture: Any, language: str) -> bytes:
            await drawing_allowed.wait()
            return await paint(picture, language)

        drawing_allowed, photos.painter = asyncio.Event(), paint_late
        await asyncio.gather(*photos._tasks.values())
        photos._drawn.clear()  # as after a restart
        world.say(bob, family, HANDS[0][1], reply_to=race)
        await world.wait_until(lambda: "2 2 6 6 → 24" in race.text.splitlines())
        drawing_allowed.set()
        await bot.settle()
        assert race.file not in (None, first)
        methods = list_sent_methods(world)
        assert methods[1] == "editMessageCaption"  # the caption does not wait for the picture
        assert methods[-1] == "editMessageMedia"


@pytest.mark.long
async def test_duel_that_moves_below_leaves_a_note_on_its_old_photo(
    bot: LiveBot, world: World, ann: User, bob: User, family: Chat
) -> None:
    await bot.choose(family, SETTING, "all")
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


async def test_countdown_is_one_photo_from_deal_to_end(
    bot: LiveBot, world: World, clock: Clock, ann: User, bob: User, family: Chat
) -> None:
    await bot.choose(family, SETTING, "all")
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


async def test_long_names_and_notes_fit_in_the_caption(bot: LiveBot, world: World, family: Chat) -> None:
    crowd = [world.user("👩\u200d👩\u200d👧\u200d👦" * 16 + str(n)) for n in range(8)]
    table = world.group("Crowd", *crowd)
    deal = await bot.deal(crowd[0], table, 3, 8, 3, 8)
    for user in crowd:
        await bot.say(user, table, "(3+8)*(3+8)-3/8", reply_to=deal)
        assert count_utf16_units(deal.text) <= CAPTION_LIMIT
        assert LINE in deal.text.splitlines()
    await bot.say(crowd[7], table, SOLUTION, reply_to=deal)
    assert f"{format_expression(SOLUTION)} = 24" in deal.text
    assert "+" in deal.text
    assert LINE in deal.text.splitlines()
    assert count_utf16_units(deal.text) <= CAPTION_LIMIT


async def test_deal_in_private_is_a_photo(bot: LiveBot, world: World, ann: User) -> None:
    world.start(ann)
    await bot.settle()
    bot.rig(3, 8, 3, 8)
    world.say(ann, world.chat_of(ann), "/play")
    deal: Message = await world.next_post(ann, "→ 24")
    await bot.settle()
    assert deal.is_photo
