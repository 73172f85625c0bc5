"""What can be asked on the command line, and how it is read. `--help` teaches it."""

from __future__ import annotations

import argparse

from solver.names import CARDS, LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

LONGEST = 100
"""The most digits of a number that is read."""


class BadInputError(Exception):
    """What was asked can't be done; the message says why in one line."""


class Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        raise BadInputError(message)


def parser() -> Parser:
    top = _describe(
        Parser(prog="python -m solver", allow_abbrev=False),
        "Number games, exactly: 24, Countdown, Yahtzee. Without a command, a prompt opens that asks for a\n"
        "target and then for hands, until q.",
        "  python -m solver solve 3 8 3 8                          8/(3-8/3)\n"
        "  python -m solver countdown 1 2 3 4 7 25 --target 573\n"
        "  python -m solver rate 3 8 3 8                           how hard it is for people\n"
        "  python -m solver deal --level hard --seed 7             a hand that has a solution\n"
        "  python -m solver COMMAND --help                         more about one of them\n"
        "\n"
        "exit codes: 0 something found, 1 no solution, 2 bad input",
    )
    top.add_argument("--log", metavar="FILE", help="at the prompt: write the search, step by step")
    top.set_defaults(command="prompt")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)
    _solve_parser(commands.add_parser("solve", help="every way to make a target", allow_abbrev=False))
    _countdown_parser(commands.add_parser("countdown", help="the nearest value", allow_abbrev=False))
    _yahtzee_parser(commands.add_parser("yahtzee", help="the best score card", allow_abbrev=False))
    _rate_parser(commands.add_parser("rate", help="how long people need", allow_abbrev=False))
    _deal_parser(commands.add_parser("deal", help="a hand to play with", allow_abbrev=False))
    return top


def _describe(parser: Parser, description: str, examples: str) -> Parser:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = description
    parser.epilog = f"examples:\n{examples}"
    return parser


def _numbers(parser: Parser, count: str) -> None:
    parser.add_argument("numbers", nargs=count, type=hand, metavar="NUMBER", help="whole numbers, or A J Q K")


def _target(parser: Parser, default: int | None = 24) -> None:
    text = f"the target ({default})" if default else "the target"
    parser.add_argument("--target", type=whole, default=default, metavar="T", help=text)


def _json(parser: Parser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _solve_parser(parser: Parser) -> None:
    _describe(
        parser,
        "Every solution that uses each number once, with + - * / and brackets, in exact fractions. One\n"
        "solution is shown for each idea: 3*8+3-3 and 3*3*8/3 are one idea and two forms.",
        "  python -m solver solve 3 8 3 8\n"
        "  python -m solver solve 3 8 3 8 --explain                step by step\n"
        "  python -m solver solve A 5 J K --forms                  every way to write it\n"
        "  python -m solver solve 1 2 3 4 7 25 --target 573 --first",
    )
    _numbers(parser, "+")
    _target(parser)
    parser.add_argument("--limit", type=positive, metavar="K", help="at most K solutions")
    parser.add_argument("--forms", action="store_true", help="each form, not only one for each idea")
    parser.add_argument("--first", action="store_true", help="one solution is enough")
    parser.add_argument("--count", action="store_true", help="only how many there are")
    parser.add_argument("--explain", action="store_true", help="each solution step by step")
    parser.add_argument("--log", metavar="FILE", help="write the search, step by step")
    _json(parser)
    parser.set_defaults(command="solve")


def _countdown_parser(parser: Parser) -> None:
    _describe(
        parser,
        "The value nearest to the target that whole numbers make. With the rules countdown: any of the\n"
        "numbers, positive whole numbers on the way, on either side of the target. With the rules classic:\n"
        "all of the numbers, whole numbers on the way with 0 allowed, never above the target.\n"
        "Without numbers it reads lines of six numbers and a target, plays classic, and writes two lines\n"
        "for each: the value and the expression.",
        "  python -m solver countdown 1 2 3 4 7 25 --target 573\n  python -m solver countdown < game.in",
    )
    _numbers(parser, "*")
    _target(parser, None)
    rules = ("countdown", "classic")
    parser.add_argument("--rules", choices=rules, help="countdown; for lines that are read, classic")
    _json(parser)
    parser.set_defaults(command="countdown")


def _yahtzee_parser(parser: Parser) -> None:
    _describe(
        parser,
        "The best score card of thirteen rolls, each for one category. Reads games of thirteen lines of\n"
        "five dice, and writes fifteen numbers for each: the thirteen categories, the bonus, the total.",
        "  python -m solver yahtzee < rolls.txt",
    )
    _json(parser)
    parser.set_defaults(command="yahtzee")


def _rate_parser(parser: Parser) -> None:
    _describe(
        parser,
        "How many seconds people need for a hand, on average, and its level: easy, medium, hard or fiendish.",
        "  python -m solver rate 3 8 3 8",
    )
    _numbers(parser, "+")
    _target(parser)
    _json(parser)
    parser.set_defaults(command="rate")


def _deal_parser(parser: Parser) -> None:
    _describe(
        parser,
        "A hand that has a solution. The same seed deals the same hand.",
        "  python -m solver deal --level hard --seed 7\n"
        "  python -m solver deal --cards 5 --highest 20 --target 100",
    )
    parser.add_argument("--level", choices=LEVELS, help="how hard it may be")
    parser.add_argument("--seed", type=whole, metavar="N", help="deal what N deals")
    parser.add_argument("--cards", type=whole, default=4, metavar="N", help="how many cards (4)")
    parser.add_argument("--highest", type=whole, default=13, metavar="N", help="the highest card (13)")
    _target(parser)
    _json(parser)
    parser.set_defaults(command="deal")


def whole(text: str) -> int:
    """A whole number that is not negative, or a card."""
    if text.upper() in CARDS:
        return CARDS[text.upper()]
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"a whole number that is not negative is wanted, not {text[:40]!r}")
    if len(text) > LONGEST:
        raise argparse.ArgumentTypeError(f"a number has at most {LONGEST} digits: '{text[:10]}...'")
    return int(text)


def positive(text: str) -> int:
    """A whole number from 1."""
    if text.startswith("-") or not (number := whole(text)):
        raise argparse.ArgumentTypeError(f"at least 1 is wanted, not {text[:40]!r}")
    return number


def hand(text: str) -> list[int]:
    """One or more numbers with commas or spaces between them."""
    numbers = [whole(number) for number in text.replace(",", " ").split()]
    if not numbers:
        raise argparse.ArgumentTypeError(f"a number is wanted, not {text!r}")
    return numbers
