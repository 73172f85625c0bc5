"""`python -m solver`: the command line.

The exit code is 0 when something was found, 1 when there is no solution, 2 for bad input, with one line on
standard error that says what was bad.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


LONGEST_LINE = 300  # Characters of a complaint


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Run one command; the result is the exit code."""
    from solver.command import run
    from solver.hands import BadInputError

    _open_streams()
    try:
        code = run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except BadInputError as error:
        print(f"twentyfour: {_one_line(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + 2
    except BrokenPipeError:
        # Whoever read has read enough.
        _drop_output()
        return 128 + 13
    except OSError as error:
        print(f"twentyfour: can't read or write: {error.strerror}", file=sys.stderr)
        _drop_output()
        return 2
    return code


def _one_line(message: str) -> str:
    """Shorten an error message to one printable line: it may quote line breaks and control characters."""
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in message)
    return shown if len(shown) <= LONGEST_LINE else f"{shown[:LONGEST_LINE]}..."


def _open_streams() -> None:
    """Let closed streams be empty ones, and let no character stop reading or writing."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Not with pathlib, which takes 5 ms to load. Open until the process ends.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Python would complain once more when it closes a standard output that can't be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
