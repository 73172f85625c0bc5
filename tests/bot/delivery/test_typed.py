"""Commands as people type them."""

import pytest

from bot.delivery.typed import command


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("/play１３", "/play 13"),
        ("/play　１３", "/play 13"),
        ("/play@TwentyFourBot３６　５", "/play@TwentyFourBot 36 5"),
        ("/solve３ ８ ３ ８", "/solve 3 8 3 8"),
        ("/solve ３，８，３，８", "/solve 3,8,3,8"),
        ("/play 13", "/play 13"),
        ("/play13", "/play13"),
        ("/play", "/play"),
        ("play１３", "play１３"),
        ("８／３", "８／３"),
        ("", ""),
    ],
)
def test_wide_digits_and_spaces_are_like_all_others(text: str, plain: str) -> None:
    assert command(text) == plain
