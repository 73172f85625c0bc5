"""The time zone of chats that chose hours with an offset from UTC: the one that always has that offset.

The offsets stay where they are, so that the version before reads its settings as they were.
"""

import json
from typing import Any

from alembic import op
from sqlalchemy import text

revision = "0028"
down_revision = "0027"

CHOSE_HOURS = text(
    "SELECT id, settings FROM chats WHERE settings LIKE '%\"posts\"%'"
    " OR settings LIKE '%\"reminder\"%' OR settings LIKE '%\"quiet\"%'"
)
KEEP = text("UPDATE chats SET settings = :settings WHERE id = :id")
BETWEEN_HOURS = {
    -570: "Pacific/Marquesas",
    -210: "America/St_Johns",
    210: "Asia/Tehran",
    270: "Asia/Kabul",
    330: "Asia/Kolkata",
    345: "Asia/Kathmandu",
    390: "Asia/Yangon",
    570: "Australia/Darwin",
}
"""By minutes ahead of UTC; any other offset is rounded to an hour."""


def upgrade() -> None:
    connection = op.get_bind()
    for row in connection.execute(CHOSE_HOURS).all():
        try:
            chosen = json.loads(row.settings)
            zone = _zone(chosen)
        except (ValueError, AttributeError, RecursionError):  # nobody of ours wrote it
            continue
        if zone:
            kept = json.dumps({**chosen, "timezone": zone})
            connection.execute(KEEP, {"id": row.id, "settings": kept})


def _zone(chosen: dict[str, Any]) -> str | None:
    """Return the zone of the first offset that differs from UTC, or UTC; None where no hours were chosen."""
    offsets = []
    for key in ("posts", "reminder", "quiet"):
        match chosen.get(key):
            case [_, _, int(offset)] | [_, int(offset), str(_)] | [_, _, _, int(offset), _]:
                offsets.append(offset)
    if not offsets:
        return None
    offset = next((each for each in offsets if -720 <= each <= 840 and each), 0)
    ahead = round(offset / 60)
    return BETWEEN_HOURS.get(offset) or (f"Etc/GMT{-ahead:+}" if ahead else "UTC")
