"""Texts of the terminal itself: how to play in it."""

from bot.i18n import Words

BOARD = "/board"  # the line that asks for a link to a board


def render_welcome(speech: Words) -> list[str]:
    return [
        speech.translate_plain(
            "Twenty-Four in the terminal. /play deals a hand; answer with an expression such as 8/(3-8/3)."
        ),
        render_line_syntax(speech),
        speech.translate_plain("/help tells the rest; Ctrl-D ends."),
    ]


def render_line_syntax(speech: Words) -> str:
    return speech.translate_plain(
        "@ann speaks as Ann from then on, !1 presses button 1, > TEXT talks to the bot in private."
    )


def render_leave_hint(speech: Words) -> str:
    return speech.translate_plain("Ctrl-C once more on an empty line leaves; so does Ctrl-D.")


def render_admin_hint(speech: Words) -> str:
    return speech.translate_plain(
        "@ alone speaks as {name} again, the admin here.", name=speech.translate_plain("Player")
    )


def render_board_hint(speech: Words) -> str:
    return speech.translate_plain(
        "/board prints a link that opens a board to tap, for whoever speaks; > /board one in private."
    )


def render_board_link(speech: Words, name: str, link: str, *, private: bool) -> str:
    """Return the line with a link to the board of the group, or of this person's private chat."""
    if private:
        return speech.translate_plain("To tap in private, once, as {name}: {link}", name=name, link=link)
    return speech.translate_plain("To tap instead of typing, once, as {name}: {link}", name=name, link=link)


def render_no_board(speech: Words) -> str:
    return speech.translate_plain("There is no board: no port is free on this machine.")


def render_board_command(speech: Words) -> str:
    """Return the explanation of `/board` for completion."""
    return speech.translate_plain("a link to a board to tap")
