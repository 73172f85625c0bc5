"""Which picture a message of the chat has: of what is on the table, how it ended, a card of one's own."""

from dataclasses import dataclass, replace
from typing import Any

from bot.console import asked
from bot.database import Tx
from bot.games.contest import queries as contests
from bot.games.daily import pictures as daily
from bot.games.daily import queries as attempts
from bot.games.daily.rules import Progress
from bot.games.daily.view import told_of
from bot.games.known import CONTESTS, GAMES
from bot.games.rounds import queries as rounds
from bot.games.rounds.pictures import picture
from bot.games.rounds.receipts import scene
from bot.games.rounds.rules import Round, State
from bot.games.rounds.scene import Scene
from bot.groups.settings.rules import Pictures
from bot.i18n import NAMELESS, words
from bot.people import queries as people
from bot.pictures import values
from bot.pictures.values import Picture

KINDS: dict[type[Picture], str] = {
    values.Deal: "deal",
    values.Draw: "draw",
    values.Roll: "roll",
    values.ScoreCard: "card",
    values.Solution: "solution",
    values.Race: "race",
    values.Duel: "duel",
    values.Daily: "daily",
}
"""What a picture's file is called."""


@dataclass(frozen=True, slots=True)
class Pictured:
    """A message's picture."""

    picture: Picture
    language: str
    asked: str = ""
    """What was asked for, if it was no round and no card."""

    @property
    def kind(self) -> str:
        """What its file is called."""
        return self.asked or KINDS[type(self.picture)]


def of(tx: Tx, message: dict[str, Any], now: float, language: str) -> Pictured | None:
    """The picture of a message that was shown, as things stand; None where it has none.

    `language` is spoken where nobody chose another one. Here all is seen, whatever the chat chose.
    """
    chat_id, message_id = int(message["chat"]["id"]), int(message["message_id"])
    if (known := rounds.by_message(tx, chat_id, message_id)) is not None:
        found = scene(tx, known.id, now)
        return None if found is None else _pictured(of_round(*found), found[0].language)
    if (shown := _of_asked(tx, message, now, language)) is not None:
        return shown
    if chat_id < 0:
        over = contests.shown_in(tx, chat_id, message_id)
        return None if over is None else _pictured(_of_contest(over), over.language)
    return _of_card(tx, chat_id, message_id) or _of_the_day(tx, chat_id, message, language)


def _pictured(picture: Picture | None, language: str) -> Pictured | None:
    return None if picture is None else Pictured(picture, language)


def _of_asked(tx: Tx, message: dict[str, Any], now: float, usual: str) -> Pictured | None:
    """What people have done, or a challenge."""
    chat_id = int(message["chat"]["id"])
    spoken = people.find_chat(tx, chat_id, "private" if chat_id > 0 else "group").language or usual
    found = asked.of(tx, message, now, spoken)
    return None if found is None else Pictured(found[1], spoken, found[0])


def of_round(round: Round, scene: Scene) -> Picture | None:
    """What is on the table, or how it ended."""
    return picture(round, words(round.language), replace(scene, pictures=Pictures.ALL))


def _of_contest(round: Round) -> Picture | None:
    """The best card, once the contest is over."""
    over = round.state is State.OVER
    return CONTESTS[round.game].best_seen(words(round.language), round.puzzle) if over else None


def _of_card(tx: Tx, player_id: int, message_id: int) -> Pictured | None:
    """What is to be played on a card now, or the card as it ended."""
    found = contests.card_in(tx, player_id, message_id)
    if found is None:
        return None
    round, own = found
    speech, title = words(own.language), people.names(tx, [player_id]).get(player_id, NAMELESS)
    over = round.state is not State.RUNNING
    return _pictured(
        CONTESTS[round.game].card_seen(speech, round.puzzle, own.card, title, over=over), own.language
    )


def _of_the_day(tx: Tx, player_id: int, message: dict[str, Any], usual: str) -> Pictured | None:
    """The hand of a day, or the result of whoever solved it."""
    day = told_of(message["text"])
    dealt = attempts.hand(tx, day) if day else None
    tried = attempts.attempt(tx, dealt.day, player_id) if dealt else None
    if dealt is None or tried is None or tried.state is Progress.GIVEN_UP:
        return None
    language = people.find_chat(tx, player_id, "private").language or usual
    if tried.state is Progress.OPEN:
        return _pictured(GAMES[dealt.game].table(dealt.puzzle), language)
    row = attempts.streak(tx, player_id, dealt.day)
    return Pictured(daily.of(words(language), dealt, tried, row), language)
