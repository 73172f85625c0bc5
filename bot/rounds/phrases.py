"""Recognise the few phrases that people write in a group to the bot instead of a command."""

import re
from enum import Enum, auto

from bot.levels import normalize_word
from bot.rounds.registry import may_contain_answer


class Phrase(Enum):
    GIVE_UP = auto()
    HOW_TO_PLAY = auto()


GIVE_UP = (
    *("i give up", "we give up", "me rindo", "nos rendimos", "сдаюсь", "я сдаюсь", "мы сдаемся"),
    *("我放弃", "我放棄", "我认输", "我認輸", "我们放弃", "我們放棄"),
)
HOW_TO_PLAY = (
    *("how do i play", "how do we play", "how do you play", "how do i play this", "how do you play this"),
    *("how does this work", "how does it work", "what are the rules", "how to play"),
    *("como se juega", "como juego", "como jugamos", "como funciona", "cuales son las reglas"),
    *("как играть", "как в это играть", "как тут играть", "какие правила", "как это работает"),
    *("怎么玩", "怎麼玩", "这个怎么玩", "這個怎麼玩", "规则是什么", "規則是什麼"),
)
BOT_NAME = re.compile(r"@\w*bot\b", re.IGNORECASE)  # Telegram's bots have such usernames


def _normalize(text: str) -> str:
    return " ".join(re.findall(r"\w+", normalize_word(text)))


PHRASES = {_normalize(text): Phrase.GIVE_UP for text in GIVE_UP}
PHRASES |= {_normalize(text): Phrase.HOW_TO_PLAY for text in HOW_TO_PLAY}
MAX_LENGTH = 60  # Characters of a text with a phrase


def find_phrase(text: str) -> Phrase | None:
    """Return the phrase that is all of the text, whatever its case and signs; None for other texts.

    A bot's name beside it does not matter. A question with such a name asks how to play.
    """
    if len(text) > MAX_LENGTH:
        return None
    without_name, names = BOT_NAME.subn("", text)
    is_question = names > 0 and text.rstrip().endswith(("?", "？"))
    return PHRASES.get(_normalize(without_name)) or (Phrase.HOW_TO_PLAY if is_question else None)


def may_be_for_bot(text: str) -> bool:
    """Whether a text in a group may contain an answer, or is a phrase."""
    return find_phrase(text) is not None or may_contain_answer(text)
