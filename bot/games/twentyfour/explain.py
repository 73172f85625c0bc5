"""/why, and the button under a finished round: steps, unless the asker may not see them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import solver
from bot.database import Tx
from bot.games.expressions import answer_parser, spelling
from bot.games.expressions.view import render_reading_error
from bot.games.twentyfour import view as cards
from bot.games.twentyfour.hand_parser import Question, is_playable, parse_hand
from bot.games.twentyfour.rules import format_line
from bot.i18n import Html, Words, escape_value
from bot.players import queries as people
from bot.queue.admission import UpdateKind
from bot.rounds import queries as rounds
from bot.rounds import secrecy
from bot.rounds.commands import apologize_for_timeout, load_pressed_round, refuse_old_button
from bot.rounds.game import Game
from bot.rounds.puzzle import Find, parse_hand_numbers
from bot.rounds.registry import GAMES, ask_game_safely
from bot.rounds.rules import Round, State
from bot.telegram.context import Context, Effect, send_only
from bot.telegram.messages import Request, format_player_name
from bot.telegram.routes import ButtonRoute, CommandRoute, Routes
from bot.workers.pool import SolvingError

MAX_ALERT_LENGTH = 200  # Characters that Telegram shows above a chat


def number_lines(steps: Sequence[str]) -> list[Html]:
    """The steps, each with its number."""
    return [Html(escape_value(f"{number}. {step}")) for number, step in enumerate(steps, start=1)]


def render_equals_hint(words: Words, numbers: Sequence[int], target: int) -> Html:
    """Said to who names a target as if it were one more number."""
    hand = " ".join(map(str, numbers))
    return words.translate("Write = before the target: /why {hand} = {target}", hand=hand, target=target)


def render_steps_of_game(words: Words, expression: str, value: str, steps: Sequence[str]) -> Html:
    """An expression and what it makes, with its steps."""
    whole = words.translate("{expression} = {value}, step by step:", expression=expression, value=value)
    return Html("\n".join([Html(f"<b>{whole}</b>"), *number_lines(steps)]))


def render_winners(round: Round, finds: Sequence[Find], names: Mapping[int, str]) -> Html:
    """Each line that won a round, with its steps: once, by whoever was first."""
    blocks = []
    for find in _each(finds):
        who, shown = (
            format_player_name(names, find.player_id),
            GAMES[round.game].format_answer(round.puzzle, find.answer),
        )
        steps = number_lines(GAMES[round.game].list_steps(find.answer))
        blocks.append("\n".join([f"🏆 {who}: <b>{escape_value(shown)}</b>", *steps]))
    return Html("\n".join(blocks))


def render_alert(round: Round, finds: Sequence[Find]) -> str:
    """The same in so few characters that it fits above the chat: as many of the lines as do."""
    blocks = ["\n".join(GAMES[round.game].list_steps(find.answer)) for find in _each(finds)]
    fitting = [
        block for n, block in enumerate(blocks) if len("\n\n".join(blocks[: n + 1])) <= MAX_ALERT_LENGTH
    ]
    return "\n\n".join(fitting) or blocks[0][:MAX_ALERT_LENGTH]


def _each(finds: Sequence[Find]) -> Iterator[Find]:
    """The first who found each line."""
    first = dict[str, Find]()
    for find in finds:
        first.setdefault(find.answer, find)
    return iter(first.values())


Read = solver.Expression | solver.Working
# Numbers and cards, perhaps with a target, and no sign between them.
NUMBERS = re.compile(r"[\s0-9０-９AJQKajqk,，、;；=＝→]*[0-9０-９AJQKajqk][\s?？.!]*")
EQUALS = re.compile("[=＝→]")


async def why(context: Context) -> Effect:
    """The steps of an expression, of what won the round replied to, or of the best of a question.

    What can't be read gets a line that says what is wrong with it.
    """
    if not context.argument and (over := await _replied_round(context)) is not None:
        return _winners(context, *over)
    text = context.argument or _replied(context)
    if not text:
        return _asking(context)
    if (question := find_question(context, text)) is not None:
        return await _explained(context, *question)
    if NUMBERS.fullmatch(text) and (instead := _instead(context, text)) is not None:
        return send_only(context.reply(instead))
    found = answer_parser.find_computation(text)
    if isinstance(found, Read):
        return send_steps(context, found, render_expression_steps(context, found))
    if not (context.argument or spelling.find_emoji_amid_signs(text)) and found.reason == "unknown":
        return _asking(context)  # nobody wrote it as an answer
    return send_only(context.reply(render_reading_error(context.words, found.reason, found.fragment)))


def _asking(context: Context) -> Effect:
    ask = context.words.translate("Reply to an answer with /why, or write it: /why 8/(3-8/3)")
    return send_only(context.reply(ask))


def find_question(context: Context, text: str) -> tuple[Game[Any], Question] | None:
    """The numbers and the target in a text, and the game that explains how these are done."""
    asked = parse_hand(context.words, text)
    if not isinstance(asked, Question):
        return None
    game = _explaining(asked.line)
    return None if game is None else (game, asked)


def _explaining(line: str) -> Game[Any] | None:
    """The game that explains what somebody asks who names that line."""
    asked = (
        game for game in GAMES.values() if ask_game_safely(game, lambda game: game.can_explain(line), False)
    )
    return next(asked, None)


def _instead(context: Context, text: str) -> Html | None:
    """What to write instead of numbers alone that no game explains; None for a single number."""
    words, asked = context.words, parse_hand(context.words, text)
    if not isinstance(asked, Question):
        return asked
    *numbers, last = asked.numbers
    if not numbers:
        return None
    if not EQUALS.search(text) and _explaining(format_line(numbers, last)):
        return render_equals_hint(words, numbers, last)
    told = (
        ask_game_safely(g, lambda game: game.render_question_error(words, asked.line), None)
        for g in GAMES.values()
    )
    misasked = None if is_playable(asked) else next(filter(None, told), None)
    return misasked or cards.render_solve_hint(words, str(asked))


async def _explained(context: Context, game: Game[Any], asked: Question) -> Effect:
    """Show the best answer to a question, unless the asker may not see it."""
    try:
        found = await game.explain(context.services.solver_pool, asked.line)
    except SolvingError:
        return apologize_for_timeout(context)
    return secrecy.show_solution(context, asked.numbers, [context.reply(found.render(context.words))])


def render_expression_steps(context: Context, found: Read) -> Html:
    """An expression step by step, as the game writes it that it belongs to."""
    if isinstance(found, solver.Expression):
        for game in GAMES.values():
            if ask_game_safely(game, lambda game: game.claims_expression(found), False):
                return render_steps_of_game(
                    context.words, str(found), str(found.value), game.list_steps(str(found))
                )
    return cards.render_steps(context.words, found)


def send_steps(context: Context, found: Read, text: Html) -> Effect:
    """Send a text in which the expression stands, unless the asker may not see it."""
    whole = found.whole() if isinstance(found, solver.Working) else found
    return secrecy.show_solution(context, whole.numbers, [context.reply(text)])


def _replied(context: Context) -> str:
    """The part of the other message that was quoted, or all of it."""
    message = context.message
    if message is None or message.reply_to_message is None:
        return ""
    if message.quote:
        return message.quote.text
    return message.reply_to_message.text or message.reply_to_message.caption or ""


# What won a round


async def _replied_round(context: Context) -> tuple[Round, list[Find]] | None:
    """The round that is over in the message replied to, and what won it, if its game shows steps of that."""
    above = context.replied_bot_message
    if above is None or (context.message and context.message.quote):
        return None
    number = above.message_id

    def look(tx: Tx) -> tuple[Round, list[Find]] | None:
        round = rounds.load_round_of_message(tx, context.chat.id, number)
        return None if round is None else _won(tx, round)

    return await context.services.store.read(look)


def _won(tx: Tx, round: Round) -> tuple[Round, list[Find]] | None:
    """What won a round that is over; None where nothing did, or its game shows no steps."""
    if round.state is State.OPEN:
        return None
    found = [find for find in rounds.load_finds(tx, round.id) if GAMES[round.game].list_steps(find.answer)]
    return (round, found) if found else None


def _winners(context: Context, over: Round, found: Sequence[Find]) -> Effect:
    """The steps of each line that won, in a message."""

    def effect(tx: Tx) -> list[Request]:
        names = people.load_names(tx, [find.player_id for find in found])
        shown = [context.reply(render_winners(over, found, names))]
        return secrecy.show_solution(context, parse_hand_numbers(over.line), shown)(tx)

    return effect


async def steps_pressed(context: Context) -> Effect:
    """The button under a round that is over: the steps of what won it, to whoever presses, above the chat."""
    round = await load_pressed_round(context)
    won = await context.services.store.read(lambda tx: _won(tx, round)) if round else None
    if won is None:
        return refuse_old_button(context)
    over, found = won
    answer = context.answer_press(render_alert(over, found), alert=True)
    return secrecy.show_solution(context, parse_hand_numbers(over.line), answer)


SIGNED = re.compile(r"[-+*/×÷()]")


def _work(words: Sequence[str]) -> UpdateKind:
    """A search where numbers stand behind it, for what can be made of them; else it is worked out at once."""
    return UpdateKind.SEARCH if words and not SIGNED.search(" ".join(words)) else UpdateKind.QUESTION


ROUTES = Routes(
    commands=[
        CommandRoute(
            "why",
            why,
            _work,
            lambda speech: speech.translate_plain("an expression, step by step: /why 8/(3-8/3)"),
        ),
    ],
    buttons=[ButtonRoute("w", steps_pressed)],
)
