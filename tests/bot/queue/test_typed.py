"""Commands as people type them."""

import pytest

from bot.queue.updates import normalize_command


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
    assert normalize_command(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("/play13", "/play 13"),
        ("/a4*(1+2+3)", "/a 4*(1+2+3)"),
        ("/A8/(3-8/3)", "/A 8/(3-8/3)"),
        ("/a4x3x2", "/a 4x3x2"),
        ("/play13　５", "/play 13 5"),
        ("/play 13", "/play 13"),
        ("/a4@other_bot", "/a4@other_bot"),
        ("/a4@other_bot 5", "/a4@other_bot 5"),
        ("/a@bot4", "/a@bot4"),
        ("/a4b", "/a4b"),
        ("/ban13", "/ban13"),
    ],
)
def test_digits_touch_a_command_that_is_known(text: str, plain: str) -> None:
    assert normalize_command(text, {"a", "play"}) == plain
