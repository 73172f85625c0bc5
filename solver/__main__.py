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
    """Run one command and return its exit code: that of the command, 2 for bad input or a failed read or
    write, 130 if interrupted, 141 if the reader closed the pipe. Bad input and failures print one line on
    standard error. Without `arguments`, those of the process are used.
    """
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
    """Escape line breaks and control characters of a message. Longer than MAX_MESSAGE characters, it is cut
    there and ends with three dots.
    """
    # ascii() puts quotes around the escaped character.
    printable = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in message)
    if len(printable) <= MAX_MESSAGE:
        return printable
    return f"{printable[:MAX_MESSAGE]}..."


def _prepare_streams() -> None:
    """Open the null device in place of each closed standard stream, and make every stream escape characters
    that its encoding lacks.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            # Not with pathlib, which takes 5 ms to load. Open until the process ends.
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: PTH123, SIM115
            setattr(sys, name, stream)
        if hasattr(stream, "reconfigure"):  # a StringIO, which tests use, has no encoding
            stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Redirect standard output to the null device. Otherwise Python would flush the rest when it exits, fail
    again, and report that.
    """
    null_device = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null_device, sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
