"""Which of a chat's messages go out as photos, by what it chose to see as pictures."""

from typing import Any

from bot.admin.settings import preferences
from bot.admin.settings.preferences import Pictures
from bot.telegram import messages
from bot.telegram.context import Context
from bot.telegram.messages import Request
from bot.telegram.photo_messages import UNKNOWN_CONTENT

# What is shown where a chat has chosen so.
ENOUGH = {Pictures.OFF: (), Pictures.CARDS: (Pictures.CARDS,), Pictures.ALL: (Pictures.CARDS, Pictures.ALL)}


def attach_picture(
    context: Context, request: Request, kind: str, *, required: Pictures = Pictures.ALL, **of: Any
) -> Request:
    """A post of this chat with its picture, where the chat chose at least that much.

    For an edit, which follows a press: a photo is changed as one, whatever is chosen by now.
    """
    if not request.body["method"].startswith("edit"):
        if required not in ENOUGH[preferences.read_preferences(context.chat).pictures]:
            return request
        return messages.add_picture(request, kind, context.words.language, **of)
    if not (context.message and context.message.photo):
        return request
    return messages.add_picture(request, kind, context.words.language, shown_key=UNKNOWN_CONTENT, **of)
