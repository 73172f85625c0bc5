"""/help by topic, and suggestions for unknown commands."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from bot.i18n import Html, Words, escape_value, translate_later
from bot.players.preferences import read_preferences
from bot.queue.admission import UpdateKind
from bot.rounds.commands import make_notice, refuse_old_button
from bot.rounds.registry import GAMES
from bot.telegram.context import Context, Effect, do_nothing, send_only
from bot.telegram.messages import Keyboard
from bot.telegram.routes import ButtonRoute, CommandRoute, OtherUpdate, Routes

# The topics


@dataclass(frozen=True, slots=True)
class HelpTopic:
    """A page of the help: a line for each command, then the notes."""

    title: Callable[[Words], str]
    commands: tuple[str, ...] = ()
    notes: tuple[Callable[[Words], str], ...] = ()


PLAY, GAME_LIST, SETTINGS, TEACHERS = "play", "games", "settings", "teachers"  # Codes in the data of buttons
TOPICS = {
    PLAY: HelpTopic(
        translate_later("How to play"),
        ("play", "a", "hint", "giveup"),
        (
            translate_later("/play hard — a hard hand"),
            translate_later("/play 36 — another target"),
            translate_later("/play all — find every way to make 24"),
            translate_later("Giving up: once others have tried, a few of you have to agree."),
            translate_later("Edits don’t count: send a new message."),
            translate_later(
                "🏆 right · 👏 right, no points · 👎 not right · 🤔 unclear"
                " · 👀 see below the hand · 👌 noted"
            ),
        ),
    ),
    GAME_LIST: HelpTopic(translate_later("Games")),  # With a description of each game
    "contests": HelpTopic(
        translate_later("Contests"),
        ("race", "duel", "daily", "stop"),
        (
            translate_later("/duel Ann — challenge one player of this group"),
            translate_later("In a duel, /stop gives up: the other wins. It asks you first."),
        ),
    ),
    "learn": HelpTopic(
        translate_later("Practice"), ("storm", "streak", "practice", "review", "solve", "why")
    ),
    "scores": HelpTopic(
        translate_later("Scores"),
        ("leaderboard", "top", "records", "stats"),
        (translate_later("/stats Ann — somebody else’s statistics"),),
    ),
    SETTINGS: HelpTopic(
        translate_later("Settings"),
        ("settings", "doctor", "fair", "privacy"),
        (
            translate_later("/export — all that I store about you"),
            translate_later("/forgetme — delete it"),
        ),
    ),
    TEACHERS: HelpTopic(
        translate_later("For teachers"),
        ("class",),
        (
            translate_later("/race 5 easy — five easy hands"),
            translate_later("/leaderboard today — the points of today"),
            translate_later("/why 8/(3-8/3) — each step of a solution"),
            translate_later("/solve 3 8 3 8 — every way to make 24"),
            translate_later("/play all — many pupils find something; /countdown has a clock"),
            translate_later("/settings can let only admins deal or give up, and keep answers secret."),
        ),
    ),
}
OWN_ZONE_NOTE = translate_later("/timezone Madrid — your time zone")
GROUP_ZONE_NOTE = translate_later("/timezone Madrid — this group’s time zone (admins)")
SECRET_NOTE = translate_later("🤫 under a hand: answer in secret.")
PAGE_NOTE = translate_later("🔢 under a hand opens it large, for a projector.")
SHORT_HELP_COMMANDS = ("daily", "race", "storm", "leaderboard")
TOPICS_PER_ROW = 3
BUTTON_PREFIX = "he"  # Followed by the code of a topic, or by nothing for the short help


# /help


async def show_help(context: Context) -> Effect:
    text, keyboard = _render_help(context)
    return send_only(context.reply(text, keyboard=keyboard))


async def press_help_button(context: Context) -> Effect:
    """Change the help to a topic, or back to the short help."""
    code = context.button_argument
    if code not in ("", *TOPICS) or not context.is_genuine_press or not context.message:
        return refuse_old_button(context)
    text, keyboard = _render_topic(context, code) if code else _render_help(context)
    return send_only(context.edit(text, keyboard=keyboard), *context.answer_press())


def _render_help(context: Context) -> tuple[Html, Keyboard]:
    """Render the short help, with buttons for the topics."""
    words = context.words
    how = words.translate("Reply to the hand, or /a 8/(3-8/3)")
    if context.chat.private or read_preferences(context.chat).hears_all:
        how = words.translate("Just send your answer.")
    lines = [GAMES.default.render_about(words), how, Html("")]
    games = [game.command for game in GAMES.values()]  # /play, the first, deals the default game
    lines += _render_commands(context, [*games, *SHORT_HELP_COMMANDS])
    buttons = [(topic.title(words), f"{BUTTON_PREFIX}:{code}") for code, topic in TOPICS.items()]
    rows = [buttons[at : at + TOPICS_PER_ROW] for at in range(0, len(buttons), TOPICS_PER_ROW)]
    return Html("\n".join(lines)), rows


def _render_topic(context: Context, code: str) -> tuple[Html, Keyboard]:
    """Render a topic; its notes about buttons only where hands have them."""
    words, topic = context.words, TOPICS[code]
    lines = [Html(f"<b>{escape_value(topic.title(words))}</b>")]
    if code == GAME_LIST:
        lines += [Html(f"/{game.command} — {game.render_about(words)}") for game in GAMES.values()]
    lines += _render_commands(context, topic.commands)
    notes = list(topic.notes)
    if code == SETTINGS:
        notes.append(OWN_ZONE_NOTE if context.chat.private else GROUP_ZONE_NOTE)
    if code == PLAY and read_preferences(context.chat).secret_answers:
        notes.append(SECRET_NOTE)
    if code == TEACHERS and context.services.make_board_url(context.chat.id, context.topic, 0):
        notes.append(PAGE_NOTE)
    lines += [Html(escape_value(note(words))) for note in notes]
    return Html("\n".join(lines)), [[(words.translate_plain("‹ Back"), f"{BUTTON_PREFIX}:")]]


def _render_commands(context: Context, names: Sequence[str]) -> list[Html]:
    """Render a line for each of the commands with these names that the chat has."""
    commands = [c for c in context.services.commands if not (context.chat.private and c.groups_only)]
    lines = {c.name: f"/{c.name} — {escape_value(c.menu(context.words))}" for c in commands if c.menu}
    return [Html(lines[name]) for name in names if name in lines]


# Unknown commands


async def suggest_command(context: Context) -> Effect:
    """Name the known commands nearest to an unknown one; in a group only if it names the bot, by day."""
    text = context.message.text if context.message else ""
    command = text.split(maxsplit=1)[0] if text else ""
    typed, _, addressee = command.removeprefix("/").partition("@")
    names_bot = addressee.lower() == str(context.services.me.username).lower()
    is_for_bot = names_bot or (context.chat.private and not addressee)
    if not context.is_new_message or not is_for_bot or context.is_in_quiet_hours:
        return do_nothing
    words, is_group = context.words, not context.chat.private
    known = {c.name: c.alias_of or c.name for c in context.services.commands if is_group or not c.groups_only}
    line = words.translate("I don’t know that command. /help shows those I do.")
    nearest = find_nearest_commands(typed, known)
    if nearest:
        first, *others = (f"/{name}" for name in nearest)
        commands = words.translate("{one} or {other}", one=first, other=others[0]) if others else first
        line = words.translate("I don’t know that one. Did you mean {commands}?", commands=commands)
    return lambda tx: make_notice(context, tx, line)


MIN_PREFIX = 3  # Letters from which the beginning of a command is taken for the command
MIN_SIMILARITY = 0.6  # Of a mistyped command, as `SequenceMatcher` measures it
MIN_ALIAS_SIMILARITY = 0.75  # Of a mistyped alias, which the suggestion does not show
MAX_SUGGESTIONS = 2  # Commands that are suggested at once


def find_nearest_commands(typed: str, known: Mapping[str, str]) -> list[str]:
    """Return the commands whose names begin with `typed`, else the nearest ones; empty if none is near.

    `known` maps names to those of commands; aliases are looked for where no command is near.
    """
    typed = typed.lower()
    begun = [name for name in known if name.startswith(typed)] if len(typed) >= MIN_PREFIX else []
    nearest = (
        begun or _find_similar(typed, known.values()) or _find_similar(typed, known, MIN_ALIAS_SIMILARITY)
    )
    return list(dict.fromkeys(known[name] for name in nearest))[:MAX_SUGGESTIONS]


def _find_similar(typed: str, names: Iterable[str], similarity: float = MIN_SIMILARITY) -> list[str]:
    return get_close_matches(typed, dict.fromkeys(names), MAX_SUGGESTIONS, similarity)


ROUTES = Routes(
    commands=[
        CommandRoute("help", show_help, UpdateKind.QUESTION, translate_later("how to play")),
    ],
    buttons=[ButtonRoute(BUTTON_PREFIX, press_help_button)],
    other_updates={OtherUpdate.UNKNOWN_COMMAND: suggest_command},
)
