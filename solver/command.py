"""The commands: what each prints, and its exit code. Each loads the modules that it needs."""

from __future__ import annotations

import argparse
import sys
from time import perf_counter

from solver.arguments import read
from solver.hands import BadInputError
from solver.terminal import arrow, bold, fitting, open_log, print_json, progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TextIO

    from solver.expression import Expression
    from solver.wording import Hint

# What is shown of a skeleton where standard output lacks its signs.
STAND_INS = {ord("□"): "_", ord("○"): "o"}


def run(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name, or the prompt; the result is the exit code."""
    asked = read(arguments)
    return COMMANDS[asked.command](asked)


def _find(
    numbers: Sequence[int], target: int, *, forms: bool, limit: int | None, log: TextIO | None
) -> Iterator[Expression]:
    """The solutions that are asked for; `log` gets the search."""
    from solver.search import search, search_ideas

    look = search if forms else search_ideas
    try:
        if not log:
            return look(numbers, target, limit)
        print(f"{' '.join(map(str, numbers))} -> {target}", file=log)
        return look(numbers, target, limit, lambda line: print(f"  {line}", file=log))
    except ValueError as error:
        raise BadInputError(str(error)) from None


def _solve(asked: argparse.Namespace) -> int:
    if asked.count and not (asked.log or asked.first or asked.limit or asked.explain):
        return _count(asked)
    start = perf_counter()
    numbers = asked.numbers
    limit = 1 if asked.first else asked.limit
    shown: list[Expression] = []
    with open_log(asked.log) as log, progress(shown):
        for solution in _find(numbers, asked.target, forms=asked.forms, limit=limit, log=log):
            shown.append(solution)
            if not (asked.json or asked.count):
                _show(solution, explain=asked.explain)
    if asked.json:
        solutions = list(map(str, shown))
        steps = {"steps": [_told(solution) for solution in shown]} if asked.explain else {}
        seconds = perf_counter() - start
        print_json(
            numbers=numbers,
            target=asked.target,
            solutions=solutions,
            count=len(shown),
            seconds=seconds,
            **steps,
        )
    elif asked.count:
        print(len(shown))
    elif not shown:
        print("no solution")
    return 0 if shown else 1


def _count(asked: argparse.Namespace) -> int:
    from solver.count import count_forms, count_ideas

    start = perf_counter()
    try:
        with progress([]):
            found = (count_forms if asked.forms else count_ideas)(asked.numbers, asked.target)
    except ValueError as error:
        raise BadInputError(str(error)) from None
    if asked.json:
        print_json(numbers=asked.numbers, target=asked.target, count=found, seconds=perf_counter() - start)
    else:
        print(found)
    return 0 if found else 1


def _show(solution: Expression, *, explain: bool) -> None:
    print(bold(str(solution)), flush=sys.stdout.isatty())
    if explain:
        for step in _told(solution):
            print(f"  {step}")


def _told(solution: Expression) -> list[str]:
    from solver.expression import telling

    return telling(solution.steps())


def _countdown(asked: argparse.Namespace) -> int:
    numbers = asked.numbers
    if not numbers:
        return _countdown_lines(asked)
    if asked.target is None:
        raise BadInputError("countdown needs a target behind the numbers: = 573, or --target 573")
    start = perf_counter()
    best = _best(numbers, asked.target, asked.rules or "countdown")
    if asked.json:
        print_json(**best, seconds=perf_counter() - start)
    elif best["value"] is None:
        print("no solution")
    else:
        away = f", {best['distance']} away" if best["distance"] else ""
        print(f"{bold(str(best['expression']))} = {best['value']}{away}")
    return 1 if best["value"] is None else 0


def _best(numbers: Sequence[int], target: int, rules: str) -> dict[str, object]:
    from solver.nearest import CLASSIC, COUNTDOWN, OutOfReachError, nearest

    asked: dict[str, object] = {"numbers": list(numbers), "target": target, "rules": rules}
    try:
        best = nearest(numbers, target, CLASSIC if rules == "classic" else COUNTDOWN)
    except OutOfReachError:
        return asked | {"value": None, "expression": None, "distance": None}
    except ValueError as error:
        raise BadInputError(str(error)) from None
    return asked | {"value": best.value, "expression": str(best.expression), "distance": best.distance}


def _countdown_lines(asked: argparse.Namespace) -> int:
    from solver.nearest import read_draws

    if asked.target is not None:
        raise BadInputError(
            "countdown needs numbers when --target is given; lines that are read bring their own"
        )
    rules = asked.rules or "classic"
    answers = []
    try:
        for numbers, target in read_draws(sys.stdin):
            best = _best(numbers, target, rules)
            answers.append(best)
            if not asked.json:
                print(
                    best["value"] if best["value"] is not None else "none",
                    best["expression"] or "none",
                    sep="\n",
                )
    except ValueError as error:
        raise BadInputError(str(error)) from None
    if asked.json:
        print_json(answers=answers)
    return 1 if any(best["value"] is None for best in answers) else 0


def _yahtzee(asked: argparse.Namespace) -> int:
    from solver.yahtzee import best_card, read_games, write_card

    cards = []
    try:
        for game in read_games(sys.stdin):
            cards.append(best_card(game))
            if not asked.json:
                print(write_card(cards[-1]))
    except ValueError as error:
        raise BadInputError(str(error)) from None
    if asked.json:
        fields = ("scores", "bonus", "total", "assignment")
        print_json(games=[{field: getattr(card, field) for field in fields} for card in cards])
    return 0


def _rate(asked: argparse.Namespace) -> int:
    from solver.difficulty import MEASURED, is_measured, rate

    numbers = asked.numbers
    if next(_find(numbers, asked.target, forms=True, limit=1, log=None), None) is None:
        if asked.json:
            told = {"seconds": None, "level": None, "measured": is_measured(numbers, asked.target)}
            print_json(numbers=numbers, target=asked.target, **told)
        else:
            print("no solution")
        return 1
    rating = rate(numbers, asked.target)
    if asked.json:
        rated = {"seconds": rating.seconds, "level": rating.level, "measured": rating.measured}
        print_json(numbers=numbers, target=asked.target, **rated)
    elif rating.measured:
        print(f"{bold(rating.level)}: {rating.seconds:.1f} s")
    else:
        print(
            f"{bold(rating.level)}: a guess, {rating.seconds:.0f} s; people's times are known for {MEASURED}"
        )
    return 0


def _hint(asked: argparse.Namespace) -> int:
    numbers = asked.numbers
    if len(numbers) < 3:
        raise BadInputError("at least three numbers are wanted: a hint for fewer would be the answer")
    if next(_find(numbers, asked.target, forms=True, limit=1, log=None), None) is None:
        return _no_hint(numbers, asked)
    from solver.hint import hints
    from solver.wording import hint_as_json, hint_line

    found: tuple[Hint, ...] = hints(numbers, asked.target)
    shown = [(n, hint) for n, hint in enumerate(found, start=1) if asked.all or n == (asked.number or 1)]
    if asked.json:
        told = [{"number": number, **hint_as_json(hint)} for number, hint in shown]
        print_json(numbers=numbers, target=asked.target, hints=told)
        return 0
    for number, hint in shown:
        line = f"{number}. {hint_line(hint)}"
        print(fitting(line, line.translate(STAND_INS)))
    return 0


def _no_hint(numbers: Sequence[int], asked: argparse.Namespace) -> int:
    if asked.json:
        print_json(numbers=numbers, target=asked.target, hints=[])
    else:
        print("no solution")
    return 1


def _check(asked: argparse.Namespace) -> int:
    from solver.answer import Correct, Unreadable, check
    from solver.wording import pointed, verdict_as_json, verdict_line

    numbers = asked.numbers
    verdict = check(asked.expression, numbers, asked.target)
    if asked.json:
        print_json(numbers=numbers, target=asked.target, **verdict_as_json(verdict))
    elif isinstance(verdict, Unreadable):
        print(pointed(asked.expression, verdict.position, sys.stdout.encoding or "utf-8"), flush=True)
    else:
        print(verdict_line(verdict, asked.target))
    if isinstance(verdict, Unreadable):
        raise BadInputError(f"{verdict.message} (at character {verdict.position + 1})")
    return 0 if isinstance(verdict, Correct) else 1


def _deal(asked: argparse.Namespace) -> int:
    from random import Random

    from solver.deal import deal

    try:
        puzzle = deal(
            Random(asked.seed),
            cards=asked.cards,
            highest=asked.highest,
            target=asked.target,
            level=asked.level,
        )
    except ValueError as error:
        raise BadInputError(str(error)) from None
    if asked.json:
        print_json(numbers=list(puzzle.numbers), target=puzzle.target)
    else:
        print(bold(" ".join(map(str, puzzle.numbers))), arrow(), puzzle.target)
    return 0


def _verify(asked: argparse.Namespace) -> int:
    from solver.fair import commitment, dealt

    proof = f"{asked.seed} {asked.recipe}"
    try:
        lines = dealt(proof)
    except ValueError as error:
        raise BadInputError(str(error)) from None
    made = commitment(proof)
    same = asked.hash is None or asked.hash.strip().lower() == made
    if asked.json:
        print_json(seed=asked.seed, recipe=asked.recipe, hash=made, dealt=lines, same=same)
        return 0 if same else 1
    print(f"hash {made}")
    for line in lines:
        print(bold(line.replace("→", arrow())))
    if not same:
        print(f"not what was committed to: that hash was {asked.hash[:64]}")
    return 0 if same else 1


def _prompt(asked: argparse.Namespace) -> int:
    from solver.prompt import converse

    with open_log(asked.log) as log:
        converse(log, lambda numbers, target: _find(numbers, target, forms=False, limit=None, log=log))
    return 0


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "solve": _solve,
    "countdown": _countdown,
    "yahtzee": _yahtzee,
    "rate": _rate,
    "deal": _deal,
    "hint": _hint,
    "check": _check,
    "verify": _verify,
    "prompt": _prompt,
}
