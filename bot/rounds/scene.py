"""What the message of a round shows beside the round itself, and the buttons below it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.admin.settings.rules import Pictures
from bot.i18n import Words
from bot.modes.practice.rules import PracticeReport
from bot.modes.race.view import RaceStandings
from bot.rounds.known import GAMES
from bot.rounds.puzzle import Entry, Find, Kind, get_easier_level
from bot.rounds.rules import VOTES_NEEDED, Round, State
from bot.rounds.tries import NearMiss, AnswerNote
from bot.standings.achievements.queries import PlayerAchievements
from bot.telegram.messages import WebApp, Button, Keyboard, Link

MAX_LINES = 15


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the message of a round shows beside the round itself."""

    now: float = 0.0
    names: Mapping[int, str] = field(default_factory=dict)
    notes: Sequence[AnswerNote] = ()
    skip_votes: int = 0
    points: int = 0  # That the round gave
    is_private: bool = False
    reads_all_messages: bool = False  # Whether an answer needs no reply
    is_spectator: bool = False  # Whether whoever reads only looks on
    offers_hints: bool = True  # Whether hints may be bought
    finds: Sequence[Find] = ()
    # What was handed in, in a round in which everybody may; while it is open, only by whom is shown.
    entries: Sequence[Entry] = ()
    nearest_miss: NearMiss | None = None
    standings: RaceStandings | None = None
    earlier_proofs: Sequence[str] = ()  # Of the hands of its race before this one
    best_seconds: float | None = None  # Seconds of the winner's quickest answer before this one, at its level
    waiting_players: Sequence[int] = ()  # People for whom a word waits that is theirs alone
    # The address at which answers to the round can be given in private; empty where there is none.
    answer_link: str = ""
    board_link: str = ""  # The address of the page on which the round can be tapped; empty where there is none
    honours: Sequence[PlayerAchievements] = ()  # What was earned here, for the first time in somebody's life
    pictures: Pictures = Pictures.OFF  # What the chat sees as pictures
    # What names the picture that the message shows by now; empty for a text, and before it is posted.
    shown_picture: str = ""
    max_lines: int = MAX_LINES  # Lines of a list
    shows_proofs: bool = True  # Whether it is shown what a deal was committed to
    practice_session: PracticeReport | None = None  # What a hand that is practised tells of the person


def make_buttons(round: Round, words: Words, scene: Snapshot) -> Keyboard:
    """What may be pressed below the round as it stands."""
    if scene.standings and not scene.standings.race.open:
        if scene.standings.duel:
            return [[(words.translate_plain("Rematch"), f"dr:{round.id}")], *_secret(round, words, scene)]
        return [[(words.translate_plain("Race again"), f"r:{round.id}")], *_secret(round, words, scene)]
    if round.state is not State.OPEN:
        return [_more(round, words, scene), *_secret(round, words, scene)]
    skip = words.translate_plain("Give up")
    if scene.skip_votes:
        skip = words.translate_plain("Give up {votes}/{needed}", votes=scene.skip_votes, needed=VOTES_NEEDED)
    row = [(skip, f"s:{round.id}")]
    if scene.offers_hints and round.hints_shown < GAMES[round.game].count_hints(round.puzzle):
        row.insert(0, (words.translate_plain("Hint"), f"h:{round.id}"))
    return [row, *_secret(round, words, scene), *_stop(round, words, scene)]


def make_board_button(round: Round, words: Words, address: str) -> list[list[Button]]:
    """The way to the page on which a round that goes on can be tapped: within Telegram, or by a link."""
    if not address or round.state not in (State.OPEN, State.RUNNING):
        return []
    label = f"🔢 {words.translate_plain('Board')}"
    return [[(label, WebApp(address) if round.chat_id > 0 else Link(address))]]


def _secret(round: Round, words: Words, scene: Snapshot) -> list[list[Button]]:
    """The ways to the bot that nobody else sees."""
    row: list[Button] = []
    if scene.answer_link:
        row.append((f"🤫 {words.translate_plain('Answer secretly')}", Link(scene.answer_link)))
    if scene.waiting_players:
        row.append((f"📬 {words.translate_plain('Read mine')}", f"wd:{round.id}"))
    return [row] if row else []


def _stop(round: Round, words: Words, scene: Snapshot) -> list[list[Button]]:
    """Where somebody wants to end the race or the duel: the button by which others join in."""
    if not (scene.standings and scene.standings.stop_votes):
        return []
    votes = words.translate_plain("Stop {votes}/{needed}", votes=scene.standings.stop_votes, needed=VOTES_NEEDED)
    return [[(votes, f"x:{round.id}")]]


def _more(round: Round, words: Words, scene: Snapshot) -> list[Button]:
    """What may follow a hand: the next, a duel with its winner, an easier one that nobody found in time."""
    row = [(words.translate_plain("Next hand"), f"n:{round.id}")]
    if any(GAMES[round.game].list_steps(find.answer) for find in scene.finds):
        row.append((words.translate_plain("Step by step"), f"w:{round.id}"))
    if round.state is State.WON and round.winner_id and round.kind is Kind.FIRST and not scene.is_private:
        row.append((words.translate_plain("Duel"), f"d:{round.id}"))
    if round.state is State.EXPIRED and not scene.finds and GAMES[round.game].has_levels and get_easier_level(round.level):
        row.append((words.translate_plain("An easier one"), f"e:{round.id}"))
    return row
