"""Render 24: cards, wrong answers, steps, solutions and articles for inline mode."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import solver
from bot.games.expressions.answer_parser import Computation
from bot.games.expressions.view import make_joint, number_steps, render_reading_error
from bot.games.twentyfour.dealing import Solutions
from bot.games.twentyfour.rules import TARGETS, Hand, Question
from bot.i18n import Html, Words, escape_value
from bot.pictures.values import Card, Node, Suit
from bot.telegram.messages import Keyboard, Link, Request, make_reply_markup

SUITS: tuple[Suit, ...] = ("♠", "♥", "♦", "♣")


def assign_suits(numbers: Sequence[int]) -> tuple[Card, ...]:
    """Return the numbers as cards, the same suits each time; up to four of a rank have different ones."""
    cards: list[Card] = []
    for place, number in enumerate(numbers):
        # The suits take turns by place; a card that is there already gets the next suit
        candidates = [Card(number, SUITS[(place + n) % len(SUITS)]) for n in range(len(SUITS))]
        unused = [card for card in candidates if card not in cards]
        cards.append(unused[0] if unused else candidates[0])
    return tuple(cards)


RANKS = {number: letter for letter, number in solver.CARDS.items()}


def render_cards(numbers: Sequence[int]) -> str:
    """Render the hand as playing cards: `3♠ 8♥ 3♦ 8♣`."""
    return " ".join(f"{RANKS.get(card.number, card.number)}{card.suit}" for card in assign_suits(numbers))


def build_tree(hand: Hand, answer: str) -> Node | None:
    """Return an answer as a tree of the hand's cards; None if it can't be read or is of other cards."""
    unused_cards = list(assign_suits(hand.numbers))

    def build_node(part: solver.Expression) -> Node:
        """Build a tree and take its cards out of `unused_cards`. Raises ValueError if one is missing."""
        if not part.op:
            place = [card.number for card in unused_cards].index(part.number)
            return unused_cards.pop(place)
        return make_joint(part.op, build_node(part.left), build_node(part.right), part.value)

    try:
        return build_node(solver.parse(answer))
    except ValueError:
        return None


def render_no_such_hand(words: Words) -> Html:
    return words.translate(
        "I found no such hand. Try another level, or another target from {least} to {most}.",
        least=TARGETS.start,
        most=TARGETS.stop - 1,
    )


def render_wrong_answer(words: Words, verdict: solver.Verdict, target: int) -> Html:
    """Render in one line why an answer is not right. Raises TypeError for a right one."""
    match verdict:
        case solver.WrongValue(value=value, expression=expression):
            return words.translate(
                "{expression} = {value}, not {target}.",
                expression=str(expression),
                value=format_mixed_number(value),
                target=target,
            )
        case solver.WrongNumbers():
            missing = ", ".join(map(str, verdict.missing))
            extra = ", ".join(map(str, verdict.extra))
            if missing and extra:
                return words.translate(
                    "Use each number once. Missing: {missing}; too many: {extra}.",
                    missing=missing,
                    extra=extra,
                )
            if missing:
                return words.translate("Use each number once. Missing: {missing}.", missing=missing)
            return words.translate("Use each number once. Too many: {extra}.", extra=extra)
        case solver.Unreadable(reason=reason, fragment=fragment):
            return render_reading_error(words, reason, fragment)
    raise TypeError(f"not a wrong answer: {verdict!r}")


def format_mixed_number(value: Fraction) -> str:
    """Return a value as people write it: `23 1/9`, or `−1/2` with a true minus sign."""
    whole, rest = divmod(abs(value.numerator), value.denominator)
    size = f"{whole} {rest}/{value.denominator}" if whole and rest else str(abs(value))
    return f"−{size}" if value < 0 else size


def render_spacing_hint(words: Words, separated: str) -> Html:
    """Say that numbers need spaces; `separated` is the typed hand with spaces, as an example."""
    return words.translate("Numbers need spaces between them: /solve {hand}", hand=separated)


def render_steps(words: Words, expression: Computation) -> Html:
    """Render the steps that say something, with mixed numbers; if none is left, say that it is a fraction."""
    steps = solver.drop_trivial_steps(map(_format_step, expression.steps()))  # Without `7/2 = 7/2`
    if not steps:
        return words.translate(
            "{expression} is a fraction already: there is nothing left to work out.", expression=expression
        )
    heading = words.translate(
        "{expression} = {value}, step by step:",
        expression=expression,
        value=format_mixed_number(expression.value),
    )
    return Html("\n".join([f"<b>{heading}</b>", *number_steps(steps)]))


def _format_step(step: str) -> str:
    """Add the mixed number to a step whose result is a fraction above one: `8-9/2 = 7/2 = 3 1/2`."""
    operation, _, result = step.rpartition(" = ")
    mixed = format_mixed_number(Fraction(result))
    is_plain = mixed.replace("−", "-") == result  # A whole number, or a fraction below one
    if is_plain:
        return step
    if operation == result:  # `7/2 = 7/2` would repeat itself
        return f"{operation} = {mixed}"
    return f"{step} = {mixed}"


IDEAS_PER_PAGE = 10
MAX_BUTTON_DATA = 64  # Bytes that Telegram takes for a button


def render_solutions(
    words: Words, question: Question, found: Solutions, page: int = 0
) -> tuple[Html, Keyboard | None]:
    """Render a page of the ideas, from 0 (if too high: the last), with buttons to the pages beside it."""
    line = Html(escape_value(question.line))
    ideas = found.ideas
    if not ideas:
        none = words.translate("There is no way.")
        text = none if found.complete else words.translate("I found no way in time.")
        return Html(f"{line}\n{text}"), None
    page_count = math.ceil(len(ideas) / IDEAS_PER_PAGE)
    page = min(page, page_count - 1)
    on_page = ideas[page * IDEAS_PER_PAGE : (page + 1) * IDEAS_PER_PAGE]
    lines = [Html(f"<b>{escape_value(idea)} = {question.target}</b>") for idea in on_page]
    if found.complete:
        count = words.translate_plural("{n} idea", "{n} ideas", len(ideas))
    else:
        count = words.translate_plural(
            "{n} idea, and there are more", "{n} ideas, and there are more", len(ideas)
        )
    return Html("\n".join([line, *lines, count])), _make_page_buttons(question, page, page_count)


def _make_page_buttons(question: Question, page: int, page_count: int) -> Keyboard | None:
    """Return buttons to the pages before and after; None if there are none, or the hand is too long."""
    row = [
        (label, _make_page_data(question, number))
        for label, number in (("‹", page - 1), ("›", page + 1))
        if 0 <= number < page_count
    ]
    can_be_sent = all(len(data.encode()) <= MAX_BUTTON_DATA for _, data in row)
    return [row] if row and can_be_sent else None


def _make_page_data(question: Question, page: int) -> str:
    """Return the data of a button that shows a page of the ideas for a hand."""
    return f"v:{','.join(map(str, question.numbers))}={question.target}:{page}"


def render_choice(words: Words, question: Question, *, playable: bool) -> tuple[Html, Keyboard]:
    """Render a typed hand with a button for its solutions and, if it is `playable`, one to deal it."""
    row = [(words.translate_plain("Show how"), _make_page_data(question, page=0))]
    if playable:
        row.append((words.translate_plain("Play it"), f"y:{question.code}"))  # For `press_play_hand`
    return Html(escape_value(question.line)), [row]


def build_inline_answer(
    person_id: int, query_id: str, articles: Sequence[dict[str, Any]], button: tuple[str, str]
) -> Request:
    """Build the answer to an inline query; `button` is the label of a link to the bot and its `?start=`."""
    label, start = button
    params = {
        "inline_query_id": query_id,
        "results": list(articles),
        "cache_time": 0,  # A hand may become secret at any time
        "is_personal": True,
        "button": {"text": label, "start_parameter": start},
    }
    return Request(person_id, {"method": "answerInlineQuery", "params": params})


def build_hand_article(words: Words, question: Question, bot: str) -> dict[str, Any]:
    """Build an article that posts a hand with a link that deals it in private; `bot` is a username."""
    line = question.line
    cards = Html(f"🃏 <b>{escape_value(render_cards(question.numbers))}</b>")
    text = Html("\n".join([cards, escape_value(line), words.translate("Who finds it?")]))
    link = Link(f"https://t.me/{bot}?start=hand_{question.code}")
    keyboard = [[(words.translate_plain("Solve it"), link)]]
    return _build_article("hand", words.translate_plain("A hand to solve"), line, text, keyboard)


MAX_ARTICLES = 20  # Ideas with an article of their own


def build_solution_articles(words: Words, question: Question, found: Solutions) -> list[dict[str, Any]]:
    """Build an article for each of the first ideas.

    If there are several ideas and all were found, an article with a page of them comes first. If a hand has
    no solution, the only article says so. The list is empty if nothing was found in time.
    """
    line = question.line
    ideas = found.ideas
    first_page, _ = render_solutions(words, question, found)
    if not ideas:
        none = words.translate_plain("There is no way.")
        return [_build_article("none", none, line, first_page)] if found.complete else []
    articles = []
    for n, idea in enumerate(ideas[:MAX_ARTICLES]):
        solution = f"{idea} = {question.target}"
        text = Html(f"{escape_value(line)}\n<b>{escape_value(solution)}</b>")
        articles.append(_build_article(str(n), solution, line, text))
    if len(ideas) == 1 or not found.complete:
        return articles
    count = words.translate_plural("{n} idea", "{n} ideas", len(ideas))
    return [_build_article("all", str(count), line, first_page), *articles]


def _build_article(
    key: str, title: str, description: str, text: Html, keyboard: Keyboard | None = None
) -> dict[str, Any]:
    content = {"message_text": text, "parse_mode": "HTML", "link_preview_options": {"is_disabled": True}}
    article: dict[str, Any] = {"type": "article", "id": key, "title": title, "description": description}
    article["input_message_content"] = content
    if keyboard:
        article["reply_markup"] = make_reply_markup(keyboard)
    return article
