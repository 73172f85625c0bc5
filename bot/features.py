"""The features, in the order of the command menu. A new one is an import and a line here."""

from bot.admin import commands as groups
from bot.admin.doctor import commands as doctor
from bot.admin.privately import commands as privately
from bot.admin.settings import commands as settings
from bot.board import commands as board
from bot.games.twentyfour import commands as twentyfour
from bot.games.twentyfour.why import commands as why
from bot.modes.contest import commands as contest
from bot.modes.contest import endings as contest_endings
from bot.modes.contest import own
from bot.modes.daily import commands as daily
from bot.modes.daily import hints as daily_hints
from bot.modes.daily import reminders, tables
from bot.modes.duel import commands as duel
from bot.modes.practice import commands as practice
from bot.modes.race import commands as race
from bot.modes.race import stopping
from bot.players.privacy import commands as privacy
from bot.queue.timers import QUEUE_CLEANUP
from bot.rounds import answers, endings, hints, receipts, secrecy, secretly
from bot.rounds import commands as play
from bot.standings.leaderboard import commands as leaderboard
from bot.standings.ratings import commands as ratings
from bot.standings.records import commands as records
from bot.standings.stats import commands as stats
from bot.standings.weekly import commands as weekly
from bot.telegram.routes import Routes

FEATURES = (
    receipts.ROUTES,
    answers.ROUTES,
    play.ROUTES,
    contest.ROUTES,
    contest_endings.ROUTES,
    own.ROUTES,
    hints.ROUTES,
    race.ROUTES,
    duel.ROUTES,
    daily.ROUTES,
    daily_hints.HINT_ROUTES,
    tables.ROUTES,
    reminders.ROUTES,
    endings.ROUTES,
    stopping.ROUTES,
    practice.ROUTES,
    secrecy.ROUTES,
    secretly.ROUTES,
    twentyfour.ROUTES,
    why.ROUTES,
    leaderboard.ROUTES,
    ratings.ROUTES,
    stats.ROUTES,
    records.ROUTES,
    weekly.ROUTES,
    settings.ROUTES,
    privacy.ROUTES,
    doctor.ROUTES,
    groups.ROUTES,
    privately.ROUTES,
    board.ROUTES,
    Routes(timed_tasks=[QUEUE_CLEANUP]),
)
