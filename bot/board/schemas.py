"""Read the bodies of requests that pages send: JSON objects of a few shapes, and nothing else."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request

from bot.web.server import read_body


@dataclass(frozen=True, slots=True)
class Entry:
    """An answer to a round or to the hand of a day, or a press on a button."""

    id: str  # the page's own, by which it recognises the reply
    round: int = 0
    day: str = ""
    answer: str = ""
    press: str = ""  # the data of the button; "" for an answer


@dataclass(frozen=True, slots=True)
class OfflineSolution:
    """The solution of a hand of the day that was found without a connection."""

    id: str
    day: str
    answer: str
    at: float  # when it was found, by the page's clock


@dataclass(frozen=True, slots=True)
class ChosenRound:
    """One of the rounds that the page shows."""

    round: int = 0  # 0 for the first


@dataclass(frozen=True, slots=True)
class Opening:
    """The proof that opens a page: Telegram's initData, a key, or a spectator's token."""

    init_data: str | None = None
    start: str = ""  # the token of a place, beside initData
    page: str | None = None  # beside initData; see `record_opening`
    key: str | None = None
    watch: str | None = None
    pupil: str | None = None


# Classes


@dataclass(frozen=True, slots=True)
class Knock:
    """A request to enter a class: its code as typed, or the key of its link; and the name to join under."""

    code: str = ""
    link: str = ""
    name: str = ""
    device: str = ""  # a random id of the browser


@dataclass(frozen=True, slots=True)
class PupilReturn:
    """A pupil who comes back with the key of the first visit, perhaps by a link."""

    pupil: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class TypedHands:
    """Hands that the teacher typed, one a line."""

    game: str
    hands: str


@dataclass(frozen=True, slots=True)
class LessonPlan:
    """A lesson as the teacher chose it."""

    game: str
    pace: str
    level: str  # of hands that are dealt; "" for any
    count: int  # of hands that are dealt
    hands: str  # typed by the teacher, one a line; "" to deal some
    seconds: int  # for each hand; 0 for no clock
    due: int  # when homework ends, in seconds since 1970; 0 for none


@dataclass(frozen=True, slots=True)
class ClassAction:
    """Any other move of the teacher."""

    action: str
    names: str = ""  # to add, one a line
    pupil_id: int = 0
    name: str = ""
    is_on: bool = False
    number: int = 0  # of the present hand


# The names of the fields that a body may have, together
SHAPES: Mapping[type, tuple[tuple[str, ...], ...]] = {
    Entry: (("id", "round", "answer"), ("id", "press"), ("id", "day", "answer")),
    OfflineSolution: (("id", "day", "answer", "at"),),
    ChosenRound: ((), ("round",)),
    Opening: (("init_data", "start"), ("init_data", "start", "page"), ("key",), ("watch",), ("pupil",)),
    Knock: (
        *(("code",), ("link",), ("code", "name"), ("link", "name")),
        *(("code", "name", "device"), ("link", "name", "device")),
    ),
    PupilReturn: (("pupil",), ("pupil", "link")),
    TypedHands: (("game", "hands"),),
    LessonPlan: (("game", "pace", "level", "count", "hands", "seconds", "due"),),
    ClassAction: (
        ("action",),
        ("action", "names"),
        ("action", "pupil_id"),
        ("action", "pupil_id", "name"),
        ("action", "is_on"),
        ("action", "number"),
    ),
}

MAX_BODY_BYTES = 32 * 1024  # of a teacher's list of names; most have less than 1 kB
SUBMISSION_ID = re.compile(r"[A-Za-z0-9_-]{22,64}")
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
PAGE = re.compile(r"[0-9a-f]{64}")  # a SHA-256; see `record_opening`
MAX_ROUND_ID = 2**53
MAX_TIME = 2**40  # seconds since 1970
MAX_PRESS_BYTES = 64  # https://core.telegram.org/bots/api#inlinekeyboardbutton
MAX_ANSWER_CHARS = 300
MAX_LIST_CHARS = 8000
INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _is_answer_text(value: str) -> bool:
    """Whether the text is one line of visible characters."""
    return len(value) <= MAX_ANSWER_CHARS and not INVISIBLE.search(value) and bool(value.strip())


# The types that a field may have (exactly: a bool is no number), and the check of its value.
FIELDS: Mapping[str, tuple[tuple[type, ...], Callable[[Any], object]]] = {
    "id": ((str,), SUBMISSION_ID.fullmatch),
    "round": ((int,), lambda value: 0 < value < MAX_ROUND_ID),
    "answer": ((str,), _is_answer_text),
    "press": ((str,), lambda value: 0 < len(value.encode("utf-8", "replace")) <= MAX_PRESS_BYTES),
    "day": ((str,), DAY.fullmatch),
    "at": ((int, float), lambda value: 0 <= value <= MAX_TIME),
    "page": ((str,), PAGE.fullmatch),
    **dict.fromkeys(("init_data", "start", "key", "watch", "pupil"), ((str,), lambda _: True)),
    **dict.fromkeys(
        ("code", "link", "name", "device", "game", "level", "pace", "action"),
        ((str,), lambda value: len(value) <= MAX_ANSWER_CHARS),
    ),
    **dict.fromkeys(("names", "hands"), ((str,), lambda value: len(value) <= MAX_LIST_CHARS)),
    **dict.fromkeys(("count", "seconds", "due", "number"), ((int,), lambda value: 0 <= value <= MAX_TIME)),
    "pupil_id": ((int,), lambda value: 0 < value < MAX_ROUND_ID),
    "is_on": ((bool,), lambda _: True),
}


Body = TypeVar("Body")


async def read_json_object(request: Request, kind: type[Body]) -> Body:
    """Return the JSON object in a body, which has one of the kind's shapes.

    Raises HTTPException: 413 for more than `MAX_BODY_BYTES`, 400 for any other body.
    """
    raw = await read_body(request, MAX_BODY_BYTES)
    try:
        body = json.loads(raw.decode())
    except (ValueError, RecursionError):
        raise HTTPException(400) from None
    shapes = [set(names) for names in SHAPES[kind]]
    if not isinstance(body, dict) or set(body) not in shapes:
        raise HTTPException(400)
    for name, value in body.items():
        types, is_valid = FIELDS[name]
        if type(value) not in types or not is_valid(value):  # by `isinstance`, True would be an int
            raise HTTPException(400)
    return kind(**body)
