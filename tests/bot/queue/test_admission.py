"""Limits on accepted updates, and the lanes in which they wait."""

from collections import deque
from dataclasses import replace
from typing import Any

import pytest

from bot.features import FEATURES
from bot.queue.admission import (
    SHARES,
    Admission,
    RateKey,
    RateLimiter,
    UpdateKind,
    classify_update,
    find_lane_key,
    is_overdue,
)
from bot.queue.queries import QueuedUpdate
from bot.rounds.registry import looks_like_answer
from bot.telegram.routes import merge_routes

KINDS = replace(merge_routes(FEATURES).kind_rules, may_be_answer=looks_like_answer)
GROUP, ELSEWHERE, ANN, BOB = -100, -200, 1, 2
BOT = {"id": 9, "is_bot": True, "first_name": "Bot"}


def make_message_update(text: str, **more: Any) -> dict[str, Any]:
    return {"update_id": 1, "message": {"message_id": 1, "from": {"id": ANN}, "text": text, **more}}


def make_update(kind: UpdateKind, person: int = ANN, lane: int = GROUP) -> QueuedUpdate:
    return QueuedUpdate(1, lane, "{}", kind=kind, person_id=person)


def count_accepted(admission: Admission, one: QueuedUpdate, count: int, now: float = 0.0) -> int:
    """Return how many of `count` equal updates are accepted and not refused."""
    taken = [admission.admit(one, now) for _ in range(count)]
    return sum(i is not None and not i.is_refused for i in taken)


@pytest.mark.parametrize(
    ("update", "kind"),
    [
        (make_message_update("/help"), UpdateKind.QUESTION),
        (make_message_update("/HELP@Me please"), UpdateKind.QUESTION),
        (make_message_update("/solve 3 8 3 8"), UpdateKind.SEARCH),
        (make_message_update("/doctor"), UpdateKind.LOOKUP),
        (make_message_update("/play"), UpdateKind.DEAL),
        (make_message_update("/play hard 36"), UpdateKind.RARE_DEAL),
        (make_message_update("/play HARD 4"), UpdateKind.DEAL),
        (make_message_update("/play13"), UpdateKind.RARE_DEAL),
        (make_message_update("/race@me 5 hard"), UpdateKind.DEAL),
        (make_message_update("/start hand_3-8-3-8-24"), UpdateKind.DEAL),
        (make_message_update("/skip"), UpdateKind.COMMAND),
        (make_message_update("/play@other"), UpdateKind.TALK),
        (make_message_update("/a@me 1+1"), UpdateKind.ANSWER),
        (make_message_update("/dance"), UpdateKind.TALK),
        (make_message_update("/dance@me"), UpdateKind.QUESTION),
        (make_message_update("/dance@other"), UpdateKind.TALK),
        (make_message_update("/"), UpdateKind.TALK),
        (make_message_update("8/(3-8/3)"), UpdateKind.ANSWER),
        (make_message_update("J-Q"), UpdateKind.ANSWER),
        (make_message_update("well done", reply_to_message={"from": BOT}), UpdateKind.ANSWER),
        (make_message_update("well done", reply_to_message={"from": {"id": BOB}}), UpdateKind.TALK),
        (make_message_update("what a day"), UpdateKind.TALK),
        ({"callback_query": {"from": {"id": ANN}, "data": "v:3,8=24:1"}}, UpdateKind.PAGE_PRESS),
        ({"callback_query": {"from": {"id": ANN}, "data": "n:7"}}, UpdateKind.DEAL_PRESS),
        ({"callback_query": {"from": {"id": ANN}, "data": "o:level"}}, UpdateKind.PRESS),
        ({"callback_query": {"from": {"id": ANN}}}, UpdateKind.PRESS),
        ({"inline_query": {"from": {"id": ANN}, "query": "3 8"}}, UpdateKind.INLINE),
        ({"my_chat_member": {"from": {"id": ANN}}}, UpdateKind.OTHER),
        ({"message": {"from": {"id": ANN}, "migrate_to_chat_id": -7}}, UpdateKind.OTHER),
        ({"message": 7}, UpdateKind.OTHER),
        ({"message": {"from": {"id": ANN}, "caption": "8/(3-8/3)"}}, UpdateKind.TALK),
    ],
)
def test_update_is_classified(update: dict[str, Any], kind: UpdateKind) -> None:
    assert classify_update(update, KINDS, "me")[0] is kind


def test_every_kind_has_a_share() -> None:
    assert set(SHARES) == set(UpdateKind)


def test_message_in_the_name_of_a_chat_counts_for_that_chat() -> None:
    assert classify_update(make_message_update("hi", sender_chat={"id": GROUP}), KINDS)[1] == GROUP
    assert classify_update(make_message_update("hi", sender_chat={"id": "?"}), KINDS)[1] == ANN


@pytest.mark.parametrize(
    "update", [{}, {"message": 7}, {"message": {"text": "hi"}}, make_message_update("hi", **{"from": "?"})]
)
def test_update_without_sender_counts_for_nobody(update: dict[str, Any]) -> None:
    assert classify_update(update, KINDS)[1] == 0


def test_update_is_classified_by_its_json() -> None:
    admission = Admission("Me", KINDS)
    incoming = QueuedUpdate(1, GROUP, "{}")
    assert admission.classify(incoming, make_message_update("/skip@me")) == replace(
        incoming, kind=UpdateKind.COMMAND, person_id=ANN
    )
    assert admission.classify(incoming, make_message_update("/skip@you")) == replace(
        incoming, kind=UpdateKind.TALK, person_id=ANN
    )
    assert admission.classify(incoming, [7]) == replace(incoming, kind=UpdateKind.OTHER, person_id=0)


def test_slow_updates_have_lanes_of_their_own() -> None:
    for kind in (
        UpdateKind.ANSWER,
        UpdateKind.COMMAND,
        UpdateKind.QUESTION,
        UpdateKind.PRESS,
        UpdateKind.DEAL_PRESS,
        UpdateKind.TALK,
        UpdateKind.OTHER,
    ):
        assert find_lane_key(make_update(kind)) == GROUP
    assert (
        find_lane_key(make_update(UpdateKind.SEARCH))
        == find_lane_key(make_update(UpdateKind.INLINE, lane=ANN))
        == find_lane_key(make_update(UpdateKind.PAGE_PRESS))
        != GROUP
    )
    assert find_lane_key(make_update(UpdateKind.SEARCH)) != find_lane_key(make_update(UpdateKind.SEARCH, BOB))
    assert find_lane_key(make_update(UpdateKind.LOOKUP)) not in {
        find_lane_key(make_update(UpdateKind.LOOKUP, BOB)),
        GROUP,
    }
    assert find_lane_key(make_update(UpdateKind.DEAL_PRESS).as_refused()) != GROUP


@pytest.mark.parametrize(
    ("kind", "most"),
    [(UpdateKind.ANSWER, 150), (UpdateKind.TALK, 50), (UpdateKind.COMMAND, 10), (UpdateKind.OTHER, 500)],
)
def test_waiting_updates_of_a_person_in_a_group_are_limited(kind: UpdateKind, most: int) -> None:
    assert count_accepted(Admission(), make_update(kind), 600) == most


def test_flood_of_commands_leaves_room_for_answers() -> None:
    admission = Admission()
    assert count_accepted(admission, make_update(UpdateKind.QUESTION), 600) == 10
    assert count_accepted(admission, make_update(UpdateKind.COMMAND), 600) == 0
    assert count_accepted(admission, make_update(UpdateKind.ANSWER), 1) == 1
    assert count_accepted(admission, make_update(UpdateKind.COMMAND, BOB), 1) == 1
    assert count_accepted(admission, make_update(UpdateKind.COMMAND, ANN, ELSEWHERE), 1) == 1


def test_commands_of_a_person_are_limited_per_minute() -> None:
    admission, one = Admission(), make_update(UpdateKind.COMMAND)

    def is_accepted(now: float) -> bool:
        taken = admission.admit(one, now)
        if taken is not None:
            admission.release(taken)
        return taken is not None

    assert sum(is_accepted(0.1 * n) for n in range(200)) == 24
    assert is_accepted(60.0)
    assert not is_accepted(60.05)


def test_press_that_deals_counts_as_a_command() -> None:
    admission = Admission()
    for _ in range(24):
        taken = admission.admit(make_update(UpdateKind.COMMAND), 0.0)
        assert taken
        admission.release(taken)
    assert count_accepted(admission, make_update(UpdateKind.DEAL_PRESS), 1) == 0
    assert count_accepted(admission, make_update(UpdateKind.PRESS), 1) == 1


def test_rate_limiter_forgets_people_after_a_minute() -> None:
    limiter = RateLimiter()
    for person in range(5):
        assert limiter.allow(RateKey(GROUP, person, is_command=True), 2, 0.0)
    assert limiter.allow(RateKey(GROUP, 0, is_command=True), 2, 0.5)
    assert limiter.allow(RateKey(GROUP, 5, is_command=True), 2, 60.0)
    assert set(limiter.moments) == {RateKey(GROUP, person, is_command=True) for person in (0, 5)}
    # the clock was set back: later moments do not count
    assert limiter.allow(RateKey(GROUP, 6, is_command=True), 2, 59.0)
    assert set(limiter.moments) == {RateKey(GROUP, person, is_command=True) for person in (0, 5, 6)}


def test_excess_press_is_refused_and_not_dropped() -> None:
    admission = Admission()
    for kind, most in ((UpdateKind.DEAL_PRESS, 2), (UpdateKind.PRESS, 38)):
        taken = [admission.admit(make_update(kind), 0.0) for _ in range(200)]
        assert [bool(i and i.is_refused) for i in taken] == [n >= most for n in range(200)]


def test_full_chat_accepts_updates_of_quiet_people() -> None:
    admission = Admission()
    noisy = range(10, 20)
    heard = [count_accepted(admission, make_update(UpdateKind.ANSWER, person), 150) for person in noisy]
    assert heard == [150, 150, 150, 50, *[5] * 6], "500 in all, then 5 of each person who was quiet"
    assert count_accepted(admission, make_update(UpdateKind.ANSWER, 19), 1) == 0
    assert count_accepted(admission, make_update(UpdateKind.ANSWER, BOB), 9) == 5
    assert count_accepted(admission, make_update(UpdateKind.ANSWER, BOB, ELSEWHERE), 9) == 9


def test_kinds_have_separate_shares() -> None:
    admission = Admission()
    assert count_accepted(admission, make_update(UpdateKind.OTHER), 500) == 500
    assert count_accepted(admission, make_update(UpdateKind.PRESS), 9) == 5


def test_rare_deals_of_a_person_in_a_chat_are_limited() -> None:
    admission, wish = Admission(), make_update(UpdateKind.RARE_DEAL)
    assert count_accepted(admission, wish, 20) == 1
    assert admission.admit(wish, 0.0) is None
    assert count_accepted(admission, make_update(UpdateKind.DEAL_PRESS), 20) == 2 - 1
    assert (
        count_accepted(admission, make_update(UpdateKind.ANSWER), 1)
        == count_accepted(admission, make_update(UpdateKind.RARE_DEAL, BOB), 1)
        == 1
    )
    admission.release(wish)
    assert count_accepted(admission, wish, 20) == 1  # a dropped update is not counted


def test_plain_deal_is_accepted_behind_rare_deals() -> None:
    admission = Admission()
    count_accepted(admission, make_update(UpdateKind.RARE_DEAL), 20)
    assert count_accepted(admission, make_update(UpdateKind.DEAL), 20) == 10 - 1


def test_rare_deals_of_a_group_are_limited() -> None:
    admission = Admission()
    taken = [admission.admit(make_update(UpdateKind.RARE_DEAL, person), 0.0) for person in range(1, 9)]
    assert [bool(i and i.is_refused) for i in taken] == [n >= 2 for n in range(8)]
    assert (
        count_accepted(admission, make_update(UpdateKind.DEAL, 9), 1)
        == count_accepted(admission, make_update(UpdateKind.RARE_DEAL, 9, ELSEWHERE), 1)
        == 1
    )
    assert taken[0]
    admission.release(taken[0])
    assert count_accepted(admission, make_update(UpdateKind.RARE_DEAL, 10), 3) == 1


def test_rare_deals_of_a_person_in_all_chats_are_limited() -> None:
    admission = Admission()
    taken = [admission.admit(make_update(UpdateKind.RARE_DEAL, lane=-n), 0.0) for n in range(1, 41)]
    assert [bool(i and i.is_refused) for i in taken] == [n >= 3 for n in range(40)]
    assert count_accepted(admission, make_update(UpdateKind.RARE_DEAL, lane=ANN), 1) == 0
    assert (
        count_accepted(admission, make_update(UpdateKind.RARE_DEAL, BOB), 1)
        == count_accepted(admission, make_update(UpdateKind.COMMAND), 1)
        == 1
    )
    assert (
        sum(count_accepted(admission, make_update(UpdateKind.DEAL, lane=-n), 1) for n in range(1, 41)) == 40
    )
    for one in taken:
        assert one is not None
        admission.release(one)
    assert not admission.waiting[0, ANN, "rare deals"]
    assert count_accepted(admission, make_update(UpdateKind.RARE_DEAL, lane=-77), 1) == 1


def test_questions_of_a_chat_are_limited() -> None:
    admission = Admission()
    assert (
        sum(
            count_accepted(admission, make_update(UpdateKind.QUESTION, person), 1)
            for person in range(10, 100)
        )
        == 40
    )
    assert count_accepted(admission, make_update(UpdateKind.COMMAND, BOB), 1) == 1
    assert count_accepted(admission, make_update(UpdateKind.ANSWER, BOB), 1) == 1


def test_private_chat_has_no_share_per_person() -> None:
    assert count_accepted(Admission(), make_update(UpdateKind.SEARCH, lane=ANN), 600) == 500


def test_released_updates_are_no_longer_counted() -> None:
    admission = Admission()
    taken = [admission.admit(make_update(UpdateKind.TALK), 0.0) for _ in range(70)]
    for incoming in filter(None, taken):
        admission.release(incoming)
    assert not admission.waiting


def test_search_is_overdue_after_two_seconds() -> None:
    search, help_ = (
        replace(make_update(UpdateKind.SEARCH), queued_at=10.0),
        replace(make_update(UpdateKind.QUESTION), queued_at=0.0),
    )
    assert not is_overdue(search, deque([search]), 10.0 + 2.0)
    assert is_overdue(search, deque([search]), 10.1 + 2.0)
    assert not is_overdue(help_, deque([help_]), 99.0)


def test_inline_query_is_overdue_when_a_later_one_waits() -> None:
    first, search, last = (
        make_update(kind) for kind in (UpdateKind.INLINE, UpdateKind.SEARCH, UpdateKind.INLINE)
    )
    assert is_overdue(first, deque([first, search, last]), 0.0)
    assert is_overdue(first, deque([first, last]), 0.0)
    assert not is_overdue(first, deque([first, search]), 0.0)
    assert not is_overdue(last, deque([last]), 0.0)
