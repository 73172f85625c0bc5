"""The tutorial: one easy hand without a clock in private, for players who have never scored.

The bot calls it the lesson when it speaks to them, and /start offers it until it is taken. It is a round of
its own kind: nothing counts, and each wrong answer shows the next hint.
"""

from collections.abc import Sequence
from functools import partial

from sqlalchemy import exists, select

from bot.database import Tx
from bot.database.schema import awards
from bot.i18n import Html, Words, escape_value
from bot.levels import LEVELS
from bot.players import queries as people
from bot.players.choices import NO_CHOICES
from bot.queue.admission import UpdateKind
from bot.rounds import commands as play
from bot.rounds import secrecy
from bot.rounds.game import format_solution
from bot.rounds.mode import Mode
from bot.rounds.puzzle import DealtPuzzle, Kind, Options, Puzzle, parse_hand_numbers
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State
from bot.rounds.view import NEXT_BUTTON, SKIP_BUTTON, Frame, Snapshot, render_deal, render_hints, render_task
from bot.telegram.context import Context, Effect, Response, send_only
from bot.telegram.messages import Keyboard, Link
from bot.telegram.routes import CommandRoute, Routes

# The offer: who may still take it

SETTLED_SETTING = "lesson"  # The setting of a private chat that says that the tutorial was taken


def can_take_tutorial(tx: Tx, player_id: int) -> bool:
    """Whether the player has never scored and has not taken the tutorial."""
    has_scored = tx.scalar(select(exists().where(awards.c.player_id == player_id)))
    settings = people.load_chat(tx, player_id, kind="private").settings
    return not has_scored and not settings.get_switch(SETTLED_SETTING)


# The tutorial

LINK_PREFIX = "lesson"


async def show_tutorial(context: Context) -> Effect:
    """Deal the tutorial's hand, also once more; in a group link to the private chat."""
    if context.chat.private:
        return await begin_tutorial(context)
    words = context.words
    link = Link(f"https://t.me/{context.services.me.username}?start={LINK_PREFIX}")
    button = (f"🎓 {words.translate_plain('Try it')}", link)
    return send_only(context.reply(_render_title(words), keyboard=[[button]]))


def _render_title(words: Words) -> Html:
    return Html(f"🎓 {words.translate('Your first hand: no clock, no points.')}")


async def begin_tutorial(context: Context) -> Effect:
    """Deal the tutorial's hand; refuse a press if the player can no longer take the tutorial."""
    if context.message is None or not context.chat.private:
        return play.refuse_old_button(context)
    refusal = await play.load_deal_refusal(context)
    if refusal is not None:
        return refusal
    services, options = context.services, Options(level=LEVELS[0], kind=Kind.TUTORIAL)
    puzzle = await play.draw_puzzle(
        context,
        lambda: GAMES.default.deal(services.solver_pool, NO_CHOICES, options, services.make_seed()),
        partial(secrecy.explain_secret, context),
    )
    return lambda tx: _open_tutorial(context, tx, puzzle)


def _open_tutorial(context: Context, tx: Tx, puzzle: Puzzle) -> Sequence[Response]:
    """Open the round and store that the tutorial was taken; refuse if it was, or the hand is secret."""
    if context.is_press and not can_take_tutorial(tx, context.chat.id):
        return play.refuse_old_button(context)(tx)
    secret = secrecy.explain_secret(context, tx, parse_hand_numbers(puzzle.line))
    if secret is not None:
        return secrecy.refuse_solution(context, secret)
    people.store_setting(tx, context.chat.id, SETTLED_SETTING, value=True)
    new = play.make_round(context, GAMES.default, DealtPuzzle(puzzle), Options(kind=Kind.TUTORIAL), None)
    return play.open_and_show_round(context, tx, new)


class TutorialFrame(Frame):
    def render_message(self, round: Round, words: Words, snapshot: Snapshot) -> tuple[Html, Keyboard]:
        deal = render_deal(round, snapshot)
        if round.state is not State.OPEN:
            next_button = (words.translate_plain("Next hand"), f"{NEXT_BUTTON}:{round.id}")
            return Html("\n".join([*deal, *_render_end(round, words)])), [[next_button]]
        lines = [
            _render_title(words),
            *deal,
            render_task(round, words, snapshot),
            *render_hints(round, words),
        ]
        skip_button = (words.translate_plain("Show me"), f"{SKIP_BUTTON}:{round.id}")
        return Html("\n".join(lines)), [[skip_button]]


def _render_end(round: Round, words: Words) -> list[Html]:
    """Render the player's answer if it was right, else a solution."""
    game = GAMES[round.game]
    if round.state is State.WON:
        answer = escape_value(game.format_answer(round.puzzle, round.answer or ""))
        return [Html(f"🏆 <b>{answer}</b>"), words.translate("That’s it, well done! Now one for points?")]
    solution = escape_value(format_solution(game, round.puzzle))
    return [words.translate("Like this:"), Html(f"💭 <b>{solution}</b>")]


class TutorialMode(Mode):
    kind = Kind.TUTORIAL
    hints_at_errors = True

    def load_frame(self, tx: Tx, round: Round) -> Frame:
        return TutorialFrame()


ROUTES = Routes(
    commands=[CommandRoute("lesson", show_tutorial, UpdateKind.DEAL)],
    deep_links={LINK_PREFIX: show_tutorial},
)
