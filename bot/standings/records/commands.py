"""/records: the best that was ever done in the chat."""

from bot.queue.intake import Work
from bot.standings.records import queries, view
from bot.telegram.context import Context, Effect, saying
from bot.telegram.routes import Command, Routes


async def records(context: Context) -> Effect:
    """Who holds which record here. It is looked for beside the writer: a long ledger takes a moment."""
    held = await context.services.store.read(lambda tx: queries.records(tx, context.chat.id))
    return saying(context.say(view.shown(context.words, held)))


ROUTES = Routes(
    commands=[
        Command("records", records, Work.QUESTION, lambda speech: speech.plain("the records of this chat"))
    ]
)
