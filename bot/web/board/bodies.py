"""What pages send: JSON of known shapes, and nothing else."""

import json
import re
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from bot.web.server import read_body

LARGEST = 8 * 1024
"""Bytes of a body at most."""
LONGEST_ANSWER = 300
LONGEST_PRESS = 64
"""Bytes that the data of a button may have. https://core.telegram.org/bots/api#inlinekeyboardbutton"""
LARGEST_ROUND = 2**53
LATEST = 2**40
"""Seconds since 1970 that a page's clock may say at most."""
LONGEST_OPENING = 4096
PRESS_ID = re.compile(r"[A-Za-z0-9_-]{22,64}")
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
PAGE = re.compile(r"[0-9a-f]{64}")
"""A SHA-256, by which a page that was not heard proves itself: see `open_once`."""
UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
Shape = Mapping[str, type | tuple[type, ...]]


class _TwiceError(ValueError):
    """A key that stands twice in an object."""


async def json_of(request: Request) -> dict[str, Any]:
    """The object in a body. Raises HTTPException: 415 for no JSON, 413 for too much, 400 for anything odd,
    such as another encoding than UTF-8.
    """
    kind, _, rest = request.headers.get("content-type", "").lower().partition(";")
    if kind.strip() != "application/json" or rest.replace(" ", "") not in {"", "charset=utf-8"}:
        raise HTTPException(415)
    body = await read_body(request, LARGEST)
    try:
        read = json.loads(body.decode(), object_pairs_hook=_once, parse_constant=_odd)
    except (ValueError, RecursionError):
        raise HTTPException(400) from None
    return read if isinstance(read, dict) else refuse()


async def chosen(request: Request) -> int:
    """Which of a place's rounds is meant; 0 where the body does not say. Raises HTTPException."""
    body = await json_of(request)
    if not is_choice(body):
        raise HTTPException(400)
    return int(body.get("round", 0))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise _TwiceError
    return read


def _odd(constant: str) -> Any:
    raise ValueError(constant)


def refuse() -> Any:
    """It has no shape that is known. Raises HTTPException."""
    raise HTTPException(400)


def has(body: Mapping[str, Any], shape: Shape) -> bool:
    """Whether it has these keys and no other, with values of just these types (a bool is no number)."""
    if body.keys() != shape.keys():
        return False
    kinds = {key: kind if isinstance(kind, tuple) else (kind,) for key, kind in shape.items()}
    return all(type(value) in kinds[key] for key, value in body.items())


ANSWER: Shape = {"id": str, "round": int, "answer": str}
PRESS: Shape = {"id": str, "press": str}
DAYS: Shape = {"id": str, "day": str, "answer": str}
SOLVED: Shape = {"id": str, "day": str, "answer": str, "at": (int, float)}
CHOSEN: Shape = {"round": int}
OPENED: Shape = {"init_data": str, "start": str}
RETRIED: Shape = {**OPENED, "page": str}
OPENINGS: tuple[Shape, ...] = (OPENED, RETRIED, {"key": str}, {"watch": str})


def is_answer(body: Mapping[str, Any]) -> bool:
    """Whether something is handed in for a round."""
    return has(body, ANSWER) and _has_id(body) and _says(body) and 0 < body["round"] < LARGEST_ROUND


def is_press(body: Mapping[str, Any]) -> bool:
    """Whether a button is pressed."""
    return (
        has(body, PRESS)
        and _has_id(body)
        and 0 < len(body["press"].encode("utf-8", "replace")) <= LONGEST_PRESS
    )


def is_days(body: Mapping[str, Any]) -> bool:
    """Whether something is handed in for the hand of a day."""
    return has(body, DAYS) and _has_id(body) and _says(body) and bool(DAY.fullmatch(body["day"]))


def is_solved(body: Mapping[str, Any]) -> bool:
    """Whether it is a day's hand that was solved offline."""
    return (
        has(body, SOLVED)
        and _has_id(body)
        and _says(body)
        and bool(DAY.fullmatch(body["day"]))
        and 0 <= body["at"] <= LATEST
    )


def is_choice(body: Mapping[str, Any]) -> bool:
    """Whether one of the rounds of a place is meant, or whichever stands there first."""
    return not body or (has(body, CHOSEN) and 0 < body["round"] < LARGEST_ROUND)


def is_opening(body: Mapping[str, Any]) -> bool:
    """Whether it opens the page, in one of the ways."""
    known = any(has(body, shape) for shape in OPENINGS)
    sound = known and ("page" not in body or bool(PAGE.fullmatch(body["page"])))
    return sound and all(len(value) <= LONGEST_OPENING for value in body.values())


def _has_id(body: Mapping[str, Any]) -> bool:
    return bool(PRESS_ID.fullmatch(body["id"]))


def _says(body: Mapping[str, Any]) -> bool:
    """Whether the answer is a line of what can be seen."""
    answer: str = body["answer"]
    return 0 < len(answer) <= LONGEST_ANSWER and not UNSEEN.search(answer) and bool(answer.strip())
