"""Priorities of requests, limits on posts of a chat, and room for asides."""

from dataclasses import replace

import pytest

from bot.queue.outgoing import Outgoing
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
)
from bot.queue.queries import QueuedRequest
from bot.telegram.messages import answer_press, edit_message, post_message, react_to_message, show_round

GROUP, ANN, BOB = -100, 1, 2
PACE = Pace()


def make_request(outgoing: Outgoing, by: int = ANN, at: float = 0.0) -> QueuedRequest:
    return QueuedRequest(1, outgoing, at, by)


def make_aside(by: int = ANN, at: float = 0.0, text: str = "a board") -> QueuedRequest:
    return make_request(replace(post_message(GROUP, text), is_aside=True), by, at)


DEAL = make_request(show_round(GROUP, 7, unasked=True))


def test_requests_of_a_round_come_first() -> None:
    winner_reaction, other_reaction = (
        make_request(react_to_message(GROUP, 3, "🏆")),
        make_request(react_to_message(GROUP, 3, "👎")),
    )
    board, greeting = (
        make_request(edit_message(GROUP, 3, "board")),
        make_request(post_message(GROUP, "Hello")),
    )
    waiting = [make_aside(), other_reaction, board, greeting, winner_reaction, DEAL]
    assert sorted(waiting, key=get_priority) == [
        winner_reaction,
        DEAL,
        other_reaction,
        board,
        greeting,
        waiting[0],
    ]


def test_private_chat_keeps_the_order() -> None:
    waiting = [
        QueuedRequest(n, outgoing)
        for n, outgoing in enumerate((post_message(ANN, "Hello"), show_round(ANN, 7, unasked=True)))
    ]
    assert sorted(waiting, key=get_priority) == waiting


def test_aside_is_a_post_to_a_group_that_nothing_depends_on() -> None:
    assert is_aside(post_message(GROUP, "how to play"))
    assert not is_aside(post_message(ANN, "how to play"))
    assert not is_aside(post_message(GROUP, "3 8 3 8 → 24", about="deal:7"))
    assert not is_aside(show_round(GROUP, 7, unasked=True))
    assert not is_aside(edit_message(GROUP, 3, "board"))
    assert not is_aside(answer_press(ANN, "1"))


def test_asides_leave_room_for_rounds() -> None:
    assert PACE.posts_a_minute == 19  # Telegram allows 20
    posts = RecentPosts()
    for n in range(14):
        assert find_post_time(PACE, posts, make_aside(by=n + 10), 1.0) == 0.0
        posts.add(1.0, n + 10)
    asked_before, never = make_aside(by=10), make_aside()
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


def test_asides_of_a_person_leave_room_for_others() -> None:
    posts = RecentPosts()
    for n in range(6):
        posts.add(float(n), ANN)
    assert find_post_time(PACE, posts, make_aside(ANN), 9.0) == 60.0
    assert find_post_time(PACE, posts, make_aside(BOB), 9.0) == 0.0


def test_reaction_to_a_winner_is_not_minor() -> None:
    assert not is_minor_reaction(react_to_message(GROUP, 3, "🏆"))
    assert not is_minor_reaction(react_to_message(ANN, 3, "👎"))
    assert is_minor_reaction(react_to_message(GROUP, 3, "👎"))


@pytest.mark.parametrize("reaction", [None, 5, "👎", [5], [[]], {}])
def test_malformed_reaction_has_a_priority(reaction: object) -> None:
    broken = QueuedRequest(7, Outgoing(GROUP, "setMessageReaction", {"reaction": reaction}))
    assert is_minor_reaction(broken.outgoing)
    assert sorted([broken, DEAL], key=get_priority) == [DEAL, broken]


def test_next_aside_for_a_person_is_sent_after_a_minute() -> None:
    posts = RecentPosts()
    posts.add(0.0, ANN)
    for _ in range(14):
        posts.add(10.0)
    assert find_post_time(PACE, posts, make_aside(ANN), 59.0) == 70.0
    assert find_post_time(PACE, posts, make_aside(ANN), 60.0) == 0.0
    assert find_post_time(PACE, posts, make_aside(by=0), 60.0) == 70.0


def test_empty_chat_has_room_for_everything() -> None:
    assert Room().accepts(post_message(GROUP, "a board"))
    assert Room().accepts(react_to_message(GROUP, 99, "👎"))
    assert not Room(has_aside_room=False).accepts(post_message(GROUP, "a board"))
    assert Room(has_aside_room=False).accepts(post_message(GROUP, "a deal", about="deal:7"))
    assert not Room(has_reaction_room=False).accepts(react_to_message(GROUP, 99, "👎"))


def test_asides_caused_by_nobody_have_no_share() -> None:
    waiting = [make_aside(0, text="a"), make_aside(0, text="b")]
    assert compute_room(0, waiting, 0.0).has_aside_room
    posts = RecentPosts()
    for _ in range(6):
        posts.add(0.0)
    assert find_limited_people(PACE, posts, waiting, 1.0) == set()


def test_waiting_asides_are_limited_in_all_and_per_person() -> None:
    asides = [make_aside(ANN, text=f"{n}") for n in range(2)]
    assert compute_room(ANN, asides[1:], 0.0).has_aside_room
    assert not compute_room(ANN, asides, 0.0).has_aside_room
    assert compute_room(BOB, asides, 0.0).has_aside_room
    assert not compute_room(BOB, [make_aside(n) for n in range(10, 10 + 4)], 0.0).has_aside_room


def test_same_aside_is_not_accepted_twice() -> None:
    bobs = compute_room(BOB, [make_aside(ANN)], 0.0)
    assert not bobs.accepts(post_message(GROUP, "a board"))
    assert bobs.accepts(post_message(GROUP, "another board"))


def test_asides_of_a_limited_person_do_not_count_for_others() -> None:
    posts = RecentPosts()
    for n in range(6):
        posts.add(float(n), ANN)
    waiting = [make_aside(ANN), DEAL, make_aside(BOB, text="another board")]
    assert find_limited_people(PACE, posts, waiting, 9.0) == {ANN}
    assert find_limited_people(PACE, posts, waiting, 60.0) == set()
    assert compute_room(BOB, waiting, 0.0, {ANN}).accepts(post_message(GROUP, "a board"))
    assert not compute_room(ANN, waiting, 0.0, {ANN}).accepts(post_message(GROUP, "a board"))
    assert not compute_room(ANN, waiting, 0.0, {ANN}).accepts(post_message(GROUP, "another board"))


def test_minor_reactions_are_limited_and_others_are_not() -> None:
    full = compute_room(ANN, [make_request(react_to_message(GROUP, n, "👎")) for n in range(20)], 0.0)
    assert not full.accepts(react_to_message(GROUP, 99, "👎"))
    assert full.accepts(react_to_message(GROUP, 99, "🏆"))
    assert full.accepts(show_round(GROUP, 7, unasked=True))


def test_only_asides_expire() -> None:
    old = make_aside(at=0.0)
    assert not is_expired(old, 60.0)
    assert is_expired(old, 60.0 + 1)
    assert compute_room(ANN, [old] * 4, 60.0 + 1).has_aside_room
    assert not is_expired(make_request(post_message(GROUP, "Hello")), 10 * 60.0)
    assert not is_expired(DEAL, 10 * 60.0)
