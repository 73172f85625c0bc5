"""What all games share."""

import pytest

from bot.i18n import get_words, list_languages
from bot.rounds.puzzle import (
    LEVELS,
    POINTS_BY_LEVEL,
    DealError,
    Find,
    Kind,
    UnknownWordError,
    Verdict,
    VerdictKind,
    get_easier_level,
    get_levels_by_name,
    keep_if_allowed,
    normalize_word,
    parse_number,
    render_level,
    split_argument,
    unpack_level,
)


@pytest.mark.parametrize("language", list_languages())
def test_every_level_has_a_name_of_its_own(language: str) -> None:
    names = {str(render_level(get_words(language), level)) for level in LEVELS}
    assert len(names) == len(LEVELS)
    assert all(get_levels_by_name(get_words(language))[normalize_word(name)] in LEVELS for name in names)


def test_levels_can_be_named_in_english_everywhere() -> None:
    assert all(get_levels_by_name(get_words("ru"))[level] == level for level in LEVELS)


def test_harder_is_worth_more() -> None:
    assert [POINTS_BY_LEVEL[level] for level in LEVELS] == [1, 2, 3, 5]


def test_there_is_nothing_below_easy() -> None:
    assert [get_easier_level(level) for level in (*LEVELS, "none")] == [None, *LEVELS[:-1], None]


def test_a_round_is_stored_by_what_ends_it() -> None:
    kinds = ["first", "all", "best", "lesson", "chosen", "practice", "contest"]
    assert sorted(f"{kind}" for kind in Kind) == sorted(kinds)


def test_a_text_is_one_of_five_things_to_a_puzzle() -> None:
    assert [fit.name for fit in VerdictKind] == ["RIGHT", "WRONG", "WRONG_NUMBERS", "UNREADABLE", "TALK"]


def test_what_nobody_told_counts_for_nothing() -> None:
    assert Verdict(VerdictKind.RIGHT) == Verdict(VerdictKind.RIGHT, "", None, 0.0, None)
    assert Find(1, "1+1", "") == Find(1, "1+1", "", 0)


def test_words_are_apart_by_spaces_or_commas() -> None:
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
        ("困难", "困难"),
    ],
)
def test_words_are_compared_without_accents_and_case(typed: str, known: str) -> None:
    assert normalize_word(typed) == normalize_word(known)


def test_other_words_stay_others() -> None:
    assert len(set(map(normalize_word, ["困难", "困難", "hard", "heart", "все", "вес"]))) == 6


def test_nobody_means_more_than_a_hundred_characters() -> None:
    assert split_argument("x" * 100) == ["x" * 100]
    with pytest.raises(UnknownWordError, match=r"asks for nothing: 'x{20}…'$") as caught:
        split_argument("x" * 101)
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
    assert parse_number(word) == value


def test_a_deal_that_there_is_not_says_why() -> None:
    error = DealError(lambda said: said.translate("hard"))
    assert (str(error), error.render_reason(get_words("en"))) == ("no such puzzle", "hard")


def test_what_is_dealt_after_a_round_is_of_its_kind_where_that_goes_on() -> None:
    first = (Kind.FIRST, Kind.LESSON, Kind.CHOSEN, Kind.PRACTICE, Kind.CONTEST)
    assert {kind: kind.next_kind for kind in Kind} == {
        **dict.fromkeys(first, Kind.FIRST),
        **{kind: kind for kind in (Kind.ALL, Kind.BEST)},
    }


@pytest.mark.parametrize(
    ("packed", "level"),
    [({"level": "hard"}, "hard"), ({"level": "easy"}, "easy"), ({"level": "none"}, None), ({}, None)],
)
def test_a_level_that_is_none_counts_as_not_asked(packed: dict[str, str], level: str | None) -> None:
    assert unpack_level(packed) == level


@pytest.mark.parametrize(("value", "kept"), [(4, 4), (5, 3), (True, 3), ("4", 3), (4.0, 3), (None, 3)])
def test_one_of_a_few_whole_numbers_or_else_the_default(value: object, kept: int) -> None:
    assert keep_if_allowed(value, (1, 4), 3) == kept
