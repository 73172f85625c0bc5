"""/why and the button under a finished round: show the steps of an answer, unless they are secret."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

import solver
from bot.database import Tx
from bot.formats import format_expression, format_fraction
from bot.games.expressions import answer_parser, spelling
from bot.games.expressions.answer_parser import Computation
from bot.games.expressions.view import number_steps, render_reading_error
from bot.games.twentyfour import view
from bot.games.twentyfour.hand_parser import is_playable, parse_hand
from bot.games.twentyfour.rules import Question
from bot.i18n import Html, escape_value, translate_later
from bot.players import queries as people
from bot.queue.admission import UpdateKind
from bot.rounds import queries as rounds
from bot.rounds import secrecy
from bot.rounds.capabilities import Questions
from bot.rounds.commands import load_pressed_round, refuse_old_button
from bot.rounds.game import list_steps
from bot.rounds.puzzle import Find, parse_hand_numbers
from bot.rounds.registry import GAMES, ask_safely
from bot.rounds.rules import Round, State
from bot.telegram.context import Context, Effect, Response, send_only
from bot.telegram.messages import format_player_name
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes

# Numbers and cards, perhaps with a target, without signs between them
ONLY_NUMBERS = re.compile(r"[\s0-9０-９AJQKajqk,，、;；=＝→]*[0-9０-９AJQKajqk][\s?？.!]*")

T = TypeVar("T")


async def show_steps(context: Context) -> Effect:
    """Reply with the steps of an expression, of a round's winning answers, or of a question's best answer.

    Read the argument, else the message replied to. If it can't be read, reply with what is wrong with it.
    """
    if not context.argument:
        loaded = await _load_replied_round(context)
        if loaded is not None:
            round, winners = loaded
            # An open hand has no answer yet, only perhaps the example in its task
            return _show_winners(context, round, winners) if winners else _ask_for_expression(context)
    text = context.argument or _get_replied_text(context)
    if not text:
        return _ask_for_expression(context)
    question_or_error = parse_hand(context.words, text)
    if isinstance(question_or_error, Question):
        game = find_explaining_game(question_or_error.line)
        if game is not None:
            return await _show_best_answer(context, game, question_or_error)
    if ONLY_NUMBERS.fullmatch(text):
        hint = _render_numbers_hint(context, text)
        if hint is not None:  # A single number is read as an expression
            return send_only(context.reply(hint))
    return _show_expression_steps(context, text)


def _show_expression_steps(context: Context, text: str) -> Effect:
    """Reply with the steps of the expression in a text, unless it is secret, or say why there is none."""
    computation = answer_parser.find_computation(text)
    if isinstance(computation, Computation):
        steps = render_expression_steps(context, computation)
        return send_expression_text(context, computation, steps)
    error = computation
    is_replied_text = not context.argument
    if is_replied_text and error.reason == "unknown" and not spelling.find_emoji_amid_signs(text):
        return _ask_for_expression(context)  # The message replied to was no answer
    return send_only(context.reply(render_reading_error(context.words, error.reason, error.fragment)))


def _get_replied_text(context: Context) -> str:
    """Return the quoted part of the message replied to, or all of it; empty if there is none."""
    message = context.message
    if message is None or message.replied is None:
        return ""
    return message.quote or message.replied.text


def _ask_for_expression(context: Context) -> Effect:
    text = context.words.translate("Reply to an answer with /why, or write it: /why 8/(3-8/3)")
    return send_only(context.reply(text))


def _ask_games(ask: Callable[[Questions], T], default: T) -> Iterator[tuple[Questions, T]]:
    """Yield the questions of each game that has some, with what `ask` returns of them."""
    for game in GAMES.values():
        if game.questions:
            yield game.questions, ask_safely(game, partial(ask, game.questions), default)


def find_explaining_game(line: str) -> Questions | None:
    """Return the questions of the first game that can explain a line such as `3 8 3 8 → 24`, else None."""
    answers = _ask_games(lambda questions: questions.can_explain(line), default=False)
    return next((questions for questions, can_explain in answers if can_explain), None)


async def _show_best_answer(context: Context, questions: Questions, question: Question) -> Effect:
    """Reply with the game's best answer, unless it is secret. Raises SolvingError if it takes too long."""
    explanation = await questions.explain(context.services.solver_pool, question.line)
    reply = context.reply(explanation.render(context.words))
    return secrecy.show_unless_secret(context, question.numbers, [reply])


def _render_numbers_hint(context: Context, text: str) -> Html | None:
    """Render what to write instead of numbers that no game explains; None for a single number."""
    words = context.words
    question = parse_hand(words, text)
    if not isinstance(question, Question):
        return question  # The reason why it is no hand
    *numbers, last = question.numbers
    if not numbers:
        return None
    has_target = re.search("[=＝→]", text) is not None
    # Perhaps the last number was meant as a target
    if not has_target and find_explaining_game(Question(tuple(numbers), last).line):
        hand = " ".join(map(str, numbers))
        return words.translate("Write = before the target: /why {hand} = {target}", hand=hand, target=last)
    if not is_playable(question):
        errors = _ask_games(lambda questions: questions.render_error(words, question.line), default=None)
        for _, error in errors:
            if error:
                return error
    return words.translate("That is a hand: /solve {hand} shows how it is done.", hand=str(question))


def render_expression_steps(context: Context, computation: Computation) -> Html:
    """Render the steps of a computation in the way of the first game that claims it, else of 24."""
    if isinstance(computation, solver.Expression):
        expression = computation
        claims = _ask_games(lambda questions: questions.claims_expression(expression), default=False)
        for questions, claims_expression in claims:
            if claims_expression:
                heading = context.words.translate(
                    "{expression} = {value}, step by step:",
                    expression=format_expression(expression),
                    value=format_fraction(expression.value),
                )
                steps = number_steps(questions.list_steps(str(expression)))
                return Html("\n".join([f"<b>{heading}</b>", *steps]))
    return view.render_steps(context.words, computation)


def send_expression_text(context: Context, computation: Computation, text: Html) -> Effect:
    """Reply with a text that contains the computation, unless a hand of its numbers is secret."""
    # The cards behind negative numbers and decimals, such as 7 and 2 for 3.5
    expression = computation.whole() if isinstance(computation, solver.Working) else computation
    return secrecy.show_unless_secret(context, expression.numbers, [context.reply(text)])


async def _load_replied_round(context: Context) -> tuple[Round, list[Find]] | None:
    """Load the round in the message replied to, and its winning answers; none of an open round.

    None if there is no such round, a part is quoted, or its game shows no steps.
    """
    replied = context.replied_bot_message
    if replied is None or (context.message and context.message.quote):
        return None

    def load_winners(tx: Tx) -> tuple[Round, list[Find]] | None:
        round = rounds.load_round_of_message(tx, context.chat.id, replied.id)
        if round is None:
            return None
        winners = _load_winners(tx, round)
        return (round, winners) if winners or round.state is State.OPEN else None

    return await context.services.store.read(load_winners)


def _load_winners(tx: Tx, round: Round) -> list[Find]:
    """Load the winning answers that have steps, each by its first finder; none of an open round."""
    if round.state is State.OPEN:
        return []
    winners = dict[str, Find]()
    for find in rounds.load_finds(tx, round.id):
        if list_steps(GAMES[round.game], find.answer):
            winners.setdefault(find.answer, find)
    return list(winners.values())


def _show_winners(context: Context, round: Round, winners: Sequence[Find]) -> Effect:
    """Reply with the steps of the winning answers, unless they are secret."""

    def effect(tx: Tx) -> Sequence[Response]:
        names = people.load_names(tx, [find.player_id for find in winners])
        reply = context.reply(render_winners(round, winners, names))
        return secrecy.show_unless_secret(context, parse_hand_numbers(round.line), [reply])(tx)

    return effect


def render_winners(round: Round, winners: Sequence[Find], names: Mapping[int, str]) -> Html:
    """Render the winning answers with their finders and their steps."""
    game = GAMES[round.game]
    lines: list[str] = []
    for find in winners:
        answer = escape_value(game.format_answer(round.puzzle, find.answer))
        lines.append(f"🏆 {format_player_name(names, find.player_id)}: <b>{answer}</b>")
        lines += number_steps(list_steps(game, find.answer))
    return Html("\n".join(lines))


async def press_show_steps(context: Context) -> Effect:
    """Show the steps of a round's winning answers in an alert, unless secret; refuse if there are none."""
    round = await load_pressed_round(context)
    if round is None:
        return refuse_old_button(context)
    winners = await context.services.store.read(lambda tx: _load_winners(tx, round))
    if not winners:
        return refuse_old_button(context)
    alert = context.answer_press(render_alert(round, winners), alert=True)
    return secrecy.show_unless_secret(context, parse_hand_numbers(round.line), alert)


MAX_ALERT_LENGTH = 200  # Characters that Telegram shows in an alert


def render_alert(round: Round, winners: Sequence[Find]) -> str:
    """Render the steps of as many winning answers as fit into an alert, the first one cut if it is longer."""
    blocks = ["\n".join(list_steps(GAMES[round.game], find.answer)) for find in winners]
    while len(blocks) > 1 and len("\n\n".join(blocks)) > MAX_ALERT_LENGTH:
        blocks.pop()
    return "\n\n".join(blocks)[:MAX_ALERT_LENGTH]


def _choose_update_kind(words: Sequence[str]) -> UpdateKind:
    """Return SEARCH for words without signs, since a best answer may be searched; else QUESTION."""
    has_sign = re.search(r"[-+*/×÷()]", " ".join(words)) is not None
    if words and not has_sign:
        return UpdateKind.SEARCH
    return UpdateKind.QUESTION


ROUTES = Routes(
    commands=[
        CommandRoute(
            "why",
            show_steps,
            _choose_update_kind,
            translate_later("an expression, step by step: /why 8/(3-8/3)"),
        )
    ],
    buttons=[ButtonRoute("w", press_show_steps)],
)
