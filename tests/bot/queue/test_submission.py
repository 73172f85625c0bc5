"""Submissions from the board, as the inbox stores them."""

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.database import MAX_INTEGER
from bot.queue.admission import Admission, KindRules, UpdateKind
from bot.queue.queries import FIRST_SUBMISSION_ID, QueuedUpdate
from bot.queue.updates import (
    Submission,
    decode_submission,
    decode_update,
    encode_submission,
    find_sent_time,
    make_queued_update,
)

ANN, GROUP, PRESS, SENT = 5_000_000_001, -1_001, "p" * 22, 1_795_262_400.0
ANSWER = Submission(
    ANN, "Ann", "ann24", "es", GROUP, "supergroup", 7, PRESS, SENT, answer="8/(3-8/3)", round_id=12
)
HINT = replace(ANSWER, answer="", round_id=0, button="h:12")


@pytest.mark.parametrize("submission", [ANSWER, HINT, replace(ANSWER, username=None, day="2026-11-21")])
def test_stored_submission_is_read_again(submission: Submission) -> None:
    queued = make_queued_update(submission, SENT + 0.5, b"key")
    assert queued == QueuedUpdate(
        submission.update_id, GROUP, encode_submission(submission), accepted_at=SENT + 0.5
    )
    assert decode_update(queued) == submission


def test_id_depends_on_player_and_press_id_alone() -> None:
    others = [replace(ANSWER, player_id=ANN + 1), replace(ANSWER, press_id="q" * 22)]
    assert HINT.update_id == ANSWER.update_id == replace(ANSWER, answer="1+1", sent_at=0.0).update_id
    numbers = {each.update_id for each in (ANSWER, *others)}
    assert len(numbers) == 3
    assert all(FIRST_SUBMISSION_ID <= number <= MAX_INTEGER for number in numbers)


def test_answer_counts_by_its_sent_time_and_press_by_its_arrival() -> None:
    times = [find_sent_time(make_queued_update(each, SENT + 5, b"")) for each in (ANSWER, HINT)]
    assert times == [SENT, SENT + 5]


def test_submission_is_admitted_as_answer_or_press() -> None:
    admission = Admission(rules=KindRules(presses={"h": UpdateKind.LOOKUP}))
    for submission, kind in ((ANSWER, UpdateKind.ANSWER), (HINT, UpdateKind.LOOKUP)):
        classified = admission.classify(make_queued_update(submission, SENT, b""), submission)
        assert (classified.kind, classified.person_id) == (kind, ANN)


USER = {"id": ANN, "is_bot": False, "first_name": "Ann", "language_code": "es", "username": "ann24"}
PLACE = {
    "chat": {"id": GROUP, "type": "supergroup"},
    "message_thread_id": 7,
    "is_topic_message": True,
    "message_id": 0,
    "date": int(SENT),
}
OWN_CHAT = {"message_id": 0, "date": int(SENT), "chat": {"id": ANN, "type": "private"}, "from": USER}
COMMAND = {"text": "/a 8/(3-8/3)", "entities": [{"type": "bot_command", "offset": 0, "length": 2}]}
IN_PRIVATE = replace(ANSWER, chat_id=ANN, chat_kind="private", topic=0)


@pytest.mark.parametrize(
    ("content", "submission"),
    [
        (
            {
                "message": PLACE
                | COMMAND
                | {"from": USER, "board": {"press": PRESS, "round": 12}, "ephemeral_message_id": 5}
            },
            ANSWER,
        ),
        (
            {"message": OWN_CHAT | {"text": "8/(3-8/3)", "board": {"press": PRESS, "round": 12}}},
            IN_PRIVATE,
        ),
        (
            {"message": OWN_CHAT | COMMAND | {"board": {"press": PRESS, "day": "2026-11-21"}}},
            replace(IN_PRIVATE, round_id=0, day="2026-11-21"),
        ),
        (
            {
                "callback_query": {
                    "id": f"board:{ANN}:{PRESS}",
                    "from": USER,
                    "chat_instance": "board",
                    "data": "h:12",
                    "message": PLACE | {"board": {"press": PRESS}},
                }
            },
            HINT,
        ),
    ],
)
def test_forged_update_of_an_earlier_version_is_read(content: Any, submission: Submission) -> None:
    queued = make_queued_update(submission, SENT, b"")
    body = json.dumps({"update_id": submission.update_id, **content})
    assert decode_update(replace(queued, body=body)) == submission


@pytest.mark.parametrize("body", ["{", "[]", "7", "{}", '{"update_id": 1}', '{"player_id": 1}'])
def test_unreadable_submission_is_none(body: str) -> None:
    assert decode_submission(body) is None
    assert decode_update(QueuedUpdate(FIRST_SUBMISSION_ID, 0, body)) == {}
