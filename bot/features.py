"""The features, in the order of the command menu. A new one is an import and a line here."""

from bot.delivery.timers import FORGETTING
from bot.games.board import commands as board
from bot.games.contest import commands as contest
from bot.games.contest import endings as contest_endings
from bot.games.contest import own
from bot.games.daily import commands as daily
from bot.games.daily import hints as daily_hints
from bot.games.daily import reminders, tables
from bot.games.duel import commands as duel
from bot.games.practice import commands as practice
from bot.games.race import commands as race
from bot.games.race import stopping
from bot.games.rounds import answers, endings, hints, receipts, secrecy, secretly
from bot.games.rounds import commands as play
from bot.games.twentyfour import commands as twentyfour
from bot.games.twentyfour.why import commands as why
from bot.groups import commands as groups
from bot.groups.doctor import commands as doctor
from bot.groups.privately import commands as privately
from bot.groups.records import commands as records
from bot.groups.settings import commands as settings
from bot.people.leaderboard import commands as leaderboard
from bot.people.privacy import commands as privacy
from bot.people.ratings import commands as ratings
from bot.people.stats import commands as stats
from bot.people.weekly import commands as weekly
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
    daily_hints.ROUTES,
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
    Routes(timed=[FORGETTING]),
)
