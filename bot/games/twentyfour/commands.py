"""/solve, inline mode, and hands that players choose: show their solutions, post or deal them."""

import re
from collections.abc import Sequence
from dataclasses import replace

from bot.database import Tx
from bot.formats import format_expression
from bot.games.expressions import answer_parser, spelling
from bot.games.expressions.answer_parser import Computation
from bot.games.expressions.view import render_reading_error
from bot.games.twentyfour import dealing, view
from bot.games.twentyfour.explain import find_explaining_game, send_expression_text
from bot.games.twentyfour.game import TwentyFour, read_settings
from bot.games.twentyfour.hand_parser import MAX_LENGTH, is_playable, parse_bare_hand, parse_hand
from bot.games.twentyfour.rules import HAND_CODE, Hand, Question
from bot.i18n import Html, strip_tags, translate_later
from bot.players import preferences
from bot.queue.admission import UpdateKind
from bot.queue.outgoing import Outgoing
from bot.rounds import queries as rounds
from bot.rounds import secrecy
from bot.rounds.answer_view import answer_text, is_answer_to_private_hand
from bot.rounds.commands import (
    deal_default_game,
    load_deal_refusal,
    make_notice_effect,
    make_round,
    open_and_show_round,
    refuse_old_button,
)
from bot.rounds.puzzle import DealtPuzzle, Explanation, Kind, Options
from bot.rounds.registry import GAMES
from bot.telegram.context import Context, Effect, Response, do_nothing, send_only
from bot.telegram.routes import ButtonRoute, CommandRoute, OtherUpdate, Routes, TextRoute
from bot.workers.pool import SolvingError


async def solve_hand(context: Context) -> Effect:
    """Reply with the ideas that solve the typed hand, unless they are secret.

    An expression is answered by a hint to /why, any other text by the reason why it is no hand. Without a
    text an open hand is meant.
    """
    text = context.argument
    if not text and await context.services.store.read(lambda tx: _has_open_hand(context, tx)):
        return send_only(
            *secrecy.refuse_solution(context, secrecy.render_open_hand(context, context.chat.id))
        )
    question_or_error = parse_hand(context.words, text)
    if isinstance(question_or_error, Question):
        return await _show_solutions(context, question_or_error, page=0)
    error = question_or_error
    if len(text) > MAX_LENGTH:
        return send_only(context.reply(error))
    computation = answer_parser.find_computation(text)
    if isinstance(computation, Computation):
        hint = context.words.translate(
            "That is an expression: /why {expression} shows it step by step.",
            expression=format_expression(computation),
        )
        return send_expression_text(context, computation, hint)
    if spelling.find_emoji_amid_signs(text):
        error = render_reading_error(context.words, computation.reason, computation.fragment)
    return send_only(context.reply(error))


def _has_open_hand(context: Context, tx: Tx) -> bool:
    return rounds.load_open_round(tx, context.chat.id, context.topic) is not None


# The numbers, the target and the page of a button of `view.render_solutions`
PAGE_DATA = re.compile(r"v:([0-9,]{1,50})=([0-9]{1,7}):([0-9]{1,3})")


async def press_solutions_page(context: Context) -> Effect:
    """Edit the pressed message to another page of the ideas, unless they are secret."""
    page_data = PAGE_DATA.fullmatch(context.button_data)
    if page_data is None or not context.is_genuine_press:
        return refuse_old_button(context)
    numbers, target, page = page_data.groups()
    question = parse_hand(context.words, f"{numbers}={target}")
    if not isinstance(question, Question):
        return refuse_old_button(context)
    return await _show_solutions(context, question, int(page))


async def _show_solutions(context: Context, question: Question, page: int) -> Effect:
    """Reply with a page of ideas, or edit the pressed message to it; unless the ideas are secret.

    Page 0 of numbers that can't be dealt ends with another game's answer, if a game has one.
    """
    found = await dealing.find_solutions(context.services.solver_pool, question.numbers, question.target)
    text, keyboard = view.render_solutions(context.words, question, found, page)
    explanation = None
    if page == 0 and not is_playable(question):
        explanation = await _explain_by_other_game(context, question)
    if explanation is not None:
        text = Html(f"{text}\n\n{explanation.render(context.words)}")
    if context.is_press and context.message:
        requests = [context.edit(text, keyboard=keyboard), *context.answer_press()]
    else:
        requests = [context.reply(text, keyboard=keyboard)]
    is_solved = bool(found.ideas) or explanation is not None
    return secrecy.show_unless_secret(context, question.numbers, requests, solved=is_solved)


async def _explain_by_other_game(context: Context, question: Question) -> Explanation | None:
    """Return the best answer of the game that can explain these numbers; None if there is none in time."""
    questions = find_explaining_game(question.line)
    if questions is None:
        return None
    try:
        return await questions.explain(context.services.solver_pool, question.line)
    except SolvingError:
        return None


async def answer_inline_query(context: Context) -> Effect:
    """Answer an inline query with a new hand, the solutions of a typed one, or a hint for any other text."""
    query_id = context.incoming.inline_query_id
    if context.player is None:
        return do_nothing
    if not context.argument:
        return await _offer_hand(context, query_id)
    question = parse_hand(context.words, context.argument)
    if isinstance(question, Question):
        return await _offer_solutions(context, query_id, question)
    hint = context.words.translate_plain("Type a hand: 3 8 3 8 = 24")
    return send_only(_answer_with_line(context, query_id, hint))


async def _offer_hand(context: Context, query_id: str) -> Effect:
    """Answer with a new hand by the player's private settings, or only with a link if none is found."""
    services = context.services
    recipe = read_settings(context.chat.settings)
    invitation = context.words.translate_plain("Play with me")
    try:
        hand = await dealing.deal_hand(services.solver_pool, services.make_seed(), recipe)
    except (SolvingError, ValueError):
        return send_only(_answer_with_line(context, query_id, invitation))
    article = view.build_hand_article(context.words, hand, bot=services.me.username or "")
    answer = view.build_inline_answer(context.chat.id, query_id, [article], label=invitation, start="play")
    return send_only(answer)


async def _offer_solutions(context: Context, query_id: str, question: Question) -> Effect:
    """Answer with the solutions of a hand and record them as shown; with a refusal if they are secret."""
    words, numbers = context.words, question.numbers
    try:
        found = await dealing.find_solutions(context.services.solver_pool, numbers, question.target)
    except SolvingError:
        return send_only(_answer_with_line(context, query_id, words.translate_plain("That took too long.")))
    articles = view.build_solution_articles(words, question, found)
    invitation = words.translate_plain("Play with me")

    def effect(tx: Tx) -> list[Outgoing]:
        if secrecy.explain_secret(context, tx, numbers):
            refusal = words.translate_plain("That hand is live for you: no peeking!")
            return [_answer_with_line(context, query_id, refusal)]
        if found.ideas:
            secrecy.record_solution_shown(tx, context.chat.id, numbers, context.sent_at)
        return [view.build_inline_answer(context.chat.id, query_id, articles, label=invitation, start="play")]

    return effect


def _answer_with_line(context: Context, query_id: str, line: str) -> Outgoing:
    """Answer an inline query without articles, by a line to tap that opens the private chat with the help."""
    return view.build_inline_answer(context.chat.id, query_id, articles=[], label=line, start="help")


async def deal_linked_hand(context: Context) -> Effect:
    """Deal the hand of the link `?start=hand_3-8-3-8-24` in private; in a group, deal the default game.

    Refuse it while a hand is open, if it can't be played, or if its solutions are secret.
    """
    if not context.chat.private or not HAND_CODE.fullmatch(context.argument):
        return await deal_default_game(replace(context, argument=""))
    *numbers, target = map(int, context.argument.split("-"))
    question = Question(tuple(numbers), target)
    if not is_playable(question):
        return make_notice_effect(context, view.render_no_such_hand(context.words))
    refusal = await load_deal_refusal(context)
    if refusal is not None:
        return refusal
    try:
        hand = await context.services.solver_pool.run_task(dealing.build_hand, question.numbers, target)
    except ValueError:
        return _refuse_unsolvable(context, question)
    return _open_chosen_hand(context, hand)


def _open_chosen_hand(context: Context, hand: Hand) -> Effect:
    """Open and show a round of a hand that the player chose, or refuse if its solutions are secret."""
    time_limit = preferences.read_preferences(context.chat).seconds
    options = Options(kind=Kind.CHOSEN)
    new = make_round(context, GAMES[TwentyFour.key], DealtPuzzle(hand), options, time_limit)

    def effect(tx: Tx) -> Sequence[Response]:
        secret = secrecy.explain_secret(context, tx, hand.numbers)
        if secret:
            return secrecy.refuse_solution(context, secret)
        return open_and_show_round(context, tx, new)

    return effect


def _refuse_unsolvable(context: Context, question: Question) -> Effect:
    """Say that a hand has no solution, unless that is secret."""
    text = view.render_unsolvable(context.words, question)
    requests = context.answer_press(strip_tags(text)) or [context.reply(text)]  # [] without a press
    return secrecy.show_unless_secret(context, question.numbers, requests, solved=False)


async def offer_typed_hand(context: Context) -> Effect:
    """Offer to show or deal a typed hand; judge any other text, and one that may answer an open hand."""
    question = parse_bare_hand(context.argument)
    if question is None:
        return await answer_text(context)
    may_be_answer = await context.services.store.read(lambda tx: is_answer_to_private_hand(context, tx))
    if may_be_answer:
        return await answer_text(context)
    text, keyboard = view.render_choice(context.words, question, playable=is_playable(question))
    return send_only(context.reply(text, keyboard=keyboard))


async def press_play_hand(context: Context) -> Effect:
    """Deal the hand that the pressed button names, in private only; refuse it like `deal_linked_hand`."""
    _, _, code = context.button_data.partition(":")
    if not context.is_genuine_press or not context.chat.private or not HAND_CODE.fullmatch(code):
        return refuse_old_button(context)
    return await deal_linked_hand(replace(context, argument=code))


ROUTES = Routes(
    commands=[
        CommandRoute(
            "solve", solve_hand, UpdateKind.SEARCH, translate_later("how a hand is done: /solve 3 8 3 8")
        )
    ],
    buttons=[
        ButtonRoute("v", press_solutions_page, UpdateKind.PAGE_PRESS),
        ButtonRoute("y", press_play_hand, UpdateKind.DEAL_PRESS),
    ],
    texts=[TextRoute(lambda text: parse_bare_hand(text) is not None, offer_typed_hand)],
    other_updates={OtherUpdate.INLINE_QUERY: answer_inline_query},
    deep_links={"hand": deal_linked_hand},
)
