"""What the message of a round shows beside the round itself, and the buttons below it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.admin.settings.rules import Pictures
from bot.i18n import Words
from bot.modes.practice.rules import Session
from bot.modes.race.view import Standings
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Entry, Find, Kind, easier
from bot.rounds.rules import VOTES_TO_SKIP, Round, State
from bot.rounds.tries import Miss, Note
from bot.standings.achievements.queries import Honour
from bot.telegram.messages import App, Button, Keyboard, Link

FINDS_SHOWN = 15


@dataclass(frozen=True, slots=True)
class Scene:
    """What the message of a round shows beside the round itself."""

    now: float = 0.0
    names: Mapping[int, str] = field(default_factory=dict)
    notes: Sequence[Note] = ()
    votes: int = 0
    points: int = 0  # That the round gave
    private: bool = False
    heard: bool = False  # Whether an answer needs no reply
    looks_on: bool = False  # Whether whoever reads only looks on
    hints: bool = True  # Whether hints may be bought
    finds: Sequence[Find] = ()
    # What was handed in, in a round in which everybody may; while it is open, only by whom is shown.
    entries: Sequence[Entry] = ()
    miss: Miss | None = None
    standings: Standings | None = None
    proofs: Sequence[str] = ()  # Of the hands of its race before this one
    best: float | None = None  # Seconds of the winner's quickest answer before this one, at its level
    waiting: Sequence[int] = ()  # People for whom a word waits that is theirs alone
    # The address at which answers to the round can be given in private; empty where there is none.
    door: str = ""
    board: str = ""  # The address of the page on which the round can be tapped; empty where there is none
    honours: Sequence[Honour] = ()  # What was earned here, for the first time in somebody's life
    pictures: Pictures = Pictures.OFF  # What the chat sees as pictures
    # What names the picture that the message shows by now; empty for a text, and before it is posted.
    photo: str = ""
    most: int = FINDS_SHOWN  # Lines of a list
    proven: bool = True  # Whether it is shown what a deal was committed to
    practice: Session | None = None  # What a hand that is practised tells of the person


def buttons(round: Round, words: Words, scene: Scene) -> Keyboard:
    """What may be pressed below the round as it stands."""
    if scene.standings and not scene.standings.race.open:
        if scene.standings.duel:
            return [[(words.plain("Rematch"), f"dr:{round.id}")], *_secret(round, words, scene)]
        return [[(words.plain("Race again"), f"r:{round.id}")], *_secret(round, words, scene)]
    if round.state is not State.OPEN:
        return [_more(round, words, scene), *_secret(round, words, scene)]
    skip = words.plain("Give up")
    if scene.votes:
        skip = words.plain("Give up {votes}/{needed}", votes=scene.votes, needed=VOTES_TO_SKIP)
    row = [(skip, f"s:{round.id}")]
    if scene.hints and round.hints < GAMES[round.game].hints(round.puzzle):
        row.insert(0, (words.plain("Hint"), f"h:{round.id}"))
    return [row, *_secret(round, words, scene), *_stop(round, words, scene)]


def to_board(round: Round, words: Words, address: str) -> list[list[Button]]:
    """The way to the page on which a round that goes on can be tapped: within Telegram, or by a link."""
    if not address or round.state not in (State.OPEN, State.RUNNING):
        return []
    label = f"🔢 {words.plain('Board')}"
    return [[(label, App(address) if round.chat_id > 0 else Link(address))]]


def _secret(round: Round, words: Words, scene: Scene) -> list[list[Button]]:
    """The ways to the bot that nobody else sees."""
    row: list[Button] = []
    if scene.door:
        row.append((f"🤫 {words.plain('Answer secretly')}", Link(scene.door)))
    if scene.waiting:
        row.append((f"📬 {words.plain('Read mine')}", f"wd:{round.id}"))
    return [row] if row else []


def _stop(round: Round, words: Words, scene: Scene) -> list[list[Button]]:
    """Where somebody wants to end the race or the duel: the button by which others join in."""
    if not (scene.standings and scene.standings.stops):
        return []
    votes = words.plain("Stop {votes}/{needed}", votes=scene.standings.stops, needed=VOTES_TO_SKIP)
    return [[(votes, f"x:{round.id}")]]


def _more(round: Round, words: Words, scene: Scene) -> list[Button]:
    """What may follow a hand: the next, a duel with its winner, an easier one that nobody found in time."""
    row = [(words.plain("Next hand"), f"n:{round.id}")]
    if any(GAMES[round.game].steps(find.answer) for find in scene.finds):
        row.append((words.plain("Step by step"), f"w:{round.id}"))
    if round.state is State.WON and round.winner_id and round.kind is Kind.FIRST and not scene.private:
        row.append((words.plain("Duel"), f"d:{round.id}"))
    if round.state is State.EXPIRED and not scene.finds and GAMES[round.game].levels and easier(round.level):
        row.append((words.plain("An easier one"), f"e:{round.id}"))
    return row
