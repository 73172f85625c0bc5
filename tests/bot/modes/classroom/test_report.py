"""The report of a class, and its table for spreadsheets."""

import csv
import io
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.i18n import get_words
from bot.modes.classroom.diagnosis import Mistake
from bot.modes.classroom.report import (
    BYTE_ORDER_MARK,
    LessonRecord,
    report_hands,
    report_pupils,
    write_csv,
)
from bot.modes.classroom.rules import Lesson, Pace, Pupil, PupilHand
from bot.rounds.rules import State
from tests.sample_rounds import make_round

WORDS = get_words("en")
HANDS = [
    make_round(numbers=(6, 6, 6, 6), level="easy", expected=4.0, ideas=("6+6+6+6", "6*6-6-6")).puzzle,
    make_round().puzzle,
    make_round(numbers=(1, 5, 5, 5), ideas=("5*(5-1/5)",)).puzzle,
]
EASY, HARD, HARDEST = (hand.line for hand in HANDS)
OPENED = 1000.0
DAY = "1970-01-01"


def make_pupil(number: int, name: str) -> Pupil:
    return Pupil(number, 7, name, has_joined=True, is_taken=True)


ANN, BOB = make_pupil(1, "Ann"), make_pupil(2, "Bob")


def play_hand(pupil: Pupil, number: int, seconds: float | None, *wrong: Mistake, **more: Any) -> PupilHand:
    """Return a pupil's hand that was solved within so many seconds, given up for None."""
    return PupilHand(
        round_id=10 * pupil.id + number,
        pupil_id=pupil.id,
        number=number,
        state=State.EXPIRED if seconds is None else State.WON,
        opened=OPENED,
        closed=OPENED + (99.0 if seconds is None else seconds),
        mistakes=Counter(wrong),
        last_mistake=wrong[-1] if wrong else None,
        **more,
    )


def make_record(*played: PupilHand) -> LessonRecord:
    lesson = Lesson(1, 7, "24", Pace.OWN, len(HANDS), OPENED)
    return LessonRecord(lesson, HANDS, played)


# Hands and pupils


def test_hands_that_were_hard_for_the_class_come_first() -> None:
    record = make_record(
        play_hand(ANN, 1, 10.0),
        play_hand(BOB, 1, 20.0),
        play_hand(ANN, 2, 60.0, Mistake.SIGN, Mistake.FRACTION, Mistake.FRACTION),
        play_hand(BOB, 2, None, Mistake.SIGN, Mistake.FRACTION),
        play_hand(ANN, 3, None),
    )
    reports = report_hands(WORDS, [record])
    assert [(each.line, each.solved, each.tried, each.seconds, each.mistake) for each in reports] == [
        (HARDEST, 0, 1, None, ""),
        (HARD, 1, 2, 60, "fraction"),
        (EASY, 2, 2, 15, ""),
    ]


def test_equally_solved_hands_are_ordered_by_time() -> None:
    record = make_record(play_hand(ANN, 1, 50.0), play_hand(ANN, 2, 10.0), play_hand(ANN, 3, 90.0))
    assert [each.line for each in report_hands(WORDS, [record])] == [HARDEST, EASY, HARD]


def test_hand_that_nobody_is_done_with_is_left_out() -> None:
    going_on = PupilHand(1, ANN.id, 1, State.OPEN, OPENED, mistakes=Counter([Mistake.VALUE]))
    assert report_hands(WORDS, [make_record(going_on)]) == []
    (pupil,) = report_pupils(WORDS, [make_record(going_on)], [ANN])
    assert (pupil.solved, pupil.played, list(pupil.skills)) == (0, 0, [])


def test_pupils_are_reported_in_their_order_over_all_lessons() -> None:
    records = [
        make_record(play_hand(ANN, 1, 10.0), play_hand(BOB, 1, None)),
        make_record(play_hand(ANN, 2, None)),
    ]
    reports = report_pupils(WORDS, records, [BOB, ANN])
    assert [(each.name, each.solved, each.played) for each in reports] == [("Bob", 0, 1), ("Ann", 1, 2)]


# The table


def read_table(text: str, delimiter: str = ",") -> list[list[str]]:
    assert text.startswith(BYTE_ORDER_MARK)
    return list(csv.reader(io.StringIO(text.removeprefix(BYTE_ORDER_MARK), newline=""), delimiter=delimiter))


def write_table(name: str, last_wrong: str = "") -> str:
    pupil = make_pupil(1, name)
    hand = play_hand(pupil, 2, 9.6, Mistake.ORDER, answer="8/(3-8/3)", hints=1, last_wrong=last_wrong)
    return write_csv(WORDS, [make_record(hand)], [pupil])


def test_table_has_a_row_for_each_pupil_and_hand() -> None:
    assert read_table(write_table("Ann", "8/3-8/3"))[1:] == [
        ["Ann", "1", DAY, "2", HARD, "1", "10", "2", "1", "8÷(3−8÷3)", "8/3-8/3", "order of operations"]
    ]


def test_open_hand_has_no_time() -> None:
    going_on = PupilHand(1, ANN.id, 1, State.OPEN, OPENED)
    (row,) = read_table(write_csv(WORDS, [make_record(going_on)], [ANN]))[1:]
    assert row == ["Ann", "1", DAY, "1", EASY, "0", "", "0", "0", "", "", ""]


@pytest.mark.parametrize(
    "name",
    [
        "Ann",
        "née D",
        "李小龙",
        "Ann, B.",
        'Ann "B"',
        "Ann\nB",
        "Ann\r\nB",
        "O’Neill",
        "'=1",
        "Anna-Lena",
        "a@b",
        "1",
    ],
)
def test_harmless_names_stay_as_typed(name: str) -> None:
    assert read_table(write_table(name))[1][0] == name


@pytest.mark.parametrize(
    "name",
    [
        *(
            "=1+1",
            "+1",
            "-1",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "\n=1",
            " =1",
            "＝1",
            '=HYPERLINK("x";"y")',
            "=1,=2",
        ),
        *("Ann;=1+1", 'Ann";=1+1', "Ann\t=1+1", "Ann,@SUM(1)", "Ann; -1", "-1;-2;-3"),
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_no_cell_is_run_as_a_formula(name: str, delimiter: str) -> None:
    for text in (write_table(name), write_table("Ann", name)):
        cells = [cell for row in read_table(text, delimiter) for cell in row]
        assert [cell for cell in cells if cell.lstrip().startswith(tuple("=+-@＝＋－＠"))] == []


@given(st.text("=+-@;,\t\r\n'\" A1"), st.sampled_from(",;\t"))
def test_no_text_is_run_as_a_formula(text: str, delimiter: str) -> None:
    test_no_cell_is_run_as_a_formula(text, delimiter)
    assert read_table(write_table(text))[1][0].replace("'", "") == text.replace("'", "")


def test_headings_are_in_the_teachers_language() -> None:
    for language in ("es", "ru", "zh_Hans", "zh_Hant"):
        heading = read_table(
            write_csv(get_words(language), [], []), ";" if language in ("es", "ru") else ","
        )[0]
        assert len(set(heading)) == 12
        assert heading != read_table(write_csv(WORDS, [], []))[0]
