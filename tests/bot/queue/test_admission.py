"""What is taken in, and where it waits: rules in milliseconds."""

from collections import deque
from dataclasses import replace
from typing import Any

import pytest

from bot.features import FEATURES
from bot.queue.admission import (
    SHARES,
    Admission,
    KindRules,
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


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"update_id": 1, "message": {"message_id": 1, "from": {"id": ANN}, "text": text, **more}}


def update(kind: UpdateKind, person: int = ANN, lane: int = GROUP) -> QueuedUpdate:
    return QueuedUpdate(1, lane, "{}", kind=kind, person_id=person)


def let_in(admission: Admission, one: QueuedUpdate, count: int, now: float = 0.0) -> int:
    """How many of so many equal ones are taken in, unrefused."""
    taken = [admission.admit(one, now) for _ in range(count)]
    return sum(i is not None and not i.is_refused for i in taken)


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (said("/help"), UpdateKind.QUESTION),
        (said("/HELP@Me please"), UpdateKind.QUESTION),
        (said("/solve 3 8 3 8"), UpdateKind.SEARCH),
        (said("/doctor"), UpdateKind.LOOKUP),
        (said("/play"), UpdateKind.DEAL),
        (said("/play hard 36"), UpdateKind.RARE_DEAL),
        (said("/play HARD 4"), UpdateKind.DEAL),
        (said("/play13"), UpdateKind.RARE_DEAL),
        (said("/race@me 5 hard"), UpdateKind.DEAL),
        (said("/start hand_3-8-3-8-24"), UpdateKind.DEAL),
        (said("/skip"), UpdateKind.COMMAND),
        (said("/play@other"), UpdateKind.TALK),
        (said("/a@me 1+1"), UpdateKind.ANSWER),
        (said("/dance"), UpdateKind.TALK),
        (said("/dance@me"), UpdateKind.QUESTION),
        (said("/dance@other"), UpdateKind.TALK),
        (said("/"), UpdateKind.TALK),
        (said("8/(3-8/3)"), UpdateKind.ANSWER),
        (said("J-Q"), UpdateKind.ANSWER),
        (said("well done", reply_to_message={"from": BOT}), UpdateKind.ANSWER),
        (said("well done", reply_to_message={"from": {"id": BOB}}), UpdateKind.TALK),
        (said("what a day"), UpdateKind.TALK),
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
def test_what_an_update_is(raw: dict[str, Any], kind: UpdateKind) -> None:
    assert classify_update(raw, KINDS, "me")[0] is kind


def test_every_kind_has_its_share() -> None:
    assert set(SHARES) == set(UpdateKind)


def test_who_writes_as_a_chat_counts_as_that_chat() -> None:
    assert classify_update(said("hi", sender_chat={"id": GROUP}), KINDS)[1] == GROUP
    assert classify_update(said("hi", sender_chat={"id": "?"}), KINDS)[1] == ANN


@pytest.mark.parametrize(
    "raw", [{}, {"message": 7}, {"message": {"text": "hi"}}, said("hi", **{"from": "?"})]
)
def test_what_nobody_sent_counts_for_nobody(raw: dict[str, Any]) -> None:
    assert classify_update(raw, KINDS)[1] == 0


def test_a_command_is_sorted_by_the_words_behind_it() -> None:
    kinds = KindRules(
        {"play": lambda words: UpdateKind.RARE_DEAL if words == ["hard", "4"] else UpdateKind.DEAL}
    )
    assert classify_update(said("/play  hard 4"), kinds)[0] is UpdateKind.RARE_DEAL
    assert classify_update(said("/play 4"), kinds)[0] is UpdateKind.DEAL


def test_an_update_is_sorted_by_the_json_that_it_came_as() -> None:
    admission = Admission("Me", KINDS)
    incoming = QueuedUpdate(1, GROUP, "{}")
    assert admission.classify(incoming, said("/skip@me")) == replace(
        incoming, kind=UpdateKind.COMMAND, person_id=ANN
    )
    assert admission.classify(incoming, said("/skip@you")) == replace(
        incoming, kind=UpdateKind.TALK, person_id=ANN
    )
    assert admission.classify(incoming, [7]) == replace(incoming, kind=UpdateKind.OTHER, person_id=0)


def test_what_may_take_long_stands_in_front_of_nobody_else() -> None:
    for kind in (
        UpdateKind.ANSWER,
        UpdateKind.COMMAND,
        UpdateKind.QUESTION,
        UpdateKind.PRESS,
        UpdateKind.DEAL_PRESS,
        UpdateKind.TALK,
        UpdateKind.OTHER,
    ):
        assert find_lane_key(update(kind)) == GROUP
    assert (
        find_lane_key(update(UpdateKind.SEARCH))
        == find_lane_key(update(UpdateKind.INLINE, lane=ANN))
        != GROUP
    )
    assert find_lane_key(update(UpdateKind.SEARCH)) != find_lane_key(update(UpdateKind.SEARCH, BOB))
    assert find_lane_key(update(UpdateKind.LOOKUP)) not in {
        find_lane_key(update(UpdateKind.LOOKUP, BOB)),
        GROUP,
    }
    assert find_lane_key(update(UpdateKind.DEAL_PRESS).as_refused()) != GROUP


@pytest.mark.parametrize("kind", UpdateKind)
def test_searches_have_lines_of_their_own(kind: UpdateKind) -> None:
    one = update(kind)
    assert (find_lane_key(one) == ("search", ANN, 0)) is (
        kind in {UpdateKind.SEARCH, UpdateKind.INLINE, UpdateKind.PAGE_PRESS}
    )
    assert find_lane_key(one.as_refused()) == ("apart", ANN, GROUP)


@pytest.mark.parametrize(
    ("kind", "most"),
    [(UpdateKind.ANSWER, 150), (UpdateKind.TALK, 50), (UpdateKind.COMMAND, 10), (UpdateKind.OTHER, 500)],
)
def test_of_one_person_so_much_waits_in_a_group(kind: UpdateKind, most: int) -> None:
    assert let_in(Admission(), update(kind), 600) == most


def test_a_flood_of_commands_is_cut_and_hides_no_answer() -> None:
    admission = Admission()
    assert let_in(admission, update(UpdateKind.QUESTION), 600) == 10
    assert let_in(admission, update(UpdateKind.COMMAND), 600) == 0
    assert let_in(admission, update(UpdateKind.ANSWER), 1) == 1
    assert let_in(admission, update(UpdateKind.COMMAND, BOB), 1) == 1
    assert let_in(admission, update(UpdateKind.COMMAND, ANN, ELSEWHERE), 1) == 1


def test_who_asks_one_by_one_is_heard_so_often_a_minute() -> None:
    admission, one = Admission(), update(UpdateKind.COMMAND)

    def asked(now: float) -> bool:
        taken = admission.admit(one, now)
        if taken is not None:
            admission.release(taken)
        return taken is not None

    assert sum(asked(0.1 * n) for n in range(200)) == 24
    assert asked(60.0)
    assert not asked(60.05)


def test_a_press_that_deals_counts_as_a_command() -> None:
    admission = Admission()
    for _ in range(24):
        taken = admission.admit(update(UpdateKind.COMMAND), 0.0)
        assert taken
        admission.release(taken)
    assert let_in(admission, update(UpdateKind.DEAL_PRESS), 1) == 0
    assert let_in(admission, update(UpdateKind.PRESS), 1) == 1


def test_whoever_is_silent_for_a_minute_is_forgotten() -> None:
    limiter = RateLimiter()
    for person in range(5):
        assert limiter.allow((GROUP, person, True), 2, 0.0)
    assert limiter.allow((GROUP, 0, True), 2, 0.5)
    assert limiter.allow((GROUP, 5, True), 2, 60.0)
    assert set(limiter.moments) == {(GROUP, person, True) for person in (0, 5)}
    assert limiter.allow((GROUP, 6, True), 2, 59.0)  # the clock was set back: what lies ahead counts no more
    assert set(limiter.moments) == {(GROUP, person, True) for person in (0, 5, 6)}


class Looked(deque[float]):
    """Moments that count how often somebody looks at the last one."""

    looks = 0

    def __getitem__(self, at: Any) -> Any:
        Looked.looks += 1
        return super().__getitem__(at)


def test_of_many_people_hardly_any_is_looked_at_for_each_update() -> None:
    limiter = RateLimiter()
    for person in range(20_000):
        limiter.moments[GROUP, person, True] = Looked([person / 1000])
    for n in range(100):
        assert limiter.allow((GROUP, 20_000 + n, True), 2, 20.0)
    assert Looked.looks == 100


def test_a_press_too_many_is_refused_and_not_dropped() -> None:
    admission = Admission()
    for kind, most in ((UpdateKind.DEAL_PRESS, 2), (UpdateKind.PRESS, 38)):
        taken = [admission.admit(update(kind), 0.0) for _ in range(200)]
        assert [bool(i and i.is_refused) for i in taken] == [n >= most for n in range(200)]


def test_in_a_full_chat_the_quiet_are_heard() -> None:
    admission = Admission()
    noisy = range(10, 20)
    heard = [let_in(admission, update(UpdateKind.ANSWER, person), 150) for person in noisy]
    assert heard == [150, 150, 150, 50, *[5] * 6], "five hundred, and then five of whoever was quiet"
    assert let_in(admission, update(UpdateKind.ANSWER, 19), 1) == 0
    assert let_in(admission, update(UpdateKind.ANSWER, BOB), 9) == 5
    assert let_in(admission, update(UpdateKind.ANSWER, BOB, ELSEWHERE), 9) == 9


def test_shares_are_counted_apart() -> None:
    admission = Admission()
    assert let_in(admission, update(UpdateKind.OTHER), 500) == 500
    assert let_in(admission, update(UpdateKind.PRESS), 9) == 5


def test_of_ones_slow_deals_few_wait_in_a_chat() -> None:
    admission, wish = Admission(), update(UpdateKind.RARE_DEAL)
    assert let_in(admission, wish, 20) == 1
    assert admission.admit(wish, 0.0) is None
    assert let_in(admission, update(UpdateKind.DEAL_PRESS), 20) == 2 - 1
    assert (
        let_in(admission, update(UpdateKind.ANSWER), 1)
        == let_in(admission, update(UpdateKind.RARE_DEAL, BOB), 1)
        == 1
    )
    admission.release(wish)
    assert let_in(admission, wish, 20) == 1  # what was dropped counts for nothing


def test_what_is_done_makes_room_for_one() -> None:
    admission, press = Admission(), update(UpdateKind.DEAL_PRESS)
    assert let_in(admission, press, 5) == 2
    admission.release(press)
    assert let_in(admission, press, 5) == 1


def test_a_plain_deal_is_heard_behind_slow_ones() -> None:
    """Whoever wished for too much, or met with a fault, asks for any hand and gets it."""
    admission = Admission()
    let_in(admission, update(UpdateKind.RARE_DEAL), 20)
    assert let_in(admission, update(UpdateKind.DEAL), 20) == 10 - 1


def test_few_wishes_wait_in_a_group_whoever_wishes() -> None:
    admission = Admission()
    taken = [admission.admit(update(UpdateKind.RARE_DEAL, person), 0.0) for person in range(1, 9)]
    assert [bool(i and i.is_refused) for i in taken] == [n >= 2 for n in range(8)]
    assert (
        let_in(admission, update(UpdateKind.DEAL, 9), 1)
        == let_in(admission, update(UpdateKind.RARE_DEAL, 9, ELSEWHERE), 1)
        == 1
    )
    assert taken[0]
    admission.release(taken[0])
    assert let_in(admission, update(UpdateKind.RARE_DEAL, 10), 3) == 1


def test_of_ones_wishes_few_wait_in_all_chats() -> None:
    admission = Admission()
    taken = [admission.admit(update(UpdateKind.RARE_DEAL, lane=-n), 0.0) for n in range(1, 41)]
    assert [bool(i and i.is_refused) for i in taken] == [n >= 3 for n in range(40)]
    assert let_in(admission, update(UpdateKind.RARE_DEAL, lane=ANN), 1) == 0
    assert (
        let_in(admission, update(UpdateKind.RARE_DEAL, BOB), 1)
        == let_in(admission, update(UpdateKind.COMMAND), 1)
        == 1
    )
    assert sum(let_in(admission, update(UpdateKind.DEAL, lane=-n), 1) for n in range(1, 41)) == 40
    for one in taken:
        assert one is not None
        admission.release(one)
    assert not admission.waiting[0, ANN, "rare deals"]
    assert let_in(admission, update(UpdateKind.RARE_DEAL, lane=-77), 1) == 1


def test_few_questions_wait_in_a_chat_whoever_asks() -> None:
    admission = Admission()
    assert sum(let_in(admission, update(UpdateKind.QUESTION, person), 1) for person in range(10, 100)) == 40
    assert let_in(admission, update(UpdateKind.COMMAND, BOB), 1) == 1
    assert let_in(admission, update(UpdateKind.ANSWER, BOB), 1) == 1


def test_in_private_only_the_length_of_the_line_counts() -> None:
    assert let_in(Admission(), update(UpdateKind.SEARCH, lane=ANN), 600) == 500


def test_what_is_done_makes_room_again_and_leaves_no_trace() -> None:
    admission = Admission()
    taken = [admission.admit(update(UpdateKind.TALK), 0.0) for _ in range(70)]
    for incoming in filter(None, taken):
        admission.release(incoming)
    assert not admission.waiting


def test_a_search_that_waited_long_is_not_worth_its_work() -> None:
    search, help_ = (
        replace(update(UpdateKind.SEARCH), queued_at=10.0),
        replace(update(UpdateKind.QUESTION), queued_at=0.0),
    )
    assert not is_overdue(search, deque([search]), 10.0 + 2.0)
    assert is_overdue(search, deque([search]), 10.1 + 2.0)
    assert not is_overdue(help_, deque([help_]), 99.0)


def test_only_the_latest_inline_query_counts() -> None:
    first, search, last = (update(kind) for kind in (UpdateKind.INLINE, UpdateKind.SEARCH, UpdateKind.INLINE))
    assert is_overdue(first, deque([first, search, last]), 0.0)
    assert is_overdue(first, deque([first, last]), 0.0)
    assert not is_overdue(first, deque([first, search]), 0.0)
    assert not is_overdue(last, deque([last]), 0.0)
