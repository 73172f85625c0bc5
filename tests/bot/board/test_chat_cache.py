"""What groups are called."""

from bot.board import chat_cache
from bot.board.rules import Place
from tests.bot.board.harness import ANN, GROUP, Harness

HERE = Place(GROUP)


async def test_title_is_fetched_again_after_it_expires(here: Harness) -> None:
    here.telegram.title = "Maths"
    named = here.make_title_cache()
    assert named.get_cached_title(HERE) == ""
    assert [await named.fetch_title(HERE) for _ in range(3)] == ["Maths"] * 3
    assert (named.get_cached_title(HERE), here.telegram.title_request_count) == ("Maths", 1)
    here.telegram.title = "Chess"
    here.monotonic_now += chat_cache.TITLE_SECONDS
    assert (await named.fetch_title(HERE), here.telegram.title_request_count) == ("Chess", 2)


async def test_title_stays_while_telegram_does_not_answer(here: Harness) -> None:
    here.telegram.title = "Maths"
    named = here.make_title_cache()
    await named.fetch_title(HERE)
    here.telegram.is_away = True
    here.monotonic_now += chat_cache.TITLE_SECONDS
    assert await named.fetch_title(HERE) == "Maths"
    assert await named.fetch_title(HERE) == "Maths"
    assert here.telegram.title_request_count == 2
    here.telegram.is_away, here.telegram.title = False, "Chess"
    here.monotonic_now += chat_cache.UNKNOWN_TITLE_SECONDS
    assert await named.fetch_title(HERE) == "Chess"


async def test_no_title_in_private_or_for_spectators(here: Harness) -> None:
    here.telegram.title = "Maths"
    named = here.make_title_cache()
    await named.fetch_title(HERE)
    for place in (Place(ANN), Place(GROUP, 0, 123, watch_only=True)):
        assert (await named.fetch_title(place), named.get_cached_title(place)) == ("", "")
    assert here.telegram.title_request_count == 1
