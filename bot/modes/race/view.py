"""Render a race in its one message: the hands already played, and the ranking at the end."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bot.formats import format_duration
from bot.i18n import INVISIBLE_NAME, Html, Words, escape_value
from bot.modes.race.rules import MAX_UNTRIED, Race
from bot.pictures.values import Picture, RankedLine, RankingPicture
from bot.rounds import votes
from bot.rounds.game import format_solution
from bot.rounds.registry import GAMES
from bot.rounds.rules import Round, State, rank_by_points
from bot.rounds.view import (
    MAX_RANKS,
    Frame,
    make_review_button,
    render_earned_points,
    render_ranking,
    render_unsolved,
)
from bot.telegram.messages import Keyboard, format_player_name

BLANK_LINE = Html("")
MAX_LATEST_HANDS = 3  # Finished hands shown while the race goes on
MAX_LEADERS = 5  # Players shown in the heading
MAX_WINNERS = 2  # Players shown for a hand in which several score


@dataclass(frozen=True, slots=True)
class RaceHand:
    round: Round
    points: Mapping[int, int]  # Points by player, without the one for the first of the day
    answer: str = ""  # The first of the answers that scored, where several may score
    spectators: Sequence[int] = ()  # Whose right answer ended a hand of a duel, so that it is replaced


@dataclass(frozen=True, slots=True)
class RaceStandings(Frame):
    race: Race
    hands: Sequence[RaceHand]  # Finished hands
    stop_voters: Sequence[int] = ()  # Who wants to end it
    votes_needed: int = 0  # To end it, once somebody has voted
    shown_rounds: Sequence[Round] = ()

    @property
    def points(self) -> Mapping[int, int]:
        points = Counter[int]()
        for hand in self.hands:
            points.update(hand.points)
        return points

    @property
    def is_over(self) -> bool:
        return not self.race.is_open

    def list_players(self) -> Collection[int]:
        spectators = (player for hand in self.hands for player in hand.spectators)
        return {*self.points, *self.stop_voters, *spectators}

    def render_heading(self, words: Words, names: Mapping[int, str]) -> list[Html]:
        """Render the lines above the open hand: its number, the leaders and the latest hands."""
        number = self.race.hands_played + 1
        title = words.translate("Race: hand {number} of {length}", number=number, length=self.race.length)
        points = self.points
        leaders = [_render_leaders(points, names, MAX_LEADERS)] if points else []
        latest_hands = self.render_hands(words, names)[-MAX_LATEST_HANDS:]
        voters = self.render_voters(words, names)
        return [Html(f"🏁 {title}"), *leaders, *latest_hands, *voters, BLANK_LINE]

    def render_voters(self, words: Words, names: Mapping[int, str], *, is_duel: bool = False) -> list[Html]:
        """Render who wants to end the race; an empty list if nobody does."""
        if not self.stop_voters:
            return []
        voters = Html(", ".join(format_player_name(names, player) for player in self.stop_voters))
        count = len(self.stop_voters)
        return [votes.render_end_voters(words, voters, count, self.votes_needed, is_duel=is_duel)]

    def render_end(self, words: Words, names: Mapping[int, str]) -> list[Html]:
        return [
            Html(f"🏁 {words.translate('The race is over.')}"),
            *self.render_untried(words),
            *render_ranking(words, self.points, names),
            BLANK_LINE,
            *self.render_hands(words, names),
        ]

    def make_buttons(self, round: Round, words: Words) -> Keyboard:
        """Return the buttons at the end; while the race goes on, the one to stop it after a vote."""
        if self.is_over:
            return [
                [(words.translate_plain("Race again"), f"r:{round.id}"), make_review_button(words, round)]
            ]
        if not self.stop_voters:
            return []
        end = votes.render_button(words.translate_plain("End"), len(self.stop_voters), self.votes_needed)
        return [[(end, f"x:{round.id}")]]

    def make_end_picture(self, words: Words, names: Mapping[int, str]) -> Picture | None:
        ranking = rank_by_points(self.points)[:MAX_RANKS]
        if not ranking:
            return None
        lines = [
            RankedLine(rank, names.get(player, INVISIBLE_NAME), points) for rank, player, points in ranking
        ]
        return RankingPicture(words.translate_plain("The race is over."), lines)

    def render_hands(self, words: Words, names: Mapping[int, str]) -> list[Html]:
        """Render one line for each finished hand: the winners with their answer, or the solution.

        A replaced hand has the same number as the next one.
        """
        lines, number = list[Html](), 1
        for hand in self.hands:
            lines.append(_render_hand(number, hand, words, names))
            number += not hand.spectators
        return lines

    def render_untried(self, words: Words) -> list[Html]:
        """Render that the race ended early because nobody tried the last hands; else an empty list."""
        untried = self.race.untried_in_a_row
        if self.race.hands_played == self.race.length or untried < MAX_UNTRIED:
            return []
        return [
            words.translate_plural(
                "Nobody tried the last {n} hand, so it ends here.",
                "Nobody tried the last {n} hands, so it ends here.",
                untried,
            )
        ]


def _render_hand(number: int, hand: RaceHand, words: Words, names: Mapping[int, str]) -> Html:
    """Render the winner with answer, time and points; else who scored or was quicker, or the solution."""
    round = hand.round
    game = GAMES[round.game]
    if round.state is State.WON and round.winner_id is not None:
        winner = format_player_name(names, round.winner_id)
        answer = escape_value(game.format_answer(round.puzzle, round.answer or ""))
        took = format_duration(words, (round.closed or 0) - round.opened)
        worth = render_earned_points(words, sum(hand.points.values()), is_first_of_day=False)
        if round.day_first:
            worth = words.translate("{points} (🌅 one more in the leaderboard)", points=worth)
        return Html(f"#{number} 🏆 {winner}: {answer} · {took} · {worth}")
    if hand.points:
        answer = game.format_answer(round.puzzle, hand.answer) if hand.answer else ""
        suffix = f": {escape_value(answer)}" if answer else ""
        return Html(f"#{number} 🏆 {_render_leaders(hand.points, names, MAX_WINNERS)}{suffix}")
    if hand.spectators:
        name = format_player_name(names, hand.spectators[0])
        replaced = words.translate("{name} was quicker: this hand is replaced.", name=name)
        return Html(f"#{number} — {replaced}")
    solution = escape_value(format_solution(game, round.puzzle)) or render_unsolved(round, words)
    return Html(f"#{number} — {solution}")


def _render_leaders(points: Mapping[int, int], names: Mapping[int, str], limit: int) -> Html:
    leaders = rank_by_points(points)[:limit]
    return Html(" · ".join(f"{format_player_name(names, player)} {n}" for _, player, n in leaders))
