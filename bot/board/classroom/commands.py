"""/class: open a class for pupils without accounts, and lead to the teacher's page."""

from collections.abc import Sequence

from bot.board.classroom.endpoints import make_join_url
from bot.board.classroom.keys import ClassKeys, Purpose
from bot.database import Tx
from bot.i18n import Html, translate_later
from bot.modes.classroom import queries as classrooms
from bot.queue.admission import UpdateKind
from bot.rounds.commands import make_notice_effect
from bot.telegram.context import Context, Effect, Response
from bot.telegram.messages import Link
from bot.telegram.routes import CommandRoute, Routes


async def show_class(context: Context) -> Effect:
    """Reply with the code and the address of the teacher's class, which is opened if none goes on."""
    words, settings, teacher = context.words, context.services.settings, context.player
    if not context.chat.private or teacher is None:
        return make_notice_effect(context, words.translate("/class opens a class in private, for teachers."))
    if settings.web_url is None or settings.token is None:
        text = words.translate(
            "Classes need a page, which this bot doesn’t have: ask who runs it to set WEB_URL."
        )
        return make_notice_effect(context, text)
    root, keys = settings.web_url, ClassKeys(settings.token.encode())

    def effect(tx: Tx) -> Sequence[Response]:
        going_on = classrooms.load_open_class_of_teacher(tx, teacher.id)
        school_class = going_on or classrooms.insert_class(tx, teacher.id, context.sent_at)
        teachers_page = f"{root}/teacher#key={keys.make_key(Purpose.TEACHER, school_class.id)}"
        join_url = make_join_url(keys, root, school_class.id, is_alone=False)
        how = words.translate(
            "Pupils open {address} and type {code}. They need no account.",
            address=f"{root}/class",
            code=Html(f"<b>{school_class.code}</b>"),
        )
        text = Html(f"🎓 <b>{words.translate('Your class is open.')}</b>\n{how}")
        buttons = [
            [(words.translate_plain("Your page"), Link(teachers_page))],
            [(words.translate_plain("Link for pupils"), Link(join_url))],
        ]
        return [context.reply(text, keyboard=buttons)]

    return effect


MENU_LINE = translate_later("a class for pupils without accounts")
ROUTES = Routes(commands=[CommandRoute("class", show_class, UpdateKind.COMMAND, MENU_LINE)])
