"""How many files there may be: as many as the system lets a process have that asks."""

import subprocess
import sys

import pytest

resource = pytest.importorskip("resource")

SHOWN = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
from bot.web.files import allow_more, allowed
before = allowed()
allow_more()
print(before, allowed(), *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


def shown(soft: int, hard: int) -> list[int]:
    program = SHOWN.format(soft=soft, hard=hard)
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return [int(number) for number in told.stdout.split()]


def test_the_limit_is_raised_as_far_as_it_may_be() -> None:
    assert shown(256, 1000) == [256, 1000, 1000, 1000]


def test_what_is_as_high_as_it_may_be_stays() -> None:
    assert shown(300, 300) == [300, 300, 300, 300]
