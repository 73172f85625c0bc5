"""What is taken in, and where it waits: rules in milliseconds."""

from collections import deque
from dataclasses import replace
from typing import Any

import pytest

from bot.features import FEATURES
from bot.queue.intake import SHARES, Intake, Kinds, Windows, Work, kind_of, line_of, overdue, searches
from bot.queue.queries import Incoming
from bot.rounds.known import looks_like_answer
from bot.telegram.routes import gathered

KINDS = replace(gathered(FEATURES).kinds, answer=looks_like_answer)
GROUP, ELSEWHERE, ANN, BOB = -100, -200, 1, 2
BOT = {"id": 9, "is_bot": True, "first_name": "Bot"}


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"update_id": 1, "message": {"message_id": 1, "from": {"id": ANN}, "text": text, **more}}


def update(kind: Work, person: int = ANN, lane: int = GROUP) -> Incoming:
    return Incoming(1, lane, "{}", kind=kind, person=person)


def let_in(intake: Intake, one: Incoming, count: int, now: float = 0.0) -> int:
    """How many of so many equal ones are taken in, unrefused."""
    taken = [intake.admit(one, now) for _ in range(count)]
    return sum(i is not None and not i.refused for i in taken)


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (said("/help"), Work.QUESTION),
        (said("/HELP@Me please"), Work.QUESTION),
        (said("/solve 3 8 3 8"), Work.SEARCH),
        (said("/doctor"), Work.LOOKUP),
        (said("/play"), Work.DEAL),
        (said("/play hard 36"), Work.WISH),
        (said("/play HARD 4"), Work.DEAL),
        (said("/play13"), Work.WISH),
        (said("/race@me 5 hard"), Work.DEAL),
        (said("/start hand_3-8-3-8-24"), Work.DEAL),
        (said("/skip"), Work.COMMAND),
        (said("/play@other"), Work.TALK),
        (said("/a@me 1+1"), Work.ANSWER),
        (said("/dance"), Work.TALK),
        (said("/dance@me"), Work.QUESTION),
        (said("/dance@other"), Work.TALK),
        (said("/"), Work.TALK),
        (said("8/(3-8/3)"), Work.ANSWER),
        (said("J-Q"), Work.ANSWER),
        (said("well done", reply_to_message={"from": BOT}), Work.ANSWER),
        (said("well done", reply_to_message={"from": {"id": BOB}}), Work.TALK),
        (said("what a day"), Work.TALK),
        ({"callback_query": {"from": {"id": ANN}, "data": "v:3,8=24:1"}}, Work.PAGE),
        ({"callback_query": {"from": {"id": ANN}, "data": "n:7"}}, Work.DEALING),
        ({"callback_query": {"from": {"id": ANN}, "data": "o:level"}}, Work.PRESS),
        ({"callback_query": {"from": {"id": ANN}}}, Work.PRESS),
        ({"inline_query": {"from": {"id": ANN}, "query": "3 8"}}, Work.INLINE),
        ({"my_chat_member": {"from": {"id": ANN}}}, Work.OTHER),
        ({"message": {"from": {"id": ANN}, "migrate_to_chat_id": -7}}, Work.OTHER),
        ({"message": 7}, Work.OTHER),
        ({"message": {"from": {"id": ANN}, "caption": "8/(3-8/3)"}}, Work.TALK),
    ],
)
def test_what_an_update_is(raw: dict[str, Any], kind: Work) -> None:
    assert kind_of(raw, KINDS, "me")[0] is kind


def test_every_kind_has_its_share() -> None:
    assert set(SHARES) == set(Work)


def test_who_writes_as_a_chat_counts_as_that_chat() -> None:
    assert kind_of(said("hi", sender_chat={"id": GROUP}))[1] == GROUP
    assert kind_of(said("hi", sender_chat={"id": "?"}))[1] == ANN


@pytest.mark.parametrize(
    "raw", [{}, {"message": 7}, {"message": {"text": "hi"}}, said("hi", **{"from": "?"})]
)
def test_what_nobody_sent_counts_for_nobody(raw: dict[str, Any]) -> None:
    assert kind_of(raw)[1] == 0


def test_a_command_is_sorted_by_the_words_behind_it() -> None:
    kinds = Kinds({"play": lambda words: Work.WISH if words == ["hard", "4"] else Work.DEAL})
    assert kind_of(said("/play  hard 4"), kinds)[0] is Work.WISH
    assert kind_of(said("/play 4"), kinds)[0] is Work.DEAL


def test_an_update_is_sorted_by_the_json_that_it_came_as() -> None:
    intake = Intake("Me", KINDS)
    incoming = Incoming(1, GROUP, "{}")
    assert intake.sort(incoming, said("/skip@me")) == replace(incoming, kind=Work.COMMAND, person=ANN)
    assert intake.sort(incoming, said("/skip@you")) == replace(incoming, kind=Work.TALK, person=ANN)
    assert intake.sort(incoming, [7]) == replace(incoming, kind=Work.OTHER, person=0)


def test_what_may_take_long_stands_in_front_of_nobody_else() -> None:
    for kind in (Work.ANSWER, Work.COMMAND, Work.QUESTION, Work.PRESS, Work.DEALING, Work.TALK, Work.OTHER):
        assert line_of(update(kind)) == GROUP
    assert line_of(update(Work.SEARCH)) == line_of(update(Work.INLINE, lane=ANN)) != GROUP
    assert line_of(update(Work.SEARCH)) != line_of(update(Work.SEARCH, BOB))
    assert line_of(update(Work.LOOKUP)) not in {line_of(update(Work.LOOKUP, BOB)), GROUP}
    assert line_of(update(Work.DEALING).turned_away()) != GROUP


@pytest.mark.parametrize("kind", Work)
def test_searches_have_lines_of_their_own(kind: Work) -> None:
    one = update(kind)
    assert searches(line_of(one)) is (kind in {Work.SEARCH, Work.INLINE, Work.PAGE})
    assert not searches(line_of(one.turned_away()))


@pytest.mark.parametrize(
    ("kind", "most"), [(Work.ANSWER, 150), (Work.TALK, 50), (Work.COMMAND, 10), (Work.OTHER, 500)]
)
def test_of_one_person_so_much_waits_in_a_group(kind: Work, most: int) -> None:
    assert let_in(Intake(), update(kind), 600) == most


def test_a_flood_of_commands_is_cut_and_hides_no_answer() -> None:
    intake = Intake()
    assert let_in(intake, update(Work.QUESTION), 600) == 10
    assert let_in(intake, update(Work.COMMAND), 600) == 0
    assert let_in(intake, update(Work.ANSWER), 1) == 1
    assert let_in(intake, update(Work.COMMAND, BOB), 1) == 1
    assert let_in(intake, update(Work.COMMAND, ANN, ELSEWHERE), 1) == 1


def test_who_asks_one_by_one_is_heard_so_often_a_minute() -> None:
    intake, one = Intake(), update(Work.COMMAND)

    def asked(now: float) -> bool:
        taken = intake.admit(one, now)
        if taken is not None:
            intake.done(taken)
        return taken is not None

    assert sum(asked(0.1 * n) for n in range(200)) == 24
    assert asked(60.0)
    assert not asked(60.05)


def test_a_press_that_deals_counts_as_a_command() -> None:
    intake = Intake()
    for _ in range(24):
        taken = intake.admit(update(Work.COMMAND), 0.0)
        assert taken
        intake.done(taken)
    assert let_in(intake, update(Work.DEALING), 1) == 0
    assert let_in(intake, update(Work.PRESS), 1) == 1


def test_whoever_is_silent_for_a_minute_is_forgotten() -> None:
    windows = Windows()
    for person in range(5):
        assert windows.take((GROUP, person, True), 2, 0.0)
    assert windows.take((GROUP, 0, True), 2, 0.5)
    assert windows.take((GROUP, 5, True), 2, 60.0)
    assert set(windows.moments) == {(GROUP, person, True) for person in (0, 5)}
    assert windows.take((GROUP, 6, True), 2, 59.0)  # the clock was set back: what lies ahead counts no more
    assert set(windows.moments) == {(GROUP, person, True) for person in (0, 5, 6)}


class Looked(deque[float]):
    """Moments that count how often somebody looks at the last one."""

    looks = 0

    def __getitem__(self, at: Any) -> Any:
        Looked.looks += 1
        return super().__getitem__(at)


def test_of_many_people_hardly_any_is_looked_at_for_each_update() -> None:
    windows = Windows()
    for person in range(20_000):
        windows.moments[GROUP, person, True] = Looked([person / 1000])
    for n in range(100):
        assert windows.take((GROUP, 20_000 + n, True), 2, 20.0)
    assert Looked.looks == 100


def test_a_press_too_many_is_refused_and_not_dropped() -> None:
    intake = Intake()
    for kind, most in ((Work.DEALING, 2), (Work.PRESS, 38)):
        taken = [intake.admit(update(kind), 0.0) for _ in range(200)]
        assert [bool(i and i.refused) for i in taken] == [n >= most for n in range(200)]


def test_in_a_full_chat_the_quiet_are_heard() -> None:
    intake = Intake()
    noisy = range(10, 20)
    heard = [let_in(intake, update(Work.ANSWER, person), 150) for person in noisy]
    assert heard == [150, 150, 150, 50, *[5] * 6], "five hundred, and then five of whoever was quiet"
    assert let_in(intake, update(Work.ANSWER, 19), 1) == 0
    assert let_in(intake, update(Work.ANSWER, BOB), 9) == 5
    assert let_in(intake, update(Work.ANSWER, BOB, ELSEWHERE), 9) == 9


def test_shares_are_counted_apart() -> None:
    intake = Intake()
    assert let_in(intake, update(Work.OTHER), 500) == 500
    assert let_in(intake, update(Work.PRESS), 9) == 5


def test_of_ones_slow_deals_few_wait_in_a_chat() -> None:
    intake, wish = Intake(), update(Work.WISH)
    assert let_in(intake, wish, 20) == 1
    assert intake.admit(wish, 0.0) is None
    assert let_in(intake, update(Work.DEALING), 20) == 2 - 1
    assert let_in(intake, update(Work.ANSWER), 1) == let_in(intake, update(Work.WISH, BOB), 1) == 1
    intake.done(wish)
    assert let_in(intake, wish, 20) == 1  # what was dropped counts for nothing


def test_what_is_done_makes_room_for_one() -> None:
    intake, press = Intake(), update(Work.DEALING)
    assert let_in(intake, press, 5) == 2
    intake.done(press)
    assert let_in(intake, press, 5) == 1


def test_a_plain_deal_is_heard_behind_slow_ones() -> None:
    """Whoever wished for too much, or met with a fault, asks for any hand and gets it."""
    intake = Intake()
    let_in(intake, update(Work.WISH), 20)
    assert let_in(intake, update(Work.DEAL), 20) == 10 - 1


def test_few_wishes_wait_in_a_group_whoever_wishes() -> None:
    intake = Intake()
    taken = [intake.admit(update(Work.WISH, person), 0.0) for person in range(1, 9)]
    assert [bool(i and i.refused) for i in taken] == [n >= 2 for n in range(8)]
    assert let_in(intake, update(Work.DEAL, 9), 1) == let_in(intake, update(Work.WISH, 9, ELSEWHERE), 1) == 1
    assert taken[0]
    intake.done(taken[0])
    assert let_in(intake, update(Work.WISH, 10), 3) == 1


def test_of_ones_wishes_few_wait_in_all_chats() -> None:
    intake = Intake()
    taken = [intake.admit(update(Work.WISH, lane=-n), 0.0) for n in range(1, 41)]
    assert [bool(i and i.refused) for i in taken] == [n >= 3 for n in range(40)]
    assert let_in(intake, update(Work.WISH, lane=ANN), 1) == 0
    assert let_in(intake, update(Work.WISH, BOB), 1) == let_in(intake, update(Work.COMMAND), 1) == 1
    assert sum(let_in(intake, update(Work.DEAL, lane=-n), 1) for n in range(1, 41)) == 40
    for one in taken:
        assert one is not None
        intake.done(one)
    assert not intake.waiting[0, ANN, "wishes"]
    assert let_in(intake, update(Work.WISH, lane=-77), 1) == 1


def test_few_questions_wait_in_a_chat_whoever_asks() -> None:
    intake = Intake()
    assert sum(let_in(intake, update(Work.QUESTION, person), 1) for person in range(10, 100)) == 40
    assert let_in(intake, update(Work.COMMAND, BOB), 1) == 1
    assert let_in(intake, update(Work.ANSWER, BOB), 1) == 1


def test_in_private_only_the_length_of_the_line_counts() -> None:
    assert let_in(Intake(), update(Work.SEARCH, lane=ANN), 600) == 500


def test_what_is_done_makes_room_again_and_leaves_no_trace() -> None:
    intake = Intake()
    taken = [intake.admit(update(Work.TALK), 0.0) for _ in range(70)]
    for incoming in filter(None, taken):
        intake.done(incoming)
    assert not intake.waiting
    assert not intake.chats


def test_a_search_that_waited_long_is_not_worth_its_work() -> None:
    search, help_ = replace(update(Work.SEARCH), since=10.0), replace(update(Work.QUESTION), since=0.0)
    assert not overdue(search, deque([search]), 10.0 + 2.0)
    assert overdue(search, deque([search]), 10.1 + 2.0)
    assert not overdue(help_, deque([help_]), 99.0)


def test_only_the_latest_inline_query_counts() -> None:
    first, search, last = (update(kind) for kind in (Work.INLINE, Work.SEARCH, Work.INLINE))
    assert overdue(first, deque([first, search, last]), 0.0)
    assert overdue(first, deque([first, last]), 0.0)
    assert not overdue(first, deque([first, search]), 0.0)
    assert not overdue(last, deque([last]), 0.0)
