"""Render a challenge, and a duel in its one message: the score above each hand, and the end."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.i18n import INVISIBLE_NAME, Html, Words, escape_value, format_name, get_words, make_mention
from bot.levels import render_level
from bot.modes.duel.rules import MAX_HANDS, WINS_NEEDED, Duel, DuelState
from bot.modes.race.view import BLANK_LINE, MAX_LATEST_HANDS, RaceStandings
from bot.pictures.values import DuelPicture
from bot.queue.outgoing import Outgoing
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round
from bot.rounds.view import make_review_button
from bot.telegram.messages import (
    NO_PICTURE,
    Button,
    Keyboard,
    add_picture,
    edit_message,
    format_player_name,
    post_message,
)

SWORDS = "⚔️"
ACCEPT_BUTTON, DECLINE_BUTTON = "da", "dn"  # Keys with which the data of buttons begins
CHALLENGE_RECEIPT = "duel"  # The kind of receipt of a challenge


def make_challenge_message(duel: Duel, reply_to: int | None = None) -> Outgoing:
    words = get_words(duel.language)
    lines = [
        render_challenge(words, duel, make_mention(duel.challenger_id)),
        words.translate("The same hands for both, a minute each. First to {wins} wins.", wins=WINS_NEEDED),
    ]
    game = GAMES[duel.game]
    if game is not GAMES.default:
        lines.append(Html(escape_value(game.title)))
    level = game.options.unpack(duel.options, game.default_kind).level
    if level:
        lines.append(render_level(words, level))
    return post_message(
        duel.chat_id,
        Html("\n".join(lines)),
        topic=duel.topic,
        reply_to=reply_to,
        keyboard=[[button] for button in make_challenge_buttons(words, duel)],
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
        return [accept, make_withdraw_button(words, duel)]
    return [accept, (words.translate_plain("No, thanks"), f"{DECLINE_BUTTON}:{duel.id}")]


def make_withdraw_button(words: Words, duel: Duel) -> Button:
    return words.translate_plain("Withdraw the challenge"), f"{DECLINE_BUTTON}:{duel.id}"


def make_challenge_end(duel: Duel, sentence: Html) -> Outgoing:
    """Replace the text of a challenge's message, or a photo's caption; post a new one if it is not known."""
    text = Html(f"{SWORDS} {sentence}")
    if duel.message_id is None:
        return post_message(duel.chat_id, text, topic=duel.topic)
    edit = edit_message(duel.chat_id, duel.message_id, text)
    request = replace(edit, changes_table=True)
    if not duel.photo:
        return request
    return add_picture(request, NO_PICTURE, duel.language, shown_key=duel.photo)


@dataclass(frozen=True, slots=True)
class DuelStandings(RaceStandings):
    duel: Duel = field(kw_only=True)

    @property
    def hands_won(self) -> Mapping[int, int]:
        """The number of hands that each player has won; a hand with equally near answers is won by both."""
        return Counter(player for hand in self.hands for player in hand.points)

    @property
    def score(self) -> tuple[int, int]:
        """The hands won by the challenger and the opponent."""
        challenger, opponent = (self.hands_won.get(player, 0) for player in self.duel.player_pair)
        return challenger, opponent

    def list_players(self) -> Collection[int]:
        return {*RaceStandings.list_players(self), *self.duel.player_ids}

    def render_heading(self, words: Words, names: Mapping[int, str]) -> list[Html]:
        """Render the lines above the open hand: the score, the hand's number and the latest hands."""
        number = self.race.hands_played + 1
        hand = words.translate("Hand {number} of {length}", number=number, length=MAX_HANDS)
        challenger, opponent = (format_player_name(names, player) for player in self.duel.player_pair)
        line = Html(f"{SWORDS} {challenger} <b>{' : '.join(map(str, self.score))}</b> {opponent} · {hand}")
        voters = self.render_voters(words, names, is_duel=True)
        return [line, *self.render_hands(words, names)[-MAX_LATEST_HANDS:], *voters, BLANK_LINE]

    def render_end(self, words: Words, names: Mapping[int, str]) -> list[Html]:
        return [
            Html(f"{SWORDS} <b>{render_duel_winner(self, words, names)}</b>"),
            *self.render_untried(words),
            BLANK_LINE,
            *self.render_hands(words, names),
        ]

    def make_buttons(self, round: Round, words: Words) -> Keyboard:
        """Return the buttons at the end; while the duel goes on, the one to stop it after a vote."""
        if self.is_over:
            return [[(words.translate_plain("Rematch"), f"dr:{round.id}"), make_review_button(words, round)]]
        return RaceStandings.make_buttons(self, round, words)

    def make_end_picture(self, words: Words, names: Mapping[int, str]) -> DuelPicture:
        duel = self.duel
        challenger, opponent = duel.player_pair
        places = [*enumerate(duel.player_pair)]  # 0 for the challenger, 1 for the opponent
        winner_places = [place for place, player in places if player == duel.winner_id]
        titles = {
            DuelState.WON: words.translate_plain("The duel is won"),
            DuelState.DRAWN: words.translate_plain("The duel is drawn"),
            DuelState.GIVEN_UP: words.translate_plain("Given up"),
        }
        return DuelPicture(
            title=titles.get(duel.state, words.translate_plain("The duel was ended")),
            names=(names.get(challenger, INVISIBLE_NAME), names.get(opponent, INVISIBLE_NAME)),
            score=self.score,
            hands=[
                tuple(place for place, who in places if hand.points.get(who))
                for hand in self.hands
                if not hand.spectators
            ],
            winner=winner_places[0] if winner_places else None,
        )


def render_duel_winner(standings: DuelStandings, words: Words, names: Mapping[int, str]) -> Html:
    """Render the outcome of a duel in one sentence: who won, gave up or drew, or its end, with the score."""
    duel = standings.duel
    places = [*zip(duel.player_pair, standings.score, strict=True)]
    _, opponent = duel.player_pair
    if duel.winner_id == opponent:
        places.reverse()  # the winner is named first; the challenger without a winner
    (winner, winner_wins), (loser, loser_wins) = places
    parts = {
        "name": format_player_name(names, winner),
        "other": format_player_name(names, loser),
        "score": f"{winner_wins}:{loser_wins}",
    }
    if duel.state is DuelState.GIVEN_UP:
        parts["score"] = f"{loser_wins}:{winner_wins}"  # as seen by the player who gives up
        return words.translate("{other} gives up at {score}: {name} wins the duel.", **parts)
    if duel.state is DuelState.WON:
        return words.translate("{name} wins the duel against {other}, {score}!", **parts)
    if duel.state is DuelState.DRAWN:
        return words.translate("{name} and {other} drew the duel, {score}.", **parts)
    return words.translate("The duel of {name} and {other} was ended at {score}.", **parts)


def make_challenge_picture(words: Words, challenge: Duel, names: Mapping[int, str]) -> DuelPicture:
    """Make the picture of a challenge: both names and no hands won yet; `?` for an opponent yet unknown."""
    known_name = names.get(challenge.opponent_id) if challenge.opponent_id else None
    opponent = known_name or challenge.opponent_name or "?"
    challenger = names.get(challenge.challenger_id, INVISIBLE_NAME)
    return DuelPicture(
        title=words.translate_plain("Duel"),
        names=(challenger, opponent),
        score=(0, 0),
        hands=[()] * MAX_HANDS,  # each without a winner
        winner=None,
    )
