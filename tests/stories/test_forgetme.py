"""Whoever wants to be forgotten gets the copy first, or is told why not, whatever happens on the way."""

import asyncio
import json
from typing import Any

import pytest
from sqlalchemy import select, update

from bot.board import queries as pages
from bot.database import Tx
from bot.database.schema import TRANSIENT_TABLES, metadata, outbox, tries
from bot.players import queries as people
from bot.players.privacy import commands as privacy
from bot.players.privacy import deletion_requests
from bot.queue import dead_letters, queries
from bot.rounds import queries as rounds
from bot.standings.leaderboard import queries as boards
from bot.standings.leaderboard import totals
from bot.telegram.routes import DeliveredRequest
from bot.web.health import count_pending_rows
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot
from tests.telegram import Chat, Fault, Message, User, World

NAME = "Zwentibold <&>"
HOUR = 3700.0


@pytest.fixture
def gone(world: World) -> User:
    return world.user(NAME, username="zwent24")


@pytest.fixture
def club(world: World, gone: User, bob: User) -> Chat:
    return world.group("Club", gone, bob)


async def plays(bot: LiveBot, user: User, chat: Chat) -> None:
    deal = await bot.deal(user, chat, 1, 2, 3, 4)
    await bot.say(user, chat, "1*2*3*4", reply_to=deal)


async def asks(bot: LiveBot, user: User) -> Message:
    """/forgetme, and the question that comes back."""
    await bot.say(user, bot.world.chat_of(user), "/forgetme")
    return bot.world.posts(user)[-1]


async def presses(bot: LiveBot, user: User, message: Message, label: str) -> None:
    await bot.world.answer_to(bot.world.press(user, message, label))
    await bot.world.wait_until_taken()
    await bot.service.inbox.wait_until_idle()


async def wishes(bot: LiveBot, user: User) -> None:
    """/forgetme, and yes."""
    await presses(bot, user, await asks(bot, user), "Forget me")


async def wishes_in_vain(bot: LiveBot, user: User) -> Fault:
    """The same while no file can be sent: it is tried again and again."""
    question = await asks(bot, user)
    down = bot.world.faults.add("sendDocument", status=502)
    await presses(bot, user, question, "Forget me")
    await bot.world.wait_until(lambda: down.hits)
    return down


async def ends(world: World, fault: Fault) -> None:
    """Let requests through again, once what was on its way by now has failed as well."""
    seen = fault.hits
    await world.wait_until(lambda: fault.hits > seen)
    world.faults.clear()


async def looks(bot: LiveBot, clock: Clock, seconds: float = 61.0) -> None:
    """Let time pass, and the timers do what they do then."""
    clock.advance(seconds)
    await bot.run_timers()


def everything(tx: Tx) -> str:
    return repr(
        [list(tx.execute(select(table))) for table in metadata.sorted_tables if table not in TRANSIENT_TABLES]
    )


async def known(bot: LiveBot, user: User) -> bool:
    """Whether any table knows the person."""
    kept = await bot.services.store.read(everything)
    return any(needle in kept for needle in (str(user.id), "Zwentibold", "zwent24"))


def files(world: World) -> list[dict[str, Any]]:
    return [json.loads(body) for body in world.documents]


async def test_nothing_is_erased_before_the_file_is_there(
    bot: LiveBot, world: World, clock: Clock, gone: User, club: Chat
) -> None:
    await plays(bot, gone, club)
    await wishes_in_vain(bot, gone)
    for _ in range(3):
        clock.advance(HOUR)
        await bot.timers.run_all()
        assert await known(bot, gone)
    world.faults.clear()
    await world.wait_until(lambda: world.documents)
    await bot.settle()
    assert not await known(bot, gone)
    assert [a["expression"] for a in files(world)[0]["right_answers"]] == ["1*2*3*4"]


@pytest.mark.long
@pytest.mark.parametrize("reachable", [True, False])
async def test_pages_that_were_opened_before_are_closed(
    bot: LiveBot, world: World, clock: Clock, gone: User, club: Chat, reachable: bool
) -> None:
    now, closed = bot.service.inbox.now, pages.is_closed_since
    await plays(bot, gone, club)
    question, opened = await asks(bot, gone), now()
    assert not await bot.services.store.read(lambda tx: closed(tx, gone.id, opened))
    if not reachable:
        world.faults.add("sendDocument", status=403, description="Forbidden: bot was blocked by the user")
    await presses(bot, gone, question, "Forget me")
    await bot.settle()
    await looks(bot, clock)
    assert not await known(bot, gone)
    assert await bot.services.store.read(lambda tx: closed(tx, gone.id, opened))
    clock.advance(60)
    assert not await bot.services.store.read(lambda tx: closed(tx, gone.id, now()))


async def test_what_is_played_meanwhile_is_in_the_file(
    bot: LiveBot, world: World, gone: User, club: Chat
) -> None:
    await plays(bot, gone, club)
    deal = await bot.deal(gone, club, 2, 3, 4, 1)
    down = await wishes_in_vain(bot, gone)
    world.say(gone, club, "1*2*3*4", reply_to=deal)
    await world.wait_until_taken()
    await bot.service.inbox.wait_until_idle()
    await ends(world, down)
    await world.wait_until(lambda: world.documents)
    await bot.settle()
    (whole,) = files(world)
    assert len(whole["right_answers"]) == 2
    assert not await known(bot, gone)


async def test_what_is_played_while_the_file_is_under_way_brings_another(
    bot: LiveBot, world: World, gone: User, club: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    await plays(bot, gone, club)
    question = await asks(bot, gone)

    def later(tx: Tx, file: DeliveredRequest) -> None:
        people.store_language(tx, gone.id, "es")  # stands for anything that is kept of the person
        privacy.record_delivery(tx, file)

    monkeypatch.setitem(bot.service.routes.delivery_handlers, deletion_requests.COPY, later)
    await presses(bot, gone, question, "Forget me")
    await bot.settle()
    assert len(files(world)) == 1
    assert await known(bot, gone)
    _, requests = await bot.services.store.write(queries.requeue_marked)
    bot.service.outbox.enqueue(requests)
    await bot.settle()
    assert [f["private_chat"][0]["language"] for f in files(world)] == [None, "es"]
    assert not await known(bot, gone)


async def test_two_presses_are_one_file(bot: LiveBot, world: World, gone: User, club: Chat) -> None:
    await plays(bot, gone, club)
    first, second = await asks(bot, gone), await asks(bot, gone)
    down = world.faults.add("sendDocument", status=502)
    for question in (first, second):
        world.press(gone, question, "Forget me")
    await world.wait_until_taken()
    await bot.service.inbox.wait_until_idle()
    await world.wait_until(lambda: down.hits)
    world.faults.clear()
    await world.wait_until(lambda: world.documents)
    await bot.settle()
    assert len(files(world)) == 1


async def test_a_changed_mind_in_time_keeps_everything(
    bot: LiveBot, world: World, clock: Clock, gone: User, club: Chat
) -> None:
    await plays(bot, gone, club)
    first, second = await asks(bot, gone), await asks(bot, gone)
    down = world.faults.add("sendDocument", status=502)
    await presses(bot, gone, first, "Forget me")
    await world.wait_until(lambda: down.hits)
    await presses(bot, gone, second, "Keep everything")
    await bot.settle()  # a file that was on its way already has failed
    world.faults.clear()
    await bot.settle()
    await looks(bot, clock, HOUR)
    assert await known(bot, gone)
    assert files(world) == []


async def test_a_restart_on_the_way_forgets_nothing_and_nobody(
    restart_bot: RestartBot, world: World, gone: User, club: Chat
) -> None:
    bot = await restart_bot(world)
    await plays(bot, gone, club)
    await wishes_in_vain(bot, gone)
    bot = await restart_bot(world)
    assert await known(bot, gone)
    world.faults.clear()
    await world.wait_until(lambda: world.documents)
    await bot.settle()
    assert not await known(bot, gone)


async def test_a_file_that_telegram_refuses_is_told_of(
    bot: LiveBot, world: World, clock: Clock, gone: User, club: Chat
) -> None:
    await plays(bot, gone, club)
    question = await asks(bot, gone)
    world.faults.add("sendDocument", status=400)
    mute = world.faults.add("sendMessage", chat=gone.id, status=502)
    await presses(bot, gone, question, "Forget me")
    await bot.settle()
    assert await known(bot, gone)
    clock.advance(61)
    await bot.timers.run_all()
    await world.wait_until(lambda: mute.hits)
    assert await known(bot, gone), "nothing is erased before the person was told"
    world.faults.remove(mute)
    told = await world.next_post(gone, "can't be delivered")
    await bot.settle()
    assert "gone" in told.text
    assert not await known(bot, gone)


UNSURE = {"hang": 0.0, "effect": True}  # The file comes, and no answer does: nobody can tell


async def unsure(bot: LiveBot, clock: Clock, user: User) -> Message:
    """The question that follows a file of which nobody knows whether it came."""
    bot.world.faults.add("sendDocument", **UNSURE, count=1)
    await wishes(bot, user)
    await bot.settle()
    assert await known(bot, user)
    await looks(bot, clock)
    return bot.world.posts(user)[-1]


@pytest.mark.long
async def test_where_nobody_can_tell_the_person_decides(
    bot: LiveBot, world: World, clock: Clock, gone: User, club: Chat
) -> None:
    for label, kept, count in (
        ("Keep everything", True, 1),
        ("Send it again", False, 3),
        ("Forget me", False, 4),
    ):
        await plays(bot, gone, club)
        doubt = await unsure(bot, clock, gone)
        assert "whether your copy has reached you" in doubt.text
        await looks(bot, clock)
        assert bot.world.posts(gone)[-1] is doubt, "asked once"
        await presses(bot, gone, doubt, label)
        await bot.settle()
        assert await known(bot, gone) is kept, label
        assert len(files(world)) == count
        await looks(bot, clock, HOUR)
        assert await known(bot, gone) is kept, label


async def test_who_does_not_decide_is_forgotten_after_an_hour(
    bot: LiveBot, clock: Clock, gone: User, club: Chat
) -> None:
    await plays(bot, gone, club)
    await unsure(bot, clock, gone)
    await looks(bot, clock, 3000)
    assert await known(bot, gone)
    await looks(bot, clock, 700)
    assert not await known(bot, gone)


@pytest.mark.long
@pytest.mark.parametrize("told", [False, True], ids=["before the question", "after it"])
async def test_no_operator_drops_or_repeats_a_wish(
    bot: LiveBot, world: World, clock: Clock, gone: User, club: Chat, told: bool
) -> None:
    await plays(bot, gone, club)
    world.faults.add("sendDocument", **UNSURE, count=1)
    await wishes(bot, gone)
    await bot.settle()
    if told:
        await looks(bot, clock)

    wishes_of = select(outbox.c.id).where(outbox.c.lane == gone.id)
    number = await bot.services.store.read(lambda tx: int(tx.scalars(wishes_of).one()))
    counted = (await bot.services.store.read(count_pending_rows)).requests
    assert (counted["dead"], counted["wish"]) == (0, 1)
    assert await bot.services.store.read(dead_letters.list_dead_letters) == []
    for move in (
        lambda tx: dead_letters.delete_dead_letters(tx, []),
        lambda tx: dead_letters.retry_dead_letters(tx, []),
    ):
        assert await bot.services.store.write(move) == 0
    for move in (
        lambda tx: dead_letters.delete_dead_letters(tx, [f"r{number}"]),
        lambda tx: dead_letters.retry_dead_letters(tx, [f"r{number}"]),
    ):
        with pytest.raises(
            dead_letters.DeadLetterError, match=f"r{number} is somebody's wish to be forgotten"
        ):
            await bot.services.store.write(move)
    await bot.services.store.write(lambda tx: queries.delete_expired_rows(tx, clock.now + 31 * 86_400.0))
    if not told:
        await looks(bot, clock)
    assert "whether your copy has reached you" in world.posts(gone)[-1].text
    await looks(bot, clock, HOUR)
    assert not await known(bot, gone)


@pytest.mark.long
async def test_who_blocks_the_bot_while_it_asks_is_forgotten(
    bot: LiveBot, world: World, clock: Clock, gone: User, club: Chat
) -> None:
    await plays(bot, gone, club)
    world.faults.add("sendDocument", **UNSURE, count=1)
    await wishes(bot, gone)
    await bot.settle()
    world.block(gone)
    await looks(bot, clock)
    await looks(bot, clock)
    assert not await known(bot, gone)


async def test_what_waits_to_be_said_elsewhere_names_nobody(
    bot: LiveBot, world: World, gone: User, bob: User, club: Chat
) -> None:
    await plays(bot, gone, club)
    question = await asks(bot, gone)
    slow = world.faults.add("sendMessage", chat=club.id, status=502)
    me = f"@{world.bot.username}"
    for text in (f"/leaderboard{me}", f"/stats{me} @zwent24"):
        world.say(bob, club, text)
    await world.wait_until(lambda: slow.hits)
    await bot.service.inbox.wait_until_idle()
    await presses(bot, gone, question, "Forget me")
    await world.wait_until(lambda: world.documents)

    requests = await bot.services.store.read(lambda tx: repr(list(tx.execute(select(outbox)))))
    assert "Zwentibold" not in requests
    async with asyncio.timeout(60):  # what is said before that may still name them
        while await bot.services.store.read(lambda tx: gone.id in people.load_names(tx, [gone.id])):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await ends(world, slow)
    await bot.settle()
    assert not await known(bot, gone)
    board, figures = (post.text.splitlines() for post in world.posts(club)[1:])
    assert board[1:] == [
        "🥇 \u2068•\u2069",
        "1. \u2068•\u2069 — 2",
        "\u2068Bob\u2069 has no points here yet.",
    ]
    assert figures[0] == "\u2068•\u2069"
    assert not any("Zwentibold" in line for line in board + figures)


@pytest.mark.long
@pytest.mark.parametrize(
    "spelling",
    [
        "Zwenti\tbold",
        "Zwentibold",
        "zwentibold\u0301",
        "\u202eZwentib\u2069",
        '"Zwent" \\ibold',
        "<b>&amp;",
    ],
)
async def test_notes_name_nobody_in_any_spelling(
    bot: LiveBot, world: World, gone: User, bob: User, club: Chat, spelling: str
) -> None:
    """The person wins, another comes too late and is told so in the deal's message; then the name changes."""
    gone.first_name = spelling
    deal = await bot.deal(gone, club, 1, 2, 3, 4)

    def no_more_posts(tx: Tx) -> None:
        tx.execute(update(metadata.tables["chats"]).values(patience=0.0))

    await bot.services.store.write(no_more_posts)
    bot.rig(2, 4, 8, 10)
    await bot.say(gone, club, "1*2*3*4", reply_to=deal)
    world.say(gone, club, f"/play@{world.bot.username} all")
    await bot.settle()
    every = world.posts(club)[-1]
    await bot.services.store.write(no_more_posts)
    await bot.say(gone, club, "2*8+10-4+2", reply_to=every)
    first = next(iter(bot.solving.hands), None)
    assert first is None
    idea = (await bot.services.store.read(lambda tx: rounds.load_open_round(tx, club.id, 0))).puzzle.ideas[0]  # type: ignore[union-attr]
    await bot.say(gone, club, idea, reply_to=every)
    await bot.say(bob, club, idea, reply_to=every)
    stored = await bot.services.store.read(lambda tx: list(tx.scalars(select(tries.c.note))))
    assert stored == ["Use each number once. Too many: 2.", f"Right as well! <p {gone.id}> was first."]
    assert "was first" in every.text
    gone.first_name = "Another"
    await bot.say(gone, club, f"/stats@{world.bot.username}")
    await wishes(bot, gone)
    await bot.settle()
    kept = await bot.services.store.read(everything)
    assert str(gone.id) not in kept
    assert spelling not in kept
    assert "was first" in kept, "what is noted of Bob stays"


async def test_forgetting_the_only_winner_does_not_make_a_chat_count(
    bot: LiveBot, bob: User, gone: User, club: Chat
) -> None:
    await plays(bot, gone, club)
    await wishes(bot, gone)
    await bot.settle()
    assert not await bot.services.store.read(lambda tx: totals.is_chat_counted(tx, club.id))
    await plays(bot, bob, club)
    assert await bot.services.store.read(lambda tx: boards.load_leaders(tx, totals.ALL_CHATS)) == []


async def test_reveals_go_after_seven_days_whatever_happens(
    bot: LiveBot, world: World, clock: Clock, gone: User, bob: User, club: Chat
) -> None:
    await bot.deal(bob, club, 3, 8, 3, 8)
    await bot.say(gone, world.chat_of(gone), "/solve 3 8 3 8")
    readers = select(metadata.tables["reveals"].c.reader)
    kept = await bot.services.store.read(lambda tx: list(tx.scalars(readers)))
    assert len(kept) == 1
    assert gone.id not in kept
    await looks(bot, clock, 7 * 86_400.0 + 1)
    assert await bot.services.store.read(lambda tx: list(tx.scalars(readers))) == []


async def test_no_letter_is_left_of_who_is_forgotten(bot: LiveBot, gone: User, club: Chat) -> None:
    await plays(bot, gone, club)
    await wishes(bot, gone)
    await bot.settle()
    left = await bot.services.store.read(
        lambda tx: list(tx.execute(select(outbox).where(outbox.c.state != "sent")))
    )
    assert left == []
