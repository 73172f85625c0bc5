"""Links that lead from a private chat to a round."""

from bot.durations import HOUR
from bot.rounds import attempts, ledger, secret_answers
from bot.rounds import queries as rounds
from bot.rounds.puzzle import Entry
from bot.rounds.rules import State, mark_ended
from bot.rounds.secret_answers import LINK_LIFETIME
from tests.bot.databases import Database
from tests.sample_rounds import make_round, store_round

ANN, BOB, GROUP, NOW = 1, 2, -100, 1.8e9


async def test_linked_rounds_are_sorted_latest_first(db: Database) -> None:
    for player, number, at in ((ANN, 7, 1), (BOB, 7, 1), (ANN, 8, 2), (ANN, 9, 3), (ANN, 7, 4)):
        await db(lambda tx, p=player, n=number, t=NOW + at: secret_answers.store_opened_link(tx, p, n, t))  # type: ignore[misc]
    assert await db(lambda tx: secret_answers.load_linked_round_ids(tx, ANN)) == [7, 9, 8]
    assert await db(lambda tx: secret_answers.load_linked_round_ids(tx, BOB)) == [7]
    assert await db(lambda tx: secret_answers.load_linked_round_ids(tx, 3)) == []
    for number in range(10, 20):
        await db(lambda tx, n=number: secret_answers.store_opened_link(tx, ANN, n, NOW + n))  # type: ignore[misc]
    assert await db(lambda tx: secret_answers.load_linked_round_ids(tx, ANN)) == [19, 18, 17, 16, 15]


async def test_links_count_for_every_round_of_the_group(db: Database) -> None:
    here = await db(lambda tx: store_round(tx, make_round(chat_id=GROUP)))
    there = await db(lambda tx: store_round(tx, make_round(chat_id=GROUP - 1)))
    for player, number in ((ANN, here.id), (ANN, there.id), (BOB, there.id)):
        await db(lambda tx, p=player, n=number: secret_answers.store_opened_link(tx, p, n, NOW))  # type: ignore[misc]
    assert await db(lambda tx: secret_answers.load_players_with_links(tx, GROUP)) == [ANN]
    assert sorted(await db(lambda tx: secret_answers.load_players_with_links(tx, GROUP - 1))) == [ANN, BOB]
    await db(lambda tx: secret_answers.delete_links_to_chat(tx, ANN, GROUP - 1))
    assert await db(lambda tx: secret_answers.load_linked_round_ids(tx, ANN)) == [here.id]
    assert await db(lambda tx: secret_answers.load_linked_round_ids(tx, BOB)) == [there.id]


async def test_links_of_ended_rounds_are_deleted(db: Database) -> None:
    live = await db(lambda tx: store_round(tx, make_round(chat_id=GROUP)))
    over = await db(lambda tx: store_round(tx, make_round(chat_id=GROUP - 1)))
    await db(lambda tx: rounds.close_round(tx, mark_ended(over, State.SKIPPED, NOW)))
    await db(lambda tx: secret_answers.store_opened_link(tx, ANN, live.id, NOW))
    await db(lambda tx: secret_answers.store_opened_link(tx, BOB, over.id, NOW))
    await db(lambda tx: secret_answers.delete_old_links(tx, NOW + HOUR))
    assert await db(lambda tx: secret_answers.load_linked_round_ids(tx, BOB)) == [over.id]
    await db(lambda tx: secret_answers.delete_old_links(tx, NOW + HOUR + 1))
    assert await db(lambda tx: secret_answers.load_linked_round_ids(tx, BOB)) == []
    assert await db(lambda tx: secret_answers.load_linked_round_ids(tx, ANN)) == [live.id]
    await db(lambda tx: secret_answers.delete_old_links(tx, NOW + LINK_LIFETIME + 1))
    assert await db(lambda tx: secret_answers.load_linked_round_ids(tx, ANN)) == []


async def test_player_has_answered_only_in_that_chat(db: Database) -> None:
    here = await db(lambda tx: store_round(tx, make_round(chat_id=GROUP)))
    await db(lambda tx: attempts.store_entry(tx, here.id, Entry(ANN, "1+2", NOW)))
    assert await db(lambda tx: ledger.has_answered_in_chat(tx, ANN, GROUP))
    assert not await db(lambda tx: ledger.has_answered_in_chat(tx, ANN, GROUP - 1))
    assert not await db(lambda tx: ledger.has_answered_in_chat(tx, BOB, GROUP))
