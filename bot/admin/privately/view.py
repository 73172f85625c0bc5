"""What a group reads of words to one person: never the word itself."""

from bot.i18n import Html, Words
from bot.telegram.messages import Keyboard, Link

REPLIES_LINK = "word"  # The payload of the link that leads to what waits


def render_trial(words: Words) -> Html:
    """The first ephemeral message in a chat, which everybody may read where the server is too old."""
    return Html(f"🤫 {words.translate('What you answer secretly stays between you and me.')}")


def render_group_notice(words: Words, username: str) -> tuple[Html, Keyboard]:
    """Says that a word waits, with the way to it."""
    text = Html(f"📬 {words.translate('I have a word for some of you that is not for everybody.')}")
    return text, [[(words.translate_plain("Read mine"), Link(f"https://t.me/{username}?start={REPLIES_LINK}"))]]


def render_nothing_waits(words: Words) -> Html:
    """Said to whoever asks for a word and has none."""
    return words.translate("No word waits for you.")
