"""What the doctor finds in a chat: one line for each organ, and how to mend what is wrong."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.admin import topics
from bot.admin.settings.rules import Pictures, Preferences, get_quiet_end
from bot.admin.settings.view import format_quiet_hours, render_topic_link
from bot.i18n import Html, Words
from bot.telegram.messages import format_duration


@dataclass(frozen=True, slots=True)
class ChatCondition:
    """What was examined."""

    chat_id: int
    private: bool
    chosen: Preferences
    now: float
    hears_all: bool  # Privacy mode is off
    admin: bool  # The bot is an admin of the chat
    may_write: bool
    may_show: bool  # The chat lets the bot send photos
    slow_mode: float  # Seconds between two messages of a person; 0 is off
    forbidden: tuple[str, ...]  # Those of the bot's reactions that the chat doesn't allow
    forum: bool
    topic_gone: bool  # Whether the topic to which the chat is tied was deleted
    waiting: int  # Requests that wait for Telegram's limit
    refused: str | None  # Why Telegram refused the latest request of the day that it refused
    full_until: float | None  # When the hour has room for another round, if it is full


def render_findings(words: Words, c: ChatCondition) -> Html:
    """Renders the report."""
    organs = [_hearing(words, c), _limits(words, c), *_trouble(words, c)]
    if not c.private:
        quiet = [*_reactions(words, c), *_pictures(words, c)]
        organs[1:1] = [_rights(words, c), *quiet, _slow_mode(words, c), _topic(words, c)]
    return Html("\n".join(organs))


def _well(sentence: Html) -> Html:
    return Html(f"✅ {sentence}")


def _ill(sentence: Html) -> Html:
    return Html(f"⚠️ {sentence}")


def _hearing(words: Words, c: ChatCondition) -> Html:
    if not c.chosen.reads_plain_answers:
        return _well(words.translate("Answers are replies to me or /a: /settings says that I read nothing else."))
    if c.private:
        return _well(words.translate("Here I read every message."))
    if c.admin:
        return _well(words.translate("I read every message, because I am an admin here."))
    if c.hears_all:
        return _well(
            words.translate(
                "I read every message (privacy mode is off). If I miss plain answers, remove me "
                "and add me again."
            )
        )
    return _ill(
        words.translate(
            "I see only commands and replies to me (privacy mode is on). To let me see plain answers, make "
            "me an admin; or send /setprivacy to @BotFather, choose Disable, and add me to the group again."
        )
    )


def _rights(words: Words, c: ChatCondition) -> Html:
    if c.may_write:
        return _well(words.translate("I may write here: that is all I need."))
    return _ill(words.translate("I may not write here: allow me to send messages in the group's permissions."))


def _reactions(words: Words, c: ChatCondition) -> Iterator[Html]:
    if c.forbidden:
        yield _ill(
            words.translate(
                "I answer quietly by reactions, and this group doesn't allow these: {reactions}. "
                "An admin can, in the group's reactions.",
                reactions=" ".join(c.forbidden),
            )
        )


def _pictures(words: Words, c: ChatCondition) -> Iterator[Html]:
    """Why there are none, where the chat wants some."""
    if c.chosen.pictures is Pictures.OFF:
        return
    if not c.may_show:
        yield _ill(
            words.translate(
                "Hands come as text, since I may send no photos: allow me to in the group's permissions. I "
                "try again within ten minutes."
            )
        )
    elif c.slow_mode:
        yield _ill(words.translate("Hands come as text while slow mode is on."))


def _slow_mode(words: Words, c: ChatCondition) -> Html:
    if not c.slow_mode:
        return _well(words.translate("Slow mode is off."))
    return _ill(
        words.translate(
            "Slow mode lets each person write once in {time}, answers too. It can be turned off in the "
            "group's permissions.",
            time=format_duration(words, c.slow_mode),
        )
    )


def _topic(words: Words, c: ChatCondition) -> Html:
    if c.topic_gone:
        return _ill(topics.render_topic_gone(words))
    if c.chosen.topic and not c.forum:
        return _ill(
            words.translate("I am tied to a topic, but this group has none: choose “any topic” in /settings.")
        )
    if c.chosen.topic:
        where = render_topic_link(words, c.chat_id, c.chosen)
        return _well(words.translate("I deal in {topic} only: so /settings says.", topic=where))
    if c.forum:
        return _well(words.translate("I deal in every topic. /settings can tie me to the one where you call it."))
    return _well(words.translate("This group has no topics."))


def _limits(words: Words, c: ChatCondition) -> Html:
    quiet = get_quiet_end(c.chosen, c.now)
    if quiet is not None and c.chosen.quiet:
        return _ill(
            words.translate(
                "I deal no hand now: quiet hours are {hours}. /settings changes them.",
                hours=format_quiet_hours(c.chosen.quiet),
            )
        )
    if c.full_until is not None:
        wait = format_duration(words, c.full_until - c.now)
        return _ill(
            words.translate(
                "This hour's rounds are played: the next in {time}. /settings has the limit.", time=wait
            )
        )
    if c.waiting:
        return _ill(
            words.translate_plural(
                "{n} message of mine waits: Telegram allows 20 a minute in a group.",
                "{n} messages of mine wait: Telegram allows 20 a minute in a group.",
                c.waiting,
            )
        )
    return _well(words.translate("Nothing holds me up."))


def _trouble(words: Words, c: ChatCondition) -> Iterator[Html]:
    if c.refused:
        yield _ill(
            words.translate("Today Telegram refused a message of mine: “{trouble}”", trouble=c.refused[:200])
        )
