"""How fast a chat is written to, and who goes first: rules without a clock."""

from typing import Any

import pytest

from bot.queue.pacing import (
    Pace,
    RecentPosts,
    Room,
    compute_room,
    find_limited_people,
    find_post_time,
    get_priority,
    is_aside,
    is_expired,
    is_minor_reaction,
    is_post,
)
from bot.queue.queries import QueuedRequest
from bot.telegram.messages import answer_press, edit_message, post_message, react_to_message, show_round_by_id

GROUP, ANN, BOB = -100, 1, 2
PACE = Pace()


def queued(body: dict[str, Any], by: int = ANN, at: float = 0.0) -> QueuedRequest:
    return QueuedRequest(1, GROUP, body, at, by)


def question(by: int = ANN, at: float = 0.0, text: str = "a board") -> QueuedRequest:
    return queued({**post_message(GROUP, text).body, "aside": True}, by, at)


DEAL = queued(show_round_by_id(GROUP, 7, unasked=True).body)


def test_what_belongs_to_a_round_goes_first() -> None:
    trophy, glance = (
        queued(react_to_message(GROUP, 3, "🏆").body),
        queued(react_to_message(GROUP, 3, "👎").body),
    )
    board, greeting = queued(edit_message(GROUP, 3, "board").body), queued(post_message(GROUP, "Hello").body)
    waiting = [question(), glance, board, greeting, trophy, DEAL]
    assert sorted(waiting, key=get_priority) == [trophy, DEAL, glance, board, greeting, waiting[0]]


def test_in_private_everything_keeps_its_order() -> None:
    waiting = [
        QueuedRequest(n, ANN, body)
        for n, body in enumerate(
            (post_message(ANN, "Hello").body, show_round_by_id(ANN, 7, unasked=True).body)
        )
    ]
    assert sorted(waiting, key=get_priority) == waiting


def test_an_aside_is_said_in_a_group_and_nothing_rests_on_it() -> None:
    assert is_aside(GROUP, post_message(GROUP, "how to play").body)
    assert not is_aside(ANN, post_message(ANN, "how to play").body)
    assert not is_aside(GROUP, post_message(GROUP, "3 8 3 8 → 24", about="deal:7").body)
    assert not is_aside(GROUP, show_round_by_id(GROUP, 7, unasked=True).body)
    assert not is_aside(GROUP, edit_message(GROUP, 3, "board").body)
    assert not is_aside(ANN, answer_press(ANN, "1").body)


def test_asides_leave_room_for_rounds() -> None:
    posts = RecentPosts()
    for n in range(14):
        assert find_post_time(PACE, posts, question(by=n + 10), 1.0) == 0.0
        posts.add(1.0, n + 10)
    asked_before, never = question(by=10), question()
    assert find_post_time(PACE, posts, asked_before, 1.0) == 61.0
    for _ in range(2):
        assert find_post_time(PACE, posts, never, 1.0) == 0.0
        posts.add(1.0)
    assert find_post_time(PACE, posts, never, 1.0) == 61.0
    assert find_post_time(PACE, posts, DEAL, 1.0) == 0.0
    for _ in range(3):
        posts.add(2.0)
    assert find_post_time(PACE, posts, DEAL, 3.0) == 61.0
    assert find_post_time(PACE, posts, DEAL, 61.0) == 0.0


def test_one_persons_asides_leave_room_for_anothers() -> None:
    posts = RecentPosts()
    for n in range(6):
        posts.add(float(n), ANN)
    assert find_post_time(PACE, posts, question(ANN), 9.0) == 60.0
    assert find_post_time(PACE, posts, question(BOB), 9.0) == 0.0


def test_a_deal_for_each_command_of_one_person_leaves_room_for_another() -> None:
    assert PACE.posts_a_minute == 19  # one less than Telegram allows
    assert PACE.commands_a_minute == 24  # who deals as fast as that is heard
    assert (PACE.asides_a_minute, PACE.asides_per_person, PACE.presses_a_minute) == (14, 6, 38)
    assert (PACE.redraw_gap, PACE.overlap, PACE.patience) == (1.0, 0.1, 0.5)


def test_a_pace_of_its_own_is_shared_out_alike() -> None:
    pace = Pace(posts_a_minute=8)
    assert (pace.asides_a_minute, pace.asides_per_person, pace.commands_a_minute, pace.presses_a_minute) == (
        6,
        2,
        13,
        16,
    )


def test_a_trophy_is_one_also_among_other_reactions() -> None:
    body = react_to_message(GROUP, 3, "🏆").body
    body["params"]["reaction"].append({"type": "emoji", "emoji": "👍"})
    assert not is_minor_reaction(GROUP, body)
    assert not is_minor_reaction(ANN, react_to_message(ANN, 3, "👎").body)
    assert is_minor_reaction(GROUP, react_to_message(GROUP, 3, "👎").body)
    assert not is_minor_reaction(
        GROUP, {"method": "setMessageReaction", "params": {"reaction": [{"emoji": "🏆"}]}}
    )


@pytest.mark.parametrize("reaction", [None, 5, "👎", [5], [[]], {}])
def test_a_reaction_of_whatever_shape_has_its_place_in_line(reaction: object) -> None:
    broken = QueuedRequest(7, GROUP, {"method": "setMessageReaction", "params": {"reaction": reaction}})
    assert is_minor_reaction(GROUP, broken.body)
    assert sorted([broken, DEAL], key=get_priority) == [DEAL, broken]


def test_which_requests_make_a_message() -> None:
    assert is_post(queued(post_message(GROUP, "Hello").body))
    assert is_post(queued({"method": "sendDocument", "params": {}}))
    assert is_post(queued({"method": "hand over", "player": 1}))
    assert is_post(queued({"method": "show", "round": 7, "new": True}))
    assert not is_post(queued({"method": "show", "round": 7}))
    assert not is_post(queued(edit_message(GROUP, 3, "board").body))


def test_the_first_aside_for_a_person_goes_again_after_just_a_minute() -> None:
    posts = RecentPosts()
    posts.add(0.0, ANN)
    for _ in range(14):
        posts.add(10.0)
    assert find_post_time(PACE, posts, question(ANN), 59.0) == 70.0
    assert find_post_time(PACE, posts, question(ANN), 60.0) == 0.0
    assert find_post_time(PACE, posts, question(by=0), 60.0) == 70.0


def test_an_empty_chat_has_room_for_anything() -> None:
    assert Room().accepts(GROUP, post_message(GROUP, "a board").body)
    assert Room().accepts(GROUP, react_to_message(GROUP, 99, "👎").body)
    assert not Room(has_aside_room=False).accepts(GROUP, post_message(GROUP, "a board").body)
    assert Room(has_aside_room=False).accepts(GROUP, post_message(GROUP, "a deal", about="deal:7").body)
    assert not Room(has_reaction_room=False).accepts(GROUP, react_to_message(GROUP, 99, "👎").body)


def test_who_is_nobody_has_no_share_of_their_own() -> None:
    waiting = [question(0, text="a"), question(0, text="b")]
    assert compute_room(0, waiting, 0.0).has_aside_room
    posts = RecentPosts()
    for _ in range(6):
        posts.add(0.0)
    assert find_limited_people(PACE, posts, waiting, 1.0) == set()


def test_few_asides_wait_and_fewer_of_one_person() -> None:
    mine = [question(ANN, text=f"{n}") for n in range(2)]
    assert compute_room(ANN, mine[1:], 0.0).has_aside_room
    assert not compute_room(ANN, mine, 0.0).has_aside_room
    assert compute_room(BOB, mine, 0.0).has_aside_room
    assert not compute_room(BOB, [question(n) for n in range(10, 10 + 4)], 0.0).has_aside_room


def test_what_waits_is_not_said_twice() -> None:
    bobs = compute_room(BOB, [question(ANN)], 0.0)
    assert not bobs.accepts(GROUP, post_message(GROUP, "a board").body)
    assert bobs.accepts(GROUP, post_message(GROUP, "another board").body)


def test_what_waits_for_who_asked_too_much_keeps_nobody_else_waiting() -> None:
    posts = RecentPosts()
    for n in range(6):
        posts.add(float(n), ANN)
    waiting = [question(ANN), DEAL, question(BOB, text="another board")]
    assert find_limited_people(PACE, posts, waiting, 9.0) == {ANN}
    assert find_limited_people(PACE, posts, waiting, 60.0) == set()
    assert compute_room(BOB, waiting, 0.0, {ANN}).accepts(GROUP, post_message(GROUP, "a board").body)
    assert not compute_room(ANN, waiting, 0.0, {ANN}).accepts(GROUP, post_message(GROUP, "a board").body)
    assert not compute_room(ANN, waiting, 0.0, {ANN}).accepts(
        GROUP, post_message(GROUP, "another board").body
    )


def test_looks_are_few_and_trophies_are_not_counted() -> None:
    full = compute_room(ANN, [queued(react_to_message(GROUP, n, "👎").body) for n in range(20)], 0.0)
    assert not full.accepts(GROUP, react_to_message(GROUP, 99, "👎").body)
    assert full.accepts(GROUP, react_to_message(GROUP, 99, "🏆").body)
    assert full.accepts(GROUP, show_round_by_id(GROUP, 7, unasked=True).body)


def test_only_an_aside_comes_too_late() -> None:
    old = question(at=0.0)
    assert not is_expired(old, 60.0)
    assert is_expired(old, 60.0 + 1)
    assert compute_room(ANN, [old] * 4, 60.0 + 1).has_aside_room
    assert not is_expired(queued(post_message(GROUP, "Hello").body), 10 * 60.0)
    assert not is_expired(DEAL, 10 * 60.0)
