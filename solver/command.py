"""The commands and the prompt: what each prints, and its exit code. Each loads the modules that it needs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import contextmanager, nullcontext
from time import perf_counter

from solver.arguments import BadInputError, hand, parser, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import TextIO

    from solver.expression import Expression

WELCOME = "Type a target, then hands such as 3 8 3 8; = 30 changes the target, q ends."


def run(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name, or the prompt; the result is the exit code."""
    asked = parser().parse_args(arguments)
    return COMMANDS[asked.command](asked)


def _flat(hands: list[list[int]]) -> list[int]:
    return [number for numbers in hands for number in numbers]


def _print_json(**values: object) -> None:
    print(json.dumps(values))


def _bold(text: str) -> str:
    """The text in bold, on a terminal that is not asked to be plain."""
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return text if plain else f"\x1b[1m{text}\x1b[0m"


def _arrow() -> str:
    try:
        "→".encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return "->"
    return "→"


def _open_log(path: str | None) -> AbstractContextManager[TextIO | None]:
    """The file to write the search to; BadInputError if it can't be written."""
    if path is None:
        return nullcontext()
    try:
        # Not with pathlib, which takes 5 ms to load.
        return open(path, "w", encoding="utf-8")  # noqa: PTH123
    except OSError as error:
        raise BadInputError(f"can't write {path or repr(path)}: {error.strerror}") from None


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
    start = perf_counter()
    numbers = _flat(asked.numbers)
    limit = 1 if asked.first else asked.limit
    shown: list[Expression] = []
    with _open_log(asked.log) as log, _progress(shown):
        for solution in _find(numbers, asked.target, forms=asked.forms, limit=limit, log=log):
            shown.append(solution)
            if not (asked.json or asked.count):
                _show(solution, explain=asked.explain)
    if asked.json:
        solutions = list(map(str, shown))
        steps = {"steps": [list(solution.steps()) for solution in shown]} if asked.explain else {}
        seconds = perf_counter() - start
        _print_json(
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


def _show(solution: Expression, *, explain: bool) -> None:
    print(_bold(str(solution)), flush=sys.stdout.isatty())
    if explain:
        for step in solution.steps():
            print(f"  {step}")


@contextmanager
def _progress(shown: list[Expression]) -> Iterator[None]:
    """On a terminal, say every second how a long search is going, and wipe it away in the end."""
    if not sys.stderr.isatty():
        yield
        return
    from threading import Event, Thread

    done = Event()
    start = perf_counter()

    def tell() -> None:
        while not done.wait(1):
            said = f"searching: {perf_counter() - start:.0f} s, {len(shown)} found"
            print(f"\r{said}\x1b[K\r", end="", file=sys.stderr, flush=True)

    teller = Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
        if perf_counter() - start > 1:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _countdown(asked: argparse.Namespace) -> int:
    numbers = _flat(asked.numbers)
    if not numbers:
        return _countdown_lines(asked)
    if asked.target is None:
        raise BadInputError("countdown needs --target when numbers are given")
    start = perf_counter()
    best = _best(numbers, asked.target, asked.rules or "countdown")
    if asked.json:
        _print_json(**best, seconds=perf_counter() - start)
    elif best["value"] is None:
        print("no solution")
    else:
        away = f", {best['distance']} away" if best["distance"] else ""
        print(f"{_bold(str(best['expression']))} = {best['value']}{away}")
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
        _print_json(answers=answers)
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
        _print_json(games=[{field: getattr(card, field) for field in fields} for card in cards])
    return 0


def _rate(asked: argparse.Namespace) -> int:
    from solver.difficulty import rate

    numbers = _flat(asked.numbers)
    if next(_find(numbers, asked.target, forms=True, limit=1, log=None), None) is None:
        if asked.json:
            _print_json(numbers=numbers, target=asked.target, seconds=None, level=None)
        else:
            print("no solution")
        return 1
    rating = rate(numbers, asked.target)
    if asked.json:
        _print_json(numbers=numbers, target=asked.target, seconds=rating.seconds, level=rating.level)
    else:
        print(f"{_bold(rating.level)}: {rating.seconds:.1f} s")
    return 0


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
        _print_json(numbers=list(puzzle.numbers), target=puzzle.target)
    else:
        print(_bold(" ".join(map(str, puzzle.numbers))), _arrow(), puzzle.target)
    return 0


def _prompt(asked: argparse.Namespace) -> int:
    with _open_log(asked.log) as log:
        _converse(log)
    return 0


def _converse(log: TextIO | None) -> None:
    """Ask and answer until `q` or the end of input; `log` gets every search, step by step."""
    print(WELCOME)
    target = _ask_target()
    while target is not None and (line := _ask(f"hand for {target}: ")) is not None:
        try:
            numbers, _, other = line.partition("=")
            target = whole(other.strip()) if other.strip() else target
            if numbers.strip():
                _answer(hand(numbers), target, log)
        except (argparse.ArgumentTypeError, BadInputError) as error:
            print(error, flush=True)


def _ask_target() -> int | None:
    while (line := _ask("target (24): ")) is not None:
        try:
            return whole(line) if line else 24
        except argparse.ArgumentTypeError as error:
            print(error, flush=True)
    return None


def _ask(question: str) -> str | None:
    """What is answered, or None at `q` or the end of input."""
    print(question, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        print(flush=True)
    answer = line.strip()
    return None if not line or answer.lower() in ("q", "quit", "exit") else answer


def _answer(numbers: list[int], target: int, log: TextIO | None) -> None:
    start = perf_counter()
    count = 0
    for solution in _find(numbers, target, forms=False, limit=None, log=log):
        count += 1
        print(_bold(str(solution)), flush=True)
        if log:
            print(f"  {solution} = {target}", file=log)
    seconds = perf_counter() - start
    found = f"{count} solutions" if count > 1 else "1 solution" if count else "no solution"
    print(f"{found} in {seconds * 1000:.1f} ms", flush=True)
    if log:
        print(f"  {found} in {seconds * 1000:.1f} ms", file=log, flush=True)


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "solve": _solve,
    "countdown": _countdown,
    "yahtzee": _yahtzee,
    "rate": _rate,
    "deal": _deal,
    "prompt": _prompt,
}
