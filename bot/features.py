"""The games and the features, and the commands in the menus.

A new game is a folder under `bot/games` and a line here, another feature an import and a line.
"""

from bot.admin import chat_doctor as doctor
from bot.admin import fairness
from bot.admin import help as helping
from bot.admin import welcome as groups
from bot.admin.privacy import commands as privacy
from bot.admin.privacy.queries import forget_player
from bot.admin.settings import commands as settings
from bot.board import queries as board
from bot.board import submissions as board_submissions
from bot.board.classroom import commands as classroom
from bot.games.twentyfour import commands as twentyfour
from bot.games.twentyfour import explain as why
from bot.modes import stop, tutorial
from bot.modes.classroom import lessons
from bot.modes.contest import card_messages
from bot.modes.contest import commands as contest
from bot.modes.contest import ending as contest_endings
from bot.modes.daily import commands as daily
from bot.modes.daily import group_tables, reminders
from bot.modes.duel import commands as duel
from bot.modes.duel.queries import delete_awaited_challenge
from bot.modes.practice import commands as practice
from bot.modes.race import commands as race
from bot.modes.race_mode import RaceMode
from bot.modes.review import commands as review
from bot.modes.runs import commands as runs
from bot.modes.storm.mode import StormMode
from bot.modes.streak.mode import StreakMode
from bot.queue.timers import QUEUE_CLEANUP
from bot.rounds import answer_view, expiry, give_up, hint, round_message, secrecy, secret_answers
from bot.rounds import commands as play
from bot.rounds.ledger import AWARD_HANDLERS
from bot.rounds.mode import MODES
from bot.rounds.registry import CONTEST_GAMES, DAILY_GAMES, GAMES, register_games
from bot.rounds.round_end import ROUND_END
from bot.rounds.view import TITLE_LOADERS
from bot.standings import achievements, leaderboard_command
from bot.standings import chat_records as records
from bot.standings import weekly_post as weekly
from bot.standings.follow.queries import choose_solved_percentage
from bot.standings.leaderboard import commands as leaderboard
from bot.standings.leaderboard import totals
from bot.standings.ratings import commands as ratings
from bot.standings.ratings.updates import rate_round
from bot.standings.stats import commands as stats
from bot.telegram import private_replies
from bot.telegram.menus import GROUP_MENU, PRIVATE_MENU
from bot.telegram.routes import Routes, make_aliases

register_games(
    "bot.games.twentyfour.game.TwentyFour",
    "bot.games.countdown.game.Countdown",
    "bot.games.yahtzee.game.Yahtzee",
    default="24",
)

# Other names of commands, in no menu: English ones, then Spanish ones. Telegram takes Latin letters alone
ALIASES = {
    "play": ("new", "jugar", "nueva", "repartir"),
    "next": ("siguiente", "otra"),
    "hint": ("pista",),
    "giveup": ("skip", "rendirse", "saltar"),
    "solve": ("solution", "resolver", "solucion"),
    "why": ("porque",),
    "start": ("empezar",),
    "help": ("rules", "ayuda", "reglas"),
    "leaderboard": ("score", "points", "clasificacion", "ranking", "puntos", "tabla"),
    "top": ("rating", "ratings", "mejores", "valoracion"),
    "stats": ("me", "achievements", "badges", "yo", "logros", "estadisticas"),
    "race": ("carrera",),
    "duel": ("duelo",),
    "daily": ("diaria", "dia"),
    "countdown": ("cifras",),
    "practice": ("practicar", "practica"),
    "review": ("repasar", "repaso"),
    "storm": ("tormenta",),
    "streak": ("racha",),
    "stop": ("parar", "terminar"),
    "lesson": ("leccion",),
    "settings": ("ajustes",),
    "language": ("idioma",),
    "timezone": ("zona",),
    "cancel": ("cancelar",),
    "privacy": ("privacidad",),
    "export": ("exportar",),
    "forgetme": ("olvidame",),
}

RUN_MODES = (StormMode(), StreakMode())

_FEATURES = (
    expiry.ROUTES,
    round_message.ROUTES,
    answer_view.ROUTES,
    play.make_routes(GAMES.values()),
    play.ROUTES,
    contest.make_routes(CONTEST_GAMES.values()),
    contest_endings.ROUTES,
    card_messages.ROUTES,
    hint.ROUTES,
    race.ROUTES,
    duel.ROUTES,
    daily.make_routes(DAILY_GAMES),
    group_tables.ROUTES,
    reminders.ROUTES,
    give_up.ROUTES,
    stop.ROUTES,
    tutorial.ROUTES,
    practice.ROUTES,
    review.ROUTES,
    runs.make_routes(RUN_MODES),
    lessons.ROUTES,
    classroom.ROUTES,
    secrecy.ROUTES,
    secret_answers.ROUTES,
    twentyfour.ROUTES,
    why.ROUTES,
    leaderboard.ROUTES,
    leaderboard_command.ROUTES,
    ratings.ROUTES,
    stats.ROUTES,
    records.ROUTES,
    weekly.ROUTES,
    settings.ROUTES,
    fairness.ROUTES,
    privacy.ROUTES,
    doctor.ROUTES,
    groups.ROUTES,
    helping.ROUTES,
    private_replies.ROUTES,
    board_submissions.ROUTES,
    board.ROUTES,
    Routes(timed_tasks=[QUEUE_CLEANUP]),
)
FEATURES = (*_FEATURES, make_aliases(_FEATURES, ALIASES))

MODES.extend(
    [
        RaceMode(),
        *RUN_MODES,
        practice.PracticeMode(),
        tutorial.TutorialMode(),
        contest.ContestMode(),
        daily.DailyMode(),
        lessons.ClassMode(),
    ]
)
play.LEVEL_CHOOSERS.append(choose_solved_percentage)
answer_view.START_RENDERERS.append(groups.render_start)
ROUND_END.extend([rate_round, achievements.insert_daily_achievements, delete_awaited_challenge])

GROUP_MENU.extend(("play", "a", "countdown", "race", "daily", "leaderboard", "settings", "help"))
PRIVATE_MENU.extend(("play", "storm", "countdown", "yahtzee", "daily", "practice", "settings", "help"))

# What the standings make of each award
AWARD_HANDLERS.extend([totals.add_award, achievements.insert_win_achievements])
TITLE_LOADERS.append(achievements.load_titles)

privacy.FORGET_HANDLERS.append(board.close_pages)
privacy.FORGET_HANDLERS.append(lessons.forget_teacher)
lessons.FORGET_PERSON.append(forget_player)
