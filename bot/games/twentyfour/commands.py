"""/solve and inline mode: what solves a hand, a hand to post in any chat."""

import re
from contextlib import suppress
from dataclasses import replace

import solver
from bot.admin.settings import preferences as preferences
from bot.database import Tx
from bot.games.expressions import answer_parser, spelling
from bot.games.expressions.view import render_reading_error
from bot.games.twentyfour import dealing, view
from bot.games.twentyfour.dealing import is_in_one_pack
from bot.games.twentyfour.explain import find_question, send_steps
from bot.games.twentyfour.game import TwentyFour
from bot.games.twentyfour.hand_parser import MAX_LENGTH, Question, is_playable, parse_bare_hand, parse_hand
from bot.games.twentyfour.rules import HAND_CODE, MAX_TARGET, read_settings
from bot.i18n import Html, strip_tags
from bot.queue.admission import UpdateKind
from bot.rounds import secrecy
from bot.rounds.answers import answer_text, is_answer_to_private_hand
from bot.rounds.commands import (
    apologize_for_timeout,
    deal_default_game,
    load_deal_refusal,
    make_notice_effect,
    make_round,
    open_and_show_round,
    refuse_old_button,
)
from bot.rounds.puzzle import Explanation, Kind, Options
from bot.rounds.registry import GAMES
from bot.telegram.context import Context, Effect, do_nothing, send_only
from bot.telegram.messages import Request, edit_message
from bot.telegram.routes import ButtonRoute, CommandRoute, OtherUpdate, Routes, TextRoute
from bot.workers.pool import SolvingError


async def solve(context: Context) -> Effect:
    """List the ideas that solve a hand, unless the asker may not see them."""
    asked = parse_hand(context.words, context.argument)
    if isinstance(asked, Question):
        return await _solutions(context, asked, page=0)
    found = answer_parser.find_computation(context.argument) if len(context.argument) <= MAX_LENGTH else None
    if isinstance(found, solver.Expression | solver.Working):
        return send_steps(context, found, view.render_why_hint(context.words, found))
    if found is not None and spelling.find_emoji_amid_signs(context.argument):
        asked = render_reading_error(context.words, found.reason, found.fragment)
    return send_only(context.reply(asked))


PAGE = re.compile(r"v:([0-9,]{1,50})=([0-9]{1,7}):([0-9]{1,3})")


async def page_pressed(context: Context) -> Effect:
    """A button under a long list: show another page of it."""
    match = PAGE.fullmatch(context.button_data) if context.is_genuine_press else None
    asked = parse_hand(context.words, f"{match[1]}={match[2]}") if match else None
    if match is None or not isinstance(asked, Question):
        return refuse_old_button(context)
    return await _solutions(context, asked, page=int(match[3]))


async def _solutions(context: Context, asked: Question, page: int) -> Effect:
    try:
        found = await dealing.find_solutions(context.services.solver_pool, asked.numbers, asked.target)
    except SolvingError:
        return apologize_for_timeout(context)
    text, keyboard = view.render_solutions(
        context.words, asked.numbers, asked.target, found.ideas, complete=found.complete, page=page
    )
    below = await _as_tiles(context, asked) if page == 0 else None
    if below is not None:
        text = Html(f"{text}\n\n{below.render(context.words)}")
    if context.query and context.message:
        shown = [
            edit_message(context.chat.id, context.message.message_id, text, keyboard),
            *context.answer_press(),
        ]
    else:
        shown = [context.reply(text, keyboard=keyboard)]
    return secrecy.show_solution(context, asked.numbers, shown, solved=bool(found.ideas or below))


async def _as_tiles(context: Context, asked: Question) -> Explanation | None:
    """What is told of numbers that are tiles of another game rather than cards."""
    question = None if is_playable(asked) else find_question(context, str(asked))
    if question is None:
        return None
    with suppress(SolvingError):
        return await question[0].explain(context.services.solver_pool, asked.line)
    return None


async def inline(context: Context) -> Effect:
    """Answer an inline query."""
    query = context.update.inline_query
    if query is None or context.player is None:
        return do_nothing
    if not context.argument:
        return await _offer_hand(context, query.id)
    asked = parse_hand(context.words, context.argument)
    if not isinstance(asked, Question):
        return send_only(_only(context, query.id, context.words.translate_plain("Type a hand: 3 8 3 8 = 24")))
    return await _offer_solutions(context, query.id, asked)


async def _offer_hand(context: Context, query_id: str) -> Effect:
    """A fresh hand, by what the person chose in private."""
    usual, services = read_settings(context.chat.settings), context.services
    try:
        hand = await dealing.deal_hand(
            services.solver_pool, services.make_seed(), usual.cards, usual.highest, usual.target, usual.level
        )
    except (SolvingError, ValueError):
        return send_only(_only(context, query_id, context.words.translate_plain("Play with me")))
    offer = view.build_hand_article(context.words, hand.numbers, hand.target, services.me.username or "")
    button = (context.words.translate_plain("Play with me"), "play")
    return send_only(view.build_inline_answer(context.chat.id, query_id, [offer], button))


async def _offer_solutions(context: Context, query_id: str, asked: Question) -> Effect:
    """Offer what solves the hand, unless the person may not see it."""
    try:
        found = await dealing.find_solutions(context.services.solver_pool, asked.numbers, asked.target)
    except SolvingError:
        return send_only(_only(context, query_id, context.words.translate_plain("That took too long.")))
    articles = view.build_solution_articles(
        context.words, asked.numbers, asked.target, found.ideas, complete=found.complete
    )
    button = (context.words.translate_plain("Play with me"), "play")

    def effect(tx: Tx) -> list[Request]:
        if secrecy.find_secret(context, tx, asked.numbers):
            refusal = context.words.translate_plain("That hand is live for you: no peeking!")
            return [_only(context, query_id, refusal)]
        if found.ideas:
            secrecy.record_solution_shown(tx, context.chat.id, asked.numbers, context.sent_at)
        return [view.build_inline_answer(context.chat.id, query_id, articles, button)]

    return effect


def _only(context: Context, query_id: str, line: str) -> Request:
    """No offers, but a line above them that opens the private chat."""
    return view.build_inline_answer(context.chat.id, query_id, [], (line, "help"))


async def given(context: Context) -> Effect:
    """`?start=hand_3-8-3-8-24`: deal this hand, in private."""
    if not context.chat.private or not HAND_CODE.fullmatch(context.argument):
        return await deal_default_game(replace(context, argument=""))
    *numbers, target = map(int, context.argument.split("-"))
    if target > MAX_TARGET:
        return make_notice_effect(context, view.render_no_such_hand(context.words))
    return await _deal(context, Question(tuple(numbers), target))


async def _deal(context: Context, asked: Question) -> Effect:
    if (instead := await load_deal_refusal(context)) is not None:
        return instead
    try:
        hand = await dealing.deal_chosen_hand(context.services.solver_pool, asked.numbers, asked.target)
    except SolvingError:
        return apologize_for_timeout(context)
    except ValueError:
        return _unsolved(context, asked)
    limit = preferences.read_preferences(context.chat).seconds
    new = make_round(context, GAMES[TwentyFour.key], hand, Options(kind=Kind.CHOSEN), limit)

    def effect(tx: Tx) -> list[Request]:
        secret = secrecy.find_secret(context, tx, asked.numbers)
        return secrecy.refuse_solution(context, secret) if secret else open_and_show_round(context, tx, new)

    return effect


def _unsolved(context: Context, asked: Question) -> Effect:
    """Why that hand is not dealt; that it has no solution is told where /solve tells it."""
    if not is_in_one_pack(asked.numbers):
        return make_notice_effect(context, view.render_no_such_hand(context.words))
    text = view.render_unsolvable(context.words, asked.numbers, asked.target)
    shown = context.answer_press(strip_tags(text)) or [context.reply(text)]
    return secrecy.show_solution(context, asked.numbers, shown, solved=False)


def is_hand(text: str) -> bool:
    """Whether a text is hardly more than a hand's numbers, perhaps with a target."""
    return parse_bare_hand(text) is not None


async def typed(context: Context) -> Effect:
    """Numbers alone, in private, that answer no hand: offer to show how they are done, or to play them."""
    asked = parse_bare_hand(context.argument)
    if asked is None or await context.services.store.read(lambda tx: is_answer_to_private_hand(context, tx)):
        return await answer_text(context)
    text, keyboard = view.render_choice(
        context.words, asked.numbers, asked.target, playable=is_playable(asked)
    )
    return send_only(context.reply(text, keyboard=keyboard))


async def play_pressed(context: Context) -> Effect:
    """The button of such an offer: deal that hand."""
    code = context.button_data.partition(":")[2]
    if not context.is_genuine_press or not context.chat.private or not HAND_CODE.fullmatch(code):
        return refuse_old_button(context)
    return await given(replace(context, argument=code))


ROUTES = Routes(
    commands=[
        CommandRoute(
            "solve",
            solve,
            UpdateKind.SEARCH,
            lambda speech: speech.translate_plain("how a hand is done: /solve 3 8 3 8"),
        ),
    ],
    buttons=[
        ButtonRoute("v", page_pressed, UpdateKind.PAGE_PRESS),
        ButtonRoute("y", play_pressed, UpdateKind.DEAL_PRESS),
    ],
    texts=[TextRoute(is_hand, typed)],
    other_updates={OtherUpdate.INLINE_QUERY: inline},
    deep_links={"hand": given},
)
