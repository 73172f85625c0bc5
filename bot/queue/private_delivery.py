"""The ways to tell one person of a group what nobody else may read, in the order in which they are tried.

A stored request with the pseudo-method `TELL_PRIVATELY` has a list of `ways`, and is sent by the first:

- *alert*: the answer to a press (answerCallbackQuery with `show_alert`). Only the person who pressed sees it,
  in any chat and on any server; it holds up to 200 characters;
- *ephemeral*: a message in the group that only its receiver sees (Bot API 10.2; by the parameter
  `ephemeral_message_parameters` since 10.3). Any bot may send one within 15 seconds of a press, naming its
  `callback_query_id`, or of an incoming ephemeral command, naming its `ephemeral_message_id` in
  `reply_parameters`; an administrator may at any time. Its result has `message_id` 0 and an
  `ephemeral_message_id`;
- *private*: the person's private chat, where Telegram refuses it (Forbidden) until they have started the bot;
- *waiting*: the text is kept, and the group is shown that one waits, see the package `admin.private_replies`.

If Telegram refuses a way, or its time is over, the next one is tried. The text of the refusal doesn't matter,
since no documentation names these errors.

A Bot API server ignores parameters that it does not know: one older than 10.3 posts an "ephemeral" message
for all to read. So the first one in a chat is a *trial* that contains nothing secret, and a result without an
`ephemeral_message_id` is deleted at once. Before each, the chat's latest message is stored in the request as
`left`, so that the message can be found after a crash between sending it and checking its result.
"""

from typing import Any

from bot.queue.queries import CHECK_KEY, LATEST_ID_KEY, TELL_PRIVATELY, UNCHECKED_KEY

ALERT, EPHEMERAL, PRIVATE, WAITING = "alert", "ephemeral", "private", "waiting"
WAYS = (EPHEMERAL, PRIVATE, WAITING)  # All but the alert, which needs a press
EPHEMERAL_WINDOW = 12.0  # Seconds for which a press or ephemeral command can be answered: 15, with 3 to spare
ADMIN_PATIENCE = 30.0  # Seconds for which an administrator's ephemeral message waits for its turn
MAX_ALERT_LENGTH = 199  # Characters; Telegram says fewer than 200
TRIAL = "trial"
FALL_BACK = "falls"  # Drawn instead of a request if its current way can't be used
# Reasons for falling back to the next way
SERVER_TOO_OLD, SEND_FAILED = "public", "refused"


def get_current_way(body: dict[str, Any]) -> str:
    """Return the way by which a request is sent now; empty unless it is a private answer."""
    ways = body.get("ways", ()) if body.get("method") == TELL_PRIVATELY else ()
    return str(ways[0]) if ways else ""


def drop_current_way(body: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of the request without its first way and without what was noted of sending by it."""
    kept = {k: v for k, v in body.items() if k not in (LATEST_ID_KEY, CHECK_KEY, UNCHECKED_KEY)}
    return {**kept, "ways": body["ways"][1:]}
