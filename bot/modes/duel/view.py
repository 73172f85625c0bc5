"""Render a challenge, and a duel in its one message: the score above each hand, and the end."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.i18n import INVISIBLE_NAME, Html, Words, escape_value, format_name, get_words, make_mention
from bot.modes.duel.rules import MAX_HANDS, WINS_NEEDED, Duel, DuelState
from bot.modes.race.view import BLANK_LINE, MAX_LATEST_HANDS, RaceStandings, render_hands, render_untried
from bot.pictures.values import DuelPicture
from bot.rounds.puzzle import render_level
from bot.rounds.registry import DEFAULT_GAME, GAMES
from bot.telegram.messages import (
    NO_PICTURE,
    Button,
    Request,
    add_picture,
    edit_message,
    format_player_name,
    post_message,
)

SWORDS = "⚔️"
ACCEPT_BUTTON, DECLINE_BUTTON = "da", "dn"  # Keys with which the data of buttons begins
CHALLENGE_RECEIPT = "duel"  # The kind of receipt of a challenge


def make_challenge_message(duel: Duel, reply_to: int | None = None) -> Request:
    """Make the request that posts a challenge with its buttons."""
    words = get_words(duel.language)
    lines = [
        render_challenge(words, duel, make_mention(duel.challenger_id)),
        words.translate("The same hands for both, a minute each. First to {wins} wins.", wins=WINS_NEEDED),
    ]
    game = GAMES[duel.game]
    if game is not DEFAULT_GAME:
        lines.append(Html(escape_value(game.title)))
    level = duel.options.get("level")
    if level:
        lines.append(render_level(words, str(level)))
    return post_message(
        duel.chat_id,
        Html("\n".join(lines)),
        topic=duel.topic,
        reply_to=reply_to,
        keyboard=[make_challenge_buttons(words, duel)],
        about=f"{CHALLENGE_RECEIPT}:{duel.id}",
    )


def render_challenge(words: Words, duel: Duel, challenger: Html) -> Html:
    if duel.is_for_anybody:
        line = words.translate("{name} challenges whoever dares!", name=challenger)
    else:
        opponent = format_name(duel.opponent_name)
        line = words.translate("{name} challenges {other}!", name=challenger, other=opponent)
    return Html(f"{SWORDS} {line}")


def make_challenge_buttons(words: Words, duel: Duel) -> Sequence[Button]:
    """Make the button to accept, and one to decline; to withdraw if the challenge is to anybody."""
    accept = (words.translate_plain("Accept"), f"{ACCEPT_BUTTON}:{duel.id}")
    if duel.is_for_anybody:
        return [accept, make_take_back_button(words, duel)]
    return [accept, (words.translate_plain("No, thanks"), f"{DECLINE_BUTTON}:{duel.id}")]


def make_take_back_button(words: Words, duel: Duel) -> Button:
    return words.translate_plain("Take it back"), f"{DECLINE_BUTTON}:{duel.id}"


def make_challenge_end(duel: Duel, sentence: Html) -> Request:
    """Replace the text of a challenge's message and remove its picture; post a new one if it is not known."""
    text = Html(f"{SWORDS} {sentence}")
    if duel.message_id is None:
        return post_message(duel.chat_id, text, topic=duel.topic)
    edit = edit_message(duel.chat_id, duel.message_id, text)
    request = replace(edit, body=edit.body | {"table": True})  # updates open boards
    if not duel.photo:
        return request
    return add_picture(request, NO_PICTURE, duel.language, shown_key=duel.photo)


def render_duel_heading(
    standings: RaceStandings, duel: Duel, words: Words, names: Mapping[int, str]
) -> list[Html]:
    """Render the lines above the open hand: the score, the hand's number and the latest hands."""
    number = standings.race.hands_played + 1
    hand = words.translate("Hand {number} of {length}", number=number, length=MAX_HANDS)
    challenger, opponent = (format_player_name(names, player) for player in duel.player_pair)
    challenger_wins, opponent_wins = (standings.hands_won.get(player, 0) for player in duel.player_pair)
    line = Html(f"{SWORDS} {challenger} <b>{challenger_wins} : {opponent_wins}</b> {opponent} · {hand}")
    return [line, *render_hands(standings, words, names)[-MAX_LATEST_HANDS:], BLANK_LINE]


def render_duel_result(standings: RaceStandings, duel: Duel, words: Words, names: Mapping[int, str]) -> Html:
    """Render the end of a duel: its outcome and all hands."""
    lines = [
        Html(f"{SWORDS} <b>{render_duel_winner(standings, duel, words, names)}</b>"),
        *render_untried(standings.race, words),
        BLANK_LINE,
        *render_hands(standings, words, names),
    ]
    return Html("\n".join(lines))


def render_duel_winner(standings: RaceStandings, duel: Duel, words: Words, names: Mapping[int, str]) -> Html:
    """Render the outcome of a duel in one sentence: who won, gave up or drew, with the score."""
    first, second = duel.player_pair
    if duel.state in (DuelState.WON, DuelState.GIVEN_UP) and duel.winner_id != duel.challenger_id:
        first, second = second, first  # the winner is named first
    wins = standings.hands_won.get(first, 0)
    second_wins = standings.hands_won.get(second, 0)
    parts = {
        "name": format_player_name(names, first),
        "other": format_player_name(names, second),
        "score": f"{wins}:{second_wins}",
    }
    if duel.state is DuelState.GIVEN_UP:
        parts["score"] = f"{second_wins}:{wins}"  # as seen by the player who gives up
        return words.translate("{other} gives up at {score}: {name} wins the duel.", **parts)
    if duel.state is DuelState.WON:
        return words.translate("{name} wins the duel against {other}, {score}!", **parts)
    if duel.state is DuelState.DRAWN:
        return words.translate("{name} and {other} part in a draw, {score}.", **parts)
    return words.translate("The duel of {name} and {other} was ended at {score}.", **parts)


def make_challenge_picture(words: Words, challenge: Duel, names: Mapping[int, str]) -> DuelPicture:
    """Make the picture of a challenge: both names and no hands won yet."""
    # Nobody has the id 0; a challenge to anybody has no name either
    opponent = names.get(challenge.opponent_id or 0) or challenge.opponent_name or "?"
    challenger = names.get(challenge.challenger_id, INVISIBLE_NAME)
    return DuelPicture(
        title=words.translate_plain("Duel"),
        names=(challenger, opponent),
        score=(0, 0),
        hands=[()] * MAX_HANDS,  # each without a winner
        winner=None,
    )


def make_duel_picture(
    words: Words, standings: RaceStandings, duel: Duel, names: Mapping[int, str]
) -> DuelPicture:
    """Make the picture of a duel that is over: both names and who won each hand."""
    challenger, opponent = duel.player_pair
    titles = {
        DuelState.WON: words.translate_plain("The duel is won"),
        DuelState.DRAWN: words.translate_plain("The duel is drawn"),
        DuelState.GIVEN_UP: words.translate_plain("Given up"),
    }
    return DuelPicture(
        title=titles.get(duel.state, words.translate_plain("The duel was ended")),
        names=(names.get(challenger, INVISIBLE_NAME), names.get(opponent, INVISIBLE_NAME)),
        score=(standings.hands_won.get(challenger, 0), standings.hands_won.get(opponent, 0)),
        hands=[  # places (0, 1) of those who won the hand
            tuple(place for place, player in enumerate(duel.player_pair) if hand.points.get(player))
            for hand in standings.hands
        ],
        winner=next(
            (place for place, player in enumerate(duel.player_pair) if player == duel.winner_id), None
        ),
    )
