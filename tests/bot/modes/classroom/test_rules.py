"""Codes, names, deadlines and stuck pupils of a class."""

import unicodedata
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.modes.classroom.diagnosis import Mistake
from bot.modes.classroom.rules import (
    CODE_CHARACTERS,
    CODE_LENGTH,
    MAX_MARKS,
    MAX_NAME_CHARS,
    STUCK_SECONDS,
    Lesson,
    Pace,
    PupilHand,
    clean_pupil_name,
    make_code,
    make_name_key,
    normalize_code,
)
from bot.rounds.rules import State

# Codes


def test_codes_differ_and_have_no_letters_that_look_alike() -> None:
    codes = {make_code() for _ in range(1000)}
    assert len(codes) > 990
    assert {len(code) for code in codes} == {CODE_LENGTH}
    assert not set("0O1IL") & set("".join(codes))


@pytest.mark.parametrize(
    "typed", ["ABC234", "abc234", " abc 234\n", "abc-234", "ＡＢＣ２３４", "A.B.C.2.3.4"]
)
def test_code_is_read_as_people_type_it(typed: str) -> None:
    assert normalize_code(typed) == "ABC234"


@given(st.text(CODE_CHARACTERS, min_size=CODE_LENGTH, max_size=CODE_LENGTH))
def test_own_code_is_normal(code: str) -> None:
    assert normalize_code(code) == code


# Names

ZALGO = "Ann" + "\u0301\u0327\u033f" * 66 + "\u0301\u0327"  # 200 combining marks


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("  Ann \t B.\n", "Ann B."),
        ("=1+1", "=1+1"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("\u202eAnn\u202c", "Ann"),
        ("\u2067דנה\u2069", "דנה"),
        ("عائشة", "عائشة"),
        ("李小龙", "李小龙"),
        ("A\x00n\x1bn\x7f", "Ann"),
        ("Jose\u0301", "José"),
        ("a" + "\u0301\x01\u200d" * 9, "á" + "\u200d\u0301" * 3 + "\u200d"),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
        ("x" * 99, "x" * MAX_NAME_CHARS),
        *((nothing, None) for nothing in ("", " ", "\u200b", "\u202e", "\u3164", "\u0301", "\x00", "\ud800")),
    ],
)
def test_name_is_listed_as_one_harmless_line(typed: str, name: str | None) -> None:
    assert clean_pupil_name(typed) == name


NAMES = st.text(
    st.one_of(st.characters(), st.sampled_from("Aa \t\x00\u0301\u0327\u200d\u202e\u2069\u3164\ud800"))
)


def count_stacked_marks(name: str) -> int:
    """Return the highest number of marks on one letter."""
    most = count = 0
    for character in name:
        category = unicodedata.category(character)
        if category in {"Mn", "Me"}:
            count += 1
        elif category != "Cf":
            count = 0
        most = max(most, count)
    return most


@given(NAMES)
@example(ZALGO)
@example("x" * 31 + " y")
def test_any_name_is_short_and_stays_in_its_line(typed: str) -> None:
    name = clean_pupil_name(typed)
    if name is None:
        return
    assert 0 < len(name) <= MAX_NAME_CHARS
    assert name == name.strip()
    assert count_stacked_marks(name) <= MAX_MARKS
    assert not {unicodedata.category(character) for character in name} & {"Cc", "Cs", "Zl", "Zp"}
    assert not set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") & set(name)
    assert clean_pupil_name(name) == name
    assert make_name_key(name)


@pytest.mark.parametrize(
    "other",
    ["ann", "ANN", "Ａｎｎ", "A\u200bnn", "Ann\ufe0f", "An\u00adn", "\u3164Ann", "A\u034fnn", "Ann\u200e"],
)
def test_names_that_look_alike_are_the_same(other: str) -> None:
    listed = clean_pupil_name(other)
    assert listed is not None
    assert make_name_key(listed) == make_name_key("Ann")


@pytest.mark.parametrize(
    ("one", "other"), [("Ann", "Anna"), ("Jose", "José"), ("Ann B", "Ann C"), ("李", "季"), ("1", "=1")]
)
def test_other_names_differ(one: str, other: str) -> None:
    assert make_name_key(one) != make_name_key(other)


@given(NAMES)
def test_name_looks_like_its_other_spellings(typed: str) -> None:
    name = clean_pupil_name(typed) or "Ann"
    key = make_name_key(name)
    assert make_name_key(key) == key
    assert make_name_key(unicodedata.normalize("NFD", name)) == key
    assert make_name_key(f"\u200b{name}\u200b") == key


# Lessons

LESSON = Lesson(id=1, class_id=7, game="24", pace=Pace.TOGETHER, count=3, opened=1000.0)


def test_lesson_is_open_until_it_is_closed_or_due() -> None:
    assert LESSON.is_open(9e9)
    assert not replace(LESSON, closed=1500.0).is_open(1600.0)
    homework = replace(LESSON, pace=Pace.OWN, due=2000.0)
    assert [homework.is_open(now) for now in (1999.0, 2000.0)] == [True, False]


@pytest.mark.parametrize(
    ("seconds", "due", "deadline"),
    [(None, None, None), (60.0, None, 1160.0), (None, 2000.0, 2000.0), (60.0, 1130.0, 1130.0)],
)
def test_hand_ends_with_its_clock_or_when_it_is_due(
    seconds: float | None, due: float | None, deadline: float | None
) -> None:
    assert replace(LESSON, seconds=seconds, due=due).get_deadline(1100.0) == deadline


# One pupil's hand

HAND = PupilHand(round_id=1, pupil_id=5, number=1, state=State.OPEN, opened=1000.0)


def test_pupil_is_stuck_after_two_minutes() -> None:
    assert [HAND.is_stuck(1000.0 + seconds) for seconds in (0, STUCK_SECONDS - 1, STUCK_SECONDS)] == [
        False,
        False,
        True,
    ]


def test_pupil_is_stuck_after_four_wrong_answers() -> None:
    three = replace(HAND, mistakes=Counter({Mistake.VALUE: 2, Mistake.SIGN: 1}))
    four = replace(HAND, mistakes=Counter({Mistake.VALUE: 2, Mistake.SIGN: 1, Mistake.UNREADABLE: 1}))
    assert [hand.is_stuck(1001.0) for hand in (three, four)] == [False, True]


@pytest.mark.parametrize("state", [State.WON, State.EXPIRED])
def test_pupil_who_is_done_is_not_stuck(state: State) -> None:
    done = replace(HAND, state=state, closed=1300.0, mistakes=Counter({Mistake.VALUE: 9}))
    assert not done.is_stuck(2000.0)


def test_right_answer_is_a_try_and_ends_the_time() -> None:
    wrong = Counter({Mistake.NUMBERS: 2})
    solved = replace(HAND, state=State.WON, closed=1030.0, mistakes=wrong)
    assert (solved.tries, solved.get_seconds(9999.0)) == (3, 30.0)
    unsolved = replace(HAND, mistakes=wrong)
    assert (unsolved.tries, unsolved.get_seconds(1045.0), unsolved.get_seconds(990.0)) == (2, 45.0, 0.0)
