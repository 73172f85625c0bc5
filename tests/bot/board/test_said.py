"""What pages are told in words."""

from typing import Any

import pytest

from bot.board import said
from bot.board.rules import Offline, Person, Place
from bot.board.view import Shown
from bot.database import Tx
from bot.i18n import languages, words
from bot.modes.daily import queries as days
from bot.modes.daily.rules import LIFE, Daily, day_of
from bot.modes.daily.tables import Door
from bot.modes.race.rules import Race
from bot.modes.race.view import Standings
from bot.players import queries as people
from bot.rounds import queries as rounds
from bot.rounds.rules import State, ended, win
from bot.rounds.scene import Scene
from tests.bot.databases import Database
from tests.hands import deal, opened
from tests.stories.hours import NOON

WAY = Door("bot24", "secret")
HERE, BOB = Place(-7), Person(5_000_000_002, "<Bob>", None, "en")


@pytest.mark.parametrize("language", languages())
def test_each_outcome_has_its_own_words(language: str) -> None:
    told = {each: said.told_of_offline(words(language), each, "2026-11-20", NOON) for each in Offline}
    assert len({*told.values()}) == len(Offline)
    assert "2026-11-21 12:00" in told[Offline.KEPT]


@pytest.mark.parametrize("outcome", [Offline.KEPT, Offline.WRONG])
def test_a_verdict_says_of_which_hand_it_is(outcome: Offline) -> None:
    told = said.told_of_offline(words("en"), outcome, "2026-11-20", NOON)
    assert "the hand of 2026-11-20" in told.lower()


async def test_the_words_tell_the_time_that_is_kept_and_none_that_is_made_up(db: Database) -> None:
    today, ann = day_of(NOON), Person(5_000_000_001, "Ann", None, "en")

    def story(tx: Tx) -> tuple[Offline, str]:
        days.keep_hand(tx, Daily(today, "24", deal().puzzle))
        days.begin(tx, today, ann.id, NOON)
        return said.offline(tx, ann, today, "8/(3-8/3)", NOON + 16 * LIFE, NOON + 60, WAY)[0]

    outcome, text = await db(story)
    assert outcome is Offline.KEPT
    assert "2026-11-21 12:01" in text


async def test_a_result_tells_who_and_how_quickly_and_never_how(db: Database) -> None:
    def result(tx: Tx) -> dict[str, Any] | None:
        return said.prepared(tx, HERE, BOB, "en")

    def story(tx: Tx) -> None:
        people.saw(tx, people.Player(BOB.id, BOB.name, None))
        people.remember(tx, people.USERNAME, "bot24")
        assert result(tx) is None
        round = opened(tx, deal())
        assert result(tx) is None
        won = win(round, BOB.id, "8/(3-8/3)", NOON + 23)
        assert won
        assert rounds.close(tx, won[0])
        shared = result(tx)
        assert shared
        text = shared["input_message_content"]["message_text"]
        assert text == "3 8 3 8 → 24\n🏆 \u2068&lt;Bob&gt;\u2069 · ⏱ 23 s\nhttps://t.me/bot24"
        assert (shared["type"], shared["title"]) == ("article", "3 8 3 8 → 24")
        assert len(shared["id"]) <= 64

    await db(story)


async def test_a_hand_that_nobody_solved_has_a_result_too(db: Database) -> None:
    def story(tx: Tx) -> dict[str, Any] | None:
        round = opened(tx, deal())
        assert rounds.close(tx, ended(round, State.EXPIRED, NOON + 600))
        return said.prepared(tx, HERE, BOB, "en")

    shared = await db(story)
    assert shared
    assert shared["input_message_content"]["message_text"].splitlines()[1] == "Nobody found it in time."


async def test_the_result_of_a_drawn_race_says_so_and_names_nobody(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = Standings(Race(4, -7, 0, BOB.id, 3, NOON, played=3, open=False), [], {BOB.id: 7, 1: 7})
    round = ended(deal(), State.EXPIRED, NOON + 600)
    shown = Shown(HERE, "en", NOON, round=round, scene=Scene(standings=over))
    monkeypatch.setattr(said, "seen", lambda *_: shown)
    shared = await db(lambda tx: said.prepared(tx, HERE, BOB, "en"))
    assert shared
    assert (
        shared["input_message_content"]["message_text"].splitlines()[1] == "The race ends in a draw, 7 to 7."
    )
