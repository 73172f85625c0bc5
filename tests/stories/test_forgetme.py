"""/forgetme: data is deleted only once the export has arrived or the person knows why it can't."""

import asyncio
import json
from typing import Any

import pytest
from sqlalchemy import select, update

from bot.board import queries as pages
from bot.database import Tx
from bot.database.schema import metadata, outbox, tries
from bot.players import queries as people
from bot.queue import dead_letters, queries
from bot.rounds import queries as rounds
from bot.standings.leaderboard import queries as boards
from bot.standings.leaderboard import totals
from bot.web.health import count_pending_rows
from tests.stories.clock import Clock
from tests.stories.conftest import LiveBot, RestartBot, dump_tables
from tests.telegram import Chat, Fault, Message, User, World

pytestmark = pytest.mark.long

NAME = "Zwentibold <&>"
HOUR = 3700.0


@pytest.fixture
def leaver(world: World) -> User:
    return world.user(NAME, username="zwent24")


@pytest.fixture
def club(world: World, leaver: User, bob: User) -> Chat:
    return world.group("Club", leaver, bob)


async def win_hand(bot: LiveBot, user: User, chat: Chat) -> None:
    deal = await bot.deal(user, chat, 1, 2, 3, 4)
    await bot.say(user, chat, "1*2*3*4", reply_to=deal)


async def request_deletion(bot: LiveBot, user: User) -> Message:
    """Send /forgetme; return the question for confirmation."""
    await bot.say(user, bot.world.chat_of(user), "/forgetme")
    return bot.world.posts(user)[-1]


async def press(bot: LiveBot, user: User, message: Message, label: str) -> None:
    await bot.world.answer_to(bot.world.press(user, message, label))
    await bot.world.wait_until_taken()
    await bot.service.inbox.wait_until_idle()


async def confirm_deletion(bot: LiveBot, user: User) -> None:
    """Send /forgetme and confirm it."""
    await press(bot, user, await request_deletion(bot, user), "Forget me")


async def confirm_deletion_during_outage(bot: LiveBot, user: User) -> Fault:
    """Confirm /forgetme while no file can be sent; return the fault."""
    question = await request_deletion(bot, user)
    outage = bot.world.faults.add("sendDocument", status=502)
    await press(bot, user, question, "Forget me")
    await bot.world.wait_until(lambda: outage.hits)
    return outage


async def end_outage(world: World, fault: Fault) -> None:
    """Let one more request fail, then end all faults."""
    before = fault.hits
    await world.wait_until(lambda: fault.hits > before)
    world.faults.clear()


async def advance_and_run_timers(bot: LiveBot, clock: Clock, seconds: float = 61.0) -> None:
    """Advance the clock and run the timers."""
    clock.advance(seconds)
    await bot.run_timers()


async def is_known(bot: LiveBot, user: User) -> bool:
    """Whether any table contains the person's id, name or username."""
    stored = await bot.services.store.read(dump_tables)
    return any(needle in stored for needle in (str(user.id), "Zwentibold", "zwent24"))


def load_exports(world: World) -> list[dict[str, Any]]:
    return [json.loads(body) for body in world.documents]


async def test_data_is_erased_only_after_export_arrived(
    bot: LiveBot, world: World, clock: Clock, leaver: User, club: Chat
) -> None:
    await win_hand(bot, leaver, club)
    await confirm_deletion_during_outage(bot, leaver)
    for _ in range(3):
        clock.advance(HOUR)
        await bot.timers.run_all()
        assert await is_known(bot, leaver)
    world.faults.clear()
    await world.wait_until(lambda: world.documents)
    await bot.settle()
    assert not await is_known(bot, leaver)
    assert [a["expression"] for a in load_exports(world)[0]["right_answers"]] == ["1*2*3*4"]


@pytest.mark.long
@pytest.mark.parametrize("reachable", [True, False])
async def test_deletion_closes_open_boards(
    bot: LiveBot, world: World, clock: Clock, leaver: User, club: Chat, reachable: bool
) -> None:
    now, closed = bot.service.inbox.now, pages.is_closed_since
    await win_hand(bot, leaver, club)
    question, opened = await request_deletion(bot, leaver), now()
    assert not await bot.services.store.read(lambda tx: closed(tx, leaver.id, opened))
    if not reachable:
        world.faults.add("sendDocument", status=403, description="Forbidden: bot was blocked by the user")
    await press(bot, leaver, question, "Forget me")
    await bot.settle()
    await advance_and_run_timers(bot, clock)
    assert not await is_known(bot, leaver)
    assert await bot.services.store.read(lambda tx: closed(tx, leaver.id, opened))
    clock.advance(60)
    assert not await bot.services.store.read(lambda tx: closed(tx, leaver.id, now()))


async def test_export_includes_rounds_played_while_waiting(
    bot: LiveBot, world: World, leaver: User, club: Chat
) -> None:
    await win_hand(bot, leaver, club)
    deal = await bot.deal(leaver, club, 2, 3, 4, 1)
    outage = await confirm_deletion_during_outage(bot, leaver)
    world.say(leaver, club, "1*2*3*4", reply_to=deal)
    await world.wait_until_taken()
    await bot.service.inbox.wait_until_idle()
    await end_outage(world, outage)
    await world.wait_until(lambda: world.documents)
    await bot.settle()
    (whole,) = load_exports(world)
    assert len(whole["right_answers"]) == 2
    assert not await is_known(bot, leaver)


async def test_two_confirmations_send_one_export(
    bot: LiveBot, world: World, leaver: User, club: Chat
) -> None:
    await win_hand(bot, leaver, club)
    first, second = await request_deletion(bot, leaver), await request_deletion(bot, leaver)
    outage = world.faults.add("sendDocument", status=502)
    for question in (first, second):
        world.press(leaver, question, "Forget me")
    await world.wait_until_taken()
    await bot.service.inbox.wait_until_idle()
    await world.wait_until(lambda: outage.hits)
    world.faults.clear()
    await world.wait_until(lambda: world.documents)
    await bot.settle()
    assert len(load_exports(world)) == 1


async def test_deletion_can_be_cancelled_before_delivery(
    bot: LiveBot, world: World, clock: Clock, leaver: User, club: Chat
) -> None:
    await win_hand(bot, leaver, club)
    first, second = await request_deletion(bot, leaver), await request_deletion(bot, leaver)
    outage = world.faults.add("sendDocument", status=502)
    await press(bot, leaver, first, "Forget me")
    await world.wait_until(lambda: outage.hits)
    await press(bot, leaver, second, "Keep everything")
    await bot.settle()  # Requests already sent have failed by now
    world.faults.clear()
    await bot.settle()
    await advance_and_run_timers(bot, clock, HOUR)
    assert await is_known(bot, leaver)
    assert load_exports(world) == []


async def test_restart_keeps_data_and_pending_deletion(
    restart_bot: RestartBot, world: World, leaver: User, club: Chat
) -> None:
    bot = await restart_bot(world)
    await win_hand(bot, leaver, club)
    await confirm_deletion_during_outage(bot, leaver)
    bot = await restart_bot(world)
    assert await is_known(bot, leaver)
    world.faults.clear()
    await world.wait_until(lambda: world.documents)
    await bot.settle()
    assert not await is_known(bot, leaver)


async def test_refused_export_is_announced_before_deletion(
    bot: LiveBot, world: World, clock: Clock, leaver: User, club: Chat
) -> None:
    await win_hand(bot, leaver, club)
    question = await request_deletion(bot, leaver)
    world.faults.add("sendDocument", status=400)
    outage = world.faults.add("sendMessage", chat=leaver.id, status=502)
    await press(bot, leaver, question, "Forget me")
    await bot.settle()
    assert await is_known(bot, leaver)
    clock.advance(61)
    await bot.timers.run_all()
    await world.wait_until(lambda: outage.hits)
    assert await is_known(bot, leaver), "nothing is erased before the person knows"
    world.faults.remove(outage)
    notice = await world.next_post(leaver, "can’t be delivered")
    await bot.settle()
    assert "gone" in notice.text
    assert not await is_known(bot, leaver)


UNKNOWN_DELIVERY = {"hang": 0.0, "effect": True}  # The file arrives, but the bot gets no answer


async def test_copy_that_may_have_arrived_is_sent_again(
    bot: LiveBot, world: World, clock: Clock, leaver: User, club: Chat
) -> None:
    await win_hand(bot, leaver, club)
    world.faults.add("sendDocument", **UNKNOWN_DELIVERY, count=1)
    await confirm_deletion(bot, leaver)
    await bot.settle()
    assert await is_known(bot, leaver)
    await advance_and_run_timers(bot, clock)
    await bot.settle()
    assert len(load_exports(world)) == 2
    assert not await is_known(bot, leaver)


@pytest.mark.long
async def test_operator_cannot_drop_or_retry_a_deletion(
    bot: LiveBot, world: World, clock: Clock, leaver: User, club: Chat
) -> None:
    await win_hand(bot, leaver, club)
    world.faults.add("sendDocument", **UNKNOWN_DELIVERY, count=1)
    await confirm_deletion(bot, leaver)
    await bot.settle()
    request_ids = select(outbox.c.id).where(outbox.c.lane == leaver.id)
    number = await bot.services.store.read(lambda tx: int(tx.scalars(request_ids).one()))
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
        with pytest.raises(dead_letters.DeadLetterError, match="no dead letter is called"):
            await bot.services.store.write(move)
    await bot.services.store.write(lambda tx: queries.delete_expired_rows(tx, clock.now + 31 * 86_400.0))
    await advance_and_run_timers(bot, clock)
    await bot.settle()
    assert not await is_known(bot, leaver)


@pytest.mark.long
async def test_person_who_blocks_the_bot_is_deleted(
    bot: LiveBot, world: World, clock: Clock, leaver: User, club: Chat
) -> None:
    await win_hand(bot, leaver, club)
    world.faults.add("sendDocument", **UNKNOWN_DELIVERY, count=1)
    await confirm_deletion(bot, leaver)
    await bot.settle()
    world.block(leaver)
    await advance_and_run_timers(bot, clock)
    await advance_and_run_timers(bot, clock)
    assert not await is_known(bot, leaver)


async def test_waiting_posts_lose_the_deleted_name(
    bot: LiveBot, world: World, leaver: User, bob: User, club: Chat
) -> None:
    await win_hand(bot, leaver, club)
    question = await request_deletion(bot, leaver)
    outage = world.faults.add("sendMessage", chat=club.id, status=502)
    me = f"@{world.bot.username}"
    for text in (f"/leaderboard{me}", f"/stats{me} @zwent24"):
        world.say(bob, club, text)
    await world.wait_until(lambda: outage.hits)
    await bot.service.inbox.wait_until_idle()
    await press(bot, leaver, question, "Forget me")
    await world.wait_until(lambda: world.documents)

    requests = await bot.services.store.read(lambda tx: repr(list(tx.execute(select(outbox)))))
    assert "Zwentibold" not in requests
    async with asyncio.timeout(60):  # Posts made before that may still name the person
        while await bot.services.store.read(lambda tx: leaver.id in people.load_names(tx, [leaver.id])):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await end_outage(world, outage)
    await bot.settle()
    assert not await is_known(bot, leaver)
    board, figures = (post.text.splitlines() for post in world.posts(club)[1:])
    assert board[1:] == [
        "🥇 \u2068•\u2069",
        "1. \u2068•\u2069 — 2",
        "\u2068Bob\u2069 has no points here yet.",
    ]
    assert figures[0] == "\u2068•\u2069 · Twenty-Four"
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
async def test_notes_lose_the_name_in_any_spelling(
    bot: LiveBot, world: World, leaver: User, bob: User, club: Chat, spelling: str
) -> None:
    """The person wins, Bob is late and a note on the deal says so; then the person changes the name."""
    leaver.first_name = spelling
    deal = await bot.deal(leaver, club, 1, 2, 3, 4)

    def no_more_posts(tx: Tx) -> None:
        tx.execute(update(metadata.tables["chats"]).values(patience=0.0))

    await bot.services.store.write(no_more_posts)
    bot.rig(2, 4, 8, 10)
    await bot.say(leaver, club, "1*2*3*4", reply_to=deal)
    world.say(leaver, club, f"/play@{world.bot.username} all")
    await bot.settle()
    every = world.posts(club)[-1]
    await bot.services.store.write(no_more_posts)
    await bot.say(leaver, club, "2*8+10-4+2", reply_to=every)
    first = next(iter(bot.solving.hands), None)
    assert first is None
    idea = (await bot.services.store.read(lambda tx: rounds.load_open_round(tx, club.id, 0))).puzzle.ideas[0]  # type: ignore[union-attr]
    await bot.say(leaver, club, idea, reply_to=every)
    await bot.say(bob, club, idea, reply_to=every)
    stored = await bot.services.store.read(lambda tx: list(tx.scalars(select(tries.c.note))))
    assert stored == ["", f"🤝 Right as well! <p {leaver.id}> was first"], (
        "the note on a wrong answer is gone"
    )
    assert "was first" in every.text
    leaver.first_name = "Another"
    await bot.say(leaver, club, f"/stats@{world.bot.username}")
    await confirm_deletion(bot, leaver)
    await bot.settle()
    tables = await bot.services.store.read(dump_tables)
    assert str(leaver.id) not in tables
    assert spelling not in tables
    assert "was first" in tables, "Bob's note stays"


async def test_deleting_only_winner_keeps_chat_uncounted(
    bot: LiveBot, bob: User, leaver: User, club: Chat
) -> None:
    await win_hand(bot, leaver, club)
    await confirm_deletion(bot, leaver)
    await bot.settle()
    assert not await bot.services.store.read(lambda tx: totals.is_chat_counted(tx, club.id))
    await win_hand(bot, bob, club)
    assert await bot.services.store.read(lambda tx: boards.load_leaders(tx, totals.ALL_CHATS, "24 all")) == []


async def test_reveals_are_deleted_after_seven_days(
    bot: LiveBot, world: World, clock: Clock, leaver: User, bob: User, club: Chat
) -> None:
    await bot.deal(bob, club, 3, 8, 3, 8)
    await bot.say(leaver, world.chat_of(leaver), "/solve 3 8 3 8")
    readers = select(metadata.tables["reveals"].c.reader)
    stored = await bot.services.store.read(lambda tx: list(tx.scalars(readers)))
    assert len(stored) == 1
    assert leaver.id not in stored
    await advance_and_run_timers(bot, clock, 7 * 86_400.0 + 1)
    assert await bot.services.store.read(lambda tx: list(tx.scalars(readers))) == []


async def test_deletion_leaves_no_waiting_request(bot: LiveBot, leaver: User, club: Chat) -> None:
    await win_hand(bot, leaver, club)
    await confirm_deletion(bot, leaver)
    await bot.settle()
    left = await bot.services.store.read(
        lambda tx: list(tx.execute(select(outbox).where(outbox.c.state != "sent")))
    )
    assert left == []
