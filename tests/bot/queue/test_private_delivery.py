"""The ways to one person, as a stored request names them."""

from typing import Any

import pytest

from bot.queue import pacing, private_delivery
from bot.queue.pacing import Lane, Pace
from bot.queue.queries import QueuedRequest
from bot.telegram.messages import tell_privately

GROUP, ANN = -100, 7
PACE = Pace()


def told(until: float = 112.0, text: str = "psst", **more: Any) -> QueuedRequest:
    origin = {"query_id": more.pop("press", ""), "ephemeral_id": more.pop("reply", 0)}
    request = tell_privately(GROUP, ANN, text, until, language="en", **origin, **more)
    return QueuedRequest(1, request.lane, request.body, 100.0, ANN)


def crowded(request: QueuedRequest) -> Lane:
    lane = Lane(GROUP, [request])
    for _ in range(PACE.posts_a_minute):
        lane.posts.add(50.0)
    return lane


def test_the_measures_are_telegrams_with_something_to_spare() -> None:
    assert private_delivery.EPHEMERAL_WINDOW == 12  # of 15 seconds
    assert private_delivery.ADMIN_PATIENCE == 30
    assert (private_delivery.MAX_ALERT_LENGTH, private_delivery.MAX_EDIT_LENGTH) == (199, 1023)
    assert private_delivery.EDIT_METHOD == "editEphemeralMessageText"


def test_the_order_of_the_ways() -> None:
    assert told(press="p").body["ways"] == ["alert", "ephemeral", "private", "waiting"]
    assert told(reply=5).body["ways"] == ["ephemeral", "private", "waiting"]
    assert told(press="p", may_wait=False).body["ways"] == ["alert", "ephemeral", "private"]
    assert tell_privately(ANN, ANN, "psst", 0.0, language="en").body["ways"] == ["private"]


@pytest.mark.parametrize(
    "more", [{"text": "x" * 200}, {"keyboard": [[("Next", "n")]]}, {"key": "card:1"}, {"press": ""}]
)
def test_what_is_no_alert(more: dict[str, Any]) -> None:
    assert private_delivery.get_current_way(told(**{"press": "p", **more}).body) == private_delivery.EPHEMERAL


def test_an_alert_waits_beside_the_group() -> None:
    assert told(press="p", text="x" * 199).lane == ANN
    assert not pacing.is_post(told(press="p"))
    assert told(reply=5).lane == GROUP
    assert pacing.is_post(told(reply=5))


def test_it_waits_for_room_only_as_long_as_its_window_is_open() -> None:
    request = told(until=112.0, reply=5)
    assert crowded(request).choose_next(PACE, 60.0, 100.0) == (request, 12.0)
    assert crowded(request).choose_next(PACE, 60.0, 112.0)[1] <= 0.0
    assert Lane(GROUP, [request]).choose_next(PACE, 60.0, 100.0) == (request, 0.0)


def test_it_is_never_dropped_for_coming_late() -> None:
    assert not pacing.is_expired(told(), 1e6)


def test_the_next_way_takes_nothing_along_of_the_last() -> None:
    body = {**told(reply=5).body, "after": 3, "doubt": {}, "left": {}}
    after = private_delivery.drop_current_way(body)
    assert after["ways"] == ["private", "waiting"]
    assert not {"after", "doubt", "left"} & after.keys()
    assert after["params"] == body["params"]
