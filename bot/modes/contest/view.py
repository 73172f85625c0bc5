"""What is said of a contest: in its group, and to each player on a message of their own."""

from collections.abc import Mapping, Sequence

from bot.i18n import Html, Words, escape_value
from bot.modes.contest.rules import MIN_FINISHED, CardProgress, PlayerCard, collect_totals, have_all_finished
from bot.rounds import message_lines
from bot.rounds.registry import CONTEST_GAMES
from bot.rounds.rules import VOTES_NEEDED, Round, State, rank_by_points
from bot.telegram.messages import Button, Keyboard, Link, format_player_name

# How the data of the buttons begins: take a card, play a turn, end the contest.
PLAY_BUTTON, TURN_BUTTON, END_BUTTON = "cp", "ct", "ce"
CARD_LINK = "card"  # How the payload of a link to somebody's card begins
IN_A_ROW = 2
RANKS_SHOWN = 40


def build_card_link(username: str, round: Round) -> Link:
    """What opens the private chat with the bot, for a card in this contest."""
    return Link(f"https://t.me/{username}?start={CARD_LINK}_{round.id}")


# In the group


def render_contest(
    words: Words, round: Round, standings: Sequence[CardProgress], names: Mapping[int, str], votes: int
) -> tuple[Html, Keyboard]:
    """The contest's message as it stands."""
    if round.state is not State.RUNNING:
        return Html("\n".join(_over(words, round, standings, names))), []
    return Html("\n".join(_running(words, round, standings, names))), _buttons(words, round, standings, votes)


def _running(
    words: Words, round: Round, standings: Sequence[CardProgress], names: Mapping[int, str]
) -> list[Html]:
    game = CONTEST_GAMES[round.game]
    lines = [
        Html(f"🎲 {game.render_about(words)}"),
        words.translate("Everybody has a card of their own, and can leave it and come back for a week."),
        *render_commitment(round),
    ]
    if done := [format_player_name(names, who) for who in list(collect_totals(standings))[:RANKS_SHOWN]]:
        lines.append(Html(f"✓ {', '.join(done)}"))
    busy = sorted(
        (s for s in standings if s.total is None and not s.has_left), key=lambda s: -s.turns_played
    )[:RANKS_SHOWN]
    if busy:
        how = (
            f"{format_player_name(names, each.player_id)} {each.turns_played}/{game.turn_count}"
            for each in busy
        )
        lines.append(Html(f"✍️ {', '.join(how)}"))
    if have_all_finished(standings) and len(collect_totals(standings)) >= MIN_FINISHED:
        lines.append(Html(f"⏳ {words.translate('Over in a minute, unless somebody else begins.')}"))
    return lines


def _worth(words: Words, round: Round, finished: int) -> Html:
    """What a total is worth on the boards."""
    if finished < MIN_FINISHED:
        return words.translate("No points: nobody else finished.")
    return CONTEST_GAMES[round.game].task(words, round, (), private=round.chat_id > 0)


def _over(
    words: Words, round: Round, standings: Sequence[CardProgress], names: Mapping[int, str]
) -> list[Html]:
    game = CONTEST_GAMES[round.game]
    ranks = [*_ranks(standings, names), *_given_up(words, standings, names)]
    return [
        Html(f"🏁 <b>{escape_value(game.title)}</b>"),
        *(ranks or [words.translate("Nobody has finished.")]),
        *([_worth(words, round, len(collect_totals(standings)))] if collect_totals(standings) else []),
        *render_commitment(round),
        *game.render_revealed_deal(words, round.puzzle),
    ]


def _given_up(words: Words, standings: Sequence[CardProgress], names: Mapping[int, str]) -> list[Html]:
    """Who ended it while others were still playing, or with a card of their own that was not full."""
    who = [
        format_player_name(names, each.player_id) for each in standings if each.given_up and each.turns_played
    ][:RANKS_SHOWN]
    return [words.translate("Given up: {names}.", names=Html(", ".join(who)))] if who else []


def _ranks(standings: Sequence[CardProgress], names: Mapping[int, str]) -> list[Html]:
    lines = [
        Html(f"{rank}. {format_player_name(names, who)} — {total}")
        for rank, who, total in rank_by_points(collect_totals(standings))
    ]
    return lines[:RANKS_SHOWN] + ([Html("…")] if len(lines) > RANKS_SHOWN else [])


def render_commitment(round: Round) -> list[Html]:
    """What the deal was committed to, and at the contest's end the proof."""
    own = CONTEST_GAMES[round.game].get_proof(round.puzzle)
    return message_lines.render_proof(own, over=round.state is not State.RUNNING)


def _buttons(words: Words, round: Round, standings: Sequence[CardProgress], votes: int) -> Keyboard:
    row: list[Button] = [(f"🎲 {words.translate_plain('Play')}", f"{PLAY_BUTTON}:{round.id}")]
    soon = have_all_finished(standings) and len(collect_totals(standings)) >= MIN_FINISHED
    if votes:
        row.append((f"🏁 {render_vote_count(words, votes)}", f"{END_BUTTON}:{round.id}"))
    elif collect_totals(standings) and not soon:
        row.append((f"🏁 {words.translate_plain('End')}", f"{END_BUTTON}:{round.id}"))
    return [row]


def render_vote_count(words: Words, votes: int) -> str:
    """How many want the end, as the button says it too."""
    return words.translate_plain("End {votes}/{needed}", votes=votes, needed=VOTES_NEEDED)


def render_end_confirmation(words: Words, others: int, votes: int) -> str:
    """Said to who has a card and presses End while others are still playing, or nobody but who presses it."""
    ends = votes + 1 >= VOTES_NEEDED
    if not others and ends:
        return words.translate_plain(
            "Press once more to end it for all; your card is not full, and counts for nothing then."
        )
    if not others:
        return words.translate_plain(
            "Press once more to vote for the end; your card is not full, and counts for nothing then."
        )
    if ends:
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


def render_stop_hint(words: Words, others: int) -> str:
    """Said to who has no card and presses it."""
    return words.translate_plural(
        "{n} is still playing. /stop is a vote to end it for all.",
        "{n} are still playing. /stop is a vote to end it for all.",
        others,
    )


def render_vote(words: Words, others: int, votes: int) -> Html:
    """Said to who votes by /stop."""
    return words.translate_plural(
        "{n} other is still playing: that was a vote, {votes} of {needed}. Who ends it so earns nothing.",
        "{n} others are still playing: that was a vote, {votes} of {needed}. Who ends it so earns nothing.",
        others,
        votes=votes,
        needed=VOTES_NEEDED,
    )


def render_continued_below(words: Words) -> Html:
    """What stands in the place of a contest's message that was posted anew."""
    return Html(f"🎲 {words.translate('The game goes on below.')} ⬇️")


def render_ended_below(words: Words) -> Html:
    """What stands there once the result is posted."""
    return Html(f"🎲 {words.translate('The game is over: the result is below.')} ⬇️")


def render_still_running(words: Words) -> Html:
    """Said to somebody who asks for a contest while there is one."""
    return words.translate("This game is still on: Play gives you a card. ⬆️")


# On a message of one's own


def render_card(words: Words, round: Round, own: PlayerCard) -> tuple[Html, Keyboard]:
    """Somebody's card, with the turn that is to be played now, or as it ended."""
    game, alone, over = CONTEST_GAMES[round.game], round.chat_id > 0, round.state is not State.RUNNING
    full = game.count_turns_played(own.card) == game.turn_count
    lines = game.render_card(words, round.puzzle, own.card, over=over)
    if own.given_up and full:
        lines = [words.translate("You ended it while others were playing: your card does not count."), *lines]
    if full:
        lines = [*lines, game.render_hindsight(words, round.puzzle, own.card)]
        end = (
            [
                _worth(words, round, 1),
                *render_commitment(round),
                *game.render_revealed_deal(words, round.puzzle),
            ]
            if alone
            else []
        )
        return Html("\n".join([_title(round), *lines, *end])), []
    if over:
        return Html("\n".join([_title(round), *_unfinished(words, round, own), *lines])), []
    turn = game.render_turn(words, round.puzzle, own.card)
    seen = render_commitment(round) if alone else []
    return Html("\n".join([*turn, *lines, *seen])), _choices(words, round, own)


def _title(round: Round) -> Html:
    return Html(f"🏁 <b>{escape_value(CONTEST_GAMES[round.game].title)}</b>")


def _unfinished(words: Words, round: Round, own: PlayerCard) -> list[Html]:
    done, turns = CONTEST_GAMES[round.game].count_turns_played(own.card), CONTEST_GAMES[round.game].turn_count
    told = words.translate(
        "The game is over, so your card does not count: {done} of {all}.", done=done, all=turns
    )
    revealed = render_commitment(round) if round.chat_id > 0 else []
    return [told, *revealed]


def _choices(words: Words, round: Round, own: PlayerCard) -> Keyboard:
    game = CONTEST_GAMES[round.game]
    turn = game.count_turns_played(own.card)
    buttons = [
        (label, f"{TURN_BUTTON}:{round.id}:{turn}:{choice}")
        for label, choice in game.list_choices(words, round.puzzle, own.card)
    ]
    return [buttons[first : first + IN_A_ROW] for first in range(0, len(buttons), IN_A_ROW)]


def render_card_below(words: Words) -> Html:
    """What stands in the place of a card that was posted anew."""
    return Html(f"🎲 {words.translate('Your card is below.')} ⬇️")
