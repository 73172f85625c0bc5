"""The state of a class on the teacher's page and on the projector, and its JSON, with the same names."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import segno

from bot.board.page_state import NO_TILES
from bot.database import Tx
from bot.formats import format_expression
from bot.i18n import Words, strip_tags
from bot.levels import LEVELS, render_level
from bot.modes.classroom import queries as classrooms
from bot.modes.classroom.report import (
    LessonRecord,
    get_skill_name,
    load_records,
    load_skills,
    render_mistake,
    report_hands,
    report_pupils,
)
from bot.modes.classroom.rules import Lesson, Pace, Pupil, PupilHand, SchoolClass
from bot.rounds.capabilities import TileBoard
from bot.rounds.game import Game
from bot.rounds.puzzle import Puzzle, Tiles
from bot.rounds.registry import CONTEST_GAMES, GAMES

FIRST_NAMES = 3  # Pupils whom the projector names; nobody's last place is shown


@dataclass(frozen=True, slots=True)
class DoorView:
    """How pupils come in."""

    code: str
    url: str  # Behind which the code need not be typed
    is_locked: bool
    is_closed: bool


# The table


@dataclass(frozen=True, slots=True)
class CellView:
    """One pupil's hand."""

    number: int
    state: str  # open, solved, over
    opened: float
    seconds: int | None  # That the hand took; None while it is open
    tries: int
    hints: int
    answer: str
    wrong: str  # The last wrong answer
    mistake: str  # Its kind, in words
    is_stuck: bool


@dataclass(frozen=True, slots=True)
class PupilView:
    id: int
    name: str
    has_joined: bool
    solved: int
    cells: tuple[CellView, ...]


@dataclass(frozen=True, slots=True)
class HandView:
    line: str
    level: str


@dataclass(frozen=True, slots=True)
class SolutionView:
    answer: str
    count: int  # Of the pupils who found it; 0 for a solution that nobody found


@dataclass(frozen=True, slots=True)
class LessonView:
    title: str
    pace: str
    number: int
    count: int
    due: float | None
    deadline: float | None  # Of the present hand, where all play together
    is_open: bool
    shows_solutions: bool
    done: int  # Pupils who are done with the present hand, or with all hands at their own pace
    tiles: Tiles  # Of the present hand; none at the own pace
    solutions: tuple[SolutionView, ...]  # Once they are shown


@dataclass(frozen=True, slots=True)
class GameView:
    key: str
    title: str
    has_levels: bool
    takes_own_hands: bool


@dataclass(frozen=True, slots=True)
class ClassState:
    """What the teacher sees."""

    door: DoorView
    is_kept: bool
    pupils: tuple[PupilView, ...]
    lesson: LessonView | None
    hands: tuple[HandView, ...]
    games: tuple[GameView, ...]
    levels: tuple[tuple[str, str], ...]  # Key and name


@dataclass(frozen=True, slots=True)
class ProjectorState:
    """What the class sees on the wall."""

    door: DoorView
    qr: str  # A picture of the door's address, as a data URI
    pupil_count: int
    lesson: LessonView | None
    level: str  # Of the present hand
    first_names: tuple[str, ...]  # Who solved the present hand first


@lru_cache(64)
def make_qr_picture(url: str) -> str:
    """Return a QR code of an address as a data URI."""
    return str(segno.make(url, micro=False).svg_data_uri(border=2))


def encode_view(view: object) -> str:
    return json.dumps(asdict(view), ensure_ascii=False)  # type: ignore[call-overload]


# Build them


@dataclass(frozen=True, slots=True)
class Desk:
    """A class as both pages read it, once for each."""

    school_class: SchoolClass
    pupils: Sequence[Pupil]
    record: LessonRecord | None  # Of the latest lesson
    present: Puzzle | None  # The hand that all play together


def load_desk(tx: Tx, class_id: int) -> Desk | None:
    """Load a class; None if it does not exist."""
    school_class = classrooms.load_class(tx, class_id)
    if school_class is None:
        return None
    pupils = classrooms.load_pupils(tx, class_id)
    lesson = classrooms.load_latest_lesson(tx, class_id)
    if lesson is None:
        return Desk(school_class, pupils, None, None)
    hands, played = classrooms.list_hands(tx, lesson.id), classrooms.load_pupil_hands(tx, lesson.id)
    present = None
    if lesson.pace is Pace.TOGETHER:
        present = classrooms.load_hands(tx, lesson.id)[lesson.number - 1]
    return Desk(school_class, pupils, LessonRecord(lesson, hands, played), present)


def build_class_state(desk: Desk, url: str, words: Words, now: float) -> ClassState:
    record = desk.record
    hands = record.hands if record else ()
    return ClassState(
        door=_make_door(desk.school_class, url),
        is_kept=desk.school_class.is_kept,
        pupils=tuple(_make_pupil_view(pupil, record, words, now) for pupil in desk.pupils),
        lesson=_make_lesson_view(record, desk.present, now) if record else None,
        hands=tuple(HandView(hand.line, strip_tags(render_level(words, hand.level))) for hand in hands),
        games=tuple(map(_make_game_view, list_class_games())),
        levels=tuple((level, strip_tags(render_level(words, level))) for level in LEVELS),
    )


def build_projector_state(desk: Desk, url: str, words: Words, now: float) -> ProjectorState:
    record = desk.record
    names = {pupil.id: pupil.name for pupil in desk.pupils}
    first_names: list[str] = []
    level = ""
    if record and desk.present:
        solved = [hand for hand in record.list_played(record.lesson.number) if hand.is_solved]
        solved.sort(key=lambda hand: hand.get_seconds(now))
        first_names = [names[hand.pupil_id] for hand in solved[:FIRST_NAMES]]
        level = strip_tags(render_level(words, desk.present.level))
    return ProjectorState(
        door=_make_door(desk.school_class, url),
        qr=make_qr_picture(url),
        pupil_count=sum(pupil.has_joined for pupil in desk.pupils),
        lesson=_make_lesson_view(record, desk.present, now) if record else None,
        level=level,
        first_names=tuple(first_names),
    )


def _make_door(school_class: SchoolClass, url: str) -> DoorView:
    return DoorView(school_class.code, url, school_class.is_locked, school_class.closed is not None)


def _make_pupil_view(pupil: Pupil, record: LessonRecord | None, words: Words, now: float) -> PupilView:
    own = [hand for hand in record.pupil_hands if hand.pupil_id == pupil.id] if record else []
    cells = tuple(_make_cell(hand, words, now) for hand in own)
    return PupilView(pupil.id, pupil.name, pupil.has_joined, sum(hand.is_solved for hand in own), cells)


def _make_cell(hand: PupilHand, words: Words, now: float) -> CellView:
    state = "open"
    if hand.is_over:
        state = "solved" if hand.is_solved else "over"
    return CellView(
        number=hand.number,
        state=state,
        opened=hand.opened,
        seconds=round(hand.get_seconds(now)) if hand.is_over else None,
        tries=hand.tries,
        hints=hand.hints,
        answer=format_expression(hand.answer),
        wrong=format_expression(hand.last_wrong),
        mistake=render_mistake(words, hand.last_mistake) if hand.last_mistake else "",
        is_stuck=hand.is_stuck(now),
    )


def _make_lesson_view(record: LessonRecord, present: Puzzle | None, now: float) -> LessonView:
    """Return the lesson; `present` is the hand that all play together, None at the own pace."""
    lesson, game = record.lesson, GAMES[record.lesson.game]
    played = record.list_played(lesson.number)
    solutions: tuple[SolutionView, ...] = ()
    if present and lesson.shows_solutions:
        solutions = _list_solutions(game, present, played)
    return LessonView(
        title=game.title,
        pace=lesson.pace.value,
        number=lesson.number,
        count=lesson.count,
        due=lesson.due,
        deadline=_find_deadline(lesson, played),
        is_open=lesson.is_open(now),
        shows_solutions=lesson.shows_solutions and present is not None,
        done=_count_done(record),
        tiles=(game.tile_board.make_tiles(present) if present else None) or NO_TILES,
        solutions=solutions,
    )


def _find_deadline(lesson: Lesson, present: Sequence[PupilHand]) -> float | None:
    if lesson.pace is not Pace.TOGETHER or not present:
        return None
    return lesson.get_deadline(min(hand.opened for hand in present))


def _count_done(record: LessonRecord) -> int:
    """Count the pupils who are done with the present hand; at the own pace, with all hands."""
    if record.lesson.pace is Pace.TOGETHER:
        return sum(hand.is_over for hand in record.list_played(record.lesson.number))
    over = Counter(hand.pupil_id for hand in record.pupil_hands if hand.is_over)
    return sum(count == record.lesson.count for count in over.values())


MAX_SOLUTIONS = 8


def _list_solutions(game: Game[Any], puzzle: Puzzle, played: Sequence[PupilHand]) -> tuple[SolutionView, ...]:
    """Return the ideas that the class found, the most frequent first, without names; then the others."""
    found = [hand.answer for hand in played if hand.is_solved]
    ideas = {answer: _identify_idea(game, puzzle, answer) for answer in found}
    answers = {ideas[answer]: answer for answer in reversed(found)}  # The first one found of each idea
    counts = Counter(ideas[answer] for answer in found).most_common()
    missed = [answer for answer in game.solutions(puzzle) if answer not in answers]
    shown = [*((answers[idea], count) for idea, count in counts), *((answer, 0) for answer in missed)]
    return tuple(
        SolutionView(game.format_answer(puzzle, answer), count) for answer, count in shown[:MAX_SOLUTIONS]
    )


def _identify_idea(game: Game[Any], puzzle: Puzzle, answer: str) -> str:
    """Return a key that all answers with the same idea share; the answer itself in a game without ideas."""
    return game.finds.identify(puzzle, answer, ()) if game.finds else answer


def list_class_games() -> list[Game[Any]]:
    """Return the games with tiles to tap and a right answer, the default one first."""
    games = [
        game
        for key, game in GAMES.items()
        if key not in CONTEST_GAMES and type(game.tile_board) is not TileBoard
    ]
    return sorted(games, key=lambda game: game is not GAMES.default)  # False sorts first


def _make_game_view(game: Game[Any]) -> GameView:
    return GameView(
        game.key, game.full_title, game.options.takes_levels, takes_own_hands=game.typed_puzzles is not None
    )


# The report


@dataclass(frozen=True, slots=True)
class HandReportView:
    line: str
    level: str
    solved: int  # Pupils
    tried: int
    seconds: int | None  # The median; None if nobody solved it
    mistake: str  # The most frequent one, in words; empty without any


@dataclass(frozen=True, slots=True)
class PupilReportView:
    name: str
    solved: int
    played: int
    skills: tuple[str, ...]  # That the pupil lacks


@dataclass(frozen=True, slots=True)
class ReportView:
    hands: tuple[HandReportView, ...]  # The hardest for the class first
    pupils: tuple[PupilReportView, ...]


def load_report(tx: Tx, class_id: int, words: Words) -> ReportView:
    """Sum up all lessons of a class."""
    records, pupils = load_records(tx, class_id), classrooms.load_pupils(tx, class_id)
    hands = [
        HandReportView(
            each.line,
            strip_tags(render_level(words, each.level)),
            each.solved,
            each.tried,
            None if each.seconds is None else round(each.seconds),
            render_mistake(words, each.mistake) if each.mistake else "",
        )
        for each in report_hands(records)
    ]
    reports = report_pupils(records, pupils, load_skills(tx, records))
    return ReportView(
        tuple(hands),
        tuple(
            PupilReportView(
                each.pupil.name,
                each.solved,
                each.played,
                tuple(get_skill_name(words, skill) for skill in each.weaknesses),
            )
            for each in reports
        ),
    )
