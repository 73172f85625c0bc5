"""Send messages as photos, as far as the chat wants to see pictures."""

from typing import Any

from bot.admin.settings.preferences import Pictures, read_preferences
from bot.telegram import messages
from bot.telegram.context import Context
from bot.telegram.messages import Request
from bot.telegram.photo_messages import UNKNOWN_CONTENT

PICTURES_OF_CHOICE = {
    Pictures.OFF: (),
    Pictures.CARDS: (Pictures.CARDS,),
    Pictures.ALL: (Pictures.CARDS, Pictures.ALL),
}


def attach_picture(
    context: Context, request: Request, kind: str, *, required: Pictures = Pictures.ALL, **arguments: Any
) -> Request:
    """Add a picture if the chat allows the `required` ones; to an edit, only if the message has a photo."""
    language = context.words.language
    if request.body["method"].startswith("edit"):
        if not (context.message and context.message.photo):
            return request
        return messages.add_picture(request, kind, language, shown_key=UNKNOWN_CONTENT, **arguments)
    if required not in PICTURES_OF_CHOICE[read_preferences(context.chat).pictures]:
        return request
    return messages.add_picture(request, kind, language, **arguments)
