"""The tables of 1.0.

Revisions up to 0101 belong to unreleased versions.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0102"
down_revision = None

BigInt = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Seconds: sa.types.TypeEngine[float] = sa.Double().with_variant(sa.REAL(), "sqlite")


def rows_where(condition: str) -> dict[str, Any]:
    """Return the arguments of `create_index` for an index of the rows that meet a condition."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


def upgrade() -> None:
    """Create all tables; on PostgreSQL also tune some of them."""
    op.create_table(
        "achievements",
        sa.Column("player_id", BigInt, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", Seconds, nullable=False),
        sa.Column("round_id", BigInt),
        sa.Column("day", sa.Text()),
        sa.Column("chat_id", BigInt),
        sa.PrimaryKeyConstraint("player_id", "name"),
        sqlite_strict=True,
    )
    op.create_index("achievement_of_chat", "achievements", ["chat_id"])
    op.create_index("achievement_of_round", "achievements", ["round_id"])

    op.create_table(
        "attempts",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("opened", Seconds, nullable=False),
        sa.Column("closed", Seconds),
        sa.Column("wrong", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("expression", sa.Text()),
        sa.Column("shown", Seconds),
        sa.Column("hints", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("message_id", BigInt),
        sa.Column("picture", sa.Text()),
        sa.PrimaryKeyConstraint("day", "player_id"),
        sqlite_strict=True,
    )
    op.create_index("attempt_of_player", "attempts", ["player_id", "day"])

    op.create_table(
        "awards",
        sa.Column("id", BigInt, nullable=False),
        sa.Column("round_id", BigInt, nullable=False),
        sa.Column("idea", sa.Text(), nullable=False),
        sa.Column("chat_id", BigInt, nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("seconds", Seconds, nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("expected", Seconds, nullable=False),
        sa.Column("expression", sa.Text(), nullable=False),
        sa.Column("message_id", BigInt, nullable=False),
        sa.Column("at", Seconds, nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("round_id", "idea"),
        sqlite_strict=True,
    )
    op.create_index("award_by_seconds", "awards", ["chat_id", "level", "seconds", "id"])
    op.create_index("award_of_chat", "awards", ["chat_id", "at"])
    op.create_index("award_of_part", "awards", ["chat_id"], **rows_where("idea <> ''"))
    op.create_index(
        "award_of_player",
        "awards",
        ["player_id", "chat_id", "level", "seconds", "idea", "points", "at", "round_id", "game"],
    )

    op.create_table(
        "best_days",
        sa.Column("chat_id", BigInt, nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("points", BigInt, nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("last_points", BigInt, nullable=False),
        sa.Column("last_day", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("chat_id", "player_id", "game"),
        sqlite_strict=True,
    )
    op.create_index("best_day_of_player", "best_days", ["player_id"])

    op.create_table(
        "board_offline",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("claimed", Seconds, nullable=False),
        sa.Column("received", Seconds, nullable=False),
        sa.PrimaryKeyConstraint("day", "player_id"),
        sqlite_strict=True,
    )
    op.create_index("board_offline_of_player", "board_offline", ["player_id"])
    op.create_index("board_offline_received", "board_offline", ["received"])

    op.create_table(
        "board_openings",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("at", Seconds, nullable=False),
        sa.Column("page", sa.Text()),
        sa.PrimaryKeyConstraint("digest"),
        sqlite_strict=True,
    )
    op.create_index("board_opening_at", "board_openings", ["at"])

    op.create_table(
        "board_words",
        sa.Column("id", BigInt, nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.Column("press", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("is_right", sa.Integer()),
        sa.Column("at", Seconds, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_strict=True,
    )
    op.create_index("board_word_at", "board_words", ["at"])
    op.create_index("board_word_of_player", "board_words", ["player_id", "id"])

    op.create_table(
        "chains",
        sa.Column("id", BigInt, nullable=False),
        sa.Column("chat_id", BigInt, nullable=False),
        sa.Column("seed_chat_id", BigInt, nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("used", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_strict=True,
    )
    op.create_index("chain_of_chat", "chains", ["chat_id", "game"])

    op.create_table(
        "chats",
        sa.Column("id", BigInt, autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("language", sa.Text()),
        sa.Column("settings", sa.Text(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("patience", Seconds, server_default=sa.text("2"), nullable=False),
        sa.Column("counted_until", Seconds, server_default=sa.text("0"), nullable=False),
        sa.Column("counted", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("gone", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_strict=True,
    )
    op.create_index(
        "chat_that_chose_a_reminder", "chats", ["settings"], **rows_where("settings LIKE '%\"reminder\"%'")
    )
    op.create_index(
        "chat_that_chose_posts", "chats", ["settings"], **rows_where("settings LIKE '%\"posts\"%'")
    )
    op.create_index(
        "chat_that_chose_secret_answers",
        "chats",
        ["settings"],
        **rows_where("settings LIKE '%\"secret\": true%'"),
    )
    op.create_index("chat_that_counts", "chats", ["counted_until"], **rows_where("counted = 1"))

    op.create_table(
        "classes",
        sa.Column("id", BigInt, autoincrement=False, nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("teacher_id", BigInt),
        sa.Column("opened", Seconds, nullable=False),
        sa.Column("active", Seconds, nullable=False),
        sa.Column("closed", Seconds),
        sa.Column("locked", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("kept", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("code"),
        sqlite_strict=True,
    )
    op.create_index("class_of_teacher", "classes", ["teacher_id"])

    op.create_table(
        "dailies",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("expected", Seconds, nullable=False),
        sa.Column("game", sa.Text(), server_default=sa.text("'24'"), nullable=False),
        sa.Column("puzzle", sa.Text(), server_default=sa.text("'{}'"), nullable=False),
        sa.PrimaryKeyConstraint("day"),
        sqlite_strict=True,
    )

    op.create_table(
        "daily_tables",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("chat_id", BigInt, nullable=False),
        sa.Column("message_id", BigInt, nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("day", "chat_id"),
        sqlite_strict=True,
    )
    op.create_index("daily_table_of_chat", "daily_tables", ["chat_id"])

    op.create_table(
        "duels",
        sa.Column("id", BigInt, nullable=False),
        sa.Column("chat_id", BigInt, nullable=False),
        sa.Column("topic", BigInt, server_default=sa.text("0"), nullable=False),
        sa.Column("challenger_id", BigInt, nullable=False),
        sa.Column("opponent_id", BigInt),
        sa.Column("opponent", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), server_default=sa.text("'en'"), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("message_id", BigInt),
        sa.Column("until", Seconds, nullable=False),
        sa.Column("race_id", BigInt),
        sa.Column("winner_id", BigInt),
        sa.Column("picture", sa.Text()),
        sa.PrimaryKeyConstraint("id"),
        sqlite_strict=True,
    )
    op.create_index("duel_lapsing", "duels", ["state", "until"])
    op.create_index("duel_of_challenger", "duels", ["challenger_id"])
    op.create_index("duel_of_chat", "duels", ["chat_id"])
    op.create_index("duel_of_opponent", "duels", ["opponent_id"])
    op.create_index("duel_of_race", "duels", ["race_id"])

    op.create_table(
        "ephemeral_chats",
        sa.Column("chat_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("server", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("chat_id"),
        sqlite_strict=True,
    )

    op.create_table(
        "histogram",
        sa.Column("chat_id", BigInt, nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("points", BigInt, nullable=False),
        sa.Column("players", BigInt, nullable=False),
        sa.PrimaryKeyConstraint("chat_id", "period", "points"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )

    op.create_table(
        "inbox",
        sa.Column("update_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("lane", BigInt, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("trouble", sa.Text()),
        sa.Column("at", Seconds, nullable=False),
        sa.Column("press", sa.Text()),
        sa.PrimaryKeyConstraint("update_id"),
        sqlite_strict=True,
    )
    op.create_index("inbox_press", "inbox", ["press"])
    op.create_index("inbox_state", "inbox", ["state", "lane", "at"])

    op.create_table(
        "lanes",
        sa.Column("lane", BigInt, autoincrement=False, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("token", BigInt, nullable=False),
        sa.PrimaryKeyConstraint("lane"),
        sqlite_strict=True,
    )
    op.create_index("lane_of_owner", "lanes", ["owner"])

    op.create_table(
        "last_wins",
        sa.Column("chat_id", BigInt, nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.Column("at", Seconds, nullable=False),
        sa.PrimaryKeyConstraint("chat_id", "player_id"),
        sqlite_strict=True,
    )
    op.create_index("last_win_in_chat", "last_wins", ["chat_id", "at"])

    op.create_table(
        "meta",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
        sqlite_strict=True,
    )

    op.create_table(
        "outbox",
        sa.Column("id", BigInt, nullable=False),
        sa.Column("lane", BigInt, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("trouble", sa.Text()),
        sa.Column("at", Seconds, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_strict=True,
    )
    op.create_index("outbox_state", "outbox", ["state", "lane", "id"])

    op.create_table(
        "players",
        sa.Column("id", BigInt, autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("username", sa.Text()),
        sa.Column("masked", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_strict=True,
    )
    op.create_index("player_of_username", "players", [sa.text("lower(username)")])

    op.create_table(
        "practised",
        sa.Column("round_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.Column("skill", sa.Text(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("at", Seconds, nullable=False),
        sa.Column("seconds", Seconds),
        sa.Column("expected", Seconds, nullable=False),
        sa.Column("wrong", sa.Integer(), nullable=False),
        sa.Column("hints", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("round_id"),
        sqlite_strict=True,
    )
    op.create_index("practised_by_player", "practised", ["player_id", "round_id"])

    op.create_table(
        "private_words",
        sa.Column("chat_id", BigInt, nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("waiting", sa.Text()),
        sa.Column("at", Seconds, nullable=False),
        sa.PrimaryKeyConstraint("chat_id", "player_id", "key"),
        sqlite_strict=True,
    )
    op.create_index("private_word_at", "private_words", ["at"])
    op.create_index("private_word_of_key", "private_words", ["chat_id", "key"])
    op.create_index("private_word_of_player", "private_words", ["player_id"])

    op.create_table(
        "races",
        sa.Column("id", BigInt, nullable=False),
        sa.Column("chat_id", BigInt, nullable=False),
        sa.Column("topic", BigInt, server_default=sa.text("0"), nullable=False),
        sa.Column("starter_id", BigInt, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("played", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("unanswered", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("hands", sa.Text(), nullable=False),
        sa.Column("seconds", Seconds, nullable=False),
        sa.Column("opened", Seconds, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_strict=True,
    )
    op.create_index("race_of_chat", "races", ["chat_id"])

    op.create_table(
        "ratings",
        sa.Column("player_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("mu", Seconds, nullable=False),
        sa.Column("sigma", Seconds, nullable=False),
        sa.Column("hands", sa.Integer(), nullable=False),
        sa.Column("at", Seconds, nullable=False),
        sa.PrimaryKeyConstraint("player_id"),
        sqlite_strict=True,
    )
    op.create_index("rating_floor", "ratings", [sa.text("(mu - 2.0 * sigma) DESC"), "player_id"])

    op.create_table(
        "replicas",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("bot_id", BigInt, nullable=False),
        sa.Column("until", Seconds, nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("lanes", BigInt, nullable=False),
        sa.Column("pulse", Seconds, nullable=False),
        sa.Column("way_in", sa.Text()),
        sa.Column("secrets", sa.Text()),
        sa.Column("told", sa.Text()),
        sa.Column("reaches", Seconds),
        sa.PrimaryKeyConstraint("name"),
        sqlite_strict=True,
    )

    op.create_table(
        "reveals",
        sa.Column("reader", BigInt, nullable=False),
        sa.Column("at", Seconds, nullable=False),
        sa.Column("numbers", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("reader", "at", "numbers"),
        sqlite_strict=True,
    )
    op.create_index("reveal_at", "reveals", ["at"])

    op.create_table(
        "rounds",
        sa.Column("id", BigInt, nullable=False),
        sa.Column("chat_id", BigInt, nullable=False),
        sa.Column("topic", BigInt, server_default=sa.text("0"), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("expected", Seconds, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("dealer_id", BigInt, nullable=False),
        sa.Column("language", sa.Text(), server_default=sa.text("'en'"), nullable=False),
        sa.Column("race_id", BigInt),
        sa.Column("message_id", BigInt),
        sa.Column("asked_id", BigInt),
        sa.Column("opened", Seconds, nullable=False),
        sa.Column("deadline", Seconds),
        sa.Column("closed", Seconds),
        sa.Column("winner_id", BigInt),
        sa.Column("expression", sa.Text()),
        sa.Column("streak", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("day_first", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("shown", Seconds, server_default=sa.text("0"), nullable=False),
        sa.Column("game", sa.Text(), server_default=sa.text("'24'"), nullable=False),
        sa.Column("puzzle", sa.Text(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("line", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("standing", sa.Text(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("options", sa.Text(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("picture", sa.Text()),
        sa.Column("chain_id", BigInt),
        sa.Column("link", sa.Integer()),
        sa.Column("asked_by", BigInt),
        sa.Column("ordinal", sa.Integer()),
        sa.PrimaryKeyConstraint("id"),
        sqlite_strict=True,
    )
    op.create_index("live_round", "rounds", ["chat_id", "topic"], unique=True, **rows_where("state = 'open'"))
    op.create_index("round_closed", "rounds", ["closed"])
    op.create_index("round_deadline", "rounds", ["state", "deadline"])
    op.create_index("round_message", "rounds", ["chat_id", "message_id"])
    op.create_index("round_of_chat", "rounds", ["chat_id", "id"])
    op.create_index("round_of_dealer", "rounds", ["dealer_id"])
    op.create_index("round_of_picture", "rounds", ["closed"], **rows_where("picture <> '-'"))
    op.create_index("round_of_race", "rounds", ["race_id"])

    op.create_table(
        "runs",
        sa.Column("id", BigInt, nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("group_id", BigInt),
        sa.Column("hands", sa.Text(), nullable=False),
        sa.Column("opened", Seconds, nullable=False),
        sa.Column("score", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("in_a_row", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_strict=True,
    )
    op.create_index("run_of_group", "runs", ["group_id", "mode", "opened"])
    op.create_index("run_of_player", "runs", ["player_id", "mode", "opened"])

    op.create_table(
        "scheduled_posts",
        sa.Column("chat_id", BigInt, nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("at", Seconds, nullable=False),
        sa.Column("sent", Seconds),
        sa.PrimaryKeyConstraint("chat_id", "what", "period"),
        sqlite_strict=True,
    )
    op.create_index("scheduled_post_at", "scheduled_posts", ["at"])
    op.create_index("scheduled_post_of_period", "scheduled_posts", ["what", "period"])

    op.create_table(
        "seats",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("chat_id", BigInt, nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.PrimaryKeyConstraint("day", "chat_id", "player_id"),
        sqlite_strict=True,
    )
    op.create_index("seat_of_chat", "seats", ["chat_id"])
    op.create_index("seat_of_player", "seats", ["player_id", "day"])

    op.create_table(
        "secret_doors",
        sa.Column("player_id", BigInt, nullable=False),
        sa.Column("round_id", BigInt, nullable=False),
        sa.Column("at", Seconds, nullable=False),
        sa.PrimaryKeyConstraint("player_id", "round_id"),
        sqlite_strict=True,
    )
    op.create_index("secret_door_at", "secret_doors", ["at"])
    op.create_index("secret_door_of_round", "secret_doors", ["round_id"])

    op.create_table(
        "tallies",
        sa.Column("chat_id", BigInt, nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("rounds", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("first_wins", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("streak", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("streak_at", Seconds, server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("chat_id", "player_id", "game"),
        sqlite_strict=True,
    )
    op.create_index("tally_of_player", "tallies", ["player_id"])

    op.create_table(
        "totals",
        sa.Column("chat_id", BigInt, nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.Column("points", BigInt, nullable=False),
        sa.Column("wins", BigInt, nullable=False),
        sa.PrimaryKeyConstraint("chat_id", "period", "player_id"),
        sqlite_strict=True,
    )
    op.create_index("board", "totals", ["chat_id", "period", sa.text("points DESC"), "player_id"])

    op.create_table(
        "uploads",
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("file_id", sa.Text(), nullable=False),
        sa.Column("until", Seconds, nullable=False),
        sa.PrimaryKeyConstraint("content"),
        sqlite_strict=True,
    )
    op.create_index("upload_until", "uploads", ["until"])

    op.create_table(
        "wrong_answers",
        sa.Column("id", BigInt, nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.Column("hand", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("at", Seconds, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_strict=True,
    )
    op.create_index("wrong_answer_at", "wrong_answers", ["at"])
    op.create_index("wrong_answer_of_player", "wrong_answers", ["player_id", "hand"])

    op.create_table(
        "entries",
        sa.Column("round_id", BigInt, nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("at", Seconds, nullable=False),
        sa.Column("heard", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("round_id", "player_id"),
        sqlite_strict=True,
    )
    op.create_index("entry_of_player", "entries", ["player_id"])

    op.create_table(
        "lessons",
        sa.Column("id", BigInt, nullable=False),
        sa.Column("class_id", BigInt, nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("pace", sa.Text(), nullable=False),
        sa.Column("hands", sa.Text(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("seconds", Seconds),
        sa.Column("due", Seconds),
        sa.Column("opened", Seconds, nullable=False),
        sa.Column("closed", Seconds),
        sa.Column("number", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("shown", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(["class_id"], ["classes.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sqlite_strict=True,
    )
    op.create_index("lesson_of_class", "lessons", ["class_id", "id"])

    op.create_table(
        "lost_messages",
        sa.Column("chat_id", BigInt, nullable=False),
        sa.Column("message_id", BigInt, nullable=False),
        sa.Column("round_id", BigInt, nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("chat_id", "message_id"),
        sqlite_strict=True,
    )
    op.create_index("lost_message_of_round", "lost_messages", ["round_id"])

    op.create_table(
        "pupils",
        sa.Column("id", BigInt, autoincrement=False, nullable=False),
        sa.Column("class_id", BigInt, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("joined", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("taken", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("device", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["class_id"], ["classes.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("class_id", "name_key"),
        sqlite_strict=True,
    )

    op.create_table(
        "run_hands",
        sa.Column("round_id", BigInt, nullable=False),
        sa.Column("run_id", BigInt, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("round_id"),
        sa.UniqueConstraint("run_id", "number"),
        sqlite_strict=True,
    )

    op.create_table(
        "stops",
        sa.Column("race_id", BigInt, nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.ForeignKeyConstraint(["race_id"], ["races.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("race_id", "player_id"),
        sqlite_strict=True,
    )
    op.create_index("stop_of_player", "stops", ["player_id"])

    op.create_table(
        "tries",
        sa.Column("round_id", BigInt, nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.Column("wrong", sa.Integer(), nullable=False),
        sa.Column("late", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("note", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("miss", sa.Text()),
        sa.Column("miss_value", sa.Text()),
        sa.Column("miss_off", Seconds),
        sa.Column("noted", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("misread", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("round_id", "player_id"),
        sqlite_strict=True,
    )
    op.create_index("try_of_player", "tries", ["player_id", "round_id"])

    op.create_table(
        "votes",
        sa.Column("round_id", BigInt, nullable=False),
        sa.Column("player_id", BigInt, nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("round_id", "player_id"),
        sqlite_strict=True,
    )
    op.create_index("vote_of_player", "votes", ["player_id"])

    op.create_table(
        "class_hands",
        sa.Column("round_id", BigInt, nullable=False),
        sa.Column("lesson_id", BigInt, nullable=False),
        sa.Column("pupil_id", BigInt, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["lesson_id"], ["lessons.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("round_id"),
        sa.UniqueConstraint("lesson_id", "pupil_id", "number"),
        sqlite_strict=True,
    )
    op.create_index("class_hand_of_pupil", "class_hands", ["pupil_id"])

    op.create_table(
        "mistakes",
        sa.Column("id", BigInt, nullable=False),
        sa.Column("round_id", BigInt, nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", Seconds, nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["class_hands.round_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sqlite_strict=True,
    )
    op.create_index("mistake_of_round", "mistakes", ["round_id", "id"])

    if op.get_bind().dialect.name == "postgresql":
        for statement in TUNING:
            op.execute(statement)


BUSY_TABLES = ("inbox", "outbox", "lanes", "replicas")  # rows are added, changed and deleted often
TUNING = (
    *(
        f"ALTER TABLE {table} SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02,"
        " autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0)"
        for table in BUSY_TABLES
    ),
    # Room to update a row within its page: https://www.postgresql.org/docs/current/storage-hot.html
    "ALTER TABLE histogram SET (fillfactor = 70)",
)
