"""Levels, options and other shared values."""

import pytest

from bot.i18n import get_words, list_languages
from bot.levels import (
    LEVELS,
    POINTS_BY_LEVEL,
    get_easier_level,
    get_levels_by_name,
    normalize_word,
    render_level,
)
from bot.rounds.puzzle import RUN_KINDS, Kind, UnknownWordError, split_argument


@pytest.mark.parametrize("language", list_languages())
def test_level_names_are_distinct(language: str) -> None:
    names = {str(render_level(get_words(language), level)) for level in LEVELS}
    assert len(names) == len(LEVELS)
    assert all(get_levels_by_name(get_words(language))[normalize_word(name)] in LEVELS for name in names)


def test_levels_have_english_names_in_every_language() -> None:
    assert all(get_levels_by_name(get_words("ru"))[level] == level for level in LEVELS)


def test_harder_levels_earn_more_points() -> None:
    assert [POINTS_BY_LEVEL[level] for level in LEVELS] == [1, 2, 3, 5]


def test_no_level_below_easy() -> None:
    assert [get_easier_level(level) for level in (*LEVELS, "none")] == [None, *LEVELS[:-1], None]


def test_stored_kinds_are_stable() -> None:
    kinds = ["first", "all", "best", "lesson", "chosen", "class", "practice", "contest", "daily"]
    kinds += ["storm", "streak"]
    assert sorted(f"{kind}" for kind in Kind) == sorted(kinds)


def test_argument_is_split_at_spaces_and_commas() -> None:
    assert split_argument(" 3,8, 3  hard ") == ["3", "8", "3", "hard"]
    assert split_argument("") == []


@pytest.mark.parametrize(
    ("typed", "known"),
    [
        ("facil", "fácil"),
        ("FÁCIL", "fácil"),
        ("fa\u0301cil", "fácil"),
        ("Dificil", "difícil"),
        ("ТРУДНО", "трудно"),
        ("лёгкий", "легкий"),
        ("ＨＡＲＤ", "hard"),
        ("today’s", "today's"),
        ("困难", "困难"),
    ],
)
def test_word_is_normalized(typed: str, known: str) -> None:
    assert normalize_word(typed) == normalize_word(known)


def test_different_words_stay_different() -> None:
    assert len(set(map(normalize_word, ["困难", "困難", "hard", "heart", "все", "вес"]))) == 6


def test_argument_of_more_than_100_characters_is_refused() -> None:
    assert split_argument("x" * 100) == ["x" * 100]
    with pytest.raises(UnknownWordError, match=r"asks for nothing: 'x{20}…'$") as caught:
        split_argument("x" * 101)
    assert caught.value.fragment == "x" * 20 + "…"


def test_next_hand_keeps_kinds_all_and_best() -> None:
    first = (
        Kind.FIRST,
        Kind.TUTORIAL,
        Kind.CHOSEN,
        Kind.CLASS,
        Kind.PRACTICE,
        Kind.CONTEST,
        Kind.DAILY,
        *RUN_KINDS,
    )
    assert {kind: kind.next_kind for kind in Kind} == {
        **dict.fromkeys(first, Kind.FIRST),
        **{kind: kind for kind in (Kind.ALL, Kind.BEST)},
    }
