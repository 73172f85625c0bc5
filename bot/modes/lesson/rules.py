"""The lesson: one easy hand of twenty seconds in private, for somebody who never played.

It is offered once, to nobody who has scored; the offer stays good until it is taken or declined. Each wrong
answer brings the next hint; nothing is counted and nothing earned. It is a round of a kind of its own, so
that it has what rounds have: it is closed by its deadline, a restart loses nothing of it, and nobody may look
its hand up.
"""

from collections.abc import Mapping
from typing import Any

LESSON_SECONDS = 20.0
SETTLED_SETTING = "lesson"  # The private chat's setting that remembers that the lesson was taken or declined
MAX_DRAWS = 5  # Hands that are drawn at most to get one that is on no table of the player's


def may_take_lesson(settings: Mapping[str, Any], *, scored: bool) -> bool:
    """Whether somebody with these settings of their private chat may take the lesson."""
    return not scored and not settings.get(SETTLED_SETTING)
