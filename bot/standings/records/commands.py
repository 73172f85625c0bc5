"""/records: the best that was ever done in the chat."""

from bot.queue.intake import UpdateKind
from bot.standings.records import queries, view
from bot.telegram.context import Context, Effect, send_only
from bot.telegram.routes import CommandRoute, Routes


async def show_records(context: Context) -> Effect:
    """Who holds which record here. It is looked for beside the writer: a long ledger takes a moment."""
    held = await context.services.store.read(lambda tx: queries.load_records(tx, context.chat.id))
    return send_only(context.reply(view.render_records(context.words, held)))


ROUTES = Routes(
    commands=[
        CommandRoute("records", show_records, UpdateKind.QUESTION, lambda speech: speech.translate_plain("the records of this chat"))
    ]
)
