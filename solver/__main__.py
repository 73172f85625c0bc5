"""`python -m solver`: the command line.

The exit code is 0 when something was found, 1 when there is no solution, 2 for bad input, with one line on
standard error that says what was bad.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


MAX_MESSAGE = 300  # Characters of an error message


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Run one command and return its exit code. Errors are printed in one line on standard error."""
    from solver.command import run_command
    from solver.hands import BadInputError

    _prepare_streams()
    try:
        code = run_command(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except BadInputError as error:
        print(f"twentyfour: {_shorten_message(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + 2  # as a shell reports SIGINT
    except BrokenPipeError:
        # The reading program, such as `head`, has closed the pipe: no error message, as usual in a shell.
        _discard_output()
        return 128 + 13  # as a shell reports SIGPIPE
    except OSError as error:
        print(f"twentyfour: can't read or write: {error.strerror}", file=sys.stderr)
        _discard_output()
        return 2
    return code


def _shorten_message(message: str) -> str:
    """Escape line breaks and control characters of a message, and cut it to MAX_MESSAGE characters."""
    # ascii() puts quotes around the escaped character.
    printable = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in message)
    if len(printable) <= MAX_MESSAGE:
        return printable
    return f"{printable[:MAX_MESSAGE]}..."


def _prepare_streams() -> None:
    """Replace closed standard streams by empty ones, and escape characters that an encoding lacks."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Not with pathlib, which takes 5 ms to load. Open until the process ends.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Redirect standard output to nowhere, so that Python does not report it again when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
