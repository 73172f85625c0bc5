"""Sum a class up for its teacher: hard hands, skills that pupils lack, and a table for spreadsheets."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bot.database import Tx
from bot.formats import format_expression
from bot.i18n import Words, strip_tags
from bot.levels import render_level
from bot.modes.classroom import queries as classrooms
from bot.modes.classroom.diagnosis import ORDER, Mistake, PlayedHand, find_weaknesses
from bot.modes.classroom.rules import Lesson, Pupil, PupilHand
from bot.modes.daily.rules import format_utc_date
from bot.modes.practice import view
from bot.rounds.puzzle import Puzzle
from bot.rounds.registry import GAMES


@dataclass(frozen=True, slots=True)
class LessonRecord:
    """A lesson with what all pupils did in it."""

    lesson: Lesson
    hands: Sequence[Puzzle]
    pupil_hands: Sequence[PupilHand]

    def list_played(self, number: int) -> list[PupilHand]:
        """Return what all pupils did with the hand of this number."""
        return [hand for hand in self.pupil_hands if hand.number == number]


def load_record(tx: Tx, lesson: Lesson) -> LessonRecord:
    hands = classrooms.load_hands(tx, lesson.id)
    return LessonRecord(lesson, hands, classrooms.load_pupil_hands(tx, lesson.id))


def load_records(tx: Tx, class_id: int) -> list[LessonRecord]:
    """Load all lessons of a class, the first one first."""
    return [load_record(tx, lesson) for lesson in classrooms.load_lessons(tx, class_id)]


# Hands and pupils


@dataclass(frozen=True, slots=True)
class HandReport:
    """The results of the class for one hand."""

    line: str
    level: str  # In words
    solved: int  # Pupils
    tried: int  # Pupils who are done with it
    seconds: int | None  # The median of those who solved it; None without any
    mistake: str  # The most frequent one, in words; empty without any


def report_hands(words: Words, records: Sequence[LessonRecord]) -> list[HandReport]:
    """Return the hands that at least one pupil is done with, the hardest for the class first."""
    reports = [
        _report_hand(words, hand, record.list_played(number))
        for record in records
        for number, hand in enumerate(record.hands, start=1)
    ]
    tried = [report for report in reports if report.tried]
    return sorted(tried, key=lambda report: (report.solved / report.tried, -(report.seconds or 0)))


def _report_hand(words: Words, hand: Puzzle, played: Sequence[PupilHand]) -> HandReport:
    seconds = [each.get_seconds(0.0) for each in played if each.is_solved]
    kinds = [kind for each in played for kind in each.mistakes.elements()]
    return HandReport(
        hand.line,
        strip_tags(render_level(words, hand.level)),
        solved=len(seconds),
        tried=sum(each.is_over for each in played),
        seconds=round(median(seconds)) if seconds else None,
        mistake=render_mistake(words, max(Mistake, key=kinds.count)) if kinds else "",
    )


@dataclass(frozen=True, slots=True)
class PupilReport:
    name: str
    solved: int
    played: int  # Hands that are over
    skills: Sequence[str]  # That the pupil lacks, in words, the clearest first


def report_pupils(
    words: Words, records: Sequence[LessonRecord], pupils: Sequence[Pupil]
) -> list[PupilReport]:
    """Return the pupils in their order."""
    played = [_list_played_hands(records, pupil.id) for pupil in pupils]
    return [
        PupilReport(
            pupil.name,
            sum(hand.solved for hand in hands),
            len(hands),
            [_get_skill_name(words, skill) for skill in find_weaknesses(hands)],
        )
        for pupil, hands in zip(pupils, played, strict=True)
    ]


def _list_played_hands(records: Sequence[LessonRecord], pupil_id: int) -> list[PlayedHand]:
    """Return the hands that are over for the pupil, with the skills that they need."""
    return [
        _make_played_hand(record, hand)
        for record in records
        for hand in record.pupil_hands
        if hand.pupil_id == pupil_id and hand.is_over
    ]


def _make_played_hand(record: LessonRecord, hand: PupilHand) -> PlayedHand:
    practice, puzzle = GAMES[record.lesson.game].practice, record.hands[hand.number - 1]
    played = record.list_played(hand.number)
    others = [each.is_solved for each in played if each.is_over and each.pupil_id != hand.pupil_id]
    return PlayedHand(
        skills=frozenset(practice.find_skills(puzzle)) if practice else frozenset(),
        solved=hand.is_solved,
        seconds=hand.get_seconds(0.0),
        expected=puzzle.expected,
        mistakes=hand.mistakes,
        hints=hand.hints,
        solved_share=sum(others) / len(others) if others else None,
    )


def _get_skill_name(words: Words, skill: str) -> str:
    """Return the name of a skill of `diagnosis.SKILLS`: of those the games name all but one."""
    if skill == ORDER:
        return words.translate_plain("Order of operations")
    return view.get_skill_name(words, skill)


def render_mistake(words: Words, mistake: Mistake) -> str:
    """Return a few words about a kind of mistake."""
    return {
        Mistake.VALUE: words.translate_plain("wrong value"),
        Mistake.NUMBERS: words.translate_plain("numbers not used"),
        Mistake.FRACTION: words.translate_plain("fraction"),
        Mistake.SIGN: words.translate_plain("sign"),
        Mistake.ORDER: words.translate_plain("order of operations"),
        Mistake.UNREADABLE: words.translate_plain("unreadable"),
    }[mistake]


# The table

# Also behind a semicolon or tab, at which spreadsheets of some countries split cells: see
# https://owasp.org/www-community/attacks/CSV_Injection
FORMULA_START = re.compile(r"(?:^|(?<=[;,\t\r\n]))(?=[ \"]*[=+\-@＝＋－＠])")
COMMA_LANGUAGES = ("es", "ru")
BYTE_ORDER_MARK = "\ufeff"  # By which Excel reads UTF-8


def write_csv(words: Words, records: Sequence[LessonRecord], pupils: Sequence[Pupil]) -> str:
    """Return a line for each pupil and hand, names as typed; no cell is run as a formula."""
    names = {pupil.id: pupil.name for pupil in pupils}
    out = io.StringIO()
    # The separator of Excel where a comma is the decimal sign
    writer = csv.writer(out, delimiter=";" if words.language in COMMA_LANGUAGES else ",")
    writer.writerow(_list_headings(words))
    for number, record in enumerate(records, start=1):
        day = format_utc_date(record.lesson.opened)
        for hand in record.pupil_hands:
            place = [number, day, hand.number, record.hands[hand.number - 1].line]
            cells = [names[hand.pupil_id], *place, *_list_cells(words, hand)]
            writer.writerow([_protect_cell(cell) for cell in cells])
    return BYTE_ORDER_MARK + out.getvalue()


def _list_headings(words: Words) -> list[str]:
    return [
        words.translate_plain("Name"),
        words.translate_plain("Lesson"),
        words.translate_plain("Date"),
        words.translate_plain("Number"),
        words.translate_plain("Hand"),
        words.translate_plain("Solved"),
        words.translate_plain("Seconds"),
        words.translate_plain("Tries"),
        words.translate_plain("Hints"),
        words.translate_plain("Answer"),
        words.translate_plain("Last wrong answer"),
        words.translate_plain("Mistake"),
    ]


def _list_cells(words: Words, hand: PupilHand) -> list[object]:
    mistake = render_mistake(words, hand.last_mistake) if hand.last_mistake else ""
    seconds = round(hand.get_seconds(0.0)) if hand.is_over else ""
    answer = format_expression(hand.answer)
    return [int(hand.is_solved), seconds, hand.tries, hand.hints, answer, hand.last_wrong, mistake]


def _protect_cell(value: object) -> object:
    """Return a text with an apostrophe before what a spreadsheet would run as a formula, others unchanged."""
    return FORMULA_START.sub("'", value) if isinstance(value, str) else value
