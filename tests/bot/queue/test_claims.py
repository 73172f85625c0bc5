"""A bot that has its database to itself serves every chat and waits for nobody."""

from bot.queue.claims import ALONE
from tests.bot.queue.rows import Rows


def test_every_chat_is_its_own() -> None:
    assert not ALONE.shared
    assert all(ALONE.has(lane) and ALONE.holds(lane) for lane in (-100, 0, 7))
    assert ALONE.token(-100) == 0
    assert ALONE.backlog == 0


def test_nothing_is_asked_of_the_database() -> None:
    rows = Rows()
    rows.look(lambda tx: ALONE.check(tx, -100, 5))
    rows.look(ALONE.check_lead)
    assert rows.look(lambda tx: ALONE.beside(tx, [-100])) == []


async def test_what_one_bot_does_for_all_it_does_and_it_waits_for_no_pace() -> None:
    led = list[int]()

    async def part() -> None:
        await ALONE.slot()
        led.append(1)

    ALONE.hint()
    await ALONE.leading(part)
    assert led == [1]
