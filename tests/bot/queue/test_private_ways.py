"""Ways of delivery to one person, as stored in a request."""

from dataclasses import replace
from typing import Any

import pytest

from bot.queue.outgoing import DeliveryState, Outgoing, UncheckedPost, Way
from bot.queue.pacing import Lane, Pace
from bot.queue.queries import QueuedRequest
from bot.telegram.messages import tell_privately

GROUP, ANN = -100, 7
PACE = Pace()


def make_private_request(until: float = 112.0, text: str = "psst", **more: Any) -> QueuedRequest:
    origin = {"query_id": more.pop("press", ""), "ephemeral_id": more.pop("reply", 0)}
    request = tell_privately(GROUP, ANN, text, until, language="en", **origin, **more)
    return QueuedRequest(1, request, 100.0, ANN)


def make_full_lane(request: QueuedRequest) -> Lane:
    lane = Lane(GROUP, [request])
    for _ in range(PACE.posts_a_minute):
        lane.posts.add(50.0)
    return lane


def get_ways(outgoing: Outgoing) -> tuple[str, ...]:
    return outgoing.private.ways if outgoing.private else ()


def test_ways_are_tried_in_order() -> None:
    pressed, replied = make_private_request(press="p"), make_private_request(reply=5)
    assert get_ways(pressed.outgoing) == ("alert", "ephemeral", "private", "waiting")
    assert get_ways(replied.outgoing) == ("ephemeral", "private", "waiting")
    impatient = make_private_request(press="p", may_wait=False)
    assert get_ways(impatient.outgoing) == ("alert", "ephemeral", "private")
    assert get_ways(tell_privately(ANN, ANN, "psst", 0.0, language="en")) == ("private",)


@pytest.mark.parametrize("more", [{"text": "x" * 200}, {"keyboard": [[("Next", "n")]]}, {"press": ""}])
def test_long_message_or_one_with_buttons_is_no_alert(more: dict[str, Any]) -> None:
    request = make_private_request(**{"press": "p", **more})
    assert get_ways(request.outgoing)[0] == Way.EPHEMERAL


def test_alert_waits_in_the_lane_of_its_person() -> None:
    assert make_private_request(press="p", text="x" * 199).lane == ANN
    assert not make_private_request(press="p").outgoing.is_post
    assert make_private_request(reply=5).lane == GROUP
    assert make_private_request(reply=5).outgoing.is_post


def test_ephemeral_message_waits_for_room_until_its_window_ends() -> None:
    request = make_private_request(until=112.0, reply=5)
    assert make_full_lane(request).choose_next(PACE, 60.0, 100.0) == (request, 12.0)
    assert make_full_lane(request).choose_next(PACE, 60.0, 112.0)[1] <= 0.0
    assert Lane(GROUP, [request]).choose_next(PACE, 60.0, 100.0) == (request, 0.0)


def test_next_way_starts_without_state_of_the_last() -> None:
    sent = make_private_request(reply=5)
    sent.update_state(unchecked=UncheckedPost(3, 50.0))
    after = replace(sent.outgoing, latest_id=3).take_next_way()
    assert get_ways(after) == ("private", "waiting")
    assert (after.latest_id, after.state) == (0, DeliveryState())
    assert after.params == sent.outgoing.params
