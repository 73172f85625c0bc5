"""Actions of teachers and pupils in a class, each in one transaction; and the mode of the pupils' rounds.

Functions return the ids of the pupils whose pages change; whoever calls them wakes these after the commit.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import partial

from bot.database import Tx
from bot.i18n import Html, RefusalError, Words
from bot.modes.classroom import queries as classrooms
from bot.modes.classroom.diagnosis import classify_mistake
from bot.modes.classroom.rules import MAX_PUPILS, Lesson, Pace, Pupil, SchoolClass, clean_pupil_name
from bot.queue.timers import make_hourly_cleanup
from bot.rounds import attempts
from bot.rounds import commands as play
from bot.rounds import queries as rounds
from bot.rounds.game import require
from bot.rounds.mode import Mode
from bot.rounds.puzzle import Kind, Puzzle, Verdict
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State, mark_ended
from bot.rounds.view import HINT_BUTTON, SKIP_BUTTON, Frame, Snapshot, render_deal
from bot.telegram.context import Context, Effect, Response
from bot.telegram.messages import Keyboard
from bot.telegram.routes import ButtonRoute, Routes

# Pupils


class JoinProblem(StrEnum):
    """Why somebody can't join under a name."""

    LOCKED = "locked"
    FULL = "full"
    NO_NAME = "no name"
    TAKEN = "taken"
    OVER = "over"


def join_class(
    tx: Tx, school_class: SchoolClass, typed_name: str, device: str, now: float
) -> Pupil | JoinProblem:
    """Let somebody in under a name of the teacher's list or a new one, and deal the hand that is due.

    A browser that got no answer may ask again: by its `device` it is known as the same pupil.
    """
    name = clean_pupil_name(typed_name)
    if school_class.closed is not None:
        return JoinProblem.OVER
    if name is None:
        return JoinProblem.NO_NAME
    listed = classrooms.load_pupil_by_name(tx, school_class.id, name)
    if listed is not None and listed.is_taken:
        return listed if device and device == listed.device else JoinProblem.TAKEN
    if school_class.is_locked and listed is None:
        return JoinProblem.LOCKED
    if listed is None and len(classrooms.load_pupils(tx, school_class.id)) >= MAX_PUPILS:
        return JoinProblem.FULL
    joined = listed or classrooms.insert_pupil(tx, school_class.id, name)
    joined = replace(joined, has_joined=True, is_taken=True, device=device or secrets.token_urlsafe(16))
    classrooms.mark_joined(tx, joined.id, joined.device)
    lesson = classrooms.load_latest_lesson(tx, school_class.id)
    if lesson is not None:
        _deal_due_hand(tx, lesson, joined.id, now)
    return joined


def add_pupils(tx: Tx, class_id: int, names: Sequence[str]) -> None:
    """Add the names to the teacher's list that are not in it. Raises RefusalError for too many."""
    for name in filter(None, map(clean_pupil_name, names)):
        if classrooms.load_pupil_by_name(tx, class_id, name) is None:
            classrooms.insert_pupil(tx, class_id, name)
    if len(classrooms.load_pupils(tx, class_id)) > MAX_PUPILS:
        raise RefusalError(lambda words: words.translate("A class has up to {n} pupils.", n=MAX_PUPILS))


def _render_refused_name(words: Words, name: str) -> Html:
    return words.translate("Already in the list, or no name: {name}", name=name)


def rename_pupil(tx: Tx, pupil: Pupil, typed: str) -> None:
    """Give a pupil another name. Raises RefusalError if it is none, or somebody else's."""
    name = clean_pupil_name(typed)
    other = classrooms.load_pupil_by_name(tx, pupil.class_id, name) if name else None
    if name is None or (other is not None and other.id != pupil.id):
        raise RefusalError(partial(_render_refused_name, name=typed))
    classrooms.rename_pupil(tx, pupil.id, name)


# Functions that delete everything that is stored of a person; `bot.features` fills the list
FORGET_PERSON: list[Callable[[Tx, int], None]] = []


def remove_pupil(tx: Tx, pupil_id: int) -> None:
    """Delete a pupil with their rounds and everything else that is stored of them."""
    classrooms.delete_pupil(tx, pupil_id)
    for forget in FORGET_PERSON:
        forget(tx, pupil_id)


def delete_class(tx: Tx, class_id: int) -> list[int]:
    """Delete a class with everything that its pupils did."""
    pupil_ids = [pupil.id for pupil in classrooms.load_pupils(tx, class_id)]
    for pupil_id in pupil_ids:
        remove_pupil(tx, pupil_id)
    classrooms.delete_class(tx, class_id)
    return pupil_ids


def forget_teacher(tx: Tx, player_id: int, now: float) -> None:
    """Delete the classes of a teacher who is forgotten."""
    for school_class in classrooms.load_classes_of_teacher(tx, player_id):
        delete_class(tx, school_class.id)


def delete_expired_classes(tx: Tx, now: float) -> None:
    for class_id in classrooms.load_expired_classes(tx, now):
        delete_class(tx, class_id)


# Lessons


@dataclass(frozen=True, slots=True)
class Plan:
    """A lesson that the teacher has chosen."""

    game: str  # The key of its game
    pace: Pace
    hands: Sequence[Puzzle]
    seconds: float | None = None  # For each hand
    due: float | None = None


def begin_lesson(tx: Tx, class_id: int, plan: Plan, now: float) -> list[int]:
    """End the lesson before, store a new one, deal its first hand to all who have joined; return these."""
    close_lesson(tx, class_id, now)
    new = Lesson(
        id=0,  # until it is stored
        class_id=class_id,
        game=plan.game,
        pace=plan.pace,
        count=len(plan.hands),
        opened=now,
        seconds=plan.seconds,
        due=plan.due,
    )
    return _deal_to_all(tx, classrooms.insert_lesson(tx, new, plan.hands), now)


def _deal_to_all(tx: Tx, lesson: Lesson, now: float) -> list[int]:
    """Deal all who have joined their due hand, and return them."""
    pupil_ids = [pupil.id for pupil in classrooms.load_pupils(tx, lesson.class_id) if pupil.has_joined]
    for pupil_id in pupil_ids:
        _deal_due_hand(tx, lesson, pupil_id, now)
    return pupil_ids


def _deal_due_hand(tx: Tx, lesson: Lesson, pupil_id: int, now: float) -> None:
    """Deal the pupil the present hand of the class, or at the own pace the first one; at most once.

    Homework begins when the pupil wants.
    """
    if not lesson.is_open(now) or lesson.shows_solutions or lesson.due is not None:
        return
    if lesson.pace is Pace.TOGETHER:
        number = lesson.number
        was_dealt = classrooms.has_pupil_hand(tx, lesson.id, pupil_id, number)
    else:
        number = 1
        was_dealt = classrooms.count_pupil_hands(tx, lesson.id, pupil_id) > 0
    if not was_dealt:
        deal_hand(tx, lesson, pupil_id, number, now)


def deal_hand(tx: Tx, lesson: Lesson, pupil_id: int, number: int, now: float) -> None:
    """Deal a hand of the lesson to a pupil, whose time runs from now on."""
    puzzle = classrooms.load_hands(tx, lesson.id)[number - 1]
    new = Round(
        id=0,  # until it is stored
        chat_id=pupil_id,
        topic=0,
        kind=Kind.CLASS,
        game=lesson.game,
        puzzle=puzzle,
        dealer_id=pupil_id,
        opened=now,
        deadline=lesson.get_deadline(now),
    )
    opened = rounds.open_round(tx, new)
    if opened is None:  # a hand of another lesson is open, which can't be
        return
    rounds.record_first_display(tx, opened.id, now)  # else its time would begin with its message
    classrooms.insert_pupil_hand(tx, opened.id, lesson.id, pupil_id, number)
    classrooms.update_class(tx, lesson.class_id, active=now)


def show_solutions(tx: Tx, class_id: int, now: float) -> list[int]:
    """End the present hand of a lesson that all play together, and show everybody how it is done.

    Return the pupils of the class; none if no such lesson goes on.
    """
    lesson = classrooms.load_latest_lesson(tx, class_id)
    if lesson is None or not lesson.is_open(now) or lesson.pace is not Pace.TOGETHER:
        return []
    _end_open_rounds(tx, lesson, now)
    classrooms.update_lesson(tx, lesson.id, shown=1)
    return [pupil.id for pupil in classrooms.load_pupils(tx, class_id)]


def deal_next(tx: Tx, class_id: int, number: int, now: float) -> list[int]:
    """Deal the hand after the one with this number to all who have joined, and return these.

    An empty list if that was done before, or no hand is left.
    """
    lesson = classrooms.load_latest_lesson(tx, class_id)
    if lesson is None or not lesson.is_open(now) or lesson.pace is not Pace.TOGETHER:
        return []
    if lesson.number != number or number >= lesson.count:
        return []
    _end_open_rounds(tx, lesson, now)
    classrooms.update_lesson(tx, lesson.id, number=number + 1, shown=0)
    return _deal_to_all(tx, replace(lesson, number=number + 1, shows_solutions=False), now)


def close_lesson(tx: Tx, class_id: int, now: float) -> list[int]:
    """End the lesson and all its hands, and return the pupils of the class; none if no lesson goes on."""
    lesson = classrooms.load_latest_lesson(tx, class_id)
    if lesson is None or lesson.closed is not None:
        return []
    _end_open_rounds(tx, lesson, now)
    classrooms.update_lesson(tx, lesson.id, closed=now, shown=1)
    classrooms.update_class(tx, class_id, active=now)
    return [pupil.id for pupil in classrooms.load_pupils(tx, class_id)]


def close_class(tx: Tx, class_id: int, now: float) -> list[int]:
    """End the lesson and the class: nobody joins any more; a day later it is deleted unless it is kept."""
    close_lesson(tx, class_id, now)
    classrooms.update_class(tx, class_id, closed=now, locked=1, active=now)
    return [pupil.id for pupil in classrooms.load_pupils(tx, class_id)]


def _end_open_rounds(tx: Tx, lesson: Lesson, now: float) -> None:
    for round_id in classrooms.load_open_round_ids(tx, lesson.id):
        round = rounds.load_round(tx, round_id)
        if round is not None:
            rounds.close_round(tx, mark_ended(round, State.EXPIRED, now))


# The rounds of pupils

NEXT_BUTTON = "cn"  # The key with which the data of the button begins
BEGIN_PRESS = f"{NEXT_BUTTON}:begin"  # The data of the button that begins homework


def find_homework(tx: Tx, pupil_id: int, now: float) -> Lesson | None:
    """Return the homework that the pupil may begin; None if there is none, or it was begun."""
    pupil = classrooms.load_pupil(tx, pupil_id)
    lesson = classrooms.load_latest_lesson(tx, pupil.class_id) if pupil else None
    if lesson is None or lesson.due is None or not lesson.is_open(now):
        return None
    return lesson if classrooms.count_pupil_hands(tx, lesson.id, pupil_id) == 0 else None


def _begin_homework(context: Context, tx: Tx) -> Sequence[Response]:
    lesson = find_homework(tx, context.chat.id, context.sent_at)
    if lesson is None:
        return play.refuse_old_button(context)(tx)
    deal_hand(tx, lesson, context.chat.id, 1, context.sent_at)
    return context.answer_press()


async def press_next(context: Context) -> Effect:
    """Deal the pupil the next hand of a lesson at their own pace, or the first one of homework."""
    if context.button_data == BEGIN_PRESS:
        return partial(_begin_homework, context)
    pressed = await play.load_pressed_round(context)
    if pressed is None or pressed.kind is not Kind.CLASS or pressed.state is State.OPEN:
        return play.refuse_old_button(context)

    def effect(tx: Tx) -> Sequence[Response]:
        place = classrooms.load_lesson_of_round(tx, pressed.id)
        if place is None or not _has_next_hand(tx, place, pressed.chat_id, context.sent_at):
            return play.refuse_old_button(context)(tx)
        deal_hand(tx, place.lesson, pressed.chat_id, place.number + 1, context.sent_at)
        return context.answer_press()

    return effect


def _has_next_hand(tx: Tx, place: classrooms.LessonPlace, pupil_id: int, now: float) -> bool:
    """Whether the pupil may go on alone to a hand that was not dealt before."""
    lesson, number = place
    may_go_on = lesson.pace is Pace.OWN and lesson.is_open(now) and number < lesson.count
    return may_go_on and classrooms.count_pupil_hands(tx, lesson.id, pupil_id) == number


@dataclass(frozen=True, slots=True)
class ClassFrame(Frame):
    """The lesson as a pupil's page shows it."""

    lesson: Lesson
    number: int  # Of the hand in the lesson
    has_next: bool  # Whether there was another hand for the pupil when this one ended
    solved_count: int = 0  # The hands of the lesson that the pupil has solved
    entry: str = ""  # The pupil's latest answer, where a nearer one is possible

    def render_message(self, round: Round, words: Words, snapshot: Snapshot) -> tuple[Html, Keyboard]:
        """Return the hand and its buttons; the page shows nothing else of a message."""
        text = Html("\n".join(render_deal(round, snapshot)))
        if round.state is not State.OPEN:
            button = (words.translate_plain("Next hand"), f"{NEXT_BUTTON}:{round.id}")
            return text, [[button]] if self._may_go_on(snapshot.now) else []
        row = []
        if round.hints_shown < GAMES[round.game].hints.count(round.puzzle):
            row.append((words.translate_plain("Hint"), f"{HINT_BUTTON}:{round.id}"))
        if self.lesson.pace is Pace.OWN:
            row.append((words.translate_plain("Give up"), f"{SKIP_BUTTON}:{round.id}"))
        return text, [row]

    def render_place(self, words: Words) -> str:
        return words.translate_plain(
            "Hand {number} of {length}", number=self.number, length=self.lesson.count
        )

    def render_notice(self, round: Round, words: Words, now: float) -> str:
        if round.state is State.OPEN or self._may_go_on(now):
            return ""
        due = self.lesson.due
        if self.has_next or (due is not None and round.closed is not None and round.closed >= due):
            return words.translate_plain("The time for this homework is over.")
        if self.lesson.pace is Pace.OWN or self.lesson.closed is not None or self.number == self.lesson.count:
            return words.translate_plain(
                "That was the last hand. You solved {solved} of {count}.",
                solved=self.solved_count,
                count=self.lesson.count,
            )
        return words.translate_plain("The next hand comes when your teacher deals it.")

    def _may_go_on(self, now: float) -> bool:
        """Whether the next hand may still be dealt: homework may be due by now."""
        return self.has_next and self.lesson.is_open(now)


class ClassMode(Mode):
    kind = Kind.CLASS
    awaits_best_answer = True

    def refuse_skip(self, tx: Tx, round: Round, player_id: int | None) -> Callable[[Words], Html] | None:
        place = classrooms.load_lesson_of_round(tx, round.id)
        if place is None or place.lesson.pace is Pace.OWN:
            return None
        return lambda words: words.translate("Keep trying: your teacher shows the solutions to all.")

    def count_wrong_answer(self, tx: Tx, round: Round, text: str, verdict: Verdict, sent_at: float) -> bool:
        tiles = require(GAMES[round.game].tile_board.make_tiles(round.puzzle))
        kind = classify_mistake(verdict, text, Fraction(tiles.target))
        classrooms.insert_mistake(tx, round.id, text, kind, sent_at)
        return True

    def load_frame(self, tx: Tx, round: Round) -> Frame:
        place = classrooms.load_lesson_of_round(tx, round.id)
        if place is None:
            return Frame()
        now = round.closed or round.opened
        entries = attempts.load_entries(tx, round)
        has_next = _has_next_hand(tx, place, round.chat_id, now)
        return ClassFrame(
            place.lesson,
            place.number,
            has_next,
            classrooms.count_solved_hands(tx, place.lesson.id, round.chat_id),
            entries[-1].answer if entries else "",
        )


ROUTES = Routes(
    buttons=[ButtonRoute(NEXT_BUTTON, press_next)],
    timed_tasks=[make_hourly_cleanup("classes that are over", delete_expired_classes)],
)
