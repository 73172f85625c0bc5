import subprocess
import sys


def test_values_do_not_load_the_drawing_library() -> None:
    """The bot's own process need not load the drawing library."""
    code = "import sys, bot.pictures.values; sys.exit('PIL' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
