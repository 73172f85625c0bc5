"""/class: open a class for pupils without accounts, and lead to the teacher's page."""

from collections.abc import Sequence

from bot.board.classroom.endpoints import make_join_url
from bot.board.classroom.keys import ClassKeys, Purpose
from bot.database import Tx
from bot.i18n import Html, Words, translate_later
from bot.modes.classroom import queries as classrooms
from bot.modes.classroom.rules import SchoolClass
from bot.queue.admission import UpdateKind
from bot.rounds.commands import make_notice_effect
from bot.telegram.context import Context, Effect, Response
from bot.telegram.messages import Button, Keyboard, Link
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes


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
        going_on = [each for each in classrooms.load_classes_of_teacher(tx, teacher.id) if not each.closed]
        if context.is_press or not going_on:
            going_on.insert(0, classrooms.insert_class(tx, teacher.id, context.sent_at))
        text, keyboard = _render_classes(words, root, keys, going_on)
        if context.is_press:
            return [context.edit(text, keyboard=keyboard), *context.answer_press()]
        return [context.reply(text, keyboard=keyboard)]

    return effect


def _render_classes(
    words: Words, root: str, keys: ClassKeys, going_on: Sequence[SchoolClass]
) -> tuple[Html, Keyboard]:
    """Render how pupils join the latest class, with buttons for each of them and for another one."""
    how = words.translate(
        "Pupils open {address} and type {code}. They need no account.",
        address=f"{root}/class",
        code=Html(f"<b>{going_on[0].code}</b>"),
    )
    text = Html(f"🎓 <b>{words.translate('Your class is open.')}</b>\n{how}")
    rows: list[list[Button]] = []
    for each in going_on[:MAX_CLASSES]:
        teachers_page = f"{root}/teacher#key={keys.make_key(Purpose.TEACHER, each.id)}"
        join_url = make_join_url(keys, root, each.id, is_alone=False)
        label = f"{words.translate_plain('Your page')} · {each.code}"
        rows.append(
            [(label, Link(teachers_page)), (words.translate_plain("Link for pupils"), Link(join_url))]
        )
    return text, [*rows, [(words.translate_plain("Another class"), ANOTHER_PRESS)]]


MAX_CLASSES = 8  # That are listed
ANOTHER_PRESS = "kn:new"  # The data of the button that opens another class
MENU_LINE = translate_later("a class for pupils without accounts")
ROUTES = Routes(
    commands=[CommandRoute("class", show_class, UpdateKind.COMMAND, MENU_LINE)],
    buttons=[ButtonRoute("kn", show_class)],
)
