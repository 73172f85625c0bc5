"""Endpoints of the board: access, accepted submissions and refusals."""

import asyncio
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from telegram.error import BadRequest, Forbidden, NetworkError, RetryAfter, TelegramError, TimedOut

from bot.board import chat_cache, submissions
from bot.board import endpoints as service
from bot.board import queries as boards
from bot.board.authentication import SESSION_SECONDS
from bot.board.classroom.keys import ClassKeys, Purpose
from bot.board.page_state import Button, CardRow, CardView, Part, RoundView
from bot.board.rules import OfflineOutcome, Person, Place
from bot.board.schemas import MAX_BODY_BYTES
from bot.board.static_files import make_content_security_policy
from bot.database import Tx
from bot.metrics import REGISTRY
from bot.modes.classroom import queries as classrooms
from bot.modes.daily import queries as days
from bot.players import queries as people
from bot.queue.inbox import InboxFullError
from bot.queue.refusals import NO_JSON_MESSAGE
from bot.rounds import ledger
from bot.rounds.puzzle import Kind
from bot.web.server import SECURITY_HEADERS, Rate
from tests.bot.board.harness import ANN, BOB, EVE, GROUP, ID, JSON, SECRET, TABLE_EDIT, Harness
from tests.bot.board.mutants import make_mutants
from tests.bot.board.signing import make_init_data
from tests.sample_rounds import make_daily_hand

ANSWER: dict[str, Any] = {"id": ID, "round": 123, "answer": "8/(3-8/3)"}
PRESS: dict[str, Any] = {"id": ID, "press": "h:123"}
TODAYS: dict[str, Any] = {"id": ID, "day": "2026-09-21", "answer": "8/(3-8/3)"}


def mark_as_page(error: TelegramError) -> TelegramError:
    """Return the library's error for a web page in place of Telegram's answer."""
    error.__cause__ = TelegramError(NO_JSON_MESSAGE)
    return error


# Opening


async def test_member_opens_the_page_from_the_group_link(harness: Harness) -> None:
    status, result = await harness.open_page()
    assert status == 200
    assert result["you"] == {"id": ANN, "name": "U7"}
    assert result["language"] == "es"
    assert result["until"] == harness.now + SESSION_SECONDS
    status, content, headers = await harness.get("state", Authorization=f"Bearer {result['session']}")
    assert (status, headers["Cache-Control"], headers["Content-Type"]) == (
        200,
        "no-store",
        "application/json",
    )
    assert json.loads(content)["notice"] == str(ANN)
    assert json.loads(content)["place"]["kind"] == "group"


async def test_page_without_a_link_shows_the_private_table(harness: Harness) -> None:
    status, result = await harness.post("open", {"init_data": make_init_data(at=harness.now), "start": ""})
    assert status == 200
    _, content, _ = await harness.get("state", Authorization=f"Bearer {result['session']}")
    assert json.loads(content)["place"]["kind"] == "private"
    assert harness.telegram.member_request_count == 0


async def test_unanswered_page_may_open_again_with_its_hash_chain(harness: Harness) -> None:
    chain = [sha256(b"a page's own").hexdigest()]
    while len(chain) < 5:
        chain.append(sha256(chain[-1].encode()).hexdigest())
    newest, newer, unsent, older, oldest = chain
    raw = make_init_data(at=harness.now)

    async def open_with(page: str | None) -> int:
        more = {} if page is None else {"page": page}
        return (await harness.post("open", {"init_data": raw, "start": harness.make_token(), **more}))[0]

    assert await open_with(oldest) == 200
    seen = [oldest, sha256(oldest.encode()).hexdigest(), sha256(b"another's").hexdigest(), None]
    assert [await open_with(page) for page in seen] == [403] * 4, "whoever saw it can't send it again"
    assert await open_with(older) == 200
    assert [await open_with(page) for page in (oldest, older)] == [403, 403]
    assert await open_with(newer) == 200, "one of its questions may not have come"
    assert [await open_with(page) for page in (unsent, newer)] == [403, 403]
    assert await open_with(newest) == 200


async def test_page_without_a_hash_chain_opens_once(harness: Harness) -> None:
    body = {"init_data": make_init_data(at=harness.now), "start": harness.make_token()}
    page = {"page": sha256(b"a page's own").hexdigest()}
    assert [(await harness.post("open", each))[0] for each in (body, body | page, body)] == [200, 403, 403]


async def test_session_has_the_players_chosen_language(harness: Harness) -> None:
    await harness.close()
    await harness.open(replace(harness.make_needs(), one_time_keys=harness.keys))

    def choose(tx: Tx) -> None:
        people.load_or_insert_chat(tx, ANN, "private")
        people.store_language(tx, ANN, "zh_Hant")

    await harness.store.write(choose)
    key = harness.keys.create_key(Person(ANN, "Ann", "ann", "en"), Place(GROUP), harness.now)
    for answer in (await harness.open_page(), await harness.post("open", {"key": key})):
        assert (answer[0], answer[1]["language"]) == (200, "zh_Hant")
        _, content, _ = await harness.get("state", Authorization=f"Bearer {answer[1]['session']}")
        assert json.loads(content)["language"] == "zh_Hant"
    assert (await harness.open_page(BOB))[1]["language"] == "es", "as Telegram says, who chose nothing"


async def test_signed_start_parameter_wins(harness: Harness) -> None:
    token = harness.make_token()
    raw = make_init_data(at=harness.now, user={"id": EVE, "first_name": "Eve"}, start_param=token)
    assert (await harness.post("open", {"init_data": raw, "start": ""}))[0] == 403, "it is the group's table"
    raw = make_init_data(at=harness.now, start_param=token)
    other = harness.make_token(Place(GROUP, 4))
    assert (await harness.post("open", {"init_data": raw, "start": other}))[0] == 401
    assert (await harness.post("open", {"init_data": raw, "start": token}))[0] == 200


async def test_spectator_link_opens_for_anybody_and_allows_nothing(harness: Harness) -> None:
    token = harness.links.make_spectator_link(Place(GROUP, 3, 123), harness.now).partition("=")[2]
    for _ in range(2):
        status, result = await harness.post(
            "open", {"watch": token}, headers=JSON | {"Accept-Language": "ru-RU,en"}
        )
        assert status == 200
        assert (result["you"], result["language"]) == (None, "ru")
    _, content, _ = await harness.get("state", Authorization=f"Bearer {result['session']}")
    assert json.loads(content)["place"]["kind"] == "watch"
    assert json.loads(content)["buttons"] == []
    for path, body in (("entry", ANSWER), ("watch", {}), ("share", {})):
        assert (await harness.post(path, body, result["session"]))[0] == 403
    assert harness.submissions == []


async def test_pupil_reads_the_language_of_the_browser(harness: Harness) -> None:
    pupil = await harness.store.write(
        lambda tx: classrooms.insert_pupil(tx, classrooms.insert_class(tx, ANN, harness.now).id, "Bo")
    )
    key = ClassKeys(SECRET).make_key(Purpose.PUPIL, pupil.id)
    for header, language in (("ru-RU,en", "ru"), ("zh-TW", "zh_Hant"), ("de", "en")):
        _, result = await harness.post("open", {"pupil": key}, headers=JSON | {"Accept-Language": header})
        assert result["language"] == language
        _, content, _ = await harness.get("state", Authorization=f"Bearer {result['session']}")
        assert json.loads(content)["language"] == language


async def test_tokens_of_other_purposes_are_refused(harness: Harness) -> None:
    play = harness.make_token()
    watch = harness.links.make_spectator_link(Place(GROUP, 3, 123), harness.now).partition("=")[2]
    assert (await harness.post("open", {"watch": play}))[0] == 401
    for wrong in (watch, harness.make_session(), "daily", "g7"):
        assert (await harness.post("open", {"init_data": make_init_data(at=harness.now), "start": wrong}))[
            0
        ] == 401
        assert (await harness.get("state", Authorization=f"Bearer {watch}"))[0] == 401


async def test_init_data_opens_once(harness: Harness) -> None:
    assert (await harness.open_page())[0] == 200
    before = await harness.load_all_rows()
    assert (await harness.open_page())[0] == 403
    assert await harness.load_all_rows() == before
    assert (await harness.open_page(at=-1))[0] == 200


async def test_simultaneous_openings_with_one_init_data_succeed_once(harness: Harness) -> None:
    found = await asyncio.gather(*(harness.open_page() for _ in range(10)))
    assert sorted(status for status, _ in found) == [200] + [403] * 9


async def test_one_time_key_opens_the_page_once(harness: Harness) -> None:
    assert (await harness.post("open", {"key": "x" * 32}))[0] == 401
    await harness.close()
    await harness.open(replace(harness.make_needs(), one_time_keys=harness.keys))
    key = harness.keys.create_key(Person(ANN, "Ann", "ann", "en"), Place(-24), harness.now)
    assert (await harness.post("open", {"key": "x" * 32}))[0] == 401
    status, result = await harness.post("open", {"key": key})
    assert (status, result["you"]) == (200, {"id": ANN, "name": "Ann"})
    assert (await harness.post("open", {"key": key}))[0] == 403


async def test_simultaneous_openings_with_one_key_succeed_once(harness: Harness) -> None:
    await harness.close()
    await harness.open(replace(harness.make_needs(), one_time_keys=harness.keys))
    body = {"key": harness.keys.create_key(Person(ANN, "Ann", "ann", "en"), Place(-24), harness.now)}
    found = await asyncio.gather(*(harness.post("open", body) for _ in range(10)))
    assert sorted(status for status, _ in found) == [200] + [403] * 9


async def test_non_member_is_refused_without_using_up_init_data(harness: Harness) -> None:
    before = await harness.load_all_rows()
    assert (await harness.open_page(EVE))[0] == 403
    assert await harness.load_all_rows() == before
    harness.telegram.members.add(EVE)
    harness.monotonic_now += chat_cache.NON_MEMBER_SECONDS
    assert (await harness.open_page(EVE))[0] == 200


async def test_known_players_count_as_members_while_telegram_fails(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.telegram.is_away = True
    assert (await harness.open_page())[0] == 503
    monkeypatch.setattr(ledger, "has_answered_in_chat", lambda _, *asked: asked == (ANN, GROUP))
    harness.monotonic_now += chat_cache.UNCONFIRMED_SECONDS
    assert (await harness.open_page())[0] == 200
    assert (await harness.open_page(EVE))[0] == 503


PASSING = [
    NetworkError("Bad Gateway (502)"),
    mark_as_page(NetworkError("Bad Gateway (502)")),
    mark_as_page(Forbidden("Forbidden (403)")),
    RetryAfter(3),
    TimedOut(),
]


@pytest.mark.parametrize("refusal", PASSING)
async def test_unknown_membership_gives_503_until_telegram_answers(
    harness: Harness, refusal: TelegramError
) -> None:
    before, session = await harness.load_all_rows(), harness.make_session(BOB)
    known = {"Authorization": f"Bearer {session}"}
    harness.telegram.is_away, harness.telegram.refusal = True, refusal
    for path in ("state", "events"):
        status, content, headers = await harness.get(path, **known)
        assert (status, headers["Retry-After"], b"123" in content) == (503, "5", False)
    solved = {"id": "B" * 22, "day": "2026-09-21", "answer": "8/(3-8/3)", "at": harness.now}
    for path, body in (("entry", ANSWER), ("day", solved), ("share", {}), ("watch", {})):
        status, headers = await harness.post(path, body, session)
        assert (status, headers["Retry-After"]) == (503, "5")
    assert [(await harness.open_page(user))[0] for user in (BOB, EVE)] == [503, 503]
    assert (await harness.load_all_rows(), harness.submissions, harness.telegram.member_request_count) == (
        before,
        [],
        2,
    )
    harness.telegram.is_away = False
    harness.monotonic_now += chat_cache.UNCONFIRMED_SECONDS
    assert (await harness.post("entry", ANSWER, session))[0] == 202
    assert (await harness.open_page(BOB))[0] == 200
    assert (await harness.open_page(EVE))[0] == 403


async def test_telegram_timeout_gives_503(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_cache, "TELEGRAM_TIMEOUT", 0.01)
    harness.telegram.delay = 60.0
    assert (await harness.post("entry", ANSWER, harness.make_session()))[0] == 503


async def test_final_refusal_counts_as_no_member(harness: Harness) -> None:
    harness.telegram.is_away, harness.telegram.refusal = True, BadRequest("member list is inaccessible")
    assert (await harness.post("entry", ANSWER, harness.make_session()))[0] == 403
    assert (await harness.open_page())[0] == 403


@pytest.mark.parametrize(
    "refusal",
    [
        Forbidden("bot was kicked from the supergroup chat"),
        BadRequest("Chat not found"),
        BadRequest("user not found"),
        BadRequest("PARTICIPANT_ID_INVALID"),
    ],
)
async def test_nobody_is_a_member_after_the_bot_was_removed(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, refusal: TelegramError
) -> None:
    monkeypatch.setattr(ledger, "has_answered_in_chat", lambda *_: True)
    session = harness.make_session()
    assert (await harness.get("state", Authorization=f"Bearer {session}"))[0] == 200
    harness.telegram.is_away, harness.telegram.refusal = True, refusal
    harness.monotonic_now += chat_cache.MEMBER_SECONDS
    assert (await harness.get("state", Authorization=f"Bearer {session}"))[0] == 403
    assert (await harness.open_page(BOB))[0] == 403


async def test_known_players_play_in_groups_that_hide_members(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "has_answered_in_chat", lambda *_: True)
    harness.telegram.is_away, harness.telegram.refusal = True, BadRequest("member list is inaccessible")
    assert (await harness.open_page())[0] == 200


@pytest.mark.parametrize("refusal", [NetworkError("Internal Server Error (500)"), RetryAfter(3), TimedOut()])
async def test_last_known_membership_holds_while_telegram_fails(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, refusal: TelegramError
) -> None:
    monkeypatch.setattr(ledger, "has_answered_in_chat", lambda *_: True)
    ann, eve = ({"Authorization": f"Bearer {harness.make_session(user)}"} for user in (ANN, EVE))
    assert (await harness.get("state", **ann))[0] == 200
    assert (await harness.get("state", **eve))[0] == 403
    harness.telegram.is_away, harness.telegram.refusal = True, refusal
    for _ in range(2):
        harness.monotonic_now += chat_cache.MEMBER_SECONDS
        assert (await harness.get("state", **ann))[0] == 200, "Telegram named her last"
        assert (await harness.get("state", **eve))[0] == 403
        assert (await harness.open_page(EVE, at=-harness.monotonic_now))[0] == 403


async def test_telegrams_answer_replaces_a_guess(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "has_answered_in_chat", lambda *_: True)
    session = harness.make_session(EVE)
    harness.telegram.is_away = True
    assert (await harness.get("state", Authorization=f"Bearer {session}"))[0] == 200
    harness.telegram.is_away = False
    harness.monotonic_now += chat_cache.UNCONFIRMED_SECONDS
    assert (await harness.get("state", Authorization=f"Bearer {session}"))[0] == 403


# Sessions


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic eDp5", "Bearer x", "Bearer é"])
async def test_requests_without_a_session_key_are_refused(harness: Harness, header: str) -> None:
    for path in ("state", "events"):
        assert (await harness.get(path, **({"Authorization": header} if header else {})))[0] == 401
    for path in ("entry", "day", "share", "watch"):
        assert (await harness.post(path, {}, headers=JSON | ({"Authorization": header} if header else {})))[
            0
        ] == 401


async def test_session_expires(harness: Harness) -> None:
    session = harness.make_session(lasts=10)
    assert (await harness.get("state", Authorization=f"Bearer {session}"))[0] == 200
    harness.now += 10
    assert (await harness.get("state", Authorization=f"Bearer {session}"))[0] == 401
    assert (await harness.post("entry", ANSWER, session))[0] == 401


async def test_forgotten_players_pages_are_closed(harness: Harness) -> None:
    _, result = await harness.open_page()
    known = result["session"]
    raw = make_init_data(at=harness.now - 1, user={"id": ANN, "first_name": "Ann"})
    harness.now += 5
    await harness.store.write(lambda tx: boards.close_pages(tx, ANN, harness.now))
    before = await harness.load_all_rows()
    for path in ("state", "events"):
        assert (await harness.get(path, Authorization=f"Bearer {known}"))[0] == 401
    solved = {"id": "B" * 22, "day": "2026-09-21", "answer": "8/(3-8/3)", "at": harness.now}
    for path, body in (("entry", ANSWER), ("day", solved), ("share", {}), ("watch", {})):
        assert (await harness.post(path, body, known))[0] == 401
    assert (await harness.post("open", {"init_data": raw, "start": harness.make_token()}))[0] == 401
    assert (await harness.load_all_rows(), harness.submissions) == (before, [])
    assert (await harness.get("state", Authorization=f"Bearer {harness.make_session(BOB)}"))[0] == 200
    harness.now += 1
    status, result = await harness.open_page()
    assert status == 200
    assert (await harness.post("entry", ANSWER, result["session"]))[0] == 202


async def test_no_cookies_are_set(harness: Harness) -> None:
    status, _ = await harness.open_page()
    assert status == 200
    assert list(harness.http.cookie_jar) == []


# Entries


async def test_answer_becomes_a_submission_of_the_player(harness: Harness) -> None:
    assert await harness.post("entry", ANSWER, harness.make_session()) == (202, {})
    (answer,) = harness.submissions
    assert answer.update_id >= 2**62
    assert (answer.player_id, answer.language, answer.chat_id) == (ANN, "es", GROUP)
    assert (answer.answer, answer.button) == ("8/(3-8/3)", "")


async def test_repeated_submission_is_accepted_once(harness: Harness) -> None:
    for _ in range(3):
        assert (await harness.post("entry", ANSWER, harness.make_session()))[0] == 202
    assert len(harness.submissions) == 1
    assert (await harness.post("entry", ANSWER, harness.make_session(BOB)))[0] == 202
    assert len(harness.submissions) == 2, "another person's is another one"


async def test_answer_to_a_round_of_another_table_is_refused(harness: Harness) -> None:
    before = await harness.load_all_rows()
    for other in (122, 124):
        assert (await harness.post("entry", ANSWER | {"round": other}, harness.make_session()))[0] == 409
    assert (await harness.load_all_rows(), harness.submissions) == (before, [])


async def test_stored_answer_may_be_repeated_after_the_round(harness: Harness) -> None:
    for shown in (harness.table.round, None):
        harness.table.round = shown
        assert (await harness.post("entry", ANSWER, harness.make_session()))[0] == 202
    assert len(harness.submissions) == 1


async def test_only_offered_presses_are_accepted(harness: Harness) -> None:
    session = harness.make_session()
    assert (await harness.post("entry", {"id": ID, "press": "s:123"}, session))[0] == 409
    assert harness.submissions == []
    assert (await harness.post("entry", PRESS, session))[0] == 202
    (press,) = harness.submissions
    assert (press.button, press.answer) == ("h:123", "")
    harness.table.presses = []
    assert (await harness.post("entry", PRESS, session))[0] == 202, (
        "it was taken: the answer may have got lost"
    )
    assert (await harness.post("entry", PRESS | {"id": "B" * 22}, session))[0] == 409
    assert len(harness.submissions) == 1


def open_todays_hand(tx: Tx, now: float) -> None:
    days.open_attempt(tx, days.insert_hand(tx, make_daily_hand("2026-09-21")), ANN, now)


async def test_daily_answer_goes_to_the_private_chat(harness: Harness) -> None:
    await harness.store.write(lambda tx: open_todays_hand(tx, harness.now))
    for place in (Place(GROUP, 3), Place(ANN)):
        assert await harness.post("entry", TODAYS, harness.make_session(place=place)) == (202, {})
    (answer,) = harness.submissions
    assert (answer.chat_id, answer.chat_kind, answer.topic) == (ANN, "private", 0)
    assert (answer.press_id, answer.day, answer.round_id) == (ID, "2026-09-21", 0)


async def test_daily_answer_is_refused_unless_dealt(harness: Harness) -> None:
    await harness.store.write(lambda tx: open_todays_hand(tx, harness.now))
    before = await harness.load_all_rows()
    assert (await harness.post("entry", TODAYS, harness.make_session(BOB)))[0] == 409
    assert (await harness.post("entry", TODAYS | {"day": "2026-09-22"}, harness.make_session()))[0] == 409
    assert (await harness.post("entry", TODAYS, harness.make_session(None)))[0] == 403
    assert (
        await harness.post("entry", TODAYS, harness.make_session(place=Place(GROUP, 3, 123, watch_only=True)))
    )[0] == 403
    assert (await harness.post("entry", TODAYS, harness.make_session(EVE)))[0] == 403
    assert (await harness.load_all_rows(), harness.submissions) == (before, [])


async def test_player_who_left_is_refused(harness: Harness) -> None:
    session = harness.make_session()
    assert (await harness.post("entry", ANSWER, session))[0] == 202
    harness.telegram.members.clear()
    assert (await harness.post("entry", ANSWER | {"id": "B" * 22}, session))[0] == 202, "known for a minute"
    harness.monotonic_now += chat_cache.MEMBER_SECONDS
    assert (await harness.post("entry", ANSWER | {"id": "C" * 22}, session))[0] == 403
    assert (await harness.get("state", Authorization=f"Bearer {session}"))[0] == 403
    assert (await harness.get("events", Authorization=f"Bearer {session}"))[0] == 403


@pytest.mark.parametrize("failure", [InboxFullError("full"), OperationalError("", {}, Exception("locked"))])
async def test_failed_storage_gives_503(harness: Harness, failure: Exception) -> None:
    harness.failure = failure
    status, headers = await harness.post("entry", ANSWER, harness.make_session())
    assert (status, headers["Retry-After"]) == (503, "1")
    harness.failure = None
    assert (await harness.post("entry", ANSWER, harness.make_session()))[0] == 202
    assert len(harness.submissions) == 1


async def test_submissions_are_counted_by_outcome(harness: Harness) -> None:
    def counted(outcome: str) -> float:
        return REGISTRY.get_sample_value("twentyfour_board_entries_total", {"outcome": outcome}) or 0.0

    before = counted("taken"), counted("409")
    await harness.post("entry", ANSWER, harness.make_session())
    await harness.post("entry", {"id": "B" * 22, "press": "nope"}, harness.make_session())
    assert (counted("taken"), counted("409")) == (before[0] + 1, before[1] + 1)


NO_PRESS: tuple[Any, ...] = ("", "x" * 65, "é" * 40, 7, None, {})
ODD: list[Any] = [
    *([], None, 7, "x", {}, {"id": ID}, {"id": ID, "round": 123}, {"id": ID, "answer": "1"}),
    *(ANSWER | {"id": odd} for odd in ("", "A" * 21, "A" * 65, "é" * 22, "A" * 21 + "=", 7, None, ["A"])),
    *(ANSWER | {"round": odd} for odd in (0, -1, 2**53, 1.0, True, "123", None)),
    *(
        ANSWER | {"answer": odd}
        for odd in ("", " ", "x" * 301, "1\n2", "1\x00", "1\u2028", "\ud800", 7, None)
    ),
    *(PRESS | {"press": odd} for odd in NO_PRESS),
    *(
        TODAYS | {"day": odd}
        for odd in ("", "today", "2026-9-21", "2026-09-21 countdown", "2026-09-21\n", 7, None)
    ),
    *(TODAYS | {"answer": odd} for odd in ("", " ", "x" * 301, "1\n2", 7, None)),
    *(TODAYS | {"id": odd} for odd in ("", "A" * 21, 7, None)),
    *(TODAYS | {"at": 1}, TODAYS | {"round": 123}, TODAYS | PRESS),
    ANSWER | PRESS,
    ANSWER | {"more": 1},
]


@pytest.mark.parametrize("body", ODD)
async def test_malformed_submissions_are_refused(harness: Harness, body: object) -> None:
    assert (await harness.post("entry", body, harness.make_session()))[0] == 400
    assert harness.submissions == []


BROKEN = [
    *(json.dumps(ANSWER).encode(odd) for odd in ("utf-16", "utf-16-le", "utf-32-be", "utf-8-sig")),
    json.dumps(ANSWER | {"answer": "é"}, ensure_ascii=False).encode("latin-1"),
    *(b"", b"{", b"\xff", b"NaN", b'{"id": 1e999}', b"[" * 4000, b"1" * 5000, b"{}x"),
    json.dumps(ANSWER).encode().replace(b"123", b"NaN"),
]


@pytest.mark.long
@pytest.mark.parametrize("body", BROKEN)
async def test_invalid_json_is_refused(harness: Harness, body: bytes) -> None:
    assert (await harness.post("entry", body, harness.make_session()))[0] == 400
    assert (await harness.post("open", body))[0] == 400


async def test_large_bodies_are_refused(harness: Harness) -> None:
    padded = json.dumps(ANSWER).encode()
    assert (
        await harness.post("entry", padded + b" " * (MAX_BODY_BYTES - len(padded)), harness.make_session())
    )[0] == 202
    for path in ("entry", "open", "day", "watch"):
        assert (await harness.post(path, padded + b" " * MAX_BODY_BYTES, harness.make_session()))[0] == 413


OPENINGS = [
    {},
    {"init_data": "x"},
    {"init_data": "x", "start": None},
    {"init_data": "x", "start": "", "key": ""},
    {"key": 7},
    {"watch": ["x"]},
    {"init_data": "x", "start": "", "page": None},
    {"init_data": "x", "start": "", "page": "A" * 64},
    {"init_data": "x", "start": "", "page": "a" * 63},
    {"key": "x", "page": "a" * 64},
    {"session": "x"},
]


@pytest.mark.long
@pytest.mark.parametrize("body", OPENINGS)
async def test_malformed_openings_are_refused(harness: Harness, body: object) -> None:
    assert (await harness.post("open", body))[0] == 400


# The rest of what is asked


async def test_offline_solution_is_judged(harness: Harness) -> None:
    body = {"id": ID, "day": "2026-11-25", "answer": "8/(3-8/3)", "at": 1_790_000_000}
    own = harness.changes.subscribe([ANN])
    assert await harness.post("day", body, harness.make_session()) == (200, {"text": "es kept", "done": True})
    await asyncio.wait_for(own.wait(), 60)  # the person's pages offer it no more
    own.close()
    assert harness.requests == [TABLE_EDIT]
    harness.table.outcome = OfflineOutcome.WRONG
    expected = {"text": "es wrong", "done": False}
    assert await harness.post("day", body, harness.make_session()) == (200, expected)
    for odd in ({"day": "today"}, {"at": -1}, {"at": "1"}, {"answer": ""}, {"id": "x"}, {"at": 2**60}):
        assert (await harness.post("day", body | odd, harness.make_session()))[0] == 400
    harness.table.outcome = OfflineOutcome.NOT_DEALT
    assert await harness.post("day", body, harness.make_session()) == (
        409,
        {"text": "es not dealt", "done": True},
    )


async def test_spectator_link_is_made_for_the_shown_round(harness: Harness) -> None:
    status, result = await harness.post("watch", {}, harness.make_session())
    assert status == 200
    address, _, token = result["url"].partition("#watch=")
    assert address == "https://bot.example.org/board/"
    assert harness.links.tokens.read_token(token, harness.now, watch_only=True) == Place(
        GROUP, 3, 123, watch_only=True
    )
    for odd in ({"x": 1}, {"round": "123"}, {"round": 0}, {"round": True}):
        assert (await harness.post("watch", odd, harness.make_session()))[0] == 400
    harness.table.round = None
    assert (await harness.post("watch", {}, harness.make_session()))[0] == 409


async def test_presses_and_links_work_for_both_rounds(harness: Harness) -> None:
    card = CardView(0, 13, (1, 2, 3, 4, 5), 0, 0, 63, (CardRow("Fours", None, 4, "ct:5:0:3"),))
    contest = RoundView(5, "Yahtzee", Kind.CONTEST, "running")
    harness.table.beside = Part(contest, card, buttons=((Button("End", "ce:5"),),))
    for number, press in enumerate(("h:123", "ce:5", "ct:5:0:3")):
        entry = {"id": f"{number:022}", "press": press}
        assert (await harness.post("entry", entry, harness.make_session()))[0] == 202
    assert (await harness.post("entry", {"id": "9" * 22, "press": "ce:6"}, harness.make_session()))[0] == 409
    for asked, shown in ((5, 5), (123, 123), (7, 123)):
        _, result = await harness.post("watch", {"round": asked}, harness.make_session())
        token = result["url"].partition("#watch=")[2]
        place = harness.links.tokens.read_token(token, harness.now, watch_only=True)
        assert place == Place(GROUP, 3, shown, watch_only=True)


async def test_result_is_prepared_for_sharing(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[dict[str, object]]()

    async def ask(_bot: object, method: str, parameters: dict[str, object]) -> object:
        asked.append({"method": method, **parameters})
        if harness.telegram.is_away:
            raise BadRequest("no")
        return {"id": "prepared", "expiration_date": 0}

    monkeypatch.setattr(submissions, "call_api", ask)
    assert (await harness.post("share", {}, harness.make_session()))[0] == 409
    assert (await harness.post("share", {"round": "1"}, harness.make_session()))[0] == 400
    harness.table.shared_result = {"type": "article"}
    assert await harness.post("share", {"round": 124}, harness.make_session()) == (
        200,
        {"message": "prepared"},
    )
    asked.clear()
    assert await harness.post("share", {}, harness.make_session()) == (200, {"message": "prepared"})
    assert (asked[0]["method"], asked[0]["user_id"]) == ("savePreparedInlineMessage", ANN)
    harness.telegram.is_away = True
    assert (await harness.post("share", {}, harness.make_session()))[0] == 503


# Whoever means harm


async def test_other_origins_are_refused(harness: Harness) -> None:
    for origin in ("https://evil.example", "null", "http://bot.example.org", "https://bot.example.org:8443"):
        known = JSON | {"Origin": origin}
        assert (await harness.post("entry", ANSWER, harness.make_session(), known))[0] == 403
        assert (await harness.post("open", {"key": "x"}, headers=known))[0] == 403
        assert (await harness.get("state", Authorization=f"Bearer {harness.make_session()}", Origin=origin))[
            0
        ] == 403
    assert harness.submissions == []
    known = JSON | {"Origin": "https://bot.example.org"}
    assert (await harness.post("entry", ANSWER, harness.make_session(), known))[0] == 202


async def test_other_host_names_are_refused(harness: Harness) -> None:
    await harness.close()
    await harness.open()
    port = harness.server.port
    await harness.close()
    await harness.open(
        replace(harness.make_needs(), allowed_hosts=frozenset({"127.0.0.1:1", f"localhost:{port}"}))
    )
    for path in ("", "state", "board.css", "words/en.json"):
        assert (await harness.get(path))[0] == 403
        assert (await harness.get(path, Host="evil.example"))[0] == 403
        assert (await harness.get(path, Host="127.0.0.1:1"))[0] in {200, 401}
    assert (await harness.post("open", {"key": "x"}, headers=JSON | {"Host": "evil.example:1"}))[0] == 403
    assert (await harness.post("open", {"key": "x"}, headers=JSON | {"Host": "127.0.0.1:1"}))[0] == 401


@pytest.mark.long
async def test_forged_openings_and_keys_change_nothing(harness: Harness) -> None:
    sound, token, session = make_init_data(at=harness.now), harness.make_token(), harness.make_session()
    watch = harness.links.make_spectator_link(Place(GROUP, 3, 123), harness.now).partition("=")[2]
    before, statuses = await harness.load_all_rows(), set[int]()
    for raw, start, seen in zip(*(make_mutants(each, 250) for each in (sound, token, watch)), strict=True):
        for body in (
            {"init_data": f"{raw}&x=1", "start": token},  # whatever it reads as, it has one pair more
            {"init_data": sound, "start": start},
            {"watch": seen},
        ):
            statuses.add((await harness.post("open", body))[0])
    for key in _list_other_keys(make_mutants(session, 400), session):
        known = JSON | {"Authorization": f"Bearer {key}"}
        statuses.add((await harness.post("entry", ANSWER, headers=known))[0])
    assert statuses == {401}
    assert await harness.load_all_rows() == before
    assert harness.submissions == []
    assert (await harness.post("open", {"init_data": sound, "start": token}))[0] == 200, "nothing was used up"


def _list_other_keys(keys: Iterable[str], but: str) -> Iterator[str]:
    """Yield the keys that fit in a header and differ from `but`."""
    for key in keys:
        if key.isascii() and key.isprintable() and key.strip() != but:
            yield key


async def test_requests_of_a_player_are_limited(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    await harness.close()
    monkeypatch.setattr(service, "SUBMIT_RATE", Rate(4, 0.5))
    await harness.open()
    bodies = [ANSWER | {"id": f"{n:022}"} for n in range(6)]
    found = [await harness.post("entry", body, harness.make_session()) for body in bodies]
    assert [status for status, _ in found] == [202] * 4 + [429] * 2
    assert found[-1][1]["Retry-After"] == "2"
    assert (await harness.post("entry", ANSWER, harness.make_session(BOB)))[0] == 202, (
        "another person may go on"
    )
    harness.monotonic_now += 2
    assert (await harness.post("entry", bodies[4], harness.make_session()))[0] == 202
    known = f"Bearer {harness.make_session()}"
    flood = [await harness.get("state", Authorization=known) for _ in range(80)]
    assert {status for status, *_ in flood[-10:]} == {429}


async def test_other_paths_and_methods_are_refused(harness: Harness) -> None:
    for path in ("x", "words/xx.json", "%2e%2e/x", "page/index.html", "package.json", "open/"):
        status, content, _ = await harness.get(path)
        assert (status, content) == (404, b"404\n")
    assert (await harness.get("entry"))[0] == 405
    assert (await harness.post("state", {}))[0] == 405


async def test_browsers_get_a_sentence_on_refusal(harness: Harness) -> None:
    await harness.close()
    await harness.open(replace(harness.make_needs(), allowed_hosts=frozenset({"127.0.0.1:1"})))
    for path, host, status in (("", "localhost:1", 403), ("index.html", "127.0.0.1:1", 404)):
        result, content, headers = await harness.get(path, Host=host, Accept="text/html,*/*;q=0.8")
        assert result == status
        assert content.decode().startswith("Nothing opens at this address.")
        assert {name: headers[name] for name in SECURITY_HEADERS} == SECURITY_HEADERS


async def test_all_responses_have_security_headers(harness: Harness) -> None:
    known = {"Authorization": f"Bearer {harness.make_session()}"}
    for path, asked, status in (
        *(("state", known, 200), ("state", {}, 401), ("entry", known, 405), ("x", known, 404)),
        ("state", known | {"Origin": "https://evil.example"}, 403),
    ):
        result, _, headers = await harness.get(path, **asked)
        assert result == status
        assert {name: headers[name] for name in SECURITY_HEADERS} == SECURITY_HEADERS
    _, _, headers = await harness.get("")
    assert headers.getall("Content-Security-Policy") == [make_content_security_policy(telegram=True)]
    assert headers.getall("Cache-Control") == ["no-cache"]
