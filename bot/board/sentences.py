"""The page's own sentences, in the reader's language; all else on it comes from the game.

The page's modules say each of these in English, and look it up in what `sentences` gives.
"""

from bot import i18n
from bot.i18n import Words


def translate_sentences(words: Words) -> dict[str, str]:
    """Return each sentence of the page by its English, which is its key."""
    return dict(zip(_all(i18n.get_words(i18n.SOURCE_LANGUAGE)), _all(words), strict=True))


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
        words.translate_plain(": "),
        words.translate_plain("; "),
        words.translate_plain(", "),
        words.translate_plain(". "),
        words.translate_plain(" ({n})", **PARTS),
    )


def _tiles(words: Words) -> tuple[str, ...]:
    """The sentences of tapping numbers together."""
    return (
        words.translate_plain("Twenty-Four"),
        words.translate_plain("Numbers"),
        words.translate_plain("Tap a number, an operation, a number."),
        words.translate_plain("Operations"),
        words.translate_plain(
            "Or type: numbers or letters of cards, + − × ÷, Backspace to undo, Escape to begin again."
        ),
        words.translate_plain(
            "Or type: numbers, + − × ÷, Enter to hand in, Backspace to undo, Escape to begin again."
        ),
        words.translate_plain("{number}: no longer chosen.", **PARTS),
        words.translate_plain("Undo"),
        words.translate_plain("Reset"),
        words.translate_plain("Hand in {number}", **PARTS),
        words.translate_plain("Hand in"),
        words.translate_plain("Make {target}", **PARTS),
        words.translate_plain("plus"),
        words.translate_plain("minus"),
        words.translate_plain("times"),
        words.translate_plain("divided by"),
        words.translate_plain("divides by zero"),
        words.translate_plain("not a whole number"),
        words.translate_plain("not above zero"),
        words.translate_plain("{n} over {d}", **PARTS),
        words.translate_plain("That makes {value}, not {target}. Undo, and try another way.", **PARTS),
    )


def _sending(words: Words) -> tuple[str, ...]:
    """The sentences of handing in, and of the outcome."""
    return (
        words.translate_plain("That came too late: the table has changed."),
        words.translate_plain("That could not be sent."),
        words.translate_plain("Choose a number first."),
        words.translate_plain("There is no {name} here.", **PARTS),
        words.translate_plain("Choose the number to hand in."),
        words.translate_plain("Your answer is in. A later one takes its place."),
        words.translate_plain("Back to the table"),
        words.translate_plain("Back to the card"),
        words.translate_plain("To the hand"),
        words.translate_plain("To the game of {game}", **PARTS),
        words.translate_plain("Share the result"),
        words.translate_plain("Link for spectators"),
        words.translate_plain("Handed in."),
        words.translate_plain("Kept, and sent as soon as there is a connection."),
        *_todays(words),
        *_offers(words),
    )


def _todays(words: Words) -> tuple[str, ...]:
    """The day's hand, with a connection and without one."""
    return (
        words.translate_plain("The day’s hand"),
        words.translate_plain("The day’s hand, offline"),
        words.translate_plain("Play the day’s hand"),
        words.translate_plain("Play the day’s hand offline"),
        words.translate_plain("Your time runs."),
        words.translate_plain("Your time for the day’s hand runs. Play it here, or answer it in the chat."),
        words.translate_plain("You have done that day’s hand already."),
        words.translate_plain("You have solved the day’s hand offline. It is sent once you are connected."),
        words.translate_plain("Your answer to the hand of {day} could not be sent.", **PARTS),
        words.translate_plain(
            "If you solve it offline, it gives no points, and is sent once you are connected."
        ),
        words.translate_plain("Solved offline: it gives no points, and is sent once you are connected."),
    )


def _offers(words: Words) -> tuple[str, ...]:
    """A hint's price, and what is asked before a hand is given up."""
    return (
        words.translate_plain("Hint"),
        words.translate_plain("−1 point"),
        words.translate_plain("No more hints for this hand."),
        words.translate_plain("Give this hand up? Press once more."),
        words.translate_plain("Yes, give up"),
    )


def _card(words: Words) -> tuple[str, ...]:
    """A card of thirteen categories."""
    return (
        words.translate_plain("Ones to sixes"),
        words.translate_plain("The other categories"),
        words.translate_plain("Total: {n}", **PARTS),
        words.translate_plain("Your total: {n}", **PARTS),
        words.translate_plain("{category}: {points}, filled", **PARTS),
        words.translate_plain("{category}: empty", **PARTS),
        words.translate_plain("{category}: {points} for this roll", **PARTS),
        words.translate_plain("{category}: 0 points. Press again to put it here.", **PARTS),
        words.translate_plain("Put 0 here?"),
        words.translate_plain("Bonus: {bonus}", **PARTS),
        words.translate_plain("{n} more in ones to sixes for the bonus", **PARTS),
        words.translate_plain("Roll {n} of {all}", **PARTS),
        words.translate_plain("The card is full."),
        words.translate_plain("A game of {game} has begun.", **PARTS),
    )


def _ends(words: Words) -> tuple[str, ...]:
    """The sentences of the end of a round, and of the people at the table."""
    return (
        words.translate_plain("You won!"),
        words.translate_plain("Solved!"),
        words.translate_plain("{name} won.", **PARTS),
        words.translate_plain("The game is over."),
        words.translate_plain("The hand is over."),
        words.translate_plain("You: {answer}", **PARTS),
        words.translate_plain("Last hand, {name}: {answer}", **PARTS),
        words.translate_plain("Last hand: {answer}", **PARTS),
        words.translate_plain("{off} away from {target}", **PARTS),
        words.translate_plain("Best: {answer}", **PARTS),
        words.translate_plain("you"),
        words.translate_plain("points: {n}", **PARTS),
        words.translate_plain("At the table"),
        words.translate_plain("Time left"),
        words.translate_plain("You are watching."),
        words.translate_plain("You are watching. The link ends here."),
        words.translate_plain("No hand is on the table."),
        words.translate_plain("Deal one here, or choose a game in the chat: /help shows them all."),
        words.translate_plain("In the chat"),
    )


def _links(words: Words) -> tuple[str, ...]:
    """The connection, links and sharing."""
    return (
        words.translate_plain("Connected again."),
        words.translate_plain("No connection. Trying again …"),
        words.translate_plain("Newer boards are open, so this one waits. Tap it to go on."),
        words.translate_plain("Something went wrong on this page."),
        words.translate_plain("Reload it."),
        words.translate_plain("Reload"),
        words.translate_plain("There is nothing to share yet."),
        words.translate_plain("The link is copied: whoever has it may watch."),
        words.translate_plain("Whoever has this link may watch."),
    )


def _closed(words: Words) -> tuple[str, ...]:
    """The sentences of a closed board, and of the clock."""
    return (
        words.translate_plain("One minute left."),
        words.translate_plain("30 seconds left."),
        words.translate_plain("10 seconds left."),
        words.translate_plain("This board was closed a while ago."),
        words.translate_plain("Open it again from the chat."),
        words.translate_plain("This board can’t be opened."),
        words.translate_plain(
            "The link was used before, or is for somebody else. Open the board from the chat you play in."
        ),
        words.translate_plain("The link was used before. Type /board in the terminal for another."),
        words.translate_plain("This link opens no board."),
        words.translate_plain(
            "Perhaps it is cut short, or too old. Copy all of it, or type /board in the terminal for another."
        ),
        words.translate_plain("Perhaps it is cut short, or too old. Copy all of it, or ask for another."),
        words.translate_plain("Too many tries."),
        words.translate_plain("Wait a minute, then open it again from the chat."),
        words.translate_plain("Nothing to play here yet."),
        words.translate_plain("Open the board by the button under a hand in the chat."),
        words.translate_plain("Type /board in the terminal, and open the link that it shows."),
        words.translate_plain("No connection."),
        words.translate_plain("The page comes back by itself once there is one."),
        words.translate_plain("Your answer is kept, and sent then."),
    )
