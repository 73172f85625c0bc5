"""What the terminal says by itself: how to play in it."""

from bot.i18n import Words

BOARD = "/board"  # the line that asks for a link to a board


def welcome(speech: Words) -> list[str]:
    return [
        speech.plain(
            "Twenty-Four in the terminal. /play deals a hand; answer with an expression such as 8/(3-8/3)."
        ),
        lines_to_type(speech),
        speech.plain("/help tells the rest; Ctrl-D ends."),
    ]


def lines_to_type(speech: Words) -> str:
    return speech.plain(
        "@ann speaks as Ann from then on, !1 presses button 1, > TEXT talks to the bot in private."
    )


def how_to_leave(speech: Words) -> str:
    return speech.plain("Ctrl-C once more on an empty line leaves; so does Ctrl-D.")


def how_to_be_admin(speech: Words) -> str:
    return speech.plain("@ alone speaks as {name} again, the admin here.", name=speech.plain("Player"))


def how_to_get_board(speech: Words) -> str:
    return speech.plain(
        "/board prints a link that opens a board to tap, for whoever speaks; > /board one in private."
    )


def board_link(speech: Words, name: str, link: str, *, private: bool) -> str:
    """Return the line with a link to the board of the group, or of this person's private chat."""
    if private:
        return speech.plain("To tap in private, once, as {name}: {link}", name=name, link=link)
    return speech.plain("To tap instead of typing, once, as {name}: {link}", name=name, link=link)


def no_board(speech: Words) -> str:
    return speech.plain("There is no board: no port is free on this machine.")


def board_command(speech: Words) -> str:
    """Return what completion says of `/board`."""
    return speech.plain("a link to a board to tap")
