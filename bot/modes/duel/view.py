"""What is said of a duel: the challenge, the score above each hand, the end."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.i18n import Html, Words, mention, name, safe, words
from bot.modes.duel.rules import HANDS, WINS, Duel, Progress
from bot.modes.race.rules import LEFT_ALONE
from bot.modes.race.view import Standings, all_legs, latest_legs
from bot.rounds.known import GAMES, USUAL
from bot.rounds.puzzle import level_name
from bot.telegram.messages import Button, Request, edit, pictured, player, post

SWORDS = "⚔️"
CHALLENGE = "duel"  # The kind of receipt of a challenge


def challenge(duel: Duel, reply_to: int | None = None) -> Request:
    """The post that challenges somebody."""
    speech = words(duel.language)
    text = Html("\n".join(_challenge(speech, duel)))
    return post(
        duel.chat_id,
        text,
        topic=duel.topic,
        reply_to=reply_to,
        keyboard=[answers(speech, duel)],
        about=f"{CHALLENGE}:{duel.id}",
    )


def _challenge(speech: Words, duel: Duel) -> list[Html]:
    level = level_name(speech, str(duel.options["level"])) if duel.options.get("level") else None
    lines = [
        challenged(speech, duel, mention(duel.challenger_id)),
        speech.say("The same hands for both, a minute each. First to {wins} wins.", wins=WINS),
    ]
    game = GAMES[duel.game]
    return [*lines, *([Html(safe(game.title))] if game is not USUAL else []), *([level] if level else [])]


def challenged(words: Words, duel: Duel, challenger: Html) -> Html:
    """Who challenges whom."""
    if duel.is_open:
        line = words.say("{name} challenges whoever dares!", name=challenger)
    else:
        line = words.say("{name} challenges {other}!", name=challenger, other=name(duel.opponent))
    return Html(f"{SWORDS} {line}")


def answers(words: Words, duel: Duel) -> Sequence[Button]:
    """To accept it; and to turn it down, where it is meant for somebody."""
    ended = take_back(words, duel) if duel.is_open else (words.plain("No, thanks"), f"dn:{duel.id}")
    return [(words.plain("Accept"), f"da:{duel.id}"), ended]


def take_back(words: Words, duel: Duel) -> Button:
    """For whoever challenged."""
    return words.plain("Take it back"), f"dn:{duel.id}"


def changed(duel: Duel, message_id: int, text: Html) -> Request:
    """The challenge's message says something else, below its picture if it has one; pages look again."""
    request = edit(duel.chat_id, message_id, text)
    request = replace(request, body=request.body | {"table": True})
    return pictured(request, "", duel.language, shown=duel.photo) if duel.photo else request


def declined(duel: Duel) -> Html:
    """The challenge was turned down."""
    text = words(duel.language).say("{name} would rather not duel just now.", name=name(duel.opponent))
    return Html(f"{SWORDS} {text}")


def taken_back(duel: Duel, challenger: str | None) -> Html:
    """The challenge was withdrawn."""
    text = words(duel.language).say("{name} has taken the challenge back.", name=name(challenger))
    return Html(f"{SWORDS} {text}")


def lapsed(duel: Duel, challenger: str | None) -> Html:
    """Nobody accepted in time."""
    text = words(duel.language).say("Nobody took {name}’s challenge in time.", name=name(challenger))
    return Html(f"{SWORDS} {text}")


def heading(standings: Standings, duel: Duel, words: Words, names: Mapping[int, str]) -> list[Html]:
    """Above the hand on the table: who duels, how it stands, and how the last hands went."""
    hand = words.say("Hand {number} of {length}", number=standings.race.played + 1, length=HANDS)
    score = _score(standings, duel)
    ours, theirs = (player(names, who) for who in (*duel.players, 0)[:2])
    line = Html(f"{SWORDS} {ours} <b>{score[0]} : {score[1]}</b> {theirs} · {hand}")
    return [line, *latest_legs(standings, words, names), Html("")]


def finish(standings: Standings, duel: Duel, words: Words, names: Mapping[int, str]) -> Html:
    """The duel is over: who has won it, and how each hand went."""
    lines = [Html(f"{SWORDS} <b>{ending(standings, duel, words, names)}</b>")]
    race = standings.race
    if race.played < race.length and race.unanswered >= LEFT_ALONE:
        lines.append(
            words.count(
                "Nobody tried the last {n} hand.", "Nobody tried the last {n} hands.", race.unanswered
            )
        )
    return Html("\n".join([*lines, Html(""), *all_legs(standings, words, names)]))


def ending(standings: Standings, duel: Duel, words: Words, names: Mapping[int, str]) -> Html:
    """Who has won it, by how much, in a sentence."""
    first, second = _score(standings, duel)
    ours, theirs = (player(names, who) for who in (*duel.players, 0)[:2])
    if duel.state in (Progress.WON, Progress.GIVEN_UP):
        won = duel.winner_id == duel.challenger_id
        parts = {"name": ours, "other": theirs, "score": f"{first}:{second}"}
        if not won:
            parts = {"name": theirs, "other": ours, "score": f"{second}:{first}"}
        if duel.state is Progress.GIVEN_UP:
            parts["score"] = ":".join(parts["score"].split(":")[::-1])  # as it stood for who gives up
            return words.say("{other} gives up at {score}: {name} wins the duel.", **parts)
        return words.say("{name} wins the duel against {other}, {score}!", **parts)
    parts = {"name": ours, "other": theirs, "score": f"{first}:{second}"}
    if duel.state is Progress.DRAWN:
        return words.say("{name} and {other} part in a draw, {score}.", **parts)
    return words.say("The duel of {name} and {other} was ended at {score}.", **parts)


def _score(standings: Standings, duel: Duel) -> tuple[int, int]:
    """Hands won by the challenger and by the opponent."""
    first, second = (standings.score.get(who, 0) for who in (*duel.players, 0)[:2])
    return first, second
