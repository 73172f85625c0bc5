"""Texts that answer submissions of a page."""

from typing import Any

import pytest

from bot.board import submissions, view
from bot.board.rules import OfflineOutcome, Person, Place
from bot.board.schemas import OfflineSolution
from bot.board.view import SharedView
from bot.database import Tx
from bot.i18n import get_words, list_languages
from bot.modes.daily import queries as days
from bot.modes.daily.group_tables import GroupLinks
from bot.modes.daily.rules import ATTEMPT_SECONDS, format_utc_date
from bot.modes.race.rules import Race
from bot.modes.race.view import RaceHand, RaceStandings
from bot.players import queries as people
from bot.rounds import queries as rounds
from bot.rounds.rules import State, mark_ended, win_round
from bot.rounds.view import Snapshot
from tests.bot.databases import Database
from tests.sample_rounds import make_daily_hand, make_round, store_round
from tests.stories.clock import NOON

WAY = GroupLinks("bot24", "secret")
HERE, BOB = Place(-7), Person(5_000_000_002, "<Bob>", None, "en")


@pytest.mark.parametrize("language", list_languages())
def test_each_offline_outcome_has_its_own_text(language: str) -> None:
    result = {
        each: submissions.describe_offline_outcome(get_words(language), each, "2026-11-20", NOON)
        for each in OfflineOutcome
    }
    assert len({*result.values()}) == len(OfflineOutcome)
    assert "12:00" in result[OfflineOutcome.KEPT]


@pytest.mark.parametrize("outcome", [OfflineOutcome.KEPT, OfflineOutcome.WRONG])
def test_offline_verdict_names_the_day(outcome: OfflineOutcome) -> None:
    result = submissions.describe_offline_outcome(get_words("en"), outcome, "2026-11-20", NOON)
    assert "the hand of 20 nov" in result.lower()


async def test_offline_text_shows_the_stored_time(db: Database) -> None:
    today, ann = format_utc_date(NOON), Person(5_000_000_001, "Ann", None, "en")

    def story(tx: Tx) -> tuple[OfflineOutcome, str]:
        days.open_attempt(tx, days.insert_hand(tx, make_daily_hand(today)), ann.id, NOON)
        solution = OfflineSolution("p" * 22, today, "8/(3-8/3)", NOON + 16 * ATTEMPT_SECONDS)
        return submissions.judge_offline_solution(tx, ann, solution, NOON + 60, WAY)[0]

    outcome, text = await db(story)
    assert outcome is OfflineOutcome.KEPT
    assert "21 Nov, 12:01" in text


async def test_shared_result_has_winner_and_time_without_solution(db: Database) -> None:
    def result(tx: Tx) -> dict[str, Any] | None:
        return submissions.build_shared_result(tx, HERE, BOB, "en")

    def story(tx: Tx) -> None:
        people.insert_or_update_player(tx, people.Player(BOB.id, BOB.name, None))
        people.store_fact(tx, people.USERNAME_FACT, "bot24")
        assert result(tx) is None
        round = store_round(tx, make_round())
        assert result(tx) is None
        won = win_round(round, BOB.id, "8/(3-8/3)", NOON + 23)
        assert won
        assert rounds.close_round(tx, won[0])
        shared = result(tx)
        assert shared
        text = shared["input_message_content"]["message_text"]
        assert text == "3 8 3 8 → 24\n🏆 \u2068&lt;Bob&gt;\u2069 · ⏱ 23 s\nhttps://t.me/bot24"
        assert (shared["type"], shared["title"]) == ("article", "3 8 3 8 → 24")
        assert len(shared["id"]) <= 64

    await db(story)


async def test_shared_result_of_an_unsolved_hand(db: Database) -> None:
    def story(tx: Tx) -> dict[str, Any] | None:
        round = store_round(tx, make_round())
        assert rounds.close_round(tx, mark_ended(round, State.EXPIRED, NOON + 600))
        return submissions.build_shared_result(tx, HERE, BOB, "en")

    shared = await db(story)
    assert shared
    assert shared["input_message_content"]["message_text"].splitlines()[1] == "Nobody found it in time."


async def test_shared_result_of_a_drawn_race_names_nobody(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = RaceStandings(
        Race(4, BOB.id, 3, hands_played=3, is_open=False), [RaceHand(make_round(), {BOB.id: 7, 1: 7})]
    )
    round = mark_ended(make_round(), State.EXPIRED, NOON + 600)
    shown = SharedView(HERE, "en", NOON, round=round, snapshot=Snapshot(frame=over))
    monkeypatch.setattr(view, "load_shared_view", lambda *_: shown)
    shared = await db(lambda tx: submissions.build_shared_result(tx, HERE, BOB, "en"))
    assert shared
    assert (
        shared["input_message_content"]["message_text"].splitlines()[1] == "The race ends in a draw, 7 to 7."
    )
