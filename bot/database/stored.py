"""Reads what a column of text holds, which a bad disk, a bad hand or an old bug may have written.

Nothing here raises: a row that can't be read is never worth more than that row.
"""

import json
from typing import Any

UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)
"""What a reader of stored values raises for one that nobody of ours wrote."""
LARGEST = 2**63 - 1
"""The largest number that a column holds."""


def read_object(text: str | None) -> dict[str, Any]:
    """The JSON object that is stored; an empty one where there is none."""
    try:
        read = json.loads(text or "")
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def read_number(text: str) -> int | None:
    """The id or the count that is stored, 0 at least; None where there is none."""
    is_one = text.isascii() and text.isdecimal() and len(text) <= len(str(LARGEST))
    return int(text) if is_one and int(text) <= LARGEST else None
