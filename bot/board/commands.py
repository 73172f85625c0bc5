"""What pages leave behind is let go once an hour: what is tapped on them are updates like any others."""

from bot.board import queries as boards
from bot.queue.timers import hourly
from bot.telegram.routes import Routes

ROUTES = Routes(timed=[hourly("what pages were told", boards.sweep)])
