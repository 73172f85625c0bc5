"""Classes, their pupils, lessons and hands in the database."""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import Row, and_, delete, func, insert, select, update

from bot.database import Tx
from bot.database.schema import class_hands, classes, entries, lessons, mistakes, pupils, rounds
from bot.modes.classroom.diagnosis import Mistake
from bot.modes.classroom.rules import (
    KEPT_SECONDS,
    Lesson,
    Pace,
    Pupil,
    PupilHand,
    SchoolClass,
    make_code,
    make_name_key,
)
from bot.players.guests import GUEST_IDS, make_guest_id
from bot.rounds.puzzle import Puzzle
from bot.rounds.registry import pack_puzzle, unpack_puzzle
from bot.rounds.rules import State

# Classes


def insert_class(tx: Tx, teacher_id: int | None, now: float) -> SchoolClass:
    """Store a new class with a random id and code."""
    code = make_code()
    while load_class_by_code(tx, code) is not None:
        code = make_code()
    new = SchoolClass(make_guest_id() % GUEST_IDS, code, teacher_id, now)
    row = {"id": new.id, "code": code, "teacher_id": teacher_id, "opened": now, "active": now}
    tx.execute(insert(classes).values(row))
    return new


def load_class(tx: Tx, class_id: int) -> SchoolClass | None:
    return _read_class(tx.execute(select(classes).where(classes.c.id == class_id)).first())


def load_class_by_code(tx: Tx, code: str) -> SchoolClass | None:
    return _read_class(tx.execute(select(classes).where(classes.c.code == code)).first())


def load_classes_of_teacher(tx: Tx, teacher_id: int | None) -> list[SchoolClass]:
    """Return the teacher's classes that go on, then those that are over, each time the latest first.

    `teacher_id` is None in a class without Telegram.
    """
    own = select(classes).where(classes.c.teacher_id.is_not_distinct_from(teacher_id))
    rows = tx.execute(own.order_by(classes.c.closed.is_not(None), classes.c.opened.desc()))
    return [found for row in rows if (found := _read_class(row))]


def _read_class(row: Row[Any] | None) -> SchoolClass | None:
    if row is None:
        return None
    return SchoolClass(
        row.id, row.code, row.teacher_id, row.opened, row.closed, bool(row.locked), bool(row.kept)
    )


def update_class(tx: Tx, class_id: int, **columns: Any) -> None:
    tx.execute(update(classes).where(classes.c.id == class_id).values(columns))


def delete_class(tx: Tx, class_id: int) -> None:
    """Delete a class with its lessons; its pupils and their rounds must be gone."""
    tx.execute(delete(classes).where(classes.c.id == class_id))


def load_expired_classes(tx: Tx, now: float) -> list[int]:
    """Return the classes whose names and answers are due to be deleted."""
    before = now - KEPT_SECONDS
    homework = select(lessons.c.id).where(lessons.c.class_id == classes.c.id, lessons.c.due >= before)
    is_expired = (classes.c.kept == 0, classes.c.active < before, ~homework.exists())
    return list(tx.scalars(select(classes.c.id).where(*is_expired)))


# Pupils


def load_pupils(tx: Tx, class_id: int) -> list[Pupil]:
    """Return the pupils of a class in the order of the teacher's list."""
    own = select(pupils).where(pupils.c.class_id == class_id).order_by(pupils.c.place)
    return [_read_pupil(row) for row in tx.execute(own)]


def load_pupil(tx: Tx, pupil_id: int) -> Pupil | None:
    row = tx.execute(select(pupils).where(pupils.c.id == pupil_id)).first()
    return None if row is None else _read_pupil(row)


def load_pupil_of_device(tx: Tx, pupil_id: int, device: str) -> Pupil | None:
    """Return the pupil; None if another browser has joined under the name since."""
    pupil = load_pupil(tx, pupil_id)
    return pupil if pupil and pupil.device == device else None


def load_pupil_by_name(tx: Tx, class_id: int, name: str) -> Pupil | None:
    """Return the pupil of the class with a name that looks like this one; None without any."""
    named = (pupils.c.class_id == class_id, pupils.c.name_key == make_name_key(name))
    row = tx.execute(select(pupils).where(*named)).first()
    return None if row is None else _read_pupil(row)


def _read_pupil(row: Row[Any]) -> Pupil:
    return Pupil(row.id, row.class_id, row.name, bool(row.joined), bool(row.taken), row.device)


def insert_pupil(tx: Tx, class_id: int, name: str) -> Pupil:
    """Store a name at the end of the list; it must be free."""
    new = Pupil(make_guest_id(), class_id, name, has_joined=False, is_taken=False)
    last_place = select(func.max(pupils.c.place)).where(pupils.c.class_id == class_id).scalar_subquery()
    row = {"id": new.id, "class_id": class_id, **_make_name_columns(name)}
    tx.execute(insert(pupils).values(place=func.coalesce(last_place, 0) + 1, **row))
    return new


def rename_pupil(tx: Tx, pupil_id: int, name: str) -> None:
    tx.execute(update(pupils).where(pupils.c.id == pupil_id).values(_make_name_columns(name)))


def _make_name_columns(name: str) -> dict[str, str]:
    return {"name": name, "name_key": make_name_key(name)}


def mark_joined(tx: Tx, pupil_id: int, device: str) -> None:
    """Store that somebody plays under the name, and that only the same browser may join under it again."""
    tx.execute(update(pupils).where(pupils.c.id == pupil_id).values(joined=1, taken=1, device=device))


def free_name(tx: Tx, pupil_id: int) -> None:
    """Let somebody join under the name again, to go on as this pupil."""
    tx.execute(update(pupils).where(pupils.c.id == pupil_id).values(taken=0))


def delete_pupil(tx: Tx, pupil_id: int) -> None:
    """Delete a pupil with the list of their hands; the rounds stay."""
    tx.execute(delete(class_hands).where(class_hands.c.pupil_id == pupil_id))
    tx.execute(delete(pupils).where(pupils.c.id == pupil_id))


# Lessons


def insert_lesson(tx: Tx, new: Lesson, hands: Sequence[Puzzle]) -> Lesson:
    """Store a lesson with its hands, and return it with its id."""
    packed = [pack_puzzle(new.game, hand) for hand in hands]
    row = {
        "class_id": new.class_id,
        "game": new.game,
        "pace": new.pace.value,
        "hands": json.dumps(packed),
        "length": new.count,
        "seconds": new.seconds,
        "due": new.due,
        "opened": new.opened,
    }
    lesson_id = tx.scalar(insert(lessons).values(row).returning(lessons.c.id))
    return replace(new, id=int(lesson_id or 0))


def update_lesson(tx: Tx, lesson_id: int, **columns: Any) -> None:
    tx.execute(update(lessons).where(lessons.c.id == lesson_id).values(columns))


LESSON_COLUMNS = [column for column in lessons.c if column.name != "hands"]


def load_latest_lesson(tx: Tx, class_id: int) -> Lesson | None:
    """Return the lesson that goes on or was the last; None before the first."""
    of_class = select(*LESSON_COLUMNS).where(lessons.c.class_id == class_id)
    row = tx.execute(of_class.order_by(lessons.c.id.desc()).limit(1)).first()
    return None if row is None else _read_lesson(row)


def load_lessons(tx: Tx, class_id: int) -> list[Lesson]:
    """Return all lessons of a class, the first one first."""
    of_class = select(*LESSON_COLUMNS).where(lessons.c.class_id == class_id)
    return [_read_lesson(row) for row in tx.execute(of_class.order_by(lessons.c.id))]


def _read_lesson(row: Any) -> Lesson:
    return Lesson(
        row.id,
        row.class_id,
        row.game,
        Pace(row.pace),
        row.length,
        row.opened,
        row.seconds,
        row.due,
        row.closed,
        row.number,
        bool(row.shown),
    )


def load_hands(tx: Tx, lesson_id: int) -> list[Puzzle]:
    """Return the hands of a lesson. Raises ValueError if they can't be read."""
    packed = json.loads(tx.scalar(select(lessons.c.hands).where(lessons.c.id == lesson_id)) or "[]")
    return [unpack_puzzle(hand["game"], hand["puzzle"], hand["level"], hand["expected"]) for hand in packed]


# Hands of pupils


def insert_pupil_hand(tx: Tx, round_id: int, lesson_id: int, pupil_id: int, number: int) -> None:
    row = {"round_id": round_id, "lesson_id": lesson_id, "pupil_id": pupil_id, "number": number}
    tx.execute(insert(class_hands).values(row))


class LessonPlace(NamedTuple):
    """The lesson of a pupil's round, and the number of the hand in it."""

    lesson: Lesson
    number: int


def load_lesson_of_round(tx: Tx, round_id: int) -> LessonPlace | None:
    """Return the lesson that a round belongs to; None once the pupil was removed."""
    joined = select(*LESSON_COLUMNS, class_hands.c.number.label("hand")).join(class_hands)
    row = tx.execute(joined.where(class_hands.c.round_id == round_id)).first()
    return None if row is None else LessonPlace(_read_lesson(row), row.hand)


def count_pupil_hands(tx: Tx, lesson_id: int, pupil_id: int) -> int:
    """Count the hands of the lesson that the pupil was dealt."""
    own = (class_hands.c.lesson_id == lesson_id, class_hands.c.pupil_id == pupil_id)
    return int(tx.scalar(select(func.count()).where(*own)) or 0)


def count_solved_hands(tx: Tx, lesson_id: int, pupil_id: int) -> int:
    """Count the hands of the lesson that the pupil has solved."""
    joined = select(func.count()).select_from(class_hands.join(rounds))
    own = (class_hands.c.lesson_id == lesson_id, class_hands.c.pupil_id == pupil_id)
    return int(tx.scalar(joined.where(*own, rounds.c.state == State.WON.value)) or 0)


def has_pupil_hand(tx: Tx, lesson_id: int, pupil_id: int, number: int) -> bool:
    """Whether the pupil was dealt the hand with this number."""
    own = (class_hands.c.lesson_id == lesson_id, class_hands.c.pupil_id == pupil_id)
    return tx.scalar(select(class_hands.c.round_id).where(*own, class_hands.c.number == number)) is not None


def load_open_round_ids(tx: Tx, lesson_id: int) -> list[int]:
    """Return the rounds of the lesson that go on."""
    joined = select(rounds.c.id).join(class_hands, class_hands.c.round_id == rounds.c.id)
    is_open = (class_hands.c.lesson_id == lesson_id, rounds.c.state == State.OPEN.value)
    return list(tx.scalars(joined.where(*is_open).order_by(rounds.c.id)))


def insert_mistake(tx: Tx, round_id: int, answer: str, kind: Mistake, at: float) -> None:
    row = {"round_id": round_id, "answer": answer, "kind": kind.value, "at": at}
    tx.execute(insert(mistakes).values(row))


def load_pupil_hands(tx: Tx, lesson_id: int) -> list[PupilHand]:
    """Return the hands of all pupils in a lesson, in the order of the teacher's list and by number."""
    own = select(rounds, class_hands.c.pupil_id, class_hands.c.number, entries.c.answer.label("entry"))
    joined = (
        own.join(class_hands, class_hands.c.round_id == rounds.c.id)
        .join(pupils, pupils.c.id == class_hands.c.pupil_id)
        .outerjoin(entries, and_(entries.c.round_id == rounds.c.id, entries.c.player_id == pupils.c.id))
    )
    of_lesson = joined.where(class_hands.c.lesson_id == lesson_id)
    rows = tx.execute(of_lesson.order_by(pupils.c.place, class_hands.c.number)).all()
    wrong_answers = _load_mistakes(tx, lesson_id)
    return [_read_pupil_hand(row, wrong_answers[row.id]) for row in rows]


def _load_mistakes(tx: Tx, lesson_id: int) -> dict[int, list[tuple[str, Mistake]]]:
    """Return the wrong answers by round, in order; an empty list for a round without any."""
    joined = select(mistakes).join(class_hands, class_hands.c.round_id == mistakes.c.round_id)
    found = defaultdict[int, list[tuple[str, Mistake]]](list)
    for row in tx.execute(joined.where(class_hands.c.lesson_id == lesson_id).order_by(mistakes.c.id)):
        found[row.round_id].append((row.answer, Mistake(row.kind)))
    return found


def _read_pupil_hand(row: Row[Any], wrong_answers: Sequence[tuple[str, Mistake]]) -> PupilHand:
    last_wrong, last_mistake = wrong_answers[-1] if wrong_answers else ("", None)
    return PupilHand(
        round_id=row.id,
        pupil_id=row.pupil_id,
        number=row.number,
        state=State(row.state),
        opened=row.opened,
        closed=row.closed,
        answer=row.expression or row.entry or "",
        hints=int(json.loads(row.standing).get("hints", 0)),
        mistakes=Counter(kind for _, kind in wrong_answers),
        last_wrong=last_wrong,
        last_mistake=last_mistake,
    )
