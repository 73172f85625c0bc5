"""The features, in the order of the command menu. A new one is an import and a line here."""

from bot.admin import chat_doctor as doctor
from bot.admin import welcome as groups
from bot.admin.private_replies import commands as privately
from bot.admin.settings import commands as settings
from bot.board import queries as board
from bot.games.twentyfour import commands as twentyfour
from bot.games.twentyfour import explain as why
from bot.modes.contest import card_messages
from bot.modes.contest import commands as contest
from bot.modes.contest import ending as contest_endings
from bot.modes.daily import commands as daily
from bot.modes.daily import group_tables, reminders
from bot.modes.duel import commands as duel
from bot.modes.practice import commands as practice
from bot.modes.race import commands as race
from bot.modes.race import stop
from bot.players.privacy import commands as privacy
from bot.queue.timers import QUEUE_CLEANUP
from bot.rounds import answers, hints, private_answers, round_end, round_message, secrecy
from bot.rounds import commands as play
from bot.standings import chat_records as records
from bot.standings import weekly_post as weekly
from bot.standings.leaderboard import commands as leaderboard
from bot.standings.ratings import commands as ratings
from bot.standings.stats import commands as stats
from bot.telegram.routes import Routes

FEATURES = (
    round_message.ROUTES,
    answers.ROUTES,
    play.ROUTES,
    contest.ROUTES,
    contest_endings.ROUTES,
    card_messages.ROUTES,
    hints.ROUTES,
    race.ROUTES,
    duel.ROUTES,
    daily.ROUTES,
    group_tables.ROUTES,
    reminders.ROUTES,
    round_end.ROUTES,
    stop.ROUTES,
    practice.ROUTES,
    secrecy.ROUTES,
    private_answers.ROUTES,
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
