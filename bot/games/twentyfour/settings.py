"""What a chat's admins may choose of 24."""

import re

from bot.games.twentyfour.hand import LARGEST_TARGET, Chosen
from bot.groups.settings.choices import Setting, numbered
from bot.i18n import Words

DECKS, HANDS, GOALS = (9, 10, 13), (3, 4, 5, 6), (10, 24, 36, 100)
"""What the menu offers."""
FULL_WIDTH = str.maketrans("０１２３４５６７８９　", "0123456789 ")


def settings(words: Words, now: Chosen) -> list[Setting]:
    """The highest card, the count of cards, the target, where `now` holds."""
    return [
        Setting(
            "highest",
            words.plain("Highest card"),
            str(now.highest),
            words.say("Cards go from 1, the ace, up to this one."),
            numbered(DECKS),
            deals=True,
        ),
        Setting(
            "cards",
            words.plain("Cards dealt"),
            str(now.cards),
            words.say("How many cards a hand has."),
            numbered(HANDS),
            deals=True,
        ),
        Setting(
            "target",
            words.plain("Target"),
            str(now.target),
            words.say("What the cards have to make."),
            numbered(GOALS),
            words.say("Type a whole number from 0 to {most}.", most=LARGEST_TARGET),
            read_target,
            deals=True,
        ),
    ]


def read_target(text: str) -> int | None:
    """A typed target; None where the text is none."""
    typed = text.strip().translate(FULL_WIDTH)
    if not re.fullmatch(r"[0-9]{1,4}", typed) or int(typed) > LARGEST_TARGET:
        return None
    return int(typed)
