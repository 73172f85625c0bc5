"""What pages leave behind is let go once an hour: what is tapped on them are updates like any others."""

from bot.board import queries as boards
from bot.queue.timers import make_hourly_cleanup
from bot.telegram.routes import Routes

ROUTES = Routes(timed_tasks=[make_hourly_cleanup("what pages were told", boards.delete_expired_rows)])
