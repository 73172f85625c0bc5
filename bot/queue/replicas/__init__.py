"""Several bots that share one PostgreSQL database and are one service (see `bot.queue.queries`)."""
