"""The entry: hands the command line to `cli`.

Nothing heavy is imported before `main` runs: the solver's workers import this module too.
"""

import sys


def main() -> None:
    """The command `twentyfour-bot`."""
    from bot.cli import run
    from bot.console.streams import open_closed

    open_closed()
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
