"""What the database keeps of what people were shown."""

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import func, insert, select, text, update

from bot.database import Tx
from bot.database.schema import attempts, giveaways
from bot.database.schema import reveals as table
from bot.database.schema import rounds as rounds_table
from bot.games.daily import queries as daily
from bot.games.daily.rules import Daily
from bot.games.puzzle import Query
from bot.games.rounds import queries as rounds
from bot.games.rounds import reveals
from bot.games.rounds.rules import State, ended
from bot.people.privacy import aliases
from bot.people.privacy import queries as privacy
from tests.bot.databases import Database, in_file
from tests.bot.games.rounds.test_presence import TRACES
from tests.hands import changed, deal, hand_of, opened
from tests.stories.hours import NOON

HOUR, DAY = 3600.0, 86_400.0
ANN, BOB, HERE, THERE = 5_000_000_001, 5_000_000_002, -7, -8
HAND = deal(chat_id=HERE, hint_values=("a", "b", "c"), dealer_id=BOB)
ASKED = [Query("8 8 3 3 1 → 25")]


async def test_a_wider_question_counts_for_the_hand_that_is_live(db: Database) -> None:
    def story(tx: Tx) -> None:
        reveals.remember(tx, [ANN], ASKED, NOON)
        assert tx.scalar(select(func.count()).select_from(table)) == 0  # nothing was live
        round = opened(tx, HAND)
        reveals.remember(tx, [ANN], ASKED, NOON + 5)
        assert reveals.seen(tx, round, ANN, NOON + 9)
        assert not reveals.seen(tx, round, ANN, NOON + 4)
        assert not reveals.seen(tx, round, BOB, NOON + 9)
        again = replace(round, opened=NOON + 6)
        assert not reveals.seen(tx, again, ANN, NOON + 9)

    await db(story)


async def test_a_chat_is_told_by_what_was_shown_and_its_asker_by_what_was_asked(db: Database) -> None:
    def story(tx: Tx) -> None:
        round, now = opened(tx, HAND), NOON + 5
        opened(tx, changed(HAND, chat_id=THERE, numbers=(1, 1, 1, 1), dealer_id=ANN))
        many = [Query("1 2 3 3 4 5 6 8 8 → 24")]
        reveals.remember(tx, [THERE, BOB], many, now, ["1+2+3-3+4-5-6+8+8"])
        assert reveals.seen(tx, round, BOB, now)
        assert not reveals.seen(tx, round, ANN, now)
        reveals.remember(tx, [THERE, BOB], many, now, ["1+2+4+5-6-6+8/(3-8/3)"])
        assert reveals.seen(tx, round, ANN, now)

    await db(story)


async def test_hints_count_by_the_most_that_was_shown_and_a_solution_counts_for_more(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = opened(tx, HAND)
        for hints in (1, 2, 1):
            reveals.remember(tx, [ANN], ASKED, NOON + 5, hints=hints)
        assert reveals.helped(tx, round, ANN, NOON + 9).hints == 2
        assert reveals.helped(tx, changed(round, hints=3), ANN, NOON + 9).hints == 3
        assert reveals.helped(tx, round, BOB, NOON + 9) is round
        assert not reveals.seen(tx, round, ANN, NOON + 9)
        reveals.remember(tx, [ANN], ASKED, NOON + 5)
        assert reveals.seen(tx, round, ANN, NOON + 9)
        reveals.remember(tx, [ANN], ASKED, NOON + 5, hints=3)
        assert reveals.seen(tx, round, ANN, NOON + 9)

    await db(story)


async def test_one_hint_counts_and_none_takes_the_place_of_more_that_were_shown_before(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = opened(tx, HAND)
        reveals.remember(tx, [ANN], ASKED, NOON + 5, hints=1)
        assert reveals.helped(tx, round, ANN, NOON + 5).hints == 1
        reveals.remember(tx, [ANN], ASKED, NOON + 6, hints=2)
        reveals.remember(tx, [ANN], ASKED, NOON + 7, hints=1)
        assert reveals.hints_seen(tx, "24", HAND.line, ANN, NOON, NOON + 9) == 2
        shown = changed(round, hints=2)
        assert reveals.helped(tx, shown, ANN, NOON + 9) is shown
        assert reveals.hints_seen(tx, "24", HAND.line, BOB, NOON, NOON + 9) == 0

    await db(story)


async def test_hints_of_the_hand_of_these_days_are_remembered_and_its_solution_is_not(db: Database) -> None:
    def story(tx: Tx) -> None:
        daily.keep_hand(tx, Daily("2026-11-21", "24", hand_of(HAND)))
        reveals.remember(tx, [ANN], ASKED, NOON)
        assert reveals.hints_seen(tx, "24", HAND.line, ANN, NOON, NOON + 1) == 0
        assert tx.scalar(select(func.count()).select_from(table)) == 0
        reveals.remember(tx, [ANN], ASKED, NOON, hints=2)
        assert reveals.hints_seen(tx, "24", HAND.line, ANN, NOON, NOON + 1) == 2

    await db(story)


async def test_what_is_shown_lets_go_of_what_was_shown_a_week_ago(db: Database) -> None:
    def story(tx: Tx) -> None:
        opened(tx, HAND)
        for at, kept in ((0.0, 1), (7 * DAY, 2), (7 * DAY + 1, 2)):
            reveals.remember(tx, [ANN], ASKED, NOON + at)
            assert tx.scalar(select(func.count()).select_from(table)) == kept

    await db(story)


async def test_what_is_shown_within_the_second_of_the_deal_counts(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = opened(tx, HAND)
        tx.execute(insert(table).values(hand="3 3 8 8 → 24", reader=ANN, at=NOON))
        tx.execute(insert(table).values(hand="3 3 8 8 → 24", reader=BOB, at=NOON - 0.1))
        assert reveals.seen_by(tx, replace(round, opened=NOON + 0.9), [ANN, BOB], NOON + 1) == {ANN}

    await db(story)


async def test_a_rounds_own_hints_are_no_reveal(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = opened(tx, HAND)
        reveals.remember(tx, [HERE, BOB], [Query(round.line)], NOON + 5, but=round.id, hints=1)
        assert tx.scalar(select(func.count()).select_from(table)) == 0

    await db(story)


async def test_who_gave_away_two_hands_within_an_hour_is_barred_for_one(db: Database) -> None:
    def story(tx: Tx) -> None:
        for at, now, barred in (
            (0.0, 0.0, False),
            (HOUR + 1, HOUR + 1, False),
            (2 * HOUR + 1, 2 * HOUR + 1, True),
            (2 * HOUR + 1, 3 * HOUR + 1, True),
            (2 * HOUR + 1, 3 * HOUR + 2, False),
            (3 * HOUR + 1, 3 * HOUR + 2, True),
        ):
            reveals.gave_away(tx, ANN, NOON + at)
            assert reveals.barred(tx, ANN, NOON + now) is barred
        assert not reveals.barred(tx, BOB, NOON)

    await db(story)


async def test_what_ended_elsewhere_counts_by_what_it_gives_away(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = opened(tx, HAND)
        wider = opened(tx, changed(HAND, chat_id=THERE, numbers=(3, 8, 3, 8, 1), dealer_id=ANN))
        assert not reveals.seen(tx, round, ANN, NOON + 20)
        assert rounds.close(tx, ended(wider, State.SKIPPED, NOON + 10))
        assert reveals.seen(tx, round, ANN, NOON + 20)
        assert not reveals.seen(tx, round, BOB, NOON + 20)

    await db(story)


async def test_a_hand_given_away_in_one_chat_is_known_to_all_who_play_there(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = opened(tx, HAND)
        other = opened(tx, replace(HAND, chat_id=THERE, dealer_id=ANN))
        assert rounds.close(tx, ended(other, State.GIVEN_AWAY, NOON + 10))
        after = opened(tx, changed(HAND, chat_id=THERE, numbers=(1, 5, 5, 5), dealer_id=ANN))
        assert reveals.seen(tx, round, ANN, NOON + 20)
        assert [r.state for r in rounds.given_away(tx, after)] == [State.GIVEN_AWAY]
        assert rounds.in_place_of(tx, replace(other, state=State.GIVEN_AWAY)) == after
        assert rounds.given_away(tx, round) == []

    await db(story)


@pytest.mark.long
async def test_forgetting_leaves_an_alias_for_some_days(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = opened(tx, HAND)
        reveals.remember(tx, [ANN], ASKED, NOON + 5)
        reveals.gave_away(tx, ANN, NOON + 6)
        for back in range(6):
            daily.begin(tx, f"2026-11-{21 - back}", ANN, NOON - back * DAY)
        for _ in range(2):
            privacy.forget(tx, ANN)
        kept = [*tx.scalars(select(table.c.reader)), *tx.scalars(select(giveaways.c.player_id))]
        kept += tx.scalars(select(attempts.c.player_id)).all()
        assert kept == [aliases.alias(tx, ANN)] * (1 + 1 + 3)
        assert kept[0] < aliases.HIGHEST
        assert aliases.alias(tx, BOB) != aliases.alias(tx, ANN)
        assert reveals.seen(tx, round, ANN, NOON + 9)
        shown = privacy.export(tx, ANN)
        assert [row["hand"] for row in shown["solutions_shown"]] == ["3 3 8 8 → 24"]
        assert len(shown["daily_hands"]) == 3
        assert daily.begin(tx, "2026-11-21", ANN, NOON + 60).opened == NOON
        assert daily.begin(tx, "2026-11-21", ANN, NOON + 60).player_id == ANN
        privacy.forget(tx, ANN)
        daily.sweep(tx, NOON + 3 * DAY + 1)
        reveals.sweep(tx, NOON + 7 * DAY + 7)
        assert privacy.export(tx, ANN)["daily_hands"] == []
        assert tx.scalar(select(func.count()).select_from(table)) == 0
        assert tx.scalar(select(func.count()).select_from(giveaways)) == 0

    await db(story)


@pytest.mark.long
@pytest.mark.parametrize("trace", TRACES)
async def test_what_was_shown_in_a_chat_stays_with_those_who_played_there(db: Database, trace: str) -> None:
    def carried(tx: Tx, player: int) -> bool:
        reveals.carry(tx, player)
        return aliases.alias(tx, player) in tx.scalars(select(table.c.reader)).all()

    def story(tx: Tx) -> None:
        TRACES[trace](tx, opened(tx, HAND))
        opened(tx, replace(HAND, chat_id=THERE))
        reveals.remember(tx, [HERE], ASKED, NOON + 5)
        assert carried(tx, ANN)
        assert not carried(tx, BOB + 1)

    await db(story)


async def test_hands_that_were_given_away_are_forgotten_after_a_week(db: Database) -> None:
    def story(tx: Tx) -> None:
        for at, kept in ((0.0, 1), (7 * DAY, 2), (7 * DAY + 1, 2)):
            reveals.gave_away(tx, ANN, NOON + at)
            assert tx.scalar(select(func.count()).select_from(giveaways)) == kept

    await db(story)


def test_a_round_gives_away_what_it_asks_for_with_all_that_its_end_shows() -> None:
    assert reveals.ended(HAND) == Query("3 8 3 8 → 24", ("8/(3-8/3)",))


async def test_only_what_can_be_played_is_on_tables(db: Database) -> None:
    def story(tx: Tx) -> None:
        over = opened(tx, replace(HAND, chat_id=THERE))
        assert rounds.close(tx, ended(over, State.SKIPPED, NOON + 1))
        unknown = opened(tx, replace(HAND, chat_id=-9))
        timeless = opened(tx, changed(HAND, chat_id=-10, numbers=(3, 3, 8, 8)))
        opened(tx, HAND)
        tx.execute(update(rounds_table).where(rounds_table.c.id == unknown.id).values(game="chess"))
        assert sorted(reveals.on_tables(tx)) == [("24", "3 3 8 8 → 24"), ("24", "3 8 3 8 → 24")]
        tx.execute(update(rounds_table).where(rounds_table.c.id == timeless.id).values(opened=float("inf")))
        assert reveals.live(tx, ASKED) == [reveals.Live(HERE, "24", "3 8 3 8 → 24", NOON)]
        assert reveals.live(tx, [Query("1 1 11 11 → 24")]) == []

    await db(story)


async def test_the_first_round_of_all_is_given_away_too(db: Database) -> None:
    def story(tx: Tx) -> None:
        first = opened(tx, HAND)
        assert [one.chat_id for one in reveals.live(tx, ASKED)] == [HERE]
        assert reveals.live(tx, ASKED, but=first.id) == []

    await db(story)


async def test_what_nobody_dealt_is_shown_without_what_gives_a_live_hand_away(db: Database) -> None:
    def story(tx: Tx) -> None:
        nobodys = opened(tx, replace(HAND, chat_id=THERE, dealer_id=0))
        over = ended(nobodys, State.EXPIRED, NOON + 600)
        assert reveals.kept_back(tx, over) is over  # nothing else is live
        opened(tx, HAND)
        assert reveals.kept_back(tx, over) == changed(over, ideas=())
        assert reveals.kept_back(tx, nobodys) is nobodys  # its own hand is not over
        anns = replace(over, dealer_id=ANN)
        assert reveals.kept_back(tx, anns) is anns

    await db(story)


async def test_a_hand_is_seen_in_this_chat_or_wherever_else_the_person_plays(db: Database) -> None:
    def story(tx: Tx) -> None:
        opened(tx, HAND)
        here, there = (reveals.Live(chat, "24", HAND.line, NOON) for chat in (HERE, THERE))
        assert reveals.live_before(tx, BOB, THERE, [here, there]) == THERE
        assert reveals.live_before(tx, BOB, THERE, [here]) == HERE
        assert reveals.live_before(tx, ANN, THERE, [here]) is None
        assert reveals.live_before(tx, None, THERE, [here]) is None
        assert reveals.live_before(tx, None, HERE, [here]) == HERE

    await db(story)


async def test_live_hands_are_found_by_an_index(tmp_path: Path) -> None:
    async with in_file(tmp_path) as db:
        look = "EXPLAIN QUERY PLAN SELECT chat_id, game, line FROM rounds WHERE state = 'open' AND id != 0"
        (plan,) = await db(lambda tx: list(tx.execute(text(look))))
        assert "USING INDEX" in plan[-1]
