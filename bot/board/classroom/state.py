"""The JSON of a class: for the teacher's page, which shows all, and for the projector."""

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
from bot.modes.classroom.report import LessonRecord, load_record, render_mistake
from bot.modes.classroom.rules import Pace, Pupil, PupilHand, SchoolClass
from bot.rounds.capabilities import TileBoard
from bot.rounds.game import Game
from bot.rounds.puzzle import Puzzle
from bot.rounds.registry import CONTEST_GAMES, GAMES

Json = dict[str, object]
MAX_FASTEST = 3  # Pupils whom the projector names; nobody's last place is shown
MAX_SOLUTIONS = 8


@dataclass(frozen=True, slots=True)
class Desk:
    """A class as its pages show it."""

    school_class: SchoolClass
    pupils: Sequence[Pupil]
    record: LessonRecord | None  # Of the latest lesson

    @property
    def present(self) -> Puzzle | None:
        """The latest hand that all play together, open or over; None where each goes on alone."""
        if self.record is None or self.record.lesson.pace is Pace.OWN:
            return None
        return self.record.hands[self.record.lesson.number - 1]

    @property
    def joined(self) -> list[Pupil]:
        return [pupil for pupil in self.pupils if pupil.has_joined]


def load_desk(tx: Tx, class_id: int) -> Desk | None:
    """Load a class; None if it does not exist."""
    school_class = classrooms.load_class(tx, class_id)
    if school_class is None:
        return None
    lesson = classrooms.load_latest_lesson(tx, class_id)
    record = load_record(tx, lesson) if lesson else None
    return Desk(school_class, classrooms.load_pupils(tx, class_id), record)


def encode_class(desk: Desk, url: str, words: Words, now: float) -> Json:
    """Return what the teacher's page shows; `url` leads pupils in without a code."""
    hands = desk.record.hands if desk.record else ()
    return {
        "door": _encode_door(desk.school_class, url),
        "is_kept": desk.school_class.is_kept,
        "pupils": [_encode_pupil(pupil, desk.record, words, now) for pupil in desk.pupils],
        "lesson": _encode_lesson(desk, now),
        "hands": [{"line": hand.line, "level": _get_level_name(words, hand.level)} for hand in hands],
        "games": [
            {
                "key": game.key,
                "title": game.full_title,
                "has_levels": game.options.takes_levels,
                "takes_own_hands": game.typed_puzzles is not None,
            }
            for game in list_class_games()
        ],
        "levels": [[level, _get_level_name(words, level)] for level in LEVELS],
    }


def encode_projector(desk: Desk, url: str, words: Words, now: float) -> Json:
    """Return the wall's page: of the pupils it names only those who solved the hand first."""
    names = {pupil.id: pupil.name for pupil in desk.pupils}
    played = desk.record.list_played(desk.record.lesson.number) if desk.record and desk.present else []
    first = sorted((hand for hand in played if hand.is_solved), key=lambda hand: hand.get_seconds(now))
    return {
        "door": _encode_door(desk.school_class, url),
        "qr": make_qr_picture(url),
        "pupil_count": len(desk.joined),
        "lesson": _encode_lesson(desk, now),
        "level": _get_level_name(words, desk.present.level) if desk.present else "",
        "first_names": [names[hand.pupil_id] for hand in first[:MAX_FASTEST]],
    }


@lru_cache(64)
def make_qr_picture(url: str) -> str:
    """Return a QR code of an address as a data URI."""
    return str(segno.make(url, micro=False).svg_data_uri(border=2))


def _encode_door(school_class: SchoolClass, url: str) -> Json:
    is_closed = school_class.closed is not None
    return {
        "code": school_class.code,
        "url": url,
        "is_locked": school_class.is_locked,
        "is_closed": is_closed,
    }


def _get_level_name(words: Words, level: str) -> str:
    return strip_tags(render_level(words, level))


def _encode_pupil(pupil: Pupil, record: LessonRecord | None, words: Words, now: float) -> Json:
    """Return a pupil with a cell for each hand of the latest lesson."""
    own = [hand for hand in record.pupil_hands if hand.pupil_id == pupil.id] if record else []
    is_homework = record is not None and record.lesson.due is not None
    return {
        "id": pupil.id,
        "name": pupil.name,
        "has_joined": pupil.has_joined,
        "solved": sum(hand.is_solved for hand in own),
        "cells": [_encode_cell(hand, words, now, is_homework=is_homework) for hand in own],
    }


def _encode_cell(hand: PupilHand, words: Words, now: float, *, is_homework: bool) -> Json:
    done = "solved" if hand.is_solved else "over"
    return {
        "number": hand.number,
        "state": done if hand.is_over else "open",
        "opened": hand.opened,
        "seconds": round(hand.get_seconds(now)) if hand.is_over else None,
        "tries": hand.tries,
        "hints": hand.hints,
        "answer": format_expression(hand.answer),
        "wrong": format_expression(hand.last_wrong),
        "mistake": render_mistake(words, hand.last_mistake) if hand.last_mistake else "",
        "is_stuck": hand.is_stuck(now, is_homework=is_homework),
    }


def _encode_lesson(desk: Desk, now: float) -> Json | None:
    """Return the latest lesson; None before the first."""
    if desk.record is None:
        return None
    record, lesson, present = desk.record, desk.record.lesson, desk.present
    game, played = GAMES[lesson.game], record.list_played(lesson.number)
    shows_solutions = present is not None and lesson.shows_solutions
    begun = min((hand.opened for hand in played), default=None) if present else None
    return {
        "title": game.title,
        "pace": lesson.pace.value,
        "number": lesson.number,
        "count": lesson.count,
        "due": lesson.due,
        "deadline": None if begun is None else lesson.get_deadline(begun),
        "is_open": lesson.is_open(now),
        "shows_solutions": shows_solutions,
        "done": _count_done(record),
        "tiles": asdict((game.tile_board.make_tiles(present) if present else None) or NO_TILES),
        **(_encode_solutions(game, present, played) if present and shows_solutions else {"solutions": []}),
    }


def _count_done(record: LessonRecord) -> int:
    """Count the pupils with an answer to the present hand; at the own pace, those done with all hands."""
    over = [hand for hand in record.pupil_hands if hand.is_over]
    if record.lesson.pace is Pace.TOGETHER:
        return sum(bool(hand.answer) for hand in record.list_played(record.lesson.number))
    counts = Counter(hand.pupil_id for hand in over)
    return sum(count == record.lesson.count for count in counts.values())


def _encode_solutions(game: Game[Any], puzzle: Puzzle, played: Sequence[PupilHand]) -> Json:
    """Return the ideas that the class found, the most frequent first, without names; then the others.

    They are few enough for a wall; `more` counts those left out.
    """
    found = [hand.answer for hand in played if hand.is_solved]
    ideas = {answer: game.finds.identify(puzzle, answer, ()) if game.finds else answer for answer in found}
    answers = {ideas[answer]: answer for answer in reversed(found)}  # The first one found of each idea
    counts = Counter(ideas[answer] for answer in found).most_common()
    missed = [answer for answer in game.solutions(puzzle) if answer not in answers]
    shown = [*((answers[idea], count) for idea, count in counts), *((answer, 0) for answer in missed)]
    solutions = [
        {"answer": game.format_answer(puzzle, answer), "count": count}
        for answer, count in shown[:MAX_SOLUTIONS]
    ]
    return {"solutions": solutions, "more": len(shown) - len(solutions)}


def list_class_games() -> list[Game[Any]]:
    """Return the games with tiles to tap and a right answer, the default one first.

    A game without tiles keeps the `TileBoard` of `Game`.
    """
    games = [
        game
        for key, game in GAMES.items()
        if key not in CONTEST_GAMES and type(game.tile_board) is not TileBoard
    ]
    return sorted(games, key=lambda game: game is not GAMES.default)  # False sorts first
