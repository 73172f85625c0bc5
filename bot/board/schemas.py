"""Check the bodies of requests that pages send: JSON objects of a few shapes, and nothing else."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from bot.web.server import read_body

# Reading

MAX_BODY_BYTES = 8 * 1024


async def read_json_object(request: Request) -> dict[str, Any]:
    """Return the JSON object in a body.

    Raises HTTPException: 415 for another content type, 413 for more than `MAX_BODY_BYTES`, 400 for anything
    else than an object in UTF-8 with unique keys and finite numbers.
    """
    media_type, _, parameters = request.headers.get("content-type", "").lower().partition(";")
    if media_type.strip() != "application/json" or parameters.replace(" ", "") not in {"", "charset=utf-8"}:
        raise HTTPException(415)
    body = await read_body(request, MAX_BODY_BYTES)
    try:
        value = json.loads(body.decode(), object_pairs_hook=_make_object, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise HTTPException(400) from None
    if not isinstance(value, dict):
        raise HTTPException(400)
    return value


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice in an object")
    return value


def _refuse_constant(constant: str) -> Any:
    raise ValueError(constant)


async def read_round_id(request: Request) -> int:
    """Return the id of the round that a body chooses; 0 for an empty object. Raises HTTPException."""
    body = await read_json_object(request)
    if body and not _has_fields(body, "round"):
        raise HTTPException(400)
    return int(body.get("round", 0))


# Values

SUBMISSION_ID = re.compile(r"[A-Za-z0-9_-]{22,64}")
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
PAGE = re.compile(r"[0-9a-f]{64}")  # a SHA-256; see `record_opening`
MAX_ROUND_ID = 2**53
MAX_TIME = 2**40  # seconds since 1970
MAX_OPENING_CHARS = 4096
# Bytes of a button's data at most. https://core.telegram.org/bots/api#inlinekeyboardbutton
MAX_PRESS_BYTES = 64
MAX_ANSWER_CHARS = 300
INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _is_answer_text(value: str) -> bool:
    """Whether the text is one line of visible characters."""
    return len(value) <= MAX_ANSWER_CHARS and not INVISIBLE.search(value) and bool(value.strip())


def _is_opening_text(value: str) -> bool:
    return len(value) <= MAX_OPENING_CHARS


# The types that a field may have (a bool is no number), and the check of its value.
FIELDS: Mapping[str, tuple[tuple[type, ...], Callable[[Any], object]]] = {
    "id": ((str,), SUBMISSION_ID.fullmatch),
    "round": ((int,), lambda value: 0 < value < MAX_ROUND_ID),
    "answer": ((str,), _is_answer_text),
    "press": ((str,), lambda value: 0 < len(value.encode("utf-8", "replace")) <= MAX_PRESS_BYTES),
    "day": ((str,), DAY.fullmatch),
    "at": ((int, float), lambda value: 0 <= value <= MAX_TIME),
    "page": ((str,), PAGE.fullmatch),
    **dict.fromkeys(("init_data", "start", "key", "watch"), ((str,), _is_opening_text)),
}


def _has_fields(body: Mapping[str, Any], *names: str) -> bool:
    """Whether the body has these fields and no other, all with valid values."""
    if body.keys() != set(names):
        return False
    return all(type(value) in FIELDS[name][0] and FIELDS[name][1](value) for name, value in body.items())


# Bodies


def is_answer(body: Mapping[str, Any]) -> bool:
    """Whether the body is an answer to a round."""
    return _has_fields(body, "id", "round", "answer")


def is_press(body: Mapping[str, Any]) -> bool:
    """Whether the body is a press of a button."""
    return _has_fields(body, "id", "press")


def is_daily_answer(body: Mapping[str, Any]) -> bool:
    """Whether the body is an answer to a daily hand."""
    return _has_fields(body, "id", "day", "answer")


def is_offline_solution(body: Mapping[str, Any]) -> bool:
    """Whether the body is a daily hand that was solved offline."""
    return _has_fields(body, "id", "day", "answer", "at")


OPENINGS = (("init_data", "start"), ("init_data", "start", "page"), ("key",), ("watch",))


def is_opening(body: Mapping[str, Any]) -> bool:
    """Whether the body opens a page, by initData, by a one-time key or by a spectator's token."""
    return any(_has_fields(body, *names) for names in OPENINGS)
