"""What is said of a contest: in its group, and to each player on a message of their own."""

from collections.abc import Mapping, Sequence

from bot.i18n import Html, Words, safe
from bot.modes.contest.rules import ENOUGH, Sheet, Standing, is_done, totals
from bot.rounds import proof
from bot.rounds.known import CONTESTS
from bot.rounds.rules import VOTES_TO_SKIP, Round, State, ranked
from bot.telegram.messages import Button, Keyboard, Link, player

# How the data of the buttons begins: take a card, play a turn, end the contest.
PLAY, PUT, END = "cp", "ct", "ce"
DOOR = "card"  # How the payload of a link to somebody's card begins
IN_A_ROW = 2
RANKS_SHOWN = 40


def link(username: str, round: Round) -> Link:
    """What opens the private chat with the bot, for a card in this contest."""
    return Link(f"https://t.me/{username}?start={DOOR}_{round.id}")


# In the group


def living(
    words: Words, round: Round, standings: Sequence[Standing], names: Mapping[int, str], votes: int
) -> tuple[Html, Keyboard]:
    """The contest's message as it stands."""
    if round.state is not State.RUNNING:
        return Html("\n".join(_over(words, round, standings, names))), []
    return Html("\n".join(_running(words, round, standings, names))), _buttons(words, round, standings, votes)


def _running(
    words: Words, round: Round, standings: Sequence[Standing], names: Mapping[int, str]
) -> list[Html]:
    game = CONTESTS[round.game]
    lines = [
        Html(f"🎲 {game.about(words)}"),
        words.say("Everybody has a card of their own, and can leave it and come back for a week."),
        *committed(round),
    ]
    if done := [player(names, who) for who in list(totals(standings))[:RANKS_SHOWN]]:
        lines.append(Html(f"✓ {', '.join(done)}"))
    busy = sorted((s for s in standings if s.total is None and not s.left), key=lambda s: -s.done)[
        :RANKS_SHOWN
    ]
    if busy:
        how = (f"{player(names, each.player_id)} {each.done}/{game.turns}" for each in busy)
        lines.append(Html(f"✍️ {', '.join(how)}"))
    if is_done(standings) and len(totals(standings)) >= ENOUGH:
        lines.append(Html(f"⏳ {words.say('Over in a minute, unless somebody else begins.')}"))
    return lines


def _worth(words: Words, round: Round, finished: int) -> Html:
    """What a total is worth on the boards."""
    if finished < ENOUGH:
        return words.say("No points: nobody else finished.")
    return CONTESTS[round.game].task(words, round, (), private=round.chat_id > 0)


def _over(words: Words, round: Round, standings: Sequence[Standing], names: Mapping[int, str]) -> list[Html]:
    game = CONTESTS[round.game]
    ranks = [*_ranks(standings, names), *_given_up(words, standings, names)]
    return [
        Html(f"🏁 <b>{safe(game.title)}</b>"),
        *(ranks or [words.say("Nobody has finished.")]),
        *([_worth(words, round, len(totals(standings)))] if totals(standings) else []),
        *committed(round),
        *game.revealed(words, round.puzzle),
    ]


def _given_up(words: Words, standings: Sequence[Standing], names: Mapping[int, str]) -> list[Html]:
    """Who ended it while others were still playing, or with a card of their own that was not full."""
    who = [player(names, each.player_id) for each in standings if each.given_up and each.done][:RANKS_SHOWN]
    return [words.say("Given up: {names}.", names=Html(", ".join(who)))] if who else []


def _ranks(standings: Sequence[Standing], names: Mapping[int, str]) -> list[Html]:
    lines = [
        Html(f"{rank}. {player(names, who)} — {total}") for rank, who, total in ranked(totals(standings))
    ]
    return lines[:RANKS_SHOWN] + ([Html("…")] if len(lines) > RANKS_SHOWN else [])


def committed(round: Round) -> list[Html]:
    """What the deal was committed to, and at the contest's end the proof."""
    own = CONTESTS[round.game].proof(round.puzzle)
    return proof.lines(own, over=round.state is not State.RUNNING)


def _buttons(words: Words, round: Round, standings: Sequence[Standing], votes: int) -> Keyboard:
    row: list[Button] = [(f"🎲 {words.plain('Play')}", f"{PLAY}:{round.id}")]
    soon = is_done(standings) and len(totals(standings)) >= ENOUGH
    if votes:
        row.append((f"🏁 {votes_cast(words, votes)}", f"{END}:{round.id}"))
    elif totals(standings) and not soon:
        row.append((f"🏁 {words.plain('End')}", f"{END}:{round.id}"))
    return [row]


def votes_cast(words: Words, votes: int) -> str:
    """How many want the end, as the button says it too."""
    return words.plain("End {votes}/{needed}", votes=votes, needed=VOTES_TO_SKIP)


def sure(words: Words, others: int, votes: int) -> str:
    """Said to who has a card and presses End while others are still playing, or nobody but who presses it."""
    ends = votes + 1 >= VOTES_TO_SKIP
    if not others and ends:
        return words.plain(
            "Press once more to end it for all; your card is not full, and counts for nothing then."
        )
    if not others:
        return words.plain(
            "Press once more to vote for the end; your card is not full, and counts for nothing then."
        )
    if ends:
        return words.count(
            "{n} other is still playing. Press once more to end it for all; your card earns nothing then.",
            "{n} others are still playing. Press once more to end it for all; your card earns nothing then.",
            others,
        )
    return words.count(
        "{n} other is still playing. Press once more to vote for the end; your card earns nothing then.",
        "{n} others are still playing. Press once more to vote for the end; your card earns nothing then.",
        others,
    )


def by_stop(words: Words, others: int) -> str:
    """Said to who has no card and presses it."""
    return words.count(
        "{n} is still playing. /stop is a vote to end it for all.",
        "{n} are still playing. /stop is a vote to end it for all.",
        others,
    )


def voted(words: Words, others: int, votes: int) -> Html:
    """Said to who votes by /stop."""
    return words.count(
        "{n} other is still playing: that was a vote, {votes} of {needed}. Who ends it so earns nothing.",
        "{n} others are still playing: that was a vote, {votes} of {needed}. Who ends it so earns nothing.",
        others,
        votes=votes,
        needed=VOTES_TO_SKIP,
    )


def goes_on_below(words: Words) -> Html:
    """What stands in the place of a contest's message that was posted anew."""
    return Html(f"🎲 {words.say('The game goes on below.')} ⬇️")


def ended_below(words: Words) -> Html:
    """What stands there once the result is posted."""
    return Html(f"🎲 {words.say('The game is over: the result is below.')} ⬇️")


def still_on(words: Words) -> Html:
    """Said to somebody who asks for a contest while there is one."""
    return words.say("This game is still on: Play gives you a card. ⬆️")


# On a message of one's own


def card(words: Words, round: Round, own: Sheet) -> tuple[Html, Keyboard]:
    """Somebody's card, with the turn that is to be played now, or as it ended."""
    game, alone, over = CONTESTS[round.game], round.chat_id > 0, round.state is not State.RUNNING
    full = game.done(own.card) == game.turns
    lines = game.sheet(words, round.puzzle, own.card, over=over)
    if own.given_up and full:
        lines = [words.say("You ended it while others were playing: your card does not count."), *lines]
    if full:
        lines = [*lines, game.hindsight(words, round.puzzle, own.card)]
        end = (
            [_worth(words, round, 1), *committed(round), *game.revealed(words, round.puzzle)] if alone else []
        )
        return Html("\n".join([_title(round), *lines, *end])), []
    if over:
        return Html("\n".join([_title(round), *_unfinished(words, round, own), *lines])), []
    turn = game.turn(words, round.puzzle, own.card)
    seen = committed(round) if alone else []
    return Html("\n".join([*turn, *lines, *seen])), _choices(words, round, own)


def _title(round: Round) -> Html:
    return Html(f"🏁 <b>{safe(CONTESTS[round.game].title)}</b>")


def _unfinished(words: Words, round: Round, own: Sheet) -> list[Html]:
    done, turns = CONTESTS[round.game].done(own.card), CONTESTS[round.game].turns
    told = words.say("The game is over, so your card does not count: {done} of {all}.", done=done, all=turns)
    revealed = committed(round) if round.chat_id > 0 else []
    return [told, *revealed]


def _choices(words: Words, round: Round, own: Sheet) -> Keyboard:
    game = CONTESTS[round.game]
    turn = game.done(own.card)
    buttons = [
        (label, f"{PUT}:{round.id}:{turn}:{choice}")
        for label, choice in game.choices(words, round.puzzle, own.card)
    ]
    return [buttons[first : first + IN_A_ROW] for first in range(0, len(buttons), IN_A_ROW)]


def card_below(words: Words) -> Html:
    """What stands in the place of a card that was posted anew."""
    return Html(f"🎲 {words.say('Your card is below.')} ⬇️")
