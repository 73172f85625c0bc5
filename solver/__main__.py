"""`python -m solver`: the command line.

The exit code is 0 when something was found, 1 when there is no solution, 2 for bad input, with one line on
standard error that says what was bad.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Run one command; the result is the exit code."""
    from solver.arguments import BadInputError
    from solver.command import run

    try:
        code = run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except BadInputError as error:
        print(f"twentyfour: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + 2
    except BrokenPipeError:
        # Whoever read has read enough. Python would complain once more when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + 13
    return code


if __name__ == "__main__":
    sys.exit(main())
