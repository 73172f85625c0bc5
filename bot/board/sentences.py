"""The page's own sentences; all other texts on it come from the game.

The page's modules look each sentence up by its English text.
"""

from bot.i18n import SOURCE_LANGUAGE, Words, get_words

# Stays in the sentence: the page puts the values in.
PLACEHOLDERS = {
    name: f"{{{name}}}"
    for name in (
        *("all", "answer", "bonus", "category", "d", "day", "game", "n", "name", "number", "off", "points"),
        *("target", "value"),
    )
}


def translate_sentences(words: Words) -> dict[str, str]:
    """Return each sentence of the page by its English text."""
    return dict(zip(_translate_all(get_words(SOURCE_LANGUAGE)), _translate_all(words), strict=True))


def _translate_all(words: Words) -> tuple[str, ...]:
    return (
        # Punctuation between two parts
        words.translate_plain(": "),
        words.translate_plain("; "),
        words.translate_plain(", "),
        words.translate_plain(". "),
        words.translate_plain(" ({n})", **PLACEHOLDERS),
        # Tapping numbers together
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
        words.translate_plain("{number}: no longer chosen.", **PLACEHOLDERS),
        words.translate_plain("Undo"),
        words.translate_plain("Reset"),
        words.translate_plain("Hand in {number}", **PLACEHOLDERS),
        words.translate_plain("Hand in"),
        words.translate_plain("Make {target}", **PLACEHOLDERS),
        words.translate_plain("plus"),
        words.translate_plain("minus"),
        words.translate_plain("times"),
        words.translate_plain("divided by"),
        words.translate_plain("divides by zero"),
        words.translate_plain("not a whole number"),
        words.translate_plain("not above zero"),
        words.translate_plain("{n} over {d}", **PLACEHOLDERS),
        words.translate_plain("That makes {value}, not {target}. Undo, and try another way.", **PLACEHOLDERS),
        # Handing in, and outcomes
        words.translate_plain("That came too late: the table has changed."),
        words.translate_plain("That could not be sent."),
        words.translate_plain("Choose a number first."),
        words.translate_plain("There is no {name} here.", **PLACEHOLDERS),
        words.translate_plain("Choose the number to hand in."),
        words.translate_plain("Your answer is in. A later one takes its place."),
        words.translate_plain("Back to the table"),
        words.translate_plain("Back to the card"),
        words.translate_plain("To the hand"),
        words.translate_plain("To the game of {game}", **PLACEHOLDERS),
        words.translate_plain("Share the result"),
        words.translate_plain("Link for spectators"),
        words.translate_plain("Handed in."),
        words.translate_plain("Kept, and sent as soon as there is a connection."),
        # The hand of the day, with and without a connection
        words.translate_plain("The day’s hand"),
        words.translate_plain("The day’s hand, offline"),
        words.translate_plain("Play the day’s hand"),
        words.translate_plain("Play the day’s hand offline"),
        words.translate_plain("Your time runs."),
        words.translate_plain("Your time for the day’s hand runs. Play it here, or answer it in the chat."),
        words.translate_plain("You have done that day’s hand already."),
        words.translate_plain("You have solved the day’s hand offline. It is sent once you are connected."),
        words.translate_plain("Your answer to the hand of {day} could not be sent.", **PLACEHOLDERS),
        words.translate_plain(
            "If you solve it offline, it gives no points, and is sent once you are connected."
        ),
        words.translate_plain("Solved offline: it gives no points, and is sent once you are connected."),
        # Hints, and giving up
        words.translate_plain("Hint"),
        words.translate_plain("−1 point"),
        words.translate_plain("No more hints for this hand."),
        words.translate_plain("Give this hand up? Press once more."),
        words.translate_plain("Yes, give up"),
        # A card of thirteen categories
        words.translate_plain("Ones to sixes"),
        words.translate_plain("The other categories"),
        words.translate_plain("Total: {n}", **PLACEHOLDERS),
        words.translate_plain("Your total: {n}", **PLACEHOLDERS),
        words.translate_plain("{category}: {points}, filled", **PLACEHOLDERS),
        words.translate_plain("{category}: empty", **PLACEHOLDERS),
        words.translate_plain("{category}: {points} for this roll", **PLACEHOLDERS),
        words.translate_plain("{category}: 0 points. Press again to put it here.", **PLACEHOLDERS),
        words.translate_plain("Put 0 here?"),
        words.translate_plain("Bonus: {bonus}", **PLACEHOLDERS),
        words.translate_plain("{n} more in ones to sixes for the bonus", **PLACEHOLDERS),
        words.translate_plain("Roll {n} of {all}", **PLACEHOLDERS),
        words.translate_plain("The card is full."),
        words.translate_plain("A game of {game} has begun.", **PLACEHOLDERS),
        # The end of a round, and the people at the table
        words.translate_plain("You won!"),
        words.translate_plain("Solved!"),
        words.translate_plain("{name} won.", **PLACEHOLDERS),
        words.translate_plain("The game is over."),
        words.translate_plain("The hand is over."),
        words.translate_plain("You: {answer}", **PLACEHOLDERS),
        words.translate_plain("Last hand, {name}: {answer}", **PLACEHOLDERS),
        words.translate_plain("Last hand: {answer}", **PLACEHOLDERS),
        words.translate_plain("{off} away from {target}", **PLACEHOLDERS),
        words.translate_plain("Best: {answer}", **PLACEHOLDERS),
        words.translate_plain("you"),
        words.translate_plain("points: {n}", **PLACEHOLDERS),
        words.translate_plain("At the table"),
        words.translate_plain("Time left"),
        words.translate_plain("You are watching."),
        words.translate_plain("You are watching. The link ends here."),
        words.translate_plain("No hand is on the table."),
        words.translate_plain("Deal one here, or choose a game in the chat: /help shows them all."),
        words.translate_plain("In the chat"),
        # Connection, links and sharing
        words.translate_plain("Connected again."),
        words.translate_plain("No connection. Trying again …"),
        words.translate_plain("Newer boards are open, so this one waits. Tap it to go on."),
        words.translate_plain("Something went wrong on this page."),
        words.translate_plain("Reload it."),
        words.translate_plain("Reload"),
        words.translate_plain("There is nothing to share yet."),
        words.translate_plain("The link is copied: whoever has it may watch."),
        words.translate_plain("Whoever has this link may watch."),
        # The clock, and a page that is closed or can't be opened
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
