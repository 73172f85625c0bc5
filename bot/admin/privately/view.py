"""What a group reads of words to one person: never the word itself."""

from bot.i18n import Html, Words
from bot.telegram.messages import Keyboard, Link

WORD = "word"  # The payload of the link that leads to what waits


def trial(words: Words) -> Html:
    """The first ephemeral message in a chat, which everybody may read where the server is too old."""
    return Html(f"🤫 {words.say('What you answer secretly stays between you and me.')}")


def pointer(words: Words, username: str) -> tuple[Html, Keyboard]:
    """Says that a word waits, with the way to it."""
    text = Html(f"📬 {words.say('I have a word for some of you that is not for everybody.')}")
    return text, [[(words.plain("Read mine"), Link(f"https://t.me/{username}?start={WORD}"))]]


def nothing_waits(words: Words) -> Html:
    """Said to whoever asks for a word and has none."""
    return words.say("No word waits for you.")
