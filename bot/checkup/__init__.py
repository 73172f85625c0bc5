"""`twentyfour-bot check`: report what is wrong with settings, database, the bot's account and this machine.

Nothing is changed without `--fix`, and a bot that runs meanwhile is not disturbed.
"""
