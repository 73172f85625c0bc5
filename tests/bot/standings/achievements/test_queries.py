"""Queries of achievements: earned once, by stored facts."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, select, update

from bot.database import Tx
from bot.database.schema import achievements, awards
from bot.database.schema import rounds as table
from bot.i18n import get_words
from bot.modes.daily import queries as daily
from bot.modes.daily.rules import DailyHand, make_attempt
from bot.players import queries as people
from bot.rounds import attempts, ledger
from bot.rounds import queries as rounds
from bot.rounds.puzzle import Kind
from bot.rounds.rules import PLACE_PREFIX, Award, Round, State
from bot.standings import achievements as store
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
    assert ledger.insert_award(tx, won, Award(who, 1, max(0.0, seconds), "8/(3-8/3)", ""), 7, at)
    return won


def load_earned(tx: Tx, *shown: Round) -> list[tuple[int, tuple[str, ...]]]:
    """Return who earned what in these rounds, the achievements in the order of `CONDITIONS`."""
    earned = store.load_earned_names(tx, shown)
    return [(who, tuple(name for name in store.CONDITIONS if name in own)) for who, own in earned.items()]


async def test_ordinary_win_earns_nothing(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert load_earned(tx, insert_win(tx)) == []

    await db(story)


async def test_each_achievement_is_earned_once_and_announced_in_its_round(db: Database) -> None:
    def story(tx: Tx) -> None:
        first = insert_win(tx, seconds=4.0, level="fiendish")
        again = insert_win(tx, seconds=3.0, level="fiendish", streak=10)
        his = insert_win(tx, BOB, level="fiendish")
        assert load_earned(tx, first) == [(ANN, ("fiendish", "lightning"))]
        assert load_earned(tx, again) == [(ANN, ("row",))]
        assert load_earned(tx, first, his) == [
            (ANN, ("fiendish", "lightning")),
            (BOB, ("fiendish",)),
        ]
        assert sorted(store.load_achievements(tx, ANN)) == ["fiendish", "lightning", "row"]

    await db(story)


async def test_unknown_time_earns_nothing(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert load_earned(tx, insert_win(tx, seconds=-5.0)) == []

    await db(story)


async def test_right_answer_after_three_wrong_ones_earns_undaunted(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.insert_or_update_player(tx, people.Player(ANN, "Ann"))
        stored = store_round(tx, make_round(level="easy", opened=NOON - 60))
        for _ in range(3):
            attempts.count_answer(tx, stored.id, ANN, "wrong")
        won = replace(stored, state=State.WON, winner_id=ANN, closed=NOON)
        assert ledger.insert_award(tx, won, Award(ANN, 1, 60.0, "8/(3-8/3)", ""), 7, NOON)
        assert load_earned(tx, stored) == [(ANN, ("undaunted",))]

    await db(story)


@pytest.mark.long
async def test_hundred_wins_count_over_all_chats(db: Database) -> None:
    def story(tx: Tx) -> None:
        for n in range(99):
            last = insert_win(tx, chat_id=-1 - n % 3)
        assert load_earned(tx, last) == []
        assert load_earned(tx, insert_win(tx)) == [(ANN, ("hundred",))]

    await db(story)


async def test_ten_first_wins_of_a_day_earn_early_bird(db: Database) -> None:
    def story(tx: Tx) -> None:
        for _ in range(9):
            insert_win(tx, day_first=True)
            insert_win(tx, BOB, day_first=True)
        assert load_earned(tx, insert_win(tx)) == []
        assert load_earned(tx, insert_win(tx, day_first=True)) == [(ANN, ("early bird",))]

    await db(story)


async def test_night_owl_needs_a_chosen_time_zone(db: Database) -> None:
    night = NOON + 15 * 3600  # three o'clock by UTC

    def story(tx: Tx) -> None:
        assert load_earned(tx, insert_win(tx, at=night)) == []
        people.store_setting(tx, -7, "timezone", "Asia/Karachi")
        assert load_earned(tx, insert_win(tx, at=night)) == []
        people.store_setting(tx, -7, "timezone", "Atlantic/Azores")
        assert load_earned(tx, insert_win(tx, at=night)) == [(ANN, ("night owl",))]

    await db(story)


def insert_finds(tx: Tx, *finders: int) -> list[tuple[int, tuple[str, ...]]]:
    """Let the players find an idea each; return the achievements of the round."""
    hand = {**SEVERAL_IDEAS, "ideas": SEVERAL_IDEAS["ideas"][:3], "level": "easy"}
    stored = store_round(tx, make_round(kind=Kind.ALL, opened=NOON - 60, **hand))
    for idea, who in zip(hand["ideas"], finders, strict=False):
        people.insert_or_update_player(tx, people.Player(who, f"P{who}"))
        assert ledger.insert_award(tx, stored, Award(who, 1, 60.0, idea, idea), 7, NOON)
    tx.execute(update(table).where(table.c.id == stored.id).values(state="won"))
    return load_earned(tx, stored)


async def test_every_idea_must_be_found_by_one_player(db: Database) -> None:
    def story(tx: Tx) -> None:
        assert insert_finds(tx, ANN, ANN) == []
        assert insert_finds(tx, ANN, BOB, ANN) == []
        assert insert_finds(tx, ANN, ANN, ANN) == [(ANN, ("every idea",))]

    await db(story)


async def test_daily_hand_earns_achievements_for_its_result(db: Database) -> None:
    def solve(tx: Tx, day: str, seconds: float) -> str:
        """Insert a solved attempt and its achievements; return the titles for its result."""
        hand = DailyHand(day, "24", make_round(level="fiendish").puzzle)
        daily.insert_hand(tx, hand)
        opened = daily.open_attempt(tx, hand, ANN, NOON)
        solved = replace(opened, state=State.WON, closed=NOON + seconds, shown_at=NOON)
        assert daily.update_open_attempt(tx, solved)
        store.insert_daily_achievements(tx, solved)
        return "".join(titles.render(get_words("en")) for titles in store.load_titles(tx, [solved]))

    def story(tx: Tx) -> None:
        assert solve(tx, "2026-11-21", seconds=60.0) == "Hard nut (a very hard hand)"
        assert solve(tx, "2026-11-22", seconds=2.0) == "Lightning (in under 5 s)"
        other = make_attempt(DailyHand("2026-11-22", "24", make_round().puzzle), BOB, NOON)
        assert store.load_titles(tx, [other]) == []
        assert tx.scalar(select(func.count()).select_from(achievements)) == 2

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
            assert ledger.insert_award(tx, stored, Award(ANN, 2, 3.0, "8*3", part), 7, NOON)
            assert load_earned(tx, stored) == []

    await db(story)


async def test_places_of_a_contest_do_not_count_as_wins(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.insert_or_update_player(tx, people.Player(ANN, "Ann"))
        for n in range(1, 101):
            row = {"chat_id": -1, "player_id": ANN, "points": 1, "seconds": 60.0, "level": "easy", "at": NOON}
            more = {"round_id": 1000 + n, "idea": f"{PLACE_PREFIX}2", "expected": 9.0, "expression": "8*3"}
            more |= {"game": "24", "kind": "contest"}
            tx.execute(awards.insert().values(row | more | {"message_id": n}))
        assert load_earned(tx, insert_win(tx)) == []
        tx.execute(update(awards).where(awards.c.round_id < 1100).values(idea=""))
        assert load_earned(tx, insert_win(tx)) == [(ANN, ("hundred",))]

    await db(story)


async def test_only_the_winner_of_a_round_has_its_streak(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.insert_or_update_player(tx, people.Player(BOB, "Bob"))
        won = insert_win(tx, streak=10)
        assert ledger.insert_award(tx, won, Award(BOB, 1, 60.0, "8*3", "another"), 7, NOON)
        assert load_earned(tx, won) == [(ANN, ("row",))]

    await db(story)


async def test_players_are_ordered_by_when_they_earned(db: Database) -> None:
    def story(tx: Tx) -> None:
        his = insert_win(tx, BOB, level="fiendish")
        later = insert_win(tx, level="fiendish", at=NOON + 1)
        hers = insert_win(tx, 9, level="fiendish")
        honours = load_earned(tx, later, his, hers)
        assert [player_id for player_id, _ in honours] == [BOB, 9, ANN]

    await db(story)
