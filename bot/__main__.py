"""The entry: hands the command line to `cli`.

Nothing heavy is imported before `main` runs: the solver's workers import this module too.
"""

import signal
import sys


def main() -> None:
    """Run the command line of `twentyfour-bot`, and exit with its code."""
    if not sys.argv[1:]:  # SIGTERM ends the bot with exit code 0 from now on; a tool that it ends has failed
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        from bot.cli import run_command
        from bot.console.streams import prepare_streams
    except ModuleNotFoundError as error:
        install = "in a clone of the project run pip install '.[bot]'"
        print(f"twentyfour-bot needs {error.name} and other packages; {install}", file=sys.stderr)
        sys.exit(2)

    prepare_streams()
    sys.exit(run_command(sys.argv[1:]))


if __name__ == "__main__":
    main()
