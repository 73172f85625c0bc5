"""State of a page, for all readers and for each."""

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.board import queries as pages
from bot.board import view
from bot.board.page_state import encode_state
from bot.board.rules import Place
from bot.database import Tx
from bot.games.countdown.rules import Draw
from bot.i18n import list_languages
from bot.modes.daily import queries as days
from bot.modes.daily.rules import format_utc_date
from bot.players import aliases
from bot.players import queries as people
from bot.rounds import attempts as handing
from bot.rounds import ledger
from bot.rounds import queries as rounds
from bot.rounds.game import format_solution
from bot.rounds.puzzle import Entry, Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State, shorten_deadline, win_round
from tests.bot.databases import Database
from tests.games.sums.game import Addends, Sums
from tests.sample_rounds import make_daily_hand, make_round, store_round
from tests.stories.clock import NOON

ANN, BOB, GROUP = 5_000_000_001, 5_000_000_002, -7
STRANGERS = (5_000_000_003, 5_000_000_004, 5_000_000_005)
HERE, ALONE = Place(GROUP), Place(ANN)
DRAW = Draw((25, 50, 1, 2, 3, 4), 101, "25*4+1", 101, "easy", 10.0)


def insert_players(tx: Tx) -> None:
    for who, name in ((ANN, "Ann"), (BOB, "Bob")):
        people.insert_or_update_player(tx, people.Player(who, name, None))


def load_state(
    tx: Tx, place: Place = HERE, reader: int | None = ANN, language: str = "en", now: float = NOON + 5
) -> dict[str, Any]:
    state = view.build_state(tx, view.load_shared_view(tx, place, language, now), reader)
    loaded: dict[str, Any] = json.loads(encode_state(state))
    return loaded


def open_round(tx: Tx, new: Round) -> Round:
    """Store the round with its message and the players."""
    insert_players(tx)
    stored = store_round(tx, new)
    rounds.record_deal_message(tx, stored.id, 70 + stored.id, new.opened)
    return stored


async def test_empty_table_offers_a_deal(db: Database) -> None:
    state = await db(load_state)
    assert state == {
        "now": NOON + 5,
        "language": "en",
        "card": None,
        "day": None,
        "finished_days": [],
        "place": {"kind": "group", "title": ""},
        "round": None,
        "notice": "",
        "buttons": [[{"label": "Deal a hand", "press": "st:deal"}]],
        "people": [],
        "winner": None,
        "solution": "",
        "tree": None,
        "beside": None,
        "games": [
            {"game": "", "press": "st:play:play"},
            {"game": "Countdown", "press": "st:play:countdown"},
            {"game": "Yahtzee", "press": "st:play:yahtzee"},
        ],
    }
    assert (await db(lambda tx: load_state(tx, replace(HERE, round_id=1, watch_only=True), None)))[
        "buttons"
    ] == []


async def test_time_alone_changes_only_now(db: Database) -> None:
    def story(tx: Tx) -> None:
        open_round(tx, make_round())
        state = load_state(tx)
        assert state["round"]["deadline"] == NOON + 600
        before, after = (
            view.build_state(tx, view.load_shared_view(tx, HERE, "en", now), ANN)
            for now in (NOON, NOON + 300)
        )
        assert before == after
        assert json.loads(encode_state(after)) == json.loads(encode_state(before)) | {"now": NOON + 300}

    await db(story)


async def test_offered_buttons_of_a_hand(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = open_round(tx, make_round(hint_values=('["last", "/"]',)))
        presses = [button["press"] for row in load_state(tx)["buttons"] for button in row]
        assert presses == [f"h:{round.id}", f"s:{round.id}"]

    await db(story)


async def test_page_shows_the_games_own_title(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "sum", Sums())

    def story(tx: Tx) -> None:
        hand = open_round(tx, make_round())
        assert load_state(tx)["round"]["game"] == "", "the page itself is named after it"
        rounds.close_round(tx, replace(hand, state=State.SKIPPED, closed=NOON))
        open_round(tx, replace(make_round(), game="sum", puzzle=Addends((1, 2, 3))))
        round = load_state(tx)["round"]
        assert (round["game"], round["numbers"], round["target"]) == ("sum", [], "")

    await db(story)


async def test_shown_hints_come_with_the_hands_worth(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = open_round(tx, make_round(hint_values=('["last", "/"]',)))
        before = load_state(tx)["round"]
        rounds.update_game_state(tx, replace(round, hints_shown=1))
        after = load_state(tx)["round"]
        rounds.close_round(tx, replace(round, state=State.SKIPPED, closed=NOON))
        over = load_state(tx)["round"]
        worth = [*(f"now worth {n} points" for n in (round.points, round.points - 1)), ""]
        assert [each["worth"] for each in (before, after, over)] == worth
        assert [each["hints"] for each in (before, after, over)] == [[], ["The last step is ÷."], []]
        assert [each["is_hint_costly"] for each in (before, after, over)] == [True, True, False]

    await db(story)


@pytest.mark.parametrize("ended", [State.SKIPPED, State.EXPIRED])
async def test_missed_solution_is_shown_after_the_end(db: Database, ended: State) -> None:
    def story(tx: Tx) -> None:
        round = open_round(tx, make_round())
        assert load_state(tx)["solution"] == ""
        rounds.close_round(tx, replace(round, state=ended, closed=NOON))
        over = load_state(tx)
        assert over["solution"] == format_solution(GAMES["24"], round.puzzle) != ""
        assert (over["tree"]["sign"], over["tree"]["value"]) == ("÷", "24")

    await db(story)


@pytest.mark.parametrize("kind", [Kind.CHOSEN, Kind.TUTORIAL])
async def test_hints_are_free_without_points(db: Database, kind: Kind) -> None:
    def story(tx: Tx) -> None:
        open_round(tx, make_round(kind=kind))
        round = load_state(tx)["round"]
        assert (round["worth"], round["is_hint_costly"]) == ("", False)

    await db(story)


@pytest.mark.long
@pytest.mark.parametrize("language", list_languages())
async def test_state_is_in_the_readers_language(db: Database, language: str) -> None:
    def story(tx: Tx) -> list[str]:
        open_round(tx, make_round(language="ru"))
        state = load_state(tx, language=language)
        assert state["language"] == language
        return [state["round"]["about"], *(b["label"] for row in state["buttons"] for b in row)]

    result = await db(story)
    assert ("Give up" in result) is (language == "en")
    assert not any("<" in line for line in result)


async def test_cards_have_letters(db: Database) -> None:
    def story(tx: Tx) -> None:
        open_round(tx, make_round(numbers=(1, 11, 12, 13), target=24))
        round = load_state(tx)["round"]
        assert (round["numbers"], round["labels"]) == (["1", "11", "12", "13"], ["A", "J", "Q", "K"])
        assert (round["suits"], round["about"]) == (["♠", "♥", "♦", "♣"], "8 of 10 people find it · 5 points")

    await db(story)


async def test_entry_is_shown_to_its_author_alone(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = open_round(tx, make_round(kind=Kind.BEST))
        best = replace(round, game="countdown", puzzle=DRAW)
        rounds.close_round(tx, replace(round, state=State.SKIPPED, closed=NOON))
        stored = open_round(tx, replace(best, id=0, message_id=None))
        handing.store_entry(tx, stored.id, Entry(BOB, "25*4+1", NOON + 2))
        anns, bobs = load_state(tx), load_state(tx, reader=BOB)
        assert [(p["name"], p["you"], p["activity"]) for p in anns["people"]] == [("Bob", False, "handed in")]
        assert (anns["round"]["entry_value"], bobs["round"]["entry_value"]) == ("", "101")
        assert "25*4+1" not in json.dumps([anns, bobs])
        rounds.update_game_state(tx, shorten_deadline(stored, NOON + 9))
        assert anns["round"]["hurry"] == ""
        for place in (HERE, Place(GROUP, 0, stored.id, watch_only=True)):
            hurry = "⏳ Somebody has it: five more seconds for all."
            assert load_state(tx, place=place)["round"]["hurry"] == hurry

    await db(story)


async def test_best_answer_is_shown_after_the_end(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = open_round(tx, replace(make_round(kind=Kind.BEST), game="countdown", puzzle=DRAW))
        assert load_state(tx)["round"]["best_solution"] == ""
        rounds.close_round(tx, replace(round, state=State.SKIPPED, closed=NOON))
        assert load_state(tx)["round"]["best_solution"] == "25×4+1 = 101"

    await db(story)


async def test_winner_is_shown_after_the_end(db: Database) -> None:
    def story(tx: Tx) -> None:
        round = open_round(tx, make_round())
        assert load_state(tx)["winner"] is None
        result = win_round(round, BOB, "8/(3-8/3)", NOON + 4)
        assert result
        won, award = result
        assert rounds.close_round(tx, won)
        assert ledger.insert_award(tx, won, award, 80, NOON + 4)
        state = load_state(tx, reader=BOB)
        winner = {"name": "Bob", "you": True, "answer": "8/(3-8/3)", "earned": "+5 points"}
        assert state["winner"] == winner
        bob = {"name": "Bob", "you": True, "points": 5, "status": "done", "activity": "solved it"}
        assert state["people"] == [bob]
        assert state["tree"]["left"] == {"number": 8, "suit": "♥"}
        assert next(b["press"] for row in state["buttons"] for b in row) == f"n:{round.id}"
        assert all(
            b["press"].partition(":")[0] in view.OFFERED_PREFIXES for row in state["buttons"] for b in row
        )

    await db(story)


async def test_spectator_sees_one_round_with_masked_names(db: Database) -> None:
    def story(tx: Tx) -> None:
        first = open_round(tx, make_round())
        result = win_round(first, BOB, "8/(3-8/3)", NOON + 4)
        assert result
        assert rounds.close_round(tx, result[0])
        open_round(tx, make_round(numbers=(1, 2, 3, 4)))
        state = load_state(tx, Place(GROUP, 0, first.id, watch_only=True), BOB)
        assert (state["round"]["id"], state["buttons"], state["place"]["kind"]) == (first.id, [], "watch")
        assert (state["winner"]["name"], state["winner"]["answer"]) == ("B•••", "8/(3-8/3)")
        elsewhere = load_state(tx, Place(GROUP - 1, 0, first.id, watch_only=True), None)
        assert elsewhere["round"] is None

    await db(story)


async def test_spectator_sees_numbers_behind_equal_masked_names(db: Database) -> None:
    def story(tx: Tx) -> None:
        ben = STRANGERS[0]
        stored = open_round(tx, replace(make_round(kind=Kind.BEST), game="countdown", puzzle=DRAW))
        people.insert_or_update_player(tx, people.Player(ben, "Ben", None))
        for who in (ben, BOB, ANN):
            handing.store_entry(tx, stored.id, Entry(who, "25*4+1", NOON + 2))
        state = load_state(tx, Place(GROUP, 0, stored.id, watch_only=True), None)
        assert {each["name"] for each in state["people"]} == {"A•••", "B••• 1", "B••• 2"}

    await db(story)


async def test_topics_have_their_own_tables(db: Database) -> None:
    def story(tx: Tx) -> None:
        open_round(tx, make_round(topic=3))
        assert load_state(tx)["round"] is None
        assert load_state(tx, Place(GROUP, 3))["round"]["state"] == "open"

    await db(story)


async def test_todays_hand_is_shown_once_dealt(db: Database) -> None:
    today = format_utc_date(NOON)

    def story(tx: Tx) -> None:
        insert_players(tx)
        days.insert_hand(tx, make_daily_hand(today))
        before = load_state(tx, ALONE)
        assert before["day"] is None
        assert [b["press"] for row in before["buttons"] for b in row] == [
            view.DEAL_PRESS,
            "ru:storm",
            "ru:streak",
            view.SHOW_TODAY_PRESS,
        ]
        days.open_attempt(tx, make_daily_hand(today), ANN, NOON)
        after = load_state(tx, ALONE)
        assert after["day"] == {
            "day": today,
            "numbers": ["3", "8", "3", "8"],
            "labels": ["3", "8", "3", "8"],
            "target": "24",
            "uses_all": True,
            "whole_numbers_only": False,
            "accepts_near": False,
            "suits": ["♠", "♥", "♦", "♣"],
            "is_done": False,
            "began": NOON,
            "answer": "",
            "is_solved": False,
            "result": [],
            "share": "",
            "tree": None,
        }
        assert [b["press"] for row in after["buttons"] for b in row] == [
            view.DEAL_PRESS,
            "ru:storm",
            "ru:streak",
        ]
        assert load_state(tx, HERE, BOB)["day"] is None

    await db(story)


def load_daily_hand_status(tx: Tx, reader: int | None) -> bool | None:
    """Return whether the reader is done with the hand of the day; None if the page shows none."""
    hand = load_state(tx, reader=reader)["day"]
    return hand["is_done"] if hand else None


async def test_todays_hand_is_shown_only_while_its_time_runs(db: Database) -> None:
    def story(tx: Tx) -> None:
        open_round(tx, make_round())
        today = format_utc_date(NOON)
        days.insert_hand(tx, make_daily_hand(today))
        for who in (ANN, BOB, STRANGERS[0]):
            days.open_attempt(tx, make_daily_hand(today), who, NOON)
        pages.insert_offline_solution(tx, BOB, today, "8/(3-8/3)", NOON, NOON)
        readers = (None, BOB, ANN, *STRANGERS)
        expected = [None, True, False, False, None, None]
        assert [load_daily_hand_status(tx, reader) for reader in readers] == expected
        aliases.make_alias(tx, ANN)  # from now on rows may be found under two numbers
        assert [load_daily_hand_status(tx, reader) for reader in readers] == expected

    await db(story)


async def test_unreadable_round_is_left_out(db: Database) -> None:
    from sqlalchemy import update

    from bot.database import schema

    def story(tx: Tx) -> None:
        open_round(tx, make_round())
        tx.execute(update(schema.rounds).values(puzzle="broken"))
        assert load_state(tx)["round"] is None

    await db(story)
