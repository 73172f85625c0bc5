"""What pages leave behind is let go once an hour: what is tapped on them are updates like any others."""

from bot.delivery.timers import hourly
from bot.games.board import queries as boards
from bot.telegram.routes import Routes

ROUTES = Routes(timed=[hourly("what pages were told", boards.sweep)])
