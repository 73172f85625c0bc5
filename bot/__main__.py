"""The entry: hands the command line to `cli`.

Nothing heavy is imported before `main` runs: the solver's workers import this module too.
"""

import signal
import sys


def main() -> None:
    """The command `twentyfour-bot`."""
    if not sys.argv[1:]:  # told to stop, a bot ends well, also before all is imported; a tool has failed
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    from bot.cli import run_command
    from bot.console.streams import prepare_streams

    prepare_streams()
    sys.exit(run_command(sys.argv[1:]))


if __name__ == "__main__":
    main()
