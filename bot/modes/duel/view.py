"""What is said of a duel: the challenge, the score above each hand, the end."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.i18n import Html, Words, escape_value, format_name, get_words, make_mention
from bot.modes.duel.rules import MAX_HANDS, WINS_NEEDED, Duel, DuelState
from bot.modes.race.rules import MAX_UNTRIED
from bot.modes.race.view import RaceStandings, render_all_hands, render_latest_hands
from bot.rounds.puzzle import render_level
from bot.rounds.registry import DEFAULT_GAME, GAMES
from bot.telegram.messages import Button, Request, add_picture, edit_message, format_player_name, post_message

SWORDS = "⚔️"
CHALLENGE_RECEIPT = "duel"  # The kind of receipt of a challenge


def make_challenge_message(duel: Duel, reply_to: int | None = None) -> Request:
    """The post that challenges somebody."""
    speech = get_words(duel.language)
    text = Html("\n".join(_challenge(speech, duel)))
    return post_message(
        duel.chat_id,
        text,
        topic=duel.topic,
        reply_to=reply_to,
        keyboard=[make_challenge_buttons(speech, duel)],
        about=f"{CHALLENGE_RECEIPT}:{duel.id}",
    )


def _challenge(speech: Words, duel: Duel) -> list[Html]:
    level = render_level(speech, str(duel.options["level"])) if duel.options.get("level") else None
    lines = [
        render_challenge(speech, duel, make_mention(duel.challenger_id)),
        speech.translate("The same hands for both, a minute each. First to {wins} wins.", wins=WINS_NEEDED),
    ]
    game = GAMES[duel.game]
    return [
        *lines,
        *([Html(escape_value(game.title))] if game is not DEFAULT_GAME else []),
        *([level] if level else []),
    ]


def render_challenge(words: Words, duel: Duel, challenger: Html) -> Html:
    """Who challenges whom."""
    if duel.is_for_anybody:
        line = words.translate("{name} challenges whoever dares!", name=challenger)
    else:
        line = words.translate(
            "{name} challenges {other}!", name=challenger, other=format_name(duel.opponent_name)
        )
    return Html(f"{SWORDS} {line}")


def make_challenge_buttons(words: Words, duel: Duel) -> Sequence[Button]:
    """To accept it; and to turn it down, where it is meant for somebody."""
    ended = (
        make_take_back_button(words, duel)
        if duel.is_for_anybody
        else (words.translate_plain("No, thanks"), f"dn:{duel.id}")
    )
    return [(words.translate_plain("Accept"), f"da:{duel.id}"), ended]


def make_take_back_button(words: Words, duel: Duel) -> Button:
    """For whoever challenged."""
    return words.translate_plain("Take it back"), f"dn:{duel.id}"


def make_challenge_edit(duel: Duel, message_id: int, text: Html) -> Request:
    """The challenge's message says something else, below its picture if it has one; pages look again."""
    request = edit_message(duel.chat_id, message_id, text)
    request = replace(request, body=request.body | {"table": True})
    return add_picture(request, "", duel.language, shown_key=duel.photo) if duel.photo else request


def render_declined(duel: Duel) -> Html:
    """The challenge was turned down."""
    text = get_words(duel.language).translate(
        "{name} would rather not duel just now.", name=format_name(duel.opponent_name)
    )
    return Html(f"{SWORDS} {text}")


def render_taken_back(duel: Duel, challenger: str | None) -> Html:
    """The challenge was withdrawn."""
    text = get_words(duel.language).translate(
        "{name} has taken the challenge back.", name=format_name(challenger)
    )
    return Html(f"{SWORDS} {text}")


def render_expired(duel: Duel, challenger: str | None) -> Html:
    """Nobody accepted in time."""
    text = get_words(duel.language).translate(
        "Nobody took {name}’s challenge in time.", name=format_name(challenger)
    )
    return Html(f"{SWORDS} {text}")


def render_duel_heading(
    standings: RaceStandings, duel: Duel, words: Words, names: Mapping[int, str]
) -> list[Html]:
    """Above the hand on the table: who duels, how it stands, and how the last hands went."""
    hand = words.translate(
        "Hand {number} of {length}", number=standings.race.hands_played + 1, length=MAX_HANDS
    )
    score = _score(standings, duel)
    ours, theirs = (format_player_name(names, who) for who in (*duel.player_ids, 0)[:2])
    line = Html(f"{SWORDS} {ours} <b>{score[0]} : {score[1]}</b> {theirs} · {hand}")
    return [line, *render_latest_hands(standings, words, names), Html("")]


def render_duel_result(standings: RaceStandings, duel: Duel, words: Words, names: Mapping[int, str]) -> Html:
    """The duel is over: who has won it, and how each hand went."""
    lines = [Html(f"{SWORDS} <b>{render_duel_winner(standings, duel, words, names)}</b>")]
    race = standings.race
    if race.hands_played < race.length and race.untried_in_a_row >= MAX_UNTRIED:
        lines.append(
            words.translate_plural(
                "Nobody tried the last {n} hand.", "Nobody tried the last {n} hands.", race.untried_in_a_row
            )
        )
    return Html("\n".join([*lines, Html(""), *render_all_hands(standings, words, names)]))


def render_duel_winner(standings: RaceStandings, duel: Duel, words: Words, names: Mapping[int, str]) -> Html:
    """Who has won it, by how much, in a sentence."""
    first, second = _score(standings, duel)
    ours, theirs = (format_player_name(names, who) for who in (*duel.player_ids, 0)[:2])
    if duel.state in (DuelState.WON, DuelState.GIVEN_UP):
        won = duel.winner_id == duel.challenger_id
        parts = {"name": ours, "other": theirs, "score": f"{first}:{second}"}
        if not won:
            parts = {"name": theirs, "other": ours, "score": f"{second}:{first}"}
        if duel.state is DuelState.GIVEN_UP:
            parts["score"] = ":".join(parts["score"].split(":")[::-1])  # as it stood for who gives up
            return words.translate("{other} gives up at {score}: {name} wins the duel.", **parts)
        return words.translate("{name} wins the duel against {other}, {score}!", **parts)
    parts = {"name": ours, "other": theirs, "score": f"{first}:{second}"}
    if duel.state is DuelState.DRAWN:
        return words.translate("{name} and {other} part in a draw, {score}.", **parts)
    return words.translate("The duel of {name} and {other} was ended at {score}.", **parts)


def _score(standings: RaceStandings, duel: Duel) -> tuple[int, int]:
    """Hands won by the challenger and by the opponent."""
    first, second = (standings.hands_won.get(who, 0) for who in (*duel.player_ids, 0)[:2])
    return first, second
