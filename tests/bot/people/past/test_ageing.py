"""Years of play are summed up, and nobody can tell from any figure."""

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from sqlalchemy import Table, delete, func, insert, select, update

from bot.database import Tx
from bot.database.schema import (
    achievements,
    awards,
    best_days,
    entries,
    histogram,
    lost_messages,
    meta,
    past,
    practised,
    private_words,
    races,
    rounds,
    totals,
    tries,
    votes,
)
from bot.delivery.timers import Running
from bot.durations import DAY
from bot.games.puzzle import Entry, Kind
from bot.games.rounds import doors, presence
from bot.games.rounds import entries as handing
from bot.games.rounds import tries as tried
from bot.games.rounds.rules import Award, Round
from bot.groups.records import queries as records
from bot.people import queries as people
from bot.people.achievements import queries as earned
from bot.people.leaderboard import counting
from bot.people.leaderboard import queries as boards
from bot.people.past import ageing
from bot.people.past import boards as past_boards
from bot.people.past import rounds as past_rounds
from bot.people.past.piece import NOTHING, Piece
from bot.people.privacy import queries as privacy
from bot.people.ratings import queries as ratings
from bot.people.ratings.played import ALL, REPLAYED
from bot.people.stats import queries as stats
from bot.zones import UTC
from tests.bot.databases import Database
from tests.hands import deal, opened
from tests.stories.hours import NOON

KEPT = 365 * DAY
CHATS, PEOPLE = (-1, -2, -3, 5), (5, 6, 7, 8)
YEARS = 3
GAMES = ("24", "countdown", "yahtzee")
LEVELS = ("easy", "medium", "hard", "fiendish")
KINDS = (Kind.FIRST, Kind.FIRST, Kind.FIRST, Kind.ALL, Kind.LESSON, Kind.BEST, Kind.PRACTICE)


def begin(tx: Tx) -> None:
    """Nothing is in the way of summing up."""
    people.remember(tx, REPLAYED, ALL)
    people.remember(tx, ageing.BEGINS, "0")


def history(tx: Tx, random: Random, played: int = 120) -> None:
    """Rounds of some years in a few chats, as they come."""
    begin(tx)
    for player in PEOPLE:
        people.saw(tx, people.Player(player, f"P{player}", f"u{player}"))
    days = sorted(random.uniform(0, YEARS * 365) for _ in range(played))
    streaks: dict[int, tuple[int | None, int]] = {}
    for day in days:
        one_round(tx, random, NOON - (YEARS * 365 - day) * DAY, streaks)


def one_round(tx: Tx, random: Random, at: float, streaks: dict[int, tuple[int | None, int]]) -> int:
    """A round of somebody in some chat, won or not, with what others tried in it."""
    chat, kind = random.choice(CHATS), random.choice(KINDS)
    there = [5] if chat > 0 else list(PEOPLE)
    dealer, game = random.choice(there), random.choice(GAMES)
    level = random.choice(LEVELS)
    topic = random.choice((0, 0, 0, 2))
    new = deal(chat_id=chat, kind=kind, dealer_id=dealer, level=level, opened=at, deadline=None, topic=topic)
    stored = opened(tx, new)
    for who in random.sample(there, random.randint(0, len(there))):
        random.choice((tried.went_wrong, tried.came_late))(tx, stored.id, who)
    for who in random.sample(there, random.randint(0, 1)):
        handing.hand_in(tx, stored.id, Entry(who, "25*4", at + 1))
        tried.vote(tx, stored.id, who)
    if kind is Kind.PRACTICE and random.random() < 0.8:
        tx.execute(insert(practised).values(practice(stored.id, dealer, at)))
    winner = random.choice((None, *there)) if kind not in (Kind.PRACTICE, Kind.LESSON) else None
    if kind is Kind.ALL and winner and random.random() < 0.5:
        award_all(tx, replace(stored, game=game), winner, at)
        winner = None
    last, row = streaks.get(chat, (None, 0))
    streak = 0 if winner is None else row + 1 if winner == last else 1
    if kind is not Kind.PRACTICE:
        streaks[chat] = winner, streak
    values = {
        "game": game,
        "state": "won" if winner else random.choice(("skipped", "expired")),
        "winner_id": winner,
        "streak": streak,
        "closed": at + 60,
        "day_first": int(winner is not None and boards.first_of_the_day(tx, chat, UTC, at)),
    }
    tx.execute(update(rounds).where(rounds.c.id == stored.id).values(values))
    if winner:
        over = replace(stored, game=game, streak=streak, winner_id=winner)
        parts = ["", *(["4*6"] if kind is Kind.ALL else [])]
        for part in parts:
            award = Award(winner, random.randint(1, 5), random.uniform(1, 60), "8/(3-8/3)", part)
            boards.award(tx, over, award, 7, at + 60)
    return stored.id


def award_all(tx: Tx, round: Round, finder: int, at: float) -> None:
    """Somebody finds one of many, and nobody has won the round."""
    boards.award(tx, round, Award(finder, 1, 30.0, "4*6", "4*6"), 7, at)


def practice(round_id: int, player_id: int, at: float) -> dict[str, Any]:
    shown = {"skill": "s", "level": "easy", "expected": 9.0, "wrong": 0, "hints": 0}
    return {"round_id": round_id, "player_id": player_id, "at": at, **shown}


def boards_and_records(tx: Tx, now: float) -> dict[str, Any]:
    """What chats see of what was played."""
    found: dict[str, Any] = {}
    for chat in CHATS:
        found[f"records {chat}"] = records.records(tx, chat)
        found[f"board {chat}"] = [boards.top(tx, chat, period) for period in boards.periods(now)]
    return found


def figures(tx: Tx, now: float = NOON) -> dict[str, Any]:
    """All that anybody can see of what was played."""
    found = boards_and_records(tx, now)
    for chat in CHATS:
        found[f"goes on in {chat}"] = last(tx, chat), [latest(tx, chat, topic) for topic in (0, 2)]
        found[f"best of {chat}"] = ratings.top(tx, ratings.Board(chat), now)
        found[f"here {chat}"] = sorted(tx.scalars(select(presence.players(chat).c.who).distinct()))
        for player in PEOPLE:
            found[f"{player} in {chat}"] = tuple(of(tx, chat, player, now))
    for player in PEOPLE:
        found[f"{player} everywhere"] = stats.profile(tx, -1, player, now, across=True)
        found[f"{player} plays"] = presence.places(tx, player)
        found[f"{player} has"] = earned.held(tx, player), earned._mornings(tx, player)
        rows = privacy.export(tx, player)["right_answers"]
        found[f"{player} may take"] = [{k: v for k, v in row.items() if k != "line"} for row in rows]
    return found


def of(tx: Tx, chat: int, player: int, now: float) -> Iterator[Any]:
    """What is seen of a person in a chat."""
    yield stats.profile(tx, chat, player, now, across=False)
    for game in GAMES:
        yield stats.in_game(tx, chat, player, game, now, across=True)
    for level in LEVELS:
        yield boards.best_time(tx, deal(id=10**9, chat_id=chat, level=level), player)
    yield presence.plays(tx, player, chat)
    yield earned.held(tx, player, chat)
    yield doors.played_there(tx, player, chat)


def last(tx: Tx, chat: int) -> Any:
    """Whose row of wins goes on with the next round, and how long it is: of the last with one winner."""
    ended = (rounds.c.chat_id == chat, rounds.c.kind == "first", rounds.c.state.not_in(["open", "replaced"]))
    found = select(rounds.c.winner_id, rounds.c.streak).where(*ended).order_by(rounds.c.id.desc())
    return tx.execute(found.limit(1)).first()


def latest(tx: Tx, chat: int, topic: int) -> Any:
    """The last round of a topic."""
    here = (rounds.c.chat_id == chat, rounds.c.topic == topic, rounds.c.kind != "contest")
    return tx.scalar(select(func.max(rounds.c.id)).where(*here))


def changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """What is not as it was."""
    return {key: (before[key], after[key]) for key in before if before[key] != after[key]}


def age(tx: Tx, now: float = NOON, kept: float = KEPT) -> int:
    """Sum up all that can be; how many pieces that took."""
    pieces = 1
    while any([ageing.age_rounds(tx, now, kept).more, ageing.age_boards(tx, now, kept).more]):
        pieces += 1
        assert pieces < 2000
    return pieces


def count(tx: Tx, table: Table, *which: Any) -> int:
    return int(tx.scalar(select(func.count()).select_from(table).where(*which)) or 0)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
async def test_every_figure_stays_what_it_was(
    db: Database, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past_rounds, "AT_ONCE", 15)
    monkeypatch.setattr(past_boards, "LINES_AT_ONCE", 20)

    def story(tx: Tx) -> None:
        history(tx, Random(seed))
        before, points = figures(tx), count(tx, awards)
        pieces = 0
        while any([ageing.age_rounds(tx, NOON, KEPT).more, ageing.age_boards(tx, NOON, KEPT).more]):
            pieces += 1
            if pieces % 8 == 0:
                assert changes(before, figures(tx)) == {}
        assert changes(before, figures(tx)) == {}
        assert count(tx, awards) == points
        old = (rounds.c.closed < NOON - KEPT, rounds.c.kind != Kind.PRACTICE.value)
        assert count(tx, rounds, *old) <= 3 * len(CHATS)
        for table in (tries, entries, votes):
            assert count(tx, table, table.c.round_id.not_in(select(rounds.c.id))) == 0

    await db(story)


@pytest.mark.long
async def test_it_goes_on_year_after_year(db: Database) -> None:
    def story(tx: Tx) -> None:
        random, streaks = Random(9), dict[int, tuple[int | None, int]]()
        history(tx, random, 60)
        age(tx)
        for month in range(1, 13):
            now = NOON + month * 30 * DAY
            for _ in range(4):
                one_round(tx, random, now, streaks)
            before = boards_and_records(tx, now)
            age(tx, now)
            assert boards_and_records(tx, now) == before
        assert count(tx, rounds) < 4 * 15 + 3 * len(CHATS)

    await db(story)


@pytest.mark.long
async def test_single_days_and_weeks_go_and_months_stay(db: Database) -> None:
    def story(tx: Tx) -> None:
        history(tx, Random(1))
        months = count(tx, totals, func.length(totals.c.period) == 7)
        assert count(tx, totals, totals.c.period < boards.periods(NOON - KEPT)[3])
        age(tx)
        last = boards.periods(NOON - KEPT)
        for table in (totals, histogram):
            for period in last[2:]:
                for game in (None, *GAMES):
                    old = (table.c.chat_id != 0, table.c.period < boards.within(period, game))
                    same = func.length(table.c.period) == len(boards.within(period, game))
                    first = table.c.period > boards.within("0", game)
                    assert count(tx, table, *old, same, first) == 0
        assert count(tx, totals, func.length(totals.c.period) == 7) == months
        assert count(tx, best_days) > 0

    await db(story)


@pytest.mark.long
async def test_boards_of_all_chats_are_the_sum_of_the_chats_that_count(db: Database) -> None:
    """Also where one ceases to count after its days have gone."""

    def story(tx: Tx) -> None:
        history(tx, Random(2))
        counting.sweep(tx, NOON)
        age(tx)
        for chat in CHATS:
            counting.switch(tx, chat, True)
        for chat in CHATS:
            counting.switch(tx, chat, False)
        kept = boards.periods(NOON - KEPT - past_boards.LATER)[3]
        ours = (totals.c.chat_id == 0, totals.c.period >= kept, totals.c.points != 0)
        assert count(tx, totals, *ours) == 0

    await db(story)


async def test_what_still_matters_stays(db: Database) -> None:
    def story(tx: Tx) -> None:
        begin(tx)
        long_ago = NOON - 2 * KEPT
        race = tx.execute(insert(races).values(race_of(-1, "open"))).inserted_primary_key
        done = {"state": "skipped", "closed": long_ago + 60}
        for chat, values in (
            (-1, done | {"race_id": race[0] if race else 0}),  # of a race that goes on
            (-2, {"state": "open"}),
            (-3, {"state": "running", "kind": "contest"}),
            (-4, done),  # the last one of its chat: whoever wins next goes on from it
            (-5, done | {"closed": NOON}),  # it took very long
            (-6, done | {"opened": 1e300}),  # broken rows hold up no others
            (-7, done | {"closed": 1e300}),
        ):
            stored = opened(tx, deal(chat_id=chat, opened=long_ago, deadline=None))
            tx.execute(update(rounds).where(rounds.c.id == stored.id).values(values))
        for chat in (-1, -2, -3, -5, -6, -7, -8):
            later = opened(
                tx, deal(chat_id=chat, opened=long_ago + 1, deadline=None, topic=2 if chat == -2 else 0)
            )
            tx.execute(update(rounds).where(rounds.c.id == later.id).values(done))
        opened(tx, deal(chat_id=-8, opened=NOON, deadline=None))
        ended(tx, -8, NOON)
        age(tx)
        assert sorted(set(tx.scalars(select(rounds.c.chat_id)))) == [-8, -7, -6, -5, -4, -3, -2, -1]
        assert count(tx, rounds, rounds.c.chat_id == -8) == 1

    await db(story)


def ended(tx: Tx, chat: int, at: float) -> None:
    here = (rounds.c.chat_id == chat, rounds.c.opened == at)
    tx.execute(update(rounds).where(*here).values(state="skipped", closed=at + 1))


def race_of(chat: int, state: str) -> dict[str, Any]:
    row = {"chat_id": chat, "starter_id": 5, "state": state, "length": 2, "hands": "[]", "seconds": 60.0}
    return row | {"opened": NOON - 2 * KEPT}


async def test_what_hangs_on_a_round_goes_with_it(db: Database) -> None:
    def story(tx: Tx) -> None:
        begin(tx)
        key = tx.execute(insert(races).values(race_of(-1, "over"))).inserted_primary_key or (0,)
        first = opened(tx, deal(chat_id=-1, opened=NOON - 2 * KEPT, deadline=None))
        tx.execute(update(rounds).values(state="skipped", closed=NOON - 2 * KEPT + 9, race_id=key[0]))
        last = opened(tx, deal(chat_id=-1, opened=NOON, deadline=None))
        ended(tx, -1, NOON)
        for number in (first.id, last.id):
            lost = {"chat_id": -1, "message_id": number, "round_id": number}
            tx.execute(insert(lost_messages).values(lost))
            word = {"chat_id": -1, "player_id": 6, "key": f"round:{number}", "at": NOON}
            tx.execute(insert(private_words).values(word))
        age(tx)
        assert list(tx.scalars(select(rounds.c.id))) == [last.id]
        assert list(tx.scalars(select(lost_messages.c.round_id))) == [last.id]
        assert list(tx.scalars(select(private_words.c.key))) == [f"round:{last.id}"]

    await db(story)


@pytest.mark.long
async def test_who_is_forgotten_leaves_nothing_in_what_was_summed_up(db: Database) -> None:
    def story(tx: Tx) -> None:
        history(tx, Random(3))
        age(tx)
        assert count(tx, past, past.c.player_id == 5)
        assert privacy.export(tx, 5)["rounds_of_long_ago"]
        privacy.forget(tx, 5)
        for table in (past, best_days):
            assert count(tx, table, table.c.player_id == 5) == 0
            assert count(tx, table, table.c.chat_id == 5) == 0
        assert count(tx, totals, totals.c.player_id == 5) == 0

    await db(story)


@pytest.mark.long
async def test_a_chat_that_moves_takes_along_what_was_summed_up(db: Database) -> None:
    def story(tx: Tx) -> None:
        history(tx, Random(4))
        age(tx)
        first, second = records.records(tx, -1), records.records(tx, -2)
        unpaid = tx.scalar(select(func.sum(past.c.unpaid)))
        people.move_chat(tx, -1, -2)
        both = records.records(tx, -2)
        assert both.day
        assert both.row
        assert both.row.amount == max(r.row.amount for r in (first, second) if r.row)
        assert tx.scalar(select(func.sum(past.c.unpaid))) == unpaid
        for table in (past, best_days, achievements):
            assert count(tx, table, table.c.chat_id == -1) == 0

    await db(story)


async def test_it_waits_for_ratings_that_have_yet_to_come_by(db: Database) -> None:
    def story(tx: Tx) -> None:
        history(tx, Random(5), 20)
        people.remember(tx, REPLAYED, json.dumps({"round_id": 3, "day": ""}))
        before = count(tx, rounds)
        assert not ageing.age_rounds(tx, NOON, KEPT).more
        assert not ageing.age_boards(tx, NOON, KEPT).more
        assert count(tx, rounds) == before

    await db(story)


@pytest.mark.long
async def test_once_it_is_through_it_looks_at_nothing_more(db: Database) -> None:
    def story(tx: Tx) -> None:
        history(tx, Random(6), 30)
        assert age(tx) > 1
        assert not ageing.age_rounds(tx, NOON, KEPT).more
        assert not ageing.age_boards(tx, NOON, KEPT).more
        assert age(tx, NOON + 31 * DAY) > 1

    await db(story)


async def test_a_race_goes_as_a_whole(db: Database) -> None:
    def story(tx: Tx) -> None:
        begin(tx)
        key = tx.execute(insert(races).values(race_of(-1, "over"))).inserted_primary_key or (0,)
        over = {"state": "skipped", "closed": NOON - 2 * KEPT + 9}
        for _ in range(3):
            hand = opened(tx, deal(chat_id=-1, opened=NOON - 2 * KEPT, deadline=None))
            tx.execute(update(rounds).where(rounds.c.id == hand.id).values(over | {"race_id": key[0]}))
        age(tx)
        assert count(tx, rounds) == 3  # nothing came after it
        opened(tx, deal(chat_id=-1, opened=NOON, deadline=None))
        ended(tx, -1, NOON)
        age(tx, NOON + 31 * DAY)
        assert count(tx, rounds) == 1
        assert count(tx, races) == 1  # its number is another's never

    await db(story)


@pytest.mark.long
async def test_a_clock_that_was_wrong_once_holds_up_nothing(db: Database) -> None:
    def story(tx: Tx) -> None:
        history(tx, Random(7), 30)
        first = tx.scalar(select(func.min(rounds.c.id)))
        tx.execute(update(rounds).where(rounds.c.id == first).values(opened=NOON + 50_000 * DAY))
        before = count(tx, rounds)
        age(tx)
        assert count(tx, rounds) < before / 2 + 5

    await db(story)


@pytest.mark.long
@pytest.mark.parametrize("broken", ["x", "[]", '{"month": "2026-11", "round": "x"}', '{"until": "x"}'])
async def test_a_fact_that_cant_be_read_is_none(db: Database, broken: str) -> None:
    def story(tx: Tx) -> None:
        history(tx, Random(8), 30)
        for fact in (past_rounds.REACHED, past_boards.REACHED):
            people.remember(tx, fact, broken.replace("2026-11", boards.periods(NOON)[1]))
        before = count(tx, rounds)
        age(tx)
        assert count(tx, rounds) < before / 2 + 5

    await db(story)


@pytest.mark.long
async def test_it_begins_once_no_version_before_is_left(db: Database) -> None:
    """One that does not know of it would find less, and leave traces of who is forgotten."""

    def story(tx: Tx) -> None:
        history(tx, Random(10), 30)
        people.remember(tx, "usable from", "0016")
        tx.execute(delete(meta).where(meta.c.key == ageing.BEGINS))
        before = count(tx, rounds)
        for day in (0, 1, 6.9):
            assert not ageing.age_rounds(tx, NOON + day * DAY, KEPT).more
        assert not ageing.age_boards(tx, NOON + day * DAY, KEPT).more
        assert (count(tx, rounds), people.fact(tx, "usable from")) == (before, "0016")
        age(tx, NOON + 7.1 * DAY)
        assert count(tx, rounds) < before
        assert people.fact(tx, "usable from") == "0017"

    await db(story)


@pytest.mark.long
async def test_days_that_were_summed_up_are_not_looked_for_again(db: Database) -> None:
    def story(tx: Tx) -> None:
        history(tx, Random(11))
        age(tx)
        days = count(tx, totals, func.length(totals.c.period) == 10)
        age(tx, NOON + 40 * DAY)
        left = count(tx, totals, func.length(totals.c.period) == 10)
        assert left < days
        assert (
            count(
                tx,
                totals,
                totals.c.period < boards.periods(NOON + 40 * DAY - KEPT)[3],
                totals.c.chat_id < 0,
                totals.c.period > "0",
                func.length(totals.c.period) == 10,
            )
            == 0
        )

    await db(story)


@pytest.mark.parametrize(
    ("kept", "more", "rests"),
    [
        (0.0, (True, True), True),
        (KEPT, (True, False), False),
        (KEPT, (False, True), False),
        (KEPT, (False, False), True),
    ],
)
async def test_where_more_is_left_the_next_look_goes_on(
    kept: float,
    more: tuple[bool, bool],
    rests: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked = list[tuple[object, ...]]()

    def piece(left: bool) -> Callable[..., Piece]:
        def aged(tx: str, now: float, kept: float) -> Piece:
            asked.append((tx, now, kept))
            return Piece(3, more=left)

        return aged

    class Shelf:
        async def write(self, work: Any) -> Any:
            return work("tx")

    for name, left in zip(("age_rounds", "age_boards"), more, strict=True):
        monkeypatch.setattr(ageing, name, piece(left))
    (work,) = ageing.ROUTES.timed
    shelf: Any = Shelf()
    nobody: Any = None
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(ageing, "LONGEST", 0.0)
    running = Running(shelf, nobody, nobody, kept=kept)
    assert await work.do(running, NOON) is rests
    assert asked == ([("tx", NOON, kept)] * 2 if kept else [])
    assert work.every == 3600.0
    told = "summed up and let go: 3 rounds and 3 lines of boards, over for more than 365 days"
    assert caplog.messages == ([told] if kept and rests else [])
    monkeypatch.setattr(ageing, "age_rounds", lambda _tx, **_: Piece(4, more=False))
    monkeypatch.setattr(ageing, "age_boards", lambda _tx, **_: NOTHING)
    assert await work.do(running, NOON)
    whole = "summed up and let go: 7 rounds and 3 lines of boards, over for more than 365 days"
    assert kept == 0 or rests or caplog.messages == [whole]
    caplog.clear()
    monkeypatch.setattr(ageing, "age_rounds", lambda _tx, **_: NOTHING)
    assert await work.do(running, NOON)
    assert caplog.messages == []


async def test_a_look_goes_on_piece_by_piece_for_as_long_as_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else less went in a day than is played in one."""
    pieces = {"age_rounds": 40, "age_boards": 3}

    def piece(name: str) -> Callable[..., Piece]:
        def aged(_tx: str, **_: float) -> Piece:
            pieces[name] -= 1
            return Piece(1, more=pieces[name] > 0)

        return aged

    class Shelf:
        async def write(self, work: Any) -> Any:
            return work("tx")

    for name in pieces:
        monkeypatch.setattr(ageing, name, piece(name))
    (work,) = ageing.ROUTES.timed
    shelf: Any = Shelf()
    nobody: Any = None
    assert await work.do(Running(shelf, nobody, nobody, kept=KEPT), NOON)
    assert pieces == {"age_rounds": 0, "age_boards": 0}
