"""Queries of achievements: earned once, by stored facts."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, select, update

from bot.database import Tx
from bot.database.schema import achievements, awards
from bot.database.schema import rounds as table
from bot.players import queries as people
from bot.rounds import attempts
from bot.rounds import queries as rounds
from bot.rounds.puzzle import Kind
from bot.rounds.rules import PLACE_PREFIX, Award, Round, State
from bot.standings.achievements import queries as store
from bot.standings.achievements.queries import PlayerAchievements
from bot.standings.achievements.rules import Feat
from bot.standings.leaderboard import queries as boards
from tests.bot.databases import Database
from tests.sample_rounds import SEVERAL_IDEAS, make_round, store_round
from tests.stories.clock import NOON

ANN, BOB = 7, 8


def insert_win(tx: Tx, who: int = ANN, *, seconds: float = 60.0, at: float = NOON, **fields: Any) -> Round:
    """Let a player win a hand, an easy one by default."""
    people.insert_or_update_player(tx, people.Player(who, f"P{who}"))
    ended = {key: fields.pop(key) for key in ("streak", "day_first") if key in fields}
    dealt: dict[str, Any] = {"level": "easy", "opened": at - seconds, "deadline": None} | fields
    stored = store_round(tx, make_round(**dealt))
    won = replace(stored, state=State.WON, winner_id=who, closed=at, **ended)
    assert rounds.close_round(tx, won)
    assert boards.insert_award(tx, won, Award(who, 1, max(0.0, seconds), "8/(3-8/3)", ""), 7, at)
    return won


async def test_ordinary_win_earns_nothing(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert store.load_round_achievements(tx, [insert_win(tx).id]) == []

    await db(story)


async def test_each_achievement_is_earned_once_and_announced_in_its_round(db: Database) -> None:
    def story(tx: Tx) -> None:
        first = insert_win(tx, seconds=4.0, level="fiendish")
        again = insert_win(tx, seconds=3.0, level="fiendish", streak=10)
        his = insert_win(tx, BOB, level="fiendish")
        assert store.load_round_achievements(tx, [first.id]) == [(ANN, ("fiendish", "lightning"))]
        assert store.load_round_achievements(tx, [again.id]) == [(ANN, ("row",))]
        assert store.load_round_achievements(tx, [first.id, his.id]) == [
            (ANN, ("fiendish", "lightning")),
            (BOB, ("fiendish",)),
        ]
        assert sorted(store.load_achievements(tx, ANN)) == ["fiendish", "lightning", "row"]

    await db(story)


async def test_unknown_time_earns_nothing(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert store.load_round_achievements(tx, [insert_win(tx, seconds=-5.0).id]) == []

    await db(story)


async def test_right_answer_after_three_wrong_ones_earns_undaunted(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.insert_or_update_player(tx, people.Player(ANN, "Ann"))
        stored = store_round(tx, make_round(level="easy", opened=NOON - 60))
        for _ in range(3):
            attempts.count_answer(tx, stored.id, ANN, "wrong")
        won = replace(stored, state=State.WON, winner_id=ANN, closed=NOON)
        assert boards.insert_award(tx, won, Award(ANN, 1, 60.0, "8/(3-8/3)", ""), 7, NOON)
        assert store.load_round_achievements(tx, [stored.id]) == [(ANN, ("undaunted",))]

    await db(story)


@pytest.mark.long
async def test_hundred_wins_count_over_all_chats(db: Database) -> None:
    def story(tx: Tx) -> None:
        for n in range(99):
            last = insert_win(tx, chat_id=-1 - n % 3)
        assert store.load_round_achievements(tx, [last.id]) == []
        assert store.load_round_achievements(tx, [insert_win(tx).id]) == [(ANN, ("hundred",))]

    await db(story)


async def test_ten_first_wins_of_a_day_earn_early_bird(db: Database) -> None:
    def story(tx: Tx) -> None:
        for _ in range(9):
            insert_win(tx, day_first=True)
            insert_win(tx, BOB, day_first=True)
        assert store.load_round_achievements(tx, [insert_win(tx).id]) == []
        assert store.load_round_achievements(tx, [insert_win(tx, day_first=True).id]) == [
            (ANN, ("early bird",))
        ]

    await db(story)


async def test_night_owl_needs_a_chosen_time_zone(db: Database) -> None:
    night = NOON + 15 * 3600  # three o'clock by UTC

    def story(tx: Tx) -> None:
        assert store.load_round_achievements(tx, [insert_win(tx, at=night).id]) == []
        people.store_setting(tx, -7, "timezone", "Asia/Karachi")
        assert store.load_round_achievements(tx, [insert_win(tx, at=night).id]) == []
        people.store_setting(tx, -7, "timezone", "Atlantic/Azores")
        assert store.load_round_achievements(tx, [insert_win(tx, at=night).id]) == [(ANN, ("night owl",))]

    await db(story)


def insert_finds(tx: Tx, *finders: int) -> list[PlayerAchievements]:
    """Let the players find an idea each; return the achievements of the round."""
    hand = {**SEVERAL_IDEAS, "ideas": SEVERAL_IDEAS["ideas"][:3], "level": "easy"}
    stored = store_round(tx, make_round(kind=Kind.ALL, opened=NOON - 60, **hand))
    for idea, who in zip(hand["ideas"], finders, strict=False):
        people.insert_or_update_player(tx, people.Player(who, f"P{who}"))
        assert boards.insert_award(tx, stored, Award(who, 1, 60.0, idea, idea), 7, NOON)
    tx.execute(update(table).where(table.c.id == stored.id).values(state="won"))
    return store.load_round_achievements(tx, [stored.id])


async def test_every_idea_must_be_found_by_one_player(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert insert_finds(tx, ANN, ANN) == []
        assert insert_finds(tx, ANN, BOB, ANN) == []
        assert insert_finds(tx, ANN, ANN, ANN) == [(ANN, ("every idea",))]

    await db(story)


async def test_daily_hand_earns_achievements_for_its_result(db: Database) -> None:
    def story(tx: Tx) -> None:
        store.insert_daily_achievements(
            tx, ANN, "2026-11-21", Feat(is_fiendish=True, seconds=60.0, daily_streak=7), NOON
        )
        store.insert_daily_achievements(
            tx, ANN, "2026-11-22", Feat(is_fiendish=True, seconds=2.0, daily_streak=8), NOON
        )
        assert store.load_daily_achievements(tx, "2026-11-21", ANN) == ["fiendish", "week"]
        assert store.load_daily_achievements(tx, "2026-11-22", ANN) == ["lightning"]
        assert store.load_daily_achievements(tx, "2026-11-22", BOB) == []
        assert tx.scalar(select(func.count()).select_from(achievements)) == 3

    await db(story)


async def test_achievements_of_one_chat_were_earned_there(db: Database) -> None:
    def story(tx: Tx) -> None:
        here = insert_win(tx, seconds=3.0, at=NOON)
        insert_win(tx, level="fiendish", at=NOON + 60, chat_id=-9)
        assert store.load_achievements(tx, ANN) == ["fiendish", "lightning"]
        assert store.load_achievements(tx, ANN, here.chat_id) == ["lightning"]
        assert store.load_achievements(tx, ANN, -9) == ["fiendish"]

    await db(story)


async def test_rounds_scored_at_the_end_earn_neither_fiendish_nor_lightning(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.insert_or_update_player(tx, people.Player(ANN, "Ann"))
        hard: dict[str, Any] = {"kind": Kind.BEST, "level": "fiendish", "opened": NOON - 3}
        for part in (f"{PLACE_PREFIX}2", ""):
            stored = store_round(tx, make_round(chat_id=-1 - len(part), **hard))
            assert boards.insert_award(tx, stored, Award(ANN, 2, 3.0, "8*3", part), 7, NOON)
            assert store.load_round_achievements(tx, [stored.id]) == []

    await db(story)


async def test_places_of_a_contest_do_not_count_as_wins(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.insert_or_update_player(tx, people.Player(ANN, "Ann"))
        for n in range(1, 101):
            row = {"chat_id": -1, "player_id": ANN, "points": 1, "seconds": 60.0, "level": "easy", "at": NOON}
            more = {"round_id": 1000 + n, "idea": f"{PLACE_PREFIX}2", "expected": 9.0, "expression": "8*3"}
            more |= {"game": "24", "kind": "contest"}
            tx.execute(awards.insert().values(row | more | {"message_id": n}))
        assert store.load_round_achievements(tx, [insert_win(tx).id]) == []
        tx.execute(update(awards).where(awards.c.round_id < 1100).values(idea=""))
        assert store.load_round_achievements(tx, [insert_win(tx).id]) == [(ANN, ("hundred",))]

    await db(story)


async def test_only_the_winner_of_a_round_has_its_streak(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.insert_or_update_player(tx, people.Player(BOB, "Bob"))
        won = insert_win(tx, streak=10)
        assert boards.insert_award(tx, won, Award(BOB, 1, 60.0, "8*3", "another"), 7, NOON)
        assert store.load_round_achievements(tx, [won.id]) == [(ANN, ("row",))]

    await db(story)


async def test_players_are_ordered_by_when_they_earned(db: Database) -> None:
    def story(tx: Tx) -> None:
        his = insert_win(tx, BOB, level="fiendish")
        later = insert_win(tx, level="fiendish", at=NOON + 1)
        hers = insert_win(tx, 9, level="fiendish")
        honours = store.load_round_achievements(tx, [later.id, his.id, hers.id])
        assert [player_id for player_id, _ in honours] == [BOB, 9, ANN]

    await db(story)
