"""The page's own sentences, in the reader's language; all else on it comes from the game.

The page's modules say each of these in English, and look it up in what `sentences` gives.
"""

from bot import i18n
from bot.i18n import Words


def sentences(words: Words) -> dict[str, str]:
    """Return each sentence of the page by its English, which is its key."""
    return dict(zip(_all(i18n.words(i18n.SOURCE)), _all(words), strict=True))


def _all(words: Words) -> tuple[str, ...]:
    return (
        *_marks(words),
        *_tiles(words),
        *_sending(words),
        *_card(words),
        *_ends(words),
        *_links(words),
        *_closed(words),
    )


# Every part of a sentence stands for itself here: the page puts it in.
PARTS = {
    name: f"{{{name}}}"
    for name in (
        *("all", "answer", "bonus", "category", "d", "day", "game", "n", "name", "number", "off", "points"),
        *("target", "value"),
    )
}


def _marks(words: Words) -> tuple[str, ...]:
    """The marks between two parts, as the language writes them."""
    return (
        words.plain(": "),
        words.plain("; "),
        words.plain(", "),
        words.plain(". "),
        words.plain(" ({n})", **PARTS),
    )


def _tiles(words: Words) -> tuple[str, ...]:
    """The sentences of tapping numbers together."""
    return (
        words.plain("Twenty-Four"),
        words.plain("Numbers"),
        words.plain("Tap a number, an operation, a number."),
        words.plain("Operations"),
        words.plain(
            "Or type: numbers or letters of cards, + − × ÷, Backspace to undo, Escape to begin again."
        ),
        words.plain("Or type: numbers, + − × ÷, Enter to hand in, Backspace to undo, Escape to begin again."),
        words.plain("{number}: no longer chosen.", **PARTS),
        words.plain("Undo"),
        words.plain("Reset"),
        words.plain("Hand in {number}", **PARTS),
        words.plain("Hand in"),
        words.plain("Make {target}", **PARTS),
        words.plain("plus"),
        words.plain("minus"),
        words.plain("times"),
        words.plain("divided by"),
        words.plain("divides by zero"),
        words.plain("not a whole number"),
        words.plain("not above zero"),
        words.plain("{n} over {d}", **PARTS),
        words.plain("That makes {value}, not {target}. Undo, and try another way.", **PARTS),
    )


def _sending(words: Words) -> tuple[str, ...]:
    """The sentences of handing in, and of the outcome."""
    return (
        words.plain("That came too late: the table has changed."),
        words.plain("That could not be sent."),
        words.plain("Choose a number first."),
        words.plain("There is no {name} here.", **PARTS),
        words.plain("Choose the number to hand in."),
        words.plain("Your answer is in. A later one takes its place."),
        words.plain("Back to the table"),
        words.plain("Back to the card"),
        words.plain("To the hand"),
        words.plain("To the game of {game}", **PARTS),
        words.plain("Share the result"),
        words.plain("Link for spectators"),
        words.plain("Handed in."),
        words.plain("Kept, and sent as soon as there is a connection."),
        *_todays(words),
        *_offers(words),
    )


def _todays(words: Words) -> tuple[str, ...]:
    """The day's hand, with a connection and without one."""
    return (
        words.plain("The day’s hand"),
        words.plain("The day’s hand, offline"),
        words.plain("Play the day’s hand"),
        words.plain("Play the day’s hand offline"),
        words.plain("Your time runs."),
        words.plain("Your time for the day’s hand runs. Play it here, or answer it in the chat."),
        words.plain("You have done that day’s hand already."),
        words.plain("You have solved the day’s hand offline. It is sent once you are connected."),
        words.plain("Your answer to the hand of {day} could not be sent.", **PARTS),
        words.plain("If you solve it offline, it gives no points, and is sent once you are connected."),
        words.plain("Solved offline: it gives no points, and is sent once you are connected."),
    )


def _offers(words: Words) -> tuple[str, ...]:
    """A hint's price, and what is asked before a hand is given up."""
    return (
        words.plain("Hint"),
        words.plain("−1 point"),
        words.plain("No more hints for this hand."),
        words.plain("Give this hand up? Press once more."),
        words.plain("Yes, give up"),
    )


def _card(words: Words) -> tuple[str, ...]:
    """A card of thirteen categories."""
    return (
        words.plain("Ones to sixes"),
        words.plain("The other categories"),
        words.plain("Total: {n}", **PARTS),
        words.plain("Your total: {n}", **PARTS),
        words.plain("{category}: {points}, filled", **PARTS),
        words.plain("{category}: empty", **PARTS),
        words.plain("{category}: {points} for this roll", **PARTS),
        words.plain("{category}: 0 points. Press again to put it here.", **PARTS),
        words.plain("Put 0 here?"),
        words.plain("Bonus: {bonus}", **PARTS),
        words.plain("{n} more in ones to sixes for the bonus", **PARTS),
        words.plain("Roll {n} of {all}", **PARTS),
        words.plain("The card is full."),
        words.plain("A game of {game} has begun.", **PARTS),
    )


def _ends(words: Words) -> tuple[str, ...]:
    """The sentences of the end of a round, and of the people at the table."""
    return (
        words.plain("You won!"),
        words.plain("Solved!"),
        words.plain("{name} won.", **PARTS),
        words.plain("The game is over."),
        words.plain("The hand is over."),
        words.plain("You: {answer}", **PARTS),
        words.plain("Last hand, {name}: {answer}", **PARTS),
        words.plain("Last hand: {answer}", **PARTS),
        words.plain("{off} away from {target}", **PARTS),
        words.plain("Best: {answer}", **PARTS),
        words.plain("you"),
        words.plain("points: {n}", **PARTS),
        words.plain("At the table"),
        words.plain("Time left"),
        words.plain("You are watching."),
        words.plain("You are watching. The link ends here."),
        words.plain("No hand is on the table."),
        words.plain("Deal one here, or choose a game in the chat: /help shows them all."),
        words.plain("In the chat"),
    )


def _links(words: Words) -> tuple[str, ...]:
    """The connection, links and sharing."""
    return (
        words.plain("Connected again."),
        words.plain("No connection. Trying again …"),
        words.plain("Newer boards are open, so this one waits. Tap it to go on."),
        words.plain("Something went wrong on this page."),
        words.plain("Reload it."),
        words.plain("Reload"),
        words.plain("There is nothing to share yet."),
        words.plain("The link is copied: whoever has it may watch."),
        words.plain("Whoever has this link may watch."),
    )


def _closed(words: Words) -> tuple[str, ...]:
    """The sentences of a closed board, and of the clock."""
    return (
        words.plain("One minute left."),
        words.plain("30 seconds left."),
        words.plain("10 seconds left."),
        words.plain("This board was closed a while ago."),
        words.plain("Open it again from the chat."),
        words.plain("This board can’t be opened."),
        words.plain(
            "The link was used before, or is for somebody else. Open the board from the chat you play in."
        ),
        words.plain("The link was used before. Type /board in the terminal for another."),
        words.plain("This link opens no board."),
        words.plain(
            "Perhaps it is cut short, or too old. Copy all of it, or type /board in the terminal for another."
        ),
        words.plain("Perhaps it is cut short, or too old. Copy all of it, or ask for another."),
        words.plain("Too many tries."),
        words.plain("Wait a minute, then open it again from the chat."),
        words.plain("Nothing to play here yet."),
        words.plain("Open the board by the button under a hand in the chat."),
        words.plain("Type /board in the terminal, and open the link that it shows."),
        words.plain("No connection."),
        words.plain("The page comes back by itself once there is one."),
        words.plain("Your answer is kept, and sent then."),
    )
