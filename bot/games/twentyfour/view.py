"""Render 24: cards, wrong answers, steps, solutions and articles for inline mode."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import solver
from bot.formats import format_expression, format_fraction
from bot.games.expressions.answer_parser import Computation
from bot.games.expressions.view import list_steps, make_joint, number_steps
from bot.games.twentyfour.dealing import Solutions
from bot.games.twentyfour.rules import TARGETS, Hand, Question
from bot.i18n import Html, Words, escape_value
from bot.pictures.values import Card, Node, Suit
from bot.queue.outgoing import Outgoing
from bot.telegram.messages import Keyboard, Link, make_reply_markup

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


def render_unsolvable(words: Words, question: Question) -> Html:
    numbers = " ".join(map(str, question.numbers))
    return words.translate(
        "There is no way to make {target} from {numbers}.", target=question.target, numbers=numbers
    )


def render_typed_hand_help(words: Words) -> Html:
    return words.translate(
        "Write three to six cards from 1 to 13, with a target if it isn’t 24: 3 8 3 8 = 24"
    )


def render_no_such_hand(words: Words) -> Html:
    return words.translate(
        "I found no such hand. Try another level, or another target from {least} to {most}.",
        least=TARGETS.start,
        most=TARGETS.stop - 1,
    )


def render_own_example(words: Words, hand: Hand) -> Html:
    """Say that an answer is only the bot's example of one."""
    numbers = " ".join(map(str, hand.numbers))
    return words.translate("That is only my example. This hand is {hand}.", hand=numbers)


def render_number_alone(words: Words, hand: Hand, example: str) -> Html:
    """Ask for an expression where an answer is only a number."""
    return words.translate(
        "Tell me how you make {target} from {hand}, for example {example}",
        target=hand.target,
        hand=" ".join(map(str, hand.numbers)),
        example=example,
    )


def render_spacing_hint(words: Words, separated: str) -> Html:
    """Say that numbers need spaces; `separated` is the typed hand with spaces, as an example."""
    return words.translate("Numbers need spaces between them: /solve {hand}", hand=separated)


def render_steps(words: Words, expression: Computation) -> Html:
    heading = words.translate(
        "{expression} = {value}, step by step:",
        expression=format_expression(expression),
        value=format_fraction(expression.value),
    )
    return Html("\n".join([f"<b>{heading}</b>", *number_steps(list_steps(expression))]))


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
    lines = [Html(f"<b>{format_expression(idea)} = {question.target}</b>") for idea in on_page]
    if found.complete:
        count = words.translate_plural("{n} way", "{n} ways", len(ideas))
    else:
        count = words.translate_plural(
            "{n} way, and there are more", "{n} ways, and there are more", len(ideas)
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


@dataclass(frozen=True, slots=True)
class Article:
    """One of the results of an inline query: choosing it posts a message."""

    id: str
    title: str
    description: str
    message: Html
    keyboard: Keyboard | None = None


def build_inline_answer(
    person_id: int, query_id: str, articles: Sequence[Article], *, label: str, start: str
) -> Outgoing:
    """Build the answer to an inline query, with a button of that label for the link to the bot `?start=…`."""
    params = {
        "inline_query_id": query_id,
        "results": [_format_article(article) for article in articles],
        "cache_time": 0,  # A hand may become secret at any time
        "is_personal": True,
        "button": {"text": label, "start_parameter": start},
    }
    return Outgoing(person_id, "answerInlineQuery", params)


def _format_article(article: Article) -> dict[str, object]:
    """Return the article as Telegram's JSON."""
    markup = {"reply_markup": make_reply_markup(article.keyboard)} if article.keyboard else {}
    return {
        "type": "article",
        "id": article.id,
        "title": article.title,
        "description": article.description,
        "input_message_content": {
            "message_text": article.message,
            "parse_mode": "HTML",
            "link_preview_options": {"is_disabled": True},
        },
        **markup,
    }


def build_hand_article(words: Words, question: Question, bot: str) -> Article:
    """Build an article that posts a hand with a link that deals it in private; `bot` is a username."""
    line = question.line
    cards = Html(f"🃏 <b>{escape_value(render_cards(question.numbers))}</b>")
    text = Html("\n".join([cards, escape_value(line), words.translate("Who finds it?")]))
    link = Link(f"https://t.me/{bot}?start=hand_{question.code}")
    keyboard = [[(words.translate_plain("Solve it"), link)]]
    title = words.translate_plain("A hand to solve")
    return Article("hand", title, description=line, message=text, keyboard=keyboard)


MAX_ARTICLES = 20  # Ideas with an article of their own


def build_solution_articles(words: Words, question: Question, found: Solutions) -> list[Article]:
    """Build an article for each of the first ideas.

    If there are several ideas and all were found, an article with a page of them comes first. If a hand has
    no solution, the only article says so. The list is empty if nothing was found in time.
    """
    line = question.line
    ideas = found.ideas
    first_page, _ = render_solutions(words, question, found)
    if not ideas:
        none = words.translate_plain("There is no way.")
        return [Article("none", none, description=line, message=first_page)] if found.complete else []
    articles = []
    for n, idea in enumerate(ideas[:MAX_ARTICLES]):
        solution = f"{format_expression(idea)} = {question.target}"
        text = Html(f"{escape_value(line)}\n<b>{escape_value(solution)}</b>")
        articles.append(Article(str(n), solution, description=line, message=text))
    if len(ideas) == 1 or not found.complete:
        return articles
    count = words.translate_plural("{n} way", "{n} ways", len(ideas))
    return [Article("all", str(count), description=line, message=first_page), *articles]
