"""Topics of a forum, named so that people find them."""

from bot.groups.settings.rules import GENERAL, Preferences
from bot.i18n import Html, Words, name, safe

SUPERGROUP = 10**12
"""What the id of a supergroup lies under zero beyond the number in its links."""


def tied(words: Words, chat_id: int, chosen: Preferences) -> Html:
    """The one topic that a chat plays in, as a link to it."""
    shown = name(chosen.topic_name) if chosen.topic_name else words.say("that topic")
    if chosen.topic == GENERAL and not chosen.topic_name:
        shown = words.say("General")
    number = -chat_id - SUPERGROUP
    return (
        Html(f'<a href="https://t.me/c/{number}/{chosen.topic}">{safe(shown)}</a>') if number > 0 else shown
    )


def elsewhere(words: Words, chat_id: int, chosen: Preferences) -> Html:
    """A kind line for somebody who asks for a hand in another topic."""
    return words.say("This group plays in {topic}: see you there!", topic=tied(words, chat_id, chosen))
