"""How one person of a group is told what nobody else may read: the ways, in their order.

A stored request of the pseudo-method `TO_ONE` names the `ways` that are left to it, and goes the first:

- *alert*: the answer to a press (answerCallbackQuery with `show_alert`), which only whoever pressed sees, in
  any chat and on any server, up to 200 characters (Bot API, answerCallbackQuery);
- *ephemeral*: a message in the group that only its receiver sees (Bot API 10.2; by the parameter
  `ephemeral_message_parameters` since 10.3). Any bot may send one within 15 seconds of a press, naming its
  `callback_query_id`, or of an incoming ephemeral command, naming its `ephemeral_message_id` in
  `reply_parameters`; an administrator may at any time. Its result has `message_id` 0 and an
  `ephemeral_message_id`;
- *private*: the person's own chat with the bot, which refuses (Forbidden) until they have started the bot;
- *waiting*: the word is kept, and the group sees no more than that one waits (see `groups.privately`).

A way that Telegram refuses, or whose time is over, gives way to the next. What the refusal says is not read:
no documentation names these errors.

A Bot API server ignores parameters that it does not know. One older than 10.3 posts an "ephemeral" message
for all to read. So the first one in a chat is a *trial* that holds nothing secret, and every result is
looked at: what came back without an `ephemeral_message_id` is deleted at once. Before each the request is
stored with `left`, the chat's latest message by then, so that after a crash between the sending and the look
the message is looked for.
"""

from typing import Any

from bot.queue.queries import TELL_PRIVATELY

ALERT, EPHEMERAL, PRIVATE, WAITING = "alert", "ephemeral", "private", "waiting"
WAYS = (EPHEMERAL, PRIVATE, WAITING)  # All but the first, which needs a press
# Seconds after a press or an ephemeral command in which a bot answers it ephemerally, with 3 to spare.
EPHEMERAL_WINDOW = 15.0 - 3.0
ADMIN_PATIENCE = 30.0  # Seconds for which an administrator's ephemeral message waits for its turn
MAX_ALERT_LENGTH = 199  # Characters of an alert: fewer than 200
# Characters to which an ephemeral message can be changed: Telegram refuses more than 1024, whatever the
# documentation says (issue 881 of tdlib/telegram-bot-api).
MAX_EDIT_LENGTH = 1023
# What changes an ephemeral message (Bot API 10.2): a method that a server without such does not know.
EDIT_METHOD = "editEphemeralMessageText"
TRIAL = "trial"
FALL_BACK = "falls"  # What is drawn where the way can't be gone
# Why a way fails: the server is too old, what was to be changed can't be, any other reason.
SERVER_TOO_OLD, EDIT_FAILED, SEND_FAILED = "public", "changed", "refused"


def get_current_way(body: dict[str, Any]) -> str:
    """The way that a request goes now; empty for one that goes none of these."""
    ways = body.get("ways", ()) if body.get("method") == TELL_PRIVATELY else ()
    return str(ways[0]) if ways else ""


def get_waiting_limit(body: dict[str, Any]) -> float | None:
    """Until when, by this machine's clock, it waits for its turn in the group; None where it has no limit."""
    return float(body["until"]) if get_current_way(body) == EPHEMERAL else None


def is_within_window(body: dict[str, Any], wall: float) -> bool:
    """Whether what the person did is recent enough to be answered ephemerally by any bot."""
    return bool(body.get("press") or body.get("reply")) and wall < float(body["until"])


def is_ephemeral_message(result: Any) -> bool:
    """Whether a message that was sent is one that only its receiver sees."""
    return isinstance(result, dict) and bool(result.get("ephemeral_message_id"))


def drop_current_way(body: dict[str, Any]) -> dict[str, Any]:
    """The request for the next way, without what belongs to the one that failed."""
    kept = {key: value for key, value in body.items() if key not in ("after", "doubt", "left")}
    return {**kept, "ways": body["ways"][1:]}
