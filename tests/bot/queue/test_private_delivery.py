"""Ways of delivery to one person, as stored in a request."""

from typing import Any

import pytest

from bot.queue import pacing, private_delivery
from bot.queue.pacing import Lane, Pace
from bot.queue.queries import QueuedRequest
from bot.telegram.messages import tell_privately

GROUP, ANN = -100, 7
PACE = Pace()


def make_private_request(until: float = 112.0, text: str = "psst", **more: Any) -> QueuedRequest:
    origin = {"query_id": more.pop("press", ""), "ephemeral_id": more.pop("reply", 0)}
    request = tell_privately(GROUP, ANN, text, until, language="en", **origin, **more)
    return QueuedRequest(1, request.lane, request.body, 100.0, ANN)


def make_full_lane(request: QueuedRequest) -> Lane:
    lane = Lane(GROUP, [request])
    for _ in range(PACE.posts_a_minute):
        lane.posts.add(50.0)
    return lane


def test_ways_are_tried_in_order() -> None:
    assert make_private_request(press="p").body["ways"] == ["alert", "ephemeral", "private", "waiting"]
    assert make_private_request(reply=5).body["ways"] == ["ephemeral", "private", "waiting"]
    assert make_private_request(press="p", may_wait=False).body["ways"] == ["alert", "ephemeral", "private"]
    assert tell_privately(ANN, ANN, "psst", 0.0, language="en").body["ways"] == ["private"]


@pytest.mark.parametrize("more", [{"text": "x" * 200}, {"keyboard": [[("Next", "n")]]}, {"press": ""}])
def test_long_message_or_one_with_buttons_is_no_alert(more: dict[str, Any]) -> None:
    assert (
        private_delivery.get_current_way(make_private_request(**{"press": "p", **more}).body)
        == private_delivery.EPHEMERAL
    )


def test_alert_waits_in_the_lane_of_its_person() -> None:
    assert make_private_request(press="p", text="x" * 199).lane == ANN
    assert not pacing.is_post(make_private_request(press="p"))
    assert make_private_request(reply=5).lane == GROUP
    assert pacing.is_post(make_private_request(reply=5))


def test_ephemeral_message_waits_for_room_until_its_window_ends() -> None:
    request = make_private_request(until=112.0, reply=5)
    assert make_full_lane(request).choose_next(PACE, 60.0, 100.0) == (request, 12.0)
    assert make_full_lane(request).choose_next(PACE, 60.0, 112.0)[1] <= 0.0
    assert Lane(GROUP, [request]).choose_next(PACE, 60.0, 100.0) == (request, 0.0)


def test_next_way_starts_without_state_of_the_last() -> None:
    body = {**make_private_request(reply=5).body, "after": 3, "doubt": {}, "left": {}}
    after = private_delivery.drop_current_way(body)
    assert after["ways"] == ["private", "waiting"]
    assert not {"after", "doubt", "left"} & after.keys()
    assert after["params"] == body["params"]
