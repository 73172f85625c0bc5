"""What all games share."""

import pytest

from bot.i18n import languages, words
from bot.rounds.puzzle import (
    LEVELS,
    POINTS,
    DealError,
    Find,
    Fit,
    Kind,
    UnknownWordError,
    Verdict,
    easier,
    folded,
    known_level,
    level_name,
    level_names,
    number,
    one_of,
    words_of,
)


@pytest.mark.parametrize("language", languages())
def test_every_level_has_a_name_of_its_own(language: str) -> None:
    names = {str(level_name(words(language), level)) for level in LEVELS}
    assert len(names) == len(LEVELS)
    assert all(level_names(words(language))[folded(name)] in LEVELS for name in names)


def test_levels_can_be_named_in_english_everywhere() -> None:
    assert all(level_names(words("ru"))[level] == level for level in LEVELS)


def test_harder_is_worth_more() -> None:
    assert [POINTS[level] for level in LEVELS] == [1, 2, 3, 5]


def test_there_is_nothing_below_easy() -> None:
    assert [easier(level) for level in (*LEVELS, "none")] == [None, *LEVELS[:-1], None]


def test_a_round_is_stored_by_what_ends_it() -> None:
    kinds = ["first", "all", "best", "lesson", "chosen", "practice", "contest"]
    assert sorted(f"{kind}" for kind in Kind) == sorted(kinds)


def test_a_text_is_one_of_five_things_to_a_puzzle() -> None:
    assert [fit.name for fit in Fit] == ["RIGHT", "WRONG", "OTHER", "UNREADABLE", "TALK"]


def test_what_nobody_told_counts_for_nothing() -> None:
    assert Verdict(Fit.RIGHT) == Verdict(Fit.RIGHT, "", None, 0.0, None)
    assert Find(1, "1+1", "") == Find(1, "1+1", "", 0)


def test_words_are_apart_by_spaces_or_commas() -> None:
    assert words_of(" 3,8, 3  hard ") == ["3", "8", "3", "hard"]
    assert words_of("") == []


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
        ("困难", "困难"),
    ],
)
def test_words_are_compared_without_accents_and_case(typed: str, known: str) -> None:
    assert folded(typed) == folded(known)


def test_other_words_stay_others() -> None:
    assert len(set(map(folded, ["困难", "困難", "hard", "heart", "все", "вес"]))) == 6


def test_nobody_means_more_than_a_hundred_characters() -> None:
    assert words_of("x" * 100) == ["x" * 100]
    with pytest.raises(UnknownWordError, match=r"asks for nothing: 'x{20}…'$") as caught:
        words_of("x" * 101)
    assert caught.value.fragment == "x" * 20 + "…"


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("0", 0),
        ("24", 24),
        ("9999", 9999),
        *((word, -1) for word in ("10000", "٣", "²", "-1", "1.5", "x", "")),
    ],
)
def test_a_number_has_four_digits_at_most(word: str, value: int) -> None:
    assert number(word) == value


def test_a_deal_that_there_is_not_says_why() -> None:
    error = DealError(lambda said: said.say("hard"))
    assert (str(error), error.why(words("en"))) == ("no such puzzle", "hard")


def test_what_is_dealt_after_a_round_is_of_its_kind_where_that_goes_on() -> None:
    first = (Kind.FIRST, Kind.LESSON, Kind.CHOSEN, Kind.PRACTICE, Kind.CONTEST)
    assert {kind: kind.after for kind in Kind} == {
        **dict.fromkeys(first, Kind.FIRST),
        **{kind: kind for kind in (Kind.ALL, Kind.BEST)},
    }


@pytest.mark.parametrize(
    ("packed", "level"),
    [({"level": "hard"}, "hard"), ({"level": "easy"}, "easy"), ({"level": "none"}, None), ({}, None)],
)
def test_a_level_that_is_none_counts_as_not_asked(packed: dict[str, str], level: str | None) -> None:
    assert known_level(packed) == level


@pytest.mark.parametrize(("value", "kept"), [(4, 4), (5, 3), (True, 3), ("4", 3), (4.0, 3), (None, 3)])
def test_one_of_a_few_whole_numbers_or_else_the_default(value: object, kept: int) -> None:
    assert one_of(value, (1, 4), 3) == kept
