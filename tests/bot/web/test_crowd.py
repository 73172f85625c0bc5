"""Connections: so many at most, the oldest that waits makes room, and one address does not have them all."""

import pytest

from bot.web import crowd
from bot.web.crowd import Crowd

OUTER, PROXY = "93.184.216.34", "127.0.0.1"


class One:
    """A connection that knows whether it was ended."""

    def __init__(self) -> None:
        self.dropped = False

    def drop(self) -> None:
        self.dropped = True


def came(there: Crowd, many: int, host: str = PROXY) -> list[One]:
    ones = [One() for _ in range(many)]
    for one in ones:
        there.came(one, host)
    return ones


def dropped(ones: list[One]) -> list[int]:
    return [number for number, one in enumerate(ones) if one.dropped]


def test_the_one_that_has_waited_longest_makes_room() -> None:
    there = Crowd(lambda: 8)
    ones = came(there, 8)
    assert dropped(ones) == []
    there.works(ones[0])
    there.works(ones[1])
    there.waits(ones[1])
    came(there, 2)
    assert dropped(ones) == [2, 3]
    came(there, 6)
    assert dropped(ones) == [1, 2, 3, 4, 5, 6, 7]
    assert (len(there), there.busy) == (8, 1)


def test_where_all_are_busy_the_new_one_ends() -> None:
    there = Crowd(lambda: 8)
    ones = came(there, 8)
    for one in ones:
        there.works(one)
    assert dropped(ones + came(there, 1)) == [8]
    there.left(ones[3])
    assert dropped(came(there, 1)) == []


def test_one_address_does_not_take_the_place_of_others() -> None:
    there = Crowd(lambda: 80)
    ann, eve = came(there, 5, "8.8.8.8"), came(there, 200, OUTER)
    assert (dropped(ann), len(dropped(eve))) == ([], 190)
    assert not any(one.dropped for one in eve[190:])
    assert dropped(came(there, 12, "2a01:4f8:1:2::1") + came(there, 12, "2a01:4f8:1:2::2")) == list(range(14))
    assert len(there) == 25


def test_a_proxy_is_not_one_address() -> None:
    there = Crowd(lambda: 80)
    assert dropped(came(there, 40, "10.0.0.2") + came(there, 40, "::1")) == []


def test_there_is_room_for_others_than_the_board() -> None:
    there = Crowd(lambda: 80)
    ones, seen = came(there, 80), list[tuple[int, tuple[bool, bool]]]()
    for one in ones:
        there.works(one)
        if not seen or seen[-1][1] != there.room():
            seen.append((there.busy, there.room()))
    assert seen == [(1, (True, True)), (61, (True, False)), (71, (False, False))]


def test_who_has_left_is_not_remembered() -> None:
    there = Crowd(lambda: 80)
    for one in came(there, 10, OUTER):
        there.left(one)
        there.left(one)
        there.waits(one)
    assert (len(there), there.busy, dropped(came(there, 10, OUTER))) == (0, 0, [])


def test_it_is_less_than_the_files_and_never_more_than_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for files in (256, 1024, 65_536):
        monkeypatch.setattr(crowd, "allowed", lambda files=files: files)
        found.append(crowd.most())
    assert found == [192, 768, 4000]
