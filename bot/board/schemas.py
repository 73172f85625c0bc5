"""The schemas of what pages send: JSON of these shapes, and nothing else."""

import json
import re
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from bot.web.server import read_body


class _TwiceError(ValueError):
    """A key that stands twice in an object."""


MAX_BODY_BYTES = 8 * 1024  # bytes of a body at most


async def read_json_object(request: Request) -> dict[str, Any]:
    """Return the object in a body.

    Raises HTTPException: 415 for no JSON, 413 for too much, 400 for anything odd, such as another encoding
    than UTF-8.
    """
    kind, _, rest = request.headers.get("content-type", "").lower().partition(";")
    if kind.strip() != "application/json" or rest.replace(" ", "") not in {"", "charset=utf-8"}:
        raise HTTPException(415)
    body = await read_body(request, MAX_BODY_BYTES)
    try:
        read = json.loads(body.decode(), object_pairs_hook=_refuse_twice, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise HTTPException(400) from None
    return read if isinstance(read, dict) else raise_bad_request()


async def read_round_id(request: Request) -> int:
    """Return the number of the round that is meant; 0 if the body does not say. Raises HTTPException."""
    body = await read_json_object(request)
    if not is_round_choice(body):
        raise HTTPException(400)
    return int(body.get("round", 0))


def _refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise _TwiceError
    return read


def _refuse_constant(constant: str) -> Any:
    raise ValueError(constant)


def raise_bad_request() -> Any:
    """Raise HTTPException for an unknown schema."""
    raise HTTPException(400)


Shape = Mapping[str, type | tuple[type, ...]]


def matches_shape(body: Mapping[str, Any], shape: Shape) -> bool:
    """Whether it has these keys and no other, with values of just these types (a bool is no number)."""
    if body.keys() != shape.keys():
        return False
    kinds = {key: kind if isinstance(kind, tuple) else (kind,) for key, kind in shape.items()}
    return all(type(value) in kinds[key] for key, value in body.items())


ANSWER: Shape = {"id": str, "round": int, "answer": str}


LARGEST_ROUND = 2**53


def is_answer(body: Mapping[str, Any]) -> bool:
    """Whether it is an answer to a round."""
    return (
        matches_shape(body, ANSWER)
        and _has_id(body)
        and _has_answer(body)
        and 0 < body["round"] < LARGEST_ROUND
    )


PRESS: Shape = {"id": str, "press": str}
# Bytes that the data of a button may have. https://core.telegram.org/bots/api#inlinekeyboardbutton
LONGEST_PRESS = 64


def is_press(body: Mapping[str, Any]) -> bool:
    """Whether it is a press of a button."""
    return (
        matches_shape(body, PRESS)
        and _has_id(body)
        and 0 < len(body["press"].encode("utf-8", "replace")) <= LONGEST_PRESS
    )


DAYS: Shape = {"id": str, "day": str, "answer": str}
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def is_daily_answer(body: Mapping[str, Any]) -> bool:
    """Whether it is an answer to the hand of a day."""
    return (
        matches_shape(body, DAYS) and _has_id(body) and _has_answer(body) and bool(DAY.fullmatch(body["day"]))
    )


SOLVED: Shape = {"id": str, "day": str, "answer": str, "at": (int, float)}
LATEST = 2**40  # seconds since 1970 that a page's clock may say at most


def is_offline_solution(body: Mapping[str, Any]) -> bool:
    """Whether it is a day's hand that was solved offline."""
    return (
        matches_shape(body, SOLVED)
        and _has_id(body)
        and _has_answer(body)
        and bool(DAY.fullmatch(body["day"]))
        and 0 <= body["at"] <= LATEST
    )


CHOSEN: Shape = {"round": int}


def is_round_choice(body: Mapping[str, Any]) -> bool:
    """Whether it names one of the rounds of a place, or none."""
    return not body or (matches_shape(body, CHOSEN) and 0 < body["round"] < LARGEST_ROUND)


OPENED: Shape = {"init_data": str, "start": str}
RETRIED: Shape = {**OPENED, "page": str}
OPENINGS: tuple[Shape, ...] = (OPENED, RETRIED, {"key": str}, {"watch": str})
# A SHA-256, by which a page that was not heard proves itself: see `open_once`.
PAGE = re.compile(r"[0-9a-f]{64}")
LONGEST_OPENING = 4096


def is_opening(body: Mapping[str, Any]) -> bool:
    """Whether it opens the page, in one of the ways."""
    known = any(matches_shape(body, shape) for shape in OPENINGS)
    sound = known and ("page" not in body or bool(PAGE.fullmatch(body["page"])))
    return sound and all(len(value) <= LONGEST_OPENING for value in body.values())


PRESS_ID = re.compile(r"[A-Za-z0-9_-]{22,64}")


def _has_id(body: Mapping[str, Any]) -> bool:
    return bool(PRESS_ID.fullmatch(body["id"]))


UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
LONGEST_ANSWER = 300


def _has_answer(body: Mapping[str, Any]) -> bool:
    """Whether the answer is one line of visible characters."""
    answer: str = body["answer"]
    return 0 < len(answer) <= LONGEST_ANSWER and not UNSEEN.search(answer) and bool(answer.strip())
