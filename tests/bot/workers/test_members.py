"""Who of a cluster can be given a task: rules without a clock or a network."""

from typing import Any

import pytest

from bot.workers.members import Member, Members

OURS = "1.0"


def told(seen: float = 0.0, threads: int = 1, status: str = "running", **tasks: int) -> dict[str, Any]:
    """What the scheduler says of a worker."""
    return {"last_seen": seen, "nthreads": threads, "status": status, "metrics": {"task_counts": tasks}}


def met(members: Members, **workers: dict[str, Any]) -> dict[str, Member]:
    """Workers with our version."""
    members.meet(workers, 0.0)
    for one in members:
        one.version = OURS
    return {one.address: one for one in members}


def test_only_those_with_our_version_count() -> None:
    members = Members(OURS)
    members.meet({"a": told(threads=4), "b": told(threads=2), "c": told()}, 0.0)
    assert (members.threads, members.choose(), members.trouble) == (0, None, "")
    a, b, c = members
    b.version = OURS
    assert (members.threads, members.choose(), members.trouble) == (2, b, "")
    assert members.size == "2 threads"
    b.version, c.version = "0.9", OURS
    assert members.size == "1 thread"
    a.version, b.version, c.version = "", "0.9", "0.9"
    assert members.threads == 0
    assert members.trouble == "its workers need version 1.0 of twentyfour and have none, version 0.9"
    members.forget()
    assert members.trouble == "it has no worker"


def test_the_one_with_most_room_is_chosen() -> None:
    members = Members(OURS)
    by = met(members, a=told(threads=2), b=told(threads=3))
    assert members.choose() is by["b"]
    by["b"].tasks |= {"one", "two"}
    assert members.choose() is by["a"]
    members.meet({"a": told(threads=2, executing=1, ready=1), "b": told(threads=3, executing=2)}, 0.0)
    assert members.choose() is by["b"]  # somebody else is at work at the other
    by["b"].tasks.add("three")
    assert members.choose() is by["a"]
    by["a"].tasks |= {"four", "five"}
    assert members.choose() is None


def test_what_was_given_to_one_that_is_gone_is_lost() -> None:
    members = Members(OURS)
    by = met(members, a=told(), b=told())
    by["a"].tasks.add("one")
    by["b"].tasks.add("two")
    assert members.meet({"b": told(1.0)}, 1.0) == ["one"]
    assert [one.address for one in members] == ["b"]


@pytest.mark.parametrize("workers", [1, 200])
def test_one_that_is_silent_gets_nothing_until_it_is_heard_again(workers: int) -> None:
    members = Members(OURS)
    names = [f"w{n}" for n in range(workers)]
    met(members, **{name: told() for name in names})[names[0]].tasks.add("one")
    longest = 3.0 + workers / 100
    assert members.meet({name: told() for name in names}, longest) == []
    assert members.meet({name: told() for name in names}, longest + 0.1) == ["one"]
    assert (members.threads, members.trouble) == (0, "its workers show no sign of life")
    members.meet({name: told(7.0) for name in names}, longest + 0.2)
    assert members.threads == workers


def test_one_that_is_paused_or_ends_gets_nothing() -> None:
    members = Members(OURS)
    met(members, a=told())
    members.meet({"a": told(status="paused")}, 1.0)
    assert members.threads == 0
    members.meet({"a": told(status="running", threads=5)}, 1.0)
    assert members.threads == 5


def test_who_did_not_begin_a_task_gets_none() -> None:
    members = Members(OURS)
    by = met(members, a=told(), b=told(threads=2))
    by["b"].failed = "no memory"
    assert (members.threads, members.choose(), members.trouble) == (1, by["a"], "")
    by["a"].failed = "no memory"
    assert members.choose() is None
    assert members.trouble == "its workers begin no task: no memory"
    assert [*members.alike] == [by["a"], by["b"]]
