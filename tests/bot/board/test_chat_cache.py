"""Cached titles of groups."""

from bot.board import chat_cache
from bot.board.rules import Place
from tests.bot.board.harness import ANN, GROUP, Harness

HERE = Place(GROUP)


async def test_title_is_fetched_again_after_it_expires(harness: Harness) -> None:
    harness.telegram.title = "Maths"
    named = harness.make_title_cache()
    assert [await named.fetch_title(HERE) for _ in range(3)] == ["Maths"] * 3
    assert harness.telegram.title_request_count == 1
    harness.telegram.title = "Chess"
    harness.monotonic_now += chat_cache.TITLE_SECONDS
    assert (await named.fetch_title(HERE), harness.telegram.title_request_count) == ("Chess", 2)


async def test_title_stays_while_telegram_does_not_answer(harness: Harness) -> None:
    harness.telegram.title = "Maths"
    named = harness.make_title_cache()
    await named.fetch_title(HERE)
    harness.telegram.is_away = True
    harness.monotonic_now += chat_cache.TITLE_SECONDS
    assert await named.fetch_title(HERE) == "Maths"
    assert await named.fetch_title(HERE) == "Maths"
    assert harness.telegram.title_request_count == 2
    harness.telegram.is_away, harness.telegram.title = False, "Chess"
    harness.monotonic_now += chat_cache.TITLE_SECONDS
    assert await named.fetch_title(HERE) == "Chess"


async def test_no_title_in_private_or_for_spectators(harness: Harness) -> None:
    harness.telegram.title = "Maths"
    named = harness.make_title_cache()
    await named.fetch_title(HERE)
    for place in (Place(ANN), Place(GROUP, 0, 123, watch_only=True)):
        assert await named.fetch_title(place) == ""
    assert harness.telegram.title_request_count == 1
