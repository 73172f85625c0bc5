"""The parser of the command line. `--help` explains the commands and options."""

from __future__ import annotations

import argparse
import sys

from solver import __version__
from solver.hands import (
    BadInputError,
    normalize,
    read_hand_and_target,
    read_positive_number,
    read_whole_number,
    refuse_glued_hand,
    split_glued_cards,
)
from solver.names import LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal, NoReturn

    from solver.names import Level

# How the commands were called, as the help shows it
PROGRAM = "twentyfour" if sys.argv[0].endswith("twentyfour") else "python -m solver"
DEFAULT_TARGET = 24  # The target if no other is given
NUMBERS_HELP = "whole numbers, or A J Q K; a target may follow, such as = 24"


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """A formatter of help texts for 80 columns, whatever the width of the terminal."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=17, width=80)


class Parser(argparse.ArgumentParser):
    """A parser that raises BadInputError instead of printing its usage. Options can't be abbreviated."""

    def __init__(self, prog: str, usage: str | None = None) -> None:
        # Without a fixed width, argparse would load shutil, which takes time, to find the terminal's width.
        super().__init__(prog, usage, formatter_class=_HelpFormatter, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Raise BadInputError with the message. argparse calls this for arguments that it can't parse."""
        raise BadInputError(message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Exit after the help or the version. Raises OSError if they can't be written."""
        sys.stdout.flush()  # here, since `main` does not go on after SystemExit
        super().exit(status, message)


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line into options. The words of `numbers` become integers, and a target among them
    becomes `target`. Raises BadInputError for a command line that can't be run. Exits after `--help` and
    `--version`.
    """
    _refuse_numbers_as_command(arguments)
    _refuse_unknown_command(arguments)
    options = build_parser(arguments).parse_args(_protect_minus(arguments))
    if getattr(options, "numbers", None):
        _convert_numbers(options)
    return options


def _convert_numbers(options: argparse.Namespace) -> None:
    """Replace the typed words in `options.numbers` by integers, and set `options.target` to a target typed
    with them. Raises BadInputError for other words, no numbers, two different targets, and cards without
    spaces.
    """
    typed = " ".join(options.numbers)
    try:
        options.numbers, target = read_hand_and_target(typed)
    except argparse.ArgumentTypeError as error:
        raise BadInputError(f"argument NUMBER: {error}") from None
    if not options.numbers:
        raise BadInputError(f"argument NUMBER: a number is wanted, not {typed[:40]!r}")
    # The default can't be told from a typed 24, which therefore gives way to another target.
    if target is not None and options.target not in (None, DEFAULT_TARGET, target):
        raise BadInputError(f"only one target can be asked for, not '{target}' and '{options.target}'")
    if target is not None:
        options.target = target
    if options.command != "countdown":  # where a single number, such as 3838, is a tile
        refuse_glued_hand(options.numbers, options.target)


def _refuse_numbers_as_command(arguments: Sequence[str]) -> None:
    """Raise BadInputError if numbers are given where a command is expected. The message shows the line with
    `solve` before them, and with spaces between cards typed as one word.
    """
    first = arguments[0] if arguments else ""
    cards = split_glued_cards(first)
    if len(cards) > 1:
        line = " ".join(["solve", *cards, *arguments[1:]])
        raise BadInputError(f"name a command, and put spaces between the numbers: {line}")
    if cards or normalize(first).isdecimal():  # a single card, or a number too long to be split
        raise BadInputError(f"name a command before the numbers: {' '.join(['solve', *arguments])}")


def _refuse_unknown_command(arguments: Sequence[str]) -> None:
    """Raise BadInputError if the first argument is neither a command nor an option. The message names the
    command that is written most like it, or else all.
    """
    first = arguments[0] if arguments else "-"
    if first in COMMANDS or first.startswith("-"):
        return
    from difflib import get_close_matches  # takes 5 ms to load

    similar = get_close_matches(first, COMMANDS, n=1)
    advice = f"did you mean {similar[0]}?" if similar else f"there are {', '.join(COMMANDS)}"
    raise BadInputError(f"no command is called {first[:40]!r}; {advice}")


def _protect_minus(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with a space before each expression of `check` that begins with a minus. argparse
    would take it for an option, but no option contains a space. `read_expression` removes it. What follows
    --target stays as it was typed.
    """
    if list(arguments[:1]) != ["check"]:
        return list(arguments)
    protected = []
    previous = ""
    for text in arguments:
        is_target = previous == "--target"  # its error message shows the number as typed
        if _is_expression_with_minus(text) and not is_target:
            protected.append(f" {text}")
        else:
            protected.append(text)
        previous = text
    return protected


def _is_expression_with_minus(text: str) -> bool:
    """Whether a text begins with a minus and is no option: -3+27 or --3, but not --json."""
    if text in ("-h", "-V", "--"):
        return False
    is_long_option = text.startswith("--") and text[2:3].isalpha()
    return text.startswith("-") and not is_long_option


def read_expression(text: str) -> str:
    """Return the argument EXPRESSION without the space that `_protect_minus` may have put before it."""
    return text[1:] if text.startswith(" -") else text


def build_parser(arguments: Sequence[str]) -> Parser:
    """Build the parser of all commands. To save time, only commands whose names occur in `arguments` get
    their options. A parsed command line without a command gets the command `prompt`.
    """
    top = Parser(PROGRAM, usage=f"{PROGRAM} [COMMAND ...]")
    _add_description(
        top,
        "Number games, exactly: 24, Countdown, Yahtzee. Without a command, a prompt\n"
        "opens that asks for a target and then for hands, until q.",
        f"  {PROGRAM} solve 3 8 3 8                every way to make 24\n"
        f"  {PROGRAM} hint 3 8 3 8                 a hint, and no more than that\n"
        f"  {PROGRAM} check '8/(3-8/3)' 3 8 3 8    whether an answer is right\n"
        f"  {PROGRAM} rate 3 8 3 8                 how hard it is for people\n"
        f"  {PROGRAM} deal --level hard --seed 7   a hand that has a solution\n"
        f"  {PROGRAM} dataset --count 1000         many of them, rated\n"
        f"  {PROGRAM} countdown 1 2 3 4 7 25 --target 573\n"
        f"  {PROGRAM} yahtzee < rolls.txt          the best score card\n"
        f"  {PROGRAM} verify < hands.txt           whether a chat's hands were fair\n"
        f"  {PROGRAM} batch hands.txt --ideas      many hands, on all cores\n"
        f"  {PROGRAM} COMMAND --help               more about one of them\n"
        "\n"
        "exit codes: 0 found or right, 1 no solution or wrong, 2 bad input",
    )
    top.add_argument("--log", metavar="FILE", help="at the prompt: write the search, step by step")
    top.set_defaults(command="prompt")
    commands = top.add_subparsers(metavar="COMMAND", help=argparse.SUPPRESS, parser_class=Parser)
    for name, configure in COMMANDS.items():
        command = commands.add_parser(name)
        if name in arguments:
            configure(command)
            command.set_defaults(command=name)
    return top


def _add_description(parser: Parser, description: str, examples: str) -> None:
    """Set the description of a help text and the examples at its end, and add `--version`."""
    parser.description = description
    parser.epilog = f"examples:\n{examples}"
    parser.add_argument(
        "-V", "--version", action="version", version=f"twentyfour {__version__}", help="the version"
    )


def _add_numbers(parser: Parser, *, nargs: Literal["+", "*"]) -> None:
    """Add the argument NUMBER, which is repeated: at least once for `+`, or also omitted for `*`."""
    parser.add_argument("numbers", nargs=nargs, metavar="NUMBER", help=NUMBERS_HELP)


def _add_target(parser: Parser, default: int | None = DEFAULT_TARGET) -> None:
    """Add the option `--target T`, whose help names the default, if any."""
    text = f"the target ({default})" if default else "the target"
    parser.add_argument("--target", type=read_whole_number, default=default, metavar="T", help=text)


def _add_deck(parser: Parser) -> None:
    """Add the number of cards and the highest one."""
    parser.add_argument("--cards", type=read_whole_number, default=4, metavar="N", help="how many cards (4)")
    parser.add_argument(
        "--highest", type=read_whole_number, default=13, metavar="N", help="the highest card (13)"
    )


def _add_json(parser: Parser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _configure_solve(parser: Parser) -> None:
    """Set the help of `solve`, and add its numbers, target and options for which solutions to print."""
    parser.usage = f"{PROGRAM} solve NUMBER ... [options]"
    _add_description(
        parser,
        "Every solution that uses each number once, with + - * / and brackets, exactly.\n"
        "One is shown for each idea: 3*8+3-3 and 3*3*8/3 are one idea and two forms.",
        f"  {PROGRAM} solve 3 8 3 8 --explain        step by step\n"
        f"  {PROGRAM} solve A 5 J K = 30 --forms     every way to write it",
    )
    _add_numbers(parser, nargs="+")
    _add_target(parser)
    parser.add_argument("--limit", type=read_positive_number, metavar="K", help="at most K solutions")
    parser.add_argument("--forms", action="store_true", help="each form, not only one for each idea")
    parser.add_argument("--first", action="store_true", help="one solution is enough")
    parser.add_argument("--count", action="store_true", help="only how many there are")
    parser.add_argument("--all", action="store_true", help="also those beyond a page of the terminal")
    parser.add_argument("--explain", action="store_true", help="each solution step by step")
    parser.add_argument("--log", metavar="FILE", help="write the search, step by step")
    _add_json(parser)


def _configure_hint(parser: Parser) -> None:
    """Set the help of `hint`, and add its numbers and target, and the choice of a hint or all."""
    parser.usage = f"{PROGRAM} hint NUMBER ... [options]"
    _add_description(
        parser,
        "A hint for the solution that people find most easily. There are three, from\n"
        "vague to telling: the last operation, a result on the way, where the signs are.\n"
        "The first is shown unless another is asked for.",
        f"  {PROGRAM} hint 3 8 3 8\n"
        f"  {PROGRAM} hint 3 8 3 8 --number 2        the next one\n"
        f"  {PROGRAM} hint 2 3 5 12 --all            one after the other",
    )
    _add_numbers(parser, nargs="+")
    _add_target(parser)
    choice = parser.add_mutually_exclusive_group()
    numbers = (1, 2, 3)
    choice.add_argument(
        "--number", type=read_positive_number, choices=numbers, metavar="N", help="which of them (1)"
    )
    choice.add_argument("--all", action="store_true", help="all three, a line each")
    _add_json(parser)


def _configure_check(parser: Parser) -> None:
    """Set the help of `check`, and add its expression, numbers, target and --json."""
    parser.usage = f"{PROGRAM} check EXPRESSION NUMBER ... [options]"
    _add_description(
        parser,
        "Whether an answer is right: it uses each number once, and its value, in exact\n"
        "fractions, is the target. Exit code 0 if so, 1 if not, with the value or the\n"
        "numbers that are wrong, 2 where it can't be read, with a mark under the place.",
        f"  {PROGRAM} check '8/(3-8/3)' 3 8 3 8\n  {PROGRAM} check '7*25 = 175' 25 7 --target 175",
    )
    parser.add_argument(
        "expression", type=read_expression, metavar="EXPRESSION", help="in quotes, because of * and ( )"
    )
    _add_numbers(parser, nargs="+")
    _add_target(parser)
    _add_json(parser)


def _configure_countdown(parser: Parser) -> None:
    """Set the help of `countdown`, and add its numbers, which may be omitted, target and rules."""
    parser.usage = f"{PROGRAM} countdown [NUMBER ...] [options]"
    _add_description(
        parser,
        "The value nearest to the target that whole numbers make. Rules countdown: any\n"
        "of the numbers, positive whole numbers on the way, on either side of the\n"
        "target. Rules classic: all of the numbers, 0 allowed on the way, never above\n"
        "the target. Without numbers it reads lines of six numbers and a target, plays\n"
        "classic, and writes two lines for each: the value and the expression.",
        f"  {PROGRAM} countdown 1 2 3 4 7 25 --target 573\n  {PROGRAM} countdown < game.in",
    )
    _add_numbers(parser, nargs="*")
    _add_target(parser, default=None)
    rules = ("countdown", "classic")
    parser.add_argument(
        "--rules", choices=rules, metavar="R", help="countdown or classic; for lines that are read, classic"
    )
    _add_json(parser)


def _configure_yahtzee(parser: Parser) -> None:
    """Set the help of `yahtzee`, which reads its rolls from standard input, and add `--json`."""
    parser.usage = f"{PROGRAM} yahtzee [options] < ROLLS"
    _add_description(
        parser,
        "The best score card of thirteen rolls, each for one category. Reads games of\n"
        "thirteen lines of five dice, and writes fifteen numbers for each: the thirteen\n"
        "categories, the bonus, the total.",
        f"  {PROGRAM} yahtzee < rolls.txt",
    )
    _add_json(parser)


def _configure_rate(parser: Parser) -> None:
    """Set the help of `rate`, and add its numbers and target."""
    parser.usage = f"{PROGRAM} rate NUMBER ... [options]"
    _add_description(
        parser,
        "How many seconds people need for a hand, on average, its level (easy, medium,\n"
        "hard or fiendish), and how many of 100 people find it: fitted to how people did\n"
        "with four cards from 1 to 13 that make 24, and a guess for all other hands; the\n"
        "answer says which.",
        f"  {PROGRAM} rate 3 8 3 8",
    )
    _add_numbers(parser, nargs="+")
    _add_target(parser)
    _add_json(parser)


def _configure_deal(parser: Parser) -> None:
    """Set the help of `deal`, and add the level, seed, number of cards, highest card and target."""
    parser.usage = f"{PROGRAM} deal [options]"
    _add_description(
        parser,
        "A hand that has a solution. The same seed deals the same hand.",
        f"  {PROGRAM} deal --level hard --seed 7\n  {PROGRAM} deal --cards 5 --highest 20 --target 100",
    )
    levels = ", ".join(LEVELS)
    parser.add_argument("--level", choices=LEVELS, metavar="L", help=f"how hard it may be: {levels}")
    parser.add_argument("--seed", type=read_whole_number, metavar="N", help="deal what N deals")
    _add_deck(parser)
    _add_target(parser)
    _add_json(parser)


def _configure_dataset(parser: Parser) -> None:
    """Set the help of `dataset`, and add the kind and number of puzzles, their levels, and the test share."""
    parser.usage = f"{PROGRAM} dataset --count N [options]"
    _add_description(
        parser,
        "Different puzzles with a solution, one JSON object a line, with their level, the\n"
        "estimated seconds and share of people who solve them, the number of ideas and\n"
        "one solution. The same seed gives the same puzzles everywhere, and a larger\n"
        "number the same ones and more. No hand is both in the part train and in test.",
        f"  {PROGRAM} dataset --count 1000 --seed 7 > hands.jsonl\n"
        f"  {PROGRAM} dataset --count 400 --levels easy,hard --cards 5\n"
        f"  {PROGRAM} dataset --kind countdown --count 1000",
    )
    kinds = ("24", "countdown")
    parser.add_argument("--kind", choices=kinds, default="24", metavar="K", help="24 (default) or countdown")
    parser.add_argument(
        "--count", type=read_positive_number, required=True, metavar="N", help="how many puzzles"
    )
    parser.add_argument("--seed", type=read_whole_number, default=0, metavar="N", help="a number (0)")
    parser.add_argument(
        "--levels",
        type=read_levels,
        default=(),
        metavar="L",
        help="as many of each of these levels (any)",
    )
    parser.add_argument(
        "--test",
        type=read_percentage,
        default=10,
        metavar="P",
        help="percent of the hands that are test (10)",
    )
    _add_deck(parser)
    _add_target(parser)


def read_levels(text: str) -> tuple[Level, ...]:
    """Read names of levels with commas between them. Raises ArgumentTypeError for another name."""
    names = text.split(",")
    for name in names:
        if name not in LEVELS:
            raise argparse.ArgumentTypeError(f"levels are {', '.join(LEVELS)}, not {name[:40]!r}")
    return tuple(level for level in LEVELS if level in names)


def read_percentage(text: str) -> int:
    """Read a whole number from 0 to 100. Raises ArgumentTypeError for anything else."""
    number = read_whole_number(text)
    if number > 100:
        raise argparse.ArgumentTypeError(f"a percentage from 0 to 100 is wanted, not {text[:40]!r}")
    return number


def _configure_verify(parser: Parser) -> None:
    """Set the help of `verify`, and add the words of a record, which may be omitted, and `--json`."""
    parser.usage = f"{PROGRAM} verify [RECORD] [options]"
    _add_description(
        parser,
        "Whether hands were dealt fairly: each link leads to the commitment of its chat's\n"
        "chain, and gives, with the numbers of the chat and of the message that asked for\n"
        "the hand, the hand that was played. /fair in the chat shows all of it. Without\n"
        "arguments it reads the file of /fair all, one hand a line, and also finds links\n"
        "and hands that were left out. Compare the numbers of the messages in the chat.",
        f"  {PROGRAM} verify < hands.txt\n  {PROGRAM} verify 3a97… 12 5e88… -1001234567890 4711 24:4:13:24",
    )
    parser.add_argument(
        "record", nargs="*", metavar="RECORD", help="the words behind the command that /fair shows"
    )
    _add_json(parser)


def _configure_batch(parser: Parser) -> None:
    """Set the help of `batch`, and add its input, what is asked for, where it runs and the output."""
    parser.usage = f"{PROGRAM} batch [FILE] [options]"
    _add_description(
        parser,
        "Many hands: for each line of FILE or of standard input, such as 3 8 3 8 or\n"
        "1 2 3 4 7 25 = 573, a line of JSON, in the same order, with what is asked for:\n"
        "--solutions (every form), --ideas, --count (of ideas), --rate, --nearest (by\n"
        "Countdown's rules), --targets (all that these reach, up to 999). A bad line is\n"
        "reported, the others go on, and the exit code is 2.",
        f"  {PROGRAM} batch hands.txt --ideas --rate\n"
        f"  {PROGRAM} batch --all --cards 5 --count --output five.jsonl\n"
        f"  {PROGRAM} batch --countdown --targets --scheduler tcp://10.0.0.1:8786",
    )
    parser.add_argument("file", nargs="?", help=argparse.SUPPRESS)
    for name in ("--solutions", "--ideas", "--count", "--rate", "--nearest", "--targets"):
        parser.add_argument(name, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument(
        "--all", action="store_true", help="all hands of --cards N (4) from 1 to --highest N (13)"
    )
    parser.add_argument("--cards", type=read_positive_number, default=4, help=argparse.SUPPRESS)
    parser.add_argument("--highest", type=read_positive_number, default=13, help=argparse.SUPPRESS)
    parser.add_argument("--countdown", action="store_true", help="all 13 243 draws of Countdown")
    _add_target(parser)
    parser.add_argument(
        "--workers", type=read_positive_number, metavar="N", help="processes (one for each core)"
    )
    parser.add_argument("--scheduler", metavar="ADDRESS", help="that of a Dask cluster to run on")
    parser.add_argument("--output", metavar="FILE", help="write to a new file")
    parser.add_argument("--resume", action="store_true", help="go on after its last whole line")


# The function that sets up the parser of each command
COMMANDS: dict[str, Callable[[Parser], None]] = {
    "solve": _configure_solve,
    "countdown": _configure_countdown,
    "yahtzee": _configure_yahtzee,
    "rate": _configure_rate,
    "deal": _configure_deal,
    "dataset": _configure_dataset,
    "hint": _configure_hint,
    "check": _configure_check,
    "verify": _configure_verify,
    "batch": _configure_batch,
}
