"""Sum a class up for its teacher: hard hands, skills that pupils lack, and a table for spreadsheets."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from bot.database import Tx
from bot.formats import format_expression
from bot.i18n import Words
from bot.modes.classroom import queries as classrooms
from bot.modes.classroom.diagnosis import ORDER, Mistake, PlayedHand, find_weaknesses
from bot.modes.classroom.queries import LessonHand
from bot.modes.classroom.rules import Lesson, Pupil, PupilHand
from bot.rounds.registry import GAMES


@dataclass(frozen=True, slots=True)
class LessonRecord:
    """A lesson with what all pupils did in it."""

    lesson: Lesson
    hands: Sequence[LessonHand]
    pupil_hands: Sequence[PupilHand]

    def list_played(self, number: int) -> list[PupilHand]:
        """Return what all pupils did with the hand of this number."""
        return [hand for hand in self.pupil_hands if hand.number == number]

    def compute_solved_share(self, number: int) -> float | None:
        """Return which part of the pupils solved a hand, of those who are done with it; None if nobody is."""
        over = [hand.is_solved for hand in self.list_played(number) if hand.is_over]
        return sum(over) / len(over) if over else None


def load_records(tx: Tx, class_id: int) -> list[LessonRecord]:
    """Load all lessons of a class, the first one first."""
    return [
        LessonRecord(lesson, classrooms.list_hands(tx, lesson.id), classrooms.load_pupil_hands(tx, lesson.id))
        for lesson in classrooms.load_lessons(tx, class_id)
    ]


# Hands and pupils


@dataclass(frozen=True, slots=True)
class HandReport:
    """How the class got on with one hand."""

    line: str
    level: str
    solved: int  # Pupils
    tried: int  # Pupils who are done with it
    seconds: float | None  # The median of those who solved it; None without any
    mistake: Mistake | None  # The most frequent one; None without any


def report_hands(records: Sequence[LessonRecord]) -> list[HandReport]:
    """Return the hands that at least one pupil is done with, the hardest for the class first."""
    reports = [
        _report_hand(hand, record.list_played(number))
        for record in records
        for number, hand in enumerate(record.hands, start=1)
    ]
    tried = [report for report in reports if report.tried]
    return sorted(tried, key=lambda report: (report.solved / report.tried, -(report.seconds or 0.0)))


def _report_hand(hand: LessonHand, played: Sequence[PupilHand]) -> HandReport:
    over = [each for each in played if each.is_over]
    seconds = [each.get_seconds(0.0) for each in over if each.is_solved]
    kinds = [kind for each in played for kind in each.mistakes.elements()]
    return HandReport(
        hand.line,
        hand.level,
        solved=len(seconds),
        tried=len(over),
        seconds=median(seconds) if seconds else None,
        mistake=max(Mistake, key=kinds.count) if kinds else None,
    )


@dataclass(frozen=True, slots=True)
class PupilReport:
    pupil: Pupil
    solved: int
    played: int  # Hands that are over
    weaknesses: Sequence[str]  # Keys of skills, the clearest first


def report_pupils(
    records: Sequence[LessonRecord], pupils: Sequence[Pupil], skills: Mapping[int, Sequence[frozenset[str]]]
) -> list[PupilReport]:
    """Return the pupils in their order; `skills` are those of each lesson's hands, by the lesson's id."""
    reports = []
    for pupil in pupils:
        played = [
            (record, hand)
            for record in records
            for hand in record.pupil_hands
            if hand.pupil_id == pupil.id and hand.is_over
        ]
        hands = [_make_played_hand(record, hand, skills[record.lesson.id]) for record, hand in played]
        solved = sum(hand.solved for hand in hands)
        reports.append(PupilReport(pupil, solved, len(hands), find_weaknesses(hands)))
    return reports


def load_skills(tx: Tx, records: Sequence[LessonRecord]) -> dict[int, list[frozenset[str]]]:
    """Return the skills that each hand needs, by the lesson's id; empty for a game without practice."""
    skills = {}
    for record in records:
        practice = GAMES[record.lesson.game].practice
        hands = classrooms.load_hands(tx, record.lesson.id)
        skills[record.lesson.id] = [
            frozenset(practice.find_skills(hand)) if practice else frozenset() for hand in hands
        ]
    return skills


def _make_played_hand(record: LessonRecord, hand: PupilHand, skills: Sequence[frozenset[str]]) -> PlayedHand:
    place = hand.number - 1
    return PlayedHand(
        skills=skills[place],
        solved=hand.is_solved,
        seconds=hand.get_seconds(0.0),
        expected=record.hands[place].expected,
        mistakes=hand.mistakes,
        hints=hand.hints,
        solved_share=record.compute_solved_share(hand.number),
    )


def get_skill_name(words: Words, skill: str) -> str:
    if skill == ORDER:
        return words.translate_plain("Order of operations")
    games = [game.practice for game in GAMES.values() if game.practice and skill in game.practice.skills]
    return games[0].get_skill_name(words, skill)


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

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")  # https://owasp.org/www-community/attacks/CSV_Injection
BYTE_ORDER_MARK = "\ufeff"  # By which Excel reads UTF-8


def write_csv(words: Words, records: Sequence[LessonRecord], pupils: Sequence[Pupil]) -> str:
    """Return a line for each pupil and hand, names as typed; no cell is run as a formula."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(
        [
            words.translate_plain("Name"),
            words.translate_plain("Lesson"),
            words.translate_plain("Hand"),
            words.translate_plain("Solved"),
            words.translate_plain("Seconds"),
            words.translate_plain("Tries"),
            words.translate_plain("Hints"),
            words.translate_plain("Answer"),
            words.translate_plain("Last wrong answer"),
            words.translate_plain("Mistake"),
        ]
    )
    for pupil in pupils:
        for lesson_number, record in enumerate(records, start=1):
            for hand in record.pupil_hands:
                if hand.pupil_id == pupil.id:
                    line = record.hands[hand.number - 1].line
                    cells = [pupil.name, lesson_number, line, *_list_cells(words, hand)]
                    writer.writerow([_protect_cell(cell) for cell in cells])
    return BYTE_ORDER_MARK + out.getvalue()


def _list_cells(words: Words, hand: PupilHand) -> list[object]:
    mistake = render_mistake(words, hand.last_mistake) if hand.last_mistake else ""
    seconds = round(hand.get_seconds(0.0)) if hand.is_over else ""
    answer = format_expression(hand.answer) if hand.answer else ""
    return [int(hand.is_solved), seconds, hand.tries, hand.hints, answer, hand.last_wrong, mistake]


def _protect_cell(value: object) -> object:
    """Return a text that a spreadsheet would run as a formula behind an apostrophe, others unchanged."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value
