"""What a revision brought is relied on once no version before it can be at work."""

from bot.database import Tx
from bot.database.known import GRACE, all_know, come_to_know
from bot.durations import DAY
from bot.people import queries as people
from tests.bot.databases import Database

NOW = 1_763_726_400.0


async def test_it_is_known_after_some_days_and_no_version_before_starts_from_then_on(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.remember(tx, "usable from", "0016")
        for passed in (0.0, 60.0, GRACE - 60):
            assert not come_to_know(tx, NOW + passed, "a fact", "0020")
            assert not all_know(tx, "a fact")
        assert people.fact(tx, "usable from") == "0016"
        assert come_to_know(tx, NOW + GRACE + 1, "a fact", "0020")
        assert all_know(tx, "a fact")
        assert people.fact(tx, "usable from") == "0020"
        assert come_to_know(tx, NOW, "a fact", "0021")  # whatever a clock says
        assert people.fact(tx, "usable from") == "0020"

    await db(story)


async def test_what_a_clock_noted_that_was_ahead_is_noted_anew(db: Database) -> None:
    def story(tx: Tx) -> None:
        people.remember(tx, "usable from", "0016")
        assert not come_to_know(tx, NOW + 400 * DAY, "a fact", "0020")
        assert not come_to_know(tx, NOW, "a fact", "0020")
        assert come_to_know(tx, NOW + GRACE + 1, "a fact", "0020")

    await db(story)
