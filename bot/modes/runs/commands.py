"""Begin a storm or a streak: in private at once; in a group with links, and the table of the week."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from bot.database import Tx
from bot.i18n import Html, escape_value, translate_later
from bot.modes.daily.group_tables import get_group_links
from bot.modes.runs import queries as runs
from bot.modes.runs.mode import RunMode
from bot.modes.runs.rules import Run, list_wishes
from bot.modes.runs.view import SKIP_BUTTON, START_BUTTON
from bot.players import queries as people
from bot.players.choices import NO_CHOICES
from bot.queue.admission import UpdateKind
from bot.rounds import commands as play
from bot.rounds import give_up
from bot.rounds import queries as rounds
from bot.rounds.puzzle import DealtPuzzle, Options
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round
from bot.rounds.view import render_ranking
from bot.telegram import messages
from bot.telegram.context import Context, Effect, Handler, Response
from bot.telegram.messages import Button, Link
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes

MENU_LINES = {
    "storm": translate_later("many hands in three minutes"),
    "streak": translate_later("no clock, until the first miss"),
}


def _make_handler(mode: RunMode) -> Handler:
    async def begin_or_link(context: Context) -> Effect:
        """Begin a run in private, for the group of the link if one led here; in a group show its table."""
        if not context.chat.private:
            return lambda tx: [_render_table(context, tx, mode)]
        group_id = get_group_links(context).read_payload(context.argument) if context.argument else None
        player = context.player
        if group_id is None or player is None or not await context.is_member(group_id, player.id):
            group_id = None
        return await _begin_run(context, mode, group_id)

    return begin_or_link


def _render_table(context: Context, tx: Tx, mode: RunMode) -> Response:
    """Post the week's table of the group, with the ways to play."""
    words, texts = context.words, mode.texts
    scores = runs.load_week_table(tx, context.chat.id, mode.kind, context.sent_at)
    ranking = render_ranking(words, scores, people.load_names(tx, list(scores)))
    about = Html(f"<b>{escape_value(texts.make_label(words))}</b>: {MENU_LINES[mode.kind](words)}")
    heading = (
        words.translate("The best of this week:") if scores else words.translate("Nobody yet this week.")
    )
    lines = [about, heading, *ranking]
    payload = get_group_links(context).make_payload(context.chat.id)
    link = f"https://t.me/{context.services.me.username}?start={mode.kind.value}_{payload}"
    row: list[Button] = [(f"{texts.icon} {words.translate_plain('Play in private')}", Link(link))]
    board_url = context.services.make_board_url(messages.OWN_CHAT, 0, 0)
    if board_url:
        row.append((f"🔢 {words.translate_plain('Board')}", Link(board_url)))
    return context.reply(Html("\n".join(lines)), keyboard=[row])


async def _begin_run(context: Context, mode: RunMode, group_id: int | None = None) -> Effect:
    """Deal all hands of a run now and return the effect that starts it, or refuses it."""
    refusal = await play.load_deal_refusal(context)
    if refusal is not None:
        return refusal
    game = GAMES.default
    # No chat's settings, so that scores can be compared
    usual = replace(context, chat=replace(context.chat, settings=NO_CHOICES))
    hands = await play.deal_puzzles(usual, game, list_wishes(mode.kind, mode.hand_count))
    first = play.make_round(context, game, hands[0], Options(kind=mode.kind), mode.seconds)
    return partial(_open_run, context, first=first, hands=hands, group_id=group_id)


def _open_run(
    context: Context, tx: Tx, *, first: Round, hands: Sequence[DealtPuzzle], group_id: int | None
) -> Sequence[Response]:
    opened = rounds.open_round(tx, first)
    if opened is None:
        return play.refuse_second_deal(context, tx)
    new = Run(0, first.dealer_id, first.kind, first.opened, group_id)
    run_id = runs.insert_run(tx, new, first.game, hands)
    runs.insert_run_hand(tx, run_id, opened.id, number=1)
    return [messages.show_round(opened.chat_id, opened.id, new=True), *context.answer_press()]


def _make_press_handler(modes: dict[str, RunMode]) -> Handler:
    async def press_start(context: Context) -> Effect:
        """Begin another run of the kind that the button names."""
        mode = modes.get(context.button_argument)
        if mode is None or not context.chat.private or not context.is_genuine_press:
            return play.refuse_old_button(context)
        return await _begin_run(context, mode)

    return press_start


def make_routes(modes: Iterable[RunMode]) -> Routes:
    by_name = {mode.kind.value: mode for mode in modes}
    handlers = {name: _make_handler(mode) for name, mode in by_name.items()}
    return Routes(
        commands=[
            CommandRoute(name, handler, UpdateKind.RARE_DEAL, MENU_LINES[name])
            for name, handler in handlers.items()
        ],
        buttons=[
            ButtonRoute(START_BUTTON, _make_press_handler(by_name), UpdateKind.DEAL_PRESS),
            ButtonRoute(SKIP_BUTTON, give_up.skip, UpdateKind.DEAL_PRESS),
        ],
        deep_links=handlers,
    )
