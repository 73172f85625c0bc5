"""Render a contest for its group, and each player's card."""

from collections.abc import Mapping, Sequence

from bot.i18n import Html, Words, escape_value
from bot.modes.contest.rules import MIN_FINISHED, PlayerCard, collect_totals, is_closing_soon
from bot.rounds.puzzle import Audience
from bot.rounds.registry import CONTEST_GAMES
from bot.rounds.rules import VOTES_NEEDED, Round, State, rank_by_points
from bot.rounds.votes import render_button
from bot.telegram.messages import Button, Keyboard, format_player_name

PLAY_BUTTON, TURN_BUTTON, END_BUTTON = "cp", "ct", "ce"  # Beginnings of the data of buttons
CARD_LINK = "card"  # The beginning of the payload of a link that opens a card in private
MAX_NAMES = 40  # Players listed on a line or in the ranking


def render_contest(
    words: Words, round: Round, cards: Sequence[PlayerCard], names: Mapping[int, str], votes: int
) -> tuple[Html, Keyboard]:
    """Render the contest's message; a running one has a button to end it after a vote or a full card."""
    if round.state is not State.RUNNING:
        return Html("\n".join(_render_over(words, round, cards, names))), []
    row: list[Button] = [(f"🎲 {words.translate_plain('Play')}", f"{PLAY_BUTTON}:{round.id}")]
    if votes or (collect_totals(cards) and not is_closing_soon(cards)):  # else it ends by itself
        end = render_button(words.translate_plain("End"), votes, VOTES_NEEDED)
        row.append((f"🏁 {end}", f"{END_BUTTON}:{round.id}"))
    return Html("\n".join(_render_running(words, round, cards, names))), [row]


def _render_running(
    words: Words, round: Round, cards: Sequence[PlayerCard], names: Mapping[int, str]
) -> list[Html]:
    """Render who has finished and how far the others are, without their totals."""
    game = CONTEST_GAMES[round.game]
    lines = [
        Html(f"🎲 {game.render_about(words)}"),
        words.translate("Everybody has a card of their own, and can leave it and come back for a week."),
    ]
    finished = [format_player_name(names, player_id) for player_id in collect_totals(cards)]
    if finished:
        lines.append(Html(f"✓ {', '.join(finished[:MAX_NAMES])}"))
    playing = sorted((p for p in cards if p.is_playing), key=lambda p: p.turns_played, reverse=True)
    if playing:
        turns = (
            f"{format_player_name(names, p.player_id)} {p.turns_played}/{game.turn_count}"
            for p in playing[:MAX_NAMES]
        )
        lines.append(Html(f"✍️ {', '.join(turns)}"))
    if is_closing_soon(cards):
        lines.append(Html(f"⏳ {words.translate('Over in a minute, unless somebody else begins.')}"))
    return lines


def _render_over(
    words: Words, round: Round, cards: Sequence[PlayerCard], names: Mapping[int, str]
) -> list[Html]:
    """Render the ranking, who gave up after a turn, the points, and the deal with the best card."""
    totals = collect_totals(cards)
    ranking = [
        Html(f"{rank}. {format_player_name(names, player_id)} — {total}")
        for rank, player_id, total in rank_by_points(totals)
    ]
    lines = ranking[:MAX_NAMES] or [words.translate("Nobody has finished.")]
    if len(ranking) > MAX_NAMES:
        lines.append(Html("…"))
    given_up = [format_player_name(names, p.player_id) for p in cards if p.given_up and p.turns_played]
    if given_up:
        listed = Html(", ".join(given_up[:MAX_NAMES]))
        lines.append(words.translate("Given up: {names}.", names=listed))
    if totals:
        lines.append(_render_worth(words, round, len(totals)))
    return [_render_title(round), *lines, *_render_revealed(words, round)]


def _render_title(round: Round) -> Html:
    return Html(f"🏁 <b>{escape_value(CONTEST_GAMES[round.game].title)}</b>")


def _render_worth(words: Words, round: Round, total_count: int) -> Html:
    """Render how many points a total is worth; none unless there are `MIN_FINISHED` totals."""
    if total_count < MIN_FINISHED:
        return words.translate("No points: nobody else finished.")
    return CONTEST_GAMES[round.game].task(words, round, (), Audience.HEARD)


def _render_revealed(words: Words, round: Round) -> list[Html]:
    return CONTEST_GAMES[round.game].render_revealed_deal(words, round.puzzle)


def render_end_confirmation(words: Words, others: int, votes: int) -> str:
    """Render what a second press on End means for a player with a card; `others` are still playing."""
    is_last_vote = votes + 1 >= VOTES_NEEDED
    if not others and is_last_vote:
        return words.translate_plain(
            "Press once more to end it for all; your card is not full, and counts for nothing then."
        )
    if not others:
        return words.translate_plain(
            "Press once more to vote for the end; your card is not full, and counts for nothing then."
        )
    if is_last_vote:
        return words.translate_plural(
            "{n} other is still playing. Press once more to end it for all; your card earns nothing then.",
            "{n} others are still playing. Press once more to end it for all; your card earns nothing then.",
            others,
        )
    return words.translate_plural(
        "{n} other is still playing. Press once more to vote for the end; your card earns nothing then.",
        "{n} others are still playing. Press once more to vote for the end; your card earns nothing then.",
        others,
    )


def render_vote(words: Words, others: int, votes: int) -> Html:
    """Render the reply to a vote by /stop, while `others` are still playing."""
    return words.translate_plural(
        "{n} other is still playing: that was a vote, {votes} of {needed}. Who ends it so earns nothing.",
        "{n} others are still playing: that was a vote, {votes} of {needed}. Who ends it so earns nothing.",
        others,
        votes=votes,
        needed=VOTES_NEEDED,
    )


def render_pointer(sentence: Html) -> Html:
    """Render the replacement for a former message of a contest or card, above the present one."""
    return Html(f"🎲 {sentence} ⬇️")


CHOICES_IN_ROW = 2


def render_card(words: Words, round: Round, card: PlayerCard) -> tuple[Html, Keyboard]:
    """Render a player's card with its present turn and buttons; without these once it is full or over."""
    game = CONTEST_GAMES[round.game]
    is_over = round.state is not State.RUNNING
    played = game.count_turns_played(card.card)
    lines = game.render_card(words, round.puzzle, card.card, over=is_over)
    if played == game.turn_count:
        return Html("\n".join(_render_full_card(words, round, card, lines))), []
    if is_over:
        note = words.translate(
            "The game is over, so your card does not count: {done} of {all}.",
            done=played,
            all=game.turn_count,
        )
        return Html("\n".join([_render_title(round), note, *lines])), []
    turn = game.render_turn(words, round.puzzle, card.card)
    buttons = [
        (label, f"{TURN_BUTTON}:{round.id}:{played}:{choice}")
        for label, choice in game.list_choices(words, round.puzzle, card.card)
    ]
    rows = [buttons[first : first + CHOICES_IN_ROW] for first in range(0, len(buttons), CHOICES_IN_ROW)]
    return Html("\n".join([*turn, *lines])), rows


def _render_full_card(words: Words, round: Round, card: PlayerCard, lines: list[Html]) -> list[Html]:
    """Render a full card, drawn as `lines`, with hindsight; in private also the points and the deal."""
    if card.given_up:
        lines = [words.translate("You ended it while others were playing: your card does not count."), *lines]
    hindsight = CONTEST_GAMES[round.game].render_hindsight(words, round.puzzle, card.card)
    full = [_render_title(round), *lines, hindsight]
    if round.is_private:  # no other message shows the result
        full += [_render_worth(words, round, total_count=1), *_render_revealed(words, round)]
    return full
