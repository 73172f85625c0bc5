"""Render a hand of the review: how it ended, what was tried, a solution and the idea behind it."""

from bot.formats import format_duration, format_expression, format_fraction
from bot.games.expressions.view import number_steps
from bot.i18n import Html, Words, escape_value, make_mention
from bot.modes.review.queries import ReviewedHand
from bot.pictures.alt_text import list_tree_steps
from bot.pictures.values import Picture, SolutionPicture
from bot.rounds.mode import find_mode
from bot.rounds.puzzle import RUN_KINDS, Kind
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State, is_slow
from bot.rounds.view import REVIEW_BUTTON
from bot.telegram.messages import Keyboard


def render_hand(words: Words, hand: ReviewedHand, place: str, secret: str | None) -> Html:
    """Render a hand; `place` is its number, as in `2/5`, and `secret` why its solution may not be shown."""
    shown = [Html(f"🙈 {escape_value(secret)}")] if secret else _render_solution(words, hand.round)
    lines = [
        Html(f"🔎 <b>{words.translate('Review')}</b> · {place}"),
        Html(escape_value(hand.round.line)),
        *_render_end(words, hand),
        *_render_tried(words, hand),
        *shown,
    ]
    return Html("\n".join(lines))


def make_buttons(hand_key: str, number: int, count: int) -> Keyboard:
    """Return the buttons to the hands before and after this one; `number` counts from 1."""
    pages = (("‹", number - 1), ("›", number + 1))
    row = [(label, f"{REVIEW_BUTTON}:{hand_key}:{page}") for label, page in pages if 1 <= page <= count]
    return [row] if row else []


def _render_end(words: Words, hand: ReviewedHand) -> list[Html]:
    """Render the player's answer and time, or how the hand ended without one."""
    round = hand.round
    if hand.seconds is not None:
        answer = escape_value(GAMES[round.game].format_answer(round.puzzle, hand.answer))
        took, usual = (format_duration(words, seconds) for seconds in (hand.seconds, round.expected))
        line = words.translate("You found {answer} in {took}.", answer=answer, took=took)
        if is_slow(round, hand.seconds):
            line = words.translate(
                "You found {answer} in {took}, usually {usual}.", answer=answer, took=took, usual=usual
            )
        return [line]
    if round.winner_id is not None:
        took = format_duration(words, (round.closed or 0.0) - round.opened)
        return [words.translate("{name} found it in {took}.", name=make_mention(round.winner_id), took=took)]
    is_ended_by_miss = round.kind is Kind.STREAK and hand.has_cost
    if round.state is State.SKIPPED and not is_ended_by_miss:
        return [words.translate("Given up.")]
    if round.kind in RUN_KINDS and round.deadline is not None and (round.closed or 0.0) >= round.deadline:
        return [words.translate("Time was up.")]
    return [words.translate("Not found this time.")]


def _render_tried(words: Words, hand: ReviewedHand) -> list[Html]:
    """Render the wrong answers, each with its value, and the entry that did not win; empty without any."""
    round = hand.round
    tried = [_format_wrong_answer(round, text) for text in hand.wrong_answers]
    if hand.entry:
        tried.append(GAMES[round.game].format_answer(round.puzzle, hand.entry))
    return [words.translate("You tried: {answers}", answers=", ".join(dict.fromkeys(tried)))] if tried else []


def _format_wrong_answer(round: Round, text: str) -> str:
    verdict = find_mode(round).check(round, text)
    if verdict.value is None:
        return format_expression(verdict.answer) if verdict.answer else text
    return f"{format_expression(verdict.answer)} = {format_fraction(verdict.value)}"


def _render_solution(words: Words, round: Round) -> list[Html]:
    """Render the first solution with its steps, and the idea behind it."""
    game, puzzle = GAMES[round.game], round.puzzle
    lines: list[Html] = []
    for answer in game.solutions(puzzle)[:1]:
        tree = game.pictures.make_solution_tree(puzzle, answer)
        steps = list_tree_steps(tree) if tree else []
        lines = [Html(f"<b>{escape_value(game.format_answer(puzzle, answer))}</b>"), *number_steps(steps)]
    return [*lines, *_render_idea(words, round)]


def _render_idea(words: Words, round: Round) -> list[Html]:
    """Render the hints to the first solution, and advice for a skill that the hand needs."""
    game, puzzle = GAMES[round.game], round.puzzle
    # Without the last hint, which shows nearly the whole solution
    hints = game.hints.render_first(words, puzzle, max(0, game.hints.count(puzzle) - 1))
    lines = [Html(f"💡 {hint}") for hint in hints]
    if game.practice is not None:
        needed = game.practice.find_skills(puzzle)
        for skill in [each for each in game.practice.skills if each in needed][:1]:
            name = escape_value(game.practice.get_skill_name(words, skill))
            lines += [Html(f"💭 {name}"), game.practice.render_advice(words, skill)]
    return lines


def make_picture(round: Round, *, shows_solution: bool) -> Picture | None:
    """Return the picture of the first solution, else that of the deal; None if the game draws none."""
    game = GAMES[round.game]
    for answer in game.solutions(round.puzzle)[:1] if shows_solution else ():
        tree = game.pictures.make_solution_tree(round.puzzle, answer)
        if tree is not None:
            return SolutionPicture(round.line, "", tree)
    return game.pictures.make_deal_picture(round.puzzle)


def render_empty(words: Words, *, took_part: bool) -> Html:
    """Say why there is no hand to show."""
    if took_part:
        return words.translate("Nothing to review: nothing went wrong.")
    return words.translate("Nothing to review: you did not play.")
