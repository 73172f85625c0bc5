"""What is said of 24: cards, verdicts, steps, solutions and what inline mode offers."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import solver
from bot.games.expressions.view import make_joint, render_reading_error
from bot.games.twentyfour import skills
from bot.games.twentyfour.rules import CARD_COUNTS, TARGETS, Hand, format_code, format_line
from bot.i18n import Html, Words, escape_value, quote_fragment
from bot.pictures.values import Card, HandPicture, Node, Suit
from bot.rounds.puzzle import LEVELS, Tiles, render_level
from bot.telegram.messages import Keyboard, Link, Request, make_reply_markup

SUITS: tuple[Suit, ...] = ("♠", "♥", "♦", "♣")


def assign_suits(numbers: Sequence[int]) -> tuple[Card, ...]:
    """The hand's cards, the same whenever it is shown.

    Each has its place's suit. No card is there twice, as long as a pack holds them.
    """
    dealt: list[Card] = []
    for place, number in enumerate(numbers):
        ways = [Card(number, SUITS[(place + n) % len(SUITS)]) for n in range(len(SUITS))]
        dealt.append(next((card for card in ways if card not in dealt), ways[0]))
    return tuple(dealt)


def build_deal_picture(hand: Hand) -> HandPicture:
    """The hand as it is dealt."""
    return HandPicture(assign_suits(hand.numbers), hand.target)


def build_tree(hand: Hand, answer: str) -> Node | None:
    """How an answer makes the target of those cards; None for one that can't be read."""
    try:
        return _tree(solver.parse(answer), _taken(hand))
    except (ValueError, ZeroDivisionError):
        return None


def _tree(part: solver.Expression, leaf: Callable[[int], Card]) -> Node:
    if not part.op:
        return leaf(part.number)
    return make_joint(part.op, _tree(part.left, leaf), _tree(part.right, leaf), part.value)


def _taken(hand: Hand) -> Callable[[int], Card]:
    """Takes a card of that number out of the hand, the first one first."""
    left = list(assign_suits(hand.numbers))

    def take(number: int) -> Card:
        card = next((card for card in left if card.number == number), None)
        if card is None:
            raise ValueError(f"not in the hand: {number!r}")
        left.remove(card)
        return card

    return take


RANKS = {number: letter for letter, number in solver.CARDS.items()}
PAGE = 10  # Ideas on a page
MOST_OFFERED = 20  # Ideas offered one by one


def render_usage(words: Words, fragment: str) -> Html:
    """What /play takes, said to somebody who wrote `fragment` behind it."""
    return words.translate(
        "“{fragment}”? Say how hard ({easy}, {medium}, {hard}, {fiendish}), how many cards ({fewest}–{most}),"
        " which target, or “{all}” for every idea: /play {hard} 36",
        fragment=quote_fragment(fragment),
        fewest=CARD_COUNTS.start,
        most=CARD_COUNTS.stop - 1,
        all=words.translate_plain("all"),
        **{level: render_level(words, level) for level in LEVELS},
    )


def render_no_such_hand(words: Words) -> Html:
    """When no hand is as it was asked for."""
    return words.translate(
        "I found no such hand. Try another level, or another target from {least} to {most}.",
        least=TARGETS.start,
        most=TARGETS.stop - 1,
    )


def render_too_many_ideas(words: Words, count: int) -> Html:
    """When no hand was found whose ideas can all be listed: fewer cards have fewer."""
    return words.translate(
        "Hands of {cards} cards mostly have too many ideas to find them all. This works: /play all {fewer}",
        cards=count,
        fewer=max(CARD_COUNTS.start, count - 1),
    )


def render_cards(numbers: Sequence[int]) -> str:
    """The hand as playing cards: `3♠ 8♥ 3♦ 8♣`."""
    return " ".join(f"{RANKS.get(card.number, card.number)}{card.suit}" for card in assign_suits(numbers))


def build_tiles(hand: Hand) -> Tiles:
    """The cards' numbers, as a page lays them out."""
    shown = tuple(str(RANKS.get(number, number)) for number in hand.numbers)
    return Tiles(tuple(map(str, hand.numbers)), shown, str(hand.target), uses_all=True)


def format_mixed_number(value: Fraction) -> str:
    """A value as people write it: `23 1/9`."""
    whole, rest = divmod(abs(value.numerator), value.denominator)
    size = f"{whole} {rest}/{value.denominator}" if whole and rest else str(abs(value))
    return f"−{size}" if value < 0 else size


def render_wrong_answer(words: Words, verdict: solver.Verdict, target: int) -> Html:
    """Why an answer doesn't win, in one line."""
    match verdict:
        case solver.WrongValue(value=value, expression=expression):
            return words.translate(
                "{expression} = {value}, not {target}.",
                expression=str(expression),
                value=format_mixed_number(value),
                target=target,
            )
        case solver.WrongNumbers(missing=missing, extra=extra):
            return _wrong_numbers(words, missing, extra)
        case solver.Unreadable(reason=reason, fragment=fragment):
            return render_reading_error(words, reason, fragment)
    raise TypeError(f"not a wrong answer: {verdict!r}")


def render_spacing_hint(words: Words, apart: str) -> Html:
    """What to write instead of a hand in one word."""
    return words.translate("Numbers need spaces between them: /solve {hand}", hand=apart)


def _wrong_numbers(words: Words, missing: Sequence[int], extra: Sequence[int]) -> Html:
    parts = {"missing": ", ".join(map(str, missing)), "extra": ", ".join(map(str, extra))}
    if missing and extra:
        return words.translate("Use each number once. Missing: {missing}; too many: {extra}.", **parts)
    if missing:
        return words.translate("Use each number once. Missing: {missing}.", **parts)
    return words.translate("Use each number once. Too many: {extra}.", **parts)


def render_steps(words: Words, expression: solver.Expression | solver.Working) -> Html:
    """Every step that says something, with its exact result; a fraction above one as people write it too."""
    told = solver.telling(map(_mixed_too, expression.steps()))
    if not told:
        return words.translate(
            "{expression} is a fraction already: there is nothing left to work out.", expression=expression
        )
    lines = [Html(escape_value(f"{number}. {step}")) for number, step in enumerate(told, start=1)]
    whole = words.translate(
        "{expression} = {value}, step by step:",
        expression=expression,
        value=format_mixed_number(expression.value),
    )
    return Html("\n".join([Html(f"<b>{whole}</b>"), *lines]))


def _mixed_too(step: str) -> str:
    worked, _, shown = step.rpartition(" = ")
    result = format_mixed_number(Fraction(shown))
    if result.replace("−", "-") == shown:
        return step
    return f"{worked if worked == shown else step} = {result}"  # a fraction of two cards says its own value


def render_solutions(
    words: Words, numbers: Sequence[int], target: int, ideas: Sequence[str], *, complete: bool, page: int = 0
) -> tuple[Html, Keyboard | None]:
    """One page of what solves a hand."""
    line = Html(escape_value(format_line(numbers, target)))
    if not ideas:
        text = words.translate("There is no way.") if complete else words.translate("I found no way in time.")
        return Html(f"{line}\n{text}"), None
    pages = -(-len(ideas) // PAGE)
    page = min(max(page, 0), pages - 1)
    here = ideas[page * PAGE : (page + 1) * PAGE]
    shown = [Html(f"<b>{escape_value(idea)} = {target}</b>") for idea in here]
    count = (
        words.translate_plural("{n} idea", "{n} ideas", len(ideas))
        if complete
        else words.translate_plural(
            "{n} idea, and there are more", "{n} ideas, and there are more", len(ideas)
        )
    )
    text = Html("\n".join([line, *shown, count]))
    data = f"v:{','.join(map(str, numbers))}={target}:"
    row = [(label, f"{data}{to}") for label, to in (("‹", page - 1), ("›", page + 1)) if 0 <= to < pages]
    return text, [row] if row and all(len(data.encode()) <= 64 for _, data in row) else None


def render_unsolvable(words: Words, numbers: Sequence[int], target: int) -> Html:
    """When a hand that is to be played has no solution."""
    shown = " ".join(map(str, numbers))
    return words.translate("There is no way to make {target} from {numbers}.", target=target, numbers=shown)


def render_why_hint(words: Words, expression: solver.Expression | solver.Working) -> Html:
    """Said to who asks how an expression is done."""
    return words.translate(
        "That is an expression: /why {expression} shows it step by step.", expression=expression
    )


def render_solve_hint(words: Words, hand: str) -> Html:
    """Said to who asks how numbers are done as if they were an expression."""
    return words.translate("That is a hand: /solve {hand} shows how it is done.", hand=hand)


def render_own_numbers_hint(words: Words, hand: str) -> Html:
    """Said in a group to who wants to play certain numbers."""
    return words.translate(
        "Numbers of your own? Send them to me in private, or see how it is done: /solve {hand}", hand=hand
    )


def render_choice(
    words: Words, numbers: Sequence[int], target: int, *, playable: bool
) -> tuple[Html, Keyboard]:
    """Numbers that somebody typed: to be shown, or to be played."""
    row = [(words.translate_plain("Show how"), f"v:{','.join(map(str, numbers))}={target}:0")]
    if playable:
        row.append((words.translate_plain("Play it"), f"y:{format_code(numbers, target)}"))
    return Html(f"{escape_value(format_line(numbers, target))}"), [row]


def build_inline_answer(
    person_id: int, query_id: str, offers: Sequence[dict[str, Any]], button: tuple[str, str]
) -> Request:
    """The answer to an inline query; `button` stands above the offers: what it says, and its `?start=`."""
    text, door = button
    params = {
        "inline_query_id": query_id,
        "results": list(offers),
        "cache_time": 0,  # the hand may be dealt meanwhile
        "is_personal": True,
        "button": {"text": text, "start_parameter": door},
    }
    return Request(person_id, {"method": "answerInlineQuery", "params": params})


def build_hand_article(words: Words, numbers: Sequence[int], target: int, bot: str) -> dict[str, Any]:
    """A hand to post, with a button that deals it in private."""
    code = format_code(numbers, target)
    line = format_line(numbers, target)
    text = Html(
        f"🃏 <b>{escape_value(render_cards(numbers))}</b>\n{escape_value(line)}\n{words.translate('Who finds it?')}"
    )
    keyboard = [[(words.translate_plain("Solve it"), Link(f"https://t.me/{bot}?start=hand_{code}"))]]
    return _article("hand", words.translate_plain("A hand to solve"), line, text, keyboard)


def build_solution_articles(
    words: Words, numbers: Sequence[int], target: int, ideas: Sequence[str], *, complete: bool
) -> list[dict[str, Any]]:
    """What solves a hand: all of it in one message, and each idea by itself."""
    line = format_line(numbers, target)
    whole, _ = render_solutions(words, numbers, target, ideas, complete=complete)
    if not ideas:
        return [_article("none", words.translate_plain("There is no way."), line, whole)] if complete else []
    ones = [
        _article(
            str(n),
            f"{idea} = {target}",
            line,
            Html(f"{escape_value(line)}\n<b>{escape_value(idea)} = {target}</b>"),
        )
        for n, idea in enumerate(ideas[:MOST_OFFERED])
    ]
    count = words.translate_plural("{n} idea", "{n} ideas", len(ideas))
    return [*([_article("all", str(count), line, whole)] if len(ideas) > 1 and complete else []), *ones]


def _article(
    key: str, title: str, description: str, text: Html, keyboard: Keyboard | None = None
) -> dict[str, Any]:
    content = {"message_text": text, "parse_mode": "HTML", "link_preview_options": {"is_disabled": True}}
    article: dict[str, Any] = {"type": "article", "id": key, "title": title, "description": description}
    article["input_message_content"] = content
    return article | ({"reply_markup": make_reply_markup(keyboard)} if keyboard else {})


def list_skill_names(words: Words) -> dict[str, str]:
    """What the skills are called."""
    return {
        skills.DIVISION: words.translate_plain("Divisions"),
        skills.FRACTION: words.translate_plain("Fractions"),
        skills.SUBTRACTION: words.translate_plain("Subtractions"),
        skills.LARGE: words.translate_plain("Large targets"),
        skills.TARGET: words.translate_plain("Other targets"),
        skills.HARD: words.translate_plain("Hard hands"),
        skills.MORE_CARDS: words.translate_plain("Five cards"),
    }


def render_advice(words: Words, skill: str) -> Html:
    """What to try, for somebody who finds a skill hard."""
    return {
        skills.DIVISION: words.translate("Make 48, 72 or 96 first, then divide; two equal numbers make a 1."),
        skills.FRACTION: words.translate("Divide by a fraction: 8/(1/3) is 24, and so is 6/(1/4)."),
        skills.SUBTRACTION: words.translate("Overshoot, then take away: 25−1, 28−4, 30−6."),
        skills.LARGE: words.translate("Multiply first: which two make most of it, and what is missing then?"),
        skills.TARGET: words.translate("Take the target apart first: which card divides it, which is near?"),
        skills.HARD: words.translate("Begin at the end: which step with one of the cards could be the last?"),
        skills.MORE_CARDS: words.translate("Join two cards into one that helps, and it is a hand of four."),
    }[skill]
