"""The arguments of the command line and their parser. `--help` explains them."""

from __future__ import annotations

import argparse
import sys

from solver import __version__
from solver.hands import BadInputError, apart, look_for_spaces, narrow, positive, split, whole
from solver.names import LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

PROGRAM = "python -m solver"
USUAL = 24  # The target, unless another is asked for
NUMBERS = "whole numbers, or A J Q K; a target may follow, such as = 24"


class _OneScreen(argparse.RawDescriptionHelpFormatter):
    """Help that fits 80 columns, however wide the terminal is."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=17, width=80)


class Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line, without the usage."""

    def __init__(self, prog: str, usage: str | None = None) -> None:
        # argparse formats each argument to try it, and without a width it loads shutil for that.
        super().__init__(prog, usage, formatter_class=_OneScreen, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise BadInputError(message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End after the help or the version. Raises OSError where they can't be written."""
        sys.stdout.flush()
        super().exit(status, message)


def read(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the arguments. Raises BadInputError."""
    _look_for_a_command(arguments)
    asked = parser(arguments).parse_args(_without_signs(_with_signs(arguments)))
    if getattr(asked, "numbers", None):
        _read_numbers(asked)
    return asked


def _read_numbers(asked: argparse.Namespace) -> None:
    """Read the numbers, and the target that stands with them. Raises BadInputError."""
    typed = " ".join(asked.numbers)
    try:
        asked.numbers, target = split(typed)
    except argparse.ArgumentTypeError as error:
        raise BadInputError(f"argument NUMBER: {error}") from None
    if not asked.numbers:
        raise BadInputError(f"argument NUMBER: a number is wanted, not {typed[:40]!r}")
    if target is not None and asked.target not in (None, USUAL, target):
        raise BadInputError(f"only one target can be asked for, not '{target}' and '{asked.target}'")
    asked.target = asked.target if target is None else target
    if asked.command != "countdown":  # one number makes a draw there: it is the nearest
        look_for_spaces(asked.numbers, asked.target)


def _look_for_a_command(arguments: Sequence[str]) -> None:
    """Raises BadInputError where numbers stand in a command's place."""
    first = arguments[0] if arguments else ""
    glued = apart(first)
    if len(glued) > 1:
        line = " ".join(["solve", *glued, *arguments[1:]])
        raise BadInputError(f"name a command, and put spaces between the numbers: {line}")
    if glued or narrow(first).isdecimal():
        raise BadInputError(f"name a command before the numbers: {' '.join(['solve', *arguments])}")


def _with_signs(arguments: Sequence[str]) -> list[str]:
    """The arguments, with a space before an expression that begins with a minus: no option has one in it."""
    if arguments[:1] not in (["check"], ("check",)):
        return list(arguments)
    places = zip(["", *arguments[:-1]], arguments, strict=True)
    return [f" {text}" if _is_signed(text) and before != "--target" else text for before, text in places]


def _without_signs(arguments: list[str]) -> list[str]:
    """Those of `verify`, without a sign that stands before the seed where it is shown: `🔑 7xKq…`."""
    if arguments[:1] != ["verify"]:
        return arguments
    bare = [text if text.startswith("-") else _from_a_letter(text) for text in arguments]
    return [text for text in bare if text]


def _from_a_letter(text: str) -> str:
    """The text from its first letter or digit on; nothing where there is none."""
    begin = next((place for place, sign in enumerate(text) if sign.isalnum()), len(text))
    return text[begin:]


def _is_signed(text: str) -> bool:
    """Whether it begins with a minus and is no option."""
    is_option = text in ("-h", "-V", "--") or (text.startswith("--") and text[2:3].isalpha())
    return text.startswith("-") and not is_option


def expression(text: str) -> str:
    """An expression as it was written: `_with_signs` may have put a space before it."""
    return text[1:] if text.startswith(" -") else text


def parser(arguments: Sequence[str]) -> Parser:
    """Build the parser for `arguments`, with options only for commands that they may name, to save time."""
    top = Parser(PROGRAM, f"{PROGRAM} [COMMAND ...]")
    _describe(
        top,
        "Number games, exactly: 24, Countdown, Yahtzee. Without a command, a prompt\n"
        "opens that asks for a target and then for hands, until q.",
        f"  {PROGRAM} solve 3 8 3 8                every way to make 24\n"
        f"  {PROGRAM} hint 3 8 3 8                 a hint, and no more than that\n"
        f"  {PROGRAM} check '8/(3-8/3)' 3 8 3 8    whether an answer is right\n"
        f"  {PROGRAM} rate 3 8 3 8                 how hard it is for people\n"
        f"  {PROGRAM} deal --level hard --seed 7   a hand that has a solution\n"
        f"  {PROGRAM} countdown 1 2 3 4 7 25 --target 573\n"
        f"  {PROGRAM} yahtzee < rolls.txt          the best score card\n"
        f"  {PROGRAM} verify SEED RECIPE           what a committed seed deals\n"
        f"  {PROGRAM} COMMAND --help               more about one of them\n"
        "\n"
        "exit codes: 0 found or right, 1 no solution or wrong, 2 bad input",
    )
    top.add_argument("--log", metavar="FILE", help="at the prompt: write the search, step by step")
    top.set_defaults(command="prompt")
    commands = top.add_subparsers(metavar="COMMAND", help=argparse.SUPPRESS, parser_class=Parser)
    for name, furnish in COMMANDS.items():
        command = commands.add_parser(name)
        if name in arguments:
            furnish(command)
            command.set_defaults(command=name)
    return top


def _describe(parser: Parser, description: str, examples: str) -> Parser:
    parser.description = description
    parser.epilog = f"examples:\n{examples}"
    parser.add_argument(
        "-V", "--version", action="version", version=f"twentyfour {__version__}", help="the version"
    )
    return parser


def _numbers(parser: Parser, count: str) -> None:
    parser.add_argument("numbers", nargs=count, metavar="NUMBER", help=NUMBERS)


def _target(parser: Parser, default: int | None = USUAL) -> None:
    text = f"the target ({default})" if default else "the target"
    parser.add_argument("--target", type=whole, default=default, metavar="T", help=text)


def _json(parser: Parser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _solve_parser(parser: Parser) -> None:
    parser.usage = f"{PROGRAM} solve NUMBER ... [options]"
    _describe(
        parser,
        "Every solution that uses each number once, with + - * / and brackets, exactly.\n"
        "One is shown for each idea: 3*8+3-3 and 3*3*8/3 are one idea and two forms.",
        f"  {PROGRAM} solve 3 8 3 8 --explain        step by step\n"
        f"  {PROGRAM} solve A 5 J K --forms          every way to write it\n"
        f"  {PROGRAM} solve 1 2 3 4 7 25 --target 573 --first",
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


def _hint_parser(parser: Parser) -> None:
    parser.usage = f"{PROGRAM} hint NUMBER ... [options]"
    _describe(
        parser,
        "A hint for the solution that people find most easily. There are three, from\n"
        "vague to telling: the last operation, a result on the way, where the signs are.\n"
        "The first is shown unless another is asked for.",
        f"  {PROGRAM} hint 3 8 3 8\n"
        f"  {PROGRAM} hint 3 8 3 8 --number 2        the next one\n"
        f"  {PROGRAM} hint 2 3 5 12 --all            one after the other",
    )
    _numbers(parser, "+")
    _target(parser)
    which = parser.add_mutually_exclusive_group()
    numbers = (1, 2, 3)
    which.add_argument("--number", type=positive, choices=numbers, metavar="N", help="which of them (1)")
    which.add_argument("--all", action="store_true", help="all three, a line each")
    _json(parser)


def _check_parser(parser: Parser) -> None:
    parser.usage = f"{PROGRAM} check EXPRESSION NUMBER ... [options]"
    _describe(
        parser,
        "Whether an answer is right: it uses each number once, and its value, in exact\n"
        "fractions, is the target. Exit code 0 if so, 1 if not, with the value or the\n"
        "numbers that are wrong, 2 where it can't be read, with a mark under the place.",
        f"  {PROGRAM} check '8/(3-8/3)' 3 8 3 8\n  {PROGRAM} check '7*25 = 175' 25 7 --target 175",
    )
    parser.add_argument(
        "expression", type=expression, metavar="EXPRESSION", help="in quotes, because of * and ( )"
    )
    _numbers(parser, "+")
    _target(parser)
    _json(parser)


def _countdown_parser(parser: Parser) -> None:
    parser.usage = f"{PROGRAM} countdown [NUMBER ...] [options]"
    _describe(
        parser,
        "The value nearest to the target that whole numbers make. Rules countdown: any\n"
        "of the numbers, positive whole numbers on the way, on either side of the\n"
        "target. Rules classic: all of the numbers, 0 allowed on the way, never above\n"
        "the target. Without numbers it reads lines of six numbers and a target, plays\n"
        "classic, and writes two lines for each: the value and the expression.",
        f"  {PROGRAM} countdown 1 2 3 4 7 25 --target 573\n  {PROGRAM} countdown < game.in",
    )
    _numbers(parser, "*")
    _target(parser, None)
    rules = ("countdown", "classic")
    parser.add_argument(
        "--rules", choices=rules, metavar="R", help="countdown or classic; for lines that are read, classic"
    )
    _json(parser)


def _yahtzee_parser(parser: Parser) -> None:
    parser.usage = f"{PROGRAM} yahtzee [options] < ROLLS"
    _describe(
        parser,
        "The best score card of thirteen rolls, each for one category. Reads games of\n"
        "thirteen lines of five dice, and writes fifteen numbers for each: the thirteen\n"
        "categories, the bonus, the total.",
        f"  {PROGRAM} yahtzee < rolls.txt",
    )
    _json(parser)


def _rate_parser(parser: Parser) -> None:
    parser.usage = f"{PROGRAM} rate NUMBER ... [options]"
    _describe(
        parser,
        "How many seconds people need for a hand, on average, and its level: easy,\n"
        "medium, hard or fiendish: fitted to people's times for four cards from 1 to 13\n"
        "that make 24, and a guess for all other hands; the answer says which.",
        f"  {PROGRAM} rate 3 8 3 8",
    )
    _numbers(parser, "+")
    _target(parser)
    _json(parser)


def _deal_parser(parser: Parser) -> None:
    parser.usage = f"{PROGRAM} deal [options]"
    _describe(
        parser,
        "A hand that has a solution. The same seed deals the same hand.",
        f"  {PROGRAM} deal --level hard --seed 7\n  {PROGRAM} deal --cards 5 --highest 20 --target 100",
    )
    levels = ", ".join(LEVELS)
    parser.add_argument("--level", choices=LEVELS, metavar="L", help=f"how hard it may be: {levels}")
    parser.add_argument("--seed", type=whole, metavar="N", help="deal what N deals")
    parser.add_argument("--cards", type=whole, default=4, metavar="N", help="how many cards (4)")
    parser.add_argument("--highest", type=whole, default=13, metavar="N", help="the highest card (13)")
    _target(parser)
    _json(parser)


def _verify_parser(parser: Parser) -> None:
    parser.usage = f"{PROGRAM} verify SEED RECIPE [options]"
    _describe(
        parser,
        "What a seed deals that was committed to before, and the hash that was shown\n"
        "with the deal: both stand in the deal's message, the seed at its end. Exit code\n"
        "1 if the hash is another.",
        f"  {PROGRAM} verify 7xKq2TmVbE5wRd9NsLhYuC 24:4:13:24\n"
        f"  {PROGRAM} verify 7xKq2TmVbE5wRd9NsLhYuC countdown:2 --hash 2e4b…",
    )
    parser.add_argument("seed", metavar="SEED", help="22 letters and digits")
    parser.add_argument(
        "recipe", metavar="RECIPE", help="24:CARDS:HIGHEST:TARGET[:LEVEL][:NTH], countdown[:LARGE], yahtzee"
    )
    parser.add_argument("--hash", metavar="HASH", help="what was shown with the deal")
    _json(parser)


COMMANDS: dict[str, Callable[[Parser], None]] = {
    "solve": _solve_parser,
    "countdown": _countdown_parser,
    "yahtzee": _yahtzee_parser,
    "rate": _rate_parser,
    "deal": _deal_parser,
    "hint": _hint_parser,
    "check": _check_parser,
    "verify": _verify_parser,
}
