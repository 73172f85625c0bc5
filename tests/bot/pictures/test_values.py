import subprocess
import sys


def test_values_are_made_without_loading_what_draws_them() -> None:
    """The bot's own process need not hold the drawing in memory."""
    code = "import sys, bot.pictures.values; sys.exit('PIL' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
