"""A bot that has its database to itself serves every chat and waits for nobody."""

from bot.queue.leases import SINGLE_BOT
from tests.bot.queue.rows import Rows


def test_every_chat_is_its_own() -> None:
    assert not SINGLE_BOT.shared
    assert all(SINGLE_BOT.owns(lane) and SINGLE_BOT.surely_owns(lane) for lane in (-100, 0, 7))
    assert SINGLE_BOT.get_token(-100) == 0
    assert SINGLE_BOT.backlog == 0


def test_nothing_is_asked_of_the_database() -> None:
    rows = Rows()
    rows.look(lambda tx: SINGLE_BOT.check_token(tx, -100, 5))
    rows.look(SINGLE_BOT.check_leader)
    assert rows.look(lambda tx: SINGLE_BOT.load_waiting_updates(tx, [-100])) == []


async def test_what_one_bot_does_for_all_it_does_and_it_waits_for_no_pace() -> None:
    led = list[int]()

    async def part() -> None:
        await SINGLE_BOT.wait_for_slot()
        led.append(1)

    SINGLE_BOT.notify_others()
    await SINGLE_BOT.run_while_leader(part)
    assert led == [1]
