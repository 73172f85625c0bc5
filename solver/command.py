"""The commands of `python -m solver`. Each prints its result and returns the exit code.

A command imports the modules that it needs only when it runs, to start quickly.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import contextmanager
from time import perf_counter

from solver.arguments import parse_arguments
from solver.hands import BadInputError
from solver.listing import Listing
from solver.terminal import (
    choose_arrow,
    choose_printable,
    make_bold,
    measure_page,
    open_log,
    print_json,
    print_line,
    show_progress,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TextIO

    from solver.expression import Expression
    from solver.wording import Hint

# Written for the signs of a skeleton if the encoding of standard output lacks them.
ASCII_SIGNS = {ord("□"): "_", ord("○"): "o"}


def run_command(arguments: Sequence[str]) -> int:
    """Run the command named by the first argument, or without one the prompt, and return the exit code.
    Raises BadInputError.
    """
    options = parse_arguments(arguments)
    return COMMANDS[options.command](options)


@contextmanager
def _convert_value_error() -> Iterator[None]:
    """Replace a ValueError that the block raises by a BadInputError with the same message."""
    try:
        yield
    except ValueError as error:
        raise BadInputError(str(error)) from None


def _find_solutions(
    numbers: Sequence[int], target: int, *, forms: bool, limit: int | None, log: TextIO | None
) -> Iterator[Expression]:
    """Return an iterator that searches for at most `limit` solutions: one for each form, or only one for each
    idea. The hand and the steps of the search are written to `log`. Raises BadInputError at once, not when
    iterated, for numbers or a target that can't be searched.
    """
    from solver.search import search, search_ideas

    search_function = search if forms else search_ideas
    with _convert_value_error():
        if not log:
            return search_function(numbers, target, limit)
        hand = " ".join(str(number) for number in numbers)
        print(f"{hand} -> {target}", file=log)
        return search_function(numbers, target, limit, lambda line: print(f"  {line}", file=log))


def _has_solution(numbers: Sequence[int], target: int) -> bool:
    """Whether a hand has a solution. Raises BadInputError as `_find_solutions` does."""
    with show_progress():
        solutions = list(_find_solutions(numbers, target, forms=True, limit=1, log=None))
    return bool(solutions)


def _print_result(text: str, options: argparse.Namespace, **values: object) -> None:
    """Print the text, or with `--json` only an object of the numbers, the target and the values."""
    if options.json:
        print_json(numbers=options.numbers, target=options.target, **values)
    else:
        print(text)


def _run_solve(options: argparse.Namespace) -> int:
    """Search for solutions as the options say, and print them, or only their number with `--count`. Each is
    printed as soon as it is found, but with `--json` all at the end. A terminal gets a page of them, unless
    it asks for more. Returns 1 if there is none.
    """
    # Counting alone is quicker, but can't stop at a limit, write a log or list steps.
    needs_list = options.log or options.first or options.limit or options.explain
    if options.count and not needs_list:
        return _print_count(options)
    start = perf_counter()
    limit = 1 if options.first else options.limit
    solutions: list[Expression] = []  # that are not printed one by one

    def print_solution(solution: Expression) -> int:
        if options.json or options.count:
            solutions.append(solution)
            return 0
        return _print_solution(solution, explain=options.explain)

    # A limit is how many to show, and a log is to hold the whole search.
    shows_all = options.all or limit or options.log
    with open_log(options.log) as log:
        found = _find_solutions(options.numbers, options.target, forms=options.forms, limit=limit, log=log)
        listing = Listing(found, print_solution)
        listing.print_lines(float("inf") if shows_all else measure_page())
    if options.json:
        _print_solutions_json(solutions, options, start)
    elif options.count:
        print(len(solutions))
    elif not listing.found:
        print("no solution")
    elif rest := listing.write_rest("--all"):
        print(rest)
    return 0 if listing.found else 1


def _print_solutions_json(solutions: list[Expression], options: argparse.Namespace, start: float) -> None:
    """Print the JSON object of all solutions, with the seconds since `start`, a time of `perf_counter`, and
    with `--explain` the steps of each.
    """
    values: dict[str, object] = {
        "numbers": options.numbers,
        "target": options.target,
        "solutions": [str(solution) for solution in solutions],
        "count": len(solutions),
        "seconds": perf_counter() - start,
    }
    if options.explain:
        values["steps"] = [_list_steps(solution) for solution in solutions]
    print_json(**values)


def _print_count(options: argparse.Namespace) -> int:
    """Print the number of solutions without listing them. Returns 1 if it is 0."""
    from solver.count import count_forms, count_ideas

    start = perf_counter()
    count_solutions = count_forms if options.forms else count_ideas
    with _convert_value_error(), show_progress():
        number = count_solutions(options.numbers, options.target)
    _print_result(str(number), options, count=number, seconds=perf_counter() - start)
    return 0 if number else 1


def _print_solution(solution: Expression, *, explain: bool) -> int:
    """Print a solution, also its steps if `explain`, and return the number of lines."""
    steps = _list_steps(solution) if explain else []
    print_line("\n  ".join([make_bold(str(solution)), *steps]))
    return 1 + len(steps)


def _list_steps(solution: Expression) -> list[str]:
    """Return the steps of a solution without those that only repeat a fraction, such as 8/3 = 8/3."""
    from solver.expression import drop_trivial_steps

    return drop_trivial_steps(solution.steps())


def _run_countdown(options: argparse.Namespace) -> int:
    """Print the value nearest to the target that the numbers make, and its expression; without numbers, the
    same for each line of standard input. Returns 1 if the rules allow no value. Raises BadInputError for
    numbers without a target.
    """
    numbers = options.numbers
    if not numbers:
        return _run_countdown_lines(options)
    if options.target is None:
        raise BadInputError("countdown needs a target behind the numbers: = 573, or --target 573")
    start = perf_counter()
    with show_progress():
        best = _build_nearest_json(numbers, options.target, options.rules or "countdown")
    if options.json:
        print_json(**best, seconds=perf_counter() - start)
    elif best["value"] is None:
        print("no solution")
    else:
        away = f", {best['distance']} away" if best["distance"] else ""
        print(f"{make_bold(str(best['expression']))} = {best['value']}{away}")
    return 1 if best["value"] is None else 0


def _build_nearest_json(numbers: Sequence[int], target: int, rules: str) -> dict[str, object]:
    """Find the nearest value, and return its JSON object: numbers, target and rules, then value, expression
    and distance, which are None if the rules allow no value. Raises BadInputError for other numbers.
    """
    from solver.nearest import CLASSIC, COUNTDOWN, OutOfReachError, nearest

    game: dict[str, object] = {"numbers": list(numbers), "target": target, "rules": rules}
    with _convert_value_error():
        try:
            best = nearest(numbers, target, CLASSIC if rules == "classic" else COUNTDOWN)
        except OutOfReachError:
            return {**game, "value": None, "expression": None, "distance": None}
    return {**game, "value": best.value, "expression": str(best.expression), "distance": best.distance}


def _run_countdown_lines(options: argparse.Namespace) -> int:
    """Print the nearest value and its expression for each line of standard input, which has six numbers and a
    target, or `none` twice if the rules allow no value. Returns 1 if one line has none. Raises BadInputError
    for other lines, and if `--target` is given.
    """
    from solver.nearest import read_draws

    if options.target is not None:
        raise BadInputError(
            "countdown needs numbers when --target is given; lines that are read bring their own"
        )
    rules = options.rules or "classic"
    answers = []
    with _convert_value_error():
        for numbers, target in read_draws(sys.stdin):
            best = _build_nearest_json(numbers, target, rules)
            answers.append(best)
            if not options.json:
                print("none" if best["value"] is None else best["value"])
                print(best["expression"] or "none")
    if options.json:
        print_json(answers=answers)
    return 1 if any(best["value"] is None for best in answers) else 0


def _run_yahtzee(options: argparse.Namespace) -> int:
    """Print the best score card for each game of thirteen rolls on standard input. Raises BadInputError for
    lines that are no rolls, and for an incomplete last game.
    """
    from dataclasses import asdict

    from solver.yahtzee import best_card, label_card, read_games, write_card

    if sys.stdin.isatty() and sys.stderr.isatty():
        print("Type thirteen rolls of five dice, a line each; Ctrl-D ends.", file=sys.stderr)
    write = label_card if sys.stdout.isatty() else write_card
    cards = []
    with _convert_value_error():
        for game in read_games(sys.stdin):
            card = best_card(game)
            cards.append(card)
            if not options.json:
                print(write(card))
    if options.json:
        print_json(games=[asdict(card) for card in cards])
    return 0


def _run_rate(options: argparse.Namespace) -> int:
    """Print the level of a hand, the estimated seconds and share of people who find it, and whether they are
    a guess. Returns 1 if it has no solution.
    """
    from solver.difficulty import MEASURED, is_measured, rate

    numbers = options.numbers
    target = options.target
    measured = is_measured(numbers, target)
    if not _has_solution(numbers, target):
        _print_result("no solution", options, seconds=None, level=None, solved=None, measured=measured)
        return 1
    rating = rate(numbers, target)
    share = f"{rating.solved:.0%} of people find it"
    if measured:
        estimate = f"{rating.seconds:.1f} s, {share}"
    else:
        estimate = f"a guess, {rating.seconds:.0f} s, {share}; people's times are known for {MEASURED}"
    text = f"{make_bold(rating.level)}: {estimate}"
    fields = {"seconds": rating.seconds, "level": rating.level, "solved": rating.solved}
    _print_result(text, options, **fields, measured=measured)
    return 0


def _run_hint(options: argparse.Namespace) -> int:
    """Print one hint, the first unless `--number` names another, or all with `--all`. Returns 1 if there is
    no solution. Raises BadInputError for one or two numbers.
    """
    numbers = options.numbers
    if len(numbers) < 3:
        raise BadInputError("at least three numbers are wanted: a hint for fewer would be the answer")
    if not _has_solution(numbers, options.target):
        _print_result("no solution", options, hints=[])
        return 1
    from solver.hint import hints
    from solver.wording import encode_hint, write_hint

    all_hints: tuple[Hint, ...] = hints(numbers, options.target)
    wanted = range(1, len(all_hints) + 1) if options.all else [options.number or 1]
    numbered = [(number, all_hints[number - 1]) for number in wanted]
    encoded = [{"number": number, **encode_hint(hint)} for number, hint in numbered]
    lines = [f"{number}. {write_hint(hint)}" for number, hint in numbered]
    printable = [choose_printable(line, line.translate(ASCII_SIGNS)) for line in lines]
    _print_result("\n".join(printable), options, hints=encoded)
    return 0


def _run_check(options: argparse.Namespace) -> int:
    """Print the verdict on an answer. Returns 1 if it is wrong. For an unreadable one, prints the answer with
    a mark below the error, or with `--json` the verdict, and raises BadInputError with the message.
    """
    from solver.answer import Correct, Unreadable, check
    from solver.wording import encode_verdict, mark_position, write_verdict

    numbers = options.numbers
    verdict = check(options.expression, numbers, options.target)
    if options.json:
        print_json(numbers=numbers, target=options.target, **encode_verdict(verdict))
    elif isinstance(verdict, Unreadable):
        print(mark_position(options.expression, verdict.position, sys.stdout.encoding or "utf-8"), flush=True)
    else:
        print(write_verdict(verdict, options.target))
    if isinstance(verdict, Unreadable):
        raise BadInputError(f"{verdict.message} (at character {verdict.position + 1})")
    return 0 if isinstance(verdict, Correct) else 1


def _run_deal(options: argparse.Namespace) -> int:
    """Print a random hand that has a solution and the wanted level. Raises BadInputError for options out of
    bounds, and if no such hand is found.
    """
    from random import Random

    from solver.deal import deal

    with _convert_value_error():
        puzzle = deal(
            Random(options.seed),
            cards=options.cards,
            highest=options.highest,
            target=options.target,
            level=options.level,
        )
    if options.json:
        print_json(numbers=list(puzzle.numbers), target=puzzle.target)
    else:
        hand = " ".join(str(number) for number in puzzle.numbers)
        print(make_bold(hand), choose_arrow(), puzzle.target)
    return 0


def _run_dataset(options: argparse.Namespace) -> int:
    """Print puzzles as lines of JSON. Raises BadInputError for options out of bounds, and at the end if fewer
    puzzles exist than are asked for.
    """
    from dataclasses import asdict

    from solver.dataset import Kind, make_dataset
    from solver.deal import refuse_bad_arguments

    kind = Kind(options.kind, options.cards, options.highest, options.target)
    if kind.game == "countdown" and kind != Kind("countdown"):
        raise BadInputError(
            "--cards, --highest and --target are for hands: Countdown has its own tiles and targets"
        )
    with _convert_value_error():
        refuse_bad_arguments(kind.cards, kind.highest, kind.target)
    printed = 0
    for puzzle in make_dataset(kind, options.count, options.seed, options.levels, options.test / 100):
        print_json(**asdict(puzzle))
        printed += 1
    if printed < options.count:
        levels = f", as many {' as '.join(options.levels)}" if options.levels else ""
        raise BadInputError(f"only {printed} of {options.count} puzzles exist: {kind}{levels}")
    return 0


def _run_verify(options: argparse.Namespace) -> int:
    """Print what the record in the arguments deals, or how many records standard input has, and all that is
    wrong with them. Returns 1 if anything is. Raises BadInputError for bad records.
    """
    from solver.fair import deal_record, parse_record, verify_history, verify_record

    with _convert_value_error():
        if options.record:
            record = parse_record(" ".join(options.record))
            lines = list(deal_record(record))
            faults = verify_record(record)
            count = 1
        else:
            records = [parse_record(line) for line in sys.stdin if line.strip()]
            faults = list(verify_history(records))
            if not records:
                raise BadInputError("no hands to verify: give a record, or lines on standard input")
            count = len(records)
            lines = []  # too many to be read
    if options.json:
        print_json(hands=count, dealt=lines, faults=faults)
        return 1 if faults else 0
    arrow = choose_arrow()
    for line in lines:
        print(make_bold(line.replace("→", arrow)))
    for fault in faults:
        print(fault.replace("→", arrow))
    if not faults:
        print("verified" if count == 1 else f"verified: {count} hands")
    return 1 if faults else 0


def _run_prompt(options: argparse.Namespace) -> int:
    """Ask for hands and print a solution for each idea, until `q` or the end of input. Returns 0. With
    `--log`, the search is written to a file.
    """
    from solver.prompt import run_prompt

    with open_log(options.log) as log:
        run_prompt(
            log, lambda numbers, target: _find_solutions(numbers, target, forms=False, limit=None, log=log)
        )
    return 0


def _run_batch(options: argparse.Namespace) -> int:
    """Print the results of many hands, or write them to a file. Returns 2 if a line was bad."""
    from solver.batch_command import run_batch

    return run_batch(options)


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "solve": _run_solve,
    "countdown": _run_countdown,
    "yahtzee": _run_yahtzee,
    "rate": _run_rate,
    "deal": _run_deal,
    "dataset": _run_dataset,
    "hint": _run_hint,
    "check": _run_check,
    "verify": _run_verify,
    "batch": _run_batch,
    "prompt": _run_prompt,
}
