"""What a profile adds up stands in the index by which a player's wins are found.

The ledger is in order of time, so of whoever won a thousand times each row is on another page of it. A bot of
the version before finds its wins by the first two columns, as it did.
"""

from alembic import op

revision = "0023"
down_revision = "0022"

ORDERED = ("player_id", "chat_id", "level", "seconds")
TOLD = ("idea", "points", "at", "round_id", "game")


def upgrade() -> None:
    op.drop_index("award_of_player", "awards")
    op.create_index("award_of_player", "awards", [*ORDERED, *TOLD])
