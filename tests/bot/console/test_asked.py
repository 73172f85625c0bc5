from typing import Any, cast

import pytest

from bot.console import asked
from bot.database import Tx
from bot.people.weekly import commands as weekly
from bot.people.weekly import queries as weeks
from bot.people.weekly.rules import Week
from bot.pictures.values import Place, Podium
from bot.telegram.captions import Seen

NO_ROWS = cast(Tx, None)
PODIUM = Podium("The week’s winner", (Place(1, "Ann", 3),))
WEEK = Week("2026-W47", 0.0, 1.0)


@pytest.fixture
def monday(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is asked of the week's podium."""
    wanted: list[Any] = []

    def seen(_tx: Tx, asked_for: Any, _now: float) -> Seen:
        wanted.append(asked_for)
        return Seen(PODIUM)

    monkeypatch.setattr(weeks, "week_of", lambda *_: WEEK)
    monkeypatch.setattr(weekly, "seen", seen)
    return wanted


def of(chat: int, text: str) -> Any:
    return asked.of(NO_ROWS, {"chat": {"id": chat}, "text": text}, 0.0, "ru")


def test_the_word_about_a_week_is_a_podium(monday: list[Any]) -> None:
    assert of(-24, "🏆 <b>The week’s winner: Ann, 3 points</b>") == ("podium", PODIUM)
    (wanted,) = monday
    assert (wanted["language"], Week(**wanted["week"])) == ("ru", WEEK)


@pytest.mark.parametrize(("chat", "text"), [(24, "🏆 <b>8/(3-8/3) = 24</b>"), (-24, "Hello.")])
def test_nothing_else_is(monday: list[Any], chat: int, text: str) -> None:
    assert of(chat, text) is None
    assert monday == []
